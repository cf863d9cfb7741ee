"""Triton on wavejit without PyTorch: a driver for Triton's own AMD back end, and tensors in memory of libamdhip64.so.

Importing this makes the driver Triton's active one. TRITON_LIBHIP_PATH names the library, as for Triton itself. Kernels are compiled by
Triton's own compiler and launched by its own launcher; only the questions that it would ask PyTorch (which device, which stream) are answered here.
"""

import ctypes
import os

import numpy as np
import triton
from triton.backends.amd.driver import HIPDriver, HIPLauncher, HIPUtils

hip = ctypes.CDLL(os.environ["TRITON_LIBHIP_PATH"])
hip.hipGetErrorString.restype = ctypes.c_char_p


def check(status):
    """Raises what a function of HIP's returned."""
    if status != 0:
        raise RuntimeError(hip.hipGetErrorString(status).decode())


class Driver(HIPDriver):
    """Device 0 and its null stream."""

    def __init__(self):
        self.utils = HIPUtils()
        self.launcher_cls = HIPLauncher
        self.get_current_device = lambda: 0
        self.set_current_device = lambda device: None
        self.get_current_stream = lambda device: 0


class Tensor:
    """Device memory that holds a copy of an array. bfloat16, which numpy lacks, is uint16 on the host."""

    def __init__(self, array, dtype=None):
        array = np.ascontiguousarray(array)
        self.dtype = dtype or array.dtype.name
        self.shape = array.shape
        self.host_dtype = array.dtype
        self.bytes = array.nbytes
        self.address = ctypes.c_void_p()
        check(hip.hipMalloc(ctypes.byref(self.address), ctypes.c_size_t(max(self.bytes, 1))))
        check(hip.hipMemcpy(self.address, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(self.bytes), 1))

    def data_ptr(self):
        """What Triton's launcher asks a tensor."""
        return self.address.value

    def stride(self, axis=None):
        """In elements, as PyTorch counts."""
        strides = [int(np.prod(self.shape[i + 1:])) for i in range(len(self.shape))]
        return tuple(strides) if axis is None else strides[axis]

    def numpy(self):
        """A copy on the host, once everything before is complete."""
        array = np.empty(self.shape, self.host_dtype)
        check(hip.hipDeviceSynchronize())
        check(hip.hipMemcpy(ctypes.c_void_p(array.ctypes.data), self.address, ctypes.c_size_t(self.bytes), 2))
        return array

    def __del__(self):
        hip.hipFree(self.address)


def zeros(shape, dtype):
    """A tensor of zeros."""
    return Tensor(np.zeros(shape, dtype))


def to_bf16(array):
    """Floats as bfloat16, rounded to the nearest, as uint16."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    """The floats of to_bf16."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


triton.runtime.driver.set_active(Driver())
