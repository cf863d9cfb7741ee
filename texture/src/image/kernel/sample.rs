//! sample and gather4 in vectors: the twin of [`super::super::sample`].
//!
//! ```text
//! operands -> level and footprint -> for each sample, level and slice: taps of each axis -> addresses -> fetch -> filter -> mix -> registers
//! ```
//!
//! `GENERAL` instances have all of that; the others leave out, when they are compiled, what the common images and samplers do not need:
//! borders, comparisons, reductions, gathers, cubes, anisotropy and filters that change with the level.

use super::super::filter::Reduction;
use super::super::lod::MipFilter;
use super::super::sample::to_byte;
use super::cube::{self, EDGES};
use super::filter::{Colors, Gathered, Quad, filter, mix};
use super::level::{Displacement, Level};
use super::lod::detail;
use super::operands::LaneOperands;
use super::taps::{Taps, inside, linear, point};
use super::texels::Texels;
use super::{Call, Directions, Kernel, Slices};
use crate::Wave;
use crate::guarded::{Lost, View};
use crate::simd::Simd;

/// Coordinates and what else a vector of lanes brings to its texels.
#[derive(Clone, Copy)]
struct At<S: Simd> {
    body: [S::F; 3],
    offset: [S::I; 3],
    /// Layer of the image; of cubes that of the first face.
    layer: S::I,
    /// Of cubes.
    face: S::I,
    /// Of the comparison.
    reference: S::F,
}

/// Taps along an axis of a level.
#[inline(always)]
unsafe fn axis<S: Simd, const GENERAL: bool>(k: &Kernel, level: &Level, n: usize, is_linear: bool, at: &At<S>) -> Taps<S> {
    // SAFETY: no memory is touched.
    unsafe {
        let size = level.size[n];
        let texels = if k.unnormalized { at.body[n] } else { S::mul_f(at.body[n], S::f(size as f32)) };
        if !is_linear {
            let index = point::<S>(texels, at.offset[n], k.clamp[n], size, k.truncate);
            return Taps { index: [index; 2], weight: S::i(0) };
        }
        let mut taps = linear::<S>(texels, at.offset[n], k.clamp[n], size, k.coarse, GENERAL);
        if GENERAL && k.slices == Slices::SeamlessFaces {
            // Beyond the second tap is the other side of the face.
            taps.index[1] = S::select(S::gt(taps.index[1], S::i(-1)), taps.index[1], S::i(size));
        }
        taps
    }
}

/// Shares in addresses of the two taps of an axis, and which of them are in the image.
#[inline(always)]
unsafe fn displacements<S: Simd, const GENERAL: bool>(
    k: &Kernel,
    level: &Level,
    n: usize,
    taps: &Taps<S>,
    is_linear: bool,
    m: S::M,
) -> ([Displacement<S>; 2], [S::M; 2]) {
    // SAFETY: indices lie in the level.
    unsafe {
        let mut index = taps.index;
        let mut in_image = [m; 2];
        if GENERAL && k.has_border {
            for tap in 0..2 {
                in_image[tap] = S::gt(index[tap], S::i(-1));
                index[tap] = S::max(index[tap], S::i(0));
            }
        }
        let first = level.displacement::<S>(n, index[0], m);
        let second = if is_linear { level.displacement::<S>(n, index[1], m) } else { first };
        ([first, second], in_image)
    }
}

/// Addresses of the four taps of a seamless cube, some of which are on other faces.
#[inline(always)]
unsafe fn cube_addresses<S: Simd>(level: &Level, at: &At<S>, x: &Taps<S>, y: &Taps<S>, undone: &mut u32, m: S::M) -> [S::I; 4] {
    // SAFETY: texels that `cross` finds are in the level: its faces are square (`Routine::new` refuses cubes of others for samplers that filter
    // across edges), so that coordinates below `n` are below both sizes, and the view has whole cubes (`Kernel::new`).
    unsafe {
        let n = level.size[0];
        let mut addresses = [S::i(0); 4];
        for tap in 0..4 {
            let texel = cube::cross::<S>(&EDGES, at.face, x.index[tap & 1], y.index[tap >> 1], n, m);
            // Where three faces meet, the scalar form takes their average.
            *undone |= S::bits(texel.corner);
            let layer = level.displacement::<S>(2, S::add(at.layer, texel.face), m);
            let place = Displacement::of(level)
                .with(layer)
                .with(level.displacement::<S>(1, texel.j, m))
                .with(level.displacement::<S>(0, texel.i, m));
            addresses[tap] = place.address();
        }
        addresses
    }
}

/// One level, filtered. Lanes that this could not do are added to `undone`; `lost` says if a texel could not be read.
#[inline(always)]
unsafe fn level<S: Simd, T: Texels, const GENERAL: bool>(
    k: &Kernel,
    level: &Level,
    image: View,
    colors: &Colors,
    at: &At<S>,
    is_linear: bool,
    undone: &mut u32,
    lost: &mut Lost,
    m: S::M,
) -> [S::F; 4] {
    // SAFETY: taps lie in the level, whose texels lie in the image (`Kernel::new`).
    unsafe {
        let nothing = Displacement { sum: S::i(0), offset_xor: S::i(0) };
        let none = Taps { index: [S::i(0); 2], weight: S::i(0) };
        let x = axis::<S, GENERAL>(k, level, 0, is_linear, at);
        let has_y = k.directions != Directions::Row;
        let y = if has_y { axis::<S, GENERAL>(k, level, 1, is_linear, at) } else { none };
        let mut around = [S::i(0); 4];
        let mut crosses = false;
        if GENERAL && is_linear && k.slices == Slices::SeamlessFaces {
            let mut here = m;
            for (taps, size) in [(x, level.size[0]), (y, level.size[1])] {
                here = S::both(here, S::both(inside::<S>(taps.index[0], size), inside::<S>(taps.index[1], size)));
            }
            crosses = S::bits(S::without(m, here)) != 0;
            if crosses {
                around = cube_addresses::<S>(level, at, &x, &y, undone, m);
            }
        }
        let (sx, ix) = displacements::<S, GENERAL>(k, level, 0, &x, is_linear, m);
        let (sy, iy) = if has_y { displacements::<S, GENERAL>(k, level, 1, &y, is_linear, m) } else { ([nothing; 2], [m; 2]) };
        let z_linear = k.directions == Directions::Volume && k.z_linear.unwrap_or(is_linear) && !k.is_integer;
        let z = if k.directions == Directions::Volume { axis::<S, GENERAL>(k, level, 2, z_linear, at) } else { none };
        let (sz, iz) = match (k.directions, k.slices) {
            (Directions::Volume, _) => displacements::<S, GENERAL>(k, level, 2, &z, z_linear, m),
            (_, Slices::One) => ([nothing; 2], [m; 2]),
            (_, Slices::Layers) => ([level.displacement::<S>(2, at.layer, m); 2], [m; 2]),
            (_, Slices::Faces | Slices::SeamlessFaces) => ([level.displacement::<S>(2, S::add(at.layer, at.face), m); 2], [m; 2]),
        };
        let x_weight = S::gt(x.weight, S::i(0));
        let y_weight = S::gt(y.weight, S::i(0));
        // A loop rather than two calls: the code of a slice is there once.
        let mut near = [S::f(0.0); 4];
        let mut m = m;
        for slice in 0..2 {
            let origin = Displacement::of(level).with(sz[slice]);
            let upper = origin.with(sy[0]);
            // gather4 reads all taps, filters those that have weight.
            let all = GENERAL && k.special.gather.is_some();
            let right = if all { m } else { S::both(m, x_weight) };
            let below = if all { m } else { S::both(m, y_weight) };
            let used = [m, right, below, S::both(right, below)];
            let mut inside = [m; 4];
            if GENERAL && k.has_border {
                for tap in 0..4 {
                    inside[tap] = S::both(S::both(ix[tap & 1], iy[tap >> 1]), iz[slice]);
                }
            }
            let mut taps = [T::fetch::<S>(
                &k.element,
                image,
                if GENERAL && crosses { around[0] } else { upper.with(sx[0]).address() },
                if GENERAL { S::both(used[0], inside[0]) } else { m },
                lost,
            ); 4];
            let value = if GENERAL {
                if is_linear {
                    let lower = origin.with(sy[1]);
                    for tap in 1..4 {
                        let row = if tap < 2 { upper } else { lower };
                        let address = if crosses { around[tap] } else { row.with(sx[tap & 1]).address() };
                        taps[tap] = T::fetch::<S>(&k.element, image, address, S::both(used[tap], inside[tap]), lost);
                    }
                }
                if T::BY_CHANNEL || k.is_special {
                    let quad = Quad { taps, used, inside, weight: [x.weight, y.weight], is_linear };
                    filter::<S, T>(k, &k.element, colors, at.reference, &quad)
                } else if is_linear {
                    T::blend::<S>(&k.element, taps, x.weight, y.weight)
                } else {
                    T::decode_sampled::<S>(&k.element, taps[0])
                }
            } else if is_linear {
                let lower = origin.with(sy[1]);
                taps[1] = T::fetch::<S>(&k.element, image, upper.with(sx[1]).address(), right, lost);
                taps[2] = T::fetch::<S>(&k.element, image, lower.with(sx[0]).address(), below, lost);
                taps[3] = T::fetch::<S>(&k.element, image, lower.with(sx[1]).address(), used[3], lost);
                T::blend::<S>(&k.element, taps, x.weight, y.weight)
            } else {
                T::decode_sampled::<S>(&k.element, taps[0])
            };
            let reduction = if GENERAL { k.special.reduction } else { Reduction::Blend };
            near = if slice == 0 { value } else { mix::<S>(reduction, near, value, z.weight) };
            m = S::both(m, S::gt(z.weight, S::i(0)));
            if S::bits(m) == 0 {
                break;
            }
        }
        near
    }
}

/// The levels that each lane wants, by `keys`: its number and, in `GENERAL` instances, below that whether its filter is linear. Lanes of one key
/// at a time.
#[inline(always)]
unsafe fn levels<S: Simd, T: Texels, const GENERAL: bool>(
    k: &Kernel,
    image: View,
    colors: &Colors,
    at: &At<S>,
    keys: S::I,
    undone: &mut u32,
    lost: &mut Lost,
    m: S::M,
) -> [S::F; 4] {
    // SAFETY: `all` has the room of a vector; level numbers are limited to the view's.
    unsafe {
        let mut all = [0_u32; 16];
        let is_single = k.is_single_level() && !(GENERAL && k.filter_varies);
        if !is_single || GENERAL {
            S::store(&mut all, S::mask(u32::MAX), keys);
        }
        let mut left = S::bits(m);
        let mut out = [S::f(0.0); 4];
        loop {
            let key = all[left.trailing_zeros() as usize & 15];
            let these = if is_single { m } else { S::both(S::mask(left), S::eq(keys, S::i(key as i32))) };
            let (number, is_linear) = if GENERAL { (key >> 1, key & 1 != 0) } else { (key, k.linear) };
            let value = level::<S, T, GENERAL>(k, &k.levels[number as usize], image, colors, at, is_linear, undone, lost, these);
            if S::bits(these) == S::bits(m) {
                return value;
            }
            for c in 0..4 {
                out[c] = S::select_f(these, value[c], out[c]);
            }
            left &= !S::bits(these);
            if left == 0 {
                return out;
            }
        }
    }
}

/// The whole instruction; the lanes it could not do, whole quads.
///
/// # Safety
/// The processor has the instruction set; `call.image` is the image of the kernel.
#[inline(always)]
pub(super) unsafe fn sample<S: Simd, T: Texels, const GENERAL: bool>(k: &Kernel, call: &Call, wave: &mut Wave) -> u64 {
    // SAFETY: rows are sliced to whole vectors; texels lie in the image (`Kernel::new`).
    unsafe {
        let border = call.border.map(f32::from_bits);
        let colors = Colors { border, border_units: if GENERAL && k.has_border { border.map(to_byte) } else { border } };
        let last = k.levels.len() as i32 - 1;
        let mut not_done = 0_u64;
        for first in (0..wave.lanes).step_by(S::LANES) {
            let active = (wave.exec >> first) as u32 & (u32::MAX >> (32 - S::LANES));
            if active == 0 {
                continue;
            }
            let mut m = S::mask(active);
            let lanes = LaneOperands { operands: call.operands, first };
            let word = lanes.bits::<S>(wave, k.layout.offset);
            let (mut body, mut offset) = ([S::f(0.0); 3], [S::i(0); 3]);
            for n in 0..3 {
                body[n] = lanes.float::<S>(wave, k.layout.body[n]);
                offset[n] = S::sar(S::shl(word, 26 - 8 * n as i32), 26);
            }
            let mut at = At { body, offset, layer: S::i(0), face: S::i(0), reference: S::f(0.0) };
            if k.slices == Slices::Layers {
                at.layer = S::add(S::min(rounded::<S>(k, body[2]), S::i(k.last_layer)), S::i(k.first_layer));
            } else if GENERAL && k.slices.are_faces() {
                // The shader's face coordinates run from 1 to 2.
                at.body = [S::sub_f(body[0], S::f(1.0)), S::sub_f(body[1], S::f(1.0)), S::f(0.0)];
                (at.layer, at.face) = face::<S>(k, body[2]);
            }
            if GENERAL && k.special.compare.is_some() {
                at.reference = S::as_f(lanes.bits::<S>(wave, k.layout.compare));
                if k.limits_reference {
                    at.reference = S::min_f(S::max_f(at.reference, S::f(0.0)), S::f(1.0));
                }
            }

            let (mut number, mut weight) = (S::i(0), S::i(0));
            let mut flag = S::i(i32::from(k.linear));
            let (mut count, mut major) = (S::i(1), [S::f(0.0); 3]);
            if !k.is_single_level() || GENERAL && (k.filter_varies || k.max_ratio.is_some()) {
                let detail = detail::<S, GENERAL>(k, &lanes, wave, body, m);
                let lambda = detail.lambda;
                if GENERAL {
                    let magnifies = S::gt(S::i(1), lambda);
                    flag = S::select(magnifies, S::i(i32::from(k.linear)), S::i(i32::from(k.min_linear)));
                    let several = S::select(magnifies, S::i(i32::from(k.mag_anisotropic)), S::i(i32::from(k.min_anisotropic)));
                    count = S::select(S::gt(several, S::i(0)), detail.footprint.count, S::i(1));
                    major = detail.footprint.major;
                }
                if k.is_single_level() {
                    // only the filter depends on it
                } else if k.mip == MipFilter::Point {
                    number = S::min(S::max(S::sar(S::add(lambda, S::i(128)), 8), S::i(0)), S::i(last));
                } else {
                    let lambda = S::min(S::max(lambda, S::i(0)), S::i(last * 256));
                    (number, weight) = (S::shr(lambda, 8), S::and(lambda, S::i(0xff)));
                }
            }

            let reduction = if GENERAL { k.special.reduction } else { Reduction::Blend };
            let (mut undone, mut lost) = (0, Lost::none());
            let mut gathered = Gathered::<S>::new();
            let mut out = [S::f(0.0); 4];
            let center = at.body;
            let mut n = 0;
            loop {
                let these_samples = if GENERAL { S::both(m, S::gt(count, S::i(n))) } else { m };
                if GENERAL && k.max_ratio.is_some() {
                    if S::bits(these_samples) == 0 {
                        break;
                    }
                    let step = S::sub_f(S::div_f(S::f(n as f32 + 0.5), S::to_f(count)), S::f(0.5));
                    for axis in 0..3 {
                        let moved = S::add_f(center[axis], S::mul_f(step, major[axis]));
                        at.body[axis] = S::select_f(S::gt(count, S::i(1)), moved, center[axis]);
                    }
                }
                let mut number = number;
                let mut these = these_samples;
                for pass in 0..2 {
                    let keys = if GENERAL { S::or(S::shl(number, 1), flag) } else { number };
                    let value = levels::<S, T, GENERAL>(k, call.image, &colors, &at, keys, &mut undone, &mut lost, these);
                    out = if pass == 0 { value } else { mix::<S>(reduction, out, value, weight) };
                    these = S::both(these, S::gt(weight, S::i(0)));
                    if S::bits(these) == 0 {
                        break;
                    }
                    number = S::add(number, S::i(1));
                }
                if !GENERAL || k.max_ratio.is_none() {
                    break;
                }
                gathered.add(reduction, n, out, these_samples);
                n += 1;
            }
            if GENERAL && k.max_ratio.is_some() {
                out = gathered.value(reduction, count);
            }
            if lost.any() {
                undone = active;
            }
            if undone != 0 {
                // Lanes of a quad read each other's coordinates, over which results may be written.
                let quads = ((undone | undone >> 1 | undone >> 2 | undone >> 3) & 0x1111_1111) * 15;
                not_done |= u64::from(active & quads) << first;
                m = S::mask(active & !quads);
            }
            let channels = [S::as_i(out[0]), S::as_i(out[1]), S::as_i(out[2]), S::as_i(out[3])];
            lanes.put::<S>(wave, m, &k.cells, k.narrow, channels, S::mask(u32::MAX));
        }
        not_done
    }
}

/// A layer number, not limited from above.
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
pub(super) unsafe fn rounded<S: Simd>(k: &Kernel, coordinate: S::F) -> S::I {
    // SAFETY: no memory is touched.
    unsafe {
        // A NaN becomes 0; what is out of range is limited before the conversion.
        let limited = S::min_f(S::max_f(coordinate, S::f(0.0)), S::f((1 << 30) as f32));
        S::to_i(if k.truncate_layer { S::floor(limited) } else { limited })
    }
}

/// First layer of a cube of the image, and face.
#[inline(always)]
unsafe fn face<S: Simd>(k: &Kernel, coordinate: S::F) -> (S::I, S::I) {
    // SAFETY: no memory is touched.
    unsafe {
        let id = rounded::<S>(k, coordinate);
        // Numbers beyond 32 bits saturate there.
        let low = S::select(S::le_f(S::f(4_294_967_296.0), coordinate), S::i(7), S::and(id, S::i(7)));
        let last_cube = ((k.last_layer + 1) / 6 - 1).max(0);
        let first = S::mul(S::min(S::shr(id, 3), S::i(last_cube)), S::i(6));
        let layer = S::min(S::add(first, S::min(low, S::i(5))), S::i(k.last_layer));
        (S::add(first, S::i(k.first_layer)), S::sub(layer, first))
    }
}
