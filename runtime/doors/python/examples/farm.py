"""One launch shared by processes of this machine, or with `--ray` by Ray workers: of the cluster at RAY_ADDRESS, or two that it starts here."""

import os
import sys
from pathlib import Path

import numpy as np

import wavejit.farm

BIN = Path(__file__).resolve().parents[4] / "shaders" / "bin"


def main() -> None:
    width, height = 768, 512
    image = np.zeros((height, width), np.uint8)
    if "--ray" in sys.argv:
        init = {} if "RAY_ADDRESS" in os.environ else {"num_cpus": 2, "include_dashboard": False, "logging_level": "error"}
        farm = wavejit.farm.ray(init=init)
    else:
        farm = wavejit.farm.local(processes=2)
    with farm:
        parts = farm.launch(
            BIN / "mandelbrot.gfx1100.wave32.hsaco", "mandelbrot", (width, height), (16, 16), image, -2.2, -1.2, 0.0046875, width, height, 500
        )
    assert (image == 0).sum() > 50_000  # the set itself
    workers = {part.worker for part in parts}
    print(f"{sum(p.workgroups for p in parts)} workgroups in {len(parts)} parts by {len(workers)} workers")


if __name__ == "__main__":
    main()
