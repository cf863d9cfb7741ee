//! Questions about an image: get_resinfo and get_lod.
//!
//! Reference: RDNA3 ISA, IMAGE_GET_RESINFO and IMAGE_GET_LOD.

use super::address::Operands;
use super::lod::{Lambda, MipFilter};
use super::op::Dim;
use super::routine::Routine;
use super::sampler::Sampler;
use super::surface::Surface;
use super::values::{Status, masked};
use crate::Wave;

/// Width, height, depth (or layers, or faces) of a level of a view, and the number of levels; sizes are 0 past the last level (IMG-31).
pub fn info(surface: &Surface, level: u32) -> [u32; 4] {
    let count = if surface.samples > 1 { 1 } else { surface.last_level() + 1 };
    let Some(view) = surface.levels.get(level as usize) else { return [0, 0, 0, count] };
    let [w, h, d] = view.size.map(|extent| extent as u32);
    match surface.dim {
        Dim::D3 => [w, h, d, count],
        _ => [w, h, surface.last_layer + 1, count],
    }
}

impl Routine {
    pub(super) fn resinfo(&self, surface: &Surface, operands: &Operands, wave: &mut Wave) {
        for lane in wave.active() {
            let level = operands.texel(wave, &self.layout, lane).level;
            let (out, n) = masked(self.op.dmask, info(surface, level));
            self.put_sampled(operands, wave, lane, &out[..n], true, Status::default());
        }
    }

    /// The level that would be selected, and the one before bounds (IMG-32).
    pub(super) fn get_lod(&self, surface: &Surface, sampler: &Sampler, operands: &Operands, wave: &mut Wave) {
        let float = |lambda: Lambda| (lambda as f32 / 256.0).to_bits();
        for lane in wave.active() {
            let address = operands.sample(wave, &self.layout, lane);
            let derivatives = self.derivatives(operands, wave, lane, &address);
            let raw = self.raw_level(surface, sampler, &address, &derivatives).0;
            let bounded = sampler.bounds.apply(raw, None).clamp(0, surface.last_level() as i32 * 256);
            let clamped = if sampler.mip == MipFilter::None { 0 } else { bounded };
            let (out, n) = masked(self.op.dmask, [float(clamped), float(raw), 0, 0]);
            self.put_sampled(operands, wave, lane, &out[..n], false, Status::default());
        }
    }
}
