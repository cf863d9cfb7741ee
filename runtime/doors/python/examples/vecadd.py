"""out = a + scale * b with NumPy arrays. Run it in the repository: python runtime/doors/python/examples/vecadd.py"""

from pathlib import Path

import numpy as np

import wavejit

BIN = Path(__file__).resolve().parents[4] / "shaders" / "bin"

device = wavejit.Device()
triad = device.module(BIN / "triad.gfx1100.wave32.hsaco")["triad"]
print(triad)

n = 1_000_000
a, b, out = np.arange(n, dtype=np.float32), np.ones(n, np.float32), np.zeros(n, np.float32)
stats = triad.launch(n, 256, out, a, b, 2.0, n)
assert np.array_equal(out, a + 2)
print(f"{stats.workgroups} workgroups, {stats.instructions} instructions in {1e3 * stats.run_seconds:.2f} ms; right")
