"""A software GPU: runs AMD GPU machine code (gfx11) on the CPU.

    import numpy as np
    import wavejit

    device = wavejit.Device()
    triad = device.module("triad.gfx1100.wave32.hsaco")["triad"]
    a, b, out = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32), np.zeros(1000, np.float32)
    triad.launch(1000, 256, out, a, b, 2.0, 1000)

`wavejit.farm` runs one launch, or many, on the machines of a Ray cluster.
"""

from ._wavejit import Argument, Buffer, Device, In, Kernel, Local, Module, Out, Stats
from .errors import (
    ArgumentError,
    AtInstruction,
    BudgetExceeded,
    Canceled,
    Deadlock,
    Error,
    Fault,
    InternalError,
    LimitError,
    LoadError,
    OutOfMemoryError,
    Overrun,
    UnsupportedError,
)
from .stream import Stream

__all__ = [
    "Argument",
    "ArgumentError",
    "AtInstruction",
    "BudgetExceeded",
    "Buffer",
    "Canceled",
    "Deadlock",
    "Device",
    "Error",
    "Fault",
    "In",
    "InternalError",
    "Kernel",
    "LimitError",
    "LoadError",
    "Local",
    "Module",
    "Out",
    "OutOfMemoryError",
    "Overrun",
    "Stats",
    "Stream",
    "UnsupportedError",
]
__version__ = "0.1.0"
