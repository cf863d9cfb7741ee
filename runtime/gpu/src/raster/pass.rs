//! The shapes of a draw, tile by tile: who works on which tile, and the pixel waves of a tile as workgroups.
//!
//! A workgroup is a chunk of a tile's waves. Its waves run one after the other, and the next chunk of a tile is made when the one before has
//! ended, by the thread that ended it; so everything in a tile happens in order, and tiles run side by side.

use super::blend::Written;
use super::block::Plan;
use super::inputs::{ATTRIBUTE_BYTES, Inputs, Parameters, WAVE_PRIMITIVES};
use super::packers::Packers;
use super::shape::{Shape, TILE};
use super::surface::Surface;
use super::tile::{Counts, TileWork, Wave};
use crate::error::Refusal;
use crate::registers::color::{ColorState, TARGETS};
use crate::registers::depth::{DepthState, TestOrder};
use crate::registers::pixel::PixelState;
use crate::registers::raster::{RasterState, Rect};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use wavejit::stage::{GroupExports, GroupStart, StageSource, Taken, VectorWork, WaveStart, with_host_vectors};
use wavejit::{AddressSpace, Limit};

/// Most waves of a chunk.
const CHUNK_WAVES: u32 = 16;
/// LDS of a chunk's waves, in bytes: as much as a workgroup may have.
const CHUNK_LDS: u32 = 1 << 16;
/// What a wave's place in LDS is a multiple of.
const LDS_UNIT: u32 = 128;

/// Waves of a chunk, and bytes of LDS that each has for its parameters. All waves of a chunk start before the first runs.
pub(crate) fn chunk(attributes: usize) -> (u32, u32) {
    let bytes = ((attributes * ATTRIBUTE_BYTES * WAVE_PRIMITIVES) as u32).next_multiple_of(LDS_UNIT);
    (CHUNK_LDS.checked_div(bytes).unwrap_or(CHUNK_WAVES).min(CHUNK_WAVES), bytes)
}

/// These locks live no longer than a draw, and what they hold is never left half done by a panic that goes on.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Surfaces that a draw writes or tests against.
#[derive(Default)]
pub(crate) struct Surfaces {
    pub colors: [Option<Arc<Surface>>; TARGETS],
    pub depth: Option<Arc<Surface>>,
    pub stencil: Option<Arc<Surface>>,
}

/// A draw whose primitives are shapes.
pub(crate) struct Draw<'a> {
    pub memory: &'a AddressSpace,
    pub pixel: &'a PixelState,
    pub raster: &'a RasterState,
    pub depth: &'a DepthState,
    pub color: &'a ColorState,
    pub surfaces: &'a Surfaces,
    pub order: TestOrder,
    pub shapes: &'a [Shape],
    pub parameters: &'a [Parameters],
    /// Held while bytes are written that several tiles share.
    pub shared: Mutex<()>,
    /// Not 0: it is to end with an error ([`Gpu::stop`](crate::Gpu::stop)).
    pub stop: &'a AtomicU32,
    pub packers: &'a Packers,
}

impl Draw<'_> {
    /// The error of a draw that is to end.
    pub(crate) fn check_stop(&self) -> Result<(), wavejit::Error> {
        if self.stop.load(Relaxed) == 0 { Ok(()) } else { Err(Limit::Canceled { kernel: "pixels of a draw".into() }.into()) }
    }

    /// Slice of a target for a layer; none: it has no such one.
    pub(crate) fn color_slice(&self, target: usize, layer: u32) -> Option<u32> {
        let [first, last] = self.color.targets[target].as_ref()?.slices;
        Some(first + layer).filter(|slice| *slice <= last)
    }

    /// Slice of depth and stencil for a layer.
    pub(crate) fn depth_slice(&self, layer: u32) -> Option<u32> {
        let [first, last] = self.depth.layers;
        Some(first + layer).filter(|slice| *slice <= last)
    }
}

/// Tiles that shapes cover, each with its shapes in order.
pub(crate) fn bin(shapes: &[Shape]) -> Vec<TileWork> {
    let all = shapes.iter().fold(Rect::default(), |all, shape| all.around(shape.bounds));
    if all.is_empty() {
        return Vec::new();
    }
    let (x0, y0) = (all.x0.div_euclid(TILE), all.y0.div_euclid(TILE));
    let columns = (all.x1 - 1).div_euclid(TILE) - x0 + 1;
    let rows = (all.y1 - 1).div_euclid(TILE) - y0 + 1;
    // Layer 0 by place, others as they come.
    let mut flat: Vec<u32> = vec![u32::MAX; (columns * rows) as usize];
    let mut layered: FxHashMap<(u16, i32, i32), u32> = FxHashMap::default();
    let mut tiles: Vec<TileWork> = Vec::new();
    for (number, shape) in shapes.iter().enumerate() {
        let b = shape.bounds;
        let (left, right) = (b.x0.div_euclid(TILE), (b.x1 - 1).div_euclid(TILE));
        let (top, below) = (b.y0.div_euclid(TILE), (b.y1 - 1).div_euclid(TILE));
        let is_large = right > left && below > top;
        for (y, x) in (top..=below).flat_map(|y| (left..=right).map(move |x| (y, x))) {
            let rect = Rect { x0: x * TILE, y0: y * TILE, x1: (x + 1) * TILE, y1: (y + 1) * TILE };
            if is_large && shape.misses(rect) {
                continue;
            }
            let slot = if shape.layer == 0 {
                &mut flat[((y - y0) * columns + x - x0) as usize]
            } else {
                layered.entry((shape.layer, y, x)).or_insert(u32::MAX)
            };
            if *slot == u32::MAX {
                *slot = tiles.len() as u32;
                tiles.push(TileWork::new([rect.x0, rect.y0], u32::from(shape.layer)));
            }
            tiles[*slot as usize].add(number as u32, shape);
        }
    }
    tiles
}

/// The tiles of a draw as a source of waves.
pub(crate) struct Pass<'a> {
    draw: &'a Draw<'a>,
    inputs: Inputs<'a>,
    tiles: Vec<Mutex<TileWork>>,
    /// The first tile that nobody has begun.
    fresh: AtomicUsize,
    plan: Plan,
    chunk_waves: u32,
    /// Tiles that have more chunks.
    again: Again,
    counts: Mutex<Counts>,
    /// Is there a failure? Threads ask before every chunk.
    has_failed: AtomicBool,
    failure: Mutex<Option<wavejit::Error>>,
}

/// Tiles that have more chunks. A thread goes on with the one that it has just worked on: it has its memory in the cache, and asks nobody.
#[derive(Default)]
struct Again {
    own: OwnTiles,
    others: Mutex<Vec<usize>>,
}

/// By thread.
struct OwnTiles([OwnTile; 64]);

/// The tile that a thread goes on with, plus 1; 0: none. In lines of its own.
#[derive(Default)]
#[repr(align(128))]
struct OwnTile(AtomicUsize);

impl Default for OwnTiles {
    fn default() -> OwnTiles {
        OwnTiles(std::array::from_fn(|_| OwnTile::default()))
    }
}

impl Again {
    /// This thread's place, which a few may share where there are many.
    fn own(&self) -> &AtomicUsize {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local!(static THREAD: usize = THREADS.fetch_add(1, Relaxed));
        &self.own.0[THREAD.with(|n| *n) % self.own.0.len()].0
    }

    fn put(&self, tile: usize) {
        if self.own().compare_exchange(0, tile + 1, Relaxed, Relaxed).is_err() {
            lock(&self.others).push(tile);
        }
    }

    /// The tile that this thread goes on with.
    fn take_own(&self) -> Option<usize> {
        let own = self.own();
        if own.load(Relaxed) == 0 { None } else { own.swap(0, Relaxed).checked_sub(1) }
    }

    fn take_any(&self) -> Option<usize> {
        lock(&self.others).pop()
    }
}

impl<'a> Pass<'a> {
    pub(crate) fn new(draw: &'a Draw<'a>, tiles: Vec<TileWork>) -> Pass<'a> {
        let (chunk_waves, lds_bytes) = chunk(draw.pixel.attributes.len());
        Pass {
            draw,
            inputs: Inputs {
                pixel: draw.pixel,
                raster: draw.raster,
                shapes: draw.shapes,
                parameters: draw.parameters,
                packers: draw.packers,
                lds_bytes,
            },
            plan: Plan::of(draw),
            chunk_waves,
            tiles: tiles.into_iter().map(Mutex::new).collect(),
            fresh: AtomicUsize::new(0),
            again: Again::default(),
            counts: Mutex::new(Counts::default()),
            has_failed: AtomicBool::new(false),
            failure: Mutex::new(None),
        }
    }

    /// What was counted, unless memory was not there.
    pub(crate) fn finish(self) -> Result<Counts, Refusal> {
        match self.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error.into()),
            None => Ok(self.counts.into_inner().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// Does all without waves.
    pub(crate) fn run_tests(&self) {
        for tile in &self.tiles {
            let mut counts = Counts::default();
            let result = lock(tile).test_all(self.draw, &mut counts);
            self.count(counts);
            self.note(result);
        }
    }

    fn count(&self, some: Counts) {
        let mut counts = lock(&self.counts);
        counts.samples_passed += some.samples_passed;
        counts.pixels_shaded += some.pixels_shaded;
    }

    fn note(&self, result: Result<(), wavejit::Error>) {
        if let Err(error) = result {
            lock(&self.failure).get_or_insert(error);
            self.has_failed.store(true, Relaxed);
        }
    }

    fn finish_tile(&self, tile: &mut TileWork) {
        self.count(tile.counts);
        self.note(tile.store(self.draw));
    }

    #[inline(always)]
    fn start_in(&self, tile: &TileWork, wave: u32, start: &mut WaveStart<'_>) {
        match &tile.waves()[wave as usize] {
            Wave::Quads(first, end) => self.inputs.start(tile.origin, wave, tile.quads(*first, *end), start),
            Wave::Block(block, with) => self.inputs.start_block(tile.origin, *with, *with == wave, block, start),
        }
    }

    fn tile_of(&self, group: u64) -> &Mutex<TileWork> {
        &self.tiles[group as usize % self.tiles.len()]
    }
}

/// The start of all waves of a workgroup.
struct StartAll<'a, 's> {
    pass: &'a Pass<'a>,
    tile: &'a TileWork,
    start: &'a mut GroupStart<'s>,
}

impl VectorWork for StartAll<'_, '_> {
    #[inline(always)]
    fn run(self) {
        for wave in 0..self.start.waves() {
            self.pass.start_in(self.tile, wave, &mut self.start.wave(wave));
        }
    }
}

impl StageSource for Pass<'_> {
    fn take(&self) -> Taken {
        loop {
            if self.has_failed.load(Relaxed) {
                return Taken::Nothing;
            }
            let fresh = || Some(self.fresh.fetch_add(1, Relaxed)).filter(|n| *n < self.tiles.len());
            let Some(number) = self.again.take_own().or_else(fresh).or_else(|| self.again.take_any()) else {
                // Tiles at work now are gone on with by the threads that have them.
                return Taken::Nothing;
            };
            let mut tile = lock(&self.tiles[number]);
            let mut counts = std::mem::take(&mut tile.counts);
            let more = tile.advance(self.draw, &self.plan, self.chunk_waves as usize, &mut counts);
            tile.counts = counts;
            match more {
                Ok(true) => {
                    tile.chunks += 1;
                    let group = (tile.chunks * self.tiles.len() + number) as u64;
                    return Taken::Units(group..group + 1);
                }
                Ok(false) => self.finish_tile(&mut tile),
                Err(error) => self.note(Err(error)),
            }
        }
    }

    fn waves(&self, group: u64) -> u32 {
        lock(self.tile_of(group)).waves().len() as u32
    }

    fn start_wave(&self, group: u64, wave: u32, start: &mut WaveStart<'_>) {
        self.start_in(&lock(self.tile_of(group)), wave, start);
    }

    fn start_group(&self, group: u64, start: &mut GroupStart<'_>) {
        let tile = lock(self.tile_of(group));
        with_host_vectors(StartAll { pass: self, tile: &tile, start });
    }

    fn keeps_lds(&self) -> bool {
        // All parameters that a wave has are written before it starts.
        true
    }

    fn end(&self, group: u64, exports: &GroupExports<'_>) {
        let mut tile = lock(self.tile_of(group));
        let mut counts = std::mem::take(&mut tile.counts);
        for wave in 0..exports.waves().min(tile.waves().len()) {
            let result = tile.end_wave(self.draw, &self.plan, wave, exports.wave(wave), &mut counts);
            if result.is_err() {
                self.note(result);
                break;
            }
        }
        tile.counts = counts;
        if tile.is_finished() {
            self.finish_tile(&mut tile);
        } else {
            self.again.put(group as usize % self.tiles.len());
        }
    }

    fn workers(&self, most: usize) -> usize {
        self.tiles.len().min(most)
    }
}

/// Quads of four pixels are written a wave at a time.
const _: () = assert!(size_of::<Written>() == 8);

#[cfg(test)]
mod tests {
    use super::*;

    // A thread goes on with one tile; what else it gives back is there for all.
    #[test]
    fn no_tile_that_has_more_is_forgotten() {
        let again = Again::default();
        (0..3).for_each(|tile| again.put(tile));
        assert_eq!((again.take_own(), again.take_own()), (Some(0), None));
        let mut others =
            std::thread::scope(|s| s.spawn(|| [again.take_own(), again.take_any(), again.take_any(), again.take_any()]).join()).unwrap();
        others.sort_unstable();
        assert_eq!(others, [None, None, Some(1), Some(2)]);
    }

    #[test]
    fn chunks_have_room_for_what_their_waves_start_with() {
        assert_eq!(chunk(0), (16, 0));
        assert_eq!(chunk(1), (16, 768));
        assert_eq!(chunk(32), (2, 24576));
        assert!((0..=32).map(chunk).all(|(waves, bytes)| waves >= 1 && waves * bytes <= CHUNK_LDS));
    }
}
