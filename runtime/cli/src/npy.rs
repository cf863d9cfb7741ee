//! NumPy array files, `.npy`, versions 1 to 3 in, 1 out. Reference: NumPy documentation, `numpy.lib.format`.
//!
//! By hand: elements pass through as bytes here, and npyz, which types them, brings a grammar engine for a dictionary of three entries.

use super::dtype::DType;
use anyhow::{Context, Result, bail};

/// A C-ordered array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Array {
    /// Type of its elements.
    pub dtype: DType,
    /// Length of each dimension.
    pub shape: Vec<usize>,
    /// Elements, little-endian, last dimension fastest.
    pub bytes: Vec<u8>,
}

const MAGIC: &[u8] = b"\x93NUMPY";

/// Reads a file's contents.
pub(crate) fn read(file: &[u8]) -> Result<Array> {
    if !file.starts_with(MAGIC) {
        bail!("not a .npy file: expected it to start with \\x93NUMPY");
    }
    let (start, len): (usize, _) = match file.get(6) {
        Some(1) => (10, file.get(8..10).map(|b| usize::from(u16::from_le_bytes([b[0], b[1]])))),
        Some(2 | 3) => (12, file.get(8..12).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize)),
        _ => bail!(".npy version is not 1, 2 or 3"),
    };
    let header = len.and_then(|len| file.get(start..start.checked_add(len)?)).context("the .npy header is cut off")?;
    let header = std::str::from_utf8(header).context("the .npy header is not text")?;
    let descr = value(header, "descr").context("the .npy header has no `descr`")?;
    let descr = descr.trim_matches(['\'', '"']);
    let dtype = DType::from_descr(descr).with_context(|| format!("elements of type `{descr}` are not supported"))?;
    if value(header, "fortran_order").context("the .npy header has no `fortran_order`")? != "False" {
        bail!("the array is in Fortran order; save it with numpy.ascontiguousarray");
    }
    let shape = value(header, "shape").context("the .npy header has no `shape`")?;
    let shape = shape.trim_matches(['(', ')']).split(',').map(str::trim).filter(|n| !n.is_empty());
    let shape: Vec<usize> = shape.map(|n| n.parse().with_context(|| format!("`{n}` in the shape"))).collect::<Result<_>>()?;
    let expected = shape.iter().try_fold(dtype.bytes(), |n, d| n.checked_mul(*d)).context("the shape is too large")?;
    let bytes = &file[start + len.unwrap_or(0)..];
    if bytes.len() != expected {
        bail!("a {} array of shape {shape:?} has {expected} bytes, but the file has {}", dtype.name(), bytes.len());
    }
    Ok(Array { dtype, shape, bytes: bytes.to_vec() })
}

/// A file's contents.
pub(crate) fn write(array: &Array) -> Vec<u8> {
    let shape: String = array.shape.iter().map(|n| format!("{n}, ")).collect();
    // A tuple of one needs its comma; NumPy accepts one more in longer ones.
    let shape = if array.shape.len() == 1 { shape.trim_end() } else { shape.trim_end_matches(", ") };
    let mut header = format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({shape}), }}", array.dtype.descr());
    // Header and preamble together are a multiple of 64, and end in a newline.
    let padded = (10 + header.len() + 1).next_multiple_of(64) - 10;
    header.extend(std::iter::repeat_n(' ', padded - 1 - header.len()));
    header.push('\n');
    let mut file = MAGIC.to_vec();
    file.extend([1, 0]);
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    file.extend(&array.bytes);
    file
}

/// The text of a value in the header, which is a Python dictionary.
fn value<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let at = [format!("'{key}'"), format!("\"{key}\"")].iter().find_map(|k| header.find(k.as_str()).map(|at| at + k.len()))?;
    let rest = header[at..].trim_start().strip_prefix(':')?.trim_start();
    let end = if rest.starts_with('(') { rest.find(')')? + 1 } else { rest.find([',', '}'])? };
    Some(rest[..end].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_round_trip() {
        for shape in [vec![], vec![6], vec![2, 3], vec![1, 2, 3]] {
            let n: usize = shape.iter().product();
            let array = Array { dtype: DType::F32, shape, bytes: (0..4 * n as u8).collect() };
            let file = write(&array);
            assert_eq!((file.len() - array.bytes.len()) % 64, 0);
            assert_eq!(read(&file).unwrap(), array);
        }
    }

    // numpy.save of numpy.arange(3, dtype=numpy.uint16), NumPy 2.
    #[test]
    fn reads_what_numpy_writes() {
        let mut file = b"\x93NUMPY\x01\x00\x76\x00{'descr': '<u2', 'fortran_order': False, 'shape': (3,), }".to_vec();
        file.resize(127, b' ');
        file.extend(b"\n\x00\x00\x01\x00\x02\x00");
        assert_eq!(read(&file).unwrap(), Array { dtype: DType::U16, shape: vec![3], bytes: vec![0, 0, 1, 0, 2, 0] });
        assert!(read(&file[..130]).unwrap_err().to_string().contains("has 6 bytes"));
        for len in 0..file.len() - 1 {
            assert!(read(&file[..len]).is_err(), "{len}");
        }
    }

    #[test]
    fn odd_arrays_are_named() {
        let with = |header: &str| {
            let mut file = b"\x93NUMPY\x01\x00".to_vec();
            file.extend((header.len() as u16).to_le_bytes());
            file.extend(header.bytes());
            read(&file).unwrap_err().to_string()
        };
        assert!(with("{'descr': '<c8', 'fortran_order': False, 'shape': (), }").contains("<c8"));
        assert!(with("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }").contains("Fortran"));
        assert!(with("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }").contains("too large"));
    }
}
