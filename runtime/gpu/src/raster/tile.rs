//! A tile's share of a draw: its primitives become quads and blocks, in order; what their waves export becomes depths and colors, in order.
//!
//! ```text
//! shapes -> rows of covered pixels, by sample -> quads -> early tests -> waves (a chunk at a time) -> late tests -> colors
//! ```

use super::blend::{self, Written};
use super::block::{Block, Plan, SIDE, lanes_of_rows, rows_of_lanes};
use super::depth::{self, BlockRows, DepthTile, QuadPlace};
use super::export::{DepthExport, LANES, Rows, two_sources, unpack};
use super::inputs::WAVE_PRIMITIVES;
use super::pass::{Draw, Surfaces, lock};
use super::shape::{LOOKED_AT, STEPS, Shape, TILE, look_at};
use super::surface::{PIXELS, Surface, TileBytes};
use crate::registers::color::TARGETS;
use crate::registers::depth::TestOrder;
use crate::registers::raster::Rect;
use wavejit::stage::{Export, WaveExports};

/// Four pixels of a primitive: lanes top left, top right, bottom left, bottom right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Quad {
    /// Of the top left pixel in the tile.
    pub place: QuadPlace,
    /// Number of the sample it is shaded for; 0 if it is for all.
    pub sample: u8,
    /// Samples that it may write: sample s of pixel p is bit `8 * p + s`.
    pub coverage: u32,
    /// Samples that the primitive covers.
    pub all: u32,
    /// Number of the shape.
    pub shape: u32,
}

/// What a draw does to a tile.
pub(crate) struct TileWork {
    /// Pixel of the screen that the tile begins at.
    pub origin: [i32; 2],
    pub layer: u32,
    /// Pixels that the draw may change.
    area: Rect,
    /// Its shapes, in order.
    pub shapes: Vec<u32>,
    /// The first that is not rasterized.
    next: usize,
    /// Quads of waves, and after them those that wait for others.
    quads: Vec<Quad>,
    /// The first of these.
    open: usize,
    /// Waves in order, and how many of them are the present chunk.
    waves: Vec<Wave>,
    chunk: usize,
    /// Chunks so far.
    pub chunks: usize,
    /// Sums over them.
    pub counts: Counts,
    memory: Option<Box<TileMemory>>,
}

/// What a wave is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wave {
    /// A range of quads.
    Quads(usize, usize),
    /// A block, and the wave of the chunk in whose place its parameters are.
    Block(Block, u32),
}

/// The tile's elements while the draw lasts.
#[derive(Default)]
pub(crate) struct TileMemory {
    colors: [TileBytes; TARGETS],
    /// Have they been read, so that they are to be written?
    has_colors: bool,
    depth_bytes: TileBytes,
    stencil_bytes: TileBytes,
    depth: DepthTile,
    /// Covered pixels of the shape at hand, by sample and row.
    rows: Vec<[u64; TILE as usize]>,
}

/// Sums over a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Counts {
    pub samples_passed: u64,
    pub pixels_shaded: u64,
}

impl TileWork {
    pub(crate) fn new(origin: [i32; 2], layer: u32) -> TileWork {
        TileWork {
            origin,
            layer,
            area: Rect::default(),
            shapes: Vec::new(),
            next: 0,
            quads: Vec::new(),
            open: 0,
            waves: Vec::new(),
            chunk: 0,
            chunks: 0,
            counts: Counts::default(),
            memory: None,
        }
    }

    fn rect(&self) -> Rect {
        let [x, y] = self.origin;
        Rect { x0: x, y0: y, x1: x + TILE, y1: y + TILE }
    }

    /// Adds a shape that may cover some of it.
    pub(crate) fn add(&mut self, number: u32, shape: &Shape) {
        self.area = self.area.around(shape.bounds.and(self.rect()));
        self.shapes.push(number);
    }

    /// Waves of the present chunk.
    pub(crate) fn waves(&self) -> &[Wave] {
        &self.waves[..self.chunk]
    }

    /// Quads of a range.
    pub(crate) fn quads(&self, first: usize, end: usize) -> &[Quad] {
        &self.quads[first..end]
    }

    /// Makes the next chunk of at most so many waves; false: there are no more quads.
    pub(crate) fn advance(&mut self, draw: &Draw, plan: &Plan, most_waves: usize, counts: &mut Counts) -> Result<bool, wavejit::Error> {
        let wave_quads = draw.pixel.wave_size as usize / 4;
        if self.memory.is_none() {
            let mut memory = Box::<TileMemory>::default();
            self.load_depth(draw, &mut memory)?;
            if !plan.is_direct {
                self.load_colors(draw, &mut memory)?;
            }
            self.memory = Some(memory);
        }
        self.drop_chunk();
        while self.waves.len() < most_waves && self.next < self.shapes.len() {
            if self.next.is_multiple_of(LOOKED_AT) {
                draw.check_stop()?;
                look_at(draw.shapes, &self.shapes[self.next..self.shapes.len().min(self.next + LOOKED_AT)]);
            }
            let number = self.shapes[self.next];
            self.next += 1;
            self.rasterize(draw, plan, number, counts);
            self.cut(wave_quads, false);
        }
        if self.waves.len() < most_waves {
            self.cut(wave_quads, true);
        }
        self.chunk = self.waves.len().min(most_waves);
        let mut owner = (u32::MAX, 0);
        for (n, wave) in self.waves[..self.chunk].iter_mut().enumerate() {
            match wave {
                Wave::Quads(..) => owner.0 = u32::MAX,
                Wave::Block(block, with) => {
                    if plan.is_direct {
                        let [x, y] = [0, 1].map(|d| self.origin[d] as u32 + u32::from(block.place[d]));
                        plan.used_ways().for_each(|way| way.prepare(draw, self.layer, [x, y]));
                    }
                    if owner.0 != block.shape {
                        owner = (block.shape, n as u32);
                    }
                    *with = owner.1;
                }
            }
        }
        Ok(self.chunk != 0)
    }

    /// Forgets the waves that have run, and their quads.
    fn drop_chunk(&mut self) {
        let end_of = |end, wave: &Wave| if let Wave::Quads(_, last) = wave { *last } else { end };
        let gone = self.waves[..self.chunk].iter().fold(0, end_of);
        self.waves.drain(..self.chunk);
        self.chunk = 0;
        self.quads.drain(..gone);
        self.open -= gone;
        for wave in &mut self.waves {
            if let Wave::Quads(first, end) = wave {
                (*first, *end) = (*first - gone, *end - gone);
            }
        }
    }

    /// Makes waves of quads that wait, as long as they are full; or of all.
    fn cut(&mut self, wave_quads: usize, all: bool) {
        let least = if all { 1 } else { wave_quads };
        while self.quads.len() - self.open >= least {
            let first = self.open;
            let (mut primitives, mut last) = (0, u32::MAX);
            for quad in self.quads[first..].iter().take(wave_quads) {
                if quad.shape != last {
                    primitives += 1;
                    last = quad.shape;
                }
                if primitives > WAVE_PRIMITIVES {
                    break;
                }
                self.open += 1;
            }
            self.waves.push(Wave::Quads(first, self.open));
        }
    }

    /// Rasterizes and tests everything, where no shader is run.
    pub(crate) fn test_all(&mut self, draw: &Draw, counts: &mut Counts) -> Result<(), wavejit::Error> {
        let mut memory = Box::<TileMemory>::default();
        self.load_depth(draw, &mut memory)?;
        self.memory = Some(memory);
        for n in 0..self.shapes.len() {
            if n.is_multiple_of(LOOKED_AT) {
                draw.check_stop()?;
            }
            self.rasterize(draw, &Plan::default(), self.shapes[n], counts);
            self.quads.clear();
        }
        self.store(draw)
    }

    /// Covered pixels of a shape as quads, after the early tests.
    fn rasterize(&mut self, draw: &Draw, plan: &Plan, number: u32, counts: &mut Counts) {
        let shape = &draw.shapes[number as usize];
        let area = shape.bounds.and(self.rect());
        if area.is_empty() {
            return;
        }
        let raster = draw.raster;
        let samples = raster.samples as usize;
        let mut rows = self.memory.as_mut().map_or_else(Vec::new, |memory| std::mem::take(&mut memory.rows));
        rows.resize(samples, [0; TILE as usize]);
        let first = ((area.y0 - self.origin[1]) & !1) as usize;
        let end = (area.y1 - self.origin[1]) as usize;
        for (sample, rows) in rows.iter_mut().enumerate() {
            rows[first..end.next_multiple_of(2)].fill(0);
            // Every pixel of a quad may have samples in other places; where they all are alike one pass is enough.
            let places = raster.sample_places.map(|p| p[sample]);
            let step = |p: [i32; 2]| p.map(|n| STEPS / 2 + i64::from(n) * STEPS / 16);
            if places.iter().all(|p| *p == places[0]) {
                shape.rows(self.origin, area, step(places[0]), rows);
                continue;
            }
            for (pixel, place) in places.into_iter().enumerate() {
                let mut some = [0; TILE as usize];
                shape.rows(self.origin, area, step(place), &mut some);
                let columns = 0x5555_5555_5555_5555u64 << (pixel & 1);
                for y in (pixel >> 1..TILE as usize).step_by(2) {
                    rows[y] |= some[y] & columns;
                }
            }
        }
        if raster.clip_rule != 0xffff {
            self.cut_by_rectangles(draw, area, &mut rows);
        }
        let mask = raster.sample_mask.iter().enumerate().fold(0, |m, (p, mask)| m | (mask & 0xff) << (8 * p));
        if plan.has_blocks {
            self.take_blocks(draw, plan, number, (first, end), &mut rows[0], counts);
        }
        for y in (first..end).step_by(2) {
            let any = rows.iter().fold(0, |any, rows| any | rows[y] | rows[y + 1]);
            let mut quads = (any | any >> 1) & 0x5555_5555_5555_5555;
            while quads != 0 {
                let x = quads.trailing_zeros();
                quads &= quads - 1;
                let mut coverage = 0;
                for (sample, rows) in rows.iter().enumerate() {
                    let (top, below) = ((rows[y] >> x) as u32 & 3, (rows[y + 1] >> x) as u32 & 3);
                    coverage |= (top & 1 | (top & 2) << 7 | (below & 1) << 16 | (below & 2) << 23) << sample;
                }
                coverage &= mask;
                if coverage != 0 {
                    self.quad(draw, number, shape, [x as u8, y as u8], coverage, counts);
                }
            }
        }
        if let Some(memory) = &mut self.memory {
            memory.rows = rows;
        }
    }

    /// Makes waves of the blocks of which enough is covered, and leaves the other pixels of the rows.
    fn take_blocks(
        &mut self,
        draw: &Draw,
        plan: &Plan,
        number: u32,
        (first, end): (usize, usize),
        rows: &mut [u64; TILE as usize],
        counts: &mut Counts,
    ) {
        let wave_size = draw.pixel.wave_size as usize;
        // By row and column, as a byte for each row.
        let [a, b, c, d] = draw.raster.sample_mask.map(|mask| u64::from(mask & 1));
        let allowed = (a | b << 1 | c << 8 | d << 9) * 0x0055_0055_0055_0055;
        // Rows of these blocks that are outside of the shape hold what they held for another.
        let lines = first / SIDE..end.div_ceil(SIDE);
        rows[lines.start * SIDE..first].fill(0);
        rows[end.next_multiple_of(2)..lines.end * SIDE].fill(0);
        let mut blocks = [[0; TILE as usize / SIDE]; TILE as usize / SIDE];
        let (mut pixels, mut touched) = (0, 0);
        for (rows, blocks) in rows.as_chunks().0.iter().zip(&mut blocks).take(lines.end).skip(lines.start) {
            *blocks = blocks_of(rows);
            pixels += blocks.iter().map(|block| block.count_ones()).sum::<u32>();
            touched += blocks.iter().filter(|block| **block != 0).count() as u32;
        }
        let takes_all = plan.takes_all(draw.shapes[number as usize].bounds, pixels, touched);
        let mut has_cut = false;
        for y in lines {
            for (x, covered) in blocks[y].into_iter().enumerate().filter(|(_, covered)| *covered != 0) {
                if !takes_all && !plan.takes(covered.count_ones()) {
                    continue;
                }
                rows[y * SIDE..][..SIDE].iter_mut().for_each(|row| *row &= !(0xff << (x * SIDE)));
                let place = [x * SIDE, y * SIDE].map(|n| n as u8);
                let covered = covered & allowed;
                let all = lanes_of_rows(covered.to_le_bytes());
                let mut passed = all;
                if draw.order == TestOrder::Early {
                    if draw.depth.is_used() {
                        passed = lanes_of_rows(self.test_block(draw, number, place, covered.to_le_bytes()));
                    }
                    counts.samples_passed += u64::from(passed.count_ones());
                }
                if passed == 0 {
                    continue;
                }
                // What was covered before is written before.
                if !std::mem::replace(&mut has_cut, true) {
                    self.cut(wave_size / 4, true);
                }
                let own = if wave_size == LANES { u64::MAX } else { u64::from(u32::MAX) };
                for half in (0..LANES).step_by(wave_size) {
                    let lanes = passed & own << half;
                    if lanes != 0 {
                        self.waves.push(Wave::Block(Block { place, first: half as u8, lanes, all, shape: number }, 0));
                    }
                }
            }
        }
    }

    /// The pixels of a block that pass depth and stencil tests.
    fn test_block(&mut self, draw: &Draw, number: u32, place: QuadPlace, covered: BlockRows) -> BlockRows {
        let Some(memory) = &mut self.memory else { return covered };
        let shape = &draw.shapes[number as usize];
        let plane = shape.depth;
        let [x, y] = [0, 1].map(|d| f64::from(self.origin[d] + i32::from(place[d])) + 0.5);
        let columns: [f64; SIDE] = std::array::from_fn(|n| plane.c + plane.x * (x + n as f64));
        let [a, b] = draw.raster.viewports[usize::from(shape.viewport)].depth;
        let [least, most] = [a.min(b), a.max(b)];
        depth::test_block(draw.depth, &mut memory.depth, place, covered, shape.is_front, |row| {
            let line = plane.y * (y + row as f64);
            columns.map(|column| ((column + line) as f32).max(least).min(most))
        })
    }

    /// Leaves of the rows what the clip rectangles let pass.
    fn cut_by_rectangles(&self, draw: &Draw, area: Rect, rows: &mut [[u64; TILE as usize]]) {
        for y in area.y0..area.y1 {
            let pass = (area.x0..area.x1).filter(|x| draw.raster.passes_clip_rects(*x, y));
            let pass = pass.fold(0u64, |row, x| row | 1 << (x - self.origin[0]));
            rows.iter_mut().for_each(|rows| rows[(y - self.origin[1]) as usize] &= pass);
        }
    }

    fn quad(&mut self, draw: &Draw, number: u32, shape: &Shape, place: QuadPlace, all: u32, counts: &mut Counts) {
        let mut coverage = all;
        if draw.order == TestOrder::Early {
            if draw.depth.is_used() {
                let Some(memory) = &mut self.memory else { return };
                let z = depths(draw, shape, self.origin, place);
                coverage = depth::test(draw.depth, &mut memory.depth, place, coverage, shape.is_front, None, z);
            }
            counts.samples_passed += u64::from(coverage.count_ones());
        }
        if coverage == 0 {
            return;
        }
        if !draw.raster.shades_samples {
            self.quads.push(Quad { place, sample: 0, coverage, all, shape: number });
            return;
        }
        let passes = 1u32 << draw.depth.shaded_samples_log2.min(draw.raster.samples.ilog2());
        for pass in 0..passes {
            let own = (pass..8).step_by(passes as usize).fold(0, |m, s| m | 0x0101_0101u32 << s);
            if coverage & own != 0 {
                self.quads.push(Quad { place, sample: pass as u8, coverage: coverage & own, all, shape: number });
            }
        }
    }

    /// Takes what a wave of the present chunk has exported.
    pub(crate) fn end_wave(
        &mut self,
        draw: &Draw,
        plan: &Plan,
        wave: usize,
        exports: WaveExports<'_>,
        counts: &mut Counts,
    ) -> Result<(), wavejit::Error> {
        match self.waves[wave] {
            Wave::Block(block, _) => self.end_block(draw, plan, &block, exports, counts),
            Wave::Quads(first, end) => {
                self.need_colors(draw)?;
                self.end_quads(draw, (first, end), exports.iter(), counts);
                Ok(())
            }
        }
    }

    /// Reads the colors of the tile, if they have not been.
    fn need_colors(&mut self, draw: &Draw) -> Result<(), wavejit::Error> {
        let Some(mut memory) = self.memory.take() else { return Ok(()) };
        let result = if memory.has_colors { Ok(()) } else { self.load_colors(draw, &mut memory) };
        self.memory = Some(memory);
        result
    }

    /// Takes what the wave of a block has exported.
    fn end_block(
        &mut self,
        draw: &Draw,
        plan: &Plan,
        block: &Block,
        exports: WaveExports<'_>,
        counts: &mut Counts,
    ) -> Result<(), wavejit::Error> {
        let exec = exports.last_exec().unwrap_or(u64::MAX);
        let mut lanes = block.lanes & exec << block.first;
        counts.pixels_shaded += u64::from(block.lanes.count_ones());
        if draw.order == TestOrder::Late {
            if draw.depth.is_used() && lanes != 0 {
                lanes = lanes_of_rows(self.test_block(draw, block.shape, block.place, rows_of_lanes(lanes)));
            }
            counts.samples_passed += u64::from(lanes.count_ones());
        }
        let Some(memory) = &mut self.memory else { return Ok(()) };
        if !plan.is_direct || memory.has_colors {
            let colors: Vec<Export> = exports.iter().filter(|e| is_color(e)).collect();
            let quads = block.quads(lanes);
            write_colors(draw, &mut memory.colors, &colors, &quads[..draw.pixel.wave_size as usize / 4]);
            return Ok(());
        }
        let [x, y] = [0, 1].map(|d| self.origin[d] as u32 + u32::from(block.place[d]));
        for export in exports.iter() {
            let Some(way) = plan.ways.get(usize::from(export.target)).and_then(Option::as_ref) else { continue };
            let lanes = lanes & export.exec << block.first;
            if let Some(slice) = draw.color_slice(way.target, self.layer)
                && lanes != 0
                && export.enabled != 0
            {
                way.write(draw, (slice, x, y), (block.first, lanes), export.data)?;
            }
        }
        Ok(())
    }

    fn end_quads<'e>(&mut self, draw: &Draw, (first, end): (usize, usize), exports: impl Iterator<Item = Export<'e>>, counts: &mut Counts) {
        let quads = &self.quads[first..end];
        let Some(memory) = &mut self.memory else { return };
        let mut colors: Vec<Export> = Vec::new();
        let (mut depth_export, mut exec) = (None, None);
        for export in exports {
            if export.is_done {
                exec = Some(export.exec);
            }
            match export.target {
                8 => depth_export = Some(DepthExport::unpack(draw.pixel.z_format, export.data)),
                _ if is_color(&export) => colors.push(export),
                _ => {}
            }
        }
        // Without any export all that started is there still.
        let exec = exec.unwrap_or(u64::MAX);
        let alpha = draw.depth.alpha_to_coverage.map(|offsets| (offsets, alpha_of(draw, &colors, depth_export.as_ref())));
        let mut written = [Written { place: [0; 2], coverage: 0 }; LANES / 4];
        for (q, quad) in quads.iter().enumerate() {
            let mut coverage = quad.coverage & lanes_of(exec, q);
            if let Some(export) = depth_export.as_ref().filter(|_| draw.depth.exports[2]) {
                coverage &= (0..4).fold(0, |m, p| m | u32::from(export.mask[4 * q + p] & 0xff) << (8 * p));
            }
            if let Some((offsets, alpha)) = &alpha {
                coverage &= (0..4).fold(0, |m, p| m | alpha_mask(alpha[4 * q + p], offsets[p], draw.raster.samples) << (8 * p));
            }
            counts.pixels_shaded += u64::from(pixels_of(quad.coverage));
            if draw.order == TestOrder::Late {
                if draw.depth.is_used() && coverage != 0 {
                    coverage = late_test(draw, &mut memory.depth, self.origin, quad, q, coverage, depth_export.as_ref());
                }
                counts.samples_passed += u64::from(coverage.count_ones());
            }
            written[q] = Written { place: quad.place, coverage };
        }
        write_colors(draw, &mut memory.colors, &colors, &written[..quads.len()]);
    }

    /// Are there no more quads?
    pub(crate) fn is_finished(&self) -> bool {
        self.next == self.shapes.len() && self.chunk == self.waves.len() && self.open == self.quads.len()
    }

    fn load_colors(&self, draw: &Draw, memory: &mut TileMemory) -> Result<(), wavejit::Error> {
        memory.has_colors = true;
        for (n, surface) in draw.surfaces.colors.iter().enumerate() {
            if let (Some(surface), Some(slice)) = (surface, draw.color_slice(n, self.layer)) {
                surface.load(draw.memory, slice, self.origin, self.area, &mut memory.colors[n])?;
            }
            if let Some(surface) = surface {
                blank(surface, &mut memory.colors[n]);
            }
        }
        Ok(())
    }

    fn load_depth(&self, draw: &Draw, memory: &mut TileMemory) -> Result<(), wavejit::Error> {
        let Surfaces { depth, stencil, .. } = draw.surfaces;
        let slice = draw.depth_slice(self.layer);
        if let (Some(surface), Some((_, format))) = (depth, draw.depth.depth) {
            if let Some(slice) = slice {
                surface.load(draw.memory, slice, self.origin, self.area, &mut memory.depth_bytes)?;
            }
            blank(surface, &mut memory.depth_bytes);
            memory.depth.set_depths(format, &memory.depth_bytes);
        }
        if let Some(surface) = stencil {
            if let Some(slice) = slice {
                surface.load(draw.memory, slice, self.origin, self.area, &mut memory.stencil_bytes)?;
            }
            blank(surface, &mut memory.stencil_bytes);
            memory.depth.stencil.clone_from(&memory.stencil_bytes.data);
        }
        Ok(())
    }

    /// Writes everything back that the draw may have changed.
    pub(crate) fn store(&mut self, draw: &Draw) -> Result<(), wavejit::Error> {
        let Some(mut memory) = self.memory.take() else { return Ok(()) };
        let Surfaces { colors, depth, stencil } = draw.surfaces;
        let put = |surface: &Surface, slice: u32, bytes: &TileBytes| {
            let _guard = surface.shares_granules().then(|| lock(&draw.shared));
            surface.store(draw.memory, slice, self.origin, self.area, bytes)
        };
        for (n, surface) in colors.iter().enumerate().filter(|_| memory.has_colors) {
            if let (Some(surface), Some(slice)) = (surface, draw.color_slice(n, self.layer)) {
                put(surface, slice, &memory.colors[n])?;
            }
        }
        let Some(slice) = draw.depth_slice(self.layer) else { return Ok(()) };
        if let (Some(surface), Some((_, format))) = (depth, draw.depth.depth)
            && (draw.depth.writes_depth || draw.depth.clear_depth.is_some())
        {
            let memory = &mut *memory;
            memory.depth.depths(format, &mut memory.depth_bytes);
            put(surface, slice, &memory.depth_bytes)?;
        }
        if let Some(surface) = stencil
            && !draw.depth.stencil_is_read_only
        {
            memory.stencil_bytes.data.clone_from(&memory.depth.stencil);
            put(surface, slice, &memory.stencil_bytes)?;
        }
        Ok(())
    }
}

/// Of eight rows, the pixels of each block, a byte for a row.
fn blocks_of(rows: &[u64; SIDE]) -> [u64; TILE as usize / SIDE] {
    if rows.iter().all(|row| *row == u64::MAX) {
        return [u64::MAX; TILE as usize / SIDE];
    }
    std::array::from_fn(|x| u64::from_le_bytes(rows.map(|row| (row >> (x * SIDE)) as u8)))
}

/// Is it one for targets?
fn is_color(export: &Export) -> bool {
    matches!(export.target, 0..=7 | 21 | 22) && export.enabled != 0
}

/// Room for a tile's elements, where nothing was read.
fn blank(surface: &Surface, bytes: &mut TileBytes) {
    bytes.bytes = surface.element_bytes();
    bytes.data.resize(surface.samples() as usize * PIXELS * bytes.bytes, 0);
}

/// All samples of the pixels whose lanes are set, of the quad in lanes `4 * quad` on.
fn lanes_of(exec: u64, quad: usize) -> u32 {
    // The product puts a copy of the four bits at every byte, moved so that bit p of the copy of byte p is its lowest.
    let lanes = (exec >> (4 * quad)) as u32 & 15;
    ((lanes * 0x0020_4081) & 0x0101_0101) * 0xff
}

/// Pixels with a covered sample.
fn pixels_of(coverage: u32) -> u32 {
    let pairs = coverage | coverage >> 4 & 0x0f0f_0f0f;
    let bits = pairs | pairs >> 2 & 0x0303_0303;
    ((bits | bits >> 1) & 0x0101_0101).count_ones()
}

/// Depth of a sample of a pixel of a quad, in the viewport's range.
fn depths<'a>(draw: &'a Draw, shape: &Shape, origin: [i32; 2], place: QuadPlace) -> impl Fn(usize, usize) -> f32 + 'a {
    let plane = shape.depth;
    let x = f64::from(origin[0] + i32::from(place[0])) + 0.5;
    let y = f64::from(origin[1] + i32::from(place[1])) + 0.5;
    let [a, b] = draw.raster.viewports[usize::from(shape.viewport)].depth;
    let [least, most] = [a.min(b), a.max(b)];
    move |pixel, sample| {
        let [dx, dy] = draw.raster.sample_places[pixel][sample].map(|n| f64::from(n) / 16.0);
        let z = plane.at(x + (pixel & 1) as f64 + dx, y + (pixel >> 1) as f64 + dy) as f32;
        z.max(least).min(most)
    }
}

fn late_test(
    draw: &Draw,
    tile: &mut DepthTile,
    origin: [i32; 2],
    quad: &Quad,
    q: usize,
    coverage: u32,
    export: Option<&DepthExport>,
) -> u32 {
    let shape = &draw.shapes[quad.shape as usize];
    let interpolated = depths(draw, shape, origin, quad.place);
    let [has_depth, has_stencil, _] = draw.depth.exports;
    let [a, b] = draw.raster.viewports[usize::from(shape.viewport)].depth;
    let exported = export.filter(|_| has_depth).map(|e| [0, 1, 2, 3].map(|p| e.z[4 * q + p].max(a.min(b)).min(a.max(b))));
    let reference = export.filter(|_| has_stencil).map(|e| [0, 1, 2, 3].map(|p| e.stencil[4 * q + p]));
    let z = |pixel: usize, sample: usize| exported.map_or_else(|| interpolated(pixel, sample), |z| z[pixel]);
    depth::test(draw.depth, tile, quad.place, coverage, shape.is_front, reference, z)
}

/// Alpha of each lane: of the depth export, if it has one, else of the first color.
fn alpha_of(draw: &Draw, colors: &[Export], depth_export: Option<&DepthExport>) -> [f32; LANES] {
    if let Some(first) = colors.iter().find(|e| e.target == 0)
        && depth_export.is_none()
    {
        let mut rows: Rows = [[0; LANES]; 4];
        unpack(draw.pixel.color_formats[0], first.data, &mut rows);
        return rows[3].map(f32::from_bits);
    }
    depth_export.map_or([1.0; LANES], |e| e.alpha)
}

/// As many samples as alpha says, and a share of one that depends on the pixel of the quad.
fn alpha_mask(alpha: f32, offset: u8, samples: u32) -> u32 {
    let covered = (alpha.clamp(0.0, 1.0) * samples as f32 + (f32::from(offset) + 0.5) / 4.0) as u32;
    (1 << covered.min(samples)) - 1
}

fn write_colors(draw: &Draw, tiles: &mut [TileBytes; TARGETS], exports: &[Export], quads: &[Written]) {
    let mut rows: Rows = [[0; LANES]; 4];
    let write = |n: usize, exec: u64, rows: &Rows, second: Option<&Rows>, tile: &mut TileBytes| {
        let Some(target) = &draw.color.targets[n] else { return };
        let mut own = [Written { place: [0; 2], coverage: 0 }; LANES / 4];
        for (q, (own, quad)) in own.iter_mut().zip(quads).enumerate() {
            *own = Written { coverage: quad.coverage & lanes_of(exec, q), ..*quad };
        }
        blend::write(target, draw.color.constants, rows, second, &own[..quads.len()], tile);
    };
    let find = |target: u8| exports.iter().find(|e| e.target == target);
    if let (Some(first), Some(second)) = (find(21), find(22)) {
        let mut halves = [rows; 2];
        unpack(draw.pixel.color_formats[0], first.data, &mut halves[0]);
        unpack(draw.pixel.color_formats[0], second.data, &mut halves[1]);
        let [source0, source1] = two_sources(&halves[0], &halves[1]);
        write(0, u64::MAX, &source0, Some(&source1), &mut tiles[0]);
        return;
    }
    for export in exports.iter().filter(|e| usize::from(e.target) < TARGETS) {
        let number = usize::from(export.target);
        if let Some(n) = draw.color.exports[number].filter(|n| draw.color.targets[*n].is_some()) {
            unpack(draw.pixel.color_formats[number], export.data, &mut rows);
            write(n, export.exec, &rows, None, &mut tiles[n]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // graphics.md 5.7: any mask that grows with alpha; all samples at 1, none at 0.
    #[test]
    fn alpha_covers_more_samples_as_it_grows() {
        for samples in [1u32, 2, 4, 8] {
            for offset in 0..4 {
                let masks: Vec<u32> = (0..=100).map(|a| alpha_mask(a as f32 / 100.0, offset, samples)).collect();
                assert!(masks.windows(2).all(|m| m[0] & !m[1] == 0));
                assert_eq!((masks[0], masks[100]), (0, (1 << samples) - 1));
            }
        }
    }

    #[test]
    fn pixels_count_once_whatever_their_samples() {
        for (coverage, expected) in [(0, 0), (1, 1), (0x80, 1), (0xff, 1), (0x0110_8002, 4), (0x4000_0000, 1), (u32::MAX, 4)] {
            assert_eq!(pixels_of(coverage), expected, "{coverage:#x}");
        }
    }

    #[test]
    fn lanes_stand_for_all_samples_of_their_pixel() {
        assert_eq!(lanes_of(0b1001_0110, 0), 0x00ff_ff00);
        assert_eq!(lanes_of(0b1001_0110, 1), 0xff00_00ff);
    }
}
