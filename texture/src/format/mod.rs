//! Formats: how texels and buffer elements are bytes.
//!
//! A [`Format`] says where the channels of an element are and what their bits mean. It is found by the number a descriptor or instruction
//! has ([`FormatNumber`]): one number from gfx10 on, a data format and a number format before. [`Format::decode`] and [`Format::encode`]
//! convert one element; texels are four dwords R, G, B, A, each an f32's bits or, of the integer formats, an integer.
//!
//! | file | holds |
//! |---|---|
//! | `table.rs` | the formats of every generation by number |
//! | `convert.rs` | one channel to and from its bits |
//! | `rows.rs` | many elements at once |
//! | `srgb.rs` | the sRGB curve |
//! | `bc/`, `etc.rs` | block compression |
//!
//! Reference: RDNA3 guide, table 52, and RDNA4 guide, table 62; numbers of older generations from Mesa 25.0.7; packed floats and block
//! compression from the Direct3D 11.3 functional specification, "formats".

mod bc;
mod convert;
mod etc;
mod rows;
mod srgb;
mod table;

pub use bc::Bc;
pub(crate) use bc::with_recent as with_recent_blocks;
pub(crate) use convert::PARTS;
pub use etc::Etc;
pub use rows::{ShortHalves, halves_to_floats};
pub(crate) use rows::{float_to_half, float_to_half_down};
pub use srgb::{SRGB_TO_LINEAR, linear_to_srgb};

use crate::Generation;

/// Number of a format, as the generation counts them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FormatNumber {
    /// gfx6 to gfx9: data format and number format.
    Split {
        /// DATA_FORMAT.
        data: u8,
        /// NUM_FORMAT.
        number: u8,
    },
    /// gfx10 and later: one number.
    Unified(u16),
}

/// What the bits of a channel mean.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Numeric {
    /// 0 to 1.
    Unorm,
    /// -1 to 1, with two codes for -1.
    Snorm,
    /// -1 to 1 without a code for 0 (gfx6).
    SnormOgl,
    /// The float of an unsigned integer.
    Uscaled,
    /// The float of a signed integer.
    Sscaled,
    /// An unsigned integer.
    Uint,
    /// A signed integer.
    Sint,
    /// A float of the channel's width; packed floats of 10 and 11 bits have no sign.
    Float,
    /// A block of floats without signs (BC6).
    Ufloat,
    /// R, G and B on the sRGB curve, A from 0 to 1.
    Srgb,
}

/// Bits of an element that are one channel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Channel {
    /// Number of the lowest bit.
    pub shift: u8,
    /// Width; 0: the format lacks the channel.
    pub bits: u8,
}

/// How an element is made up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Layout {
    /// One texel, its channels side by side from the lowest bit on.
    Plain,
    /// One texel of three 9-bit mantissas and an exponent.
    SharedExponent,
    /// 4 x 4 texels, compressed.
    Block(Bc),
    /// 4 x 4 texels, compressed the other way.
    Etc(Etc),
    /// Two texels with a green each and common blue and red; `green` is the byte with the first green, 0 (GB_GR) or 1 (BG_RG).
    Subsampled {
        /// Byte of the first green.
        green: u8,
    },
}

/// A format.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Format {
    /// Name of the layout, most significant field first, as the manuals have it.
    pub layout_name: &'static str,
    /// Bytes of an element: a texel or a block.
    pub bytes: u8,
    /// Texels of an element: columns and rows. (1, 1) but for block formats.
    pub block: [u8; 2],
    /// How the element is made up.
    pub layout: Layout,
    /// What channels mean.
    pub numeric: Numeric,
    /// R, G, B, A; all that there is to [`Layout::Plain`].
    pub channels: [Channel; 4],
}

/// `10_11_11_FLOAT`.
impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let numeric = match self.numeric {
            Numeric::Unorm => "UNORM",
            Numeric::Snorm => "SNORM",
            Numeric::SnormOgl => "SNORM_OGL",
            Numeric::Uscaled => "USCALED",
            Numeric::Sscaled => "SSCALED",
            Numeric::Uint => "UINT",
            Numeric::Sint => "SINT",
            Numeric::Float if self.layout == Layout::Block(Bc::Bc6) => "SFLOAT",
            Numeric::Float => "FLOAT",
            Numeric::Ufloat => "UFLOAT",
            Numeric::Srgb => "SRGB",
        };
        write!(f, "{}_{numeric}", self.layout_name)
    }
}

impl Format {
    /// The format of a number of gfx10 and later. `None`: reserved, invalid (0), or one that is not supported; [`FormatNumber::name`] tells.
    pub fn unified(generation: Generation, number: u16) -> Option<&'static Format> {
        table::unified(generation, number)
    }

    /// The format of a data format and a number format of gfx6 to gfx9. `None` as for [`Format::unified`].
    pub fn legacy(generation: Generation, data: u8, number: u8) -> Option<&'static Format> {
        table::legacy(generation, data, number)
    }

    /// The format of a render target: FORMAT and NUMBER_TYPE of gfx10 and later. `None` as for [`Format::unified`].
    pub fn of_color_target(format: u8, number: u8) -> Option<&'static Format> {
        table::color_target(format, number)
    }

    /// The format of a descriptor's number. Buffers and images count alike; a buffer's number has fewer bits.
    pub fn find(generation: Generation, number: FormatNumber) -> Option<&'static Format> {
        match number {
            FormatNumber::Split { data, number } => Format::legacy(generation, data, number),
            FormatNumber::Unified(number) => Format::unified(generation, number),
        }
    }

    /// Do texels hold integers, which are not filtered and whose 1 is an integer?
    pub fn is_integer(&self) -> bool {
        matches!(self.numeric, Numeric::Uint | Numeric::Sint)
    }

    /// Is an element several texels?
    pub fn is_block(&self) -> bool {
        self.block != [1, 1]
    }

    /// What a constant 1 is: of selectors, and of the alpha of formats without one.
    pub fn one(&self) -> u32 {
        if self.is_integer() { 1 } else { 1.0_f32.to_bits() }
    }

    /// Channels the format has.
    pub fn channel_count(&self) -> usize {
        match self.layout {
            Layout::Plain => self.channels.iter().filter(|c| c.bits != 0).count(),
            Layout::Block(Bc::Bc4) | Layout::Etc(Etc::R) => 1,
            Layout::Block(Bc::Bc5) | Layout::Etc(Etc::Rg) => 2,
            Layout::SharedExponent | Layout::Subsampled { .. } | Layout::Block(Bc::Bc6) | Layout::Etc(Etc::Rgb) => 3,
            Layout::Block(_) | Layout::Etc(_) => 4,
        }
    }

    /// The texel of an element, of a block its first. Missing channels are 0, missing alpha is 1; missing bytes are 0.
    pub fn decode(&self, bytes: &[u8]) -> [u32; 4] {
        self.decode_texel(bytes, 0, 0)
    }

    /// Texel (`x`, `y`) of an element, coordinates within the block.
    pub fn decode_texel(&self, bytes: &[u8], x: u32, y: u32) -> [u32; 4] {
        let words = load(bytes, self.bytes);
        let element = || u128::from(words[0]) | u128::from(words[1]) << 32 | u128::from(words[2]) << 64 | u128::from(words[3]) << 96;
        match self.layout {
            Layout::Plain => {
                let mut texel = [0, 0, 0, self.one()];
                for (n, (out, channel)) in texel.iter_mut().zip(self.channels).enumerate() {
                    if channel.bits != 0 {
                        // No channel is in two dwords.
                        let value =
                            words[usize::from((channel.shift / 32) & 3)] >> (channel.shift % 32) & (u32::MAX >> (32 - channel.bits));
                        *out = convert::decode(value, channel.bits, channel_numeric(self.numeric, n));
                    }
                }
                texel
            }
            Layout::SharedExponent => {
                let [r, g, b] = convert::shared_exponent(words[0]).map(f32::to_bits);
                [r, g, b, self.one()]
            }
            Layout::Block(kind) => bc::texel(kind, self.numeric, element(), y % 4 * 4 + x % 4),
            Layout::Etc(kind) => etc::texel(kind, self.numeric, element(), y % 4 * 4 + x % 4),
            Layout::Subsampled { green } => {
                let byte = |n: u8| words[0] >> (8 * u32::from(n)) & 0xff;
                let chroma = 1 - green; // byte of blue; red is two on
                let channels = [byte(chroma + 2), byte(green + 2 * (x as u8 & 1)), byte(chroma)];
                let [r, g, b] = channels.map(|v| convert::decode(v, 8, self.numeric));
                [r, g, b, self.one()]
            }
        }
    }

    /// The 16 texels of a block of 4 x 4, left to right and top to bottom. `None`: the format has no such blocks.
    pub fn decode_block(&self, bytes: &[u8]) -> Option<[[u32; 4]; 16]> {
        let words = load(bytes, self.bytes);
        let half = |n: usize| u128::from(words[n]) | u128::from(words[n + 1]) << 32;
        let block = half(0) | half(2) << 64;
        match self.layout {
            Layout::Block(kind) => Some(bc::decode(kind, self.numeric, block)),
            Layout::Etc(kind) => Some(std::array::from_fn(|t| etc::texel(kind, self.numeric, block, t as u32))),
            _ => None,
        }
    }

    /// Puts a texel into an element of `bytes` bytes. Values are clamped to what the channel holds, a NaN is 0 where there is none (images.md
    /// names the rounding). False: elements of this layout cannot be stored.
    pub fn encode(&self, texel: [u32; 4], out: &mut [u8]) -> bool {
        let words = match self.layout {
            Layout::Plain => {
                let mut words = [0; 4];
                for (n, (value, channel)) in texel.into_iter().zip(self.channels).enumerate() {
                    if channel.bits != 0 {
                        let bits = convert::encode(value, channel.bits, channel_numeric(self.numeric, n));
                        words[usize::from((channel.shift / 32) & 3)] |= bits << (channel.shift % 32);
                    }
                }
                words
            }
            Layout::SharedExponent => {
                let [r, g, b, _] = texel.map(f32::from_bits);
                [convert::to_shared_exponent([r, g, b]), 0, 0, 0]
            }
            Layout::Subsampled { .. } | Layout::Block(_) | Layout::Etc(_) => return false,
        };
        for (to, word) in out.chunks_mut(4).take(usize::from(self.bytes).div_ceil(4)).zip(words) {
            let count = to.len().min(usize::from(self.bytes));
            to[..count].copy_from_slice(&word.to_le_bytes()[..count]);
        }
        true
    }
}

/// Alpha is linear.
fn channel_numeric(numeric: Numeric, channel: usize) -> Numeric {
    if numeric == Numeric::Srgb && channel == 3 { Numeric::Unorm } else { numeric }
}

/// An element as dwords; missing bytes are 0.
#[inline(always)]
fn load(bytes: &[u8], count: u8) -> [u32; 4] {
    let dword = |n: usize| bytes.get(4 * n..4 * n + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    match count {
        4 if bytes.len() >= 4 => [dword(0), 0, 0, 0],
        8 if bytes.len() >= 8 => [dword(0), dword(1), 0, 0],
        16 if bytes.len() >= 16 => [dword(0), dword(1), dword(2), dword(3)],
        _ => load_odd(bytes, count),
    }
}

/// Elements of other sizes, and those cut off.
fn load_odd(bytes: &[u8], count: u8) -> [u32; 4] {
    let mut words = [0; 4];
    for (n, &byte) in bytes.iter().enumerate().take(usize::from(count).min(16)) {
        words[n / 4] |= u32::from(byte) << (8 * (n % 4));
    }
    words
}

#[cfg(test)]
mod tests;
