//! The text form of wave IR: [`print()`] and [`parse()`].
//!
//! ```text
//! func "saxpy" wave32 {                         ; comments run to the end of the line
//! table t0 = [0 1 2 3 ...]                      ; 64 lane constants (trailing zeros may be left out)
//! site s0 gfx1100 [0xe0500000 0x80010102]       ; a buffer or image instruction that `resource` names
//! failure f0 pc=0x1540 unsupported "s_foo s1"   ; or: undecodable
//! b0 pc=0x1500 mode=0x3f0 insts=5:              ; block, guest address, float mode, guest instructions
//!   %0: mask = exec
//!   %1: l32 = vget v0 demand %0
//!   %2: l32 = ffma.32 %1, %1, %1 @0x1504        ; guest address where it differs from the line before
//!   %3: l32 = fadd.32 %1, %1 mode 0x3c0         ; float mode where it is not the block's
//!   vset v2, %2, exec %0
//!   %4: s64 = const.64 0x10000
//!   %5 %6: l32 = load global.b64 [%4 + lane %1 + 16], exec %0
//!   store lds.b32 [lane %1 - 4], %5, exec %0
//!   %7: l32 = atomic.rtn global.add.32 [%4], %5, exec %0
//!   %8: l32 = resource s0, %9 %9 %9 %9 %9 %1, exec %0  ; scalar operands, then lane operands
//!   jump b1 @0x1510
//! ```
//!
//! `print(parse(print(f))) == print(f)`. Value numbers are kept; a number that nothing defines gets type s32.

mod cursor;
mod parse;
mod print;

pub(crate) use cursor::Cursor;
pub use cursor::ParseError;
pub use parse::parse;
pub use print::{inst_text, print, term_text};

use super::{AtomicOp, FpMode, MemKind, NoteKind, Pause, ProbeKind, PureOp, Space};

/// Mode an operation has if its text does not say: the block's if the operation reads it, else 0.
fn default_mode(op: PureOp, block: FpMode) -> FpMode {
    if op.reads_mode() { block } else { FpMode(0) }
}

pub(crate) const SPACES: &[(&str, Space)] =
    &[("global", Space::Global), ("flat", Space::Flat), ("scratch", Space::Scratch), ("lds", Space::Lds), ("gds", Space::Gds)];

#[rustfmt::skip]
pub(in crate) const KINDS: &[(&str, MemKind)] = &[
    ("u8", MemKind::U8), ("i8", MemKind::I8), ("u16", MemKind::U16), ("i16", MemKind::I16),
    ("b32", MemKind::B32), ("b64", MemKind::B64), ("b96", MemKind::B96), ("b128", MemKind::B128),
];

#[rustfmt::skip]
pub(in crate) const ATOMICS: &[(&str, AtomicOp)] = &[
    ("swap", AtomicOp::Swap), ("cmpswap", AtomicOp::CmpSwap), ("add", AtomicOp::Add), ("sub", AtomicOp::Sub), ("rsub", AtomicOp::RSub),
    ("smin", AtomicOp::SMin), ("umin", AtomicOp::UMin), ("smax", AtomicOp::SMax), ("umax", AtomicOp::UMax),
    ("and", AtomicOp::And), ("or", AtomicOp::Or), ("xor", AtomicOp::Xor), ("inc", AtomicOp::Inc), ("dec", AtomicOp::Dec),
    ("fadd", AtomicOp::FAdd), ("fmin", AtomicOp::FMin), ("fmax", AtomicOp::FMax), ("fcmpswap", AtomicOp::FCmpSwap),
    ("pkaddf16", AtomicOp::PkAddF16), ("pkaddbf16", AtomicOp::PkAddBf16), ("csub", AtomicOp::CSub), ("mskor", AtomicOp::MskOr),
    ("wrap", AtomicOp::Wrap), ("condxchg", AtomicOp::CondXchg), ("condsub", AtomicOp::CondSub),
    ("fminnum", AtomicOp::FMinNum), ("fmaxnum", AtomicOp::FMaxNum),
];

#[rustfmt::skip]
pub(in crate) const NOTES: &[(&str, NoteKind)] = &[
    ("wait", NoteKind::Wait), ("cache", NoteKind::Cache), ("delay", NoteKind::Delay), ("clause", NoteKind::Clause),
    ("prio", NoteKind::Prio), ("prefetch", NoteKind::Prefetch), ("other", NoteKind::Other),
];

pub(crate) const PROBES: &[(&str, ProbeKind)] = &[("count", ProbeKind::Count), ("call", ProbeKind::Call)];

pub(crate) const PAUSES: &[(&str, Pause)] = &[("barrier", Pause::Barrier), ("yield", Pause::Yield)];

pub(crate) fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table.iter().find(|e| e.1 == *value).expect("every variant has a name").0
}

pub(crate) fn by_name<T: Copy>(table: &[(&'static str, T)], name: &str) -> Option<T> {
    table.iter().find(|e| e.0 == name).map(|e| e.1)
}

pub(crate) fn small_or_hex(n: u64) -> String {
    if n < 1024 { n.to_string() } else { format!("{n:#x}") }
}

#[cfg(test)]
mod tests;
