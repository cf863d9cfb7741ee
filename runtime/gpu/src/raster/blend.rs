//! Colors into tiles: conversion, blending, logic operations, write masks (graphics.md 5.7).
//!
//! A wave's colors come as rows of components; they are encoded a wave at a time by the texture crate and put into the tile quad by quad. Where
//! the result depends on what the tile holds, a wave is cut into runs of quads of which no two are in the same place.

use super::depth::{QuadPlace, samples_of};
use super::export::{LANES, Rows};
use super::shape::TILE;
use super::surface::TileBytes;
use crate::registers::color::{BlendEquation, Target};
use wavejit_texture::format::{Layout, Numeric};

/// A quad whose samples are to be written: its place in the tile, and which samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Written {
    pub place: QuadPlace,
    pub coverage: u32,
}

type FloatRows = [[f32; LANES]; 4];

/// Most bytes of an element.
pub(crate) const MOST_BYTES: usize = 16;

/// Writes a wave's colors to a target's tile. Quad n has lanes `4 * n` to `4 * n + 3`.
pub(crate) fn write(target: &Target, constants: [f32; 4], colors: &Rows, second: Option<&Rows>, quads: &[Written], tile: &mut TileBytes) {
    let keep = kept_bits(target);
    let mut elements = [0; LANES * MOST_BYTES];
    match (target.blend, target.logic) {
        (None, None) => {
            encode(target, colors, &mut elements);
            for sample in 0..target.samples as usize {
                scatter(target, &elements, quads, 0, sample, keep, tile);
            }
        }
        _ => {
            for (first, run) in runs(quads) {
                for sample in 0..target.samples as usize {
                    let mut old = [0; LANES * MOST_BYTES];
                    if !gather(target, run, first, sample, tile, &mut old) {
                        continue;
                    }
                    mix(target, constants, colors, second, &old, &mut elements);
                    scatter(target, &elements, run, first, sample, keep, tile);
                }
            }
        }
    }
}

/// Elements of a target that blends, or has a logic operation, where it holds `old`.
pub(crate) fn mix(
    target: &Target,
    constants: [f32; 4],
    colors: &Rows,
    second: Option<&Rows>,
    old: &[u8; LANES * MOST_BYTES],
    elements: &mut [u8; LANES * MOST_BYTES],
) {
    if let Some(equations) = &target.blend {
        let destination = decode(target, old);
        let mixed = blended(target, equations, constants, colors, second, &destination);
        encode(target, &mixed, elements);
        return;
    }
    encode(target, colors, elements);
    if let Some(rop) = target.logic {
        let bytes = LANES * usize::from(target.format.bytes);
        elements[..bytes].iter_mut().zip(&old[..bytes]).for_each(|(s, d)| *s = logic_operation(rop, *s, *d));
    }
}

/// Runs of quads of which no two are in the same place, each with the number of its first.
fn runs(quads: &[Written]) -> Vec<(usize, &[Written])> {
    let mut runs = Vec::new();
    let (mut seen, mut first) = ([0u32; TILE as usize / 2], 0);
    for (n, quad) in quads.iter().enumerate() {
        let [x, y] = quad.place.map(|v| usize::from(v) / 2);
        if seen[y] >> x & 1 != 0 {
            runs.push((first, &quads[first..n]));
            (seen, first) = ([0; TILE as usize / 2], n);
        }
        seen[y] |= 1 << x;
    }
    if first < quads.len() {
        runs.push((first, &quads[first..]));
    }
    runs
}

/// Bits of an element that the write mask keeps; none: all are written.
pub(crate) fn kept_bits(target: &Target) -> Option<u128> {
    let format = target.format;
    let channels = format.channels.iter().zip(target.order).filter(|(channel, _)| channel.bits != 0);
    if format.layout != Layout::Plain || channels.clone().all(|(_, c)| target.mask >> c & 1 != 0) {
        return None;
    }
    let bits = |shift: u8, bits: u8| ((1u128 << bits) - 1) << shift;
    Some(channels.filter(|(_, c)| target.mask >> c & 1 == 0).fold(0, |keep, (channel, _)| keep | bits(channel.shift, channel.bits)))
}

/// Elements of all lanes. The texture crate's channels are in the order of memory.
pub(crate) fn encode(target: &Target, colors: &Rows, elements: &mut [u8; LANES * MOST_BYTES]) {
    let rows = target.order.map(|c| &colors[c][..]);
    let is_stored = target.format.encode_many(rows, &mut elements[..LANES * usize::from(target.format.bytes)]);
    debug_assert!(is_stored, "formats of targets can be stored");
}

/// The element of the first lane.
pub(crate) fn element(target: &Target, colors: &Rows) -> [u8; MOST_BYTES] {
    let mut elements = [0; LANES * MOST_BYTES];
    encode(target, colors, &mut elements);
    *elements.first_chunk().unwrap_or(&[0; MOST_BYTES])
}

/// R, G, B, A of elements; missing ones are 0, alpha 1.
fn decode(target: &Target, elements: &[u8; LANES * MOST_BYTES]) -> FloatRows {
    let mut rows = [[0u32; LANES]; 4];
    let [r, g, b, a] = &mut rows;
    target.format.decode_many(&elements[..LANES * usize::from(target.format.bytes)], [r, g, b, a]);
    let mut colors = [[0.0; LANES], [0.0; LANES], [0.0; LANES], [1.0; LANES]];
    for (n, c) in target.order.into_iter().enumerate() {
        if target.format.channels[n].bits != 0 || target.format.layout != Layout::Plain {
            colors[c] = rows[n].map(f32::from_bits);
        }
    }
    if target.alpha_is_one {
        colors[3].fill(1.0);
    }
    colors
}

fn blended(
    target: &Target,
    equations: &[BlendEquation; 2],
    constants: [f32; 4],
    colors: &Rows,
    second: Option<&Rows>,
    destination: &FloatRows,
) -> Rows {
    let range = match target.format.numeric {
        Numeric::Snorm => Some((-1.0, 1.0)),
        Numeric::Float => None,
        _ => Some((0.0, 1.0)),
    }
    .filter(|_| target.clamps);
    // A NaN is 0 where colors are clamped.
    let clamp = |v: f32| {
        range.map_or(v, |(low, high)| {
            if v > low {
                if v < high { v } else { high }
            } else if v.is_nan() {
                0.0
            } else {
                low
            }
        })
    };
    let floats = |rows: &Rows| rows.map(|row| row.map(|v| clamp(f32::from_bits(v))));
    let source = floats(colors);
    let second = second.map_or([[0.0; LANES]; 4], floats);
    let constants = constants.map(clamp);
    let inputs = Inputs { source: &source, second: &second, destination, constants };
    let mut result = [[0u32; LANES]; 4];
    for (c, row) in result.iter_mut().enumerate() {
        let equation = &equations[usize::from(c == 3)];
        let (s, d) = (&source[c], &destination[c]);
        let mut factors = [[0.0; LANES]; 2];
        if equation.function != 2 && equation.function != 3 {
            inputs.factor(equation.source, c, &mut factors[0]);
            inputs.factor(equation.destination, c, &mut factors[1]);
        }
        let [fs, fd] = &factors;
        for lane in 0..LANES {
            // A factor of 0 takes away infinities too, as fixed-function blenders do.
            let term = |v: f32, f: f32| if f == 0.0 { 0.0 } else { v * f };
            let (a, b) = (term(s[lane], fs[lane]), term(d[lane], fd[lane]));
            let value = match equation.function {
                0 => a + b,
                1 => a - b,
                2 => s[lane].min(d[lane]),
                3 => s[lane].max(d[lane]),
                _ => b - a,
            };
            row[lane] = clamp(value).to_bits();
        }
    }
    result
}

struct Inputs<'a> {
    source: &'a FloatRows,
    second: &'a FloatRows,
    destination: &'a FloatRows,
    constants: [f32; 4],
}

impl Inputs<'_> {
    /// A factor by its number (gfx11's), for component `c`.
    fn factor(&self, number: u32, c: usize, to: &mut [f32; LANES]) {
        let inverse = |from: &[f32; LANES]| from.map(|v| 1.0 - v);
        *to = match number {
            0x0 => [0.0; LANES],
            0x1 => [1.0; LANES],
            0x2 => self.source[c],
            0x3 => inverse(&self.source[c]),
            0x4 => self.source[3],
            0x5 => inverse(&self.source[3]),
            0x6 => self.destination[3],
            0x7 => inverse(&self.destination[3]),
            0x8 => self.destination[c],
            0x9 => inverse(&self.destination[c]),
            0xa if c == 3 => [1.0; LANES],
            0xa => std::array::from_fn(|lane| self.source[3][lane].min(1.0 - self.destination[3][lane])),
            0xb => [self.constants[c]; LANES],
            0xc => [1.0 - self.constants[c]; LANES],
            0xd => self.second[c],
            0xe => inverse(&self.second[c]),
            0xf => self.second[3],
            0x10 => inverse(&self.second[3]),
            0x11 => [self.constants[3]; LANES],
            _ => [1.0 - self.constants[3]; LANES],
        };
    }
}

/// Bit 2 * source + destination of the low four bits of ROP3 is the result.
fn logic_operation(rop: u8, source: u8, destination: u8) -> u8 {
    let all = |bit: u8| if rop >> bit & 1 != 0 { 0xff } else { 0 };
    let (s, d) = (source, destination);
    all(3) & s & d | all(2) & s & !d | all(1) & !s & d | all(0) & !s & !d
}

/// Elements of the tile by lane; false: the sample is covered nowhere.
fn gather(target: &Target, quads: &[Written], first: usize, sample: usize, tile: &TileBytes, to: &mut [u8; LANES * MOST_BYTES]) -> bool {
    let bytes = usize::from(target.format.bytes);
    let mut any = false;
    for (n, quad) in quads.iter().enumerate().filter(|(_, q)| q.coverage >> sample & 0x0101_0101 != 0) {
        any = true;
        for row in 0..2 {
            let from = tile.at(sample, usize::from(quad.place[0]), usize::from(quad.place[1]) + row);
            let lane = (4 * (first + n) + 2 * row) * bytes;
            to[lane..lane + 2 * bytes].copy_from_slice(&tile.data[from..from + 2 * bytes]);
        }
    }
    any
}

/// Elements into the tile where the sample is covered.
fn scatter(
    target: &Target,
    elements: &[u8; LANES * MOST_BYTES],
    quads: &[Written],
    first: usize,
    sample: usize,
    keep: Option<u128>,
    tile: &mut TileBytes,
) {
    let bytes = usize::from(target.format.bytes);
    for (n, quad) in quads.iter().enumerate() {
        let covered = quad.coverage >> sample & 0x0101_0101;
        if covered == 0 {
            continue;
        }
        let [x, y] = quad.place.map(usize::from);
        let lane = 4 * (first + n) * bytes;
        if covered == 0x0101_0101 && keep.is_none() {
            let (top, below) = (tile.at(sample, x, y), tile.at(sample, x, y + 1));
            tile.data[top..top + 2 * bytes].copy_from_slice(&elements[lane..lane + 2 * bytes]);
            tile.data[below..below + 2 * bytes].copy_from_slice(&elements[lane + 2 * bytes..lane + 4 * bytes]);
            continue;
        }
        for pixel in (0..4).filter(|pixel| samples_of(covered, *pixel) != 0) {
            let at = tile.at(sample, x + (pixel & 1), y + (pixel >> 1));
            let from = &elements[lane + pixel * bytes..][..bytes];
            let to = &mut tile.data[at..at + bytes];
            match keep {
                None => to.copy_from_slice(from),
                Some(keep) => {
                    to.iter_mut().zip(from).zip(keep.to_le_bytes()).for_each(|((to, from), keep)| *to = *to & keep | from & !keep)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::color::Target;
    use wavejit_texture::Format;
    use wavejit_texture::tiling::Kind;

    fn target(format: u8, number: u8) -> Target {
        Target {
            address: 0,
            mode: 0,
            kind: Kind::TwoD,
            size: [64, 64, 1],
            level: 0,
            levels: 1,
            slices: [0, 0],
            samples: 1,
            format: Format::of_color_target(format, number).unwrap(),
            order: [0, 1, 2, 3],
            mask: 15,
            blend: None,
            clamps: true,
            alpha_is_one: false,
            logic: None,
        }
    }

    fn colors(color: [f32; 4]) -> Rows {
        color.map(|v| [v.to_bits(); LANES])
    }

    fn tile(target: &Target, element: &[u8]) -> TileBytes {
        TileBytes { data: element.repeat(64 * 64 * target.samples as usize), bytes: element.len() }
    }

    const QUAD: [Written; 1] = [Written { place: [2, 4], coverage: 0x0100_0001 }];

    /// Writes one quad's first and last pixel; the element of the first.
    fn element(target: &Target, constants: [f32; 4], color: [f32; 4], old: &[u8]) -> Vec<u8> {
        let mut tile = tile(target, old);
        write(target, constants, &colors(color), Some(&colors([0.25, 0.5, 0.75, 0.125])), &QUAD, &mut tile);
        let at = |x, y| tile.data[tile.at(0, x, y)..][..tile.bytes].to_vec();
        assert_eq!(at(2, 4), at(3, 5));
        assert!(at(3, 4) == old && at(2, 5) == old && at(4, 4) == old);
        at(2, 4)
    }

    #[test]
    fn colors_are_stored_in_the_order_of_the_swap() {
        let mut rgba8 = target(0xa, 0);
        assert_eq!(element(&rgba8, [0.0; 4], [1.0, 0.5, 0.0, 2.0], &[9; 4]), [255, 128, 0, 255]);
        rgba8.order = [2, 1, 0, 3];
        assert_eq!(element(&rgba8, [0.0; 4], [1.0, 0.5, 0.0, 1.0], &[9; 4]), [0, 128, 255, 255]);
        rgba8.mask = 0b0101; // R and B
        assert_eq!(element(&rgba8, [0.0; 4], [1.0, 0.5, 0.0, 1.0], &[9; 4]), [0, 9, 255, 9]);
        let packed = Target { mask: 0b0010, ..target(0x10, 0) };
        assert_eq!(element(&packed, [0.0; 4], [1.0, 1.0, 1.0, 1.0], &[0, 0]), (0x3fu16 << 5).to_le_bytes());
    }

    /// A factor as the table of graphics.md 3.9 has it.
    fn factor(number: u32, s: [f32; 4], t: [f32; 4], d: [f32; 4], k: [f32; 4], c: usize) -> f32 {
        match number {
            0 => 0.0,
            1 => 1.0,
            2 => s[c],
            3 => 1.0 - s[c],
            4 => s[3],
            5 => 1.0 - s[3],
            6 => d[3],
            7 => 1.0 - d[3],
            8 => d[c],
            9 => 1.0 - d[c],
            10 => {
                if c == 3 {
                    1.0
                } else {
                    s[3].min(1.0 - d[3])
                }
            }
            11 => k[c],
            12 => 1.0 - k[c],
            13 => t[c],
            14 => 1.0 - t[c],
            15 => t[3],
            16 => 1.0 - t[3],
            17 => k[3],
            18 => 1.0 - k[3],
            _ => unreachable!(),
        }
    }

    // graphics.md 7, scenes 38 to 40: all factors and functions on 8 bits, to 1.
    #[test]
    fn all_factors_and_functions_blend() {
        let (s, t, k) = ([0.9, 0.2, 0.6, 0.7], [0.25, 0.5, 0.75, 0.125], [0.3, 0.1, 0.8, 0.6]);
        let old = [50u8, 100, 200, 80];
        let d = old.map(|v| f32::from(v) / 255.0);
        for function in 0..5 {
            for (source, destination) in (0..=18).flat_map(|s| (0..=18).map(move |d| (s, d))) {
                let color = BlendEquation { function, source, destination };
                let alpha = BlendEquation { function: (function + 1) % 5, source: destination, destination: source };
                let mut target = target(0xa, 0);
                target.blend = Some([color, alpha]);
                let found = element(&target, k, s, &old);
                for c in 0..4 {
                    let e = if c == 3 { alpha } else { color };
                    let (fs, fd) = (factor(e.source, s, t, d, k, c), factor(e.destination, s, t, d, k, c));
                    let value = match e.function {
                        0 => s[c] * fs + d[c] * fd,
                        1 => s[c] * fs - d[c] * fd,
                        2 => s[c].min(d[c]),
                        3 => s[c].max(d[c]),
                        _ => d[c] * fd - s[c] * fs,
                    };
                    let expected = (value.clamp(0.0, 1.0) * 255.0).round();
                    assert!((f32::from(found[c]) - expected).abs() <= 1.0, "{e:?} component {c}");
                }
            }
        }
    }

    // graphics.md 5.7: sRGB targets blend what is linear; alpha is.
    #[test]
    fn srgb_is_blended_in_linear_light() {
        let mut srgb = target(0xa, 6);
        let half = BlendEquation { function: 0, source: 4, destination: 5 };
        srgb.blend = Some([half; 2]);
        let found = element(&srgb, [0.0; 4], [1.0, 1.0, 1.0, 0.5], &[0, 0, 0, 0]);
        // 0.5 on the curve is 187.5 of 255.
        assert!((i32::from(found[0]) - 188).abs() <= 1 && found[3] == 64, "{found:?}");
    }

    // graphics.md 3.9, ROP3.
    #[test]
    fn logic_operations_work_on_bits() {
        let (s, d) = (0b1100, 0b1010);
        let cases = [
            (0x00, 0),
            (0x11, !(s | d)),
            (0x22, !s & d),
            (0x33, !s),
            (0x44, s & !d),
            (0x55, !d),
            (0x66, s ^ d),
            (0x77, !(s & d)),
            (0x88, s & d),
            (0x99, !(s ^ d)),
            (0xaa, d),
            (0xbb, !s | d),
            (0xcc, s),
            (0xdd, s | !d),
            (0xee, s | d),
            (0xff, 0xff),
        ];
        for (rop, expected) in cases {
            assert_eq!(logic_operation(rop, s, d), expected, "{rop:#x}");
        }
    }

    // graphics.md 5.7, "overlap order": quads of one wave in one place are blended one after the other.
    #[test]
    fn quads_in_one_place_are_blended_in_order() {
        let mut rgba8 = target(0xa, 0);
        let add = BlendEquation { function: 0, source: 1, destination: 1 };
        rgba8.blend = Some([add; 2]);
        let quad = Written { place: [0, 0], coverage: 0x0101_0101 };
        let mut tile = tile(&rgba8, &[0; 4]);
        write(&rgba8, [0.0; 4], &colors([10.0 / 255.0; 4]), None, &[quad; 7], &mut tile);
        assert_eq!(tile.data[..4], [70; 4]);
    }

    #[test]
    fn samples_have_elements_of_their_own() {
        let mut rgba8 = target(0xa, 0);
        rgba8.samples = 4;
        let mut tile = tile(&rgba8, &[0; 4]);
        write(&rgba8, [0.0; 4], &colors([1.0; 4]), None, &[Written { place: [0, 0], coverage: 0b1010 }], &mut tile);
        let of = |s: usize| tile.data[tile.at(s, 0, 0)];
        assert_eq!([0, 1, 2, 3].map(of), [0, 255, 0, 255]);
    }

    // graphics.md 5.7: integers and floats are not clamped by blending's rules.
    #[test]
    fn floats_and_integers_keep_their_bits() {
        let half = element(&target(0xc, 7), [0.0; 4], [100.0, -2.0, f32::INFINITY, 0.5], &[0; 8]);
        assert_eq!(half, [0x5640u16, 0xc000, 0x7c00, 0x3800].map(u16::to_le_bytes).concat());
        let bits = [7u32, 0xffff_ffff, 0x1_0000, 1];
        let mut tile = tile(&target(0xe, 4), &[0; 16]);
        write(&target(0xe, 4), [0.0; 4], &bits.map(|v| [v; LANES]), None, &QUAD, &mut tile);
        assert_eq!(tile.data[tile.at(0, 2, 4)..][..16], bits.map(u32::to_le_bytes).concat());
    }
}
