//! Copies between an image and plain rows of elements: of whole levels, or of some slices of one.
//!
//! A copy takes the bytes of the image that hold what it copies ([`Tiling::span`]), and no more.

use super::{LevelLayout, Tiling};
use std::ops::Range;

/// Plain rows: where the elements of a level are in a buffer, x fastest, then y, then z; a plane of all these per sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rows {
    /// Bytes from a row to the next.
    pub row_bytes: usize,
    /// Bytes from a slice to the next.
    pub slice_bytes: usize,
    /// Bytes from a sample's plane to the next.
    pub sample_bytes: usize,
}

impl Rows {
    /// Rows, slices and planes without gaps, for a level of that many elements in each direction.
    pub fn tight(size: [u32; 3], element_bytes: u32) -> Rows {
        let [w, h, d] = size.map(|s| s as usize);
        let row_bytes = w * element_bytes as usize;
        Rows { row_bytes, slice_bytes: row_bytes * h, sample_bytes: row_bytes * h * d }
    }

    /// Bytes of a buffer that holds the level. `None` if they cannot be counted.
    fn end(&self, size: [u32; 3], samples: u32, element_bytes: u32) -> Option<usize> {
        let [w, h, d] = size.map(|s| s as usize);
        let last = [(h - 1, self.row_bytes), (d - 1, self.slice_bytes), (samples as usize - 1, self.sample_bytes)];
        last.iter().try_fold(w * element_bytes as usize, |sum, &(n, bytes)| sum.checked_add(n.checked_mul(bytes)?))
    }
}

/// Why nothing was copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CopyError {
    /// There is no such level.
    #[error("the image has no level {0}")]
    Level(u32),
    /// There are no such slices.
    #[error("the level has {of} slices, none from {start} on that was asked for")]
    Slices {
        /// First one asked for.
        start: u32,
        /// How many there are.
        of: u32,
    },
    /// The bytes given are not the whole image, or the part of it.
    #[error("{given} bytes do not hold an image of {needed}")]
    Image {
        /// Bytes.
        given: u64,
        /// Bytes.
        needed: u64,
    },
    /// The rows do not fit into their buffer.
    #[error("{given} bytes do not hold the rows")]
    Rows {
        /// Bytes.
        given: usize,
    },
}

impl Tiling {
    /// Copies a level out of the image, `image` being its [`Tiling::size`] bytes. Bytes between rows stay as they are.
    pub fn detile(&self, level: u32, image: &[u8], out: &mut [u8], rows: &Rows) -> Result<(), CopyError> {
        let window = self.window(level, image.len())?;
        self.detile_slices(level, 0..u32::MAX, &image[window], out, rows)
    }

    /// Copies plain rows into a level of the image. Bytes of the image that belong to no element of the level stay as they are.
    pub fn tile(&self, level: u32, rows_bytes: &[u8], rows: &Rows, image: &mut [u8]) -> Result<(), CopyError> {
        let window = self.window(level, image.len())?;
        self.tile_slices(level, 0..u32::MAX, rows_bytes, rows, &mut image[window])
    }

    /// Copies slices (or layers) of a level out of `window`, the bytes of the image that [`Tiling::span`] names for them.
    pub fn detile_slices(&self, level: u32, z: Range<u32>, window: &[u8], out: &mut [u8], rows: &Rows) -> Result<(), CopyError> {
        let (level, part) = self.checked(level, z, window.len(), out.len(), rows)?;
        for_run_bytes(run_bytes(&level, self.element_bytes), Detile { image: window, out, level, rows, tiling: self, part });
        Ok(())
    }

    /// Copies plain rows into slices (or layers) of a level. Bytes of `window` that belong to no element of them stay as they are.
    pub fn tile_slices(&self, level: u32, z: Range<u32>, rows_bytes: &[u8], rows: &Rows, window: &mut [u8]) -> Result<(), CopyError> {
        let (level, part) = self.checked(level, z, window.len(), rows_bytes.len(), rows)?;
        for_run_bytes(run_bytes(&level, self.element_bytes), Tile { image: window, rows_bytes, level, rows, tiling: self, part });
        Ok(())
    }

    /// Bytes of the image between which all elements of some slices (or layers) of a level are. `None`: no such level or no slices.
    /// Slices that a block holds together ([`Tiling::slices_together`]) have their bytes in common.
    pub fn span(&self, level: u32, z: Range<u32>) -> Option<Range<u64>> {
        let layout = self.level(level)?;
        let z = z.start..z.end.min(layout.size[2]);
        (!z.is_empty()).then(|| self.span_of(&layout, &z))
    }

    /// How many slices of a level share blocks.
    pub fn slices_together(&self, level: u32) -> u32 {
        self.levels.get(level as usize).map_or(1, |l| 1 << l.shift[2])
    }

    fn span_of(&self, level: &LevelLayout, z: &Range<u32>) -> Range<u64> {
        let most = |table: &[u64]| table.iter().copied().max().unwrap_or(0);
        let block = |axis: usize, coordinate: u32| u64::from(coordinate >> level.shift[axis]) * level.step[axis];
        let offset_xor = level.xor.iter().flat_map(|table| table.iter()).chain(level.sample_xor.iter()).fold(0, |all, x| all | x);
        let last = block(0, level.size[0] - 1) + block(1, level.size[1] - 1) + block(2, z.end - 1);
        let parts = most(&level.split[0]) + most(&level.split[1]) + most(&level.sample_base);
        let end = level.base + last + parts + u64::from(offset_xor) + u64::from(self.element_bytes);
        level.base + block(2, z.start)..end.min(self.size)
    }

    /// Where a whole level is in the bytes of the whole image.
    fn window(&self, level: u32, image_bytes: usize) -> Result<Range<usize>, CopyError> {
        if (image_bytes as u64) < self.size {
            return Err(CopyError::Image { given: image_bytes as u64, needed: self.size });
        }
        let span = self.span(level, 0..u32::MAX).ok_or(CopyError::Level(level))?;
        Ok(span.start as usize..span.end as usize)
    }

    fn checked(
        &self,
        level: u32,
        z: Range<u32>,
        window_bytes: usize,
        buffer_bytes: usize,
        rows: &Rows,
    ) -> Result<(LevelLayout, Part), CopyError> {
        let layout = self.level(level).ok_or(CopyError::Level(level))?;
        let z = z.start..z.end.min(layout.size[2]);
        if z.is_empty() {
            return Err(CopyError::Slices { start: z.start, of: layout.size[2] });
        }
        let span = self.span_of(&layout, &z);
        if (window_bytes as u64) < span.end - span.start {
            return Err(CopyError::Image { given: window_bytes as u64, needed: span.end - span.start });
        }
        let [w, h, _] = layout.size;
        match rows.end([w, h, z.end - z.start], self.samples, self.element_bytes) {
            Some(end) if end <= buffer_bytes => Ok((layout, Part { z, start: span.start })),
            _ => Err(CopyError::Rows { given: buffer_bytes }),
        }
    }
}

/// Slices to copy, and where in the image the bytes begin that a copy was given.
struct Part {
    z: Range<u32>,
    start: u64,
}

/// Bytes that stay together along x: elements whose number differs only in its low bits.
fn run_bytes(level: &LevelLayout, element_bytes: u32) -> u32 {
    let [x, y, z] = &level.xor;
    let others = y.iter().chain(z.iter()).chain(level.sample_xor.iter()).fold(0, |all, x| all | x);
    if is_rows(level, element_bytes) {
        return element_bytes; // see `walk`
    }
    let together = |log2: &u32| {
        let (bytes, first) = (element_bytes << log2, (1 << log2) - 1);
        let in_order = |(i, &offset_xor): (usize, &u32)| {
            let start = x[i & !first];
            start & (bytes - 1) == 0 && offset_xor == start + (i & first) as u32 * element_bytes
        };
        let in_block = *log2 <= level.shift[0] && 1 << log2 <= x.len();
        bytes <= 64 && in_block && others & (bytes - 1) == 0 && x.iter().enumerate().all(in_order)
    };
    element_bytes << (1..6).take_while(together).last().unwrap_or(0)
}

/// Is a row of the level without gaps?
fn is_rows(level: &LevelLayout, element_bytes: u32) -> bool {
    level.step[0] == element_bytes.into()
}

/// A copy, in runs of a number of bytes fixed at compile time.
trait Copy {
    fn run<const BYTES: usize>(self);
}

fn for_run_bytes(bytes: u32, copy: impl Copy) {
    match bytes {
        1 => copy.run::<1>(),
        2 => copy.run::<2>(),
        4 => copy.run::<4>(),
        8 => copy.run::<8>(),
        12 => copy.run::<12>(),
        16 => copy.run::<16>(),
        32 => copy.run::<32>(),
        _ => copy.run::<64>(),
    }
}

struct Detile<'a> {
    image: &'a [u8],
    out: &'a mut [u8],
    level: LevelLayout,
    rows: &'a Rows,
    tiling: &'a Tiling,
    part: Part,
}

impl Copy for Detile<'_> {
    fn run<const BYTES: usize>(self) {
        let Detile { image, out, level, rows, tiling, part } = self;
        walk::<BYTES>(&level, rows, tiling, &part, |at, row, bytes| {
            if bytes == BYTES {
                out[row..row + BYTES].copy_from_slice(&image[at..at + BYTES]);
            } else {
                out[row..row + bytes].copy_from_slice(&image[at..at + bytes]);
            }
        });
    }
}

struct Tile<'a> {
    image: &'a mut [u8],
    rows_bytes: &'a [u8],
    level: LevelLayout,
    rows: &'a Rows,
    tiling: &'a Tiling,
    part: Part,
}

impl Copy for Tile<'_> {
    fn run<const BYTES: usize>(self) {
        let Tile { image, rows_bytes, level, rows, tiling, part } = self;
        walk::<BYTES>(&level, rows, tiling, &part, |at, row, bytes| {
            if bytes == BYTES {
                image[at..at + BYTES].copy_from_slice(&rows_bytes[row..row + BYTES]);
            } else {
                image[at..at + bytes].copy_from_slice(&rows_bytes[row..row + bytes]);
            }
        });
    }
}

/// Calls `copy` with the image offset, the row offset and the length of each run of `RUN` bytes; a row may end with a shorter one.
/// Rows of linear levels are one run.
fn walk<const RUN: usize>(level: &LevelLayout, rows: &Rows, tiling: &Tiling, part: &Part, mut copy: impl FnMut(usize, usize, usize)) {
    let element_bytes = tiling.element_bytes as usize;
    let [w, h, _] = level.size;
    let width_bytes = w as usize * element_bytes;
    let run = if is_rows(level, tiling.element_bytes) { w as usize } else { RUN / element_bytes };
    // Blocks are larger than what is toggled inside them, so one exclusive or serves for the share of x.
    let along_x: Vec<u64> = (0..w).step_by(run).map(|x| level.part(0, x) | u64::from(level.offset_xor(0, x))).collect();
    let (last, whole) = along_x.split_last().expect("a level has elements");
    for sample in 0..tiling.samples {
        for z in part.z.clone() {
            let slice = level.slice(z, sample);
            for y in 0..h {
                let base = slice.base + level.part(1, y);
                let offset_xor = u64::from(slice.offset_xor ^ level.offset_xor(1, y));
                let row =
                    sample as usize * rows.sample_bytes + (z - part.z.start) as usize * rows.slice_bytes + y as usize * rows.row_bytes;
                let mut at = row;
                for x in whole {
                    copy((base + (x ^ offset_xor) - part.start) as usize, at, RUN);
                    at += RUN;
                }
                copy((base + (last ^ offset_xor) - part.start) as usize, at, row + width_bytes - at);
            }
        }
    }
}
