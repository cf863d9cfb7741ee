//! printf's formats: flags, widths, precisions, length modifiers and conversions of C, and the vectors of OpenCL C.
//!
//! Each conversion is taken apart, checked and handed to the C library with one argument, so that digits are the host's, and nothing that a
//! kernel gives is a format there. `%n` writes nothing. Reference: C11, 7.21.6.1; OpenCL C, "printf".

use std::ffi::{CString, c_char, c_int};

/// Longest output of one conversion, in bytes: wider fields and more digits are cut.
const MAX_FIELD: usize = 64 << 10;

/// Where arguments come from, in order; none: there are no more.
pub(super) trait Arguments {
    /// An integer or pointer of so many bytes (a length modifier's), the higher ones zero.
    fn integer(&mut self, bytes: usize) -> Option<u64>;
    /// A floating-point number, of which the format says how long it is if it is in a vector.
    fn float(&mut self, bytes: Option<usize>) -> Option<f64>;
    /// A string without its end.
    fn string(&mut self) -> Option<Vec<u8>>;
    /// The next argument is a vector of so many elements, which are asked for one by one.
    fn vector(&mut self, _elements: usize) {}
}

/// A conversion, as it stands in the format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Spec {
    /// `-`, `+`, space, `#`, `0`.
    flags: [bool; 5],
    width: Option<i32>,
    precision: Option<i32>,
    /// Elements of a vector.
    vector: Option<usize>,
    /// Bytes of an integer, or of a vector's element.
    bytes: usize,
    conversion: u8,
}

const FLAGS: [u8; 5] = *b"-+ #0";

/// The text of a format and its arguments. Where arguments are missing it ends, as implementations of HIP do.
pub(super) fn print(format: &[u8], args: &mut dyn Arguments) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), format);
    while let Some(at) = rest.iter().position(|c| *c == b'%') {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        if let [b'%', behind @ ..] = rest {
            out.push(b'%');
            rest = behind;
            continue;
        }
        let Some((spec, behind)) = Spec::read(rest, args) else {
            // No conversion: it is text.
            out.push(b'%');
            continue;
        };
        rest = behind;
        if spec.put(&mut out, args).is_none() {
            return out;
        }
    }
    out.extend_from_slice(rest);
    out
}

impl Spec {
    /// Reads what is behind the `%`, and what is left behind it.
    fn read<'f>(mut text: &'f [u8], args: &mut dyn Arguments) -> Option<(Spec, &'f [u8])> {
        let mut spec = Spec { bytes: 4, ..Default::default() };
        while let Some(flag) = text.first().and_then(|c| FLAGS.iter().position(|f| f == c)) {
            spec.flags[flag] = true;
            text = &text[1..];
        }
        let mut number = |text: &mut &'f [u8]| -> Option<i32> {
            if let [b'*', rest @ ..] = *text {
                *text = rest;
                return Some(args.integer(4)? as i32);
            }
            let digits = text.iter().take_while(|c| c.is_ascii_digit()).count();
            let (number, rest) = text.split_at(digits);
            *text = rest;
            // More digits than a number has are as good as the greatest.
            (digits != 0).then(|| std::str::from_utf8(number).ok().and_then(|n| n.parse().ok()).unwrap_or(i32::MAX))
        };
        spec.width = number(&mut text);
        if let Some(width) = spec.width.filter(|w| *w < 0) {
            spec.flags[0] = true;
            spec.width = Some(width.checked_neg().unwrap_or(i32::MAX));
        }
        if let [b'.', rest @ ..] = text {
            text = rest;
            // A negative precision is none.
            spec.precision = Some(number(&mut text).unwrap_or(0)).filter(|p| *p >= 0);
        }
        if let [b'v', rest @ ..] = text {
            let (n, rest) = match rest {
                [b'1', b'6', rest @ ..] => (16, rest),
                [n @ (b'2' | b'3' | b'4' | b'8'), rest @ ..] => (usize::from(n - b'0'), rest),
                _ => return None,
            };
            (spec.vector, text) = (Some(n), rest);
        }
        for (modifier, bytes) in [("hh", 1), ("hl", 4), ("h", 2), ("ll", 8), ("l", 8), ("j", 8), ("z", 8), ("t", 8), ("L", 8), ("q", 8)] {
            if let Some(rest) = text.strip_prefix(modifier.as_bytes()) {
                (spec.bytes, text) = (bytes, rest);
                break;
            }
        }
        let (conversion, rest) = text.split_first()?;
        spec.conversion = *conversion;
        b"diouxXcspnfFeEgGaA".contains(conversion).then_some((spec, rest))
    }

    fn put(&self, out: &mut Vec<u8>, args: &mut dyn Arguments) -> Option<()> {
        let Some(elements) = self.vector else { return self.put_one(out, args) };
        args.vector(elements);
        for i in 0..elements {
            if i > 0 {
                out.push(b',');
            }
            self.put_one(out, args)?;
        }
        Some(())
    }

    fn put_one(&self, out: &mut Vec<u8>, args: &mut dyn Arguments) -> Option<()> {
        match self.conversion {
            b'd' | b'i' => {
                let bits = 64 - 8 * self.bytes as u32;
                let value = (args.integer(self.bytes)? << bits).cast_signed() >> bits;
                self.by_c(out, "ll", |f, to, n| c_text(to, n, f, value));
            }
            b'o' | b'u' | b'x' | b'X' => {
                let value = args.integer(self.bytes)? << (64 - 8 * self.bytes) >> (64 - 8 * self.bytes);
                self.by_c(out, "ll", |f, to, n| c_text(to, n, f, value));
            }
            b'c' => {
                let value = args.integer(4)? as u8;
                self.pad(out, &[value]);
            }
            b's' => {
                let text = args.string()?;
                let cut = self.precision.map_or(text.len(), |p| text.len().min(p as usize));
                self.pad(out, &text[..cut]);
            }
            b'p' => {
                let value = args.integer(8)?;
                let text = if value == 0 { "(nil)".to_string() } else { format!("{value:#x}") };
                self.pad(out, text.as_bytes());
            }
            b'n' => {
                args.integer(8)?;
            }
            _ => {
                let value = args.float(self.vector.map(|_| self.bytes))?;
                self.by_c(out, "", |f, to, n| c_text(to, n, f, value));
            }
        }
        Some(())
    }

    /// Text in a field.
    fn pad(&self, out: &mut Vec<u8>, text: &[u8]) {
        let spaces = self.width.map_or(0, |w| (w as usize).min(MAX_FIELD).saturating_sub(text.len()));
        let left = self.flags[0];
        out.extend(std::iter::repeat_n(b' ', if left { 0 } else { spaces }));
        out.extend_from_slice(text);
        out.extend(std::iter::repeat_n(b' ', if left { spaces } else { 0 }));
    }

    /// What the C library makes of a number, `call` being given the format, a place and its bytes.
    fn by_c(&self, out: &mut Vec<u8>, modifier: &str, call: impl Fn(&CString, *mut c_char, usize) -> c_int) {
        let flags: String = FLAGS.iter().zip(self.flags).filter(|f| f.1).map(|f| char::from(*f.0)).collect();
        let most = |n: i32| (n as usize).min(MAX_FIELD).to_string();
        let width = self.width.map(most).unwrap_or_default();
        let precision = self.precision.map(|p| format!(".{}", most(p))).unwrap_or_default();
        let format = CString::new(format!("%{flags}{width}{precision}{modifier}{}", char::from(self.conversion)));
        let format = format.expect("flags and digits have no zero bytes");
        // What is longer than most numbers are is printed again where there is room; the last byte is the C string's end.
        let mut text = vec![0u8; 64];
        let put = |text: &mut Vec<u8>| usize::try_from(call(&format, text.as_mut_ptr().cast(), text.len())).unwrap_or(0);
        let len = put(&mut text);
        if len >= text.len() {
            text.resize(len + 1, 0);
            put(&mut text);
        }
        out.extend_from_slice(&text[..len]);
    }
}

/// What C's variadic functions are given.
trait Variadic: Copy {
    /// # Safety
    /// `format` has one conversion, which takes such an argument; `to` has `bytes` bytes.
    unsafe fn print(self, to: *mut c_char, bytes: usize, format: &CString) -> c_int;
}

macro_rules! variadic {
    ($($ty:ty),*) => {$(
        impl Variadic for $ty {
            unsafe fn print(self, to: *mut c_char, bytes: usize, format: &CString) -> c_int {
                // SAFETY: passed on.
                unsafe { libc::snprintf(to, bytes, format.as_ptr(), self) }
            }
        }
    )*};
}
variadic!(i64, u64, f64);

fn c_text(to: *mut c_char, bytes: usize, format: &CString, value: impl Variadic) -> c_int {
    // SAFETY: `by_c` made the format, of one conversion; `put_one` chose the value's type by it; `to` has `bytes` bytes.
    unsafe { value.print(to, bytes, format) }
}

#[cfg(test)]
mod tests {
    use super::*;

    enum Arg {
        Int(u64),
        Float(f64),
        Text(&'static str),
    }
    use Arg::*;

    struct List(std::vec::IntoIter<Arg>);

    impl Arguments for List {
        fn integer(&mut self, _bytes: usize) -> Option<u64> {
            match self.0.next()? {
                Int(v) => Some(v),
                _ => panic!("no integer"),
            }
        }
        fn float(&mut self, _bytes: Option<usize>) -> Option<f64> {
            match self.0.next()? {
                Float(v) => Some(v),
                _ => panic!("no float"),
            }
        }
        fn string(&mut self) -> Option<Vec<u8>> {
            match self.0.next()? {
                Text(v) => Some(v.into()),
                _ => panic!("no string"),
            }
        }
    }

    fn text(format: &str, args: Vec<Arg>) -> String {
        String::from_utf8(print(format.as_bytes(), &mut List(args.into_iter()))).expect("ASCII")
    }

    // Expected values: what C's printf writes, C11 7.21.6.1.
    #[test]
    fn conversions_are_those_of_c() {
        let minus = |v: i64| Int(v.cast_unsigned());
        assert_eq!(text("%d|%5d|%-5d|%05d|%+d|% d", vec![Int(7), Int(42), Int(42), Int(42), Int(3), Int(3)]), "7|   42|42   |00042|+3| 3");
        assert_eq!(text("%d %d %ld", vec![Int(0xffff_fffe), Int(0x1_0000_0005), minus(-3)]), "-2 5 -3", "an int has 32 bits");
        assert_eq!(text("%hhd %hu %x %#X %o", vec![Int(0x1ff), Int(0x1_ffff), Int(0xbeef), Int(0xab), Int(8)]), "-1 65535 beef 0XAB 10");
        assert_eq!(
            text("%.3f %e %g %G %a", vec![Float(2.0 / 3.0), Float(12345.678), Float(1e-5), Float(1e20), Float(1.5)]),
            "0.667 1.234568e+04 1e-05 1E+20 0x1.8p+0"
        );
        assert_eq!(
            text("%f %F %5.1f|%-8.2e|", vec![Float(f64::INFINITY), Float(f64::NAN), Float(3.25), Float(0.5)]),
            "inf NAN   3.2|5.00e-01|"
        );
        assert_eq!(text("%s|%6s|%-6s|%.2s", vec![Text("abc"), Text("abc"), Text("abc"), Text("abc")]), "abc|   abc|abc   |ab");
        assert_eq!(text("%c%c %% %p %p", vec![Int(72), Int(105), Int(0x1000), Int(0)]), "Hi % 0x1000 (nil)");
        assert_eq!(text("%*d|%-*d|%.*f", vec![Int(4), Int(1), Int(4), Int(1), Int(2), Float(1.0)]), "   1|1   |1.00");
        assert_eq!(text("%*d|", vec![minus(-4), Int(1)]), "1   |", "a negative width is a minus");
        assert_eq!(
            text("%lld %llu %zu", vec![minus(i64::MIN), Int(u64::MAX), Int(1 << 40)]),
            "-9223372036854775808 18446744073709551615 1099511627776"
        );
    }

    #[test]
    fn vectors_are_those_of_opencl() {
        assert_eq!(text("%v4hld", vec![Int(1), Int(2), Int(3), Int(0xffff_ffff)]), "1,2,3,-1");
        assert_eq!(text("(%5.1v2hlf)", vec![Float(1.0), Float(2.5)]), "(  1.0,  2.5)");
    }

    #[test]
    fn what_is_wrong_or_missing_harms_nobody() {
        assert_eq!(text("a %d b", vec![]), "a ", "no argument");
        assert_eq!(text("100%! %y, %", vec![]), "100%! %y, %");
        assert_eq!(text("%n%d", vec![Int(1), Int(2)]), "2");
        assert_eq!(text("%99999999999d", vec![Int(1)]).len(), MAX_FIELD);
        assert_eq!(text("%.99999999999f", vec![Float(1.0)]).len(), MAX_FIELD + 2);
        assert_eq!(text("%99999999999s", vec![Text("x")]).len(), MAX_FIELD);
    }
}
