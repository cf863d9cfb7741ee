"""The Mandelbrot set as a picture, mandelbrot.pgm, which most viewers show."""

import sys
from pathlib import Path

import numpy as np

import wavejit

BIN = Path(__file__).resolve().parents[4] / "shaders" / "bin"
width, height = 768, 512

image = np.zeros((height, width), np.uint8)
kernel = wavejit.Device().module(BIN / "mandelbrot.gfx1100.wave32.hsaco")["mandelbrot"]
stats = kernel.launch((width, height), (16, 16), wavejit.Out(image), -2.2, -1.2, 0.0046875, width, height, 500)
path = Path(sys.argv[1] if len(sys.argv) > 1 else "mandelbrot.pgm")
path.write_bytes(b"P5 %d %d 255\n" % (width, height) + image.tobytes())
assert (image == 0).sum() > 50_000  # the set itself
print(f"{path}: {stats.waves} waves in {1e3 * stats.run_seconds:.0f} ms")
