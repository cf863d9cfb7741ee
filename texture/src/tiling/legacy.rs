//! Images of gfx6, gfx7 and gfx8: tiles of 8x8 elements in rows, or in macro tiles that spread over memory pipes and banks; one level
//! after the other, the largest first (images.md 8.7, and Mesa's address library for macro tiles and levels).
//!
//! Images with several levels are padded to powers of two. A level too small for macro tiles is in rows of tiles.

use std::sync::Arc;

use super::equation::Equation;
use super::tile_mode::{Arrangement, Array, Bank, Order, TileMode, TileTables, Turn};
use super::{Level, Surface, SurfaceParams, Tiling, TilingError, align};

/// Order of elements in a tile of 8x8, by log2 of element bytes: for displays.
static DISPLAY: [&str; 5] = ["x0 x1 x2 y1 y0 y2", "x0 x1 x2 y0 y1 y2", "x0 x1 y0 x2 y1 y2", "x0 y0 x1 x2 y1 y2", "y0 x0 x1 x2 y1 y2"];
/// For displays turned by 90 degrees.
static ROTATED: [&str; 4] = ["y0 y1 y2 x1 x0 x2", "y0 y1 y2 x0 x1 x2", "y0 y1 x0 y2 x1 x2", "y0 x0 y1 x1 x2 y2"];
/// For anything else.
static THIN: &str = "x0 y0 x1 y1 x2 y2";
/// For tiles of several slices.
#[rustfmt::skip]
static THICK: [&str; 5] = [
    "x0 y0 x1 y1 z0 z1 x2 y2", "x0 y0 x1 y1 z0 z1 x2 y2", "x0 y0 x1 z0 y1 z1 x2 y2", "x0 y0 z0 x1 y1 z1 x2 y2", "x0 y0 z0 x1 y1 z1 x2 y2",
];

/// Log2 of width and height of a tile.
const TILE_LOG2: u32 = 3;
/// Log2 of the bytes one pipe has before the next one's follow.
const INTERLEAVE_LOG2: u32 = 8;

pub(super) fn layout(params: &SurfaceParams, surface: &Surface) -> Result<Tiling, TilingError> {
    let tables = params.config.tile_modes.ok_or(TilingError::NoTileModes)?;
    let mode = tables
        .decode(params.mode, params.element_bytes, params.samples)
        .ok_or(TilingError::ReservedMode { generation: params.generation, mode: params.mode })?;
    levels(params, surface, &mode, tables).map_err(|why| match why {
        Unplaced::Other(error) => error,
        Unplaced::NoSuchLayout => TilingError::NoSuchLayout {
            generation: params.generation,
            name: mode.array.name,
            kind: params.kind,
            samples: params.samples,
            element_bytes: params.element_bytes,
        },
    })
}

fn levels(params: &SurfaceParams, surface: &Surface, mode: &TileMode, tables: &TileTables) -> Result<Tiling, Unplaced> {
    let arrangement = mode.array.arrangement;
    let has_samples = arrangement == Arrangement::Macro && mode.array.thickness == 1;
    if (params.samples > 1 && !has_samples) || (params.element_bytes == 12 && arrangement != Arrangement::Linear) {
        return Err(Unplaced::NoSuchLayout);
    }
    let mut tiling = Tiling { levels: Vec::new(), samples: params.samples, element_bytes: params.element_bytes, size: 0, alignment: 256 };
    let mut pitch0 = None; // levels are made from the pitch of level 0, not from its width
    for level in 0..surface.levels {
        let padded = Padded::new(params, surface, level, pitch0)?;
        let macro_tile = |array| MacroTile::new(mode, array, surface).ok_or(Unplaced::NoSuchLayout);
        let has_too_few_slices = level > 0 && tables.macro_tile_modes.is_none() && padded.slices < mode.array.thickness;
        let array = if has_too_few_slices { mode.array.thinner(padded.slices) } else { mode.array }; // gfx6 only
        let is_macro = arrangement == Arrangement::Macro && {
            let (asked, tile) = (macro_tile(mode.array)?, macro_tile(array)?);
            level == 0 || (asked.is_enough(&tile, &padded) && tile.is_enough(&tile, &padded))
        };
        let placed = match arrangement {
            Arrangement::Linear => place_linear(surface, &padded),
            Arrangement::Macro if is_macro => place_macro(mode, &macro_tile(array)?, surface, &padded, params.pipe_bank_xor)?,
            _ => place_micro(mode, array, surface, &padded)?,
        };
        if level == 0 {
            pitch0 = Some(placed.pitch);
            tiling.alignment = placed.alignment;
        }
        let base = tiling.size.next_multiple_of(placed.alignment);
        tiling.size = base + placed.bytes;
        tiling.levels.push(Level { size: surface.elements(level), base, ..placed.level });
    }
    Ok(tiling)
}

/// Extents of a level before they are padded to whole tiles.
struct Padded {
    width: u32,
    height: u32,
    slices: u32,
    /// What the descriptor says of level 0, in elements.
    pitch: Option<u32>,
}

impl Padded {
    fn new(params: &SurfaceParams, surface: &Surface, level: u32, pitch0: Option<u32>) -> Result<Padded, TilingError> {
        let [width, height, slices] = surface.elements(level);
        let width = match pitch0 {
            Some(pitch0) if level > 0 => (pitch0 >> level).max(1),
            _ => width,
        };
        let pitch = params.pitch.filter(|_| level == 0).map(|pitch| surface.pitch(pitch.div_ceil(surface.texels_per_element), 1));
        let pad = |extent: u32| if surface.levels > 1 || params.pow2_pad { extent.next_power_of_two() } else { extent };
        Ok(Padded { width: pad(width), height: pad(height), slices: pad(slices), pitch: pitch.transpose()? })
    }

    /// The pitch of the descriptor, or the width padded to whole tiles and then tile by tile until `fits`.
    fn pitch(&self, unit: u32, fits: impl Fn(u32) -> bool) -> u32 {
        if let Some(pitch) = self.pitch {
            return pitch.next_multiple_of(unit);
        }
        let mut pitch = self.width.next_multiple_of(unit);
        while !fits(pitch) {
            pitch += unit;
        }
        pitch
    }
}

/// A level with its place in the image to come.
struct Placed {
    level: Level,
    pitch: u32,
    bytes: u64,
    alignment: u64,
}

fn place_linear(surface: &Surface, padded: &Padded) -> Placed {
    let bytes = surface.element_bytes;
    let whole = (256 / bytes).max(64);
    let pitch = padded.pitch((64 / bytes).max(8), |pitch| (u64::from(pitch) * u64::from(padded.height)).is_multiple_of(u64::from(whole)));
    let row_bytes = u64::from(pitch) * u64::from(bytes);
    let slice_bytes = row_bytes * u64::from(padded.height);
    let level = Level { step: [u64::from(bytes), row_bytes, slice_bytes], ..Level::default() };
    Placed { level, pitch, bytes: slice_bytes * u64::from(padded.slices), alignment: 256 }
}

fn place_micro(mode: &TileMode, array: Array, surface: &Surface, padded: &Padded) -> Result<Placed, Unplaced> {
    // Only macro tiles are eight slices thick.
    let array = Array { thickness: array.thickness.min(4), ..array };
    let bits = element_bits(mode.order, &array, surface)?;
    let mut inside = Equation::default();
    bits.iter().zip(surface.element_bytes.ilog2()..).for_each(|(&(axis, bit), at)| inside.toggle(axis, bit, 1 << at));

    let thickness_log2 = array.thickness.ilog2();
    let tile_bytes = u64::from(surface.element_bytes) << (2 * TILE_LOG2 + thickness_log2);
    let down = align(u64::from(padded.height), TILE_LOG2) >> TILE_LOG2;
    let pitch = padded.pitch(1 << TILE_LOG2, |pitch| (u64::from(pitch >> TILE_LOG2) * down * tile_bytes).is_multiple_of(256));
    let row_bytes = u64::from(pitch >> TILE_LOG2) * tile_bytes;
    let level = Level {
        shift: [TILE_LOG2, TILE_LOG2, thickness_log2],
        step: [tile_bytes, row_bytes, row_bytes * down],
        inside: Arc::new(inside),
        ..Level::default()
    };
    let bytes = row_bytes * down * (align(u64::from(padded.slices), thickness_log2) >> thickness_log2);
    Ok(Placed { level, pitch, bytes, alignment: 256 })
}

fn place_macro(mode: &TileMode, tile: &MacroTile, surface: &Surface, padded: &Padded, swizzle: u32) -> Result<Placed, Unplaced> {
    let [w, h] = tile.size_log2;
    let block_bytes = 1 << tile.block_log2;
    let pitch = padded.pitch(1 << w, |_| true);
    let row_bytes = u64::from(pitch >> w) * block_bytes;
    let part_bytes = row_bytes * (align(u64::from(padded.height), h) >> h);
    let slice_bytes = part_bytes << tile.parts_log2;
    let thickness_log2 = tile.array.thickness.ilog2();
    let (inside, parts) = tile.equation(mode, surface)?;
    let level = Level {
        shift: [w, h, thickness_log2],
        step: [block_bytes, row_bytes, slice_bytes],
        inside: Arc::new(inside),
        parts: parts.into(),
        part_step: part_bytes,
        turn: tile.turn(padded.slices, swizzle),
        ..Level::default()
    };
    let bytes = slice_bytes * (align(u64::from(padded.slices), thickness_log2) >> thickness_log2);
    Ok(Placed { level, pitch, bytes, alignment: tile.alignment })
}

/// Coordinate bits of an offset in a tile, from the element's bytes up, as axis and bit.
fn element_bits(order: Order, array: &Array, surface: &Surface) -> Result<Vec<(usize, u32)>, Unplaced> {
    let element_log2 = surface.element_bytes.ilog2() as usize;
    let text = match (order, array.thickness) {
        (Order::Display, _) => DISPLAY[element_log2],
        (Order::Rotated, 1) => ROTATED.get(element_log2).ok_or(Unplaced::NoSuchLayout)?,
        (Order::Thin | Order::Depth, _) => THIN,
        (Order::Thick, 4 | 8) => THICK[element_log2],
        _ => return Err(Unplaced::NoSuchLayout),
    };
    let mut bits: Vec<_> = text.split(' ').map(|t| (usize::from(t.as_bytes()[0] - b'x'), u32::from(t.as_bytes()[1] - b'0'))).collect();
    let slices_taken = bits.iter().filter(|b| b.0 == 2).count() as u32;
    bits.extend((slices_taken..array.thickness.ilog2()).map(|bit| (2, bit)));
    let samples = (0..surface.samples_log2).map(|bit| (3, bit));
    let at = if order == Order::Depth { 0 } else { bits.len() };
    bits.splice(at..at, samples);
    Ok(bits)
}

/// Why a level has no place.
enum Unplaced {
    NoSuchLayout,
    Other(TilingError),
}

impl From<TilingError> for Unplaced {
    fn from(error: TilingError) -> Unplaced {
        Unplaced::Other(error)
    }
}

/// Tiles spread over all pipes and banks.
struct MacroTile {
    array: Array,
    bank: Bank,
    pipes_log2: u32,
    /// Log2 of bytes of a tile, as far as it is in one slice.
    tile_log2: u32,
    /// Log2 of the slices a tile is split over.
    parts_log2: u32,
    /// Log2 of width and height in elements.
    size_log2: [u32; 2],
    /// Log2 of bytes.
    block_log2: u32,
    /// Of an image.
    alignment: u64,
}

impl MacroTile {
    /// The macro tile, with the bank's shape corrected so that it holds an interleave.
    fn new(mode: &TileMode, array: Array, surface: &Surface) -> Option<MacroTile> {
        let whole_tile = (64 * array.thickness * surface.element_bytes) << surface.samples_log2;
        let tile_bytes = whole_tile.min(mode.split_bytes);
        let pipes_log2 = mode.pipes.bits.len() as u32;
        let mut bank = mode.bank;
        let (tile, interleave) = (tile_bytes.ilog2(), INTERLEAVE_LOG2);
        bank.height_log2 = bank.height_log2.max(interleave.saturating_sub(tile + bank.width_log2));
        if surface.samples_log2 == 0 {
            bank.aspect_log2 = bank.aspect_log2.max(interleave.saturating_sub(tile + pipes_log2 + bank.width_log2));
        }
        if bank.aspect_log2 > bank.count_log2 + bank.height_log2 {
            return None;
        }
        // Thick tiles are never split.
        let (tile_log2, parts_log2) = if array.thickness > 1 { (whole_tile.ilog2(), 0) } else { (tile, whole_tile.ilog2() - tile) };
        let spread = pipes_log2 + bank.count_log2 + bank.width_log2 + bank.height_log2;
        Some(MacroTile {
            array,
            bank,
            pipes_log2,
            tile_log2,
            parts_log2,
            size_log2: [
                TILE_LOG2 + bank.width_log2 + pipes_log2 + bank.aspect_log2,
                TILE_LOG2 + bank.height_log2 + bank.count_log2 - bank.aspect_log2,
            ],
            block_log2: tile_log2 + spread,
            alignment: 1 << (tile + spread),
        })
    }

    /// Is a level below the first one large enough for macro tiles of this params, and these enough for an interleave, when it is made of
    /// the tiles of `other`?
    fn is_enough(&self, other: &MacroTile, padded: &Padded) -> bool {
        let Bank { width_log2, height_log2, aspect_log2, .. } = self.bank;
        let in_bank = other.tile_log2 + width_log2 + height_log2.min(self.pipes_log2 + aspect_log2);
        let is_whole = other.array.thickness > 1 || in_bank >= INTERLEAVE_LOG2;
        padded.width >= 1 << self.size_log2[0] && padded.height >= 1 << self.size_log2[1] && is_whole
    }

    /// Offset in a macro tile: pipe and bank bits stand between the low bits of the offset in a bank and the others. Also the coordinate
    /// bits that number the parts of a split tile.
    fn equation(&self, mode: &TileMode, surface: &Surface) -> Result<(Equation, Vec<(usize, u32)>), Unplaced> {
        let Bank { width_log2, height_log2, count_log2, .. } = self.bank;
        let element_log2 = surface.element_bytes.ilog2();
        let mut bits = element_bits(mode.order, &self.array, surface)?;
        let parts = bits.split_off((self.tile_log2 - element_log2) as usize);
        bits.extend((0..width_log2).map(|i| (0, TILE_LOG2 + self.pipes_log2 + i)));
        bits.extend((0..height_log2).map(|i| (1, TILE_LOG2 + i)));
        let mut equation = Equation::default();
        for (&(axis, bit), at) in bits.iter().zip(element_log2..) {
            let at = if at < INTERLEAVE_LOG2 { at } else { at + self.pipes_log2 + count_log2 };
            equation.toggle(axis, bit, 1 << at);
        }

        let place_matters = |axis: usize, bit: u32| !self.array.is_prt || bit < self.size_log2[axis];
        let bank_bit = INTERLEAVE_LOG2 + self.pipes_log2;
        for (terms, at) in mode.pipes.bits.iter().zip(INTERLEAVE_LOG2..) {
            for term in terms.split('^') {
                let (axis, bit) = (usize::from(term.as_bytes()[0] - b'x'), u32::from(term.as_bytes()[1] - b'0'));
                if place_matters(axis, bit) {
                    equation.toggle(axis, bit, 1 << at);
                }
            }
        }
        let column = |i: u32| (0, TILE_LOG2 + self.pipes_log2 + width_log2 + i);
        let row = |i: u32| (1, TILE_LOG2 + height_log2 + i);
        for i in 0..count_log2 {
            let also = (i == 1 && count_log2 > 2).then(|| row(count_log2 - 1));
            for (axis, bit) in [column(i), row(count_log2 - 1 - i)].into_iter().chain(also) {
                if place_matters(axis, bit) {
                    equation.toggle(axis, bit, 1 << (bank_bit + i));
                }
            }
        }
        if self.array.split_turns {
            // Each part turns banks by half their number plus one.
            let banks = 1 << count_log2;
            for (part, &(axis, bit)) in parts.iter().enumerate() {
                equation.toggle(axis, bit, (((banks / 2 + 1) << part) & (banks - 1)) << bank_bit);
            }
        }
        Ok((equation, parts))
    }

    /// How slices, and the bits of the descriptor's address, turn pipes and banks.
    fn turn(&self, slices: u32, swizzle: u32) -> Arc<[u32]> {
        let (pipes, banks) = (1 << self.pipes_log2, 1 << self.bank.count_log2);
        let (own_pipe, own_bank) = (swizzle & (pipes - 1), swizzle >> self.pipes_log2 & (banks - 1));
        let by_slice = |slice: u32| {
            let step = slice / self.array.thickness;
            let (pipe, bank) = match self.array.turn {
                Turn::Nothing => (0, 0),
                Turn::Banks => (0, (banks / 2 - 1) * step),
                Turn::PipesAndBanks => {
                    let turned = (pipes / 2).saturating_sub(1).max(1) * step;
                    (turned, turned / pipes)
                }
            };
            ((own_pipe + pipe) & (pipes - 1) | ((own_bank + bank) & (banks - 1)) << self.pipes_log2) << INTERLEAVE_LOG2
        };
        let period = if self.array.turn == Turn::Nothing { 1 } else { pipes * banks * self.array.thickness };
        (0..slices.next_power_of_two().min(period)).map(by_slice).collect()
    }
}
