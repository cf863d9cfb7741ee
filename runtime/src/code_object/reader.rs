//! Checked little-endian reads that name what they were looking for.

use super::LoadError;
use object::pod::{self, Pod};
use std::ops::Range;

/// Bytes of a file, or of a part of one.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes }
    }

    pub(super) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// `len` bytes at `at`.
    pub(super) fn slice(&self, at: u64, len: u64, what: &str) -> Result<&'a [u8], LoadError> {
        Ok(&self.bytes[self.range(at, len, || what.to_string())?])
    }

    /// Where `len` bytes at `at` are, if they are there.
    pub(super) fn range(&self, at: u64, len: u64, what: impl Fn() -> String) -> Result<Range<usize>, LoadError> {
        match at.checked_add(len).filter(|end| *end <= self.len()) {
            Some(end) => Ok(at as usize..end as usize),
            None => Err(LoadError::malformed(format!(
                "expected {} of {len:#x} bytes at offset {at:#x}, but the data ends at {:#x}",
                what(),
                self.len()
            ))),
        }
    }

    /// A structure of the file format, which has no alignment of its own.
    pub(super) fn get<T: Pod>(&self, at: u64, what: &str) -> Result<&'a T, LoadError> {
        const { assert!(align_of::<T>() == 1) };
        let bytes = self.slice(at, size_of::<T>() as u64, what)?;
        pod::from_bytes(bytes).map(|(found, _)| found).map_err(|()| LoadError::malformed(format!("expected {what}")))
    }

    fn array<const N: usize>(&self, at: u64, what: &str) -> Result<[u8; N], LoadError> {
        let mut out = [0; N];
        out.copy_from_slice(self.slice(at, N as u64, what)?);
        Ok(out)
    }

    pub(super) fn u16(&self, at: u64, what: &str) -> Result<u16, LoadError> {
        Ok(u16::from_le_bytes(self.array(at, what)?))
    }
    pub(super) fn u32(&self, at: u64, what: &str) -> Result<u32, LoadError> {
        Ok(u32::from_le_bytes(self.array(at, what)?))
    }
    pub(super) fn u64(&self, at: u64, what: &str) -> Result<u64, LoadError> {
        Ok(u64::from_le_bytes(self.array(at, what)?))
    }

    /// A NUL-terminated string; bytes that are not UTF-8 become replacement characters.
    pub(super) fn c_str(&self, at: u64, what: &str) -> Result<String, LoadError> {
        let rest = self.slice(at, self.len().saturating_sub(at), what)?;
        match rest.iter().position(|b| *b == 0) {
            Some(end) => Ok(String::from_utf8_lossy(&rest[..end]).into_owned()),
            None => Err(LoadError::malformed(format!("{what} at offset {at:#x} has no end"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_beyond_the_end_are_named() {
        let r = Reader::new(&[1, 0, 0]);
        assert_eq!(r.u16(0, "a number"), Ok(1));
        let message = r.u32(0, "the magic number").unwrap_err().to_string();
        assert!(message.contains("the magic number") && message.contains("0x3"), "{message}");
        assert!(r.u64(u64::MAX, "x").is_err());
        assert!(r.c_str(0, "a name").is_ok());
        assert!(Reader::new(b"ab").c_str(0, "a name").is_err());
    }
}
