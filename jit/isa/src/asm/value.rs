//! Operand text to a value that does not know yet which field it will stand in: a register, a number, a name.

use crate::inst::Half;

/// Register files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum File {
    Vgpr,
    Agpr,
    Sgpr,
    Ttmp,
}

/// What an operand says.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value<'a> {
    /// `v3`, `s[4:5]`, `v1.h`.
    Register { file: File, first: u32, count: u32, half: Half },
    /// A whole number.
    Int(i64),
    /// A number with a point or an exponent.
    Float(f64),
    /// Anything else: `vcc`, `off`, `hwreg(...)`.
    Name(&'a str),
}

/// A value and the source modifiers around it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Source<'a> {
    pub value: Value<'a>,
    pub neg: bool,
    pub abs: bool,
    pub sext: bool,
    /// The number is written in hexadecimal.
    pub hex: bool,
}

/// `0x1f`, `-3`, `0b101`.
pub(super) fn integer(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let value = if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        u64::from_str_radix(hex, 16).ok()?
    } else if let Some(binary) = digits.strip_prefix("0b") {
        u64::from_str_radix(binary, 2).ok()?
    } else if digits.bytes().all(|b| b.is_ascii_digit()) {
        digits.parse().ok()?
    } else {
        return None;
    };
    Some(if negative { (value as i64).wrapping_neg() } else { value as i64 })
}

/// One register number or a range in brackets.
fn range(text: &str) -> Option<(u32, u32)> {
    let number = |t: &str| t.trim().parse::<u32>().ok().filter(|n| *n < 1024);
    match text.strip_prefix('[') {
        Some(inner) => {
            let inner = inner.strip_suffix(']')?;
            let (first, last) = match inner.split_once(':') {
                Some((a, b)) => (number(a)?, number(b)?),
                None => (number(inner)?, number(inner)?),
            };
            (last >= first && last - first < 32).then(|| (first, last - first + 1))
        }
        None => text.bytes().all(|b| b.is_ascii_digit()).then(|| number(text)).flatten().map(|n| (n, 1)),
    }
}

fn register(text: &str) -> Option<Value<'_>> {
    let (text, half) = if let Some(t) = text.strip_suffix(".l") {
        (t, Half::Lo)
    } else if let Some(t) = text.strip_suffix(".h") {
        (t, Half::Hi)
    } else {
        (text, Half::Whole)
    };
    let files = [("ttmp", File::Ttmp), ("v", File::Vgpr), ("a", File::Agpr), ("s", File::Sgpr)];
    files.iter().find_map(|&(prefix, file)| {
        let (first, count) = range(text.strip_prefix(prefix)?)?;
        Some(Value::Register { file, first, count, half })
    })
}

/// A value without source modifiers.
pub(super) fn value(text: &str) -> Value<'_> {
    if let Some(r) = register(text) {
        return r;
    }
    if let Some(n) = integer(text) {
        return Value::Int(n);
    }
    let numeric = text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
    match text.parse() {
        Ok(f) if numeric => Value::Float(f),
        _ => Value::Name(text),
    }
}

/// A value with `-`, `|..|`, `neg(..)`, `abs(..)` or `sext(..)` around it.
pub(super) fn source(text: &str) -> Source<'_> {
    let call = |name: &str| text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')');
    if let Some(inner) = call("neg") {
        return Source { neg: true, ..source(inner.trim()) };
    }
    if let Some(inner) = call("abs").or_else(|| text.strip_prefix('|')?.strip_suffix('|')) {
        return Source { abs: true, ..source(inner.trim()) };
    }
    if let Some(inner) = call("sext") {
        return Source { sext: true, ..source(inner.trim()) };
    }
    if let Some(inner) = text.strip_prefix('-') {
        // `-1` and `-0.5` are numbers of their own.
        if !inner.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return Source { neg: true, ..source(inner.trim()) };
        }
    }
    Source { value: value(text), neg: false, abs: false, sext: false, hex: text.starts_with("0x") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_that_runs_backwards_is_a_name() {
        assert_eq!(value("s[82:81]"), Value::Name("s[82:81]"));
    }

    #[test]
    fn values() {
        assert_eq!(value("v[4:7]"), Value::Register { file: File::Vgpr, first: 4, count: 4, half: Half::Whole });
        assert_eq!(value("v1.h"), Value::Register { file: File::Vgpr, first: 1, count: 1, half: Half::Hi });
        assert_eq!(value("ttmp[0:3]"), Value::Register { file: File::Ttmp, first: 0, count: 4, half: Half::Whole });
        assert_eq!(value("-0x10"), Value::Int(-16));
        assert_eq!(value("-0.5"), Value::Float(-0.5));
        assert_eq!(value("vcc"), Value::Name("vcc"));
        assert_eq!(value("src_scc"), Value::Name("src_scc"));
        let s = source("-|v1|");
        assert!(s.neg && s.abs && !s.sext);
        assert!(!source("-1").neg && source("neg(1.0)").neg);
        assert!(source("sext(v1)").sext);
    }
}
