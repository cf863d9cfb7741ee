"""tinygrad on wavejit: its LLVM renderer for AMD makes objects, which ld.lld links, and kernels run with arrays of the host as memory.

Needs tinygrad, LLVM 18 or newer as tinygrad finds it, and ld.lld (Debian: llvm-19, lld-19). Written for tinygrad 0.14, whose devices are internal and change.
"""

import subprocess
import sys
import tempfile
import types
from pathlib import Path

from tinygrad import Tensor
from tinygrad.device import Compiled, LRUAllocator, Program, TinyELF
from tinygrad.helpers import DEV
from tinygrad.renderer.llvmir import AMDLLVMRenderer

import wavejit

LINKER = "ld.lld-19"


def linked(relocatable: bytes) -> bytes:
    """A code object of an object file."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "kernel.o"), Path(folder, "kernel.hsaco")
        source.write_bytes(relocatable)
        subprocess.run([LINKER, "-shared", "-o", target, source], check=True)
        return target.read_bytes()


class WavejitProgram(Program):
    def __init__(self, device: "WAVEJITDevice", elf: TinyELF) -> None:
        self.kernel = device.gpu.module(linked(elf.lib))[elf.name]
        self.signature = elf.signature

    def __call__(self, *buffers, global_size=(1, 1, 1), local_size=(1, 1, 1), vals=(), wait=False, **_):
        packed = bytearray(b"".join(b.to_bytes(8, "little") for b in buffers))
        for value, (offset, dtype) in zip(vals, TinyELF.iter_sig(self.signature[len(buffers) :], len(packed)), strict=True):
            packed[len(packed) :] = bytes(offset - len(packed)) + int(value).to_bytes(dtype.itemsize, "little", signed=True)
        grid = [g * l for g, l in zip(global_size, local_size, strict=True)]
        stats = self.kernel.launch(grid, local_size, kernarg=packed)
        return stats.run_seconds if wait else None


class WavejitAllocator(LRUAllocator):
    def __init__(self, device: "WAVEJITDevice") -> None:
        super().__init__(device)
        self.live: dict[int, wavejit.Buffer] = {}

    def _alloc(self, size, options):
        buffer = self.dev.gpu.alloc(size)
        self.live[buffer.address] = buffer
        return buffer.address

    def _free(self, address, options):
        del self.live[address]

    def _view(self, address, size):
        start = max(a for a in self.live if a <= address)
        return memoryview(self.live[start])[address - start : address - start + size]

    def _copyin(self, address, source):
        self._view(address, len(source))[:] = source.cast("B")

    def _copyout(self, target, address):
        target.cast("B")[:] = self._view(address, len(target))

    def _offset(self, address, size, offset):
        return address + offset


class WAVEJITDevice(Compiled):
    def __init__(self, device: str = "") -> None:
        self.gpu = wavejit.Device("gfx1100")
        super().__init__(device, WavejitAllocator(self), [AMDLLVMRenderer], WavejitProgram, arch="gfx1100")


module = types.ModuleType("tinygrad.runtime.ops_wavejit")
module.WAVEJITDevice = WAVEJITDevice
sys.modules[module.__name__] = module
DEV.value = "WAVEJIT"


def main() -> None:
    import numpy as np

    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((64, 48), dtype=np.float32), rng.standard_normal((48, 32), dtype=np.float32)
    x, y = Tensor(a), Tensor(b)
    for name, ours, theirs in [
        ("add", x + x, a + a),
        ("sum", x.sum(axis=0), a.sum(axis=0)),
        ("matmul", x @ y, a @ b),
        ("softmax", x.softmax(), np.exp(a - a.max(1, keepdims=True)) / np.exp(a - a.max(1, keepdims=True)).sum(1, keepdims=True)),
    ]:
        assert np.allclose(ours.numpy(), theirs, atol=1e-4), name
        print(f"{name}: as NumPy")


if __name__ == "__main__":
    main()
