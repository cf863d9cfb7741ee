"""A product of matrices that stay on the device between launches: c = a b, then d = a c."""

from pathlib import Path

import numpy as np

import wavejit

BIN = Path(__file__).resolve().parents[4] / "shaders" / "bin"

device = wavejit.Device()
sgemm = device.module(BIN / "sgemm_block.gfx1100.wave32.hsaco")["sgemm_block"]
n = 256
rng = np.random.default_rng(0)
a, b = rng.standard_normal((n, n), dtype=np.float32), rng.standard_normal((n, n), dtype=np.float32)

on_device = device.upload(a)
c, d = device.alloc(a.nbytes), device.alloc(a.nbytes)
# A workgroup of 16 x 16 work-items makes a tile of 32 x 32.
for left, right, result in [(on_device, b, c), (on_device, c, d)]:
    sgemm.launch((n // 2, n // 2), (16, 16), left, right, result, n, n, n)
error = np.abs(d.numpy("float32", (n, n)) - a @ (a @ b)).max()
assert error < 0.1, error
print(f"{n} x {n}: largest difference from NumPy {error:.2g}")
