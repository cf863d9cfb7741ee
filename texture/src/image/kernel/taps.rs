//! Vector twins of [`super::super::coord`]: fixed point, clamp modes, and the taps of one axis.

use super::super::coord::Clamp;
use crate::simd::Simd;

/// Two taps of an axis, and the weight of the second.
#[derive(Clone, Copy)]
pub(super) struct Taps<S: Simd> {
    /// Index in the level, or -1 for border.
    pub index: [S::I; 2],
    pub weight: S::I,
}

/// Texels to 24.8, as [`super::super::coord::to_fixed`].
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
unsafe fn fixed<S: Simd>(texels: S::F, mode: Clamp) -> S::I {
    // SAFETY: no memory is touched.
    unsafe {
        let counts = match mode {
            Clamp::Wrap | Clamp::Mirror => S::lt_f(S::as_f(S::and(S::as_i(texels), S::i(0x7fff_ffff))), S::f(f32::INFINITY)),
            _ => S::ordered(texels, texels),
        };
        // A NaN becomes the first limit; what does not count is cut off at the end, where it is not waited for.
        let limited = S::min_f(S::max_f(texels, S::f(-4_194_304.0)), S::f(4_194_304.0));
        S::select(counts, S::to_i(S::mul_f(limited, S::f(256.0))), S::i(0))
    }
}

/// i mod n, not negative; |i| below 2^23.
#[inline(always)]
unsafe fn modulo<S: Simd>(i: S::I, n: i32) -> S::I {
    // SAFETY: no memory is touched.
    unsafe {
        if n & (n - 1) == 0 {
            return S::and(i, S::i(n - 1));
        }
        // The quotient is off by one at most.
        let q = S::to_i(S::floor(S::mul_f(S::to_f(i), S::f(1.0 / n as f32))));
        let r = S::sub(i, S::mul(q, S::i(n)));
        let r = S::add(r, S::and(S::sar(r, 31), S::i(n)));
        S::select(S::gt(r, S::i(n - 1)), S::sub(r, S::i(n)), r)
    }
}

/// `i` from 0 to n - 1.
#[inline(always)]
unsafe fn limited<S: Simd>(i: S::I, n: i32) -> S::I {
    // SAFETY: no memory is touched.
    unsafe { S::min(S::max(i, S::i(0)), S::i(n - 1)) }
}

/// -1, -2, ... become 0, 1, ...
#[inline(always)]
unsafe fn mirror_once<S: Simd>(i: S::I) -> S::I {
    // SAFETY: no memory is touched.
    unsafe { S::xor(i, S::sar(i, 31)) }
}

/// Which lanes have 0 <= i < n?
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
pub(super) unsafe fn inside<S: Simd>(i: S::I, n: i32) -> S::M {
    // SAFETY: no memory is touched.
    unsafe { S::eq(S::min_u(i, S::i(n - 1)), i) }
}

/// As [`super::super::coord::wrap`].
#[inline(always)]
unsafe fn wrap<S: Simd>(i: S::I, mode: Clamp, n: i32) -> S::I {
    // SAFETY: no memory is touched.
    unsafe {
        match mode {
            Clamp::Wrap => modulo::<S>(i, n),
            Clamp::Mirror => {
                let p = modulo::<S>(i, 2 * n);
                S::min(p, S::sub(S::i(2 * n - 1), p))
            }
            Clamp::LastTexel => limited::<S>(i, n),
            Clamp::MirrorOnceLastTexel => S::min(mirror_once::<S>(i), S::i(n - 1)),
            Clamp::HalfBorder | Clamp::MirrorOnceHalfBorder | Clamp::Border => S::select(inside::<S>(i, n), i, S::i(-1)),
            Clamp::MirrorOnceBorder => {
                let i = mirror_once::<S>(i);
                S::select(inside::<S>(i, n), i, S::i(-1))
            }
        }
    }
}

/// Taps of a linear filter along an axis of `n` texels. `border`: may the mode be one with border?
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
pub(super) unsafe fn linear<S: Simd>(texels: S::F, offset: S::I, mode: Clamp, n: i32, coarse: bool, border: bool) -> Taps<S> {
    // SAFETY: no memory is touched.
    unsafe {
        let mut fixed = S::add(fixed::<S>(S::sub_f(texels, S::f(0.5)), mode), S::shl(offset, 8));
        if border && matches!(mode, Clamp::HalfBorder | Clamp::MirrorOnceHalfBorder) {
            let corner = S::add(fixed, S::i(128));
            let corner = if mode == Clamp::HalfBorder { corner } else { S::max(corner, S::sub(S::i(0), corner)) };
            fixed = S::sub(S::min(S::max(corner, S::i(0)), S::i(n * 256)), S::i(128));
        }
        let first = S::sar(fixed, 8);
        let index = [wrap::<S>(first, mode, n), wrap::<S>(S::add(first, S::i(1)), mode, n)];
        Taps { index, weight: S::and(fixed, S::i(if coarse { 0x80 } else { 0xff })) }
    }
}

/// The index of a point filter's tap.
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
pub(super) unsafe fn point<S: Simd>(texels: S::F, offset: S::I, mode: Clamp, n: i32, truncate: bool) -> S::I {
    // SAFETY: no memory is touched.
    unsafe {
        let fixed = fixed::<S>(if truncate { S::floor(texels) } else { texels }, mode);
        let first = S::add(S::sar(fixed, 8), offset);
        match mode {
            Clamp::HalfBorder => limited::<S>(first, n),
            Clamp::MirrorOnceHalfBorder => S::min(mirror_once::<S>(first), S::i(n - 1)),
            _ => wrap::<S>(first, mode, n),
        }
    }
}
