//! From taps to a value: blends, comparison, reduction, gathers. Twin of [`super::super::filter`] and of how [`super::super::sample`] uses it.

use super::super::filter::Reduction;
use super::Kernel;
use super::texels::{Element, Texels, bilinear, divide, settle};
use crate::simd::Simd;

/// What one wave brings to the filter.
#[derive(Clone, Copy)]
pub(super) struct Colors {
    /// Border color in memory channels, as f32 bits or integers.
    pub border: [f32; 4],
    /// The same as blends want it.
    pub border_units: [f32; 4],
}

/// The four taps of a bilinear filter, or the same one four times.
#[derive(Clone, Copy)]
pub(super) struct Quad<S: Simd, T> {
    pub taps: [T; 4],
    /// Lanes that a tap is read for: not those for which it has no weight.
    pub used: [S::M; 4],
    /// Lanes for which a tap is in the image, not border.
    pub inside: [S::M; 4],
    pub weight: [S::I; 2],
    pub is_linear: bool,
}

/// How taps become a result, where a plain blend of all channels is not it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Special {
    /// Function of the comparison.
    pub compare: Option<u32>,
    pub reduction: Reduction,
    /// Channel of a gather4.
    pub gather: Option<u8>,
}

impl Special {
    /// Nothing but the border.
    #[inline(always)]
    pub(super) fn is_blend(&self) -> bool {
        self.compare.is_none() && self.gather.is_none() && self.reduction == Reduction::Blend
    }
}

/// Results of gather4 by number: which tap.
const GATHER4: [usize; 4] = [2, 3, 1, 0];

/// As [`super::super::filter::compare`]: 1 or 0.
#[inline(always)]
unsafe fn passes<S: Simd>(function: u32, reference: S::F, texel: S::F) -> S::F {
    // SAFETY: no memory is touched.
    unsafe {
        let (one, zero) = (S::f(1.0), S::f(0.0));
        match function & 7 {
            0 => zero,
            1 => S::select_f(S::lt_f(reference, texel), one, zero),
            2 => S::select_f(S::eq_f(reference, texel), one, zero),
            3 => S::select_f(S::le_f(reference, texel), one, zero),
            4 => S::select_f(S::lt_f(texel, reference), one, zero),
            5 => S::select_f(S::eq_f(reference, texel), zero, one),
            6 => S::select_f(S::le_f(texel, reference), one, zero),
            _ => one,
        }
    }
}

/// As [`Reduction::pick`].
#[inline(always)]
unsafe fn pick<S: Simd>(reduction: Reduction, a: S::F, b: S::F) -> S::F {
    // SAFETY: no memory is touched.
    unsafe {
        let beats = if reduction == Reduction::Max { S::lt_f(a, b) } else { S::lt_f(b, a) };
        S::select_f(S::either(beats, S::without(S::mask(u32::MAX), S::ordered(a, a))), b, a)
    }
}

/// The taps of a slice, filtered; all channels that are needed.
///
/// # Safety
/// The processor has the instruction set, and tables of `element` are whole.
#[inline(always)]
pub(super) unsafe fn filter<S: Simd, T: Texels>(
    k: &Kernel,
    element: &Element,
    colors: &Colors,
    reference: S::F,
    quad: &Quad<S, T::Tap<S>>,
) -> [S::F; 4] {
    // SAFETY: no memory is touched but by `T`.
    unsafe {
        let special = &k.special;
        let blends = quad.is_linear && special.gather.is_none() && special.reduction == Reduction::Blend;
        let in_units = T::SCALE != 1.0 && blends && special.compare.is_none();
        let border = if in_units { colors.border_units } else { colors.border };
        let mut out = [S::f(0.0); 4];
        for c in 0..4 {
            let wanted = match (special.gather, special.compare) {
                (_, Some(_)) => c == 0,
                (Some(channel), None) => c == usize::from(channel),
                _ => element.needed >> c & 1 != 0,
            };
            if !wanted {
                continue;
            }
            let mut values = if quad.is_linear {
                T::channel::<S, 4>(element, quad.taps, c)
            } else {
                let [value] = T::channel::<S, 1>(element, [quad.taps[0]], c);
                [value; 4]
            };
            for n in 0..if quad.is_linear { 4 } else { 1 } {
                if T::SCALE != 1.0 && !in_units {
                    values[n] = divide::<S>(values[n], T::SCALE);
                }
                if k.has_border {
                    values[n] = S::select_f(quad.inside[n], values[n], S::f(border[c]));
                }
                if let Some(function) = special.compare {
                    values[n] = passes::<S>(function, reference, values[n]);
                }
            }
            if special.gather.is_some() {
                for n in 0..4 {
                    out[n] = values[GATHER4[n]];
                }
                return out;
            }
            out[c] = if !quad.is_linear {
                values[0]
            } else if special.reduction == Reduction::Blend {
                for n in 0..4 {
                    values[n] = S::select_f(quad.used[n], values[n], S::f(0.0));
                }
                let sum = bilinear::<S>(values, quad.weight[0], quad.weight[1]);
                if in_units { S::div_f(sum, S::f(T::SCALE)) } else { sum }
            } else {
                let mut picked = values[0];
                for n in 1..4 {
                    picked = S::select_f(quad.used[n], pick::<S>(special.reduction, picked, values[n]), picked);
                }
                picked
            };
        }
        if special.compare.is_some() { [out[0]; 4] } else { out }
    }
}

/// `a` and `b` in the ratio (256 - w) : w, or reduced; `a` where w is 0.
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
pub(super) unsafe fn mix<S: Simd>(reduction: Reduction, a: [S::F; 4], b: [S::F; 4], w: S::I) -> [S::F; 4] {
    // SAFETY: no memory is touched.
    unsafe {
        let has_weight = S::gt(w, S::i(0));
        let w = S::mul_f(S::to_f(w), S::f(1.0 / 256.0));
        let rest = S::sub_f(S::f(1.0), w);
        let mut out = a;
        for c in 0..4 {
            let both = match reduction {
                Reduction::Blend => settle::<S>(S::add_f(S::mul_f(a[c], rest), S::mul_f(b[c], w))),
                _ => pick::<S>(reduction, a[c], b[c]),
            };
            out[c] = S::select_f(has_weight, both, a[c]);
        }
        out
    }
}

/// The samples of an anisotropic filter, one after the other: their sum, or the one that a reduction picks.
#[derive(Clone, Copy)]
pub(super) struct Gathered<S: Simd> {
    sum: [S::F; 4],
    first: [S::F; 4],
    picked: [S::F; 4],
}

impl<S: Simd> Gathered<S> {
    /// # Safety
    /// The processor has the instruction set, as for the other functions.
    #[inline(always)]
    pub(super) unsafe fn new() -> Self {
        // SAFETY: no memory is touched.
        unsafe {
            let zero = [S::f(0.0); 4];
            Gathered { sum: zero, first: zero, picked: zero }
        }
    }

    /// Adds sample number `n` of the lanes of `m`.
    #[inline(always)]
    pub(super) unsafe fn add(&mut self, reduction: Reduction, n: i32, value: [S::F; 4], m: S::M) {
        // SAFETY: no memory is touched.
        unsafe {
            if n == 0 {
                (self.first, self.picked) = (value, value);
            }
            for c in 0..4 {
                self.sum[c] = S::select_f(m, S::add_f(self.sum[c], value[c]), self.sum[c]);
                if reduction != Reduction::Blend && n != 0 {
                    self.picked[c] = S::select_f(m, pick::<S>(reduction, self.picked[c], value[c]), self.picked[c]);
                }
            }
        }
    }

    /// The result of `count` samples by lane.
    #[inline(always)]
    pub(super) unsafe fn value(&self, reduction: Reduction, count: S::I) -> [S::F; 4] {
        // SAFETY: no memory is touched.
        unsafe {
            if reduction != Reduction::Blend {
                return self.picked;
            }
            let several = S::gt(count, S::i(1));
            let mut out = self.first;
            for c in 0..4 {
                let mean = settle::<S>(S::div_f(self.sum[c], S::to_f(count)));
                out[c] = S::select_f(several, mean, self.first[c]);
            }
            out
        }
    }
}
