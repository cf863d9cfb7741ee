//! Linear images: rows of elements, whole mip chains per slice, the smallest level first, on gfx9 the largest (images.md 8.2).

use super::{Level, Surface, SurfaceParams, Tiling, TilingError, align};
use crate::Generation;

/// Log2 of the bytes rows are a multiple of.
fn row_align_log2(generation: Generation) -> u32 {
    if generation == Generation::Gfx12 { 7 } else { 8 }
}

/// Log2 of the alignment of images, and of rows where slices are counted.
const ALIGN_LOG2: u32 = 8;

pub(super) fn layout(params: &SurfaceParams, surface: &Surface) -> Result<Tiling, TilingError> {
    if params.samples > 1 {
        return Err(TilingError::NoSuchLayout {
            generation: params.generation,
            name: "LINEAR",
            kind: params.kind,
            samples: params.samples,
            element_bytes: params.element_bytes,
        });
    }
    let mut slice_bytes = 0;
    let mut places = vec![(0, 0); surface.levels as usize]; // offset and row bytes
    let place = |level| {
        // On gfx9 all levels have the pitch of the largest.
        let row_bytes = row_bytes(params, surface, if params.generation == Generation::Gfx9 { 0 } else { level })?;
        places[level as usize] = (slice_bytes, row_bytes);
        slice_bytes += align(row_bytes, ALIGN_LOG2) * u64::from(surface.level_size(level)[1]);
        Ok(())
    };
    match params.generation {
        Generation::Gfx9 => (0..surface.levels).try_for_each(place),
        _ => (0..surface.levels).rev().try_for_each(place),
    }?;
    let levels = places.iter().zip(0..).map(|(&(base, row_bytes), level)| Level {
        size: surface.elements(level),
        base,
        step: [u64::from(surface.element_bytes), row_bytes, slice_bytes],
        ..Level::default()
    });
    let size = if params.generation == Generation::Gfx12 && !surface.is_volume && surface.size[2] == 1 {
        // Of a single slice the largest level, the last one, ends with its last row.
        let (base, row_bytes) = places[0];
        base + align(row_bytes * u64::from(surface.size[1]), ALIGN_LOG2)
    } else {
        slice_bytes * u64::from(surface.size[2])
    };
    Ok(Tiling { levels: levels.collect(), samples: 1, element_bytes: surface.element_bytes, size, alignment: 1 << ALIGN_LOG2 })
}

/// Bytes from a row of a level to the next.
fn row_bytes(params: &SurfaceParams, surface: &Surface, level: u32) -> Result<u64, TilingError> {
    let width = surface.size[0];
    if let Some(pitch) = params.pitch.filter(|_| surface.levels == 1) {
        return Ok(u64::from(surface.pitch(pitch, 1)?) * u64::from(surface.element_bytes));
    }
    // Three-component elements are laid out as three times as many dwords, which halve on their own.
    let (units, unit_bytes) = if surface.element_bytes == 12 { (width * 3, 4) } else { (width, surface.element_bytes) };
    Ok(align(u64::from(units.div_ceil(1 << level) * unit_bytes), row_align_log2(params.generation)))
}
