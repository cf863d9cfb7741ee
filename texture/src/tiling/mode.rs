//! Swizzle mode numbers of gfx9 to gfx12: block size, order of elements, and whether pipe and bank bits are mixed in.

use super::{AddressConfig, Kind};
use crate::Generation;

/// The order of elements in a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// Rows, no blocks.
    Linear,
    /// Depth: bits of x and y alternate.
    Z,
    /// Standard.
    S,
    /// Display.
    D,
    /// Rotated on gfx9, for render targets later.
    R,
    /// gfx12: one slice per block.
    Flat,
    /// gfx12: several slices per block.
    Thick,
}

/// Which coordinate bits are mixed into the pipe and bank bits, besides the pipe/bank XOR of the descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mix {
    None,
    /// Only bits within the block, so that pages of partially resident images look alike (`_T`).
    Prt,
    /// Also bits above the block and slices (`_X`).
    Full,
}

/// A swizzle mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Swizzle {
    /// As `equations.txt` spells it.
    pub name: &'static str,
    /// Log2 of block bytes.
    pub block_log2: u32,
    pub order: Order,
    pub mix: Mix,
}

const fn row(name: &'static str, block_log2: u32, order: Order, mix: Mix) -> Option<Swizzle> {
    Some(Swizzle { name, block_log2, order, mix })
}

/// Block size is the chip's, see [`swizzle`].
const VAR: u32 = 0;

#[rustfmt::skip]
static GFX9_TO_11: [Option<Swizzle>; 28] = [
    row("LINEAR",   8,  Order::Linear, Mix::None),
    row("256B_S",   8,  Order::S, Mix::None),
    row("256B_D",   8,  Order::D, Mix::None),
    row("256B_R",   8,  Order::R, Mix::None),
    row("4KB_Z",    12, Order::Z, Mix::None),
    row("4KB_S",    12, Order::S, Mix::None),
    row("4KB_D",    12, Order::D, Mix::None),
    row("4KB_R",    12, Order::R, Mix::None),
    row("64KB_Z",   16, Order::Z, Mix::None),
    row("64KB_S",   16, Order::S, Mix::None),
    row("64KB_D",   16, Order::D, Mix::None),
    row("64KB_R",   16, Order::R, Mix::None),
    None, None, None, None,
    row("64KB_Z_T", 16, Order::Z, Mix::Prt),
    row("64KB_S_T", 16, Order::S, Mix::Prt),
    row("64KB_D_T", 16, Order::D, Mix::Prt),
    row("64KB_R_T", 16, Order::R, Mix::Prt),
    row("4KB_Z_X",  12, Order::Z, Mix::Full),
    row("4KB_S_X",  12, Order::S, Mix::Full),
    row("4KB_D_X",  12, Order::D, Mix::Full),
    row("4KB_R_X",  12, Order::R, Mix::Full),
    row("64KB_Z_X", 16, Order::Z, Mix::Full),
    row("64KB_S_X", 16, Order::S, Mix::Full),
    row("64KB_D_X", 16, Order::D, Mix::Full),
    row("64KB_R_X", 16, Order::R, Mix::Full),
];

/// Modes 28 to 31.
#[rustfmt::skip]
static GFX103_TOP: [Option<Swizzle>; 4] = [
    row("VAR_Z_X", VAR, Order::Z, Mix::Full), None, None, row("VAR_R_X", VAR, Order::R, Mix::Full),
];

/// Modes 28 to 31.
#[rustfmt::skip]
static GFX11_TOP: [Option<Swizzle>; 4] = [
    row("256KB_Z_X", 18, Order::Z, Mix::Full),
    row("256KB_S_X", 18, Order::S, Mix::Full),
    row("256KB_D_X", 18, Order::D, Mix::Full),
    row("256KB_R_X", 18, Order::R, Mix::Full),
];

/// All but linear and 256B carry the XOR of the descriptor; the equations mix no coordinates.
#[rustfmt::skip]
static GFX12: [Option<Swizzle>; 8] = [
    row("LINEAR", 8,  Order::Linear, Mix::None),
    row("256B",   8,  Order::Flat,   Mix::None),
    row("4KB",    12, Order::Flat,   Mix::Full),
    row("64KB",   16, Order::Flat,   Mix::Full),
    row("256KB",  18, Order::Flat,   Mix::Full),
    row("4KB",    12, Order::Thick,  Mix::Full),
    row("64KB",   16, Order::Thick,  Mix::Full),
    row("256KB",  18, Order::Thick,  Mix::Full),
];

/// The mode of a number. `None` if the generation reserves it, or has no swizzle modes.
pub(super) fn swizzle(generation: Generation, number: u8, config: &AddressConfig) -> Option<Swizzle> {
    let number = usize::from(number);
    let table = |low: &[Option<Swizzle>], top: &[Option<Swizzle>]| *low.get(number).or_else(|| top.get(number.wrapping_sub(28)))?;
    let found = match generation {
        Generation::Gfx6 | Generation::Gfx8 => None,
        Generation::Gfx9 | Generation::Gfx10 => table(&GFX9_TO_11, &[]),
        Generation::Gfx103 => table(&GFX9_TO_11, &GFX103_TOP),
        Generation::Gfx11 => table(&GFX9_TO_11, &GFX11_TOP),
        Generation::Gfx12 => table(&GFX12, &[]),
    }?;
    let block_log2 = if found.block_log2 == VAR { 14 + config.pipes_log2 } else { found.block_log2 };
    Some(Swizzle { block_log2, ..found })
}

impl Swizzle {
    /// Does a block hold several slices?
    pub(super) fn is_thick(&self, generation: Generation, kind: Kind) -> bool {
        let volume = kind == Kind::ThreeD;
        match self.order {
            Order::Linear | Order::Flat | Order::R => false,
            Order::Thick => true,
            Order::Z => volume && generation == Generation::Gfx9,
            Order::S => volume,
            Order::D => volume && generation != Generation::Gfx9,
        }
    }
}
