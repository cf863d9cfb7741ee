//! Bit streams: forward, for table descriptions (RFC 8878, 4.1.1), and backward, for codes (4.1).

use super::stream::Damage;

/// Bits `at..at + n` of bytes, little-endian; those beyond the end are 0. `n` is at most 56.
fn bits(bytes: &[u8], at: usize, n: u32) -> u64 {
    let rest = bytes.get(at / 8..).unwrap_or(&[]);
    let word = match rest.first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => rest.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b)),
    };
    word >> (at % 8) & ((1 << n) - 1)
}

/// Bits in the order of the bytes, lowest first.
pub(super) struct Forward<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Forward<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Forward<'a> {
        Forward { bytes, at: 0 }
    }

    pub(super) fn read(&mut self, n: u32) -> Result<u32, Damage> {
        if self.at + n as usize > 8 * self.bytes.len() {
            return Err("a table description that ends too early");
        }
        self.at += n as usize;
        Ok(bits(self.bytes, self.at - n as usize, n) as u32)
    }

    /// Takes the last bit back.
    pub(super) fn back_one(&mut self) {
        self.at -= 1;
    }

    /// Bytes that have been begun.
    pub(super) fn bytes_used(&self) -> usize {
        self.at.div_ceil(8)
    }
}

/// Bits from the last one on. Highest bits come first; beyond the start are zeros.
pub(super) struct Backward<'a> {
    bytes: &'a [u8],
    /// Bits not read yet; negative: bits read beyond the start.
    left: i64,
}

impl<'a> Backward<'a> {
    /// The stream begins below the highest set bit of the last byte.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Backward<'a>, Damage> {
        match bytes.last() {
            None | Some(0) => Err("a bit stream without end mark"),
            Some(last) => Ok(Backward { bytes, left: 8 * bytes.len() as i64 - 1 - i64::from(last.leading_zeros()) }),
        }
    }

    /// The next `n` bits, at most 56, which stay unread.
    pub(super) fn peek(&self, n: u32) -> u64 {
        let at = self.left - i64::from(n);
        match (at >= 0, self.left > 0) {
            (true, _) => bits(self.bytes, at as usize, n),
            (false, true) => bits(self.bytes, 0, self.left as u32) << -at,
            (false, false) => 0,
        }
    }

    pub(super) fn skip(&mut self, n: u32) {
        self.left -= i64::from(n);
    }

    pub(super) fn read(&mut self, n: u32) -> u64 {
        let value = self.peek(n);
        self.skip(n);
        value
    }

    /// Bits left; negative: how many too many were read.
    pub(super) fn left(&self) -> i64 {
        self.left
    }
}
