//! Tests of depth and stencil, sample by sample, in the format of the surface (graphics.md 5.6).

use super::block::SIDE;
use super::shape::TILE;
use super::surface::{PIXELS, TileBytes};
use crate::registers::depth::{DepthFormat, DepthState, StencilFace};

/// Depths and stencil values of a tile: `[sample][y][x]`. Depths of 16 bits are whole numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct DepthTile {
    pub z: Vec<f32>,
    pub stencil: Vec<u8>,
}

impl DepthTile {
    /// Depths from the bytes of memory.
    pub(crate) fn set_depths(&mut self, format: DepthFormat, bytes: &TileBytes) {
        self.z.clear();
        match format {
            DepthFormat::Unorm16 => {
                self.z.extend(bytes.data.as_chunks::<2>().0.iter().map(|b| f32::from(u16::from_le_bytes(*b))));
            }
            DepthFormat::Float32 => self.z.extend(bytes.data.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b))),
        }
    }

    /// Depths to the bytes of memory.
    pub(crate) fn depths(&self, format: DepthFormat, bytes: &mut TileBytes) {
        match format {
            DepthFormat::Unorm16 => {
                let pairs = bytes.data.as_chunks_mut::<2>().0;
                pairs.iter_mut().zip(&self.z).for_each(|(to, z)| *to = (*z as u16).to_le_bytes());
            }
            DepthFormat::Float32 => {
                bytes.data.as_chunks_mut::<4>().0.iter_mut().zip(&self.z).for_each(|(to, z)| *to = z.to_le_bytes());
            }
        }
    }
}

/// A depth as a surface of the format keeps it.
#[inline(always)]
pub(crate) fn stored(format: DepthFormat, z: f32) -> f32 {
    match format {
        DepthFormat::Unorm16 => ((z.clamp(0.0, 1.0) * 65535.0 + 0.5) as u32) as f32,
        DepthFormat::Float32 => z,
    }
}

/// A comparison by its number; the new value on the left.
#[inline(always)]
fn compare<T: PartialOrd>(function: u32, new: T, old: T) -> bool {
    match function {
        0 => false,
        1 => new < old,
        2 => new == old,
        3 => new <= old,
        4 => new > old,
        5 => new != old,
        6 => new >= old,
        _ => true,
    }
}

/// A stencil operation by its number.
fn operate(operation: u32, old: u8, reference: u8, operand: u8) -> u8 {
    match operation {
        0 => old,
        1 => 0,
        2 => 0xff,
        3 => reference,
        4 => operand,
        5 => old.saturating_add(operand),
        6 => old.saturating_sub(operand),
        7 => !old,
        8 => old.wrapping_add(operand),
        9 => old.wrapping_sub(operand),
        0xa => old & reference,
        0xb => old | reference,
        0xc => old ^ reference,
        0xd => !(old & reference),
        0xe => !(old | reference),
        _ => !(old ^ reference),
    }
}

/// Place of a quad in its tile, in pixels.
pub(crate) type QuadPlace = [u8; 2];

/// Bits of coverage: sample s of pixel p is bit `8 * p + s`.
pub(crate) fn samples_of(coverage: u32, pixel: usize) -> u32 {
    coverage >> (8 * pixel) & 0xff
}

/// Tests the covered samples of a quad and writes what passes. `z`: depth of a sample of a pixel, as the viewport's range leaves it; `reference`:
/// stencil values that the shader exported. The samples that passed.
#[inline]
pub(crate) fn test(
    state: &DepthState,
    tile: &mut DepthTile,
    place: QuadPlace,
    coverage: u32,
    is_front: bool,
    reference: Option<[u8; 4]>,
    z: impl Fn(usize, usize) -> f32,
) -> u32 {
    let mut passed = 0;
    let mut left = coverage;
    while left != 0 {
        let bit = left.trailing_zeros();
        left &= left - 1;
        let (pixel, sample) = ((bit >> 3) as usize, (bit & 7) as usize);
        let at = sample * PIXELS + (usize::from(place[1]) + (pixel >> 1)) * TILE as usize + usize::from(place[0]) + (pixel & 1);
        if test_sample(state, tile, at, is_front, reference.map(|r| r[pixel]), || z(pixel, sample)) {
            passed |= 1 << bit;
        }
    }
    passed
}

#[inline(always)]
fn test_sample(state: &DepthState, tile: &mut DepthTile, at: usize, is_front: bool, reference: Option<u8>, z: impl Fn() -> f32) -> bool {
    if state.clear_depth.is_some() || state.clear_stencil.is_some() {
        clear_sample(state, tile, at);
        return true;
    }
    let format = state.depth.map(|(_, format)| format);
    let (new, old) = match format {
        Some(format) => (stored(format, z()), tile.z[at]),
        None => (0.0, 0.0),
    };
    if let Some(bounds) = state.bounds {
        let [least, most] = if format == Some(DepthFormat::Unorm16) { bounds.map(|b| b * 65535.0) } else { bounds };
        if !(least <= old && old <= most) {
            return false;
        }
    }
    let passes_depth = !state.tests_depth || compare(state.function, new, old);
    if let Some(faces) = &state.faces {
        let face: &StencilFace = &faces[usize::from(!is_front)];
        let value = tile.stencil[at];
        let reference = reference.unwrap_or(face.reference);
        let passes = compare(face.function, reference & face.read_mask, value & face.read_mask);
        let operation = match (passes, passes_depth) {
            (false, _) => face.fail,
            (true, false) => face.depth_fail,
            (true, true) => face.pass,
        };
        if operation != 0 && !state.stencil_is_read_only {
            let result = operate(operation, value, reference, face.operand);
            tile.stencil[at] = value & !face.write_mask | result & face.write_mask;
        }
        if !passes {
            return false;
        }
    }
    if passes_depth && state.writes_depth {
        tile.z[at] = new;
    }
    passes_depth
}

/// Rows of 8 pixels of a block, one bit each.
pub(crate) type BlockRows = [u8; SIDE];

/// Tests covered pixels of a block, with one sample each, and writes what passes. `z`: depths of a row as the viewport's range leaves them. The
/// pixels that passed.
pub(crate) fn test_block(
    state: &DepthState,
    tile: &mut DepthTile,
    [x, y]: QuadPlace,
    covered: BlockRows,
    is_front: bool,
    z: impl Fn(usize) -> [f32; SIDE],
) -> BlockRows {
    let first = usize::from(y) * TILE as usize + usize::from(x);
    let is_plain = state.bounds.is_none() && state.faces.is_none() && state.clear_depth.is_none() && state.clear_stencil.is_none();
    let Some((_, format)) = state.depth.filter(|_| is_plain && state.tests_depth) else {
        return std::array::from_fn(|row| {
            let values = z(row);
            let at = first + row * TILE as usize;
            (0..SIDE)
                .filter(|n| covered[row] >> n & 1 != 0)
                .fold(0, |passed, n| passed | u8::from(test_sample(state, tile, at + n, is_front, None, || values[n])) << n)
        });
    };
    let writes = state.writes_depth;
    match state.function {
        0 => [0; SIDE],
        1 => run_block(tile, first, covered, writes, &z, format, |new, old| new < old),
        2 => run_block(tile, first, covered, writes, &z, format, |new, old| new == old),
        3 => run_block(tile, first, covered, writes, &z, format, |new, old| new <= old),
        4 => run_block(tile, first, covered, writes, &z, format, |new, old| new > old),
        5 => run_block(tile, first, covered, writes, &z, format, |new, old| new != old),
        6 => run_block(tile, first, covered, writes, &z, format, |new, old| new >= old),
        _ => run_block(tile, first, covered, writes, &z, format, |_, _| true),
    }
}

#[inline(always)]
fn run_block(
    tile: &mut DepthTile,
    first: usize,
    covered: BlockRows,
    writes: bool,
    z: &impl Fn(usize) -> [f32; SIDE],
    format: DepthFormat,
    compare: impl Fn(f32, f32) -> bool,
) -> BlockRows {
    std::array::from_fn(|row| {
        let at = first + row * TILE as usize;
        let Some(old) = tile.z[at..].first_chunk_mut::<SIDE>() else { return 0 };
        let new = z(row).map(|z| stored(format, z));
        let passes: [bool; SIDE] = std::array::from_fn(|n| compare(new[n], old[n]) & (covered[row] >> n & 1 != 0));
        if writes {
            *old = std::array::from_fn(|n| if passes[n] { new[n] } else { old[n] });
        }
        passes.into_iter().enumerate().fold(0, |all, (n, passes)| all | u8::from(passes) << n)
    })
}

/// Clears of depth and stencil are draws.
fn clear_sample(state: &DepthState, tile: &mut DepthTile, at: usize) {
    if let (Some(z), Some((_, format))) = (state.clear_depth, state.depth) {
        tile.z[at] = stored(format, z);
    }
    if let (Some(value), Some(_)) = (state.clear_stencil, state.stencil) {
        tile.stencil[at] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raster::tests::depth_state;
    use crate::registers::depth::DepthPlane;

    const PLANE: DepthPlane = DepthPlane { address: 0, mode: 24 };
    const FACE: StencilFace =
        StencilFace { function: 7, fail: 0, depth_fail: 0, pass: 0, reference: 0, read_mask: 0xff, write_mask: 0xff, operand: 1 };

    fn tile(z: f32, stencil: u8) -> DepthTile {
        DepthTile { z: vec![z; PIXELS], stencil: vec![stencil; PIXELS] }
    }

    // graphics.md 3.9: compare functions, new value on the left; 5.6: written if all passed.
    #[test]
    fn depths_are_compared_new_with_old() {
        let mut state = depth_state();
        (state.depth, state.tests_depth, state.writes_depth) = (Some((PLANE, DepthFormat::Float32)), true, true);
        let expected = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]];
        for (function, row) in expected.iter().enumerate() {
            state.function = function as u32;
            for (new, passes) in [0.25, 0.5, 0.75].into_iter().zip(row) {
                let mut tile = tile(0.5, 0);
                let passed = test(&state, &mut tile, [2, 4], 1 << 8, true, None, |_, _| new);
                assert_eq!(passed, passes << 8, "function {function}, {new}");
                let at = 4 * 64 + 3;
                assert_eq!(tile.z[at], if *passes == 1 { new } else { 0.5 });
                assert_eq!(tile.z[at - 1], 0.5);
            }
        }
    }

    // graphics.md 5.6: unorm16 is rounded to nearest before it is compared.
    #[test]
    fn depths_of_16_bits_are_compared_as_they_are_kept() {
        let mut state = depth_state();
        (state.depth, state.tests_depth, state.function) = (Some((PLANE, DepthFormat::Unorm16)), true, 2);
        let mut bytes = TileBytes { data: vec![0; 2 * PIXELS], bytes: 2 };
        bytes.data[..2].copy_from_slice(&0x8000u16.to_le_bytes());
        let mut some = DepthTile::default();
        some.set_depths(DepthFormat::Unorm16, &bytes);
        assert_eq!(test(&state, &mut some, [0, 0], 1, true, None, |_, _| 0.500_01), 1);
        assert_eq!(test(&state, &mut some, [0, 0], 1, true, None, |_, _| 0.501), 0);
        some.depths(DepthFormat::Unorm16, &mut bytes);
        assert_eq!(bytes.data[..4], [0, 0x80, 0, 0]);
    }

    // graphics.md 3.9: stencil operations; 5.6: fail, zfail, zpass, write mask.
    #[test]
    fn stencil_operations_follow_their_numbers() {
        let (old, reference) = (0xf0u8, 0x3c);
        let expected = [0xf0, 0, 0xff, 0x3c, 1, 0xf1, 0xef, 0x0f, 0xf1, 0xef, 0x30, 0xfc, 0xcc, 0xcf, 0x03, 0x33];
        for (operation, value) in expected.into_iter().enumerate() {
            assert_eq!(operate(operation as u32, old, reference, 1), value, "operation {operation:#x}");
        }
        assert_eq!([operate(5, 0xff, 0, 1), operate(6, 0, 0, 1), operate(8, 0xff, 0, 1), operate(9, 0, 0, 1)], [0xff, 0, 0, 0xff]);
    }

    #[test]
    fn stencil_takes_the_operation_of_its_case_under_its_mask() {
        let mut state = depth_state();
        state.stencil = Some(PLANE);
        (state.depth, state.tests_depth, state.function) = (Some((PLANE, DepthFormat::Float32)), true, 1);
        let front = StencilFace { function: 2, fail: 2, depth_fail: 7, pass: 3, reference: 5, write_mask: 0x0f, ..FACE };
        state.faces = Some([front, StencilFace { pass: 1, ..FACE }]);
        let run = |stencil: u8, z: f32, is_front: bool| {
            let mut tile = tile(0.5, stencil);
            let passed = test(&state, &mut tile, [0, 0], 1, is_front, None, |_, _| z);
            (passed, tile.stencil[0])
        };
        assert_eq!(run(0x10, 0.1, true), (0, 0x1f), "stencil fails");
        assert_eq!(run(5, 0.9, true), (0, 0x0a), "depth fails");
        assert_eq!(run(5, 0.1, true), (1, 5), "both pass");
        assert_eq!(run(5, 0.1, false), (1, 0), "the back face has its own");
    }

    // graphics.md 5.6: stored z in [MIN, MAX].
    #[test]
    fn bounds_look_at_what_is_stored() {
        let mut state = depth_state();
        (state.depth, state.bounds) = (Some((PLANE, DepthFormat::Float32)), Some([0.25, 0.75]));
        let run = |old: f32| test(&state, &mut tile(old, 0), [0, 0], 1, true, None, |_, _| 0.0);
        assert_eq!([0.2, 0.25, 0.75, 0.8].map(run), [0, 1, 1, 0]);
    }
}
