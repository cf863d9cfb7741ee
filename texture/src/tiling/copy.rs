//! Whole-level copies between an image and plain rows of elements.

use super::{LevelLayout, Tiling};

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
    /// The bytes given are not the whole image.
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
        let level = self.checked(level, image.len(), out.len(), rows)?;
        for_run_bytes(run_bytes(&level, self.element_bytes), Detile { image, out, level, rows, tiling: self });
        Ok(())
    }

    /// Copies plain rows into a level of the image. Bytes of the image that belong to no element of the level stay as they are.
    pub fn tile(&self, level: u32, rows_bytes: &[u8], rows: &Rows, image: &mut [u8]) -> Result<(), CopyError> {
        let level = self.checked(level, image.len(), rows_bytes.len(), rows)?;
        for_run_bytes(run_bytes(&level, self.element_bytes), Tile { image, rows_bytes, level, rows, tiling: self });
        Ok(())
    }

    fn checked(&self, level: u32, image_bytes: usize, buffer_bytes: usize, rows: &Rows) -> Result<LevelLayout, CopyError> {
        let layout = self.level(level).ok_or(CopyError::Level(level))?;
        if (image_bytes as u64) < self.size {
            return Err(CopyError::Image { given: image_bytes as u64, needed: self.size });
        }
        match rows.end(layout.size, self.samples, self.element_bytes) {
            Some(end) if end <= buffer_bytes => Ok(layout),
            _ => Err(CopyError::Rows { given: buffer_bytes }),
        }
    }
}

/// Bytes that stay together along x: elements whose number differs only in its low bits.
fn run_bytes(level: &LevelLayout, element_bytes: u32) -> u32 {
    let [x, y, z] = &level.xor;
    let others = y.iter().chain(z.iter()).chain(level.sample_xor.iter()).fold(0, |bits, flips| bits | flips);
    if is_rows(level, element_bytes) {
        return element_bytes; // see `walk`
    }
    let together = |log2: &u32| {
        let (bytes, first) = (element_bytes << log2, (1 << log2) - 1);
        let in_order = |(i, &flips): (usize, &u32)| {
            let start = x[i & !first];
            start & (bytes - 1) == 0 && flips == start + (i & first) as u32 * element_bytes
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
}

impl Copy for Detile<'_> {
    fn run<const BYTES: usize>(self) {
        let Detile { image, out, level, rows, tiling } = self;
        walk::<BYTES>(&level, rows, tiling, |at, row, bytes| {
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
}

impl Copy for Tile<'_> {
    fn run<const BYTES: usize>(self) {
        let Tile { image, rows_bytes, level, rows, tiling } = self;
        walk::<BYTES>(&level, rows, tiling, |at, row, bytes| {
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
fn walk<const RUN: usize>(level: &LevelLayout, rows: &Rows, tiling: &Tiling, mut copy: impl FnMut(usize, usize, usize)) {
    let element_bytes = tiling.element_bytes as usize;
    let [w, h, d] = level.size;
    let width_bytes = w as usize * element_bytes;
    let run = if is_rows(level, tiling.element_bytes) { w as usize } else { RUN / element_bytes };
    // Blocks are larger than what is flipped inside them, so one exclusive or does for the share of x.
    let along_x: Vec<u64> = (0..w).step_by(run).map(|x| level.part(0, x) | u64::from(level.flips(0, x))).collect();
    let (last, whole) = along_x.split_last().expect("a level has elements");
    for sample in 0..tiling.samples {
        for z in 0..d {
            let slice = level.slice(z, sample);
            for y in 0..h {
                let base = slice.base + level.part(1, y);
                let flips = u64::from(slice.flips ^ level.flips(1, y));
                let row = sample as usize * rows.sample_bytes + z as usize * rows.slice_bytes + y as usize * rows.row_bytes;
                let mut at = row;
                for x in whole {
                    copy((base + (x ^ flips)) as usize, at, RUN);
                    at += RUN;
                }
                copy((base + (last ^ flips)) as usize, at, row + width_bytes - at);
            }
        }
    }
}
