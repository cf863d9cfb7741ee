//! sample in vectors: the twin of [`super::super::sample`] for the images and samplers that [`super::Kernel`] takes.

use super::super::lod::{LOWEST, MipFilter};
use super::super::op::{Lod, Slot};
use super::simd::Simd;
use super::taps::{Axis, Level, Share, linear, point, share};
use super::texels::{Texels, settle};
use super::{Kernel, Out, Shape};
use crate::Wave;
use crate::image::Operands;

/// Coordinates and offsets of a vector of lanes.
#[derive(Clone, Copy)]
struct At<S: Simd> {
    body: [S::F; 3],
    offset: [S::I; 3],
    /// Layer of the image.
    layer: S::I,
}

/// Reads an address operand of the lanes from `first` on; 0 without one.
#[inline(always)]
unsafe fn operand<S: Simd>(operands: &Operands, wave: &Wave, slot: Option<Slot>, first: usize) -> S::I {
    // SAFETY: the slice has `LANES` lanes.
    unsafe {
        match slot {
            Some(Slot::Whole(n)) => S::load(wave.row(operands.address[usize::from(n)])[first..][..S::LANES].as_ptr()),
            _ => S::i(0), // kernels have whole operands only
        }
    }
}

/// As [`super::super::lod::to_lambda`].
#[inline(always)]
unsafe fn to_lambda<S: Simd>(level: S::F) -> S::I {
    // SAFETY: no memory is touched.
    unsafe {
        let level = S::select_f(S::ordered(level, level), level, S::f(0.0));
        S::to_i(S::mul_f(S::min_f(S::max_f(level, S::f(-4096.0)), S::f(4096.0)), S::f(256.0)))
    }
}

/// As [`super::super::lod::log2_of_square`].
#[inline(always)]
unsafe fn log2_of_square<S: Simd>(square: S::F, table: &'static [u32; 256], m: S::M) -> S::I {
    // SAFETY: the index has 8 bits, the table 256 entries.
    unsafe {
        let bits = S::as_i(square);
        let exponent = S::shr(bits, 23);
        let entry = S::gather(table.as_ptr().cast(), S::shl(S::and(S::shr(bits, 15), S::i(0xff)), 2), m);
        let below = S::gt(S::and(entry, S::i(0xffff)), S::and(bits, S::i(0x7fff)));
        let step = S::select(below, S::i(0), S::i(1));
        let log = S::add(S::add(S::shl(S::sub(exponent, S::i(127)), 7), S::shr(entry, 16)), step);
        let log = S::select(S::gt(exponent, S::i(0xfe)), S::i(128 * 256), log);
        S::select(S::eq(exponent, S::i(0)), S::i(LOWEST), log)
    }
}

/// Squared length of a derivative, in texels.
#[inline(always)]
unsafe fn square<S: Simd>(k: &Kernel, d: [S::F; 3]) -> S::F {
    // SAFETY: no memory is touched.
    unsafe {
        let size = k.levels[0].size;
        let mut sum = S::f(0.0);
        for axis in 0..3 {
            if axis >= k.shape.axes() {
                continue;
            }
            let d = if k.unnormalised { d[axis] } else { S::mul_f(d[axis], S::f(size[axis] as f32)) };
            let d = S::mul_f(d, d);
            sum = if axis == 0 { d } else { S::add_f(sum, d) };
        }
        sum
    }
}

/// Level of the longer derivative, from the quad's differences or the operands.
#[inline(always)]
unsafe fn isotropic<S: Simd>(k: &Kernel, operands: &Operands, wave: &Wave, first: usize, body: [S::F; 3], m: S::M) -> S::I {
    // SAFETY: as `operand`.
    unsafe {
        let (mut h, mut v) = (body, body);
        for axis in 0..3 {
            if k.lod == Lod::Derivatives {
                h[axis] = S::as_f(operand::<S>(operands, wave, k.layout.dh[axis], first));
                v[axis] = S::as_f(operand::<S>(operands, wave, k.layout.dv[axis], first));
            } else {
                let here = S::quad::<0>(body[axis]);
                h[axis] = S::sub_f(S::quad::<1>(body[axis]), here);
                v[axis] = S::sub_f(S::quad::<2>(body[axis]), here);
            }
        }
        let (h, v) = (square::<S>(k, h), square::<S>(k, v));
        log2_of_square::<S>(S::select_f(S::lt_f(v, h), h, v), k.log_table, m)
    }
}

/// Level after its bounds.
#[inline(always)]
unsafe fn level_of<S: Simd>(k: &Kernel, operands: &Operands, wave: &Wave, first: usize, body: [S::F; 3], m: S::M) -> S::I {
    // SAFETY: as `operand`.
    unsafe {
        let level = to_lambda::<S>(S::as_f(operand::<S>(operands, wave, k.layout.level, first)));
        let mut lambda = match k.lod {
            Lod::Zero => S::i(0),
            Lod::Explicit => S::add(level, S::i(k.bounds.bias)),
            _ => S::add(isotropic::<S>(k, operands, wave, first, body, m), S::i(k.bounds.bias)),
        };
        if k.lod == Lod::Bias {
            lambda = S::add(lambda, to_lambda::<S>(S::as_f(operand::<S>(operands, wave, k.layout.bias, first))));
        }
        if k.clamps_level {
            lambda = S::max(lambda, level);
        }
        S::max(S::min(S::max(lambda, S::i(k.bounds.min)), S::i(k.bounds.max)), S::i(k.bounds.view_min))
    }
}

/// Texels at the crossing of a row and a column.
#[inline(always)]
unsafe fn fetch<S: Simd, T: Texels>(k: &Kernel, base: *const u8, row: Share<S>, column: Share<S>, m: S::M) -> T::Tap<S> {
    // SAFETY: as `plane`.
    unsafe { T::fetch::<S>(&k.element, base, S::add(S::add(row.sum, column.sum), S::xor(row.flips, column.flips)), m) }
}

/// One slice of a level, filtered.
#[inline(always)]
unsafe fn plane<S: Simd, T: Texels>(k: &Kernel, level: &Level, base: *const u8, x: Axis<S>, y: Axis<S>, z: Share<S>, m: S::M) -> [S::F; 4] {
    // SAFETY: taps lie in the level, whose texels lie in the image (`Kernel::new`).
    unsafe {
        let sum = S::add(z.sum, S::i(level.base));
        let flips = S::xor(z.flips, S::i(level.flips));
        let upper = Share { sum: S::add(sum, y.tap[0].sum), flips: S::xor(flips, y.tap[0].flips) };
        if !k.linear {
            return T::decode_sampled::<S>(&k.element, fetch::<S, T>(k, base, upper, x.tap[0], m));
        }
        let lower = Share { sum: S::add(sum, y.tap[1].sum), flips: S::xor(flips, y.tap[1].flips) };
        let right = S::both(m, S::gt(x.weight, S::i(0)));
        let below = S::both(m, S::gt(y.weight, S::i(0)));
        let taps = [
            fetch::<S, T>(k, base, upper, x.tap[0], m),
            fetch::<S, T>(k, base, upper, x.tap[1], right),
            fetch::<S, T>(k, base, lower, x.tap[0], below),
            fetch::<S, T>(k, base, lower, x.tap[1], S::both(right, below)),
        ];
        T::blend::<S>(&k.element, taps, x.weight, y.weight)
    }
}

/// `a` and `b` in the ratio (256 - w) : w; `a` where w is 0.
#[inline(always)]
unsafe fn mix<S: Simd>(a: [S::F; 4], b: [S::F; 4], w: S::I) -> [S::F; 4] {
    // SAFETY: no memory is touched.
    unsafe {
        let has_weight = S::gt(w, S::i(0));
        let w = S::mul_f(S::to_f(w), S::f(1.0 / 256.0));
        let rest = S::sub_f(S::f(1.0), w);
        let mut out = a;
        for c in 0..4 {
            let sum = settle::<S>(S::add_f(S::mul_f(a[c], rest), S::mul_f(b[c], w)));
            out[c] = S::select_f(has_weight, sum, a[c]);
        }
        out
    }
}

/// Taps along an axis of a level.
#[inline(always)]
unsafe fn axis<S: Simd>(k: &Kernel, level: &Level, n: usize, is_linear: bool, at: &At<S>, m: S::M) -> Axis<S> {
    // SAFETY: as `linear` and `point`.
    unsafe {
        let (size, clamp) = (level.size[n], k.clamp[n]);
        let texels = if k.unnormalised { at.body[n] } else { S::mul_f(at.body[n], S::f(size as f32)) };
        if is_linear {
            linear::<S>(level, n, size, texels, at.offset[n], clamp, k.coarse, m)
        } else {
            point::<S>(level, n, size, texels, at.offset[n], clamp, k.truncate, m)
        }
    }
}

/// One level, filtered.
#[inline(always)]
unsafe fn level<S: Simd, T: Texels>(k: &Kernel, level: &Level, base: *const u8, at: &At<S>, m: S::M) -> [S::F; 4] {
    // SAFETY: as `plane`.
    unsafe {
        let x = axis::<S>(k, level, 0, k.linear, at, m);
        let y = if k.shape == Shape::Row {
            let only = Share { sum: S::i(0), flips: S::i(level.xor[1].first()) };
            Axis { tap: [only; 2], weight: S::i(0) }
        } else {
            axis::<S>(k, level, 1, k.linear, at, m)
        };
        let none = Share { sum: S::i(0), flips: S::i(0) };
        let z = match k.shape {
            Shape::Volume => axis::<S>(k, level, 2, k.z_linear, at, m),
            Shape::Layers => Axis { tap: [share::<S>(level, 2, at.layer, m); 2], weight: S::i(0) },
            _ => Axis { tap: [none; 2], weight: S::i(0) },
        };
        // A loop rather than two calls: the code of a plane is there once.
        let mut near = [S::f(0.0); 4];
        let mut m = m;
        for slice in 0..2 {
            let value = plane::<S, T>(k, level, base, x, y, z.tap[slice], m);
            near = if slice == 0 { value } else { mix::<S>(near, value, z.weight) };
            m = S::both(m, S::gt(z.weight, S::i(0)));
            if S::bits(m) == 0 {
                break;
            }
        }
        near
    }
}

/// The levels that each lane wants; lanes of one level at a time.
#[inline(always)]
unsafe fn levels<S: Simd, T: Texels>(k: &Kernel, base: *const u8, at: &At<S>, numbers: S::I, m: S::M) -> [S::F; 4] {
    // SAFETY: `all` has the room of a vector; level numbers are limited to the view's.
    unsafe {
        let mut all = [0_u32; 16];
        let is_single = k.is_single_level();
        if !is_single {
            S::store(all.as_mut_ptr(), S::mask(u32::MAX), numbers);
        }
        let mut left = S::bits(m);
        let mut out = [S::f(0.0); 4];
        loop {
            let number = all[left.trailing_zeros() as usize & 15];
            let these = if is_single { m } else { S::both(S::mask(left), S::eq(numbers, S::i(number as i32))) };
            let value = level::<S, T>(k, &k.levels[number as usize], base, at, these);
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

/// The whole instruction.
///
/// # Safety
/// The processor has the instruction set; `base` points to the image of the kernel, all of which is readable.
#[inline(always)]
pub unsafe fn sample<S: Simd, T: Texels>(k: &Kernel, operands: &Operands, wave: &mut Wave, base: *const u8) {
    // SAFETY: rows are sliced to whole vectors; texels lie in the image (`Kernel::new`).
    unsafe {
        let last = k.levels.len() as i32 - 1;
        for first in (0..wave.lanes).step_by(S::LANES) {
            let active = (wave.exec >> first) as u32 & (u32::MAX >> (32 - S::LANES));
            if active == 0 {
                continue;
            }
            let m = S::mask(active);
            let word = operand::<S>(operands, wave, k.layout.offset, first);
            let (mut body, mut offset) = ([S::f(0.0); 3], [S::i(0); 3]);
            for n in 0..3 {
                body[n] = S::as_f(operand::<S>(operands, wave, k.layout.body[n], first));
                offset[n] = S::sar(S::shl(word, 26 - 8 * n as i32), 26);
            }
            let layer = if k.shape == Shape::Layers { layer::<S>(k, body[k.layer_component]) } else { S::i(0) };
            let at = At { body, offset, layer };
            let (mut number, mut weight) = (S::i(0), S::i(0));
            if !k.is_single_level() {
                let lambda = level_of::<S>(k, operands, wave, first, body, m);
                if k.mip == MipFilter::Point {
                    number = S::min(S::max(S::sar(S::add(lambda, S::i(128)), 8), S::i(0)), S::i(last));
                } else {
                    let lambda = S::min(S::max(lambda, S::i(0)), S::i(last * 256));
                    (number, weight) = (S::shr(lambda, 8), S::and(lambda, S::i(0xff)));
                }
            }
            let mut out = [S::f(0.0); 4];
            let mut these = m;
            for pass in 0..2 {
                let value = levels::<S, T>(k, base, &at, number, these);
                out = if pass == 0 { value } else { mix::<S>(out, value, weight) };
                these = S::both(these, S::gt(weight, S::i(0)));
                if S::bits(these) == 0 {
                    break;
                }
                number = S::add(number, S::i(1));
            }
            for (n, source) in k.out.iter().enumerate() {
                let value = match source {
                    Out::Channel(c) => S::as_i(out[usize::from(c & 3)]),
                    Out::Missing(value) | Out::Constant(value) => S::i(*value as i32),
                };
                S::store(wave.row_mut(operands.result[n])[first..][..S::LANES].as_mut_ptr(), m, value);
            }
        }
    }
}

/// Layer of the image, as [`super::super::coord::layer`].
#[inline(always)]
unsafe fn layer<S: Simd>(k: &Kernel, coordinate: S::F) -> S::I {
    // SAFETY: no memory is touched.
    unsafe {
        // A NaN becomes 0; what is out of range is limited before the conversion.
        let limited = S::min_f(S::max_f(coordinate, S::f(0.0)), S::f(65536.0));
        let rounded = S::to_i(if k.truncate_layer { S::floor(limited) } else { limited });
        S::add(S::min(rounded, S::i(k.last_layer)), S::i(k.first_layer))
    }
}
