//! Device memory, and Python's view of it.

use crate::errors::{raise, refuse};
use crate::memory::{self, bytes_of};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyMemoryError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ffi::c_int;
use wavejit::AddressMode;

/// Device memory, freed when nothing refers to it any more. It has Python's buffer protocol: `numpy.frombuffer(buffer, "float32")`
/// and `memoryview(buffer)` are views of it, without a copy; a view must not be used while a kernel writes to it.
#[pyclass(frozen, module = "wavejit")]
pub struct Buffer {
    device: wavejit::Device,
    address: u64,
    bytes: u64,
    /// What keeps the memory.
    _owner: Owner,
}

/// Who keeps the memory of a [`Buffer`].
enum Owner {
    Allocation {
        _buffer: wavejit::Buffer,
    },
    /// It is a variable of a module.
    Module {
        _module: wavejit::Module,
    },
}

impl Buffer {
    /// Memory of its own.
    pub(crate) fn owned(device: wavejit::Device, buffer: wavejit::Buffer) -> Buffer {
        Buffer { device, address: buffer.address(), bytes: buffer.len() as u64, _owner: Owner::Allocation { _buffer: buffer } }
    }

    /// A variable of a module.
    pub(crate) fn global(device: wavejit::Device, module: wavejit::Module, address: u64, bytes: u64) -> Buffer {
        Buffer { device, address, bytes, _owner: Owner::Module { _module: module } }
    }

    /// Device address of its first byte.
    pub(crate) fn start(&self) -> u64 {
        self.address
    }

    /// Is it memory of this device? A variable, or an allocation of another one, is an address that means nothing there.
    pub(crate) fn is_of(&self, device: &wavejit::Device) -> bool {
        std::sync::Arc::ptr_eq(self.device.memory(), device.memory()) || device.memory().mode() == AddressMode::Shared && self.is_shared()
    }

    fn is_shared(&self) -> bool {
        self.device.memory().mode() == AddressMode::Shared
    }

    fn checked(&self, py: Python<'_>, offset: usize, len: usize) -> PyResult<u64> {
        match offset.checked_add(len) {
            Some(end) if end as u64 <= self.bytes => Ok(self.address + offset as u64),
            _ => Err(refuse(py, format!("{len} bytes at offset {offset} of a buffer of {} bytes", self.bytes))),
        }
    }

    /// Copies the bytes of an array into it.
    pub(crate) fn put(&self, py: Python<'_>, offset: usize, from: &PyUntypedBuffer) -> PyResult<()> {
        let address = self.checked(py, offset, from.len_bytes())?;
        let bytes = bytes_of(py, from)?;
        self.device.memory().write(address, &bytes).map_err(|e| raise(py, &e))
    }
}

#[pymethods]
impl Buffer {
    /// Device address of its first byte.
    #[getter]
    fn address(&self) -> u64 {
        self.address
    }

    /// Bytes.
    #[getter]
    fn nbytes(&self) -> u64 {
        self.bytes
    }

    fn __len__(&self) -> usize {
        self.bytes as usize
    }

    /// Copies the bytes of an array, or of anything else contiguous that has the buffer protocol, to `offset` on.
    #[pyo3(signature = (data, offset=0))]
    fn write(&self, py: Python<'_>, data: &Bound<'_, PyAny>, offset: usize) -> PyResult<()> {
        self.put(py, offset, &PyUntypedBuffer::get(data)?)
    }

    /// A copy of `nbytes` bytes from `offset` on; None: all that follow.
    #[pyo3(signature = (offset=0, nbytes=None))]
    fn read<'py>(&self, py: Python<'py>, offset: usize, nbytes: Option<usize>) -> PyResult<Bound<'py, PyBytes>> {
        let len = nbytes.unwrap_or((self.bytes as usize).saturating_sub(offset));
        let address = self.checked(py, offset, len)?;
        PyBytes::new_with(py, len, |to| self.device.memory().read(address, to).map_err(|e| raise(py, &e)))
    }

    /// A NumPy array that is a view of it, without a copy.
    ///
    /// Args:
    ///     dtype: of its elements.
    ///     shape: None: one dimension, of as many elements as fit.
    #[pyo3(signature = (dtype=None, shape=None))]
    fn numpy<'py>(
        slf: &Bound<'py, Self>,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        shape: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let dtype = dtype.unwrap_or_else(|| pyo3::types::PyString::new(py, "uint8").into_any());
        let array = py.import("numpy")?.call_method1("frombuffer", (slf, dtype))?;
        match shape {
            Some(shape) => array.call_method1("reshape", (shape,)),
            None => Ok(array),
        }
    }

    fn __repr__(&self) -> String {
        format!("<wavejit.Buffer of {} bytes at {:#x}>", self.bytes, self.address)
    }

    /// # Safety
    /// Python's: `view` is null or a `Py_buffer` to be filled in.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("no view to fill in"));
        }
        let this = slf.get();
        let Ok(len) = isize::try_from(this.bytes) else { return Err(PyMemoryError::new_err("a view of more bytes than a host can have")) };
        let start = memory::host(&this.device, this.address);
        // SAFETY: the memory stays mapped while the object lives, to which the view takes a reference; `view` is Python's.
        let done = unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start.cast(), len, 0, flags) };
        if done == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}
