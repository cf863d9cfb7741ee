//! f16 sums, products and fma for AVX2 and AVX-512, by hand: the hardware's conversions are much shorter than ours in bits.
//!
//! The arithmetic is that of `eval::f16`, step for step: f32 inside, rounding to odd before the last rounding of fma, NaNs taken from the
//! operands (out of line, since a NaN result shows that one is needed). For the plain mode without FP16_OVFL.

use super::{RowFn, Rows};
use crate::eval::f16::{INF, NAN, QUIET, SIGN};
use crate::{FpMode, PureOp};
use std::arch::x86_64::*;
use wavejit_isa::HostLevel;

const ADD: u8 = 0;
const SUB: u8 = 1;
const MUL: u8 = 2;
const FMA: u8 = 3;

/// The hand-written row function of an operation, where there is one.
pub(super) fn row_fn(op: PureOp, mode: FpMode, level: HostLevel) -> Option<RowFn> {
    if level == HostLevel::Baseline || !mode.is_plain16_64() || mode.fp16_ovfl() {
        return None;
    }
    let wide = level == HostLevel::Avx512;
    macro_rules! both_levels {
        ($($op:ident $OP:ident $PACKED:literal;)*) => {
            match op {
                $(PureOp::$op => Some(if wide { avx512::<$OP, $PACKED> } else { avx2::<$OP, $PACKED> }),)*
                _ => None,
            }
        };
    }
    both_levels! {
        FAdd16 ADD false; FSub16 SUB false; FMul16 MUL false; FFma16 FMA false;
        PkFAdd16 ADD true; PkFMul16 MUL true; PkFFma16 FMA true;
    }
}

/// Operands: only fma has a third; the others get their second one again.
const fn third(op: u8) -> usize {
    if op == FMA { 2 } else { 1 }
}

#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl")]
unsafe extern "C" fn avx512<const OP: u8, const PACKED: bool>(
    rows: *mut u32,
    lanes: u32,
    mode: u32,
    dst: u64,
    src: *const [u16; 8],
) -> u64 {
    // SAFETY: rows and lanes by the contract of `RowFn`; every access is 16 lanes from a multiple of 16 on.
    unsafe {
        let r = Rows { rows, lanes: lanes as usize & 0x60, mode: FpMode(mode as u16), dst, src: &*src };
        let (a, b, c, d) = (r.source(0, 0), r.source(1, 0), r.source(third(OP), 0), r.target(0));
        for lane in (0..r.lanes).step_by(16) {
            let [x, y, z] = [a, b, c].map(|row| _mm512_loadu_si512(row.add(lane).cast()));
            let result = if PACKED {
                let low = words512::<OP>(_mm512_castsi512_si256(x), _mm512_castsi512_si256(y), _mm512_castsi512_si256(z));
                let high =
                    words512::<OP>(_mm512_extracti64x4_epi64::<1>(x), _mm512_extracti64x4_epi64::<1>(y), _mm512_extracti64x4_epi64::<1>(z));
                _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
            } else {
                _mm512_cvtepu16_epi32(words512::<OP>(_mm512_cvtepi32_epi16(x), _mm512_cvtepi32_epi16(y), _mm512_cvtepi32_epi16(z)))
            };
            _mm512_storeu_si512(d.add(lane).cast(), result);
        }
    }
    0
}

/// 16 elements.
#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn words512<const OP: u8>(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    let (x, y) = (_mm512_cvtph_ps(a), _mm512_cvtph_ps(b));
    let v = match OP {
        ADD => _mm512_add_ps(x, y),
        SUB => _mm512_sub_ps(x, y),
        MUL => _mm512_mul_ps(x, y),
        _ => {
            let z = _mm512_cvtph_ps(c);
            let product = _mm512_mul_ps(x, y);
            let sum = _mm512_add_ps(product, z);
            let z_part = _mm512_sub_ps(sum, product);
            let error = _mm512_add_ps(_mm512_sub_ps(product, _mm512_sub_ps(sum, z_part)), _mm512_sub_ps(z, z_part));
            let bits = _mm512_castps_si512(sum);
            let signs = _mm512_xor_si512(bits, _mm512_castps_si512(error));
            let away = _mm512_or_si512(_mm512_srai_epi32::<31>(signs), _mm512_set1_epi32(1));
            let inexact = _mm512_cmp_ps_mask::<_CMP_NEQ_OQ>(error, _mm512_setzero_ps());
            let even = _mm512_testn_epi32_mask(bits, _mm512_set1_epi32(1));
            _mm512_castsi512_ps(_mm512_mask_add_epi32(bits, inexact & even, bits, away))
        }
    };
    let r = _mm512_cvtps_ph::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(v);
    let nan = nans512(r);
    if nan == 0 { r } else { nan_words512::<OP>(r, nan, a, b, c) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn nans512(x: __m256i) -> __mmask16 {
    _mm256_cmpgt_epi16_mask(_mm256_and_si256(x, _mm256_set1_epi16(!SIGN as i16)), _mm256_set1_epi16(INF as i16))
}

/// `r` with the NaNs of the operands in place of its own: the first operand is chosen last.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[cold]
#[inline(never)]
fn nan_words512<const OP: u8>(r: __m256i, nan: __mmask16, a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    let mut r = _mm256_mask_blend_epi16(nan, r, _mm256_set1_epi16(NAN as i16));
    for operand in if OP == FMA { [c, b, a] } else { [b, b, a] } {
        let quieted = _mm256_or_si256(operand, _mm256_set1_epi16(QUIET as i16));
        r = _mm256_mask_blend_epi16(nans512(operand), r, quieted);
    }
    r
}

#[target_feature(enable = "avx2,fma,f16c")]
unsafe extern "C" fn avx2<const OP: u8, const PACKED: bool>(rows: *mut u32, lanes: u32, mode: u32, dst: u64, src: *const [u16; 8]) -> u64 {
    // SAFETY: rows and lanes by the contract of `RowFn`; every access is 8 lanes from a multiple of 8 on.
    unsafe {
        let r = Rows { rows, lanes: lanes as usize & 0x60, mode: FpMode(mode as u16), dst, src: &*src };
        let (a, b, c, d) = (r.source(0, 0), r.source(1, 0), r.source(third(OP), 0), r.target(0));
        for lane in (0..r.lanes).step_by(8) {
            let [x, y, z] = [a, b, c].map(|row| _mm256_loadu_si256(row.add(lane).cast()));
            let result = if PACKED {
                let low = words256::<OP>(_mm256_castsi256_si128(x), _mm256_castsi256_si128(y), _mm256_castsi256_si128(z));
                let high =
                    words256::<OP>(_mm256_extracti128_si256::<1>(x), _mm256_extracti128_si256::<1>(y), _mm256_extracti128_si256::<1>(z));
                _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
            } else {
                _mm256_cvtepu16_epi32(words256::<OP>(low_words(x), low_words(y), low_words(z)))
            };
            _mm256_storeu_si256(d.add(lane).cast(), result);
        }
    }
    0
}

/// The low halves of 8 dwords.
#[target_feature(enable = "avx2")]
#[inline]
fn low_words(x: __m256i) -> __m128i {
    let low = _mm256_and_si256(x, _mm256_set1_epi32(0xffff));
    _mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256::<1>(low))
}

/// 8 elements.
#[target_feature(enable = "avx2,fma,f16c")]
#[inline]
fn words256<const OP: u8>(a: __m128i, b: __m128i, c: __m128i) -> __m128i {
    let (x, y) = (_mm256_cvtph_ps(a), _mm256_cvtph_ps(b));
    let v = match OP {
        ADD => _mm256_add_ps(x, y),
        SUB => _mm256_sub_ps(x, y),
        MUL => _mm256_mul_ps(x, y),
        _ => {
            let z = _mm256_cvtph_ps(c);
            let product = _mm256_mul_ps(x, y);
            let sum = _mm256_add_ps(product, z);
            let z_part = _mm256_sub_ps(sum, product);
            let error = _mm256_add_ps(_mm256_sub_ps(product, _mm256_sub_ps(sum, z_part)), _mm256_sub_ps(z, z_part));
            let bits = _mm256_castps_si256(sum);
            let one = _mm256_set1_epi32(1);
            let signs = _mm256_xor_si256(bits, _mm256_castps_si256(error));
            let away = _mm256_or_si256(_mm256_srai_epi32::<31>(signs), one);
            let inexact = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_NEQ_OQ>(error, _mm256_setzero_ps()));
            let even = _mm256_cmpeq_epi32(_mm256_and_si256(bits, one), _mm256_setzero_si256());
            _mm256_castsi256_ps(_mm256_add_epi32(bits, _mm256_and_si256(away, _mm256_and_si256(inexact, even))))
        }
    };
    let r = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(v);
    let nan = nans256(r);
    if _mm_movemask_epi8(nan) == 0 { r } else { nan_words256::<OP>(r, nan, a, b, c) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn nans256(x: __m128i) -> __m128i {
    _mm_cmpgt_epi16(_mm_and_si128(x, _mm_set1_epi16(!SIGN as i16)), _mm_set1_epi16(INF as i16))
}

/// As [`nan_words512`].
#[target_feature(enable = "avx2")]
#[cold]
#[inline(never)]
fn nan_words256<const OP: u8>(r: __m128i, nan: __m128i, a: __m128i, b: __m128i, c: __m128i) -> __m128i {
    let mut r = _mm_blendv_epi8(r, _mm_set1_epi16(NAN as i16), nan);
    for operand in if OP == FMA { [c, b, a] } else { [b, b, a] } {
        let quieted = _mm_or_si128(operand, _mm_set1_epi16(QUIET as i16));
        r = _mm_blendv_epi8(r, quieted, nans256(operand));
    }
    r
}
