//! Blocks of 8 x 8 pixels of one primitive: waves whose lanes have the same places in every block, so that what they start with is a sum of
//! constants, and what they export goes to memory in a few runs of bytes.
//!
//! A lane's number has the bits y2 x2 y1 x1 y0 x0 of its place: quads of four lanes, the upper half of a block in its first 32 lanes. A wave of
//! 32 lanes has one half.

mod layout;

pub(crate) use layout::{BlockLayout, BlockWrite};

use super::blend::{self, MOST_BYTES, Written};
use super::export::{LANES, Rows, unpack};
use super::pass::{Draw, Surfaces};
use super::shape::Plane;
use super::surface::Surface;
use crate::registers::color::{TARGETS, Target};
use crate::registers::pixel::ExportFormat;
use crate::registers::raster::Rect;
use wavejit_texture::format::ShortHalves;

/// Pixels of a block in each direction.
pub(crate) const SIDE: usize = 8;
/// Pixels of a block from which on they are worth a wave of their own.
const ENOUGH: u32 = 32;
/// Pixels that blocks have on the average where all are waves.
const DENSE: u32 = 16;
/// Pixels of the bounds of large shapes.
const LARGE: i32 = 1024;

/// Pixels of a block that a primitive covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Block {
    /// Of its first pixel in the tile.
    pub place: [u8; 2],
    /// The lane of the block that is the wave's first: 0, or 32.
    pub first: u8,
    /// Lanes that may be written.
    pub lanes: u64,
    /// Lanes that the primitive covers.
    pub all: u64,
    /// Number of the shape.
    pub shape: u32,
}

/// Place of each lane in its block.
pub(crate) const PLACES: [[u8; 2]; LANES] = {
    let mut places = [[0; 2]; LANES];
    let mut lane = 0;
    while lane < LANES {
        let n = lane as u8;
        places[lane] = [n & 1 | n >> 1 & 2 | n >> 2 & 4, n >> 1 & 1 | n >> 2 & 2 | n >> 3 & 4];
        lane += 1;
    }
    places
};

/// Lanes of the pixels of a row that are set in a byte, for row 0.
const SPREAD: [u32; 256] = {
    let mut all = [0; 256];
    let mut row = 0;
    while row < 256 {
        let mut x = 0;
        while x < SIDE {
            let lane = x & 1 | (x & 2) << 1 | (x & 4) << 2;
            all[row] |= ((row >> x & 1) as u32) << lane;
            x += 1;
        }
        row += 1;
    }
    all
};

/// Lanes of the pixels set in rows.
pub(crate) fn lanes_of_rows(rows: [u8; SIDE]) -> u64 {
    if rows == [u8::MAX; SIDE] {
        return u64::MAX;
    }
    const UP: [u32; SIDE] = [0, 2, 8, 10, 32, 34, 40, 42];
    rows.iter().zip(UP).fold(0, |lanes, (row, up)| lanes | u64::from(SPREAD[usize::from(*row)]) << up)
}

/// The opposite.
pub(crate) fn rows_of_lanes(lanes: u64) -> [u8; SIDE] {
    let mut rows = [0; SIDE];
    PLACES.iter().enumerate().for_each(|(lane, [x, y])| rows[usize::from(*y)] |= ((lanes >> lane & 1) as u8) << x);
    rows
}

impl Block {
    /// Quads of its wave, as those have them that write by quads.
    pub(crate) fn quads(&self, lanes: u64) -> [Written; LANES / 4] {
        std::array::from_fn(|q| {
            let lane = 4 * q + usize::from(self.first);
            let [x, y] = PLACES[lane % LANES];
            let coverage = (0..4).fold(0, |c, p| c | ((lanes >> (lane as u32 + p) & 1) as u32) << (8 * p));
            Written { place: [self.place[0] + x, self.place[1] + y], coverage: if lane < LANES { coverage } else { 0 } }
        })
    }
}

/// Which ways a draw may take, chosen once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// Pixels are shaded by blocks where a primitive covers enough of them.
    pub has_blocks: bool,
    /// Blocks are written straight to the surfaces.
    pub is_direct: bool,
    /// How, by number of the export; none: it goes nowhere.
    pub ways: [Option<Way>; TARGETS],
    /// Behind the last of them that there is.
    ways_end: usize,
}

/// How what is exported to a target gets to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Way {
    /// Number of the target.
    pub target: usize,
    exported: ExportFormat,
    /// Bits of elements that stay as they are.
    keep: Option<u128>,
    /// Of halves that become bytes, with which nothing is mixed.
    short: Option<ShortHalves>,
}

impl Plan {
    /// Of a draw.
    pub(crate) fn of(draw: &Draw) -> Plan {
        #[cfg(test)]
        if tests::IS_GENERAL.get() {
            return Plan::default();
        }
        let (raster, depth) = (draw.raster, draw.depth);
        let is_centered = raster.sample_places.iter().all(|places| places[0] == [0, 0]);
        let has_blocks = raster.samples == 1
            && !raster.shades_samples
            && is_centered
            && depth.alpha_to_coverage.is_none()
            && depth.exports == [false; 3];
        let is_direct = has_blocks && is_direct(draw.surfaces, draw);
        let ways = std::array::from_fn(|number| {
            let target = draw.color.exports[number].filter(|_| is_direct)?;
            let to = draw.color.targets[target].as_ref()?;
            let exported = draw.pixel.color_formats[number];
            let is_mixed = to.blend.is_some() || to.logic.is_some();
            let short = if exported == ExportFormat::Fp16 && !is_mixed { to.format.short_halves(to.order) } else { None };
            Some(Way { target, exported, keep: blend::kept_bits(to), short })
        });
        let ways_end = ways.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        Plan { has_blocks, is_direct, ways, ways_end }
    }

    /// Those that there are.
    #[inline]
    pub(crate) fn used_ways(&self) -> impl Iterator<Item = &Way> {
        self.ways[..self.ways_end].iter().flatten()
    }

    /// Are all blocks waves of their own, of a shape of which so many pixels are covered, in so many blocks? What is written straight is not
    /// written to tiles: a tile that one quad needs is read and written.
    pub(crate) fn takes_all(&self, bounds: Rect, pixels: u32, blocks: u32) -> bool {
        let is_large = (bounds.x1 - bounds.x0).saturating_mul(bounds.y1 - bounds.y0) >= LARGE;
        self.is_direct && (is_large || pixels >= DENSE * blocks)
    }

    /// Are blocks with so many covered pixels waves of their own, if not all are?
    pub(crate) fn takes(&self, pixels: u32) -> bool {
        pixels >= ENOUGH
    }
}

fn is_direct(surfaces: &Surfaces, draw: &Draw) -> bool {
    let has_second = draw.color.has_two_sources;
    let mut targets = draw.color.targets.iter().zip(&surfaces.colors);
    !has_second && targets.all(|(t, s)| t.as_ref().zip(s.as_ref()).is_none_or(|(t, s)| t.samples == 1 && s.has_blocks()))
}

/// Values of a plane at the pixels of a block, by lane.
pub(crate) struct Sums {
    columns: [f32; LANES / 2],
    rows: [f32; LANES / 2],
}

/// Middles of the pixels of lanes 0 to 15, and of those 4 pixels on.
const MIDDLES: [[f32; LANES / 2]; 2] = {
    let mut all = [[0.0; LANES / 2]; 2];
    let mut n = 0;
    while n < LANES / 2 {
        let [x, y] = PLACES[n % 16];
        let more = n as u8 / 16 * 4;
        all[0][n] = (x + more) as f32 + 0.5;
        all[1][n] = (y + more) as f32 + 0.5;
        n += 1;
    }
    all
};

impl Sums {
    /// Of `c + x * column + y * row`, where `place` is that of the block's corner.
    #[inline(always)]
    pub(crate) fn of(c: f32, x: f32, y: f32, place: [u8; 2]) -> Sums {
        let (left, top) = (f32::from(place[0]), f32::from(place[1]));
        let mut sums = Sums { columns: MIDDLES[0], rows: MIDDLES[1] };
        sums.columns.iter_mut().for_each(|m| *m = c + x * (left + *m));
        sums.rows.iter_mut().for_each(|m| *m = y * (top + *m));
        sums
    }

    /// Sums of 16 lanes from a lane on.
    #[inline(always)]
    fn of_lanes(&self, lane: usize) -> [f32; 16] {
        let columns = &self.columns.as_chunks::<16>().0[lane / 16 % 2];
        let rows = &self.rows.as_chunks::<16>().0[lane / 32 % 2];
        let mut sums = *columns;
        sums.iter_mut().zip(rows).for_each(|(sum, row)| *sum += row);
        sums
    }

    /// Writes them to a register's lanes, as `value` has them.
    #[inline(always)]
    pub(crate) fn put(&self, first: u8, to: &mut [u32], value: impl Fn(f32) -> f32) {
        for (n, to) in to.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let sums = self.of_lanes(usize::from(first) + 16 * n);
            to.iter_mut().zip(sums).for_each(|(to, v)| *to = value(v).to_bits());
        }
    }

    /// Writes products with other numbers.
    #[inline(always)]
    pub(crate) fn put_products(&self, first: u8, to: &mut [u32], by: &[f32; LANES]) {
        for (n, (to, by)) in to.as_chunks_mut::<16>().0.iter_mut().zip(by.as_chunks::<16>().0).enumerate() {
            let sums = self.of_lanes(usize::from(first) + 16 * n);
            to.iter_mut().zip(sums).zip(by).for_each(|((to, v), by)| *to = (v * by).to_bits());
        }
    }

    /// One divided by them.
    #[inline(always)]
    pub(crate) fn reciprocals(&self, first: u8, lanes: usize) -> [f32; LANES] {
        let mut all = [0.0; LANES];
        for (n, to) in all[..lanes].as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let sums = self.of_lanes(usize::from(first) + 16 * n);
            to.iter_mut().zip(sums).for_each(|(to, v)| *to = 1.0 / v);
        }
        all
    }
}

/// Is it the same everywhere?
pub(crate) fn is_constant(plane: &Plane) -> bool {
    plane.x == 0.0 && plane.y == 0.0
}

impl Way {
    /// Before a wave that writes to a layer, at its block's place on the screen: memory takes longer than the wave does.
    #[inline]
    pub(crate) fn prepare(&self, draw: &Draw, layer: u32, [x, y]: [u32; 2]) {
        if let (Some(surface), Some(slice)) = (&draw.surfaces.colors[self.target], draw.color_slice(self.target, layer)) {
            surface.prepare_block(draw.memory, (slice, x, y));
        }
    }

    /// Writes colors that a wave has exported, at a slice and the block's place on the screen. `lanes`: of the block.
    #[inline]
    pub(crate) fn write(
        &self,
        draw: &Draw,
        at: (u32, u32, u32),
        (first, lanes): (u8, u64),
        data: [&[u32]; 4],
    ) -> Result<(), wavejit::Error> {
        let (Some(target), Some(surface)) = (&draw.color.targets[self.target], &draw.surfaces.colors[self.target]) else { return Ok(()) };
        if let (Some(short), Some(low), Some(high)) = (self.short, data[0].first_chunk(), data[1].first_chunk()) {
            let mut elements = [[0; 4]; LANES];
            short.encode([low, high], &mut elements);
            let what = BlockWrite { lanes, keep: self.keep, elements: elements.as_flattened() };
            return surface.store_block(draw.memory, at, what);
        }
        self.write_any(draw, (target, surface), at, (first, lanes), data)
    }

    fn write_any(
        &self,
        draw: &Draw,
        (target, surface): (&Target, &Surface),
        at: (u32, u32, u32),
        (first, lanes): (u8, u64),
        data: [&[u32]; 4],
    ) -> Result<(), wavejit::Error> {
        let half = LANES / 2 * usize::from(target.format.bytes);
        let mut elements = [0; LANES * MOST_BYTES];
        let mut colors: Rows = [[0; LANES]; 4];
        unpack(self.exported, data, &mut colors);
        let colors = &colors;
        if target.blend.is_some() || target.logic.is_some() {
            let mut old = [0; LANES * MOST_BYTES];
            surface.load_block(draw.memory, at, lanes, &mut old)?;
            if first != 0 {
                old.copy_within(half..2 * half, 0);
            }
            blend::mix(target, draw.color.constants, colors, None, &old, &mut elements);
        } else {
            blend::encode(target, colors, &mut elements);
        }
        if first != 0 {
            elements.copy_within(..half, half);
        }
        surface.store_block(draw.memory, at, BlockWrite { lanes, keep: self.keep, elements: &elements })
    }
}

#[cfg(test)]
pub(crate) mod tests;
