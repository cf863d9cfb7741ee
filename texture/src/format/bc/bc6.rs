//! BC6H: one or two pairs of endpoints of half floats without alpha, in 14 modes.
//!
//! After the mode come the endpoint bits, scattered in an order of the mode's own, the number of the split of two-subset modes, and the indices.
//! Interpolation is between integers whose order is that of half floats.

use crate::lazy::Lazy;

use super::super::rows::half_to_float;
use super::tables::{BC6_MODES, Bc6Mode, weight};
use super::{Indices, Split, bits, interpolate};

/// Bits of the stream that go into an endpoint.
#[derive(Clone, Copy)]
pub(super) struct Field {
    /// r, g, b: 0, 1, 2.
    pub color: usize,
    /// w, x, y, z: 0 to 3.
    pub end: usize,
    /// Where in the endpoint they go.
    pub shift: u32,
    pub count: u32,
    is_reversed: bool,
}

/// `gy4` or `rw9:0`.
pub(super) fn parse_field(text: &str) -> Option<Field> {
    let letter = |n: usize, of: &str| of.find(text.get(n..n + 1)?);
    let (first, last) = text[2..].split_once(':').unwrap_or((&text[2..], &text[2..]));
    let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
    let count = first.abs_diff(last) + 1;
    Some(Field { color: letter(0, "rgb")?, end: letter(1, "wxyz")?, shift: first.min(last), count, is_reversed: first < last })
}

/// Modes by the low five bits of the block, their fields read.
static MODES: Lazy<[Option<(&'static Bc6Mode, Vec<Field>)>; 32]> = Lazy::new(|| {
    std::array::from_fn(|low| {
        let number = if low & 3 < 2 { low & 3 } else { low };
        let mode = BC6_MODES.iter().find(|mode| usize::from(mode.number) == number)?;
        Some((mode, mode.fields.split_ascii_whitespace().filter_map(parse_field).collect()))
    })
});

/// A parsed block.
pub(super) struct Block {
    block: u128,
    is_signed: bool,
    /// By subset and color.
    ends: [[[i32; 2]; 3]; 2],
    split: Split,
    indices: Indices,
}

impl Block {
    /// Reads everything but the indices. Blocks of reserved modes are all 0.
    pub(super) fn parse(block: u128, is_signed: bool) -> Block {
        let Some((mode, fields)) = &MODES[bits(block, 0, 5) as usize] else {
            let split = Split::new(1, 0);
            let indices = Indices { at: 0, width: 4, anchors: split.anchors };
            return Block { block: 0, is_signed, ends: [[[0; 2]; 3]; 2], split, indices };
        };
        let mut at = if mode.number < 2 { 2 } else { 5 };
        let mut ends = [[0_u32; 4]; 3]; // by color and letter
        for field in fields {
            let mut value = bits(block, at, field.count);
            if field.is_reversed {
                value = value.reverse_bits() >> (32 - field.count);
            }
            ends[field.color][field.end] |= value << field.shift;
            at += field.count;
        }
        let split = if mode.is_split { Split::new(2, bits(block, at, 5)) } else { Split::new(1, 0) };
        at += if mode.is_split { 5 } else { 0 };
        let indices = Indices { at, width: if mode.is_split { 3 } else { 4 }, anchors: split.anchors };

        let width = u32::from(mode.endpoint_bits);
        let mut out = [[[0; 2]; 3]; 2];
        for (color, ends) in ends.iter().enumerate() {
            let resolved: [i32; 4] = std::array::from_fn(|n| {
                let value = if mode.is_transformed && n > 0 {
                    let delta = sign_extend(ends[n], mode.delta_bits[color].into());
                    ends[0].wrapping_add_signed(delta) & ((1 << width) - 1)
                } else {
                    ends[n]
                };
                unquantize(if is_signed { sign_extend(value, width) } else { value as i32 }, width, is_signed)
            });
            out[0][color] = [resolved[0], resolved[1]];
            out[1][color] = [resolved[2], resolved[3]];
        }
        Block { block, is_signed, ends: out, split, indices }
    }

    /// All texels.
    pub(super) fn texels(&self) -> [[u32; 4]; 16] {
        let weights = self.indices.all(self.block).map(|index| weight(self.indices.width, index.into()));
        std::array::from_fn(|t| self.blend(t, weights[t]))
    }

    fn blend(&self, t: usize, weight: i32) -> [u32; 4] {
        let [r, g, b] = self.ends[self.split.subset(t)].map(|ends| half_to_float(self.half(interpolate(ends, weight)).into()));
        [r, g, b, 1.0_f32.to_bits()]
    }

    /// The bits of the half float an integer stands for.
    fn half(&self, value: i32) -> u16 {
        match self.is_signed {
            false => (value * 31 / 64) as u16,
            true if value < 0 => 0x8000 | (-value * 31 / 32) as u16,
            true => (value * 31 / 32) as u16,
        }
    }
}

fn sign_extend(value: u32, width: u32) -> i32 {
    (value << (32 - width)) as i32 >> (32 - width)
}

/// An endpoint of `width` bits to 16 bits, of signed ones to 15 and a sign.
fn unquantize(value: i32, width: u32, is_signed: bool) -> i32 {
    if !is_signed {
        return match value {
            _ if width >= 15 => value,
            0 => 0,
            _ if value == (1 << width) - 1 => 0xffff,
            _ => ((value << 15) + 0x4000) >> (width - 1),
        };
    }
    if width >= 16 {
        return value;
    }
    let size = match value.abs() {
        0 => 0,
        size if size >= (1 << (width - 1)) - 1 => 0x7fff,
        size => ((size << 15) + 0x4000) >> (width - 1),
    };
    if value < 0 { -size } else { size }
}
