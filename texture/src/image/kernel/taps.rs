//! Vector twins of [`super::super::coord`]: fixed point, clamp modes without border, and the share of each tap in a texel's address.

use std::sync::Arc;

use super::super::coord::Clamp;
use super::simd::Simd;

/// A level as the kernels use it.
#[derive(Clone, Debug)]
pub struct Level {
    /// Width, height and depth (or layers of the image) in texels.
    pub size: [i32; 3],
    /// Byte offset of the level.
    pub base: i32,
    /// Flips offset bits of every texel.
    pub flips: i32,
    /// Log2 of the block, by axis.
    pub shift: [i32; 3],
    /// Bytes from a block to the next, by axis.
    pub step: [i32; 3],
    /// Flips of offset bits by coordinate, by axis.
    pub xor: [Flips; 3],
}

/// Flips of offset bits by coordinate.
#[derive(Clone, Debug)]
pub struct Flips {
    /// At `coordinate & (len - 1)`.
    table: Arc<[u32]>,
    /// The same as an exclusive or of one entry for each four bits of the coordinate, if it is one: every bit of a coordinate flips the same
    /// bits wherever it is.
    nibbles: Option<Vec<[u32; 16]>>,
}

impl Flips {
    pub fn new(table: Arc<[u32]>) -> Flips {
        let first = table[0];
        let parts = 0..table.len().ilog2().div_ceil(4);
        let entry = |n: usize| table[n & (table.len() - 1)] ^ first; // coordinates go on behind the table
        let nibbles: Vec<[u32; 16]> = parts.map(|part| std::array::from_fn(|n| entry(n << (4 * part)))).collect();
        let by_nibbles = |n: usize| nibbles.iter().enumerate().fold(first, |flips, (part, t)| flips ^ t[n >> (4 * part) & 15]);
        let is_exclusive_or = table.iter().enumerate().all(|(n, &flips)| by_nibbles(n) == flips);
        Flips { nibbles: is_exclusive_or.then_some(nibbles), table }
    }

    /// Of coordinate 0.
    pub fn first(&self) -> i32 {
        self.table[0] as i32
    }
}

/// Shares of a coordinate in an address: to add, and to exclusive-or.
#[derive(Clone, Copy)]
pub struct Share<S: Simd> {
    pub sum: S::I,
    pub flips: S::I,
}

/// Two taps of an axis, and the weight of the second.
#[derive(Clone, Copy)]
pub struct Axis<S: Simd> {
    pub tap: [Share<S>; 2],
    pub weight: S::I,
}

/// Share of coordinate `i` along `axis`; `i` lies in the level.
///
/// # Safety
/// The processor has the instruction set; for the lanes of `m`, `i` is at least 0.
#[inline(always)]
pub unsafe fn share<S: Simd>(level: &Level, axis: usize, i: S::I, m: S::M) -> Share<S> {
    let flips = &level.xor[axis];
    // SAFETY: the index into the table is masked to its length, a power of two.
    unsafe {
        let sum = S::mul(S::shr(i, level.shift[axis]), S::i(level.step[axis]));
        let Some(nibbles) = &flips.nibbles else {
            let index = S::and(i, S::i(flips.table.len() as i32 - 1));
            return Share { sum, flips: S::gather(flips.table.as_ptr().cast(), S::shl(index, 2), m) };
        };
        let mut flips = S::i(flips.first());
        let mut rest = i;
        for nibble in nibbles {
            flips = S::xor(flips, S::lookup(nibble, rest));
            rest = S::shr(rest, 4);
        }
        Share { sum, flips }
    }
}

/// Texels to 24.8, as [`super::super::coord::to_fixed`].
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
pub unsafe fn fixed<S: Simd>(texels: S::F, mode: Clamp) -> S::I {
    // SAFETY: no memory is touched.
    unsafe {
        let counts = match mode {
            Clamp::Wrap | Clamp::Mirror => S::lt_f(S::as_f(S::and(S::as_i(texels), S::i(0x7fff_ffff))), S::f(f32::INFINITY)),
            _ => S::ordered(texels, texels),
        };
        let texels = S::select_f(counts, texels, S::f(0.0));
        let limited = S::min_f(S::max_f(texels, S::f(-4_194_304.0)), S::f(4_194_304.0));
        S::to_i(S::mul_f(limited, S::f(256.0)))
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

/// As [`super::super::coord::wrap`], for the modes without border.
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
            Clamp::MirrorOnceLastTexel => S::min(S::xor(i, S::sar(i, 31)), S::i(n - 1)),
            _ => S::min(S::max(i, S::i(0)), S::i(n - 1)),
        }
    }
}

/// Taps of a linear filter along an axis.
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
pub unsafe fn linear<S: Simd>(
    level: &Level,
    axis: usize,
    n: i32,
    texels: S::F,
    offset: S::I,
    mode: Clamp,
    coarse: bool,
    m: S::M,
) -> Axis<S> {
    // SAFETY: wrapped indices lie in the level.
    unsafe {
        let fixed = S::add(fixed::<S>(S::sub_f(texels, S::f(0.5)), mode), S::shl(offset, 8));
        let first = S::sar(fixed, 8);
        let near = share::<S>(level, axis, wrap::<S>(first, mode, n), m);
        let far = share::<S>(level, axis, wrap::<S>(S::add(first, S::i(1)), mode, n), m);
        Axis { tap: [near, far], weight: S::and(fixed, S::i(if coarse { 0x80 } else { 0xff })) }
    }
}

/// The tap of a point filter, as both taps.
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
pub unsafe fn point<S: Simd>(
    level: &Level,
    axis: usize,
    n: i32,
    texels: S::F,
    offset: S::I,
    mode: Clamp,
    truncate: bool,
    m: S::M,
) -> Axis<S> {
    // SAFETY: wrapped indices lie in the level.
    unsafe {
        let fixed = fixed::<S>(if truncate { S::floor(texels) } else { texels }, mode);
        let tap = share::<S>(level, axis, wrap::<S>(S::add(S::sar(fixed, 8), offset), mode, n), m);
        Axis { tap: [tap; 2], weight: S::i(0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nibbles_repeat_where_the_table_does() {
        for len in [1, 2, 8, 16, 128, 256] {
            let table: Arc<[u32]> = (0..len).map(|n| n << 4 | 0x8000_0000).collect();
            let flips = Flips::new(table.clone());
            let nibbles = flips.nibbles.as_ref().unwrap();
            for i in 0..1024_usize {
                let by_nibbles = nibbles.iter().enumerate().fold(flips.first() as u32, |all, (part, t)| all ^ t[i >> (4 * part) & 15]);
                assert_eq!(by_nibbles, table[i & (table.len() - 1)], "{i} of {len}");
            }
        }
    }
}
