//! The vector operations that the kernels are written with, for AVX2 (8 lanes) and AVX-512 (16 lanes).
//!
//! Kernels are generic functions over [`Simd`], all `inline(always)`, instantiated inside functions that enable the instruction set; that is
//! where the promise "the processor has it" is made, once. The table below has one row per operation: what it does, its AVX2 form and its
//! AVX-512 form.

#![allow(unsafe_code)] // vector instructions

use crate::CHECKED;
use crate::guarded::{Lost, View};
use std::arch::x86_64::*;

/// AVX2 with FMA and F16C.
#[derive(Clone, Copy)]
pub(crate) struct Avx2;

/// AVX-512 F, BW, DQ and VL, with FMA and F16C.
#[derive(Clone, Copy)]
pub(crate) struct Avx512;

/// Elements of vectors, in memory.
pub(crate) trait Dword: Copy {}
impl Dword for u32 {}
impl Dword for f32 {}

#[inline(always)]
fn verify_row(what: &str, len: usize, lanes: usize) {
    if CHECKED {
        assert!(len >= lanes, "vector {what}: {lanes} lanes of a row of {len}");
    }
}

#[cold]
fn verify_entries(len: usize, index: &[u32], lanes: u32) {
    for (lane, &index) in index.iter().enumerate() {
        assert!(lanes >> lane & 1 == 0 || (index as usize) < len, "vector look-up: lane {lane}: entry {index} of a table of {len}");
    }
}

/// [`Simd::byte_entry`] of AVX-512: permutations take half the time of a gather.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn look_up_256(table: &[f32; 256], i: __m512i) -> __m512i {
    // SAFETY: all of it is in the table.
    unsafe {
        let p = table.as_ptr();
        let mut parts = [_mm512_setzero_si512(); 8];
        for (n, part) in parts.iter_mut().enumerate() {
            let (low, high) = (_mm512_loadu_si512(p.add(32 * n).cast()), _mm512_loadu_si512(p.add(32 * n + 16).cast()));
            *part = _mm512_permutex2var_epi32(low, i, high);
        }
        let bit = |n: i32| _mm512_test_epi32_mask(i, _mm512_set1_epi32(n));
        let (bit5, bit6, bit7) = (bit(32), bit(64), bit(128));
        let [a, b, c, d, e, f, g, h] = parts;
        let (ab, cd) = (_mm512_mask_blend_epi32(bit5, a, b), _mm512_mask_blend_epi32(bit5, c, d));
        let (ef, gh) = (_mm512_mask_blend_epi32(bit5, e, f), _mm512_mask_blend_epi32(bit5, g, h));
        let (low, high) = (_mm512_mask_blend_epi32(bit6, ab, cd), _mm512_mask_blend_epi32(bit6, ef, gh));
        _mm512_mask_blend_epi32(bit7, low, high)
    }
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)? = $narrow:expr, $wide:expr;)*) => {
        /// Vectors of dwords.
        ///
        /// # Safety
        /// Every function may be called only where the instruction set of the implementation is available. Those that take pointers say what
        /// they touch.
        pub(crate) trait Simd: Copy + 'static {
            /// Lanes of a vector.
            const LANES: usize;
            /// f32 lanes.
            type F: Copy;
            /// 32-bit integer lanes.
            type I: Copy;
            /// One truth value per lane.
            type M: Copy;
            $($(#[$doc])* unsafe fn $name($($arg: $ty),*) $(-> $ret)?;)*

            /// The first `LANES` dwords of `from`, which has as many.
            #[inline(always)]
            unsafe fn load(from: &[u32]) -> Self::I {
                verify_row("load", from.len(), Self::LANES);
                // SAFETY: the caller says so, and checked builds have seen it.
                unsafe { Self::load_from(from.as_ptr()) }
            }
            /// Writes the lanes of `m` to the first `LANES` elements of `to`, which has as many.
            #[inline(always)]
            unsafe fn store<T: Dword>(to: &mut [T], m: Self::M, v: Self::I) {
                verify_row("store", to.len(), Self::LANES);
                // SAFETY: the caller says so, and checked builds have seen it.
                unsafe { Self::store_to(to.as_mut_ptr().cast(), m, v) }
            }
            /// Writes all lanes to the first `LANES` elements of `to`, which has as many.
            #[inline(always)]
            unsafe fn store_all(to: &mut [u32], v: Self::I) {
                verify_row("store", to.len(), Self::LANES);
                // SAFETY: the caller says so, and checked builds have seen it.
                unsafe { Self::store_all_to(to.as_mut_ptr(), v) }
            }
            /// The entry of a table of ours that `index` names, for each lane of `m`; 0 for the others. For the lanes of `m`, it has that entry.
            #[inline(always)]
            unsafe fn entry<T: Dword>(table: &[T], index: Self::I, m: Self::M) -> Self::I {
                // SAFETY: `all` has the room of a vector; the entries are there as the caller says, and as checked builds have seen.
                unsafe {
                    if CHECKED {
                        let mut all = [0; 16];
                        Self::store_to(all.as_mut_ptr(), m, index);
                        verify_entries(table.len(), &all, Self::bits(m));
                    }
                    Self::gather_from(table.as_ptr().cast(), Self::shl(index, 2), m)
                }
            }
        }
        impl Simd for Avx2 {
            const LANES: usize = 8;
            type F = __m256;
            type I = __m256i;
            /// All bits of a lane, or none.
            type M = __m256i;
            $(
                #[inline(always)]
                unsafe fn $name($($arg: $ty),*) $(-> $ret)? {
                    // SAFETY: the caller promises the instruction set and the validity of pointers.
                    unsafe { $narrow }
                }
            )*
        }
        impl Simd for Avx512 {
            const LANES: usize = 16;
            type F = __m512;
            type I = __m512i;
            type M = __mmask16;
            $(
                #[inline(always)]
                #[allow(unused_unsafe)] // masks are plain integers
                unsafe fn $name($($arg: $ty),*) $(-> $ret)? {
                    // SAFETY: as above.
                    unsafe { $wide }
                }
            )*
        }
    };
}

#[rustfmt::skip]
operations! {
    /// Lanes by bits, lane 0 lowest.
    mask(bits: u32) -> Self::M = {
        let lane = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
        _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(bits as i32), lane), lane)
    }, bits as __mmask16;
    /// Bits by lane.
    bits(m: Self::M) -> u32 = _mm256_movemask_ps(_mm256_castsi256_ps(m)) as u32, u32::from(m);
    both(a: Self::M, b: Self::M) -> Self::M = _mm256_and_si256(a, b), a & b;
    either(a: Self::M, b: Self::M) -> Self::M = _mm256_or_si256(a, b), a | b;
    /// `a` and not `b`.
    without(a: Self::M, b: Self::M) -> Self::M = _mm256_andnot_si256(b, a), a & !b;

    f(x: f32) -> Self::F = _mm256_set1_ps(x), _mm512_set1_ps(x);
    i(x: i32) -> Self::I = _mm256_set1_epi32(x), _mm512_set1_epi32(x);
    /// Reads `LANES` dwords. For [`Simd::load`].
    load_from(p: *const u32) -> Self::I = _mm256_loadu_si256(p.cast()), _mm512_loadu_si512(p.cast());
    /// Writes the lanes of `m`. For [`Simd::store`].
    store_to(p: *mut u32, m: Self::M, v: Self::I) = _mm256_maskstore_epi32(p.cast(), m, v), _mm512_mask_storeu_epi32(p.cast(), m, v);
    /// Writes `LANES` dwords. For [`Simd::store_all`].
    store_all_to(p: *mut u32, v: Self::I) = _mm256_storeu_si256(p.cast(), v), _mm512_storeu_si512(p.cast(), v);
    /// The dword at `base + offset` for each lane of `m`, 0 for the others. For [`Simd::entry`].
    gather_from(base: *const u8, offset: Self::I, m: Self::M) -> Self::I =
        _mm256_mask_i32gather_epi32::<1>(_mm256_setzero_si256(), base.cast(), offset, m),
        _mm512_mask_i32gather_epi32::<1>(_mm512_setzero_si512(), m, offset, base.cast());
    /// From guest memory: the dword at `offset + disp` of the view for each lane of `m`, 0 for the others.
    gather_guest(view: View, disp: usize, offset: Self::I, m: Self::M, lost: &mut Lost) -> Self::I =
        view.gather8(disp, offset, m, lost), view.gather16(disp, offset, m, lost);
    /// The four dwords at each offset of the view, which has as many.
    quads_guest(view: View, offset: Self::I, m: Self::M, lost: &mut Lost) -> [Self::I; 4] =
        view.quads8(offset, m, lost), view.quads16(offset, m, lost);
    /// To guest memory: the first `count` (1, 2 or 4) of four dwords at each offset of the view, which has as many, for the lanes of `m`, the last one
    /// last; up to the first that cannot be written, of which some may have been.
    scatter_guest(view: View, offset: Self::I, m: u32, dwords: [Self::I; 4], count: usize, lost: &mut Lost) =
        view.scatter8(offset, m, dwords, count, lost), view.scatter16(offset, m, dwords, count, lost);
    /// From guest memory: the dword at one offset for all lanes.
    load_guest(view: View, offset: u64, lost: &mut Lost) -> Self::I = view.broadcast8(offset, lost), view.broadcast16(offset, lost);
    /// For each lane the entry that the low 4 bits of `i` name.
    lookup(table: &[u32; 16], i: Self::I) -> Self::I = {
        let low = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(table.as_ptr().cast()), i);
        let high = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(table.as_ptr().add(8).cast()), i);
        let bit_3 = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(i));
        _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), bit_3))
    }, _mm512_permutexvar_epi32(i, _mm512_loadu_si512(table.as_ptr().cast()));

    /// For each lane the entry that `i`, which is less than 256, names.
    byte_entry(table: &[f32; 256], i: Self::I) -> Self::I =
        _mm256_i32gather_epi32::<4>(table.as_ptr().cast(), i), look_up_256(table, i);

    as_f(a: Self::I) -> Self::F = _mm256_castsi256_ps(a), _mm512_castsi512_ps(a);
    as_i(a: Self::F) -> Self::I = _mm256_castps_si256(a), _mm512_castps_si512(a);
    /// To the nearest even integer.
    to_i(a: Self::F) -> Self::I = _mm256_cvtps_epi32(a), _mm512_cvtps_epi32(a);
    to_f(a: Self::I) -> Self::F = _mm256_cvtepi32_ps(a), _mm512_cvtepi32_ps(a);
    /// The f16 in the low half of each lane.
    half(a: Self::I) -> Self::F = {
        let low = _mm256_and_si256(a, _mm256_set1_epi32(0xffff));
        let packed = _mm256_packus_epi32(low, low); // by 128-bit half
        _mm256_cvtph_ps(_mm256_castsi256_si128(_mm256_permute4x64_epi64::<0b1000>(packed)))
    }, _mm512_cvtph_ps(_mm512_cvtepi32_epi16(a));
    /// To f16 in the low half of each lane, to nearest even.
    to_half(a: Self::F) -> Self::I =
        _mm256_cvtepu16_epi32(_mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(a)),
        _mm512_cvtepu16_epi32(_mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(a));
    /// The same toward zero.
    to_half_down(a: Self::F) -> Self::I =
        _mm256_cvtepu16_epi32(_mm256_cvtps_ph::<_MM_FROUND_TO_ZERO>(a)),
        _mm512_cvtepu16_epi32(_mm512_cvtps_ph::<_MM_FROUND_TO_ZERO>(a));

    add_f(a: Self::F, b: Self::F) -> Self::F = _mm256_add_ps(a, b), _mm512_add_ps(a, b);
    sub_f(a: Self::F, b: Self::F) -> Self::F = _mm256_sub_ps(a, b), _mm512_sub_ps(a, b);
    mul_f(a: Self::F, b: Self::F) -> Self::F = _mm256_mul_ps(a, b), _mm512_mul_ps(a, b);
    div_f(a: Self::F, b: Self::F) -> Self::F = _mm256_div_ps(a, b), _mm512_div_ps(a, b);
    /// a * b + c in one rounding.
    fma(a: Self::F, b: Self::F, c: Self::F) -> Self::F = _mm256_fmadd_ps(a, b, c), _mm512_fmadd_ps(a, b, c);
    sqrt(a: Self::F) -> Self::F = _mm256_sqrt_ps(a), _mm512_sqrt_ps(a);
    /// `b` where one is a NaN.
    min_f(a: Self::F, b: Self::F) -> Self::F = _mm256_min_ps(a, b), _mm512_min_ps(a, b);
    /// `b` where one is a NaN.
    max_f(a: Self::F, b: Self::F) -> Self::F = _mm256_max_ps(a, b), _mm512_max_ps(a, b);
    floor(a: Self::F) -> Self::F = _mm256_floor_ps(a), _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(a);
    ceil(a: Self::F) -> Self::F = _mm256_ceil_ps(a), _mm512_roundscale_ps::<{ _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC }>(a);
    /// a < b; false with a NaN, as the next two.
    lt_f(a: Self::F, b: Self::F) -> Self::M = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b)), _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b);
    le_f(a: Self::F, b: Self::F) -> Self::M = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LE_OQ>(a, b)), _mm512_cmp_ps_mask::<_CMP_LE_OQ>(a, b);
    eq_f(a: Self::F, b: Self::F) -> Self::M = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_EQ_OQ>(a, b)), _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(a, b);
    /// Neither is a NaN.
    ordered(a: Self::F, b: Self::F) -> Self::M = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_ORD_Q>(a, b)), _mm512_cmp_ps_mask::<_CMP_ORD_Q>(a, b);
    select_f(m: Self::M, yes: Self::F, no: Self::F) -> Self::F = _mm256_blendv_ps(no, yes, _mm256_castsi256_ps(m)), _mm512_mask_blend_ps(m, no, yes);

    add(a: Self::I, b: Self::I) -> Self::I = _mm256_add_epi32(a, b), _mm512_add_epi32(a, b);
    sub(a: Self::I, b: Self::I) -> Self::I = _mm256_sub_epi32(a, b), _mm512_sub_epi32(a, b);
    /// Low 32 bits of the product.
    mul(a: Self::I, b: Self::I) -> Self::I = _mm256_mullo_epi32(a, b), _mm512_mullo_epi32(a, b);
    and(a: Self::I, b: Self::I) -> Self::I = _mm256_and_si256(a, b), _mm512_and_si512(a, b);
    or(a: Self::I, b: Self::I) -> Self::I = _mm256_or_si256(a, b), _mm512_or_si512(a, b);
    xor(a: Self::I, b: Self::I) -> Self::I = _mm256_xor_si256(a, b), _mm512_xor_si512(a, b);
    /// By the same number of bits in every lane.
    shl(a: Self::I, n: i32) -> Self::I = _mm256_sll_epi32(a, _mm_cvtsi32_si128(n)), _mm512_sll_epi32(a, _mm_cvtsi32_si128(n));
    /// Without sign.
    shr(a: Self::I, n: i32) -> Self::I = _mm256_srl_epi32(a, _mm_cvtsi32_si128(n)), _mm512_srl_epi32(a, _mm_cvtsi32_si128(n));
    /// With sign.
    sar(a: Self::I, n: i32) -> Self::I = _mm256_sra_epi32(a, _mm_cvtsi32_si128(n)), _mm512_sra_epi32(a, _mm_cvtsi32_si128(n));
    /// By a number of bits (below 32) per lane.
    shr_each(a: Self::I, n: Self::I) -> Self::I = _mm256_srlv_epi32(a, n), _mm512_srlv_epi32(a, n);
    min(a: Self::I, b: Self::I) -> Self::I = _mm256_min_epi32(a, b), _mm512_min_epi32(a, b);
    max(a: Self::I, b: Self::I) -> Self::I = _mm256_max_epi32(a, b), _mm512_max_epi32(a, b);
    min_u(a: Self::I, b: Self::I) -> Self::I = _mm256_min_epu32(a, b), _mm512_min_epu32(a, b);
    gt(a: Self::I, b: Self::I) -> Self::M = _mm256_cmpgt_epi32(a, b), _mm512_cmpgt_epi32_mask(a, b);
    eq(a: Self::I, b: Self::I) -> Self::M = _mm256_cmpeq_epi32(a, b), _mm512_cmpeq_epi32_mask(a, b);
    select(m: Self::M, yes: Self::I, no: Self::I) -> Self::I = _mm256_blendv_epi8(no, yes, m), _mm512_mask_blend_epi32(m, no, yes);

    /// Lanes as two 16-bit numbers each.
    add16(a: Self::I, b: Self::I) -> Self::I = _mm256_add_epi16(a, b), _mm512_add_epi16(a, b);
    sub16(a: Self::I, b: Self::I) -> Self::I = _mm256_sub_epi16(a, b), _mm512_sub_epi16(a, b);
    mul16(a: Self::I, b: Self::I) -> Self::I = _mm256_mullo_epi16(a, b), _mm512_mullo_epi16(a, b);
    /// Left by 8.
    shl16_8(a: Self::I) -> Self::I = _mm256_slli_epi16::<8>(a), _mm512_slli_epi16::<8>(a);
    /// Sum of the two products of signed 16-bit numbers.
    madd16(a: Self::I, b: Self::I) -> Self::I = _mm256_madd_epi16(a, b), _mm512_madd_epi16(a, b);

    /// The first lane of each group of four, in all four.
    quad_here(a: Self::F) -> Self::F = _mm256_permute_ps::<0>(a), _mm512_permute_ps::<0>(a);
    /// The second one.
    quad_right(a: Self::F) -> Self::F = _mm256_permute_ps::<0b0101_0101>(a), _mm512_permute_ps::<0b0101_0101>(a);
    /// The third one.
    quad_below(a: Self::F) -> Self::F = _mm256_permute_ps::<0b1010_1010>(a), _mm512_permute_ps::<0b1010_1010>(a);
}
