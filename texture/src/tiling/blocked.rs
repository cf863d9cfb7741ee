//! Tiled images of gfx10, gfx11 and gfx12: blocks in rows, levels one after the other, the smallest together in one block, the mip tail
//! (images.md 8.3 to 8.5).

use std::sync::Arc;

use super::block::{ExtentLog2, MICRO_THICK, MICRO_THIN, thick, thin};
use super::equation::Equation;
use super::mode::{Mix, Order, Swizzle};
use super::patterns::{self, Key, Missing};
use super::{Level, Surface, SurfaceParams, Tiling, TilingError, align};
use crate::Generation;

pub(super) fn layout(params: &SurfaceParams, surface: &Surface, swizzle: &Swizzle) -> Result<Tiling, TilingError> {
    let inside = equation(params, swizzle)?;
    let block = Block::new(params, surface, swizzle);
    let offset_xor = pipe_bank_xor(params, swizzle);

    // From here on a slice is what one step along z passes: a layer, or as many slices as a block is deep.
    let first_in_tail = (0..surface.levels).find(|&l| block.is_in_tail(surface, l)).unwrap_or(surface.levels);
    let tail_bytes = if first_in_tail < surface.levels { 1 << swizzle.block_log2 } else { 0 };
    let level_blocks = |level| {
        let size = surface.level_size(level);
        [0, 1].map(|i| align(u64::from(size[i]), block.extent[i]) >> block.extent[i])
    };
    let mut slice_bytes = tail_bytes;
    let mut bases = vec![0; surface.levels as usize];
    for level in (0..first_in_tail).rev() {
        let [across, down] = level_blocks(level);
        bases[level as usize] = slice_bytes;
        slice_bytes += (across * down) << swizzle.block_log2;
    }
    let levels = (0..surface.levels).map(|level| Level {
        size: surface.elements(level),
        base: bases[level as usize],
        shift: block.extent,
        step: [1 << swizzle.block_log2, level_blocks(level)[0] << swizzle.block_log2, slice_bytes],
        origin: if level < first_in_tail { [0; 3] } else { block.tail_origin(level - first_in_tail) },
        inside: inside.clone(),
        offset_xor,
        ..Level::default()
    });
    Ok(Tiling {
        levels: levels.collect(),
        samples: params.samples,
        element_bytes: surface.element_bytes,
        size: slice_bytes * (align(u64::from(surface.size[2]), block.extent[2]) >> block.extent[2]),
        alignment: 1 << swizzle.block_log2,
    })
}

fn equation(params: &SurfaceParams, swizzle: &Swizzle) -> Result<Arc<Equation>, TilingError> {
    let generation = match params.generation {
        Generation::Gfx103 => "gfx10.3",
        Generation::Gfx11 => "gfx11",
        Generation::Gfx12 => "gfx12",
        _ => "gfx10.1",
    };
    let (pipes, packers) = (1u32.checked_shl(params.config.pipes_log2), 1u32.checked_shl(params.config.packers_log2));
    let thick = swizzle.is_thick(params.generation, params.kind);
    let key = Key { generation, mode: swizzle.name, thick, samples: params.samples, bytes: params.element_bytes };
    patterns::find(&key, pipes.unwrap_or(u32::MAX), packers.unwrap_or(u32::MAX)).map_err(|missing| match missing {
        Missing::Mode => TilingError::NoSuchLayout {
            generation: params.generation,
            name: swizzle.name,
            kind: params.kind,
            samples: params.samples,
            element_bytes: params.element_bytes,
        },
        Missing::Chip => {
            TilingError::NoSuchChip { name: swizzle.name, pipes: pipes.unwrap_or(u32::MAX), packers: packers.unwrap_or(u32::MAX) }
        }
    })
}

/// What the low bits of the descriptor's address toggle: bits of the block, before gfx12 only those that pipes and banks use.
fn pipe_bank_xor(params: &SurfaceParams, swizzle: &Swizzle) -> u32 {
    if swizzle.mix == Mix::None {
        return 0;
    }
    let in_block = (1 << (swizzle.block_log2 - 8)) - 1;
    let used = if params.generation == Generation::Gfx12 {
        in_block
    } else {
        // Two column bits lie between the pipe bits and the bank bits.
        let pipe_bits = params.config.pipes_log2.min(swizzle.block_log2 - 8);
        let bank_bits = (swizzle.block_log2 - 8).saturating_sub(pipe_bits + 2).min(4);
        (((1 << pipe_bits) - 1) | (((1 << bank_bits) - 1) << (pipe_bits + 2))) & in_block
    };
    (params.pipe_bank_xor & used) << 8
}

/// The block of a mode, and how levels share one.
struct Block {
    log2: u32,
    extent: ExtentLog2,
    micro: ExtentLog2,
    element_log2: u32,
    /// Largest width and height of a level in the tail.
    tail_limit: [u32; 2],
    /// Most levels in the tail; 0 for blocks that have none.
    tail_levels: u32,
    /// Before gfx12, micro blocks of odd block sizes are taller than wide.
    swaps_odd: bool,
}

impl Block {
    fn new(params: &SurfaceParams, surface: &Surface, swizzle: &Swizzle) -> Block {
        let log2 = swizzle.block_log2;
        let element_log2 = surface.element_bytes.ilog2();
        let gfx12 = params.generation == Generation::Gfx12;
        let is_thick = swizzle.is_thick(params.generation, params.kind);
        let block = if is_thick { thick(log2, element_log2) } else { thin(log2, element_log2, surface.samples_log2, gfx12) };
        let micro = if is_thick { MICRO_THICK } else { MICRO_THIN }[element_log2 as usize];
        let halved = if is_thick { [Some(1), Some(0), None][log2 as usize % 3] } else { Some(0) }; // None: the depth
        let mut tail_limit = [0, 1].map(|i| 1 << block[i] >> u32::from(halved == Some(i)));
        if swizzle.order == Order::Z && element_log2 < 2 && !params.config.unscaled_depth_tail {
            // Depth images get the limits of 4-byte elements, since compression counts so.
            tail_limit = [0, 1].map(|i| tail_limit[i] >> (micro[i] - MICRO_THIN[2][i]));
        }
        let effective_log2 = if is_thick { log2 - (log2 - 8) / 3 } else { log2 };
        let tail_levels = match effective_log2 {
            _ if log2 < 12 => 0,
            9..=11 => 1 + (1 << (effective_log2 - 9)),
            _ => effective_log2 - 4,
        };
        Block { log2, extent: block, micro, element_log2, tail_limit, tail_levels, swaps_odd: !gfx12 }
    }

    fn is_in_tail(&self, surface: &Surface, level: u32) -> bool {
        let [w, h, _] = surface.level_size(level);
        surface.levels > 1 && w <= self.tail_limit[0] && h <= self.tail_limit[1] && surface.levels - level <= self.tail_levels
    }

    /// Where the n-th level of the tail starts in the block, in elements.
    fn tail_origin(&self, n: u32) -> [u32; 3] {
        let m = self.tail_levels - 1 - n;
        let bytes = if m > 6 { 16 << m } else { m << 8 };
        let every_other = |from: u32| (0..6).fold(0, |bits, i| bits | ((bytes >> (from + 2 * i)) & 1) << i);
        let (mut x, mut y) = (every_other(9), every_other(8));
        if self.swaps_odd && self.log2 % 2 == 1 {
            (x, y) = (y, x);
            if self.element_log2 % 2 == 1 {
                (x, y) = (x >> 1, (y << 1) | (x & 1));
            }
        }
        [x << self.micro[0], y << self.micro[1], 0]
    }
}
