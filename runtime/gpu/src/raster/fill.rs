//! Draws of one primitive that leave the same in every sample of a rectangle, whatever was there: clears, for the most part. They need no tiles, and no
//! waves but one, which says what the shader exports.
//!
//! A shader exports the same for all pixels if what it has before its exports are moves and conversions of constants and of user SGPRs. Whatever else
//! it has, or a test that may fail, or a result that depends on what a surface holds, and the draw goes the usual way.

use super::blend;
use super::depth;
use super::export::{LANES, Rows, unpack};
use super::pass::{Draw, lock};
use super::shape::{Cover, STEPS, Shape};
use super::surface::Surface;
use super::tile::Counts;
use crate::registers::color::TARGETS;
use crate::registers::depth::{DepthFormat, DepthState, StencilFace};
use crate::registers::pixel::PixelState;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use wavejit::AddressSpace;
use wavejit::stage::{GroupExports, StageSource, Taken, WaveStart};
use wavejit_isa::{Dpp, Gfx, Inst, Operand, decode};

/// An element of a target.
type Element = [u8; blend::MOST_BYTES];

/// Most instructions of a shader that is looked at.
const MOST_INSTRUCTIONS: usize = 24;

/// What a draw leaves in every sample.
pub(crate) struct Fill {
    depth: Option<f32>,
    stencil: Option<u8>,
}

impl Fill {
    /// What a draw leaves of depth and stencil, if it is one shape that covers all samples of its bounds, and nothing depends on what was there.
    pub(crate) fn of(draw: &Draw) -> Option<Fill> {
        let [shape] = draw.shapes else { return None };
        let Draw { raster, depth, color, .. } = draw;
        let samples = (1u16 << raster.samples) - 1;
        let is_plain = raster.clip_rule == 0xffff
            && !raster.shades_samples
            && raster.sample_mask.iter().all(|mask| *mask as u16 & samples == samples)
            && depth.exports == [false; 3]
            && !depth.kills
            && depth.alpha_to_coverage.is_none()
            && depth.bounds.is_none();
        let has_all_samples = |surface: &Option<std::sync::Arc<Surface>>| surface.as_ref().is_none_or(|s| s.samples() == raster.samples);
        let surfaces = draw.surfaces;
        let are_alike = surfaces.colors.iter().chain([&surfaces.depth, &surfaces.stencil]).all(has_all_samples);
        let overwrites = color.targets.iter().flatten().all(|t| t.blend.is_none() && t.logic.is_none() && blend::kept_bits(t).is_none());
        if !(is_plain && are_alike && overwrites && !color.has_two_sources && covers(draw, shape)) {
            return None;
        }
        if depth.clear_depth.is_some() || depth.clear_stencil.is_some() {
            return Some(Fill { depth: depth.clear_depth, stencil: depth.clear_stencil });
        }
        let [a, b] = draw.raster.viewports[usize::from(shape.viewport)].depth;
        let z = match depth {
            DepthState { tests_depth: false, .. } => None,
            DepthState { function: 7, writes_depth: false, .. } => None,
            DepthState { function: 7, .. } if shape.depth.x == 0.0 && shape.depth.y == 0.0 => {
                Some((shape.depth.c as f32).max(a.min(b)).min(a.max(b)))
            }
            _ => return None,
        };
        let stencil = match &depth.faces {
            None => None,
            Some(faces) => stencil_of(&faces[usize::from(!shape.is_front)], depth.stencil_is_read_only)?,
        };
        Some(Fill { depth: z, stencil })
    }

    /// Writes it, and what the shader exports. What was counted.
    pub(crate) fn write(&self, draw: &Draw, colors: &[Option<Element>; TARGETS]) -> Result<Counts, wavejit::Error> {
        let [shape] = draw.shapes else { return Ok(Counts::default()) };
        let area = shape.bounds;
        let layer = u32::from(shape.layer);
        let put = |surface: &Surface, slice: u32, element: &[u8]| {
            let _guard = surface.shares_granules().then(|| lock(&draw.shared));
            surface.fill(draw.memory, slice, area, element)
        };
        for (n, (surface, color)) in draw.surfaces.colors.iter().zip(colors).enumerate() {
            if let (Some(surface), Some(element), Some(slice)) = (surface, color, draw.color_slice(n, layer)) {
                put(surface, slice, &element[..surface.element_bytes()])?;
            }
        }
        if let Some(slice) = draw.depth_slice(layer) {
            if let (Some(surface), Some((_, format)), Some(z)) = (&draw.surfaces.depth, draw.depth.depth, self.depth) {
                let z = depth::stored(format, z);
                match format {
                    DepthFormat::Unorm16 => put(surface, slice, &(z as u16).to_le_bytes())?,
                    DepthFormat::Float32 => put(surface, slice, &z.to_le_bytes())?,
                }
            }
            if let (Some(surface), Some(value), false) = (&draw.surfaces.stencil, self.stencil, draw.depth.stencil_is_read_only) {
                put(surface, slice, &[value])?;
            }
        }
        let pixels = (area.x1 - area.x0) as u64 * (area.y1 - area.y0) as u64;
        Ok(Counts { samples_passed: pixels * u64::from(draw.raster.samples), pixels_shaded: pixels })
    }
}

/// What a stencil test that always passes leaves: nothing new, or a value; `None`: it may fail, or its result depends on what was there.
fn stencil_of(face: &StencilFace, is_read_only: bool) -> Option<Option<u8>> {
    if face.function != 7 {
        return None;
    }
    let value = match face.pass {
        _ if is_read_only || face.write_mask == 0 => return Some(None),
        0 => return Some(None),
        1 => 0,
        2 => 0xff,
        3 => face.reference,
        4 => face.operand,
        _ => return None,
    };
    (face.write_mask == 0xff).then_some(Some(value))
}

/// Are all samples of a shape's bounds in it?
fn covers(draw: &Draw, shape: &Shape) -> bool {
    let Cover::Convex(edges, count) = &shape.cover else { return false };
    let b = shape.bounds;
    let places = draw.raster.sample_places.iter().flat_map(|pixel| &pixel[..draw.raster.samples as usize]);
    // What is convex and has the corners of a rectangle has all of it.
    places.into_iter().all(|place| {
        let [dx, dy] = place.map(|n| STEPS / 2 + i64::from(n) * STEPS / 16);
        let x = [b.x0, b.x1 - 1].map(|x| i64::from(x) * STEPS + dx);
        let y = [b.y0, b.y1 - 1].map(|y| i64::from(y) * STEPS + dy);
        edges[..*count].iter().all(|e| x.iter().all(|x| y.iter().all(|y| e.at(*x, *y) >= 0)))
    })
}

/// Does a shader export the same for all pixels?
pub(crate) fn is_uniform(memory: &AddressSpace, target: Gfx, pixel: &PixelState) -> bool {
    let mut known = Known { vgprs: [false; 256], sgprs: [false; 128] };
    known.sgprs[..pixel.user_data.len()].fill(true);
    let mut at = pixel.entry;
    for _ in 0..MOST_INSTRUCTIONS {
        // No more dwords than there are: the last page of the code may be the last of its memory.
        let words: [u32; 3] = std::array::from_fn(|n| memory.read_u32(at.wrapping_add(4 * n as u64)).unwrap_or(0));
        let Ok(inst) = decode(&words, target, pixel.wave_size) else { return false };
        match inst.row.name {
            "s_endpgm" => return true,
            "s_nop" | "s_delay_alu" => {}
            "exp" => {
                let rows = inst.ops().iter().filter(|op| matches!(op, Operand::Vgpr { .. }));
                if !rows.into_iter().all(|op| known.has(op)) {
                    return false;
                }
            }
            _ if known.follow(&inst) => {}
            _ => return false,
        }
        at = at.wrapping_add(u64::from(inst.bytes()));
    }
    false
}

/// Registers that are the same in all waves and lanes.
struct Known {
    vgprs: [bool; 256],
    sgprs: [bool; 128],
}

impl Known {
    /// Is it one of those, or a constant?
    fn has(&self, operand: &Operand) -> bool {
        match *operand {
            Operand::Vgpr { n, count, .. } => self.vgprs.iter().skip(usize::from(n)).take(usize::from(count.max(1))).all(|k| *k),
            Operand::Sgpr { n, count } => self.sgprs.iter().skip(usize::from(n)).take(usize::from(count.max(1))).all(|k| *k),
            Operand::Int(_) | Operand::Float(_) | Operand::Literal(_) => true,
            _ => false,
        }
    }

    /// Takes note of an instruction; false: its results may differ from lane to lane, or are not followed.
    fn follow(&mut self, inst: &Inst) -> bool {
        const FOLLOWED: [&str; 14] = [
            "s_mov_b32",
            "s_mov_b64",
            "v_mov_b32",
            "v_dual_mov_b32",
            "v_cvt_f16_f32",
            "v_cvt_pk_rtz_f16_f32",
            "v_cvt_pk_i16_i32",
            "v_cvt_pk_u16_u32",
            "v_cvt_pk_i16_f32",
            "v_cvt_pk_u16_f32",
            "v_cvt_pk_norm_i16_f32",
            "v_cvt_pk_norm_u16_f32",
            "v_pack_b32_f16",
            "v_perm_b32",
        ];
        let is_followed = |name: &str| FOLLOWED.contains(&name);
        if !is_followed(inst.row.name) || !inst.row_y.is_none_or(|row| is_followed(row.name)) || inst.mods.dpp != Dpp::None {
            return false;
        }
        let second = usize::from(inst.y_start);
        let is_result = |n: usize| n == 0 || inst.row_y.is_some() && n == second;
        let operands = || inst.ops().iter().enumerate();
        // Both halves read before either writes.
        if !operands().filter(|(n, _)| !is_result(*n)).all(|(_, op)| self.has(op)) {
            return false;
        }
        operands().filter(|(n, _)| is_result(*n)).all(|(_, op)| self.learn(op))
    }

    /// A result; false: not one that is followed. Half a register is as known as its other half.
    fn learn(&mut self, operand: &Operand) -> bool {
        const SGPRS: usize = 106;
        let (file, first, count): (&mut [bool], _, _) = match *operand {
            Operand::Vgpr { n, count, half: wavejit_isa::Half::Whole } => (&mut self.vgprs, usize::from(n), count),
            Operand::Sgpr { n, count } => (&mut self.sgprs[..SGPRS], usize::from(n), count),
            _ => return false,
        };
        let Some(registers) = file.get_mut(first..first + usize::from(count.max(1))) else { return false };
        registers.fill(true);
        true
    }
}

/// One wave of a shader that exports the same for all pixels.
pub(crate) struct OneWave<'a> {
    draw: &'a Draw<'a>,
    taken: AtomicBool,
    colors: Mutex<[Option<Element>; TARGETS]>,
}

impl<'a> OneWave<'a> {
    pub(crate) fn new(draw: &'a Draw<'a>) -> OneWave<'a> {
        OneWave { draw, taken: AtomicBool::new(false), colors: Mutex::default() }
    }

    /// What it has exported, as elements of the targets.
    pub(crate) fn colors(&self) -> [Option<Element>; TARGETS] {
        *lock(&self.colors)
    }
}

impl StageSource for OneWave<'_> {
    fn take(&self) -> Taken {
        if self.taken.swap(true, Relaxed) { Taken::Nothing } else { Taken::Units(0..1) }
    }

    fn waves(&self, _group: u64) -> u32 {
        1
    }

    fn start_wave(&self, _group: u64, _wave: u32, start: &mut WaveStart<'_>) {
        start.set_sgprs(0, &self.draw.pixel.user_data);
    }

    fn end(&self, _group: u64, exports: &GroupExports<'_>) {
        let Draw { pixel, color, .. } = self.draw;
        let mut colors = lock(&self.colors);
        for export in exports.wave(0).iter().filter(|e| usize::from(e.target) < TARGETS && e.enabled != 0) {
            let number = usize::from(export.target);
            if let Some((n, target)) = color.exports[number].and_then(|n| Some((n, color.targets[n].as_ref()?))) {
                let mut rows: Rows = [[0; LANES]; 4];
                unpack(pixel.color_formats[number], export.data, &mut rows);
                colors[n] = Some(blend::element(target, &rows));
            }
        }
    }

    fn workers(&self, _most: usize) -> usize {
        1
    }
}
