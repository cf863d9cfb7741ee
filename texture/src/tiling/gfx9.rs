//! Tiled images of gfx9: equations by rule instead of by table, and mip chains laid out in two or three dimensions within one pitch
//! (images.md 8.6).

use std::sync::Arc;

use super::block::{ExtentLog2, thick, thin};
use super::equation::Equation;
use super::mode::{Mix, Order, Swizzle};
use super::{AddressConfig, Kind, Level, Surface, SurfaceParams, Tiling, TilingError, align};

/// Order of coordinate bits from the element's bits up, by log2 of element bytes: 256 bytes of a slice.
#[rustfmt::skip]
static STANDARD: [&str; 5] = ["x0 x1 x2 x3 y0 y1 y2 y3", "x0 x1 x2 y0 y1 y2 x3", "x0 x1 y0 y1 y2 x2", "x0 y0 y1 x1 x2", "y0 y1 x0 x1"];
#[rustfmt::skip]
static DISPLAY: [&str; 5] = ["x0 x1 x2 y1 y0 y2 x3 y3", "x0 x1 x2 y0 y1 y2 x3", "x0 x1 y0 x2 y1 y2", "x0 y0 x1 x2 y1", "x0 y0 x1 y1"];
#[rustfmt::skip]
static ROTATED: [&str; 4] = ["y0 y1 y2 x1 x0 x2 x3 y3", "y0 y1 y2 x0 x1 x2 x3", "y0 y1 x0 y2 x1 x2", "y0 x0 y1 x1 x2"];
/// 64 bytes of a slice.
static DEPTH: [&str; 4] = ["x0 y0 x1 y1 x2 y2", "x0 y0 x1 y1 x2", "x0 y0 x1 y1", "x0 y0 x1"];
/// 1 KiB of a box.
#[rustfmt::skip]
static STANDARD_BOX: [&str; 5] = [
    "x0 x1 x2 x3 y0 y1 z0 z1 z2 y2", "x0 x1 x2 y0 y1 z0 z1 z2 y2", "x0 x1 y0 y1 z0 z1 y2 x2", "x0 y0 y1 z0 z1 x1 x2", "y0 y1 z0 z1 x0 x1",
];
#[rustfmt::skip]
static DEPTH_BOX: [&str; 5] = [
    "x0 y0 x1 y1 z0 z1 x2 z2 y2 x3", "x0 y0 x1 y1 z0 z1 z2 y2 x2", "x0 y0 x1 z0 y1 z1 y2 x2", "x0 y0 z0 x1 z1 y1 x2", "x0 y0 z0 z1 y1 x1",
];

pub(super) fn layout(params: &SurfaceParams, surface: &Surface, swizzle: &Swizzle) -> Result<Tiling, TilingError> {
    let refused = TilingError::NoSuchLayout {
        generation: params.generation,
        name: swizzle.name,
        kind: params.kind,
        samples: params.samples,
        element_bytes: params.element_bytes,
    };
    let is_thick = swizzle.is_thick(params.generation, params.kind);
    let small_block = swizzle.block_log2 == 8;
    let fits_kind = match params.kind {
        Kind::OneD => false,
        Kind::TwoD => !small_block || (params.samples == 1 && params.levels == 1),
        Kind::ThreeD => !small_block && params.samples == 1 && swizzle.order != Order::R,
    };
    let inside = fits_kind.then(|| equation(params, surface, swizzle, is_thick)).flatten().ok_or(refused)?;
    let element_log2 = surface.element_bytes.ilog2();
    let block = if is_thick {
        thick(swizzle.block_log2, element_log2)
    } else {
        thin(swizzle.block_log2, element_log2, surface.samples_log2, false)
    };
    let chain = Chain::new(params, surface, swizzle.block_log2, block, is_thick)?;

    let block_bytes = 1u64 << swizzle.block_log2;
    let step = [block_bytes, chain.size[0] * block_bytes, chain.size[0] * chain.size[1] * block_bytes];
    let offset_xor = pipe_bank_xor(params, swizzle);
    let levels = chain.places.iter().zip(0..).map(|(place, level)| Level {
        size: surface.elements(level),
        base: (0..3).map(|i| place.block[i] * step[i]).sum(),
        shift: block,
        step,
        inside: inside.clone(),
        offset_xor: offset_xor ^ place.tail_offset,
        ..Level::default()
    });
    Ok(Tiling {
        levels: levels.collect(),
        samples: params.samples,
        element_bytes: surface.element_bytes,
        size: step[2] * chain.size[2],
        alignment: if swizzle.mix == Mix::None { 256 } else { block_bytes },
    })
}

/// Numbers of offset bits that pipes and banks take, from bit 8 up.
fn pipe_and_bank_bits(config: &AddressConfig, block_log2: u32) -> (u32, u32) {
    let pipes = config.pipes_log2.saturating_add(config.shader_engines_log2).min(block_log2 - 8);
    (pipes, config.banks_log2.min(block_log2 - 8 - pipes))
}

fn pipe_bank_xor(params: &SurfaceParams, swizzle: &Swizzle) -> u32 {
    if swizzle.mix == Mix::None {
        return 0;
    }
    let (pipes, banks) = pipe_and_bank_bits(&params.config, swizzle.block_log2);
    (params.pipe_bank_xor & ((1 << (pipes + banks)) - 1)) << 8
}

/// Terms of an offset bit: bits of x, y, z and sample, as masks.
type Terms = [u32; 4];

/// Offset bits a rule may look at, those above the block included.
const PATTERN_BITS: usize = 32;

/// The equation, or `None` if the order has none for these elements.
fn equation(params: &SurfaceParams, surface: &Surface, swizzle: &Swizzle, is_thick: bool) -> Option<Arc<Equation>> {
    let element_log2 = surface.element_bytes.ilog2() as usize;
    if surface.element_bytes == 12 {
        return None;
    }
    let orders: &[&str] = match (swizzle.order, is_thick) {
        (Order::S, true) => &STANDARD_BOX,
        (Order::Z, true) => &DEPTH_BOX,
        (Order::Z, false) => &DEPTH,
        (Order::D, _) if params.kind != Kind::ThreeD => &DISPLAY,
        (Order::S | Order::D, _) => &STANDARD,
        _ => &ROTATED,
    };
    let block = swizzle.block_log2 as usize;
    let mut pattern = pattern(element_log2, orders.get(element_log2)?, is_thick);
    add_samples(&mut pattern, surface.samples_log2 as usize, element_log2, swizzle);
    if swizzle.mix != Mix::Full {
        pattern[block..].fill([0; 4]);
    }

    let mut mixed = pattern.clone();
    let mut mix = |bit: u32, from: u32| (0..4).for_each(|axis| mixed[bit as usize][axis] ^= pattern[from as usize][axis]);
    let (pipes, banks) = pipe_and_bank_bits(&params.config, swizzle.block_log2);
    if swizzle.mix != Mix::None {
        for (first, count) in [(8, pipes), (8 + pipes, banks)] {
            for i in 0..count {
                if is_thick {
                    mix(first + i, first + 3 * count - 1 - 2 * i);
                    mix(first + i, first + 3 * count - 2 - 2 * i);
                } else {
                    mix(first + i, first + 2 * count - 1 - i);
                }
            }
        }
    }
    if swizzle.mix == Mix::Full && !is_thick && params.samples == 1 {
        (0..pipes).for_each(|i| mixed[(8 + i) as usize][2] ^= 1 << (pipes - 1 - i));
        (0..banks).for_each(|i| mixed[(8 + pipes + i) as usize][2] ^= 1 << (banks - 1 - i + pipes));
    }

    let mut equation = Equation::default();
    for (bit, terms) in mixed[..block].iter().enumerate() {
        for (axis, mask) in terms.iter().enumerate() {
            (0..32).filter(|c| mask >> c & 1 != 0).for_each(|c| equation.toggle(axis, c, 1 << bit));
        }
    }
    Some(Arc::new(equation))
}

/// The order of coordinate bits, continued by rule from where the table ends: thin patterns take y for even bits and x for odd ones,
/// boxes x, z, y by bit modulo 3.
fn pattern(element_log2: usize, order: &str, is_thick: bool) -> Vec<Terms> {
    let mut used = [0; 3];
    let mut next = |axis: usize| {
        let mut terms = [0; 4];
        terms[axis] = 1 << used[axis];
        used[axis] += 1;
        terms
    };
    let mut pattern = vec![[0; 4]; element_log2];
    // Within each axis the tables take bits in order, or nearly so: what counts is which were taken.
    for term in order.split(' ') {
        let axis = usize::from(term.as_bytes()[0] - b'x');
        let mut terms = next(axis);
        terms[axis] = 1 << (term.as_bytes()[1] - b'0');
        pattern.push(terms);
    }
    for bit in pattern.len()..PATTERN_BITS {
        pattern.push(next(if is_thick { [0, 2, 1][bit % 3] } else { (bit + 1) % 2 }));
    }
    pattern
}

/// Depth orders keep the samples of an element together; the others put them into the top bits of the block.
fn add_samples(pattern: &mut Vec<Terms>, samples_log2: usize, element_log2: usize, swizzle: &Swizzle) {
    let first = if swizzle.order == Order::Z { element_log2 } else { swizzle.block_log2 as usize - samples_log2 };
    for i in 0..samples_log2 {
        let sample = [0, 0, 0, 1 << i];
        match (swizzle.order, swizzle.mix) {
            (Order::Z, _) => pattern.insert(first + i, sample),
            (_, Mix::Full) => pattern[first + i][3] ^= 1 << i,
            _ => pattern[first + i] = sample,
        }
    }
    pattern.truncate(PATTERN_BITS);
}

/// Where the levels of an image are, in blocks.
struct Chain {
    /// Width, height and depth that hold them all.
    size: [u64; 3],
    places: Vec<Place>,
}

struct Place {
    block: [u64; 3],
    /// Byte offset in the block of a level that shares it with others.
    tail_offset: u32,
}

/// Offsets of the levels in a tail of 1 MiB, in units of 256 bytes; smaller blocks start further down.
static TAIL_OFFSETS: [u32; 16] = [2048, 1024, 512, 256, 128, 64, 32, 16, 8, 6, 5, 4, 3, 2, 1, 0];

/// Log2 of the block [`TAIL_OFFSETS`] starts with.
const TAIL_BLOCK_LOG2: u32 = 20;

impl Chain {
    fn new(params: &SurfaceParams, surface: &Surface, block_log2: u32, block: ExtentLog2, is_thick: bool) -> Result<Chain, TilingError> {
        let in_blocks = |i: usize| align(u64::from(surface.size[i]), block[i]) >> block[i];
        let level0 = [in_blocks(0), in_blocks(1), in_blocks(2)];
        let mut chain = Chain { size: level0, places: Vec::new() };
        if let Some(pitch) = params.pitch.filter(|_| surface.levels == 1) {
            chain.size[0] = u64::from(surface.pitch(pitch, 1 << block[0])? >> block[0]);
        }

        // The axis whose half-block the tail gives up: a level is in the tail when it fits into the block halved so.
        let halved = if is_thick { [1, 0, 2][block_log2 as usize % 3] } else { 0 };
        let axes = if is_thick { 3 } else { 2 };
        let fits_tail = |size: [u64; 3]| (0..axes).all(|i| size[i] << u32::from(i == halved) <= 1 << block[i]);
        let elements = surface.size.map(u64::from);
        let mut tail_from = (surface.levels > 1 && fits_tail(elements)).then_some(0);

        let [w, h, d] = level0;
        // Levels 1 and 3 lie beside their elder across the longest axis, the others along it.
        let longest = if w >= h && (!is_thick || w >= d) {
            0
        } else if w < h && (!is_thick || h >= d) {
            1
        } else {
            2
        };
        let across = if longest == 1 { 0 } else { 1 };
        let (mut at, mut size) = ([0; 3], level0);
        for level in 0..surface.levels {
            let tail_offset = match tail_from {
                Some(from) => *TAIL_OFFSETS.get((level - from + TAIL_BLOCK_LOG2 - block_log2) as usize).ok_or(TilingError::Size {
                    width: params.width,
                    height: params.height,
                    depth_or_layers: params.depth_or_layers,
                    levels: params.levels,
                })?,
                None => 0,
            };
            chain.places.push(Place { block: at, tail_offset: tail_offset << 8 });
            if tail_from.is_none() {
                let axis = if level == 0 || level == 2 { across } else { longest };
                at[axis] += size[axis];
                let half_fits = (0..axes).all(|i| size[i] <= if i == halved { 1 } else { 2 });
                tail_from = half_fits.then_some(level + 1);
                size = size.map(|s| s.div_ceil(2));
            }
        }
        if surface.levels > 1 && tail_from != Some(0) {
            // Room for level 1, and for level 3 beside level 2's single block.
            let last = tail_from.unwrap_or(surface.levels).min(surface.levels - 1);
            let half = level0[across].div_ceil(2);
            chain.size[across] += if half == 1 && last > 2 { 2 } else { half };
        }
        Ok(chain)
    }
}
