//! sample and gather4 in vectors: the twin of [`super::super::sample`].
//!
//! ```text
//! operands -> level and footprint -> for each sample, level and slice: taps of each axis -> addresses -> fetch -> filter -> mix -> registers
//! ```
//!
//! `HAS` says what a function has beside the common images and samplers ([`super::has`]); the rest is left out when it is compiled.

use super::super::coord::Clamp;
use super::super::filter::Reduction;
use super::super::lod::MipFilter;
use super::super::sample::to_byte;
use super::cube::{self, EDGES};
use super::filter::{Colors, Gathered, Quad, filter, mix};
use super::has::{LEVELS, LINEAR, RARE, SHAPES, SPECIAL, VARIED};
use super::level::{Displacement, Level};
use super::lod::detail;
use super::operands::{Inputs, Rows};
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
unsafe fn axis<S: Simd, const HAS: u32>(k: &Kernel, level: &Level, n: usize, is_linear: bool, at: &At<S>) -> Taps<S> {
    // SAFETY: no memory is touched.
    unsafe {
        let scale = if HAS & VARIED != 0 && k.unnormalized { 1.0 } else { level.scale[n] };
        let texels = S::mul_f(at.body[n], S::f(scale));
        // The common modes are known where the code of each is made.
        match k.clamp[n] {
            Clamp::Wrap => of_mode::<S, HAS>(k, level, n, is_linear, texels, at, Clamp::Wrap),
            mode if HAS & (SHAPES | SPECIAL) != 0 => of_mode::<S, HAS>(k, level, n, is_linear, texels, at, mode),
            _ => of_mode::<S, HAS>(k, level, n, is_linear, texels, at, Clamp::LastTexel),
        }
    }
}

/// The same of a clamp mode.
#[inline(always)]
unsafe fn of_mode<S: Simd, const HAS: u32>(
    k: &Kernel,
    level: &Level,
    n: usize,
    is_linear: bool,
    texels: S::F,
    at: &At<S>,
    mode: Clamp,
) -> Taps<S> {
    // SAFETY: no memory is touched.
    unsafe {
        let size = level.size[n];
        let offset = if HAS & SHAPES != 0 { at.offset[n] } else { S::i(0) };
        if !is_linear {
            let index = point::<S>(texels, offset, mode, size, k.truncate);
            return Taps { index: [index; 2], weight: S::i(0) };
        }
        let mut taps = linear::<S>(texels, offset, mode, size, k.coarse, HAS & SPECIAL != 0);
        if HAS & RARE != 0 && k.slices == Slices::SeamlessFaces {
            // Beyond the second tap is the other side of the face.
            taps.index[1] = S::select(S::gt(taps.index[1], S::i(-1)), taps.index[1], S::i(size));
        }
        taps
    }
}

/// Shares in addresses of the two taps of an axis, and which of them are in the image.
#[inline(always)]
unsafe fn displacements<S: Simd, const HAS: u32>(
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
        if HAS & SPECIAL != 0 && k.has_border {
            for tap in 0..2 {
                in_image[tap] = S::gt(index[tap], S::i(-1));
                index[tap] = S::max(index[tap], S::i(0));
            }
        }
        let displacements = match (is_linear, HAS & SHAPES == 0) {
            (true, true) => level.displacements::<S, 2, true>(n, index, m),
            (true, false) => level.displacements::<S, 2, false>(n, index, m),
            (false, true) => [level.displacement::<S, true>(n, index[0], m); 2],
            (false, false) => [level.displacement::<S, false>(n, index[0], m); 2],
        };
        (displacements, in_image)
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
            let layer = level.displacement::<S, false>(2, S::add(at.layer, texel.face), m);
            let place = Displacement::of(level)
                .with(layer)
                .with(level.displacement::<S, false>(1, texel.j, m))
                .with(level.displacement::<S, false>(0, texel.i, m));
            addresses[tap] = place.address();
        }
        addresses
    }
}

/// One level, filtered. Lanes that this could not do are added to `undone`; `lost` says if a texel could not be read.
#[inline(always)]
unsafe fn level<S: Simd, T: Texels, const HAS: u32>(
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
        let directions = if HAS & SHAPES != 0 { k.directions } else { Directions::Plane };
        let is_seamless = HAS & RARE != 0 && k.slices == Slices::SeamlessFaces;
        let nothing = Displacement { sum: S::i(0), offset_xor: S::i(0) };
        let none = Taps { index: [S::i(0); 2], weight: S::i(0) };
        let x = axis::<S, HAS>(k, level, 0, is_linear, at);
        let has_y = directions != Directions::Row;
        let y = if has_y { axis::<S, HAS>(k, level, 1, is_linear, at) } else { none };
        let mut around = [S::i(0); 4];
        let mut crosses = false;
        if is_linear && is_seamless {
            let mut here = m;
            for (taps, size) in [(x, level.size[0]), (y, level.size[1])] {
                here = S::both(here, S::both(inside::<S>(taps.index[0], size), inside::<S>(taps.index[1], size)));
            }
            crosses = S::bits(S::without(m, here)) != 0;
            if crosses {
                around = cube_addresses::<S>(level, at, &x, &y, undone, m);
            }
        }
        let (sx, ix) = displacements::<S, HAS>(k, level, 0, &x, is_linear, m);
        let (sy, iy) = if has_y { displacements::<S, HAS>(k, level, 1, &y, is_linear, m) } else { ([nothing; 2], [m; 2]) };
        let z_linear = directions == Directions::Volume && k.z_linear.unwrap_or(is_linear) && !k.is_integer;
        let z = if directions == Directions::Volume { axis::<S, HAS>(k, level, 2, z_linear, at) } else { none };
        let (sz, iz) = match (directions, k.slices) {
            _ if HAS & VARIED == 0 => ([nothing; 2], [m; 2]),
            (Directions::Volume, _) => displacements::<S, HAS>(k, level, 2, &z, z_linear, m),
            (_, Slices::One) => ([nothing; 2], [m; 2]),
            (_, Slices::Layers) if HAS & SHAPES == 0 => ([level.displacement::<S, true>(2, at.layer, m); 2], [m; 2]),
            (_, Slices::Layers) => ([level.displacement::<S, false>(2, at.layer, m); 2], [m; 2]),
            (_, Slices::Faces | Slices::SeamlessFaces) => ([level.displacement::<S, false>(2, S::add(at.layer, at.face), m); 2], [m; 2]),
        };
        // gather4 reads all taps, filters those that have weight; and what has none may be read where it cannot do harm.
        let reads_all = HAS & SPECIAL != 0 && k.special.gather.is_some();
        let all = reads_all || T::IS_FINITE && (HAS & SPECIAL == 0 || !k.is_special);
        let (mut right, mut below) = (m, m);
        if !all {
            (right, below) = (S::both(m, S::gt(x.weight, S::i(0))), S::both(m, S::gt(y.weight, S::i(0))));
        }
        // A loop rather than two calls: the code of a slice is there once.
        let mut near = [S::f(0.0); 4];
        let mut m = m;
        for slice in 0..2 {
            let origin = Displacement::of(level).with(sz[slice]);
            let (upper, lower) = (origin.with(sy[0]), origin.with(sy[1]));
            let mut used = [m, right, below, S::both(right, below)];
            if HAS & SHAPES != 0 {
                for tap in 1..4 {
                    used[tap] = S::both(m, used[tap]);
                }
            }
            let mut inside = [m; 4];
            let mut is_plain = true;
            if HAS & SPECIAL != 0 {
                is_plain = !k.is_special;
                if k.has_border {
                    for tap in 0..4 {
                        inside[tap] = S::both(S::both(ix[tap & 1], iy[tap >> 1]), iz[slice]);
                    }
                    // Of a vector far from the border it does not matter.
                    let all_inside = S::both(S::both(m, inside[0]), inside[3]);
                    is_plain = k.special.is_blend() && S::bits(all_inside) == S::bits(m);
                }
            }
            let mut taps = [upper.with(sx[0]).address(); 4];
            if is_linear {
                taps = [taps[0], upper.with(sx[1]).address(), lower.with(sx[0]).address(), lower.with(sx[1]).address()];
            }
            if crosses {
                taps = around;
            }
            let first = if HAS & SPECIAL != 0 { S::both(used[0], inside[0]) } else { used[0] };
            let mut read = [T::fetch::<S>(&k.element, image, taps[0], first, lost); 4];
            if is_linear {
                for tap in 1..4 {
                    let m = if HAS & SPECIAL != 0 { S::both(used[tap], inside[tap]) } else { used[tap] };
                    read[tap] = T::fetch::<S>(&k.element, image, taps[tap], m, lost);
                }
            }
            let value = if HAS & SPECIAL != 0 && (!is_plain || HAS & SHAPES != 0 && T::BY_CHANNEL) {
                let quad = Quad { taps: read, used, inside, weight: [x.weight, y.weight], is_linear };
                filter::<S, T>(k, &k.element, colors, at.reference, &quad)
            } else if is_linear {
                T::blend::<S>(&k.element, read, x.weight, y.weight)
            } else {
                T::decode_sampled::<S>(&k.element, read[0])
            };
            if HAS & SHAPES == 0 {
                return value;
            }
            let reduction = if HAS & SPECIAL != 0 { k.special.reduction } else { Reduction::Blend };
            near = if slice == 0 { value } else { mix::<S>(reduction, near, value, z.weight) };
            m = S::both(m, S::gt(z.weight, S::i(0)));
            if S::bits(m) == 0 {
                break;
            }
        }
        near
    }
}

/// The levels that each lane wants, by `keys`: its number and, where the filter may depend on it, below that whether its filter is linear. Lanes of
/// one key at a time.
#[inline(always)]
unsafe fn levels<S: Simd, T: Texels, const HAS: u32>(
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
        let is_single = HAS & (LEVELS | RARE) == 0 || HAS & RARE == 0 && k.is_single_level();
        // A function with nothing but blends is taken for those only.
        let is_linear = HAS & LINEAR != 0 && (HAS & !VARIED == LINEAR || k.linear);
        let mut all = [0_u32; 16];
        if !is_single {
            S::store_all(&mut all, keys);
        }
        let mut left = S::bits(m);
        let mut out = [S::f(0.0); 4];
        loop {
            let key = if HAS & (LEVELS | RARE) == 0 { 0 } else { all[left.trailing_zeros() as usize & 15] };
            let these = if is_single { m } else { S::both(S::mask(left), S::eq(keys, S::i(key as i32))) };
            let (number, is_linear) = if HAS & RARE != 0 { (key >> 1, key & 1 != 0) } else { (key, is_linear) };
            let value = level::<S, T, HAS>(k, &k.levels[number as usize], image, colors, at, is_linear, undone, lost, these);
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
pub(super) unsafe fn sample<S: Simd, T: Texels, const HAS: u32>(k: &Kernel, call: &Call, wave: &mut Wave) -> u64 {
    // SAFETY: texels lie in the image (`Kernel::new`).
    unsafe {
        let rows = Rows::of(wave);
        let mut inputs = Inputs::coordinates::<HAS>(&k.layout, call.operands, &rows);
        if HAS & LEVELS != 0 {
            inputs = inputs.with_levels(&k.layout, call.operands, &rows);
        }
        if HAS & (SPECIAL | SHAPES) != 0 {
            inputs = inputs.with_modifiers(&k.layout, call.operands, &rows);
        }
        let results = k.results.rows(call.operands, &rows);
        let mut colors = Colors { border: [0.0; 4], border_units: [0.0; 4] };
        if HAS & SPECIAL != 0 && k.has_border {
            for c in 0..4 {
                colors.border[c] = f32::from_bits(call.border[c]);
                colors.border_units[c] = to_byte(colors.border[c]);
            }
        }
        let last = k.levels.len() as i32 - 1;
        let mut not_done = 0_u64;
        for (first, active) in rows.vectors::<S>() {
            let mut m = S::mask(active);
            let [x, y, z] = inputs.body;
            let mut body = [x.float::<S>(first), y.float::<S>(first), S::f(0.0)];
            if HAS & SHAPES != 0 || HAS & VARIED != 0 && k.slices != Slices::One {
                body[2] = z.float::<S>(first);
            }
            let mut offset = [S::i(0); 3];
            if HAS & SHAPES != 0 {
                let word = inputs.offset.bits::<S>(first);
                offset = [S::sar(S::shl(word, 26), 26), S::sar(S::shl(word, 18), 26), S::sar(S::shl(word, 10), 26)];
            }
            let mut at = At { body, offset, layer: S::i(0), face: S::i(0), reference: S::f(0.0) };
            if HAS & VARIED != 0 && k.slices == Slices::Layers {
                at.layer = S::add(S::min(rounded::<S>(k, body[2]), S::i(k.last_layer)), S::i(k.first_layer));
            } else if HAS & RARE != 0 && k.slices.are_faces() {
                // The shader's face coordinates run from 1 to 2.
                at.body = [S::sub_f(body[0], S::f(1.0)), S::sub_f(body[1], S::f(1.0)), S::f(0.0)];
                (at.layer, at.face) = face::<S>(k, body[2]);
            }
            if HAS & SPECIAL != 0 && k.special.compare.is_some() {
                at.reference = S::as_f(inputs.compare.bits::<S>(first));
                if k.limits_reference {
                    at.reference = S::min_f(S::max_f(at.reference, S::f(0.0)), S::f(1.0));
                }
            }

            let (mut number, mut weight) = (S::i(0), S::i(0));
            let mut flag = S::i(i32::from(k.linear));
            let (mut count, mut major) = (S::i(1), [S::f(0.0); 3]);
            if HAS & LEVELS != 0 && !k.is_single_level() || HAS & RARE != 0 && (k.filter_varies || k.max_ratio.is_some()) {
                let detail = if HAS & RARE != 0 {
                    detail::<S, true>(k, &inputs, first, body, m)
                } else {
                    detail::<S, false>(k, &inputs, first, body, m)
                };
                let lambda = detail.lambda;
                if HAS & RARE != 0 {
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

            let reduction = if HAS & SPECIAL != 0 { k.special.reduction } else { Reduction::Blend };
            let is_anisotropic = HAS & RARE != 0 && k.max_ratio.is_some();
            let (mut undone, mut lost) = (0, Lost::none());
            let mut gathered = Gathered::<S>::new();
            let mut out = [S::f(0.0); 4];
            let center = at.body;
            let mut n = 0;
            loop {
                let these_samples = if HAS & RARE != 0 { S::both(m, S::gt(count, S::i(n))) } else { m };
                if is_anisotropic {
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
                    let keys = if HAS & RARE != 0 { S::or(S::shl(number, 1), flag) } else { number };
                    let value = levels::<S, T, HAS>(k, call.image, &colors, &at, keys, &mut undone, &mut lost, these);
                    if HAS & LEVELS == 0 {
                        out = value;
                        break;
                    }
                    out = if pass == 0 { value } else { mix::<S>(reduction, out, value, weight) };
                    these = S::both(these, S::gt(weight, S::i(0)));
                    if S::bits(these) == 0 {
                        break;
                    }
                    number = S::add(number, S::i(1));
                }
                if !is_anisotropic {
                    break;
                }
                gathered.add(reduction, n, out, these_samples);
                n += 1;
            }
            if is_anisotropic {
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
            k.results.put::<S, HAS>(&results, first, m, channels, S::mask(u32::MAX));
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
