//! What every pure operation means, for one element: the truth for the interpreter and for compiled code (spec: numerics.md).
//!
//! The rows of [`super::op::pure`] name the scalar function of each operation. [`eval`] calls it once; [`super::rowfn`] makes loops over
//! lanes of the same functions.
//!
//! Files: `int` integers and masks; `common` what the float formats share, `f32`, `f64`, `f16` the formats; `div` division helpers;
//! `trans` transcendentals; `near` results within 1 ulp; `cvt` conversions; `dot` float dot products; `mode` the views of the float mode. Where a file needs the
//! modules of several formats it calls them `h`, `s` and `d` (half, single, double), so that `f32` and `f64` stay the types.

use super::op::pure_rows;
use super::{FpMode, PureOp};
use mode::{Fp, Full};

pub(super) mod common;
pub(super) mod cvt;
pub(super) mod div;
pub(super) mod dot;
pub(super) mod f16;
pub(super) mod f32;
pub(super) mod f64;
pub(super) mod int;
pub(super) mod mode;
pub(super) mod near;
pub(super) mod trans;
pub use trans::{COS, EXP2, LOG2, ROUNDER, SIN, SQRT_HALF, TWO_OVER_PI};

/// An operand or result as the scalar functions see it: `bool`, `u16` (low half of a register), `u32` or `u64`.
pub(super) trait Element: Copy {
    /// From the low bits.
    fn take(bits: u64) -> Self;
    /// Zero-extended.
    fn give(self) -> u64;
}
macro_rules! elements {
    ($($ty:ident)*) => { $(
        impl Element for $ty {
            #[inline(always)]
            fn take(bits: u64) -> Self {
                bits as $ty
            }
            #[inline(always)]
            fn give(self) -> u64 {
                self.into()
            }
        }
    )* };
}
elements! { u16 u32 u64 }
impl Element for bool {
    #[inline(always)]
    fn take(bits: u64) -> Self {
        bits & 1 != 0
    }
    #[inline(always)]
    fn give(self) -> u64 {
        self.into()
    }
}

/// A scalar function of elements; `S` is its signature, so that functions of one, two and three operands are told apart.
pub(super) trait Function<S>: Copy {
    /// Applies it to operands in the low bits.
    fn apply(self, a: u64, b: u64, c: u64) -> u64;
}
impl<A: Element, R: Element, F: Fn(A) -> R + Copy> Function<(A, R)> for F {
    #[inline(always)]
    fn apply(self, a: u64, _: u64, _: u64) -> u64 {
        self(A::take(a)).give()
    }
}
impl<A: Element, B: Element, R: Element, F: Fn(A, B) -> R + Copy> Function<(A, B, R)> for F {
    #[inline(always)]
    fn apply(self, a: u64, b: u64, _: u64) -> u64 {
        self(A::take(a), B::take(b)).give()
    }
}
impl<A: Element, B: Element, C: Element, R: Element, F: Fn(A, B, C) -> R + Copy> Function<(A, B, C, R)> for F {
    #[inline(always)]
    fn apply(self, a: u64, b: u64, c: u64) -> u64 {
        self(A::take(a), B::take(b), C::take(c)).give()
    }
}

/// A scalar function that reads the float mode: [`Function`] with the mode first.
pub(super) trait ModeFunction<M, S>: Copy {
    /// Applies it to operands in the low bits.
    fn apply_with(self, m: M, a: u64, b: u64, c: u64) -> u64;
}
impl<M: Fp, A: Element, R: Element, F: Fn(M, A) -> R + Copy> ModeFunction<M, (A, R)> for F {
    #[inline(always)]
    fn apply_with(self, m: M, a: u64, _: u64, _: u64) -> u64 {
        self(m, A::take(a)).give()
    }
}
impl<M: Fp, A: Element, B: Element, R: Element, F: Fn(M, A, B) -> R + Copy> ModeFunction<M, (A, B, R)> for F {
    #[inline(always)]
    fn apply_with(self, m: M, a: u64, b: u64, _: u64) -> u64 {
        self(m, A::take(a), B::take(b)).give()
    }
}
impl<M: Fp, A: Element, B: Element, C: Element, R: Element, F: Fn(M, A, B, C) -> R + Copy> ModeFunction<M, (A, B, C, R)> for F {
    #[inline(always)]
    fn apply_with(self, m: M, a: u64, b: u64, c: u64) -> u64 {
        self(m, A::take(a), B::take(b), C::take(c)).give()
    }
}

macro_rules! apply {
    (int $f:path, $mode:ident, $a:ident $b:ident $c:ident) => {
        Function::apply($f, $a, $b, $c)
    };
    (pk $f:path, $mode:ident, $a:ident $b:ident $c:ident) => {
        Function::apply($f, $a, $b, $c) | Function::apply($f, $a >> 16, $b >> 16, $c >> 16) << 16
    };
    (pkf $f:path, $mode:ident, $a:ident $b:ident $c:ident) => {{
        let m = Full::of($mode);
        ModeFunction::apply_with($f, m, $a, $b, $c) | ModeFunction::apply_with($f, m, $a >> 16, $b >> 16, $c >> 16) << 16
    }};
    (slow $f:path, $mode:ident, $a:ident $b:ident $c:ident) => {
        Function::apply($f, $a, $b, $c)
    };
    ($kind:ident $f:path, $mode:ident, $a:ident $b:ident $c:ident) => {
        ModeFunction::apply_with($f, Full::of($mode), $a, $b, $c)
    };
}

macro_rules! define_eval {
    ($($(#[$doc:meta])* $op:ident $text:literal ($($arg:ident)*) $ret:ident $kind:ident $f:path $([$($be:ident: $support:ident),*])?;)*) => {
        /// One element of `op`. Conditions are 0 or 1, 32-bit values are zero-extended; operands the operation lacks are ignored.
        pub fn eval(op: PureOp, mode: FpMode, a: u64, b: u64, c: u64) -> u64 {
            match op {
                $(PureOp::$op => apply!($kind $f, mode, a b c),)*
            }
        }

        /// [`eval`] of several elements, one after the other.
        pub(crate) fn eval_each(op: PureOp, mode: FpMode, [a, b, c]: [&Elements; 3], to: &mut Elements) {
            match op {
                $(PureOp::$op => for (((to, a), b), c) in to.iter_mut().zip(a).zip(b).zip(c) {
                    let (a, b, c) = (*a, *b, *c);
                    *to = apply!($kind $f, mode, a b c);
                },)*
            }
        }
    };
}

/// What [`eval_each`] takes at a time: half a wave of 64 lanes.
pub(crate) type Elements = [u64; 32];
pure_rows!(define_eval);

#[cfg(test)]
pub(crate) mod tests;
