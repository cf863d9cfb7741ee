//! [`Isa`] for AVX-512 (F, BW, VL): 16 lanes an instruction.
//!
//! Rows are written whole: load old, blend, store. A masked store into a row would break store forwarding for the next reader.
//! Guest memory gets masked loads, whose masked-out bytes do not fault.

use super::access::{self, Failed};
use super::lanes::*;
use std::arch::x86_64::*;

/// AVX-512 F + BW + VL: for hosts of `HostLevel::Avx512`.
pub(crate) struct Avx512;

/// Positions 0, 1, 2, ... times 1.
const IOTA: [u32; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Byte offsets of consecutive dwords.
const BYTES: [u32; 16] = [0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60];

/// `table[c][i]` = dword of lane `i`, component `c`, when lanes have `d` dwords each.
const fn lane_major(d: u32) -> [[u32; 16]; 4] {
    let mut t = [[0; 16]; 4];
    let mut c = 0;
    while c < 4 {
        let mut i = 0;
        while i < 16 {
            t[c][i] = i as u32 * d + c as u32;
            i += 1;
        }
        c += 1;
    }
    t
}
const UNPACK2: [[u32; 16]; 4] = lane_major(2);
const UNPACK3: [[u32; 16]; 4] = lane_major(3);
const UNPACK4: [[u32; 16]; 4] = lane_major(4);

/// `table[j][i]` = where dword `16 j + i` of lane-major data comes from: lane + 16 * component (taken modulo 32 by vpermt2d).
const fn row_major(d: u32) -> [[u32; 16]; 4] {
    let mut t = [[0; 16]; 4];
    let mut j = 0;
    while j < 4 {
        let mut i = 0;
        while i < 16 {
            let at = j as u32 * 16 + i as u32;
            t[j][i] = at / d + 16 * (at % d);
            i += 1;
        }
        j += 1;
    }
    t
}
const PACK2: [[u32; 16]; 4] = row_major(2);
const PACK3: [[u32; 16]; 4] = row_major(3);
const PACK4: [[u32; 16]; 4] = row_major(4);

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn table(t: &[u32; 16]) -> __m512i {
    // SAFETY: 64 bytes.
    unsafe { _mm512_loadu_si512(t.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn put(dst: *mut u32, v: __m512i, exec: u16) {
    // SAFETY: the caller's row has 16 dwords there.
    unsafe {
        if exec == 0xffff {
            _mm512_storeu_si512(dst.cast(), v);
        } else {
            let old = _mm512_loadu_si512(dst.cast());
            _mm512_storeu_si512(dst.cast(), _mm512_mask_mov_epi32(old, exec, v));
        }
    }
}

/// Loads up to 64 bytes of guest memory.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn load_bytes(p: u64, len: usize, e: &mut Failed) -> __m512i {
    if len >= 64 {
        // SAFETY: AVX-512 is there.
        unsafe { access::load512(p, e) }
    } else {
        // SAFETY: AVX-512BW is there.
        unsafe { access::load512_bytes(p, (1 << len) - 1, e) }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn gather16(base: u64, row: *const u32, exec: u16, e: &mut Failed) -> __m512i {
    // SAFETY: the row has 16 dwords; AVX-512 is there.
    unsafe {
        let offsets = _mm512_loadu_si512(row.cast());
        if exec == 0xffff {
            // Tiles of 16 lanes: a row of a matrix, or one element of it. Far cheaper than a gather.
            let first = *row;
            let all_first = _mm512_set1_epi32(first as i32);
            if first <= u32::MAX - 60 && _mm512_cmpeq_epi32_mask(offsets, _mm512_add_epi32(all_first, table(&BYTES))) == 0xffff {
                return access::load512(base.wrapping_add(first.into()), e);
            }
            if _mm512_cmpeq_epi32_mask(offsets, all_first) == 0xffff {
                return _mm512_set1_epi32(access::load32(base.wrapping_add(first.into()), e) as i32);
            }
        }
        // The index is signed: move the range.
        let index = _mm512_xor_si512(offsets, _mm512_set1_epi32(i32::MIN));
        access::gather512(base.wrapping_add(1 << 31), index, exec, e)
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn eq_iota<const N: usize>(row: *const u32, first: u32, stride: u32) -> u64 {
    // SAFETY: the row has N dwords.
    unsafe {
        let step = _mm512_set1_epi32(stride.wrapping_mul(16) as i32);
        let mut want =
            _mm512_add_epi32(_mm512_set1_epi32(first as i32), _mm512_mullo_epi32(table(&IOTA), _mm512_set1_epi32(stride as i32)));
        let mut mask = 0;
        for c in 0..N / 16 {
            let v = _mm512_loadu_si512(row.add(16 * c).cast());
            mask |= u64::from(_mm512_cmpeq_epi32_mask(v, want)) << (16 * c);
            want = _mm512_add_epi32(want, step);
        }
        mask
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn min_max<const N: usize>(row: *const u32, exec: u64) -> (u32, u32) {
    // SAFETY: the row has N dwords.
    unsafe {
        let (mut low, mut high) = (_mm512_set1_epi32(-1), _mm512_setzero_si512());
        for c in 0..N / 16 {
            let v = _mm512_loadu_si512(row.add(16 * c).cast());
            let k = (exec >> (16 * c)) as u16;
            low = _mm512_mask_min_epu32(low, k, low, v);
            high = _mm512_mask_max_epu32(high, k, high, v);
        }
        (_mm512_reduce_min_epu32(low), _mm512_reduce_max_epu32(high))
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn lds_offsets<const N: usize>(row: *const u32, add: u32, mask: u32, len: u32, limit: u32, out: *mut u32) -> u64 {
    if limit < len {
        // SAFETY: passed on.
        return unsafe { <Portable as Isa>::lds_offsets::<N>(row, add, mask, len, limit, out) };
    }
    // SAFETY: the rows have N dwords.
    unsafe {
        let (add, mask, last) = (_mm512_set1_epi32(add as i32), _mm512_set1_epi32(mask as i32), _mm512_set1_epi32((limit - len) as i32));
        let mut ok = 0;
        for c in 0..N / 16 {
            let at = _mm512_and_si512(_mm512_add_epi32(_mm512_loadu_si512(row.add(16 * c).cast()), add), mask);
            _mm512_storeu_si512(out.add(16 * c).cast(), at);
            ok |= u64::from(_mm512_cmple_epu32_mask(at, last)) << (16 * c);
        }
        ok
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn broadcast<const N: usize>(value: u32, dst: *mut u32, exec: u64) {
    for c in 0..N / 16 {
        // SAFETY: the row has N dwords.
        unsafe { put(dst.add(16 * c), _mm512_set1_epi32(value as i32), (exec >> (16 * c)) as u16) };
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn unpack<const N: usize, const K: u8>(src: *const u8, dst: &[*mut u32; 4], exec: u64) {
    for c in 0..N / 16 {
        let k = (exec >> (16 * c)) as u16;
        // SAFETY: 16 lanes' bytes of `src`, 16 dwords of each row.
        unsafe {
            let at = src.add(16 * c * bytes(K));
            let row = dst[0].add(16 * c);
            match K {
                U8 => put(row, _mm512_cvtepu8_epi32(_mm_loadu_si128(at.cast())), k),
                I8 => put(row, _mm512_cvtepi8_epi32(_mm_loadu_si128(at.cast())), k),
                U16 => put(row, _mm512_cvtepu16_epi32(_mm256_loadu_si256(at.cast())), k),
                I16 => put(row, _mm512_cvtepi16_epi32(_mm256_loadu_si256(at.cast())), k),
                _ => {
                    let mut v = [_mm512_setzero_si512(); 4];
                    for (i, v) in v.iter_mut().enumerate().take(dwords(K)) {
                        *v = _mm512_loadu_si512(at.add(64 * i).cast());
                    }
                    unpack16::<K>(v, dst, 16 * c, k);
                }
            }
        }
    }
}

/// 16 lanes of `dwords(K)` dwords each, lane-major in `v`, to rows from lane `at` on.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn unpack16<const K: u8>(v: [__m512i; 4], dst: &[*mut u32; 4], at: usize, k: u16) {
    // SAFETY: 16 dwords of each row.
    unsafe {
        let z = |i: usize| v[i];
        let row = |d: usize| dst[d].add(at);
        match K {
            B32 => put(row(0), z(0), k),
            B64 => {
                let (a, b) = (z(0), z(1));
                for (d, t) in UNPACK2.iter().enumerate().take(2) {
                    put(row(d), _mm512_permutex2var_epi32(a, table(t), b), k);
                }
            }
            B96 => {
                // Lanes whose dword is in the third vector: 16 lanes of 3 dwords, from dword 32 on.
                const THIRD: [u16; 3] = [0xf800, 0xf800, 0xfc00];
                let (a, b, c) = (z(0), z(1), z(2));
                for d in 0..3 {
                    let index = table(&UNPACK3[d]);
                    let ab = _mm512_permutex2var_epi32(a, index, b);
                    put(row(d), _mm512_mask_permutexvar_epi32(ab, THIRD[d], index, c), k);
                }
            }
            _ => {
                let (a, b, c, d) = (z(0), z(1), z(2), z(3));
                for (i, t) in UNPACK4.iter().enumerate() {
                    let index = table(t);
                    let low = _mm512_permutex2var_epi32(a, index, b);
                    put(row(i), _mm512_mask_mov_epi32(low, 0xff00, _mm512_permutex2var_epi32(c, index, d)), k);
                }
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn pack<const N: usize, const K: u8>(src: &[*const u32; 4], out: *mut u8) {
    for c in 0..N / 16 {
        // SAFETY: 16 lanes' bytes of `out`, 16 dwords of each row.
        unsafe {
            let at = out.add(16 * c * bytes(K));
            let row = |d: usize| _mm512_loadu_si512(src[d].add(16 * c).cast());
            let z = |i: usize, v: __m512i| _mm512_storeu_si512(at.add(64 * i).cast(), v);
            match K {
                U8 | I8 => _mm_storeu_si128(at.cast(), _mm512_cvtepi32_epi8(row(0))),
                U16 | I16 => _mm256_storeu_si256(at.cast(), _mm512_cvtepi32_epi16(row(0))),
                B32 => z(0, row(0)),
                B64 => {
                    let (a, b) = (row(0), row(1));
                    for (j, t) in PACK2.iter().enumerate().take(2) {
                        z(j, _mm512_permutex2var_epi32(a, table(t), b));
                    }
                }
                B96 => {
                    // Every third dword is component 2.
                    const THIRD: [u16; 3] = [0x4924, 0x2492, 0x9249];
                    let (a, b, c) = (row(0), row(1), row(2));
                    for j in 0..3 {
                        let index = table(&PACK3[j]);
                        let ab = _mm512_permutex2var_epi32(a, index, b);
                        z(j, _mm512_mask_permutexvar_epi32(ab, THIRD[j], index, c));
                    }
                }
                _ => {
                    let (a, b, c, d) = (row(0), row(1), row(2), row(3));
                    for (j, t) in PACK4.iter().enumerate() {
                        let index = table(t);
                        let ab = _mm512_permutex2var_epi32(a, index, b);
                        z(j, _mm512_mask_mov_epi32(ab, 0xcccc, _mm512_permutex2var_epi32(c, index, d)));
                    }
                }
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn copy_in(to: *mut u8, from: u64, len: usize, e: &mut Failed) {
    let mut at = 0;
    while at < len {
        // SAFETY: the buffer has 64 bytes of slack; guest bytes past `len` are not read.
        unsafe { _mm512_storeu_si512(to.add(at).cast(), load_bytes(from.wrapping_add(at as u64), len - at, e)) };
        at += 64;
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn copy_out(to: u64, from: *const u8, len: usize, e: &mut Failed) {
    let mut at = 0;
    while at < len {
        // SAFETY: the buffer has 64 bytes of slack; guest bytes past `len` are not written.
        unsafe {
            let v = _mm512_loadu_si512(from.add(at).cast());
            if len - at >= 64 {
                access::store512(to.wrapping_add(at as u64), v, e);
            } else {
                access::store512_bytes(to.wrapping_add(at as u64), v, (1 << (len - at)) - 1, e);
            }
        }
        if e.any() {
            return;
        }
        at += 64;
    }
}

/// A row, of lanes that `exec` has.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn put_row<const N: usize>(dst: *mut u32, v: &[__m512i; 4], exec: u64) {
    for (c, v) in v.iter().enumerate().take(N / 16) {
        // SAFETY: the row has N dwords.
        unsafe { put(dst.add(16 * c), *v, (exec >> (16 * c)) as u16) };
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn gather_dwords<const N: usize>(base: u64, row: *const u32, exec: u64, dst: *mut u32, e: &mut Failed) {
    // SAFETY: rows have N dwords. All loads come first: `dst` may be `row`.
    unsafe {
        let mut v = [_mm512_setzero_si512(); 4];
        for (c, v) in v.iter_mut().enumerate().take(N / 16) {
            *v = gather16(base, row.add(16 * c), (exec >> (16 * c)) as u16, e);
        }
        if !e.any() {
            put_row::<N>(dst, &v, exec);
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn load_row<const N: usize>(from: u64, dst: *mut u32, exec: u64, e: &mut Failed) {
    // SAFETY: rows have N dwords.
    unsafe {
        let mut v = [_mm512_setzero_si512(); 4];
        for (c, v) in v.iter_mut().enumerate().take(N / 16) {
            *v = access::load512(from.wrapping_add(64 * c as u64), e);
        }
        if !e.any() {
            put_row::<N>(dst, &v, exec);
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn store_row<const N: usize>(to: u64, src: *const u32, exec: u64, e: &mut Failed) {
    for c in 0..N / 16 {
        let (to, k) = (to.wrapping_add(64 * c as u64), (exec >> (16 * c)) as u16);
        // SAFETY: rows have N dwords. Whole vectors are stored, for the sake of store forwarding.
        unsafe {
            let v = _mm512_loadu_si512(src.add(16 * c).cast());
            let v = if k == 0xffff { v } else { _mm512_mask_mov_epi32(access::load512(to, e), k, v) };
            if !e.any() {
                access::store512(to, v, e);
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn load_field<const N: usize, const K: u8>(from: u64, bit: u32, dst: *mut u32, exec: u64, e: &mut Failed) {
    let rest = 32 - 8 * bytes(K) as i32;
    let (up, down) = (_mm_cvtsi32_si128(rest - bit as i32), _mm_cvtsi32_si128(rest));
    // SAFETY: rows have N dwords.
    unsafe {
        let mut v = [_mm512_setzero_si512(); 4];
        for (c, v) in v.iter_mut().enumerate().take(N / 16) {
            *v = access::load512(from.wrapping_add(64 * c as u64), e);
        }
        if !e.any() {
            for (c, v) in v.iter().enumerate().take(N / 16) {
                let top = _mm512_sll_epi32(*v, up);
                let is_signed = matches!(K, I8 | I16);
                let value = if is_signed { _mm512_sra_epi32(top, down) } else { _mm512_srl_epi32(top, down) };
                put(dst.add(16 * c), value, (exec >> (16 * c)) as u16);
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn store_field<const N: usize, const K: u8>(to: u64, bit: u32, src: *const u32, exec: u64, e: &mut Failed) {
    let field = _mm512_set1_epi32(((u32::MAX >> (32 - 8 * bytes(K))) << bit) as i32);
    let up = _mm_cvtsi32_si128(bit as i32);
    for c in 0..N / 16 {
        let (to, k) = (to.wrapping_add(64 * c as u64), (exec >> (16 * c)) as u16);
        // SAFETY: rows have N dwords. Whole vectors are stored, for the sake of store forwarding.
        unsafe {
            let (old, new) = (access::load512(to, e), _mm512_sll_epi32(_mm512_loadu_si512(src.add(16 * c).cast()), up));
            // Bits of the new one where the field is.
            let both = _mm512_ternarylogic_epi32::<0xca>(field, new, old);
            if !e.any() {
                access::store512(to, _mm512_mask_mov_epi32(old, k, both), e);
            }
        }
    }
}

/// Dwords: straight from memory to registers to rows, all loads first (`dst` may hold the addresses).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn load_consecutive<const N: usize, const K: u8>(from: u64, exec: u64, dst: &[*mut u32; 4], e: &mut Failed) {
    let d = dwords(K);
    let mut v = [[_mm512_setzero_si512(); 4]; 4];
    // SAFETY: rows have N dwords; masked-out bytes are not touched.
    unsafe {
        if exec == full(N) {
            for (c, v) in v.iter_mut().enumerate().take(N / 16) {
                for (i, v) in v.iter_mut().enumerate().take(d) {
                    *v = access::load512(from.wrapping_add(64 * (c * d + i) as u64), e);
                }
            }
        } else {
            let (first, end) = (exec.trailing_zeros() as usize, 64 - exec.leading_zeros() as usize);
            let start = from.wrapping_sub((first * bytes(K)) as u64);
            let (low, high) = (first * bytes(K), end * bytes(K));
            for (c, v) in v.iter_mut().enumerate().take(N / 16) {
                for (i, v) in v.iter_mut().enumerate().take(d) {
                    // Bytes low..high of the access lie in this vector at `low - at`..`high - at`.
                    let at = 64 * (c * d + i);
                    let below = |n: usize| if n >= 64 { u64::MAX } else { (1 << n) - 1 };
                    let mask = below(high.saturating_sub(at)) & !below(low.saturating_sub(at));
                    // A masked load of nothing is slow where no page is: 100 ns and more.
                    if mask != 0 {
                        *v = access::load512_bytes(start.wrapping_add(at as u64), mask, e);
                    }
                }
            }
        }
        if !e.any() {
            for (c, v) in v.iter().enumerate().take(N / 16) {
                unpack16::<K>(*v, dst, 16 * c, (exec >> (16 * c)) as u16);
            }
        }
    }
}

impl Isa for Avx512 {
    #[inline(always)]
    unsafe fn load_row<const N: usize>(from: u64, dst: *mut u32, exec: u64, _stage: *mut u8, e: &mut Failed) {
        // SAFETY: passed on.
        unsafe { load_row::<N>(from, dst, exec, e) }
    }
    #[inline(always)]
    unsafe fn store_row<const N: usize>(to: u64, src: *const u32, exec: u64, _stage: *mut u8, e: &mut Failed) {
        // SAFETY: passed on.
        unsafe { store_row::<N>(to, src, exec, e) }
    }
    #[inline(always)]
    unsafe fn load_field<const N: usize, const K: u8>(from: u64, bit: u32, dst: *mut u32, exec: u64, _stage: *mut u8, e: &mut Failed) {
        // SAFETY: passed on.
        unsafe { load_field::<N, K>(from, bit, dst, exec, e) }
    }
    #[inline(always)]
    unsafe fn store_field<const N: usize, const K: u8>(to: u64, bit: u32, src: *const u32, exec: u64, _stage: *mut u8, e: &mut Failed) {
        // SAFETY: passed on.
        unsafe { store_field::<N, K>(to, bit, src, exec, e) }
    }
    #[inline(always)]
    unsafe fn load_consecutive<const N: usize, const K: u8>(from: u64, exec: u64, stage: *mut u8, dst: &[*mut u32; 4], e: &mut Failed) {
        // SAFETY: passed on.
        unsafe {
            if K < B32 {
                let (first, end) = (exec.trailing_zeros() as usize, 64 - exec.leading_zeros() as usize);
                copy_in(stage.add(first * bytes(K)), from, (end - first) * bytes(K), e);
                if !e.any() {
                    unpack::<N, K>(stage, dst, exec);
                }
            } else {
                load_consecutive::<N, K>(from, exec, dst, e);
            }
        }
    }
    #[inline(always)]
    unsafe fn eq_iota<const N: usize>(row: *const u32, first: u32, stride: u32) -> u64 {
        // SAFETY: passed on.
        unsafe { eq_iota::<N>(row, first, stride) }
    }
    #[inline(always)]
    unsafe fn min_max<const N: usize>(row: *const u32, exec: u64) -> (u32, u32) {
        // SAFETY: passed on.
        unsafe { min_max::<N>(row, exec) }
    }
    #[inline(always)]
    unsafe fn lds_offsets<const N: usize>(row: *const u32, add: u32, mask: u32, len: u32, limit: u32, out: *mut u32) -> u64 {
        // SAFETY: passed on.
        unsafe { lds_offsets::<N>(row, add, mask, len, limit, out) }
    }
    #[inline(always)]
    unsafe fn broadcast<const N: usize>(value: u32, dst: *mut u32, exec: u64) {
        // SAFETY: passed on.
        unsafe { broadcast::<N>(value, dst, exec) }
    }
    #[inline(always)]
    unsafe fn unpack<const N: usize, const K: u8>(src: *const u8, dst: &[*mut u32; 4], exec: u64) {
        // SAFETY: passed on.
        unsafe { unpack::<N, K>(src, dst, exec) }
    }
    #[inline(always)]
    unsafe fn pack<const N: usize, const K: u8>(src: &[*const u32; 4], out: *mut u8) {
        // SAFETY: passed on.
        unsafe { pack::<N, K>(src, out) }
    }
    #[inline(always)]
    unsafe fn copy_in(to: *mut u8, from: u64, len: usize, e: &mut Failed) {
        // SAFETY: passed on.
        unsafe { copy_in(to, from, len, e) }
    }
    #[inline(always)]
    unsafe fn copy_out(to: u64, from: *const u8, len: usize, e: &mut Failed) {
        // SAFETY: passed on.
        unsafe { copy_out(to, from, len, e) }
    }
    #[inline(always)]
    unsafe fn gather<const N: usize, const K: u8>(
        base: u64,
        row: *const u32,
        exec: u64,
        stage: *mut u8,
        dst: &[*mut u32; 4],
        e: &mut Failed,
    ) {
        // SAFETY: passed on.
        unsafe {
            match K {
                B32 => gather_dwords::<N>(base, row, exec, dst[0], e),
                _ => <Portable as Isa>::gather::<N, K>(base, row, exec, stage, dst, e),
            }
        }
    }
}
