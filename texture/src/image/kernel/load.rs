//! image_load, image_msaa_load, image_store and the addresses of stores in vectors: the twin of [`super::super::texels`].

use super::has::{self, SHAPES, VARIED};
use super::level::{Displacement, Level};
use super::operands::{Inputs, Rows, component};
use super::pack::Pack;
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

/// The operands of a load or store.
#[inline(always)]
fn inputs<const HAS: u32>(k: &Kernel, operands: &Operands, rows: &Rows) -> Inputs {
    let inputs = Inputs::coordinates::<HAS>(&k.layout, operands, rows);
    if HAS & SHAPES == 0 { inputs } else { inputs.with_texel(&k.layout, operands, rows) }
}

/// What coordinates `i` of an axis that has `count` of them add to a place.
#[inline(always)]
unsafe fn along<S: Simd, const HAS: u32>(place: Place<S>, level: &Level, axis: usize, i: S::I, count: i32, first: i32) -> Place<S> {
    // SAFETY: displacements are taken of coordinates of the level for the lanes that are inside.
    unsafe {
        let inside = S::both(place.inside, inside::<S>(i, count));
        let i = if axis == 2 { S::add(i, S::i(first)) } else { i };
        let displacement = if HAS & SHAPES == 0 {
            level.displacement::<S, true>(axis, i, inside)
        } else {
            level.displacement::<S, false>(axis, i, inside)
        };
        Place { displacement: place.displacement.with(displacement), inside }
    }
}

/// The texels that integer coordinates name in a level, for the lanes of `m`.
#[inline(always)]
unsafe fn in_level<S: Simd, const HAS: u32>(k: &Kernel, level: &Level, inputs: &Inputs, first: usize, m: S::M) -> Place<S> {
    // SAFETY: as `along`.
    unsafe {
        let directions = if HAS & SHAPES == 0 { Directions::Plane } else { k.directions };
        let [x, y, z] = inputs.body;
        let mut place = Place { displacement: Displacement::of(level), inside: m };
        place = along::<S, HAS>(place, level, 0, x.bits::<S>(first), level.size[0], 0);
        // Not of components the image has no direction for.
        if directions != Directions::Row {
            place = along::<S, HAS>(place, level, 1, y.bits::<S>(first), level.size[1], 0);
        }
        if HAS & VARIED != 0 && (directions == Directions::Volume || k.slices != Slices::One) {
            let count = if directions == Directions::Volume { level.size[2] } else { k.last_layer + 1 };
            place = along::<S, HAS>(place, level, 2, z.bits::<S>(first), count, k.first_layer);
        }
        place
    }
}

/// The texels that operands name: of the first level, or of the one that each lane names, and the sample.
#[inline(always)]
unsafe fn place<S: Simd, const HAS: u32>(k: &Kernel, inputs: &Inputs, first: usize, m: S::M) -> Place<S> {
    // SAFETY: `all` has the room of a vector; level numbers are limited to the view's.
    unsafe {
        if HAS & SHAPES == 0 || !k.takes_level {
            return in_level::<S, HAS>(k, &k.levels[0], inputs, first, m);
        }
        let numbers = inputs.level.bits::<S>(first);
        let mut all = [0_u32; 16];
        S::store_all(&mut all, numbers);
        let mut left = S::bits(S::both(m, inside::<S>(numbers, k.levels.len() as i32)));
        let mut out = Place { displacement: Displacement { sum: S::i(0), offset_xor: S::i(0) }, inside: S::mask(0) };
        while left != 0 {
            let number = all[left.trailing_zeros() as usize & 15];
            let these = S::both(S::mask(left), S::eq(numbers, S::i(number as i32)));
            let part = in_level::<S, HAS>(k, &k.levels[number as usize], inputs, first, these);
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

/// The texels of one sample each: the first, or that which lanes name.
#[inline(always)]
unsafe fn texel<S: Simd, const HAS: u32>(k: &Kernel, inputs: &Inputs, first: usize, m: S::M) -> Place<S> {
    // SAFETY: as `place`.
    unsafe {
        let place = place::<S, HAS>(k, inputs, first, m);
        if HAS & SHAPES == 0 || k.samples == 0 {
            return place;
        }
        of_sample::<S>(k, &place, inputs.fragment.bits::<S>(first), 0)
    }
}

/// A whole load; the lanes it could not do. `HAS`: see [`has`].
///
/// # Safety
/// The processor has the instruction set; `call.image` is the image of the kernel.
#[inline(always)]
pub(super) unsafe fn load<S: Simd, T: Texels, const HAS: u32>(k: &Kernel, call: &Call, wave: &mut Wave) -> u64 {
    // SAFETY: only coordinates inside the level are read, and those lie in the image (`Kernel::new`).
    unsafe {
        let rows = Rows::of(wave);
        let inputs = inputs::<HAS>(k, call.operands, &rows);
        let results = k.results.rows(call.operands, &rows);
        let mut left = 0;
        for (first, active) in rows.vectors::<S>() {
            let m = S::mask(active);
            let mut channels = [S::i(0); 4];
            let mut lost = Lost::none();
            let inside;
            if HAS & SHAPES != 0
                && let Some(source) = &k.fragments
            {
                // One component of four samples.
                let place = place::<S, HAS>(k, &inputs, first, m);
                let fragment = inputs.fragment.bits::<S>(first);
                for n in 0..4 {
                    let place = of_sample::<S>(k, &place, fragment, n);
                    let tap = T::fetch::<S>(&k.element, call.image, place.displacement.address(), place.inside, &mut lost);
                    channels[n as usize] = component::<S>(source, T::decode::<S>(&k.element, tap), place.inside);
                }
                inside = place.inside;
            } else {
                let place = texel::<S, HAS>(k, &inputs, first, m);
                let tap = T::fetch::<S>(&k.element, call.image, place.displacement.address(), place.inside, &mut lost);
                channels = T::decode::<S>(&k.element, tap);
                inside = place.inside;
            }
            if lost.any() {
                // Results may go where addresses are, which the scalar form reads again.
                left |= u64::from(active) << first;
                continue;
            }
            k.results.put::<S, HAS>(&results, first, m, channels, inside);
        }
        left
    }
}

/// A whole store of texels that [`Pack`] knows; the lanes it could not do, of which some texels may have been written. Of lanes with one texel the
/// last one wins.
///
/// # Safety
/// As [`load`].
#[inline(always)]
pub(super) unsafe fn store<S: Simd, P: Pack, const HAS: u32>(k: &Kernel, call: &Call, wave: &mut Wave) -> u64 {
    // SAFETY: as `load`.
    unsafe {
        let rows = Rows::of(wave);
        let inputs = inputs::<HAS>(k, call.operands, &rows);
        let Some(stored) = &k.stored else { return wave.exec };
        let sources = stored.inputs(call.operands, &rows);
        for (first, active) in rows.vectors::<S>() {
            let place = texel::<S, HAS>(k, &inputs, first, S::mask(active));
            let mut channels = [S::i(0); 4];
            for c in 0..4 {
                channels[c] = sources[c].bits::<S>(first);
            }
            let words = P::pack::<S>(channels);
            let mut lost = Lost::none();
            S::scatter_guest(call.image, place.displacement.address(), S::bits(place.inside), words, P::WORDS, &mut lost);
            if lost.any() {
                // What is before was written. The scalar form does these lanes in order, and says which is lost.
                return wave.exec >> first << first;
            }
        }
        0
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
        let rows = Rows::to_read(wave);
        let inputs = inputs::<{ has::ALL }>(k, operands, &rows);
        let mut stores = 0;
        for (first, active) in rows.vectors::<S>() {
            let place = texel::<S, { has::ALL }>(k, &inputs, first, S::mask(active));
            S::store(&mut out[first & 63..][..S::LANES], place.inside, place.displacement.address());
            stores |= u64::from(S::bits(place.inside)) << first;
        }
        stores
    }
}
