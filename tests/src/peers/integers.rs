//! Integers of 64 bits, random numbers, atomics on global memory.

use super::Size;
use crate::case::{Case, Random};

/// Powers modulo 2^63 - 25, by 128-bit division here.
pub(super) fn modpow64(size: Size) -> Case {
    let n = size.of(1 << 17, 256usize);
    let (modulus, exponent) = ((1u64 << 63) - 25, 0xdead_beef_cafe_f00du64);
    let bases = Random(21).many(n, Random::u64);
    let times = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(modulus)) as u64;
    let power = |base: u64| {
        let (mut square, mut result, mut e) = (base % modulus, 1, exponent);
        while e != 0 {
            if e & 1 != 0 {
                result = times(result, square);
            }
            square = times(square, square);
            e >>= 1;
        }
        result
    };
    let want: Vec<u64> = bases.iter().map(|&b| power(b)).collect();
    // Newton's iteration doubles the bits of an inverse modulo a power of two
    let inverse = (0..6).fold(modulus, |x, _| x.wrapping_mul(2u64.wrapping_sub(modulus.wrapping_mul(x))));
    let one = (u128::from(u64::MAX) + 1) % u128::from(modulus);
    Case::line("modpow64", n as u32, 256)
        .input(&bases)
        .output(&want)
        .value(exponent)
        .value(modulus)
        .value(inverse.wrapping_neg())
        .value(one as u64)
        .value(times(one as u64, one as u64))
}

/// Streams of two generators.
pub(super) fn xorshift64(size: Size) -> Case {
    let (n, steps) = size.of((1u64 << 18, 256), (512, 20));
    let seed = 0x0123_4567_89ab_cdefu64;
    let stream = |i: u64| {
        let z = Random(seed.wrapping_add(i.wrapping_mul(0x9e37_79b9_7f4a_7c15))).u64();
        // the kernel keeps SplitMix64's second product for the other stream, before the last shift
        let last = (0..2).fold(z, |x, _| z ^ x >> 31);
        let (mut x, mut linear, mut sum) = (z | 1, last, 0u64);
        for _ in 0..steps {
            x ^= x >> 12;
            x ^= x << 25;
            x ^= x >> 27;
            linear = linear.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            sum = sum.rotate_left(7).wrapping_add(x.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ linear >> 17);
        }
        sum
    };
    let want: Vec<u64> = (0..n).map(stream).collect();
    Case::line("xorshift64", n as u32, 256).output(&want).value(seed).value(steps)
}

/// Points of PCG ("RXS-M-XS", O'Neill 2014) inside a circle.
pub(super) fn monte_pi(size: Size) -> Case {
    let (n, points) = size.of((1u32 << 18, 256), (256, 20));
    let seed = 99u32;
    let inside = |i: u32| {
        let mut state = (seed ^ i).wrapping_mul(2_654_435_761);
        let mut draw = || {
            let s = state;
            state = s.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            let word = (s >> ((s >> 28) + 4) ^ s).wrapping_mul(277_803_737);
            ((word >> 22 ^ word) >> 8) as f32 / 16_777_216.0
        };
        let mut hit = || {
            let (x, y) = (draw(), draw());
            x.mul_add(x, y * y) < 1.0
        };
        (0..points).filter(|_| hit()).count() as u32
    };
    let want: Vec<u32> = (0..n).map(inside).collect();
    Case::line("monte_pi", n, 128).output(&want).value(seed).value(points)
}

/// Counts of the upper 12 bits.
pub(super) fn hist_global(size: Size) -> Case {
    let (n, items) = size.of((1 << 21, 1 << 16), (4000usize, 1024));
    let data = Random(22).many(n, Random::u32);
    let mut bins = vec![0u32; 4096];
    for x in &data {
        bins[(x >> 20) as usize] += 1;
    }
    Case::line("hist_global", items, 256).input(&data).output(&bins).value(n as i32)
}
