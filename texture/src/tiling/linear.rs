//! Linear images: rows of elements, whole mip chains per slice, the smallest level first, on gfx9 the largest (images.md 8.2).

use super::{Level, Surface, SurfaceShape, Tiling, TilingError, align};
use crate::Generation;

/// Log2 of the bytes rows are a multiple of.
fn row_align_log2(generation: Generation) -> u32 {
    if generation == Generation::Gfx12 { 7 } else { 8 }
}

/// Log2 of the alignment of images, and of rows where slices are counted.
const ALIGN_LOG2: u32 = 8;

pub(super) fn layout(shape: &SurfaceShape, surface: &Surface) -> Result<Tiling, TilingError> {
    if shape.samples > 1 {
        return Err(TilingError::NoSuchLayout {
            generation: shape.generation,
            name: "LINEAR",
            kind: shape.kind,
            samples: shape.samples,
            element_bytes: shape.element_bytes,
        });
    }
    let mut slice_bytes = 0;
    let mut places = vec![(0, 0); surface.levels as usize]; // offset and row bytes
    let place = |level| {
        // On gfx9 all levels have the pitch of the largest.
        let row_bytes = row_bytes(shape, surface, if shape.generation == Generation::Gfx9 { 0 } else { level })?;
        places[level as usize] = (slice_bytes, row_bytes);
        slice_bytes += align(row_bytes, ALIGN_LOG2) * u64::from(surface.level_size(level)[1]);
        Ok(())
    };
    match shape.generation {
        Generation::Gfx9 => (0..surface.levels).try_for_each(place),
        _ => (0..surface.levels).rev().try_for_each(place),
    }?;
    let levels = places.iter().zip(0..).map(|(&(base, row_bytes), level)| Level {
        size: surface.elements(level),
        base,
        step: [u64::from(surface.element_bytes), row_bytes, slice_bytes],
        ..Level::default()
    });
    let size = if shape.generation == Generation::Gfx12 && !surface.is_volume && surface.size[2] == 1 {
        // Of a single slice the largest level, the last one, ends with its last row.
        let (base, row_bytes) = places[0];
        base + align(row_bytes * u64::from(surface.size[1]), ALIGN_LOG2)
    } else {
        slice_bytes * u64::from(surface.size[2])
    };
    Ok(Tiling { levels: levels.collect(), samples: 1, element_bytes: surface.element_bytes, size, alignment: 1 << ALIGN_LOG2 })
}

/// Bytes from a row of a level to the next.
fn row_bytes(shape: &SurfaceShape, surface: &Surface, level: u32) -> Result<u64, TilingError> {
    let width = surface.size[0];
    if let Some(pitch) = shape.pitch.filter(|_| surface.levels == 1) {
        return Ok(u64::from(surface.pitch(pitch, 1)?) * u64::from(surface.element_bytes));
    }
    // Three-component elements are laid out as three times as many dwords, which halve on their own.
    let (units, unit_bytes) = if surface.element_bytes == 12 { (width * 3, 4) } else { (width, surface.element_bytes) };
    Ok(align(u64::from(units.div_ceil(1 << level) * unit_bytes), row_align_log2(shape.generation)))
}
