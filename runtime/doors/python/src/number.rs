//! Python's numbers as arguments by value. Where the code object names a type, the number is converted to it; where it does not, as in HIP's, an
//! int is an integer and a float a float of the argument's size.

use half::f16;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyList, PyTuple};
use wavejit::arg_type::{self, Element};
use wavejit::code_object::KernelArg;

/// The bytes of a number or of a vector of numbers, and their type where it is known. `None`: the value is not one; the inner error says why
/// it does not fit.
pub(crate) fn pack(arg: &KernelArg, value: &Bound<'_, PyAny>) -> Option<Result<(Vec<u8>, Option<Element>), String>> {
    match arg_type::numbers(arg) {
        Some((element, 1)) => {
            // A NumPy scalar, or an array without dimensions, is converted like a number of Python's.
            let number = scalar(element, value)?;
            Some(number.map(|bytes| (bytes, Some(element))))
        }
        Some((element, count)) => {
            let items: Vec<Bound<'_, PyAny>> = if let Ok(tuple) = value.cast::<PyTuple>() {
                tuple.iter().collect()
            } else if let Ok(list) = value.cast::<PyList>() {
                list.iter().collect()
            } else {
                return None;
            };
            Some(vector(arg, element, count, &items).map(|bytes| (bytes, Some(element))))
        }
        None if value.is_instance_of::<PyInt>() => Some(integer(arg.bytes, value).map(|bytes| (bytes, None))),
        None if value.is_instance_of::<PyFloat>() => Some(float(arg.bytes, value).map(|bytes| (bytes, None))),
        None => None,
    }
}

fn vector(arg: &KernelArg, element: Element, count: u32, items: &[Bound<'_, PyAny>]) -> Result<Vec<u8>, String> {
    if items.len() != count as usize {
        return Err(format!("expected {count} numbers, got {}", items.len()));
    }
    let mut bytes = Vec::with_capacity(arg.bytes as usize);
    for item in items {
        bytes.extend(scalar(element, item).unwrap_or_else(|| Err(not_a_number(item)))?);
    }
    // A vector of three takes the room of four.
    bytes.resize(arg.bytes as usize, 0);
    Ok(bytes)
}

fn not_a_number(value: &Bound<'_, PyAny>) -> String {
    let kind = value.get_type().qualname().map_or("something else".to_string(), |n| n.to_string());
    format!("expected a number, got {kind}")
}

/// A number of a known type.
fn scalar(element: Element, value: &Bound<'_, PyAny>) -> Option<Result<Vec<u8>, String>> {
    if element.class == 'f' {
        return value.extract::<f64>().is_ok().then(|| float(element.bytes, value));
    }
    if value.is_instance_of::<PyFloat>() {
        return Some(Err(format!("expected an integer of {} bits, got a float", 8 * element.bytes)));
    }
    let is_index = value.hasattr("__index__").unwrap_or(false) && value.extract::<i128>().is_ok();
    is_index.then(|| integer(element.bytes, value))
}

/// An integer of so many bytes, signed or not.
fn integer(bytes: u32, value: &Bound<'_, PyAny>) -> Result<Vec<u8>, String> {
    if !matches!(bytes, 1 | 2 | 4 | 8) {
        return Err(format!("expected {bytes} bytes, got an integer: give bytes, or an array"));
    }
    let bits = 8 * bytes;
    match value.extract::<i128>() {
        Ok(n) if (-(1i128 << (bits - 1))..1i128 << bits).contains(&n) => Ok(n.to_le_bytes()[..bytes as usize].to_vec()),
        Ok(n) => Err(format!("{n} does not fit into {bits} bits")),
        Err(_) => Err(format!("an integer that does not fit into {bits} bits")),
    }
}

/// A float of so many bytes.
fn float(bytes: u32, value: &Bound<'_, PyAny>) -> Result<Vec<u8>, String> {
    let number: f64 = value.extract().map_err(|_| not_a_number(value))?;
    match bytes {
        2 => Ok(f16::from_f64(number).to_le_bytes().to_vec()),
        4 => Ok((number as f32).to_le_bytes().to_vec()),
        8 => Ok(number.to_le_bytes().to_vec()),
        _ => Err(format!("expected {bytes} bytes, got a float: give bytes, or an array")),
    }
}
