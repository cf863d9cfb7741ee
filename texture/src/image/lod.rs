//! Level of detail: derivatives to a level number, its biases and bounds, and which levels that selects.
//!
//! Levels are fixed-point numbers with 8 fraction bits ([`Lambda`]), the precision of the limits in T# and S#. The logarithm is exactly the
//! nearest such number to the true one of the f32 ρ², found in a table of the mantissa; scalar code and kernels share the table.
//!
//! Reference: the Direct3D 11.3 functional specification, "LOD calculations"; field widths from the RDNA3 ISA, tables of T# and S#.

use crate::lazy::Lazy;

/// A level number relative to the view's first level, times 256.
pub type Lambda = i32;

/// What stands for a level of minus infinity, of a quad without extent.
pub const LOWEST: Lambda = -(1 << 20);

/// By the upper 8 bits of the mantissa m of ρ²: bits 31:16 the nearest to 128 log2 at the start of that range, bits 15:0 the lower 15 bits of
/// the first mantissa for which it is one more (0x8000: none). The function grows by less than 1 over a range.
pub(crate) static LOG_TABLE: Lazy<[u32; 256]> = Lazy::new(|| {
    std::array::from_fn(|range| {
        let mantissa = |half: f64| (half / 128.0).exp2() * f64::from(1 << 23) - f64::from(1 << 23);
        let start = (range << 15) as f64;
        let at_start = ((1.0 + start / f64::from(1 << 23)).log2() * 128.0).round();
        let step = (mantissa(at_start + 0.5).ceil() - start).min(32768.0);
        (at_start as u32) << 16 | step as u32
    })
});

/// log2(ρ) of ρ², rounded to 1/256. 0 and what is as small as a denormal: [`LOWEST`]; infinite or not a number: 128 levels.
pub fn log2_of_square(square: f32) -> Lambda {
    let bits = square.to_bits();
    let exponent = (bits >> 23) as i32;
    if exponent == 0 {
        return LOWEST;
    }
    if exponent >= 0xff {
        return 128 * 256; // also negative numbers, which a sum of squares is not
    }
    let entry = LOG_TABLE[(bits >> 15 & 0xff) as usize];
    let step = i32::from(bits & 0x7fff >= entry & 0xffff);
    (exponent - 127) * 128 + (entry >> 16) as i32 + step
}

/// An operand or limit as a level; a NaN is 0.
pub fn to_lambda(level: f32) -> Lambda {
    (level.clamp(-4096.0, 4096.0) * 256.0).round_ties_even() as i32
}

/// Squared lengths of the two derivative vectors, in texels.
pub fn squares(dh: [f32; 3], dv: [f32; 3]) -> [f32; 2] {
    [dh, dv].map(|[s, t, r]| (s * s + t * t) + r * r)
}

/// Level of the longer derivative.
pub fn isotropic(dh: [f32; 3], dv: [f32; 3]) -> Lambda {
    let [h, v] = squares(dh, dv);
    log2_of_square(if h > v { h } else { v })
}

/// Anisotropic footprint: samples along the longer derivative, and the level of the shorter one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Anisotropy {
    /// Number of samples: 1 to 16.
    pub samples: u32,
    /// Is the first derivative (dh) the longer one?
    pub along_h: bool,
    /// log2 of the long side divided by the ratio.
    pub lambda: Lambda,
}

/// Of a footprint with sides `dh` and `dv`, for a sampler that allows `1 << max_ratio` samples.
pub fn anisotropic(dh: [f32; 3], dv: [f32; 3], max_ratio: u32) -> Anisotropy {
    let [h, v] = squares(dh, dv);
    let along_h = h > v;
    let (long, short) = if along_h { (h, v) } else { (v, h) };
    let most = (1 << max_ratio.min(4)) as f32;
    let ratio = if short > 0.0 { (long / short).sqrt().min(most) } else { most };
    let ratio = if ratio >= 1.0 { ratio } else { 1.0 }; // also of 0/0 and inf/inf
    Anisotropy { samples: (ratio.ceil() as u32).clamp(1, 16), along_h, lambda: log2_of_square(long / (ratio * ratio)) }
}

/// Bounds on the level from sampler and view.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bounds {
    /// S#.lod_bias and lod_bias_sec together.
    pub bias: Lambda,
    /// S#.min_lod.
    pub min: Lambda,
    /// S#.max_lod; stronger than `min`.
    pub max: Lambda,
    /// T#.min_lod, counted from the view's first level.
    pub view_min: Lambda,
}

impl Bounds {
    /// The level after bounds; `operand_min` is the operand of `_cl`.
    pub fn apply(&self, lambda: Lambda, operand_min: Option<Lambda>) -> Lambda {
        let lambda = operand_min.map_or(lambda, |min| lambda.max(min));
        lambda.max(self.min).min(self.max).max(self.view_min)
    }
}

/// How a sampler goes between levels (MIP_FILTER).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MipFilter {
    /// The first level only.
    None,
    /// The nearest level.
    Point,
    /// Between two levels.
    Linear,
}

/// Two levels, counted from the view's first, and the weight of the second in 1/256.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Levels {
    /// The finer one and the coarser one.
    pub level: [u32; 2],
    /// Weight of the second: 0 to 255.
    pub weight: u32,
}

/// Levels of a view whose last level is `last` (counted from its first).
pub fn select(lambda: Lambda, filter: MipFilter, last: u32) -> Levels {
    let most = last as i32 * 256;
    let single = |level: u32| Levels { level: [level; 2], weight: 0 };
    match filter {
        MipFilter::None => single(0),
        MipFilter::Point => single(((lambda + 128) >> 8).clamp(0, last as i32) as u32),
        MipFilter::Linear if lambda <= 0 => single(0),
        MipFilter::Linear if lambda >= most => single(last),
        MipFilter::Linear => {
            let first = (lambda >> 8) as u32;
            Levels { level: [first, first + 1], weight: (lambda & 0xff) as u32 }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_the_nearest_in_8_bits() {
        let mut bits = 0x0080_0000_u32;
        while bits < 0x7f80_0000 {
            let square = f32::from_bits(bits);
            let exact = f64::from(square).log2() * 128.0;
            assert!((f64::from(log2_of_square(square)) - exact).abs() <= 0.5 + 1e-9, "{square:e}");
            bits += 7919;
        }
        assert_eq!([0.0, 1e-40].map(log2_of_square), [LOWEST; 2]);
        assert_eq!([f32::INFINITY, f32::NAN].map(log2_of_square), [128 * 256; 2]);
        assert_eq!([0.25, 1.0, 4.0, 16.0].map(log2_of_square), [-256, 0, 256, 512]);
    }

    #[test]
    fn one_range_of_the_table_holds_at_most_one_step() {
        for range in 0..256 {
            let last = f32::from_bits(127 << 23 | range << 15 | 0x7fff);
            let exact = (f64::from(last).log2() * 128.0).round() as i32;
            assert!(exact - (LOG_TABLE[range as usize] >> 16) as i32 <= 1);
        }
    }

    #[test]
    fn the_longer_derivative_counts() {
        assert_eq!(isotropic([4.0, 0.0, 0.0], [0.0, 2.0, 0.0]), 512);
        assert_eq!(isotropic([0.0; 3], [3.0, 0.0, 4.0]), log2_of_square(25.0));
    }

    #[test]
    fn a_ratio_of_one_is_isotropic() {
        let a = anisotropic([2.0, 0.0, 0.0], [0.0, 2.0, 0.0], 4);
        assert_eq!((a.samples, a.lambda), (1, 256));
        let a = anisotropic([16.0, 0.0, 0.0], [0.0, 2.0, 0.0], 4);
        assert_eq!((a.samples, a.along_h, a.lambda), (8, true, 256));
        // more than the sampler allows: the level grows instead
        let a = anisotropic([0.0, 2.0, 0.0], [16.0, 0.0, 0.0], 1);
        assert_eq!((a.samples, a.along_h, a.lambda), (2, false, 768));
        assert_eq!(anisotropic([0.0; 3], [f32::NAN; 3], 4).samples, 16);
        assert_eq!(anisotropic([8.0, 0.0, 0.0], [0.0; 3], 2).samples, 4);
    }

    #[test]
    fn the_upper_bound_wins_and_the_view_has_the_last_word() {
        let b = Bounds { bias: 0, min: 512, max: 256, view_min: 0 };
        assert_eq!(b.apply(0, None), 256);
        let b = Bounds { bias: 0, min: 0, max: 1024, view_min: 300 };
        assert_eq!(b.apply(100, None), 300);
        assert_eq!(b.apply(100, Some(700)), 700);
        assert_eq!(b.apply(100, Some(9999)), 1024);
    }

    #[test]
    fn levels_of_each_filter() {
        let l = |lambda, filter| {
            let l = select(lambda, filter, 3);
            (l.level[0], l.level[1], l.weight)
        };
        assert_eq!(l(640, MipFilter::None), (0, 0, 0));
        assert_eq!((l(383, MipFilter::Point), l(384, MipFilter::Point)), ((1, 1, 0), (2, 2, 0)));
        assert_eq!((l(-9, MipFilter::Point), l(9999, MipFilter::Point)), ((0, 0, 0), (3, 3, 0)));
        assert_eq!((l(300, MipFilter::Linear), l(-300, MipFilter::Linear)), ((1, 2, 44), (0, 0, 0)));
        assert_eq!((l(767, MipFilter::Linear), l(768, MipFilter::Linear)), ((2, 3, 255), (3, 3, 0)));
    }
}
