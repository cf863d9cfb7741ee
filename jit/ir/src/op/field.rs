//! Fields of operations: how a type of field is visited, printed and parsed, and the text forms of rows that name fields.
//!
//! A text form is literal text with `{field}` or `{field:hint}` in it. Hints:
//!
//! | type | hint | text |
//! |---|---|---|
//! | index | `t` | `t5` |
//! | `bool` | `yes\|no` | `yes` if true, else `no` |
//! | optional value | none | ` field %5`, or nothing |
//! | optional value | `+` | ` + field %5`, or nothing |
//! | list of values | `+` | ` field %5 %6`, or nothing |
//! | `i64` | `+` | ` + 8`, ` - 8`, or nothing for 0 |

use super::{Addr, Data, FpMode, PureOp, Width};
use crate::text::{ATOMICS, Cursor, KINDS, NOTES, PAUSES, PROBES, ParseError, SPACES, by_name, name_of, small_or_hex};
use crate::{AtomicOp, BlockId, MemKind, NoteKind, Pause, ProbeKind, SReg, Space, VReg, Value, Waits};
use std::fmt::Write;

/// What holds of a row's parser after its text form was followed.
pub(crate) const NAMED: &str = "a text form names every field of its row";

/// A type of field.
pub(crate) trait Field: Sized {
    /// Calls `f` on the values in it.
    fn visit_values(&self, _: &mut impl FnMut(Value)) {}
    /// Replaces the values in it.
    fn map_values(&mut self, _: &mut impl FnMut(Value) -> Value) {}
    /// Calls `f` on the blocks in it.
    fn visit_blocks(&self, _: &mut impl FnMut(BlockId)) {}
    /// Replaces the blocks in it.
    fn map_blocks(&mut self, _: &mut impl FnMut(BlockId) -> BlockId) {}
    /// Appends its text.
    fn print(&self, name: &str, hint: &str, out: &mut String);
    /// Reads it from a text.
    fn parse(name: &str, hint: &str, c: &mut Cursor) -> Result<Self, ParseError>;
}

/// The first word of a text form: the row's name.
pub(crate) fn head(form: &str) -> &str {
    &form[..form.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(form.len())]
}

/// A part of a text form.
enum Part<'a> {
    Literal(&'a str),
    Field { name: &'a str, hint: &'a str },
}

fn parts(form: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = form;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some(after) = rest.strip_prefix('{') {
            let (inside, after) = after.split_once('}').expect("a field of a text form is closed");
            rest = after;
            let (name, hint) = inside.split_once(':').unwrap_or((inside, ""));
            return Some(Part::Field { name, hint });
        }
        let (literal, after) = rest.split_at(rest.find('{').unwrap_or(rest.len()));
        rest = after;
        Some(Part::Literal(literal))
    })
}

/// The fields a text form names.
#[cfg(test)]
pub(super) fn fields(form: &str) -> Vec<&str> {
    let name = |p| match p {
        Part::Field { name, .. } => Some(name),
        Part::Literal(_) => None,
    };
    parts(form).filter_map(name).collect()
}

/// Appends a text form with its fields filled in by `field(name, hint, out)`.
pub(crate) fn print(form: &str, out: &mut String, field: &mut dyn FnMut(&str, &str, &mut String)) {
    for part in parts(form) {
        match part {
            Part::Literal(text) => out.push_str(text),
            Part::Field { name, hint } => field(name, hint, out),
        }
    }
}

/// Reads a text form, its fields by `field(name, hint, c)`.
pub(crate) fn parse(
    form: &str,
    c: &mut Cursor,
    field: &mut dyn FnMut(&str, &str, &mut Cursor) -> Result<(), ParseError>,
) -> Result<(), ParseError> {
    for part in parts(form) {
        match part {
            Part::Literal(text) => c.literal(text)?,
            Part::Field { name, hint } => field(name, hint, c)?,
        }
    }
    Ok(())
}

impl Field for Value {
    fn visit_values(&self, f: &mut impl FnMut(Value)) {
        f(*self);
    }
    fn map_values(&mut self, f: &mut impl FnMut(Value) -> Value) {
        *self = f(*self);
    }
    fn print(&self, _: &str, _: &str, out: &mut String) {
        let _ = write!(out, "{self:?}");
    }
    fn parse(_: &str, _: &str, c: &mut Cursor) -> Result<Self, ParseError> {
        c.value()
    }
}

impl Field for Option<Value> {
    fn visit_values(&self, f: &mut impl FnMut(Value)) {
        self.iter().for_each(|v| f(*v));
    }
    fn map_values(&mut self, f: &mut impl FnMut(Value) -> Value) {
        self.iter_mut().for_each(|v| *v = f(*v));
    }
    fn print(&self, name: &str, hint: &str, out: &mut String) {
        if let Some(v) = self {
            let sign = if hint == "+" { "+ " } else { "" };
            let _ = write!(out, " {sign}{name} {v:?}");
        }
    }
    fn parse(name: &str, hint: &str, c: &mut Cursor) -> Result<Self, ParseError> {
        let start = c.clone();
        if (hint != "+" || c.take_punct('+')) && c.take_word(name) {
            return c.value().map(Some);
        }
        *c = start;
        Ok(None)
    }
}

/// Several values, separated by spaces.
fn print_values<'a>(values: impl IntoIterator<Item = &'a Value>, out: &mut String) {
    for (i, v) in values.into_iter().enumerate() {
        let _ = write!(out, "{}{v:?}", if i > 0 { " " } else { "" });
    }
}

macro_rules! value_lists {
    ($($ty:ty: $parse:expr;)*) => { $(
        impl Field for $ty {
            fn visit_values(&self, f: &mut impl FnMut(Value)) {
                self.iter().for_each(|v| v.visit_values(f));
            }
            fn map_values(&mut self, f: &mut impl FnMut(Value) -> Value) {
                self.iter_mut().for_each(|v| v.map_values(f));
            }
            fn print(&self, _: &str, _: &str, out: &mut String) {
                print_values(self.iter().flat_map(|v| v.present()), out);
            }
            fn parse(_: &str, _: &str, c: &mut Cursor) -> Result<Self, ParseError> {
                let parse: fn(&mut Cursor) -> Result<$ty, ParseError> = $parse;
                parse(c)
            }
        }
    )* };
}

/// A value, or none, as a list.
trait OneOrNone {
    fn present(&self) -> Option<&Value>;
}
impl OneOrNone for Value {
    fn present(&self) -> Option<&Value> {
        Some(self)
    }
}
impl OneOrNone for Option<Value> {
    fn present(&self) -> Option<&Value> {
        self.as_ref()
    }
}

value_lists! {
    [Value; 4]: |c| Ok([c.value()?, c.value()?, c.value()?, c.value()?]);
    Data: |c| {
        let mut data = [Some(c.value()?), None, None, None];
        for slot in &mut data[1..] {
            if c.at_value() {
                *slot = Some(c.value()?);
            }
        }
        Ok(data)
    };
    [Option<Value>; 3]: |c| {
        let mut args = [Some(c.value()?), None, None];
        for slot in &mut args[1..] {
            if c.take_punct(',') {
                *slot = Some(c.value()?);
            }
        }
        Ok(args)
    };
}

impl Field for Box<[Value]> {
    fn visit_values(&self, f: &mut impl FnMut(Value)) {
        self.iter().for_each(|v| f(*v));
    }
    fn map_values(&mut self, f: &mut impl FnMut(Value) -> Value) {
        self.iter_mut().for_each(|v| *v = f(*v));
    }
    fn print(&self, name: &str, hint: &str, out: &mut String) {
        if hint == "+" && !self.is_empty() {
            let _ = write!(out, " {name} ");
        }
        print_values(self.iter(), out);
    }
    fn parse(name: &str, hint: &str, c: &mut Cursor) -> Result<Self, ParseError> {
        let mut values = vec![];
        if hint != "+" || c.take_word(name) {
            while c.at_value() {
                values.push(c.value()?);
            }
        }
        Ok(values.into())
    }
}

/// `[%1 + lane %2 - 16]`; every part may be absent.
impl Field for Addr {
    fn visit_values(&self, f: &mut impl FnMut(Value)) {
        self.base.visit_values(f);
        self.offset.visit_values(f);
    }
    fn map_values(&mut self, f: &mut impl FnMut(Value) -> Value) {
        self.base.map_values(f);
        self.offset.map_values(f);
    }
    fn print(&self, _: &str, _: &str, out: &mut String) {
        let base = self.base.map(|v| format!("{v:?}"));
        let offset = self.offset.map(|v| format!("lane {v:?}"));
        let mut s = [base, offset].into_iter().flatten().collect::<Vec<_>>().join(" + ");
        if s.is_empty() {
            s = self.imm.to_string();
        } else {
            self.imm.print("", "+", &mut s);
        }
        let _ = write!(out, "[{s}]");
    }
    fn parse(_: &str, _: &str, c: &mut Cursor) -> Result<Self, ParseError> {
        c.punct('[')?;
        let mut addr = Addr { base: None, offset: None, imm: 0 };
        loop {
            if c.take_word("lane") {
                addr.offset = Some(c.value()?);
            } else if c.at_value() {
                addr.base = Some(c.value()?);
            } else {
                addr.imm = c.int()?;
            }
            if c.take_punct(']') {
                return Ok(addr);
            }
            // `- 16` stays for `int` to read as a negative number.
            if !c.at_punct('-') {
                c.punct('+')?;
            }
        }
    }
}

impl Field for bool {
    fn print(&self, _: &str, hint: &str, out: &mut String) {
        let (yes, no) = hint.split_once('|').unwrap_or(("true", "false"));
        out.push_str(if *self { yes } else { no });
    }
    fn parse(_: &str, hint: &str, c: &mut Cursor) -> Result<Self, ParseError> {
        let (yes, no) = hint.split_once('|').unwrap_or(("true", "false"));
        if c.take_literal(yes) {
            return Ok(true);
        }
        if c.take_literal(no) { Ok(false) } else { c.fail(&format!("{yes} or {no}")) }
    }
}

impl Field for i64 {
    fn print(&self, _: &str, hint: &str, out: &mut String) {
        let _ = match (hint, *self) {
            ("+", 0) => Ok(()),
            ("+", n) => write!(out, " {} {}", if n < 0 { '-' } else { '+' }, n.unsigned_abs()),
            (_, n) => write!(out, "{n}"),
        };
    }
    fn parse(_: &str, hint: &str, c: &mut Cursor) -> Result<Self, ParseError> {
        if hint != "+" || c.at_punct('-') || c.take_punct('+') { c.int() } else { Ok(0) }
    }
}

impl Field for u64 {
    fn print(&self, _: &str, _: &str, out: &mut String) {
        out.push_str(&small_or_hex(*self));
    }
    fn parse(_: &str, _: &str, c: &mut Cursor) -> Result<Self, ParseError> {
        c.int()
    }
}

impl Field for u32 {
    fn print(&self, _: &str, hint: &str, out: &mut String) {
        let _ = write!(out, "{hint}{self}");
    }
    fn parse(name: &str, hint: &str, c: &mut Cursor) -> Result<Self, ParseError> {
        match hint.chars().next() {
            Some(letter) => c.index(letter, name),
            None => c.int(),
        }
    }
}

macro_rules! small_numbers {
    ($($ty:ty)*) => { $(
        impl Field for $ty {
            fn print(&self, _: &str, _: &str, out: &mut String) {
                let _ = write!(out, "{self}");
            }
            fn parse(_: &str, _: &str, c: &mut Cursor) -> Result<Self, ParseError> {
                c.int()
            }
        }
    )* };
}
small_numbers! { u8 u16 }

/// ` vmcnt 0 lgkmcnt 3`; nothing if it waits for nothing.
impl Field for Waits {
    fn print(&self, _: &str, _: &str, out: &mut String) {
        for (name, count) in self.named() {
            if let Some(count) = count {
                let _ = write!(out, " {name} {count}");
            }
        }
    }
    fn parse(_: &str, _: &str, c: &mut Cursor) -> Result<Self, ParseError> {
        let mut waits = Waits::default();
        for (name, _) in Waits::default().named() {
            if c.take_word(name) {
                *waits.counter(name).expect("its own name") = Some(c.int()?);
            }
        }
        Ok(waits)
    }
}

impl Field for SReg {
    fn print(&self, _: &str, _: &str, out: &mut String) {
        let _ = write!(out, "{self:?}");
    }
    fn parse(_: &str, _: &str, c: &mut Cursor) -> Result<Self, ParseError> {
        c.sreg()
    }
}

impl Field for VReg {
    fn print(&self, _: &str, _: &str, out: &mut String) {
        let _ = write!(out, "{self:?}");
    }
    fn parse(_: &str, _: &str, c: &mut Cursor) -> Result<Self, ParseError> {
        c.vreg()
    }
}

impl Field for BlockId {
    fn visit_blocks(&self, f: &mut impl FnMut(BlockId)) {
        f(*self);
    }
    fn map_blocks(&mut self, f: &mut impl FnMut(BlockId) -> BlockId) {
        *self = f(*self);
    }
    fn print(&self, _: &str, _: &str, out: &mut String) {
        let _ = write!(out, "{self:?}");
    }
    fn parse(_: &str, _: &str, c: &mut Cursor) -> Result<Self, ParseError> {
        c.block_id()
    }
}

/// `0x1500: b0, 0x1514: b1`
impl Field for Vec<(u64, BlockId)> {
    fn visit_blocks(&self, f: &mut impl FnMut(BlockId)) {
        self.iter().for_each(|(_, b)| f(*b));
    }
    fn map_blocks(&mut self, f: &mut impl FnMut(BlockId) -> BlockId) {
        self.iter_mut().for_each(|(_, b)| *b = f(*b));
    }
    fn print(&self, _: &str, _: &str, out: &mut String) {
        for (i, (pc, b)) in self.iter().enumerate() {
            let _ = write!(out, "{}{pc:#x}: {b:?}", if i > 0 { ", " } else { "" });
        }
    }
    fn parse(_: &str, _: &str, c: &mut Cursor) -> Result<Self, ParseError> {
        let mut known = vec![];
        while !c.at_punct(']') {
            if !known.is_empty() {
                c.punct(',')?;
            }
            let pc = c.int()?;
            c.punct(':')?;
            known.push((pc, c.block_id()?));
        }
        Ok(known)
    }
}

macro_rules! named {
    ($($ty:ty: $table:expr, $what:literal;)*) => { $(
        impl Field for $ty {
            fn print(&self, _: &str, _: &str, out: &mut String) {
                out.push_str(name_of($table, self));
            }
            fn parse(_: &str, _: &str, c: &mut Cursor) -> Result<Self, ParseError> {
                c.name($what, |s| by_name($table, s))
            }
        }
    )* };
}
named! {
    Space: SPACES, "a space (global, flat, scratch, lds, gds)";
    MemKind: KINDS, "a size (u8 to b128)";
    AtomicOp: ATOMICS, "an atomic operation (add, cmpswap, ...)";
    NoteKind: NOTES, "a kind of note (wait, cache, ...)";
    Pause: PAUSES, "barrier or yield";
    ProbeKind: PROBES, "count or call";
    Width: WIDTHS, "a width (1, 32, 64)";
}

const WIDTHS: &[(&str, Width)] = &[("1", Width::B1), ("32", Width::B32), ("64", Width::B64)];

/// Only in [`super::Op::Pure`], which is printed and parsed by hand: its name comes first, its mode only where it is not the block's.
macro_rules! by_hand {
    ($($ty:ty)*) => { $(
        impl Field for $ty {
            fn print(&self, _: &str, _: &str, _: &mut String) {}
            fn parse(_: &str, _: &str, c: &mut Cursor) -> Result<Self, ParseError> {
                c.fail("a pure operation")
            }
        }
    )* };
}
by_hand! { PureOp FpMode }
