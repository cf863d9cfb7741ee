//! image_load, image_msaa_load and the addresses of image_store in vectors: the twin of [`super::super::texels`].

use super::level::{Displacement, Level};
use super::operands::{LaneOperands, component};
use super::taps::inside;
use super::texels::Texels;
use super::{Call, Directions, Kernel, Slices};
use crate::Wave;
use crate::guarded::Lost;
use crate::image::Operands;
use crate::simd::Simd;

/// Where the texels of a vector of lanes are.
struct Place<S: Simd> {
    /// Without the sample.
    displacement: Displacement<S>,
    /// Lanes whose coordinates lie in the image.
    inside: S::M,
}

/// The texels that integer coordinates name in a level, for the lanes of `m`.
#[inline(always)]
unsafe fn place<S: Simd>(k: &Kernel, level: &Level, lanes: &LaneOperands, wave: &Wave, m: S::M) -> Place<S> {
    // SAFETY: as `LaneOperands`; displacements are taken of coordinates of the level for the lanes that are inside.
    unsafe {
        let mut place = Place { displacement: Displacement::of(level), inside: m };
        for axis in 0..3 {
            let count = match (axis, k.directions, k.slices) {
                (1, Directions::Row, _) => continue, // components the image has no direction for
                (2, Directions::Row | Directions::Plane, Slices::One) => continue,
                (2, Directions::Row | Directions::Plane, _) => k.last_layer + 1,
                _ => level.size[axis],
            };
            let i = lanes.bits::<S>(wave, k.layout.body[axis]);
            place.inside = S::both(place.inside, inside::<S>(i, count));
            let i = if axis == 2 { S::add(i, S::i(k.first_layer)) } else { i };
            place.displacement = place.displacement.with(level.displacement::<S>(axis, i, place.inside));
        }
        place
    }
}

/// The same for the level that each lane names.
#[inline(always)]
unsafe fn place_in_levels<S: Simd>(k: &Kernel, lanes: &LaneOperands, wave: &Wave, m: S::M) -> Place<S> {
    // SAFETY: `all` has the room of a vector; level numbers are limited to the view's.
    unsafe {
        if !k.takes_level {
            return place::<S>(k, &k.levels[0], lanes, wave, m);
        }
        let numbers = lanes.bits::<S>(wave, k.layout.level);
        let mut all = [0_u32; 16];
        S::store(&mut all, S::mask(u32::MAX), numbers);
        let mut left = S::bits(S::both(m, inside::<S>(numbers, k.levels.len() as i32)));
        let mut out = Place { displacement: Displacement { sum: S::i(0), offset_xor: S::i(0) }, inside: S::mask(0) };
        while left != 0 {
            let number = all[left.trailing_zeros() as usize & 15];
            let these = S::both(S::mask(left), S::eq(numbers, S::i(number as i32)));
            let part = place::<S>(k, &k.levels[number as usize], lanes, wave, these);
            out.displacement.sum = S::select(these, part.displacement.sum, out.displacement.sum);
            out.displacement.offset_xor = S::select(these, part.displacement.offset_xor, out.displacement.offset_xor);
            out.inside = S::either(out.inside, part.inside);
            left &= !S::bits(these);
        }
        out
    }
}

/// The same for a sample of the texel.
#[inline(always)]
unsafe fn of_sample<S: Simd>(k: &Kernel, place: &Place<S>, fragment: S::I, number: i32) -> Place<S> {
    // SAFETY: samples are those of the image for the lanes that are inside.
    unsafe {
        if number >= k.samples {
            return Place { inside: S::mask(0), ..*place };
        }
        let inside = S::both(place.inside, inside::<S>(fragment, k.samples - number));
        let displacement = k.levels[0].sample::<S>(S::add(fragment, S::i(number)), inside);
        Place { displacement: place.displacement.with(displacement), inside }
    }
}

/// The active ones among the lanes of a vector.
fn active<S: Simd>(wave: &Wave, first: usize) -> u32 {
    (wave.exec >> first) as u32 & (u32::MAX >> (32 - S::LANES))
}

/// A whole load; the lanes it could not do.
///
/// # Safety
/// The processor has the instruction set; `call.image` is the image of the kernel.
#[inline(always)]
pub(super) unsafe fn load<S: Simd, T: Texels>(k: &Kernel, call: &Call, wave: &mut Wave) -> u64 {
    // SAFETY: only coordinates inside the level are read, and those lie in the image (`Kernel::new`).
    unsafe {
        let mut left = 0;
        for first in (0..wave.lanes).step_by(S::LANES) {
            let active = active::<S>(wave, first);
            if active == 0 {
                continue;
            }
            let m = S::mask(active);
            let lanes = LaneOperands { operands: call.operands, first };
            let mut place = place_in_levels::<S>(k, &lanes, wave, m);
            let mut channels = [S::i(0); 4];
            let mut lost = Lost::none();
            if let Some(source) = &k.fragments {
                // One component of four samples.
                let fragment = lanes.bits::<S>(wave, k.layout.fragment);
                for n in 0..4 {
                    let place = of_sample::<S>(k, &place, fragment, n);
                    let tap = T::fetch::<S>(&k.element, call.image, place.displacement.address(), place.inside, &mut lost);
                    channels[n as usize] = component::<S>(source, T::decode::<S>(&k.element, tap), place.inside);
                }
            } else {
                if k.samples > 0 {
                    let fragment = lanes.bits::<S>(wave, k.layout.fragment);
                    place = of_sample::<S>(k, &place, fragment, 0);
                }
                let tap = T::fetch::<S>(&k.element, call.image, place.displacement.address(), place.inside, &mut lost);
                channels = T::decode::<S>(&k.element, tap);
            }
            if lost.any() {
                // Results may go where addresses are, which the scalar form reads again.
                left |= u64::from(active) << first;
                continue;
            }
            lanes.put::<S>(wave, m, &k.cells, k.narrow, channels, place.inside);
        }
        left
    }
}

/// Byte offsets of the texels that a wave stores to, by lane; the lanes that store.
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
pub(super) unsafe fn offsets<S: Simd>(k: &Kernel, operands: &Operands, wave: &Wave, out: &mut [u32; 64]) -> u64 {
    // SAFETY: `out` has the room of all lanes.
    unsafe {
        let mut stores = 0;
        for first in (0..wave.lanes.min(64)).step_by(S::LANES) {
            let active = active::<S>(wave, first);
            if active == 0 {
                continue;
            }
            let lanes = LaneOperands { operands, first };
            let mut place = place_in_levels::<S>(k, &lanes, wave, S::mask(active));
            if k.samples > 0 {
                let fragment = lanes.bits::<S>(wave, k.layout.fragment);
                place = of_sample::<S>(k, &place, fragment, 0);
            }
            S::store(&mut out[first..][..S::LANES], place.inside, place.displacement.address());
            stores |= u64::from(S::bits(place.inside)) << first;
        }
        stores
    }
}
