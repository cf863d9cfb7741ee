//! Blending of texels: bilinear, between planes and levels, minimum and maximum, comparison.
//!
//! Weights are integers of 256; the arithmetic is f32 without fused operations, so that the SIMD kernels come to the same bits. A texel of
//! weight 0 takes no part: it is neither read nor multiplied (an infinity there must not become a NaN).
//!
//! Images whose channels are all 8-bit UNORM are blended as numbers from 0 to 255 and divided at the end: with weights of 8 bits every step
//! before the division is exact in f32, in any order.
//!
//! Reference: the Direct3D 11.3 functional specification, "texture filtering"; filter and compare codes are those of S#.

/// Any NaN becomes the default one: which of two NaNs an addition returns is the compiler's choice.
pub(super) fn settle(x: f32) -> f32 {
    if x.is_nan() { f32::from_bits(0x7fc0_0000) } else { x }
}

/// `a` and `b` in the ratio (256 - w) : w.
pub fn lerp(a: f32, b: f32, w: u32) -> f32 {
    if w == 0 {
        return a;
    }
    let w = w as f32 / 256.0;
    settle(a * (1.0 - w) + b * w)
}

/// Four texels, left and right of the upper row (smaller j), then of the lower; those of weight 0 must be 0.
pub fn bilinear([t00, t10, t01, t11]: [f32; 4], wx: u32, wy: u32) -> f32 {
    let (x, y) = (wx as f32 / 256.0, wy as f32 / 256.0);
    let upper = t00 * (1.0 - x) + t10 * x;
    let lower = t01 * (1.0 - x) + t11 * x;
    settle(upper * (1.0 - y) + lower * y)
}

/// How taps become one value (FILTER_MODE).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reduction {
    /// Weighted sum.
    Blend,
    /// Smallest of the taps with weight.
    Min,
    /// Largest of the taps with weight.
    Max,
}

impl Reduction {
    /// Smaller or larger of two; a number beats a NaN.
    pub fn pick(self, a: f32, b: f32) -> f32 {
        match self {
            _ if a.is_nan() => b,
            _ if b.is_nan() => a,
            Reduction::Max => {
                if b > a {
                    b
                } else {
                    a
                }
            }
            _ => {
                if b < a {
                    b
                } else {
                    a
                }
            }
        }
    }
}

/// Depth comparison (DEPTH_COMPARE_FUNC): the reference is on the left.
pub fn compare(function: u32, reference: f32, texel: f32) -> bool {
    match function & 7 {
        0 => false,
        1 => reference < texel,
        2 => reference == texel,
        3 => reference <= texel,
        4 => reference > texel,
        5 => reference != texel,
        6 => reference >= texel,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blends_of_bytes_are_exact() {
        // (255 * 192 * 64 + 100 * 64 * 64 + 3 * 192 * 192 + 7 * 64 * 192) / 65536
        let exact = (255 * 192 * 64 + 100 * 64 * 64 + 3 * 192 * 192 + 7 * 64 * 192) as f32 / 65536.0;
        assert_eq!(bilinear([255.0, 100.0, 3.0, 7.0], 64, 192), exact);
        assert_eq!(bilinear([255.0, 0.0, 0.0, 0.0], 0, 0), 255.0);
        assert_eq!(lerp(f32::INFINITY, 3.0, 0), f32::INFINITY);
    }

    #[test]
    fn numbers_beat_nans_in_reductions() {
        for r in [Reduction::Min, Reduction::Max] {
            assert_eq!((r.pick(f32::NAN, 1.0), r.pick(1.0, f32::NAN)), (1.0, 1.0));
        }
        assert_eq!((Reduction::Min.pick(2.0, 1.0), Reduction::Max.pick(2.0, 1.0)), (1.0, 2.0));
    }

    // GCN-21
    #[test]
    fn the_reference_is_on_the_left() {
        let results = |r, t| (0..8).map(|f| compare(f, r, t)).collect::<Vec<_>>();
        assert_eq!(results(1.0, 2.0), [false, true, false, true, false, true, false, true]);
        assert_eq!(results(2.0, 2.0), [false, false, true, true, false, false, true, true]);
        assert_eq!(results(3.0, 2.0), [false, false, false, false, true, true, true, true]);
    }
}
