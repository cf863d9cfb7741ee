//! Random numbers for tests and benches: the sequence of a seed never changes, so that failures repeat.
//!
//! SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators"), whose every seed is a good one.
//! (`buf:rand` of the command line promises its numbers to users and has the generator of its own, in `runtime/cli/src/value.rs`.)

#![forbid(unsafe_code)]

/// Words at which operations change their ways: shift counts, limits of integers, and of f32 and pairs of f16 zeros, ones, denormals, limits, infinities
/// and NaNs.
#[rustfmt::skip]
pub const SPECIAL_WORDS: [u32; 32] = [
    0, 1, 2, 15, 16, 31, 32, 33, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0x8000_0003, 0xffff_ffff,
    0x3f80_0000, 0xbf80_0000, 0x007f_ffff, 0x7f7f_ffff, 0x4f00_0000, 0xcf00_0001, 0x7f80_0000, 0xff80_0000, 0x7fc0_1234, 0xffc0_0001, 0x7f80_0001, 0xff80_0002,
    0x3c00_bc00, 0x7c01_7e00, 0x0001_8001, 0x7fff_8000, 0x7bff_fbff, 0x7c00_fc00, 0x0400_8400,
];

/// A generator; the number is its seed, then its state.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// 64 random bits.
    pub fn u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// 32 random bits.
    pub fn u32(&mut self) -> u32 {
        (self.u64() >> 32) as u32
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.u32()) * u64::from(n)) >> 32) as u32
    }

    /// A number below `n`.
    pub fn below64(&mut self, n: u64) -> u64 {
        ((u128::from(self.u64()) * u128::from(n)) >> 64) as u64
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// One of a list.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u32) as usize]
    }

    /// A float in `[low, high)`, with a 24-bit fraction.
    pub fn f32(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.u32() >> 8) as f32 * (1.0 / 16_777_216.0)
    }

    /// A double in `[low, high)`.
    pub fn f64(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// `n` of anything.
    pub fn many<T>(&mut self, n: usize, mut one: impl FnMut(&mut Random) -> T) -> Vec<T> {
        (0..n).map(|_| one(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The first outputs of the authors' reference implementation for seed 1234567.
    #[test]
    fn numbers_are_those_of_splitmix64() {
        let mut random = Random(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([random.u64(), random.u64(), random.u64()], expected);
    }

    #[test]
    fn numbers_stay_in_their_range() {
        let mut random = Random(0);
        for n in 1..100 {
            assert!(random.below(n) < n);
            assert!((1.0..2.0).contains(&random.f32(1.0, 2.0)));
            assert!((-1.0..1.0).contains(&random.f64(-1.0, 1.0)));
        }
        assert!(random.one_in(1) && random.pick(&[7]) == 7);
    }
}
