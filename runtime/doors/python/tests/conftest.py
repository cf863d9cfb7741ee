"""Code objects of the repository, and devices."""

from pathlib import Path

import pytest

import wavejit

SHADERS = Path(__file__).resolve().parents[4] / "shaders" / "bin"


def shader(name: str) -> Path:
    """A code object of `shaders/bin`."""
    return SHADERS / f"{name}.gfx1100.wave32.hsaco"


@pytest.fixture(params=["isolated", "shared"])
def device(request):
    """A device of each memory."""
    return wavejit.Device(threads=2, memory=request.param)


@pytest.fixture
def isolated():
    """A device whose kernels reach nothing of the process."""
    return wavejit.Device(threads=2)
