//! The vector operations that the kernels are written with, for AVX-512 (16 lanes) and AVX2 (8 lanes).
//!
//! Kernels are generic functions over [`Simd`], all `inline(always)`, instantiated inside functions that enable the instruction set; that is
//! where the promise "the processor has it" is made, once.

use std::arch::x86_64::*;

/// Vectors of dwords.
///
/// # Safety
/// Every function may be called only where the instruction set of the implementation is available. Those that take pointers say what they
/// touch.
pub trait Simd: Copy + 'static {
    /// Lanes of a vector.
    const LANES: usize;
    /// f32 lanes.
    type F: Copy;
    /// 32-bit integer lanes.
    type I: Copy;
    /// One truth value per lane.
    type M: Copy;

    /// Lanes by bits, lane 0 lowest.
    unsafe fn mask(bits: u32) -> Self::M;
    /// Bits by lane.
    unsafe fn bits(m: Self::M) -> u32;
    unsafe fn both(a: Self::M, b: Self::M) -> Self::M;

    unsafe fn f(x: f32) -> Self::F;
    unsafe fn i(x: i32) -> Self::I;
    /// Reads `LANES` dwords.
    unsafe fn load(p: *const u32) -> Self::I;
    /// Writes the lanes of `m`.
    unsafe fn store(p: *mut u32, m: Self::M, v: Self::I);
    /// Reads a dword at `base + offset` for each lane of `m`; 0 for the others.
    unsafe fn gather(base: *const u8, offset: Self::I, m: Self::M) -> Self::I;

    /// For each lane the entry that the low 4 bits of `i` name.
    unsafe fn lookup(table: &[u32; 16], i: Self::I) -> Self::I;

    unsafe fn as_f(a: Self::I) -> Self::F;
    unsafe fn as_i(a: Self::F) -> Self::I;
    /// To the nearest even integer.
    unsafe fn to_i(a: Self::F) -> Self::I;
    unsafe fn to_f(a: Self::I) -> Self::F;
    /// The f16 in the low half of each lane.
    unsafe fn half(a: Self::I) -> Self::F;

    unsafe fn add_f(a: Self::F, b: Self::F) -> Self::F;
    unsafe fn sub_f(a: Self::F, b: Self::F) -> Self::F;
    unsafe fn mul_f(a: Self::F, b: Self::F) -> Self::F;
    /// a * b + c in one rounding.
    unsafe fn fma(a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// `b` where one is a NaN.
    unsafe fn min_f(a: Self::F, b: Self::F) -> Self::F;
    /// `b` where one is a NaN.
    unsafe fn max_f(a: Self::F, b: Self::F) -> Self::F;
    unsafe fn floor(a: Self::F) -> Self::F;
    /// a < b; false with a NaN.
    unsafe fn lt_f(a: Self::F, b: Self::F) -> Self::M;
    /// Neither is a NaN.
    unsafe fn ordered(a: Self::F, b: Self::F) -> Self::M;
    unsafe fn select_f(m: Self::M, yes: Self::F, no: Self::F) -> Self::F;

    unsafe fn add(a: Self::I, b: Self::I) -> Self::I;
    unsafe fn sub(a: Self::I, b: Self::I) -> Self::I;
    /// Low 32 bits of the product.
    unsafe fn mul(a: Self::I, b: Self::I) -> Self::I;
    unsafe fn and(a: Self::I, b: Self::I) -> Self::I;
    unsafe fn or(a: Self::I, b: Self::I) -> Self::I;
    unsafe fn xor(a: Self::I, b: Self::I) -> Self::I;
    /// By the same number of bits in every lane.
    unsafe fn shl(a: Self::I, n: i32) -> Self::I;
    /// Without sign.
    unsafe fn shr(a: Self::I, n: i32) -> Self::I;
    /// With sign.
    unsafe fn sar(a: Self::I, n: i32) -> Self::I;
    /// By a number of bits (below 32) per lane.
    unsafe fn shr_each(a: Self::I, n: Self::I) -> Self::I;
    unsafe fn min(a: Self::I, b: Self::I) -> Self::I;
    unsafe fn max(a: Self::I, b: Self::I) -> Self::I;
    unsafe fn min_u(a: Self::I, b: Self::I) -> Self::I;
    unsafe fn gt(a: Self::I, b: Self::I) -> Self::M;
    unsafe fn eq(a: Self::I, b: Self::I) -> Self::M;
    unsafe fn select(m: Self::M, yes: Self::I, no: Self::I) -> Self::I;

    /// Lanes as two 16-bit numbers each.
    unsafe fn add16(a: Self::I, b: Self::I) -> Self::I;
    unsafe fn sub16(a: Self::I, b: Self::I) -> Self::I;
    unsafe fn mul16(a: Self::I, b: Self::I) -> Self::I;
    /// Left by 8.
    unsafe fn shl16_8(a: Self::I) -> Self::I;
    /// Sum of the two products of signed 16-bit numbers.
    unsafe fn madd16(a: Self::I, b: Self::I) -> Self::I;

    /// Lane N of each group of four, in all four.
    unsafe fn quad<const N: i32>(a: Self::F) -> Self::F;
}

/// AVX-512 F, BW, DQ and VL, with FMA and F16C.
#[derive(Clone, Copy)]
pub struct Avx512;

/// AVX2 with FMA and F16C.
#[derive(Clone, Copy)]
pub struct Avx2;

/// One function per line: its name, parameters and result, and the expression of intrinsics.
macro_rules! forward {
    ($($name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)? = $body:expr;)*) => {
        $(
            #[inline(always)]
            #[allow(unused_unsafe)] // masks of AVX-512 are plain integers
            unsafe fn $name($($arg: $ty),*) $(-> $ret)? {
                // SAFETY: the caller promises the instruction set and the validity of pointers.
                unsafe { $body }
            }
        )*
    };
}

type F5 = __m512;
type I5 = __m512i;

impl Simd for Avx512 {
    const LANES: usize = 16;
    type F = __m512;
    type I = __m512i;
    type M = __mmask16;
    forward! {
        mask(bits: u32) -> __mmask16 = bits as __mmask16;
        bits(m: __mmask16) -> u32 = u32::from(m);
        both(a: __mmask16, b: __mmask16) -> __mmask16 = a & b;
        f(x: f32) -> F5 = _mm512_set1_ps(x);
        i(x: i32) -> I5 = _mm512_set1_epi32(x);
        load(p: *const u32) -> I5 = _mm512_loadu_si512(p.cast());
        store(p: *mut u32, m: __mmask16, v: I5) = _mm512_mask_storeu_epi32(p.cast(), m, v);
        gather(base: *const u8, offset: I5, m: __mmask16) -> I5 =
            _mm512_mask_i32gather_epi32::<1>(_mm512_setzero_si512(), m, offset, base.cast());
        lookup(table: &[u32; 16], i: I5) -> I5 = _mm512_permutexvar_epi32(i, _mm512_loadu_si512(table.as_ptr().cast()));
        as_f(a: I5) -> F5 = _mm512_castsi512_ps(a);
        as_i(a: F5) -> I5 = _mm512_castps_si512(a);
        to_i(a: F5) -> I5 = _mm512_cvtps_epi32(a);
        to_f(a: I5) -> F5 = _mm512_cvtepi32_ps(a);
        half(a: I5) -> F5 = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(a));
        add_f(a: F5, b: F5) -> F5 = _mm512_add_ps(a, b);
        sub_f(a: F5, b: F5) -> F5 = _mm512_sub_ps(a, b);
        mul_f(a: F5, b: F5) -> F5 = _mm512_mul_ps(a, b);
        fma(a: F5, b: F5, c: F5) -> F5 = _mm512_fmadd_ps(a, b, c);
        min_f(a: F5, b: F5) -> F5 = _mm512_min_ps(a, b);
        max_f(a: F5, b: F5) -> F5 = _mm512_max_ps(a, b);
        floor(a: F5) -> F5 = _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(a);
        lt_f(a: F5, b: F5) -> __mmask16 = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b);
        ordered(a: F5, b: F5) -> __mmask16 = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(a, b);
        select_f(m: __mmask16, yes: F5, no: F5) -> F5 = _mm512_mask_blend_ps(m, no, yes);
        add(a: I5, b: I5) -> I5 = _mm512_add_epi32(a, b);
        sub(a: I5, b: I5) -> I5 = _mm512_sub_epi32(a, b);
        mul(a: I5, b: I5) -> I5 = _mm512_mullo_epi32(a, b);
        and(a: I5, b: I5) -> I5 = _mm512_and_si512(a, b);
        or(a: I5, b: I5) -> I5 = _mm512_or_si512(a, b);
        xor(a: I5, b: I5) -> I5 = _mm512_xor_si512(a, b);
        shl(a: I5, n: i32) -> I5 = _mm512_sll_epi32(a, _mm_cvtsi32_si128(n));
        shr(a: I5, n: i32) -> I5 = _mm512_srl_epi32(a, _mm_cvtsi32_si128(n));
        sar(a: I5, n: i32) -> I5 = _mm512_sra_epi32(a, _mm_cvtsi32_si128(n));
        shr_each(a: I5, n: I5) -> I5 = _mm512_srlv_epi32(a, n);
        min(a: I5, b: I5) -> I5 = _mm512_min_epi32(a, b);
        max(a: I5, b: I5) -> I5 = _mm512_max_epi32(a, b);
        min_u(a: I5, b: I5) -> I5 = _mm512_min_epu32(a, b);
        gt(a: I5, b: I5) -> __mmask16 = _mm512_cmpgt_epi32_mask(a, b);
        eq(a: I5, b: I5) -> __mmask16 = _mm512_cmpeq_epi32_mask(a, b);
        select(m: __mmask16, yes: I5, no: I5) -> I5 = _mm512_mask_blend_epi32(m, no, yes);
        add16(a: I5, b: I5) -> I5 = _mm512_add_epi16(a, b);
        sub16(a: I5, b: I5) -> I5 = _mm512_sub_epi16(a, b);
        mul16(a: I5, b: I5) -> I5 = _mm512_mullo_epi16(a, b);
        shl16_8(a: I5) -> I5 = _mm512_slli_epi16::<8>(a);
        madd16(a: I5, b: I5) -> I5 = _mm512_madd_epi16(a, b);
    }
    #[inline(always)]
    unsafe fn quad<const N: i32>(a: F5) -> F5 {
        // SAFETY: the caller promises the instruction set.
        unsafe {
            match N {
                0 => _mm512_permute_ps::<0b0000_0000>(a),
                1 => _mm512_permute_ps::<0b0101_0101>(a),
                2 => _mm512_permute_ps::<0b1010_1010>(a),
                _ => _mm512_permute_ps::<0b1111_1111>(a),
            }
        }
    }
}

type F2 = __m256;
type I2 = __m256i;

impl Simd for Avx2 {
    const LANES: usize = 8;
    type F = __m256;
    type I = __m256i;
    /// All bits of a lane, or none.
    type M = __m256i;
    forward! {
        mask(bits: u32) -> I2 = {
            let lane = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
            _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(bits as i32), lane), lane)
        };
        bits(m: I2) -> u32 = _mm256_movemask_ps(_mm256_castsi256_ps(m)) as u32;
        both(a: I2, b: I2) -> I2 = _mm256_and_si256(a, b);
        f(x: f32) -> F2 = _mm256_set1_ps(x);
        i(x: i32) -> I2 = _mm256_set1_epi32(x);
        load(p: *const u32) -> I2 = _mm256_loadu_si256(p.cast());
        store(p: *mut u32, m: I2, v: I2) = _mm256_maskstore_epi32(p.cast(), m, v);
        gather(base: *const u8, offset: I2, m: I2) -> I2 =
            _mm256_mask_i32gather_epi32::<1>(_mm256_setzero_si256(), base.cast(), offset, m);
        lookup(table: &[u32; 16], i: I2) -> I2 = {
            let low = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(table.as_ptr().cast()), i);
            let high = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(table.as_ptr().add(8).cast()), i);
            let bit_3 = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(i));
            _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), bit_3))
        };
        as_f(a: I2) -> F2 = _mm256_castsi256_ps(a);
        as_i(a: F2) -> I2 = _mm256_castps_si256(a);
        to_i(a: F2) -> I2 = _mm256_cvtps_epi32(a);
        to_f(a: I2) -> F2 = _mm256_cvtepi32_ps(a);
        half(a: I2) -> F2 = {
            let low = _mm256_and_si256(a, _mm256_set1_epi32(0xffff));
            let packed = _mm256_packus_epi32(low, low); // by 128-bit half
            _mm256_cvtph_ps(_mm256_castsi256_si128(_mm256_permute4x64_epi64::<0b1000>(packed)))
        };
        add_f(a: F2, b: F2) -> F2 = _mm256_add_ps(a, b);
        sub_f(a: F2, b: F2) -> F2 = _mm256_sub_ps(a, b);
        mul_f(a: F2, b: F2) -> F2 = _mm256_mul_ps(a, b);
        fma(a: F2, b: F2, c: F2) -> F2 = _mm256_fmadd_ps(a, b, c);
        min_f(a: F2, b: F2) -> F2 = _mm256_min_ps(a, b);
        max_f(a: F2, b: F2) -> F2 = _mm256_max_ps(a, b);
        floor(a: F2) -> F2 = _mm256_floor_ps(a);
        lt_f(a: F2, b: F2) -> I2 = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b));
        ordered(a: F2, b: F2) -> I2 = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_ORD_Q>(a, b));
        select_f(m: I2, yes: F2, no: F2) -> F2 = _mm256_blendv_ps(no, yes, _mm256_castsi256_ps(m));
        add(a: I2, b: I2) -> I2 = _mm256_add_epi32(a, b);
        sub(a: I2, b: I2) -> I2 = _mm256_sub_epi32(a, b);
        mul(a: I2, b: I2) -> I2 = _mm256_mullo_epi32(a, b);
        and(a: I2, b: I2) -> I2 = _mm256_and_si256(a, b);
        or(a: I2, b: I2) -> I2 = _mm256_or_si256(a, b);
        xor(a: I2, b: I2) -> I2 = _mm256_xor_si256(a, b);
        shl(a: I2, n: i32) -> I2 = _mm256_sll_epi32(a, _mm_cvtsi32_si128(n));
        shr(a: I2, n: i32) -> I2 = _mm256_srl_epi32(a, _mm_cvtsi32_si128(n));
        sar(a: I2, n: i32) -> I2 = _mm256_sra_epi32(a, _mm_cvtsi32_si128(n));
        shr_each(a: I2, n: I2) -> I2 = _mm256_srlv_epi32(a, n);
        min(a: I2, b: I2) -> I2 = _mm256_min_epi32(a, b);
        max(a: I2, b: I2) -> I2 = _mm256_max_epi32(a, b);
        min_u(a: I2, b: I2) -> I2 = _mm256_min_epu32(a, b);
        gt(a: I2, b: I2) -> I2 = _mm256_cmpgt_epi32(a, b);
        eq(a: I2, b: I2) -> I2 = _mm256_cmpeq_epi32(a, b);
        select(m: I2, yes: I2, no: I2) -> I2 = _mm256_blendv_epi8(no, yes, m);
        add16(a: I2, b: I2) -> I2 = _mm256_add_epi16(a, b);
        sub16(a: I2, b: I2) -> I2 = _mm256_sub_epi16(a, b);
        mul16(a: I2, b: I2) -> I2 = _mm256_mullo_epi16(a, b);
        shl16_8(a: I2) -> I2 = _mm256_slli_epi16::<8>(a);
        madd16(a: I2, b: I2) -> I2 = _mm256_madd_epi16(a, b);
    }
    #[inline(always)]
    unsafe fn quad<const N: i32>(a: F2) -> F2 {
        // SAFETY: the caller promises the instruction set.
        unsafe {
            match N {
                0 => _mm256_permute_ps::<0b0000_0000>(a),
                1 => _mm256_permute_ps::<0b0101_0101>(a),
                2 => _mm256_permute_ps::<0b1010_1010>(a),
                _ => _mm256_permute_ps::<0b1111_1111>(a),
            }
        }
    }
}
