//! MessagePack, read in place: a value is its bytes, and nothing is built from them but what is asked for.
//!
//! Reference: the MessagePack specification. A list of a byte each would become a tree of thirty times its size; here every size comes
//! from the bytes that are there, and nesting takes no stack. rmp-serde, which builds what it reads and recurses, promises neither.

use std::fmt;

/// Why bytes are not MessagePack.
pub(super) type Damage = &'static str;

/// A value that is known to be complete.
#[derive(Clone, Copy)]
pub(super) struct Value<'a> {
    /// From its first byte on; others may follow.
    bytes: &'a [u8],
}

/// What the first byte of a value, and the size behind it, say.
enum Head<'a> {
    Nil,
    Bool(bool),
    Unsigned(u64),
    Negative(i64),
    /// Floats, binary data, extensions: nothing that code objects use.
    Other,
    Text(&'a [u8]),
    /// Values that follow.
    Array(u64),
    /// Pairs of values that follow.
    Map(u64),
}

/// Reads the head of the value at the start of `bytes`; also gives what follows it, which for lists and maps are their elements.
fn head(bytes: &[u8]) -> Result<(Head<'_>, &[u8]), Damage> {
    const CUT: Damage = "it ends in the middle of a value";
    let (first, rest) = bytes.split_first().ok_or(CUT)?;
    let number = |n: usize| {
        let (number, rest) = rest.split_at_checked(n).ok_or(CUT)?;
        Ok::<_, Damage>((number.iter().fold(0, |v, b| v << 8 | u64::from(*b)), rest))
    };
    fn sized((n, rest): (u64, &[u8])) -> Result<(&[u8], &[u8]), Damage> {
        rest.split_at_checked(usize::try_from(n).map_err(|_| CUT)?).ok_or(CUT)
    }
    let text = |at| sized(at).map(|(text, rest)| (Head::Text(text), rest));
    let other = |at| sized(at).map(|(_, rest)| (Head::Other, rest));
    // Sign extension from `n` bytes.
    let signed = |n: usize| {
        let (value, rest) = number(n)?;
        let value = (value << (64 - 8 * n)) as i64 >> (64 - 8 * n);
        Ok((if value < 0 { Head::Negative(value) } else { Head::Unsigned(value as u64) }, rest))
    };
    Ok(match *first {
        n @ 0x00..=0x7f => (Head::Unsigned(n.into()), rest),
        n @ 0x80..=0x8f => (Head::Map(u64::from(n & 15)), rest),
        n @ 0x90..=0x9f => (Head::Array(u64::from(n & 15)), rest),
        n @ 0xa0..=0xbf => text((u64::from(n & 31), rest))?,
        0xc0 => (Head::Nil, rest),
        0xc1 => return Err("0xc1 starts no value"),
        n @ 0xc2..=0xc3 => (Head::Bool(n == 0xc3), rest),
        n @ 0xc4..=0xc6 => other(number(1 << (n - 0xc4))?)?,
        n @ 0xc7..=0xc9 => {
            let (bytes, rest) = number(1 << (n - 0xc7))?;
            other((bytes + 1, rest))?
        }
        n @ 0xca..=0xcb => other((4 << (n - 0xca), rest))?,
        n @ 0xcc..=0xcf => {
            let (value, rest) = number(1 << (n - 0xcc))?;
            (Head::Unsigned(value), rest)
        }
        n @ 0xd0..=0xd3 => signed(1 << (n - 0xd0))?,
        n @ 0xd4..=0xd8 => other(((1 << (n - 0xd4)) + 1, rest))?,
        n @ 0xd9..=0xdb => text(number(1 << (n - 0xd9))?)?,
        n @ 0xdc..=0xdd => {
            let (count, rest) = number(2 << (n - 0xdc))?;
            (Head::Array(count), rest)
        }
        n @ 0xde..=0xdf => {
            let (count, rest) = number(2 << (n - 0xde))?;
            (Head::Map(count), rest)
        }
        n @ 0xe0..=0xff => (Head::Negative(i64::from(n as i8)), rest),
    })
}

/// What follows the value at the start of `bytes`.
fn skip(mut bytes: &[u8]) -> Result<&[u8], Damage> {
    // Values still to come. Each takes a byte, so that a sum that saturates is an error later.
    let mut left = 1u64;
    while left > 0 {
        let (head, rest) = head(bytes)?;
        left = match head {
            Head::Array(n) => (left - 1).saturating_add(n),
            Head::Map(n) => (left - 1).saturating_add(2 * n),
            _ => left - 1,
        };
        bytes = rest;
    }
    Ok(bytes)
}

impl<'a> Value<'a> {
    /// The value at the start of `bytes`, all of which are looked at once.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Value<'a>, Damage> {
        skip(bytes)?;
        Ok(Value { bytes })
    }

    fn head(self) -> (Head<'a>, &'a [u8]) {
        // `read` has seen the whole value.
        head(self.bytes).unwrap_or((Head::Nil, &[]))
    }

    pub(super) fn as_str(self) -> Option<&'a str> {
        match self.head() {
            (Head::Text(text), _) => std::str::from_utf8(text).ok(),
            _ => None,
        }
    }

    pub(super) fn as_u64(self) -> Option<u64> {
        match self.head() {
            (Head::Unsigned(n), _) => Some(n),
            _ => None,
        }
    }

    pub(super) fn as_bool(self) -> Option<bool> {
        match self.head() {
            (Head::Bool(b), _) => Some(b),
            _ => None,
        }
    }

    /// The elements of a list.
    pub(super) fn as_array(self) -> Option<Elements<'a>> {
        match self.head() {
            (Head::Array(left), bytes) => Some(Elements { bytes, left }),
            _ => None,
        }
    }

    /// Keys and values of a map, in turn.
    pub(super) fn as_map(self) -> Option<Elements<'a>> {
        match self.head() {
            (Head::Map(pairs), bytes) => Some(Elements { bytes, left: 2 * pairs }),
            _ => None,
        }
    }
}

/// As messages show it: in a few words.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.head().0 {
            Head::Nil => f.write_str("nil"),
            Head::Bool(b) => b.fmt(f),
            Head::Unsigned(n) => n.fmt(f),
            Head::Negative(n) => n.fmt(f),
            Head::Text(text) => {
                let shown = String::from_utf8_lossy(&text[..text.len().min(40)]);
                write!(f, "\"{shown}{}\"", if text.len() > 40 { "..." } else { "" })
            }
            Head::Array(n) => write!(f, "a list of {n}"),
            Head::Map(n) => write!(f, "a map of {n}"),
            Head::Other => f.write_str("a float, binary data or an extension"),
        }
    }
}

/// Values one after the other.
#[derive(Clone)]
pub(super) struct Elements<'a> {
    bytes: &'a [u8],
    left: u64,
}

impl Elements<'_> {
    /// Bytes that they, and what follows them, take.
    pub(super) fn bytes_left(&self) -> usize {
        self.bytes.len()
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        self.left = self.left.checked_sub(1)?;
        let value = Value { bytes: self.bytes };
        self.bytes = skip(self.bytes).unwrap_or(&[]);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The encodings of the specification, "Formats", with their values.
    #[test]
    fn every_format_is_read() {
        let number = |bytes: &[u8]| Value::read(bytes).unwrap().as_u64();
        assert_eq!(number(&[0x7f]), Some(127));
        assert_eq!(number(&[0xcc, 200]), Some(200));
        assert_eq!(number(&[0xcd, 1, 2]), Some(0x102));
        assert_eq!(number(&[0xce, 1, 2, 3, 4]), Some(0x0102_0304));
        assert_eq!(number(&[0xcf, 1, 2, 3, 4, 5, 6, 7, 8]), Some(0x0102_0304_0506_0708));
        assert_eq!(number(&[0xd1, 0x01, 0x00]), Some(256));
        assert_eq!(number(&[0xd0, 0xff]), None);
        let shown = |bytes: &[u8]| Value::read(bytes).unwrap().to_string();
        assert_eq!(shown(&[0xff]), "-1");
        assert_eq!(shown(&[0xd0, 0x80]), "-128");
        assert_eq!(shown(&[0xd3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe]), "-2");
        assert_eq!(shown(&[0xc0]), "nil");
        assert_eq!(shown(&[0xdc, 0, 1, 0x05]), "a list of 1");
        assert_eq!(shown(&[0xdf, 0, 0, 0, 1, 0x05, 0x06]), "a map of 1");
        assert_eq!(Value::read(&[0xc3]).unwrap().as_bool(), Some(true));
        assert_eq!(Value::read(b"\xa3abc").unwrap().as_str(), Some("abc"));
        assert_eq!(Value::read(b"\xd9\x03abc").unwrap().as_str(), Some("abc"));
        assert_eq!(Value::read(b"\xa1\xff").unwrap().as_str(), None);
        // bin 8, float 32, float 64, fixext 1 and 16, ext 8: skipped whole, so that what follows is found
        for odd in
            [&[0xc4, 2, 0, 0][..], &[0xca, 0, 0, 0, 0], &[0xcb, 0, 0, 0, 0, 0, 0, 0, 0], &[0xd4, 0, 0], &[0xd8; 18], &[0xc7, 1, 0, 0]]
        {
            let list = [&[0x92], odd, &[0x07]].concat();
            let last = Value::read(&list).unwrap().as_array().unwrap().last();
            assert_eq!(last.and_then(Value::as_u64), Some(7), "{odd:x?}");
        }
    }

    #[test]
    fn what_is_cut_off_is_an_error() {
        for cut in [&[][..], &[0x91], &[0x81, 0], &[0xa2, b'a'], &[0xcd, 1], &[0xdd, 0xff, 0xff, 0xff, 0xff], &[0xc1], &[0xdf; 5]] {
            assert!(Value::read(cut).is_err(), "{cut:x?}");
        }
        // A list in a list in a list... with an end, and without.
        let mut deep = vec![0x91; 1_000_000];
        assert!(Value::read(&deep).is_err());
        deep.push(0);
        assert!(Value::read(&deep).is_ok());
    }
}
