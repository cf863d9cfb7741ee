//! Results within 1 ulp, by estimates of the host's.
//!
//! Processors differ in the last bits of an estimate, and so do results that are one step of Newton's from it. On one host, and at one level of it
//! ([`HostLevel::get`]), everything that computes them does the same steps.

use super::mode::Fp;
use super::{f32 as s, trans};
use wavejit_isa::HostLevel;

/// 1/sqrt(x). Hosts without an estimate have the exact one.
#[inline]
pub(crate) fn rsq32<M: Fp>(m: M, x: u32) -> u32 {
    of_positive_normal(x).unwrap_or_else(|| trans::rsq32(m, x))
}

/// The same of denormals, too, which are scaled.
#[inline]
pub(crate) fn rsq_denorm32<M: Fp>(m: M, x: u32) -> u32 {
    let scaled = |x: f32| of_positive_normal((x * s::f(s::power(100))).to_bits()).map(|root| (s::f(root) * s::f(s::power(50))).to_bits());
    of_positive_normal(x).or_else(|| scaled(s::f(x)).filter(|_| s::f(x).is_subnormal())).unwrap_or_else(|| trans::rsq_denorm32(m, x))
}

fn of_positive_normal(x: u32) -> Option<u32> {
    let x = s::f(x);
    if x.is_normal() && x > 0.0 { root_of_normal(x).map(f32::to_bits) } else { None }
}

/// y + y e/2 with e = 1 - x y^2, from an estimate y within 2^-14; from one within 1.5 * 2^-12 y + y e (1/2 + 3/8 e).
#[cfg(target_arch = "x86_64")]
fn root_of_normal(x: f32) -> Option<f32> {
    let error = |y: f32| (y * y).mul_add(-x, 1.0);
    match HostLevel::get() {
        HostLevel::Baseline => None,
        HostLevel::Avx2 => {
            // SAFETY: the level has AVX2.
            let y = unsafe { estimate::within_12_bits(x) };
            let e = error(y);
            Some((e * y).mul_add(e.mul_add(0.375, 0.5), y))
        }
        HostLevel::Avx512 => {
            // SAFETY: the level has AVX-512F.
            let y = unsafe { estimate::within_14_bits(x) };
            Some(error(y).mul_add(y * 0.5, y))
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn root_of_normal(_: f32) -> Option<f32> {
    None
}

#[cfg(target_arch = "x86_64")]
mod estimate {
    use std::arch::x86_64::{_mm_cvtss_f32, _mm_rsqrt_ss, _mm_rsqrt14_ss, _mm_set_ss};

    #[target_feature(enable = "avx2")]
    pub(super) fn within_12_bits(x: f32) -> f32 {
        _mm_cvtss_f32(_mm_rsqrt_ss(_mm_set_ss(x)))
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn within_14_bits(x: f32) -> f32 {
        let x = _mm_set_ss(x);
        _mm_cvtss_f32(_mm_rsqrt14_ss(x, x))
    }
}
