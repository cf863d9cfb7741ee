"""What goes wrong, as exceptions. Their text is a sentence for people; what they know besides is in their fields, which survive pickling."""

from __future__ import annotations


class Error(Exception):
    """Any failure of the run time."""

    #: The code of the C interface (WAVEJIT_E_*), negative.
    code: int = -1


class ArgumentError(Error, ValueError):
    """A wrong argument: a dimension that is 0 or too large, an array of another type than the kernel's."""


class LoadError(Error, ValueError):
    """Bytes that are not a code object which can be loaded, or no kernel of the name."""


class UnsupportedError(Error, NotImplementedError):
    """A kernel that cannot run here; refused before it starts."""


class OutOfMemoryError(Error, MemoryError):
    """The host has no memory left, or the device no addresses."""


class InternalError(Error, RuntimeError):
    """A defect of the library, caught."""


class AtInstruction(Error):
    """What went wrong at an instruction of a wave."""

    #: Kernel.
    kernel: str
    #: Device address of the kernel's first instruction.
    entry: int
    #: Device address of the instruction.
    pc: int
    #: Bytes from the kernel's first instruction.
    offset: int
    #: Text of the instruction; None where there is no instruction of the processor.
    instruction: str | None
    #: Workgroup id.
    workgroup: tuple[int, int, int]
    #: Number of the wave in its workgroup.
    wave: int


class Fault(AtInstruction):
    """A wave came to an instruction that cannot be done. Arrays of the launch are as they were before it."""

    #: The first lane that could not do it; None where lanes had no part in it.
    lane: int | None
    #: Lanes that made the access, lane 0 lowest.
    lanes: int
    #: Device address that was accessed or jumped to, or offset into scratch.
    address: int | None
    #: "load", "store" or "atomic"; None where memory was not accessed.
    access: str | None
    #: Bytes of a lane, where the instruction says.
    access_bytes: int | None
    #: "unmapped", "misaligned", "out of scratch", "no code", "no instruction", "not implemented", "refused", "trap" or "other".
    cause: str


class Overrun(Error):
    """A launch ran to its end, and bytes beside a buffer have changed (`Device(canaries=True)`). Arrays of the launch are as they were before it."""

    #: The kernel that ended last before that was found; empty if there was none.
    kernel: str
    #: Launches that have ended since the bytes were last looked at: if 1, it was that kernel, or one that ran beside it.
    launches: int
    #: Device address of the buffer, or of the array on the device.
    buffer: int
    #: Its size.
    buffer_bytes: int
    #: The first byte that has changed, relative to the buffer: its size or more, or negative.
    offset: int
    #: Bytes from there to the last one that has changed.
    nbytes: int


class LimitError(Error):
    """An end that the launch or the device asked for."""


class Canceled(LimitError):
    """The launch was canceled."""

    #: Kernel.
    kernel: str


class Deadlock(LimitError):
    """All waves that have begun wait for each other, or for nobody."""

    #: Workgroups that have begun.
    workgroups: int
    #: Where some of their waves go on: workgroup id, number of the wave, pc, text of the instruction, and what the wave does.
    places: list[tuple[tuple[int, int, int], int, int, str | None, str]]


class BudgetExceeded(LimitError, AtInstruction):
    """A wave has used up the instructions it was given (`max_insts`); the instruction is the next one."""

    #: Instructions that a wave was given.
    max_insts: int
    #: Other waves of the workgroup that have not ended: number, pc, and "runs", "barrier", "global wave sync" or "waits".
    others: list[tuple[int, int, str]]
