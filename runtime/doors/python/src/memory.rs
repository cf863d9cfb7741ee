//! Arrays of the host as arguments: copied to the device before a launch and back after it, or lent where device addresses are the host's.
//!
//! Arrays whose bytes overlap share device memory in the same way, so that a kernel which is given an array twice, or two views of it, sees one
//! piece of memory as it would on the host:
//!
//! ```text
//! host     |----- a -----|            device   |----- a -----|
//!                 |---- b ----|                       |---- b ----|     one allocation for both
//! ```

use crate::errors::{raise, refuse};
use pyo3::buffer::{ElementType, PyUntypedBuffer};
use pyo3::prelude::*;
use wavejit::arg_type::Element;
use wavejit::code_object::KernelArg;

/// An array that a kernel only reads: it is not copied back, whatever the kernel does.
#[pyclass(frozen, get_all, module = "wavejit")]
pub struct In {
    /// The array.
    array: Py<PyAny>,
}

#[pymethods]
impl In {
    #[new]
    fn new(array: Py<PyAny>) -> In {
        In { array }
    }
}

/// An array that a kernel only writes: its contents are not copied to the device, where it starts as zeros.
#[pyclass(frozen, get_all, module = "wavejit")]
pub struct Out {
    /// The array.
    array: Py<PyAny>,
}

#[pymethods]
impl Out {
    #[new]
    fn new(array: Py<PyAny>) -> Out {
        Out { array }
    }
}

/// Host address of a device address.
pub(crate) fn host(device: &wavejit::Device, address: u64) -> *mut u8 {
    device.memory().mem_base().wrapping_add(address) as *mut u8
}

fn is_contiguous(view: &PyUntypedBuffer) -> bool {
    view.is_c_contiguous() || view.is_fortran_contiguous()
}

/// A copy of its bytes, as they lie in memory.
pub(crate) fn bytes_of(py: Python<'_>, view: &PyUntypedBuffer) -> PyResult<Vec<u8>> {
    if !is_contiguous(view) {
        return Err(refuse(py, "the array is not contiguous: numpy.ascontiguousarray makes a copy that is".into()));
    }
    let mut bytes = vec![0; view.len_bytes()];
    // SAFETY: a view of so many contiguous bytes, which it keeps; the vector is as long.
    unsafe { std::ptr::copy_nonoverlapping(view.buf_ptr().cast::<u8>(), bytes.as_mut_ptr(), bytes.len()) };
    Ok(bytes)
}

/// The numbers of a view; none if they are not of a type that kernels have names for. Bytes are what everything is made of.
pub(crate) fn element(view: &PyUntypedBuffer) -> Option<Element> {
    let (class, bytes) = match ElementType::from_format(view.format()) {
        ElementType::SignedInteger { bytes } => ('i', bytes),
        ElementType::UnsignedInteger { bytes } => ('u', bytes),
        ElementType::Bool => ('u', 1),
        ElementType::Float { bytes } => ('f', bytes),
        ElementType::Unknown => return None,
    };
    (bytes == view.item_size()).then_some(Element { class, bytes: bytes as u32 })
}

/// Why a view cannot be an argument; none if it can.
pub(crate) fn refusal(view: &PyUntypedBuffer) -> Option<String> {
    if !is_contiguous(view) {
        return Some("the array is not contiguous: numpy.ascontiguousarray makes a copy that is".into());
    }
    let is_swapped = matches!(view.format().to_bytes().first(), Some(b'>' | b'!')) && view.item_size() > 1;
    is_swapped.then(|| "the array is big-endian".into())
}

/// An array that is an argument.
struct Array {
    view: PyUntypedBuffer,
    is_read: bool,
    is_written: bool,
}

impl Array {
    fn start(&self) -> u64 {
        self.view.buf_ptr() as u64
    }

    fn end(&self) -> u64 {
        self.start() + self.view.len_bytes() as u64
    }
}

/// The arrays of a launch.
#[derive(Default)]
pub(crate) struct Arrays(Vec<Array>);

/// Where they are on the device.
pub(crate) struct Staged {
    device: wavejit::Device,
    arrays: Vec<Array>,
    /// Device address of each.
    addresses: Vec<u64>,
    /// What holds them; none where the device has the host's memory.
    allocations: Vec<wavejit::Buffer>,
}

impl Arrays {
    /// Adds the array for an argument; its number. `None` if it is no array. The inner error says why it cannot be one.
    pub(crate) fn add(&mut self, value: &Bound<'_, PyAny>, arg: &KernelArg) -> PyResult<Option<Result<usize, String>>> {
        let (object, is_read, is_out) = if let Ok(only_in) = value.cast::<In>() {
            (only_in.get().array.bind(value.py()).clone(), true, Some(false))
        } else if let Ok(only_out) = value.cast::<Out>() {
            (only_out.get().array.bind(value.py()).clone(), false, Some(true))
        } else {
            (value.clone(), true, None)
        };
        let Ok(view) = PyUntypedBuffer::get(&object) else { return Ok(None) };
        if let Some(why) = refusal(&view) {
            return Ok(Some(Err(why)));
        }
        let is_read_only = arg.is_const || arg.access.as_deref() == Some("read_only");
        let is_written = match is_out {
            Some(true) if view.readonly() => return Ok(Some(Err("the array of Out is read-only".into()))),
            Some(wanted) => wanted,
            None => !view.readonly() && !is_read_only,
        };
        // What has no numbers, such as bytes objects, holds anything.
        let numbers = element(&view).filter(|e| e.bytes > 1 || object.hasattr("dtype").unwrap_or(false));
        if let Some(why) = numbers.and_then(|e| wavejit::arg_type::refuse_contents(arg, e)) {
            return Ok(Some(Err(why)));
        }
        self.0.push(Array { view, is_read, is_written });
        Ok(Some(Ok(self.0.len() - 1)))
    }

    /// Puts them where the device finds them.
    pub(crate) fn stage(self, py: Python<'_>, device: &wavejit::Device, is_shared: bool) -> PyResult<Staged> {
        let arrays = self.0;
        if is_shared {
            let addresses = arrays.iter().map(Array::start).collect();
            return Ok(Staged { device: device.clone(), arrays, addresses, allocations: vec![] });
        }
        let mut order: Vec<usize> = (0..arrays.len()).collect();
        order.sort_by_key(|i| arrays[*i].start());
        let (mut addresses, mut allocations) = (vec![0; arrays.len()], Vec::new());
        let mut rest = &order[..];
        while let Some(first) = rest.first() {
            let (start, mut end, mut count) = (arrays[*first].start(), arrays[*first].end(), 1);
            while let Some(next) = rest.get(count).map(|i| &arrays[*i]).filter(|a| a.start() < end) {
                (end, count) = (end.max(next.end()), count + 1);
            }
            let allocation = device.alloc((end - start) as usize).map_err(|e| raise(py, &e))?;
            for i in &rest[..count] {
                addresses[*i] = allocation.address() + (arrays[*i].start() - start);
            }
            allocations.push(allocation);
            rest = &rest[count..];
        }
        let staged = Staged { device: device.clone(), arrays, addresses, allocations };
        py.detach(|| staged.copy_in());
        Ok(staged)
    }
}

impl Staged {
    /// Device address of an array, by its number.
    pub(crate) fn address(&self, array: usize) -> u64 {
        self.addresses[array]
    }

    fn is_copied(&self) -> bool {
        !self.allocations.is_empty()
    }

    fn copy_in(&self) {
        for (array, address) in self.arrays.iter().zip(&self.addresses).filter(|(a, _)| a.is_read) {
            // SAFETY: so many contiguous bytes, which the view keeps; the allocation for it has as many from the address on.
            unsafe {
                std::ptr::copy_nonoverlapping(array.view.buf_ptr().cast::<u8>(), host(&self.device, *address), array.view.len_bytes());
            }
        }
    }

    /// Copies back what kernels may have written.
    pub(crate) fn copy_out(&self) {
        if !self.is_copied() {
            return;
        }
        for (array, address) in self.arrays.iter().zip(&self.addresses).filter(|(a, _)| a.is_written) {
            // SAFETY: so many contiguous and writable bytes, which the view keeps; the allocation for it has as many from the address on.
            unsafe {
                std::ptr::copy_nonoverlapping(host(&self.device, *address), array.view.buf_ptr().cast::<u8>(), array.view.len_bytes());
            }
        }
    }
}
