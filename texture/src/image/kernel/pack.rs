//! Packing the channels that stores give into texels: twins of the formats' encoders.

use crate::simd::Simd;

/// How texels of a kind are packed.
pub(super) trait Pack {
    /// Dwords of a texel.
    const WORDS: usize;
    /// The dwords of texels, from their channels.
    unsafe fn pack<S: Simd>(channels: [S::I; 4]) -> [S::I; 4];
}

/// 8_8_8_8_UNORM.
pub(super) struct PackBytes;

impl Pack for PackBytes {
    const WORDS: usize = 1;
    #[inline(always)]
    unsafe fn pack<S: Simd>(channels: [S::I; 4]) -> [S::I; 4] {
        const ONES: f32 = 12_582_912.0; // 1.5 * 2^23: the sum rounds to whole numbers, once
        // SAFETY: no memory is touched.
        unsafe {
            let mut word = S::i(0);
            for c in 0..4 {
                let x = S::min_f(S::max_f(S::as_f(channels[c]), S::f(0.0)), S::f(1.0));
                let byte = S::sub(S::as_i(S::fma(x, S::f(255.0), S::f(ONES))), S::i(ONES.to_bits() as i32));
                word = S::or(word, S::shl(byte, 8 * c as i32));
            }
            [word; 4]
        }
    }
}

/// f16 channels: 2 or 4.
pub(super) struct PackHalves<const N: usize>;

impl<const N: usize> Pack for PackHalves<N> {
    const WORDS: usize = N / 2;
    #[inline(always)]
    unsafe fn pack<S: Simd>(channels: [S::I; 4]) -> [S::I; 4] {
        // SAFETY: no memory is touched.
        unsafe {
            let mut words = [S::i(0); 4];
            for n in 0..N / 2 {
                let [low, high] = [S::to_half(S::as_f(channels[2 * n])), S::to_half(S::as_f(channels[2 * n + 1]))];
                words[n] = S::or(low, S::shl(high, 16));
            }
            words
        }
    }
}

/// Channels of 32 bits: 1, 2 or 4.
pub(super) struct PackDwords<const N: usize>;

impl<const N: usize> Pack for PackDwords<N> {
    const WORDS: usize = N;
    #[inline(always)]
    unsafe fn pack<S: Simd>(channels: [S::I; 4]) -> [S::I; 4] {
        channels
    }
}
