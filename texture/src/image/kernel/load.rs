//! image_load in vectors: the twin of `load` in [`super::super::texels`].

use super::super::op::Slot;
use super::simd::Simd;
use super::taps::share;
use super::texels::Texels;
use super::{Kernel, Out, Shape};
use crate::Wave;
use crate::image::Operands;

/// The whole instruction.
///
/// # Safety
/// The processor has the instruction set; `base` points to the image of the kernel, all of which is readable.
#[inline(always)]
pub unsafe fn load<S: Simd, T: Texels>(k: &Kernel, operands: &Operands, wave: &mut Wave, base: *const u8) {
    // SAFETY: rows are sliced to whole vectors; only coordinates inside the level are read, and those lie in the image (`Kernel::new`).
    unsafe {
        let level = &k.levels[0];
        for first in (0..wave.lanes).step_by(S::LANES) {
            let active = (wave.exec >> first) as u32 & (u32::MAX >> (32 - S::LANES));
            if active == 0 {
                continue;
            }
            let m = S::mask(active);
            let mut at = S::i(level.base);
            let mut flips = S::i(level.flips);
            let mut inside = m;
            for (axis, slot) in k.layout.body.iter().enumerate() {
                let Some(Slot::Whole(n)) = *slot else { continue };
                let (axis, count) = match (k.shape, axis) {
                    (Shape::Row, 1..) | (Shape::Plane, 2..) => continue, // components the image has no direction for
                    (Shape::Layers, component) if component == k.layer_component => (2, k.last_layer + 1),
                    (_, axis) => (axis, level.size[axis]),
                };
                let i = S::load(wave.row(operands.address[usize::from(n)])[first..][..S::LANES].as_ptr());
                inside = S::both(inside, S::eq(S::min_u(i, S::i(count - 1)), i));
                let i = if axis == 2 { S::add(i, S::i(k.first_layer)) } else { i };
                let share = share::<S>(level, axis, i, inside);
                at = S::add(at, share.sum);
                flips = S::xor(flips, share.flips);
            }
            if k.shape == Shape::Row {
                flips = S::xor(flips, S::i(level.xor[1].first()));
            }
            let tap = T::fetch::<S>(&k.element, base, S::add(at, flips), inside);
            let channels = T::decode::<S>(&k.element, tap);
            for (n, source) in k.out.iter().enumerate() {
                let value = match source {
                    Out::Channel(c) => channels[usize::from(c & 3)],
                    Out::Missing(value) => S::select(inside, S::i(*value as i32), S::i(0)),
                    Out::Constant(value) => S::i(*value as i32),
                };
                S::store(wave.row_mut(operands.result[n])[first..][..S::LANES].as_mut_ptr(), m, value);
            }
        }
    }
}
