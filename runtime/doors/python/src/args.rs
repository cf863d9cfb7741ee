//! Python values as kernel arguments. `docs/python.md` has the table.

use crate::buffer::Buffer;
use crate::errors::refuse;
use crate::memory::{self, Arrays, Staged};
use crate::number;
use pyo3::buffer::PyUntypedBuffer;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyTuple};
use wavejit::Arg;
use wavejit::arg_type::Element;
use wavejit::code_object::{ArgKind, KernelArg, KernelInfo};

/// LDS for a `__local` pointer argument.
#[pyclass(frozen, get_all, module = "wavejit")]
pub struct Local {
    /// Bytes.
    nbytes: u32,
}

#[pymethods]
impl Local {
    #[new]
    fn new(nbytes: u32) -> Local {
        Local { nbytes }
    }
}

/// An argument that refers to nothing of Python's, so that another thread can launch with it.
pub(crate) enum Value {
    Address(u64),
    /// Its number among the arrays.
    Array(usize),
    Bytes(Vec<u8>),
    Numbers(Vec<u8>, Element),
    LocalBytes(u32),
}

impl Value {
    /// As the run time takes it.
    pub(crate) fn arg(&self) -> Arg<'_> {
        match self {
            Value::Address(address) => Arg::Address(*address),
            // They have become addresses (`settle`).
            Value::Array(_) => Arg::Address(0),
            Value::Bytes(bytes) => Arg::Bytes(bytes),
            Value::Numbers(bytes, element) => Arg::Numbers(bytes, *element),
            Value::LocalBytes(bytes) => Arg::LocalBytes(*bytes),
        }
    }
}

/// Replaces arrays by the addresses they have got.
pub(crate) fn settle(values: &mut [Value], staged: &Staged) {
    for value in values {
        if let Value::Array(number) = *value {
            *value = Value::Address(staged.address(number));
        }
    }
}

/// The arguments of a launch, and the arrays among them.
pub(crate) fn convert(
    py: Python<'_>,
    device: &wavejit::Device,
    info: &KernelInfo,
    given: &Bound<'_, PyTuple>,
) -> PyResult<(Vec<Value>, Arrays)> {
    let expected: Vec<&KernelArg> = info.explicit_args().collect();
    if info.has_metadata && expected.len() != given.len() {
        let list: Vec<String> = expected.iter().enumerate().map(|(i, a)| format!("{i}: {}", wavejit::kernarg::describe(a))).collect();
        let (list, n) = (list.join(", "), expected.len());
        return Err(refuse(py, format!("kernel `{}`: expected {n} arguments ({list}), got {}", info.name, given.len())));
    }
    let (mut values, mut arrays) = (Vec::with_capacity(given.len()), Arrays::default());
    for (i, value) in given.iter().enumerate() {
        let Some(arg) = expected.get(i) else {
            return Err(refuse(
                py,
                format!("kernel `{}` has no metadata, so nothing is known about its arguments: give kernarg", info.name),
            ));
        };
        let converted = one(device, arg, &value, &mut arrays)?;
        let describe = || wavejit::kernarg::describe(arg);
        values.push(converted.map_err(|why| refuse(py, format!("kernel `{}`, argument {i} ({}): {why}", info.name, describe())))?);
    }
    Ok((values, arrays))
}

/// One argument; the inner error says why it is not possible.
fn one(device: &wavejit::Device, arg: &KernelArg, value: &Bound<'_, PyAny>, arrays: &mut Arrays) -> PyResult<Result<Value, String>> {
    let kind = || value.get_type().qualname().map_or("something else".to_string(), |n| n.to_string());
    if arg.kind == ArgKind::DynamicSharedPointer {
        return Ok(match value.cast::<Local>() {
            Ok(local) => Ok(Value::LocalBytes(local.get().nbytes)),
            Err(_) => Err(format!("expected wavejit.Local with a number of LDS bytes, for it is a __local pointer; got {}", kind())),
        });
    }
    if value.is_instance_of::<Local>() {
        return Ok(Err("this is not a __local pointer, but LDS bytes were given".into()));
    }
    if let Ok(buffer) = value.cast::<Buffer>() {
        let is_ours = buffer.get().is_of(device);
        return Ok(if is_ours { Ok(Value::Address(buffer.get().start())) } else { Err("the buffer is one of another device".into()) });
    }
    if arg.kind != ArgKind::ByValue {
        return pointer(arg, value, arrays)
            .map(|found| found.unwrap_or_else(|| Err(format!("expected an array or a Buffer, got {}", kind()))));
    }
    if let Some(number) = number::pack(arg, value) {
        return Ok(number.map(|(bytes, element)| element.map_or(Value::Bytes(bytes.clone()), |e| Value::Numbers(bytes, e))));
    }
    // The bytes of a structure or a vector.
    let Ok(view) = PyUntypedBuffer::get(value) else { return Ok(Err(format!("expected a number, bytes or an array, got {}", kind()))) };
    if let Some(why) = memory::refusal(&view) {
        return Ok(Err(why));
    }
    let bytes = memory::bytes_of(value.py(), &view)?;
    let is_numbers = value.hasattr("dtype").unwrap_or(false);
    Ok(Ok(match memory::element(&view).filter(|_| is_numbers) {
        Some(element) => Value::Numbers(bytes, element),
        None => Value::Bytes(bytes),
    }))
}

/// What a pointer argument points to.
fn pointer(arg: &KernelArg, value: &Bound<'_, PyAny>, arrays: &mut Arrays) -> PyResult<Option<Result<Value, String>>> {
    if value.is_none() {
        return Ok(Some(Ok(Value::Address(0))));
    }
    if value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>() {
        let address = value.extract::<u64>().map(Value::Address);
        return Ok(Some(address.map_err(|_| "a device address has 64 bits".to_string())));
    }
    Ok(arrays.add(value, arg)?.map(|added| added.map(Value::Array)))
}
