//! One texture coordinate: to fixed point, and its taps through the clamp mode.
//!
//! A coordinate in texels is a fixed-point number with 8 fraction bits (24.8, saturated at ±2^22 texels), rounded to nearest even. Linear
//! filters count from texel centers, so that the whole part is the lower tap and the fraction the weight of the upper one. Weights are
//! integers of 256.
//!
//! Reference: the Direct3D 11.3 functional specification, "texture addressing" and "linear sample addressing"; the names of the clamp modes
//! are those of AMD's register database. The SIMD kernels do the same arithmetic; `kernel/mod.rs` says where they may be used.

/// Clamp modes of a sampler (CLAMP_X and so on).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Clamp {
    /// Repeat.
    Wrap = 0,
    /// Repeat, every other time mirrored.
    Mirror = 1,
    /// The edge texel goes on.
    LastTexel = 2,
    /// Mirrored at 0, then the edge texel goes on.
    MirrorOnceLastTexel = 3,
    /// Half a texel of border at most.
    HalfBorder = 4,
    /// Mirrored at 0, then half a texel of border at most.
    MirrorOnceHalfBorder = 5,
    /// Outside is border.
    Border = 6,
    /// Mirrored at 0, then border.
    MirrorOnceBorder = 7,
}

impl Clamp {
    /// The mode of a field of three bits.
    pub fn from_field(n: u32) -> Clamp {
        use Clamp::*;
        [Wrap, Mirror, LastTexel, MirrorOnceLastTexel, HalfBorder, MirrorOnceHalfBorder, Border, MirrorOnceBorder][(n & 7) as usize]
    }

    /// The mode for coordinates in texels, which know no repetition.
    pub fn unnormalized(self) -> Clamp {
        match self {
            Clamp::HalfBorder | Clamp::Border => self,
            _ => Clamp::LastTexel,
        }
    }

    /// Can a tap be border?
    pub fn has_border(self) -> bool {
        self as u8 >= 4
    }
}

/// Tap index that stands for the border color.
pub const BORDER: i32 = -1;

/// Greatest coordinate in texels before saturation.
const LIMIT: f32 = 4_194_304.0;

/// Texels to 24.8, rounded to nearest even. A NaN is 0; an infinity saturates, except that repetition makes it 0.
pub fn to_fixed(texels: f32, mode: Clamp) -> i32 {
    let texels = match mode {
        _ if texels.is_nan() => 0.0,
        Clamp::Wrap | Clamp::Mirror if texels.is_infinite() => 0.0,
        _ => texels.clamp(-LIMIT, LIMIT),
    };
    (texels * 256.0).round_ties_even() as i32
}

/// The two taps of a linear filter along one axis, and the weight of the second in 1/256.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taps {
    /// Index in the level, or [`BORDER`].
    pub index: [i32; 2],
    /// Weight of `index[1]`: 0 to 255.
    pub weight: u32,
}

/// Whole texel of a fixed-point coordinate counted from the center of texel 0, and the fraction; with the half-border modes' clamp.
fn limit(fixed: i32, mode: Clamp, size: i32) -> i32 {
    let corner = fixed + 128;
    match mode {
        Clamp::HalfBorder => corner.clamp(0, size * 256) - 128,
        Clamp::MirrorOnceHalfBorder => corner.abs().clamp(0, size * 256) - 128,
        _ => fixed,
    }
}

/// Taps of a linear filter at `texels`, moved by `offset` texels, in a level of `size` texels. `coarse`: the fraction has one bit
/// (S#.mc_coord_trunc).
pub fn linear(texels: f32, offset: i32, mode: Clamp, size: i32, coarse: bool) -> Taps {
    let fixed = limit(to_fixed(texels - 0.5, mode) + offset * 256, mode, size);
    let first = fixed >> 8;
    let weight = (fixed & if coarse { 0x80 } else { 0xff }) as u32;
    Taps { index: [wrap(first, mode, size), wrap(first + 1, mode, size)], weight }
}

/// The tap of a point filter. `truncate`: round down exactly; otherwise after rounding to 1/256, so that a coordinate within 1/512 below an
/// edge takes the upper texel.
pub fn point(texels: f32, offset: i32, mode: Clamp, size: i32, truncate: bool) -> i32 {
    let first = if truncate { to_fixed(texels.floor(), mode) } else { to_fixed(texels, mode) };
    let first = (first >> 8) + offset;
    let first = match mode {
        // the coordinate is clamped to the image, of which the upper edge belongs to the last texel
        Clamp::HalfBorder => first.clamp(0, size - 1),
        Clamp::MirrorOnceHalfBorder => mirror_once(first).min(size - 1),
        _ => first,
    };
    wrap(first, mode, size)
}

fn mirror_once(i: i32) -> i32 {
    if i < 0 { -1 - i } else { i }
}

/// Index of tap `i` in a level of `size` texels: from 0 to `size` - 1, or [`BORDER`].
pub fn wrap(i: i32, mode: Clamp, size: i32) -> i32 {
    let border_outside = |i: i32| if (0..size).contains(&i) { i } else { BORDER };
    match mode {
        Clamp::Wrap => i.rem_euclid(size),
        Clamp::Mirror => {
            let p = i.rem_euclid(2 * size);
            if p < size { p } else { 2 * size - 1 - p }
        }
        Clamp::LastTexel => i.clamp(0, size - 1),
        Clamp::MirrorOnceLastTexel => mirror_once(i).min(size - 1),
        // limited before
        Clamp::HalfBorder | Clamp::MirrorOnceHalfBorder | Clamp::Border => border_outside(i),
        Clamp::MirrorOnceBorder => border_outside(mirror_once(i)),
    }
}

/// Array layer of a coordinate: nearest even, or truncated, from 0 to `last`; a NaN is 0.
pub fn layer(coordinate: f32, last: u32, truncate: bool) -> u32 {
    let rounded = if truncate { coordinate.trunc() } else { coordinate.round_ties_even() };
    // `as` saturates and makes 0 of a NaN
    (rounded as u32).min(last)
}

/// The three texel offsets of an offset operand, 6 bits each, signed (IMG-17).
pub fn offsets(word: u32) -> [i32; 3] {
    [0, 8, 16].map(|at| (word << (26 - at)) as i32 >> 26)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_clamp_mode_follows_its_rule() {
        use Clamp::*;
        let taps = |mode| [-6, -5, -2, -1, 0, 3, 4, 5, 9].map(|i| wrap(i, mode, 4));
        assert_eq!(taps(Wrap), [2, 3, 2, 3, 0, 3, 0, 1, 1]);
        assert_eq!(taps(Mirror), [2, 3, 1, 0, 0, 3, 3, 2, 1]);
        assert_eq!(taps(LastTexel), [0, 0, 0, 0, 0, 3, 3, 3, 3]);
        assert_eq!(taps(MirrorOnceLastTexel), [3, 3, 1, 0, 0, 3, 3, 3, 3]);
        assert_eq!(taps(Border), [-1, -1, -1, -1, 0, 3, -1, -1, -1]);
        assert_eq!(taps(MirrorOnceBorder), [-1, -1, 1, 0, 0, 3, -1, -1, -1]);
    }

    #[test]
    fn linear_taps_lie_on_both_sides_of_the_coordinate() {
        let t = linear(1.75, 0, Clamp::Wrap, 4, false);
        assert_eq!((t.index, t.weight), ([1, 2], 64));
        let t = linear(0.25, 0, Clamp::Wrap, 4, false);
        assert_eq!((t.index, t.weight), ([3, 0], 192));
        // IMG-17: offsets move by whole texels before the wrap
        let t = linear(1.75, -3, Clamp::LastTexel, 4, false);
        assert_eq!((t.index, t.weight), ([0, 0], 64));
        // one bit of fraction
        assert_eq!(linear(1.75, 0, Clamp::Wrap, 4, true).weight, 0);
        assert_eq!(linear(1.3, 0, Clamp::Wrap, 4, true).weight, 128);
    }

    #[test]
    fn half_border_mixes_at_most_half_of_it() {
        let t = linear(-3.0, 0, Clamp::HalfBorder, 4, false);
        assert_eq!((t.index, t.weight), ([BORDER, 0], 128));
        let t = linear(90.0, 0, Clamp::HalfBorder, 4, false);
        assert_eq!((t.index, t.weight), ([3, BORDER], 128));
        let t = linear(-90.0, 0, Clamp::MirrorOnceHalfBorder, 4, false);
        assert_eq!((t.index, t.weight), ([3, BORDER], 128));
        assert_eq!(point(9.0, 0, Clamp::HalfBorder, 4, false), 3);
        assert_eq!(point(-9.0, 0, Clamp::HalfBorder, 4, false), 0);
    }

    #[test]
    fn points_snap_to_the_grid_of_weights_unless_truncated() {
        let just_below = 2.0 - 1.0 / 1024.0;
        assert_eq!(point(just_below, 0, Clamp::LastTexel, 4, false), 2);
        assert_eq!(point(just_below, 0, Clamp::LastTexel, 4, true), 1);
        assert_eq!(point(-0.25, 0, Clamp::Border, 4, true), BORDER);
    }

    #[test]
    fn no_coordinate_is_without_a_tap() {
        for mode in (0..8).map(Clamp::from_field) {
            for u in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -3e30, 1e-40, -0.0] {
                for size in [1, 3, 16384] {
                    for i in linear(u, 31, mode, size, false).index.into_iter().chain([point(u, -32, mode, size, true)]) {
                        assert!((BORDER..size).contains(&i) && (i != BORDER || mode.has_border()));
                    }
                }
            }
        }
        assert_eq!(point(f32::INFINITY, 0, Clamp::Wrap, 7, false), 0);
        assert_eq!(point(f32::INFINITY, 0, Clamp::LastTexel, 7, false), 6);
        assert_eq!(point(f32::NAN, 0, Clamp::LastTexel, 7, false), 0);
    }

    #[test]
    fn layers_round_to_even_and_stay_in_the_array() {
        assert_eq!([-1.0, 0.5, 1.5, 2.5, 9.0, f32::NAN].map(|l| layer(l, 5, false)), [0, 0, 2, 2, 5, 0]);
        assert_eq!(layer(1.9, 5, true), 1);
    }

    // IMG-17
    #[test]
    fn offsets_are_signed_six_bit_fields() {
        assert_eq!(offsets(0x3f | 0x20 << 8 | 0x1f << 16), [-1, -32, 31]);
        assert_eq!(offsets(0xffc0_c0c0), [0, 0, 0]);
    }
}
