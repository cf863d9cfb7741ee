//! Surfaces of guest memory, and the tiles of 64 x 64 pixels that draws keep of them while they run.
//!
//! A [`TileBytes`] has the elements as memory has them, by sample and row: `[sample][y][x]`. In swizzled surfaces runs of 256 bytes hold small
//! rectangles of pixels (images.md 8); a tile is read and written by these, linear surfaces by rows.

use super::blend::MOST_BYTES;
use super::block::{BlockLayout, BlockWrite};
use super::export::LANES;
use super::shape::TILE;
use crate::error::Refusal;
use crate::registers::raster::Rect;
use wavejit::AddressSpace;
use wavejit_texture::Generation;
use wavejit_texture::tiling::{AddressConfig, Kind, LevelLayout, SurfaceParams, Tiling};

/// Pixels of a tile.
pub(crate) const PIXELS: usize = (TILE * TILE) as usize;
/// Bytes that stay together wherever they are.
const GRANULE: usize = 256;

/// Where the pixels of a level are.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    base: u64,
    level: LevelLayout,
    bytes: usize,
    samples: u32,
    /// Pixels of a granule, as powers of two; none: rows.
    granule: Option<[i32; 2]>,
    /// Do granules hold pixels of this sample and slice alone?
    granule_is_whole: bool,
    /// How blocks of pixels lie, where they may be written without a tile.
    blocks: Option<BlockLayout>,
}

/// What a surface is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SurfaceKey {
    pub address: u64,
    pub mode: u8,
    pub kind: Kind,
    pub size: [u32; 3],
    pub level: u32,
    pub levels: u32,
    pub samples: u32,
    pub bytes: u32,
}

/// Elements of a tile.
#[derive(Clone, Debug, Default)]
pub(crate) struct TileBytes {
    pub data: Vec<u8>,
    pub bytes: usize,
}

impl TileBytes {
    /// Byte offset of an element.
    pub(crate) fn at(&self, sample: usize, x: usize, y: usize) -> usize {
        (sample * PIXELS + y * TILE as usize + x) * self.bytes
    }
}

impl Surface {
    pub(crate) fn new(key: &SurfaceKey, generation: Generation, config: AddressConfig) -> Result<Surface, Refusal> {
        let [width, height, depth_or_layers] = key.size;
        let params = SurfaceParams {
            generation,
            mode: key.mode,
            kind: key.kind,
            width,
            height,
            depth_or_layers,
            levels: key.levels,
            samples: key.samples,
            element_bytes: key.bytes,
            compressed: false,
            pitch: None,
            pow2_pad: false,
            pipe_bank_xor: (key.address >> 8) as u32,
            config,
        };
        let refuse = |why: String| Refusal::new(format!("a surface at {:#x} with swizzle mode {}: {why}", key.address, key.mode));
        let tiling = Tiling::new(&params).map_err(|e| refuse(e.to_string()))?;
        let level = tiling.level(key.level).ok_or_else(|| refuse(format!("level {} of {}", key.level, key.levels)))?;
        let bytes = key.bytes as usize;
        // Coordinate bits that stay inside a granule, from the lowest on.
        let inside = |axis: usize| {
            let bits = (0..level.shift[axis]).take_while(|bit| {
                let moved = level.offset_xor(axis, 0) ^ level.offset_xor(axis, 1 << bit);
                level.xor[axis].len() > 1 << bit && moved < GRANULE as u32
            });
            1i32 << bits.count()
        };
        let is_linear = level.xor[0].len() == 1 && level.xor[1].len() == 1 && level.shift[0] == 0;
        let granule = (!is_linear).then(|| [inside(0), inside(1)]);
        let granule_is_whole = granule.is_some_and(|[w, h]| w as usize * h as usize * bytes == GRANULE);
        let is_alone = key.samples == 1 && (is_linear || granule_is_whole);
        let blocks = is_alone.then(|| BlockLayout::of(&level, bytes, is_linear)).flatten();
        Ok(Surface { base: tiling.base(key.address), level, bytes, samples: key.samples, granule, granule_is_whole, blocks })
    }

    /// Its pixels.
    pub(crate) fn rect(&self) -> Rect {
        Rect { x0: 0, y0: 0, x1: self.level.size[0] as i32, y1: self.level.size[1] as i32 }
    }

    /// May blocks be written without a tile?
    pub(crate) fn has_blocks(&self) -> bool {
        self.blocks.is_some()
    }

    /// Writes elements of the block at a slice and pixel.
    pub(crate) fn store_block(
        &self,
        memory: &AddressSpace,
        (slice, x, y): (u32, u32, u32),
        what: BlockWrite<'_>,
    ) -> Result<(), wavejit::Error> {
        match &self.blocks {
            Some(blocks) if slice < self.level.size[2] => blocks.store(self.bytes, what, memory, |[dx, dy]| {
                self.base.wrapping_add(self.level.offset(x + u32::from(dx), y + u32::from(dy), slice, 0))
            }),
            _ => Ok(()),
        }
    }

    /// Says that the block at a slice and pixel is about to be written.
    #[inline]
    pub(crate) fn prepare_block(&self, memory: &AddressSpace, (slice, x, y): (u32, u32, u32)) {
        if let Some(blocks) = self.blocks.as_ref().filter(|_| slice < self.level.size[2]) {
            blocks.prepare(self.bytes, memory, |[dx, dy]| {
                self.base.wrapping_add(self.level.offset(x + u32::from(dx), y + u32::from(dy), slice, 0))
            });
        }
    }

    /// Reads the elements of some lanes of the block at a slice and pixel, and perhaps of others.
    pub(crate) fn load_block(
        &self,
        memory: &AddressSpace,
        (slice, x, y): (u32, u32, u32),
        lanes: u64,
        elements: &mut [u8; LANES * MOST_BYTES],
    ) -> Result<(), wavejit::Error> {
        match &self.blocks {
            Some(blocks) if slice < self.level.size[2] => blocks.load(self.bytes, lanes, elements, memory, |[dx, dy]| {
                self.base.wrapping_add(self.level.offset(x + u32::from(dx), y + u32::from(dy), slice, 0))
            }),
            _ => Ok(()),
        }
    }

    /// Bytes of an element.
    pub(crate) fn element_bytes(&self) -> usize {
        self.bytes
    }

    /// Samples of a pixel.
    pub(crate) fn samples(&self) -> u32 {
        self.samples
    }

    /// Do several slices, or samples, share granules?
    pub(crate) fn shares_granules(&self) -> bool {
        self.granule.is_some() && !self.granule_is_whole
    }

    /// Reads the pixels of `area` that the surface has; the tile begins at `origin`.
    pub(crate) fn load(
        &self,
        memory: &AddressSpace,
        slice: u32,
        origin: [i32; 2],
        area: Rect,
        tile: &mut TileBytes,
    ) -> Result<(), wavejit::Error> {
        tile.bytes = self.bytes;
        tile.data.resize(self.samples as usize * PIXELS * self.bytes, 0);
        self.each(slice, origin, area, |at, run| match run {
            Run::Row(to, bytes) => memory.read(at, &mut tile.data[to..to + bytes]),
            Run::Granule(block) => {
                let mut granule = [0; GRANULE];
                memory.read(at, &mut granule)?;
                match self.bytes {
                    1 => self.pixels::<1>(&block, |from, to| tile.data[to..to + 1].copy_from_slice(&granule[from..from + 1])),
                    2 => self.pixels::<2>(&block, |from, to| tile.data[to..to + 2].copy_from_slice(&granule[from..from + 2])),
                    4 => self.pixels::<4>(&block, |from, to| tile.data[to..to + 4].copy_from_slice(&granule[from..from + 4])),
                    8 => self.pixels::<8>(&block, |from, to| tile.data[to..to + 8].copy_from_slice(&granule[from..from + 8])),
                    _ => self.pixels::<16>(&block, |from, to| tile.data[to..to + 16].copy_from_slice(&granule[from..from + 16])),
                }
                Ok(())
            }
        })
    }

    /// Writes the pixels of `area` that the surface has.
    pub(crate) fn store(
        &self,
        memory: &AddressSpace,
        slice: u32,
        origin: [i32; 2],
        area: Rect,
        tile: &TileBytes,
    ) -> Result<(), wavejit::Error> {
        self.each(slice, origin, area, |at, run| match run {
            Run::Row(from, bytes) => memory.write(at, &tile.data[from..from + bytes]),
            Run::Granule(block) => {
                let mut granule = [0; GRANULE];
                if !(self.granule_is_whole && block.is_whole) {
                    memory.read(at, &mut granule)?;
                }
                match self.bytes {
                    1 => self.pixels::<1>(&block, |to, from| granule[to..to + 1].copy_from_slice(&tile.data[from..from + 1])),
                    2 => self.pixels::<2>(&block, |to, from| granule[to..to + 2].copy_from_slice(&tile.data[from..from + 2])),
                    4 => self.pixels::<4>(&block, |to, from| granule[to..to + 4].copy_from_slice(&tile.data[from..from + 4])),
                    8 => self.pixels::<8>(&block, |to, from| granule[to..to + 8].copy_from_slice(&tile.data[from..from + 8])),
                    _ => self.pixels::<16>(&block, |to, from| granule[to..to + 16].copy_from_slice(&tile.data[from..from + 16])),
                }
                memory.write(at, &granule)
            }
        })
    }

    /// Writes one element to all samples of the pixels of `area` that the surface has.
    pub(crate) fn fill(&self, memory: &AddressSpace, slice: u32, area: Rect, element: &[u8]) -> Result<(), wavejit::Error> {
        let row_bytes = (area.and(self.rect()).x1 - area.x0).max(0) as usize * self.bytes;
        let pattern: Vec<u8> = element.iter().copied().cycle().take(row_bytes.max(GRANULE)).collect();
        self.each(slice, [area.x0, area.y0], area, |at, run| match run {
            Run::Row(_, bytes) => memory.write(at, &pattern[..bytes]),
            Run::Granule(block) if self.granule_is_whole && block.is_whole => memory.write(at, &pattern[..GRANULE]),
            Run::Granule(block) => {
                let mut granule = [0; GRANULE];
                memory.read(at, &mut granule)?;
                match self.bytes {
                    1 => self.pixels::<1>(&block, |to, _| granule[to..to + 1].copy_from_slice(&element[..1])),
                    2 => self.pixels::<2>(&block, |to, _| granule[to..to + 2].copy_from_slice(&element[..2])),
                    4 => self.pixels::<4>(&block, |to, _| granule[to..to + 4].copy_from_slice(&element[..4])),
                    8 => self.pixels::<8>(&block, |to, _| granule[to..to + 8].copy_from_slice(&element[..8])),
                    _ => self.pixels::<16>(&block, |to, _| granule[to..to + 16].copy_from_slice(&element[..16])),
                }
                memory.write(at, &granule)
            }
        })
    }

    /// Calls back for all runs of bytes with pixels of an area: guest address, and which pixels.
    fn each(
        &self,
        slice: u32,
        origin: [i32; 2],
        area: Rect,
        mut run: impl FnMut(u64, Run) -> Result<(), wavejit::Error>,
    ) -> Result<(), wavejit::Error> {
        let area = area.and(self.rect());
        if area.is_empty() || slice >= self.level.size[2] {
            return Ok(());
        }
        let tile = |sample: u32, x: i32, y: i32| {
            (sample as usize * PIXELS + (y - origin[1]) as usize * TILE as usize + (x - origin[0]) as usize) * self.bytes
        };
        for sample in 0..self.samples {
            let Some([w, h]) = self.granule else {
                for y in area.y0..area.y1 {
                    let at = self.base.wrapping_add(self.level.offset(area.x0 as u32, y as u32, slice, sample));
                    run(at, Run::Row(tile(sample, area.x0, y), (area.x1 - area.x0) as usize * self.bytes))?;
                }
                continue;
            };
            for y in (area.y0 & -h..area.y1).step_by(h as usize) {
                for x in (area.x0 & -w..area.x1).step_by(w as usize) {
                    let at = self.level.offset(x as u32, y as u32, slice, sample) & !(GRANULE as u64 - 1);
                    let whole = Rect { x0: x, y0: y, x1: x + w, y1: y + h };
                    let part = whole.and(area);
                    let first = tile(sample, part.x0, part.y0);
                    run(self.base.wrapping_add(at), Run::Granule(Block { sample, slice, part, first, is_whole: part == whole }))?;
                }
            }
        }
        Ok(())
    }

    /// Calls back for all pixels of a granule, with elements of so many bytes: byte offsets in the granule and in the tile.
    #[inline(always)]
    fn pixels<const BYTES: usize>(&self, block: &Block, mut pixel: impl FnMut(usize, usize)) {
        let of_slice = self.level.slice(block.slice, block.sample).offset_xor;
        let Rect { x0, y0, x1, y1 } = block.part;
        let mut columns = [0u8; TILE as usize];
        let columns = &mut columns[..(x1 - x0) as usize];
        columns.iter_mut().zip(x0..).for_each(|(column, x)| *column = self.level.offset_xor(0, x as u32) as u8);
        for y in y0..y1 {
            let row = (of_slice ^ self.level.offset_xor(1, y as u32)) as u8;
            let first = block.first + (y - y0) as usize * TILE as usize * BYTES;
            for (n, column) in columns.iter().enumerate() {
                // Elements do not reach over the end of a granule.
                let inside = usize::from(row ^ column) & (GRANULE - BYTES);
                pixel(inside, first + n * BYTES);
            }
        }
    }
}

/// Bytes that lie together in memory.
enum Run {
    /// So many bytes of a row, from an offset in the tile on.
    Row(usize, usize),
    Granule(Block),
}

/// Pixels of a granule.
struct Block {
    sample: u32,
    slice: u32,
    part: Rect,
    /// Byte offset in the tile of the part's first pixel.
    first: usize,
    is_whole: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raster::block::PLACES;
    use wavejit::{Device, DeviceConfig};

    // graphics.md 6: modes seen of targets. Every pixel lands where the layout has it, and all others stay.
    #[test]
    fn tiles_go_to_where_the_layout_has_them() {
        let device = Device::new(DeviceConfig::default()).unwrap();
        for (mode, bytes, samples, levels, level) in [
            (0, 4, 1, 1, 0),
            (0, 1, 1, 1, 0),
            (22, 4, 1, 1, 0),
            (27, 4, 1, 1, 0),
            (27, 16, 1, 1, 0),
            (31, 2, 1, 6, 1),
            (27, 4, 1, 7, 5),
            (24, 2, 1, 1, 0),
            (28, 4, 1, 1, 0),
            (24, 4, 4, 1, 0),
            (27, 8, 8, 1, 0),
            (24, 1, 2, 1, 0),
        ] {
            let size = [200, 150, 2];
            let key = |address| SurfaceKey { address, mode, kind: Kind::TwoD, size, level, levels, samples, bytes };
            let params = |address: u64| SurfaceParams {
                generation: Generation::Gfx11,
                mode,
                kind: Kind::TwoD,
                width: size[0],
                height: size[1],
                depth_or_layers: size[2],
                levels,
                samples,
                element_bytes: bytes,
                compressed: false,
                pitch: None,
                pow2_pad: false,
                pipe_bank_xor: (address >> 8) as u32,
                config: AddressConfig::default(),
            };
            let total = Tiling::new(&params(0)).unwrap().size() as usize + (1 << 18);
            let buffer = device.upload(&vec![0xee; total]).unwrap();
            let address = buffer.address().next_multiple_of(1 << 18);
            let tiling = Tiling::new(&params(address)).unwrap();
            let surface = Surface::new(&key(address), Generation::Gfx11, AddressConfig::default()).unwrap();
            let rect = surface.rect();
            let mut expected = vec![0xee; total];
            let mut random = wavejit_random::Random(u64::from(mode));
            for origin in [[0, 0], [64, 0], [0, 64], [64, 64]] {
                let tile_rect = Rect { x0: origin[0], y0: origin[1], x1: origin[0] + TILE, y1: origin[1] + TILE };
                let area = Rect { x0: 3, y0: 5, x1: 101, y1: 111 }.and(tile_rect).and(rect);
                let mut tile = TileBytes::default();
                surface.load(device.memory(), 1, origin, area, &mut tile).unwrap();
                for sample in 0..samples {
                    for (y, x) in (area.y0..area.y1).flat_map(|y| (area.x0..area.x1).map(move |x| (y, x))) {
                        let at = tile.at(sample as usize, (x - origin[0]) as usize, (y - origin[1]) as usize);
                        let offset = tiling.offset(level, x as u32, y as u32, 1, sample) + address - buffer.address();
                        for n in 0..bytes as usize {
                            assert_eq!(tile.data[at + n], 0xee);
                            let value = random.u32() as u8;
                            (tile.data[at + n], expected[offset as usize + n]) = (value, value);
                        }
                    }
                }
                surface.store(device.memory(), 1, origin, area, &tile).unwrap();
            }
            assert!(buffer.to_vec().unwrap() == expected, "mode {mode}, {bytes} bytes, {samples} samples, level {level}");
            assert!(surface.has_blocks() || samples != 1 || level == 5, "mode {mode}, {bytes} bytes, level {level}");
            for (x, y) in [(0, 0), (8, 0), (16, 40), (64, 24), (88, 64)].into_iter().filter(|_| surface.has_blocks()) {
                let lanes = if x == 8 { u64::MAX } else { random.u64() };
                let keep = (x == 64).then_some(0x8001_f010_8421_7f0f_1248_1001_0842_1fa5u128);
                let elements: [u8; LANES * MOST_BYTES] = std::array::from_fn(|_| random.u32() as u8);
                let what = BlockWrite { lanes, keep, elements: &elements };
                surface.store_block(device.memory(), (1, x, y), what).unwrap();
                for (lane, [dx, dy]) in PLACES.into_iter().enumerate().filter(|(lane, _)| lanes >> lane & 1 != 0) {
                    let at = tiling.offset(level, x + u32::from(dx), y + u32::from(dy), 1, 0) + address - buffer.address();
                    for n in 0..bytes as usize {
                        let keep = keep.unwrap_or(0).to_le_bytes()[n];
                        let to = &mut expected[at as usize + n];
                        *to = *to & keep | elements[lane * bytes as usize + n] & !keep;
                    }
                }
            }
            assert!(buffer.to_vec().unwrap() == expected, "blocks of mode {mode}, {bytes} bytes, level {level}");
        }
    }
}
