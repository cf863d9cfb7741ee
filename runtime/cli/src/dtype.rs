//! Number types of the command line: `f32`, `u8`, ... as bytes, text and NumPy type codes.

use anyhow::{Result, bail};
use half::f16;
use wavejit::arg_type::Element;

/// A number type. Little-endian in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub(crate) enum DType {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
}

/// Type, name, NumPy `descr`, bytes.
#[rustfmt::skip]
const TYPES: &[(DType, &str, &str, usize)] = &[
    (DType::I8, "i8", "|i1", 1), (DType::I16, "i16", "<i2", 2), (DType::I32, "i32", "<i4", 4), (DType::I64, "i64", "<i8", 8),
    (DType::U8, "u8", "|u1", 1), (DType::U16, "u16", "<u2", 2), (DType::U32, "u32", "<u4", 4), (DType::U64, "u64", "<u8", 8),
    (DType::F16, "f16", "<f2", 2), (DType::F32, "f32", "<f4", 4), (DType::F64, "f64", "<f8", 8),
];

impl DType {
    fn row(self) -> &'static (DType, &'static str, &'static str, usize) {
        // Every variant has a row; the first is a fallback that is never taken.
        TYPES.iter().find(|t| t.0 == self).unwrap_or(&TYPES[0])
    }

    /// `f32`, ...
    pub(crate) fn name(self) -> &'static str {
        self.row().1
    }

    /// NumPy's `descr`.
    pub(crate) fn descr(self) -> &'static str {
        self.row().2
    }

    /// Bytes of a number.
    pub(crate) fn bytes(self) -> usize {
        self.row().3
    }

    /// What arguments of kernels call it.
    pub(crate) fn element(self) -> Element {
        Element { class: self.name().chars().next().unwrap_or('u'), bytes: self.bytes() as u32 }
    }

    /// The type of a name.
    pub(crate) fn parse(name: &str) -> Result<DType> {
        match TYPES.iter().find(|t| t.1 == name) {
            Some(t) => Ok(t.0),
            None => bail!("`{name}` is not a number type; known are {}", TYPES.iter().map(|t| t.1).collect::<Vec<_>>().join(" ")),
        }
    }

    /// The type of a NumPy `descr`; `|b1` (bool) is read as u8.
    pub(crate) fn from_descr(descr: &str) -> Option<DType> {
        if descr == "|b1" {
            return Some(DType::U8);
        }
        let same = |d: &str| d == descr || d.trim_start_matches(['<', '|']) == descr.trim_start_matches(['<', '=', '|']);
        TYPES.iter().find(|t| same(t.2)).map(|t| t.0)
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, DType::F16 | DType::F32 | DType::F64)
    }

    /// Bytes of a number written as text: decimal, `0x` hexadecimal, or for floats also `inf`, `nan`. Out of range is an error.
    pub(crate) fn encode(self, text: &str) -> Result<Vec<u8>> {
        let text = text.trim();
        if self.is_float() {
            let Ok(value) = text.parse::<f64>() else { bail!("`{text}` is not a number of type {}", self.name()) };
            return Ok(self.encode_f64(value));
        }
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |t| (true, t));
        let magnitude = match digits.strip_prefix("0x") {
            Some(hex) => i128::from_str_radix(&hex.replace('_', ""), 16),
            None => digits.replace('_', "").parse::<i128>(),
        };
        let Ok(magnitude) = magnitude else { bail!("`{text}` is not a number of type {}", self.name()) };
        let value = if negative { -magnitude } else { magnitude };
        let bits = 8 * self.bytes() as u32;
        let (low, high) = match self {
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => (0, (1i128 << bits) - 1),
            // Bit patterns such as 0xffffffff are welcome as signed numbers, too.
            _ if digits.starts_with("0x") => (-(1i128 << (bits - 1)), (1i128 << bits) - 1),
            _ => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        };
        if value < low || value > high {
            bail!("{text} does not fit into {}: {low} to {high}", self.name());
        }
        Ok(value.to_le_bytes()[..self.bytes()].to_vec())
    }

    /// Bytes of a number; integers are cut to whole numbers in range.
    pub(crate) fn encode_f64(self, v: f64) -> Vec<u8> {
        match self {
            DType::I8 => (v as i8).to_le_bytes().to_vec(),
            DType::I16 => (v as i16).to_le_bytes().to_vec(),
            DType::I32 => (v as i32).to_le_bytes().to_vec(),
            DType::I64 => (v as i64).to_le_bytes().to_vec(),
            DType::U8 => (v as u8).to_le_bytes().to_vec(),
            DType::U16 => (v as u16).to_le_bytes().to_vec(),
            DType::U32 => (v as u32).to_le_bytes().to_vec(),
            DType::U64 => (v as u64).to_le_bytes().to_vec(),
            DType::F16 => f16::from_f64(v).to_le_bytes().to_vec(),
            DType::F32 => (v as f32).to_le_bytes().to_vec(),
            DType::F64 => v.to_le_bytes().to_vec(),
        }
    }

    /// The least and the greatest number, infinities not counted; those of 64 bits as near as an f64 is.
    pub(crate) fn limits(self) -> (f64, f64) {
        match self {
            DType::I8 => (i8::MIN.into(), i8::MAX.into()),
            DType::I16 => (i16::MIN.into(), i16::MAX.into()),
            DType::I32 => (i32::MIN.into(), i32::MAX.into()),
            DType::I64 => (i64::MIN as f64, i64::MAX as f64),
            DType::U8 => (0.0, u8::MAX.into()),
            DType::U16 => (0.0, u16::MAX.into()),
            DType::U32 => (0.0, u32::MAX.into()),
            DType::U64 => (0.0, u64::MAX as f64),
            DType::F16 => (f16::MIN.into(), f16::MAX.into()),
            DType::F32 => (f32::MIN.into(), f32::MAX.into()),
            DType::F64 => (f64::MIN, f64::MAX),
        }
    }

    /// The float of the type nearest to a number.
    pub(crate) fn nearest(self, v: f64) -> f64 {
        match self {
            DType::F16 => f16::from_f64(v).into(),
            DType::F32 => f64::from(v as f32),
            _ => v,
        }
    }

    /// The least number of the type that is not below a finite one.
    pub(crate) fn at_or_above(self, v: f64) -> f64 {
        match self {
            DType::F16 | DType::F32 if self.nearest(v) < v => self.next_up(self.nearest(v)),
            DType::F16 | DType::F32 | DType::F64 => self.nearest(v),
            _ => v.ceil(),
        }
    }

    /// The greatest number of the type below a finite one.
    pub(crate) fn below(self, v: f64) -> f64 {
        match self {
            DType::F16 | DType::F32 if self.nearest(v) >= v => -self.next_up(-self.nearest(v)),
            DType::F16 | DType::F32 => self.nearest(v),
            DType::F64 => v.next_down(),
            // Far from 0 an f64 has no neighbor at 1.
            _ => (v.ceil() - 1.0).min(v.next_down().floor()),
        }
    }

    /// The next float of 16 or 32 bits after one that is not the last.
    fn next_up(self, v: f64) -> f64 {
        let half = f16::from_f64(v);
        match (self, half.to_bits()) {
            (DType::F16, 0x8000) => f16::from_bits(1).into(),
            (DType::F16, bits) if bits >> 15 == 0 => f16::from_bits(bits + 1).into(),
            (DType::F16, bits) => f16::from_bits(bits - 1).into(),
            _ => (v as f32).next_up().into(),
        }
    }

    /// A number as text. `b` has `self.bytes()` bytes.
    pub(crate) fn decode(self, b: &[u8]) -> String {
        let mut wide = [0; 8];
        wide[..b.len().min(8)].copy_from_slice(&b[..b.len().min(8)]);
        let bits = u64::from_le_bytes(wide);
        match self {
            DType::I8 => (bits as i8).to_string(),
            DType::I16 => (bits as i16).to_string(),
            DType::I32 => (bits as i32).to_string(),
            DType::I64 => (bits as i64).to_string(),
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => bits.to_string(),
            DType::F16 => f16::from_bits(bits as u16).to_string(),
            DType::F32 => f32::from_bits(bits as u32).to_string(),
            DType::F64 => f64::from_bits(bits).to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_range_checked() {
        assert_eq!(DType::U8.encode("255").unwrap(), [255]);
        assert!(DType::U8.encode("256").is_err());
        assert!(DType::U8.encode("-1").is_err());
        assert_eq!(DType::I32.encode("-1").unwrap(), [255; 4]);
        assert_eq!(DType::I32.encode("0xffff_fffe").unwrap(), [254, 255, 255, 255]);
        assert_eq!(DType::U64.encode("18446744073709551615").unwrap(), [255; 8]);
        assert_eq!(DType::F16.encode("1.5").unwrap(), [0x00, 0x3e]);
        assert!(DType::F32.encode("one").is_err());
        assert!(DType::I32.encode("1.5").is_err());
    }

    #[test]
    fn text_round_trips() {
        for (ty, text) in [(DType::F32, "1.5"), (DType::I8, "-128"), (DType::U64, "18446744073709551615"), (DType::F16, "-0.25")] {
            assert_eq!(ty.decode(&ty.encode(text).unwrap()), text);
        }
        for t in TYPES {
            assert_eq!(DType::from_descr(t.2), Some(t.0));
            assert_eq!(DType::parse(t.1).unwrap(), t.0);
        }
    }
}
