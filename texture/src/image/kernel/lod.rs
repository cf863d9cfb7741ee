//! Vector twins of [`super::super::lod`]: the level of each lane, and anisotropic footprints.

use super::super::lod::LOWEST;
use super::super::op::Lod;
use super::Kernel;
use super::operands::Inputs;
use crate::simd::Simd;

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
        let entry = S::entry(table, S::and(S::shr(bits, 15), S::i(0xff)), m);
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
            if axis >= k.directions.axes() {
                continue;
            }
            let d = if k.unnormalized { d[axis] } else { S::mul_f(d[axis], S::f(size[axis] as f32)) };
            let d = S::mul_f(d, d);
            sum = if axis == 0 { d } else { S::add_f(sum, d) };
        }
        sum
    }
}

/// The samples of an anisotropic filter.
#[derive(Clone, Copy)]
pub(super) struct Footprint<S: Simd> {
    /// How many: 1 to 16.
    pub count: S::I,
    /// From one end of the longer side to the other, as coordinates.
    pub major: [S::F; 3],
}

/// What decides the levels of a vector of lanes.
#[derive(Clone, Copy)]
pub(super) struct Detail<S: Simd> {
    /// Level after its bounds.
    pub lambda: S::I,
    pub footprint: Footprint<S>,
}

/// Level and footprint; `body` holds the coordinates as the operands have them. `RARE`: may the filter be anisotropic?
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
pub(super) unsafe fn detail<S: Simd, const RARE: bool>(k: &Kernel, inputs: &Inputs, first: usize, body: [S::F; 3], m: S::M) -> Detail<S> {
    // SAFETY: as `Input::bits`.
    unsafe {
        let mut footprint = Footprint { count: S::i(1), major: [S::f(0.0); 3] };
        let level = to_lambda::<S>(inputs.level.float::<S>(first));
        let mut lambda = match k.lod {
            Lod::Zero => S::i(0),
            Lod::Explicit => S::add(level, S::i(k.bounds.bias)),
            _ => {
                // From the quad's differences, or operands.
                let (mut h, mut v) = (body, body);
                for axis in 0..3 {
                    if k.lod == Lod::Derivatives {
                        h[axis] = inputs.dh[axis].float::<S>(first);
                        v[axis] = inputs.dv[axis].float::<S>(first);
                    } else {
                        let here = S::quad_here(body[axis]);
                        h[axis] = S::sub_f(S::quad_right(body[axis]), here);
                        v[axis] = S::sub_f(S::quad_below(body[axis]), here);
                    }
                }
                let (hh, vv) = (square::<S>(k, h), square::<S>(k, v));
                let along_h = S::lt_f(vv, hh);
                let mut long = S::select_f(along_h, hh, vv);
                if RARE && let Some(max_ratio) = k.max_ratio {
                    let short = S::select_f(along_h, vv, hh);
                    let most = S::f((1 << max_ratio) as f32);
                    let ratio = S::min_f(S::sqrt(S::div_f(long, short)), most);
                    let ratio = S::max_f(S::select_f(S::lt_f(S::f(0.0), short), ratio, most), S::f(1.0));
                    footprint.count = S::to_i(S::ceil(ratio));
                    for axis in 0..3 {
                        let major = S::select_f(along_h, h[axis], v[axis]);
                        footprint.major[axis] = if axis < k.directions.axes() { major } else { S::f(0.0) };
                    }
                    long = S::div_f(long, S::mul_f(ratio, ratio));
                }
                S::add(log2_of_square::<S>(long, k.log_table, m), S::i(k.bounds.bias))
            }
        };
        if k.lod == Lod::Bias {
            lambda = S::add(lambda, to_lambda::<S>(inputs.bias.float::<S>(first)));
        }
        if k.clamps_level {
            lambda = S::max(lambda, level);
        }
        let lambda = S::max(S::min(S::max(lambda, S::i(k.bounds.min)), S::i(k.bounds.max)), S::i(k.bounds.view_min));
        Detail { lambda, footprint }
    }
}
