//! Guest memory as vector code touches it: by instructions whose faults leave a mark instead of ending the process.
//!
//! Nobody promises that all of a view ([`crate::Memory::view`]) is mapped: where guest addresses are host addresses, a descriptor may name any
//! of them, and the host may unmap what it had. So each load and store here is one assembly instruction with an entry in the table
//! `wavejit_fixups`: where it is, and where to go on when it faults, each as an offset from its own word. The run time's signal handler looks
//! a fault's pc up there, and what it goes on with sets a flag ([`Lost`]). The lanes are then left to the scalar form, which finds out about lane
//! and address. No frame is skipped, nothing is unwound, and no lock or borrow is in the way.
//!
//! Without such a handler a fault is what it always is, and elsewhere than on x86-64 Linux there are no tables ([`RECOVERS`]): only mapped
//! memory may be lent there.
//!
//! That an access lies in its view is the caller's to know: `Level::all` proves it of images, the test against the last node of ray
//! hierarchies. Checked builds (`CHECKED` in the crate's root) verify every address.

#![allow(unsafe_code)] // guest memory

use crate::CHECKED;
use std::arch::x86_64::*;

/// Are faults recovered from?
pub const RECOVERS: bool = cfg!(target_os = "linux");

/// A range of host addresses lent for one instruction of a wave.
#[derive(Clone, Copy, Debug)]
pub struct View {
    base: *mut u8,
    bytes: u64,
}

/// Was an access lost since the beginning?
#[derive(Clone, Copy, Default, Debug)]
pub struct Lost(u32);

impl Lost {
    /// None so far.
    #[inline(always)]
    pub const fn none() -> Lost {
        Lost(0)
    }
    /// Was there one?
    #[inline(always)]
    pub fn any(self) -> bool {
        self.0 != 0
    }
}

/// Emits an instruction that may fault: label 2. If it does, its operand `e` becomes 1, and what follows (3) runs with registers as they are.
/// The handler of faults finds label 4 in a table of all of them. For the run time's accessors too.
#[doc(hidden)]
#[macro_export]
macro_rules! guarded {
    ($insn:expr, $e:expr, $($operands:tt)*) => {
        std::arch::asm!(
            concat!("2: ", $insn),
            "3:",
            ".pushsection .text.wavejit_fixup, \"ax\", @progbits",
            "4: mov {e:e}, 1",
            "jmp 3b",
            ".popsection",
            ".pushsection wavejit_fixups, \"aR\", @progbits",
            ".balign 4",
            ".long 2b - .",
            ".long 4b - .",
            ".popsection",
            $($operands)*
            e = inout(reg) $e.0,
        )
    };
}

/// Emits stores that may fault, one after the other: for each pair of numbers, of the dword offset at the first from `$at` on and what stands at the
/// second from `$from` on, as `$load` and `$store` say. If one faults, the operand `e` becomes 1, and those behind it are left out.
#[cfg(target_os = "linux")]
macro_rules! stores {
    ($base:expr, $at:expr, $from:expr, $lost:expr, $class:ident, $load:literal, $store:literal, [$($offset:literal $value:literal),*]) => {
        std::arch::asm!(
            ".pushsection .text.wavejit_fixup, \"ax\", @progbits",
            "4: mov {e:e}, 1",
            "jmp 3f",
            ".popsection",
            $(
                concat!("mov {t:e}, dword ptr [{a} + ", $offset, "]"),
                concat!($load, " [{v} + ", $value, "]"),
                concat!("2: ", $store),
                ".pushsection wavejit_fixups, \"aR\", @progbits",
                ".balign 4",
                ".long 2b - .",
                ".long 4b - .",
                ".popsection",
            )*
            "3:",
            b = in(reg) $base,
            a = in(reg) $at,
            v = in(reg) $from,
            t = out(reg) _,
            x = out($class) _,
            e = inout(reg) $lost.0,
            options(nostack, preserves_flags),
        )
    };
}

/// Dwords from the `first` on, as they are in memory.
#[inline(always)]
fn dwords<const BYTES: usize>(all: &[u32], first: usize) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    bytes.as_chunks_mut::<4>().0.iter_mut().zip(&all[first..]).for_each(|(to, dword)| *to = dword.to_ne_bytes());
    bytes
}

impl View {
    /// `bytes` bytes from a host address on.
    pub fn new(base: *mut u8, bytes: u64) -> View {
        View { base, bytes }
    }

    /// Host address of `bytes` bytes at an offset.
    #[inline(always)]
    fn at(self, offset: u64, bytes: u64) -> *mut u8 {
        if CHECKED {
            assert!(offset <= self.bytes && bytes <= self.bytes - offset, "vector access: {bytes} bytes at {offset:#x} of {self:?}");
        }
        self.base.wrapping_add(offset as usize)
    }

    /// The dword at each offset plus `disp`, for the lanes of `m`; 0 for the others.
    ///
    /// # Safety
    /// The processor has AVX2; for the lanes of `m` the dword lies in the view.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub unsafe fn gather8(self, disp: usize, offset: __m256i, m: __m256i, lost: &mut Lost) -> __m256i {
        if CHECKED {
            let mut offsets = [0_u32; 8];
            // SAFETY: eight dwords.
            unsafe { _mm256_storeu_si256(offsets.as_mut_ptr().cast(), offset) };
            self.verify(disp, &offsets, _mm256_movemask_ps(_mm256_castsi256_ps(m)) as u32);
        }
        let base = self.base.wrapping_add(disp);
        #[cfg(target_os = "linux")]
        {
            let mut v = _mm256_setzero_si256();
            // SAFETY: loads to a register, or goes on with the flag set.
            unsafe {
                guarded!("vpgatherdd {v}, [{p} + {i}], {m}", lost,
                    v = inout(ymm_reg) v, m = inout(ymm_reg) m => _, i = in(ymm_reg) offset, p = in(reg) base,
                    options(pure, readonly, nostack, preserves_flags),)
            }
            v
        }
        #[cfg(not(target_os = "linux"))]
        // SAFETY: only mapped memory is lent.
        unsafe {
            let _ = lost;
            _mm256_mask_i32gather_epi32::<1>(_mm256_setzero_si256(), base.cast(), offset, m)
        }
    }

    /// As [`View::gather8`].
    ///
    /// # Safety
    /// The processor has AVX-512F; for the lanes of `m` the dword lies in the view.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub unsafe fn gather16(self, disp: usize, offset: __m512i, m: __mmask16, lost: &mut Lost) -> __m512i {
        if CHECKED {
            let mut offsets = [0_u32; 16];
            // SAFETY: sixteen dwords.
            unsafe { _mm512_storeu_si512(offsets.as_mut_ptr().cast(), offset) };
            self.verify(disp, &offsets, m.into());
        }
        let base = self.base.wrapping_add(disp);
        #[cfg(target_os = "linux")]
        {
            let mut v = _mm512_setzero_si512();
            // SAFETY: loads to a register, or goes on with the flag set.
            unsafe {
                guarded!("vpgatherdd {v} {{{m}}}, [{p} + {i}]", lost,
                    v = inout(zmm_reg) v, m = inout(kreg) m => _, i = in(zmm_reg) offset, p = in(reg) base,
                    options(pure, readonly, nostack, preserves_flags),)
            }
            v
        }
        #[cfg(not(target_os = "linux"))]
        // SAFETY: only mapped memory is lent.
        unsafe {
            let _ = lost;
            _mm512_mask_i32gather_epi32::<1>(_mm512_setzero_si512(), m, offset, base.cast())
        }
    }

    /// The four dwords at each offset, for the lanes of `m`; 0 for the others. Loads and shuffles: a gather takes as long for each dword.
    ///
    /// # Safety
    /// The processor has AVX2; for the lanes of `m` the 16 bytes lie in the view, and so do its first.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub unsafe fn quads8(self, offset: __m256i, m: __m256i, lost: &mut Lost) -> [__m256i; 4] {
        let mut offsets = [0_u32; 8];
        // SAFETY: eight dwords; what is loaded lies in the view.
        unsafe {
            _mm256_storeu_si256(offsets.as_mut_ptr().cast(), _mm256_and_si256(offset, m));
            let mut rows = [_mm256_setzero_ps(); 4];
            for (n, row) in rows.iter_mut().enumerate() {
                let part = |lane: usize, lost: &mut Lost| self.quad(offsets[lane], lost);
                *row = _mm256_set_m128(part(n + 4, lost), part(n, lost));
            }
            let [a, b, c, d] = rows;
            let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
            let (ab_high, cd_high) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
            [
                _mm256_shuffle_ps::<0x44>(ab, cd),
                _mm256_shuffle_ps::<0xee>(ab, cd),
                _mm256_shuffle_ps::<0x44>(ab_high, cd_high),
                _mm256_shuffle_ps::<0xee>(ab_high, cd_high),
            ]
            .map(|v| _mm256_and_si256(_mm256_castps_si256(v), m))
        }
    }

    /// As [`View::quads8`].
    ///
    /// # Safety
    /// The processor has AVX-512F; for the lanes of `m` the 16 bytes lie in the view, and so do its first.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub unsafe fn quads16(self, offset: __m512i, m: __mmask16, lost: &mut Lost) -> [__m512i; 4] {
        let mut offsets = [0_u32; 16];
        // SAFETY: sixteen dwords; what is loaded lies in the view.
        unsafe {
            _mm512_storeu_si512(offsets.as_mut_ptr().cast(), _mm512_maskz_mov_epi32(m, offset));
            let mut rows = [_mm512_setzero_ps(); 4];
            for (n, row) in rows.iter_mut().enumerate() {
                let part = |lane: usize, lost: &mut Lost| self.quad(offsets[lane], lost);
                let v = _mm512_castps128_ps512(part(n, lost));
                let v = _mm512_insertf32x4::<1>(v, part(n + 4, lost));
                let v = _mm512_insertf32x4::<2>(v, part(n + 8, lost));
                *row = _mm512_insertf32x4::<3>(v, part(n + 12, lost));
            }
            let [a, b, c, d] = rows;
            let (ab, cd) = (_mm512_unpacklo_ps(a, b), _mm512_unpacklo_ps(c, d));
            let (ab_high, cd_high) = (_mm512_unpackhi_ps(a, b), _mm512_unpackhi_ps(c, d));
            [
                _mm512_shuffle_ps::<0x44>(ab, cd),
                _mm512_shuffle_ps::<0xee>(ab, cd),
                _mm512_shuffle_ps::<0x44>(ab_high, cd_high),
                _mm512_shuffle_ps::<0xee>(ab_high, cd_high),
            ]
            .map(|v| _mm512_maskz_mov_epi32(m, _mm512_castps_si512(v)))
        }
    }

    /// Writes texels of `count` dwords for some of `offsets`, the last one last, up to the first that is lost. `texels` has them in groups of four lanes, as
    /// unpacking leaves them: texel n of each group stands beside texel n of the others, or, in pairs, texels 0 and 1 beside theirs, then 2 and 3.
    ///
    /// # Safety
    /// For the lanes of `m` what is written lies in the view, and nobody relies on what is there.
    unsafe fn write_some(self, offsets: &[u32], texels: &[u32], m: u32, count: usize, lost: &mut Lost) {
        let lanes = offsets.len();
        for lane in crate::wave::LaneIter(m.into()) {
            let (group, place) = (lane / 4 * 4, lane % 4);
            let at = u64::from(offsets[lane]);
            // SAFETY: passed on.
            unsafe {
                match count {
                    1 => self.write(at, &dwords::<4>(texels, lane), lost),
                    2 => self.write(at, &dwords::<8>(texels, lanes * (place / 2) + group + place % 2 * 2), lost),
                    _ => self.write(at, &dwords::<16>(texels, lanes * place + group), lost),
                }
            }
            if lost.any() {
                return;
            }
        }
    }

    /// Writes the first `count` (1, 2 or 4) of four dwords at each offset, for the lanes of `m`, the last one last; up to the first that is lost, of
    /// which some may have been written.
    ///
    /// # Safety
    /// The processor has AVX2; for the lanes of `m` the dwords lie in the view, and nobody relies on what is there.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub unsafe fn scatter8(self, offset: __m256i, m: u32, dwords: [__m256i; 4], count: usize, lost: &mut Lost) {
        let mut offsets = [0_u32; 8];
        let [a, b, c, d] = dwords;
        // Texels as they are in memory, in the order that `write_some` knows.
        let mut texels = [0_u32; 4 * 8];
        // SAFETY: both have the room; what is written lies in the view.
        unsafe {
            _mm256_storeu_si256(offsets.as_mut_ptr().cast(), offset);
            let p = texels.as_mut_ptr();
            let parts = match count {
                1 => [a; 4],
                2 => [_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b), a, a],
                _ => {
                    let (ab, cd) = (_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d));
                    let (ab_high, cd_high) = (_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d));
                    [
                        _mm256_unpacklo_epi64(ab, cd),
                        _mm256_unpackhi_epi64(ab, cd),
                        _mm256_unpacklo_epi64(ab_high, cd_high),
                        _mm256_unpackhi_epi64(ab_high, cd_high),
                    ]
                }
            };
            for (n, part) in parts.into_iter().enumerate().take(count) {
                _mm256_storeu_si256(p.add(8 * n).cast(), part);
            }
            #[cfg(target_os = "linux")]
            if m == 0xff {
                for &offset in offsets.iter().filter(|_| CHECKED) {
                    let _ = self.at(offset.into(), 4 * count as u64);
                }
                let (at, from) = (offsets.as_ptr(), texels.as_ptr());
                match count {
                    1 => stores!(self.base, at, from, lost, reg, "mov {x:e}, dword ptr", "mov dword ptr [{b} + {t}], {x:e}",
                        [0 0, 4 4, 8 8, 12 12, 16 16, 20 20, 24 24, 28 28]),
                    2 => stores!(self.base, at, from, lost, reg, "mov {x}, qword ptr", "mov qword ptr [{b} + {t}], {x}",
                        [0 0, 4 8, 8 32, 12 40, 16 16, 20 24, 24 48, 28 56]),
                    _ => stores!(self.base, at, from, lost, xmm_reg, "vmovups {x}, xmmword ptr", "vmovups xmmword ptr [{b} + {t}], {x}",
                        [0 0, 4 32, 8 64, 12 96, 16 16, 20 48, 24 80, 28 112]),
                }
                return;
            }
            self.write_some(&offsets, &texels, m, count, lost);
        }
    }

    /// As [`View::scatter8`].
    ///
    /// # Safety
    /// The processor has AVX-512F; for the lanes of `m` the dwords lie in the view, and nobody relies on what is there.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub unsafe fn scatter16(self, offset: __m512i, m: u32, dwords: [__m512i; 4], count: usize, lost: &mut Lost) {
        let mut offsets = [0_u32; 16];
        let [a, b, c, d] = dwords;
        // Texels as they are in memory, in the order that `write_some` knows.
        let mut texels = [0_u32; 4 * 16];
        // SAFETY: both have the room; what is written lies in the view.
        unsafe {
            _mm512_storeu_si512(offsets.as_mut_ptr().cast(), offset);
            let p = texels.as_mut_ptr();
            let parts = match count {
                1 => [a; 4],
                2 => [_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b), a, a],
                _ => {
                    let (ab, cd) = (_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
                    let (ab_high, cd_high) = (_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
                    [
                        _mm512_unpacklo_epi64(ab, cd),
                        _mm512_unpackhi_epi64(ab, cd),
                        _mm512_unpacklo_epi64(ab_high, cd_high),
                        _mm512_unpackhi_epi64(ab_high, cd_high),
                    ]
                }
            };
            for (n, part) in parts.into_iter().enumerate().take(count) {
                _mm512_storeu_si512(p.add(16 * n).cast(), part);
            }
            #[cfg(target_os = "linux")]
            if m == 0xffff {
                for &offset in offsets.iter().filter(|_| CHECKED) {
                    let _ = self.at(offset.into(), 4 * count as u64);
                }
                let (at, from) = (offsets.as_ptr(), texels.as_ptr());
                match count {
                    1 => stores!(self.base, at, from, lost, reg, "mov {x:e}, dword ptr", "mov dword ptr [{b} + {t}], {x:e}",
                        [0 0, 4 4, 8 8, 12 12, 16 16, 20 20, 24 24, 28 28, 32 32, 36 36, 40 40, 44 44, 48 48, 52 52, 56 56, 60 60]),
                    2 => stores!(self.base, at, from, lost, reg, "mov {x}, qword ptr", "mov qword ptr [{b} + {t}], {x}",
                        [0 0, 4 8, 8 64, 12 72, 16 16, 20 24, 24 80, 28 88, 32 32, 36 40, 40 96, 44 104, 48 48, 52 56, 56 112, 60 120]),
                    _ => stores!(self.base, at, from, lost, xmm_reg, "vmovups {x}, xmmword ptr", "vmovups xmmword ptr [{b} + {t}], {x}",
                        [0 0, 4 64, 8 128, 12 192, 16 16, 20 80, 24 144, 28 208, 32 32, 36 96, 40 160, 44 224, 48 48, 52 112, 56 176, 60 240]),
                }
                return;
            }
            self.write_some(&offsets, &texels, m, count, lost);
        }
    }

    /// 16 bytes at an offset; 0 if they are lost.
    ///
    /// # Safety
    /// They lie in the view.
    #[inline]
    #[target_feature(enable = "avx")]
    unsafe fn quad(self, offset: u32, lost: &mut Lost) -> __m128 {
        let p = self.at(offset.into(), 16);
        #[cfg(target_os = "linux")]
        {
            let mut v = _mm_setzero_ps();
            // SAFETY: loads to a register, or goes on with the flag set.
            unsafe {
                guarded!("vmovups {v}, xmmword ptr [{p}]", lost,
                    v = inout(xmm_reg) v, p = in(reg) p, options(pure, readonly, nostack, preserves_flags),)
            }
            v
        }
        #[cfg(not(target_os = "linux"))]
        // SAFETY: only mapped memory is lent.
        unsafe {
            let _ = lost;
            _mm_loadu_ps(p.cast())
        }
    }

    #[cold]
    fn verify(self, disp: usize, offsets: &[u32], lanes: u32) {
        for (lane, &offset) in offsets.iter().enumerate() {
            // Offsets are signed, and images shorter than 2 GiB.
            let inside = offset as i32 >= 0 && u64::from(offset) + disp as u64 + 4 <= self.bytes;
            assert!(lanes >> lane & 1 == 0 || inside, "vector gather: lane {lane}: a dword at {offset:#x} + {disp} of {self:?}");
        }
    }

    /// The dword at an offset, in all lanes; 0 if it is lost.
    ///
    /// # Safety
    /// The processor has AVX2; the dword lies in the view.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub unsafe fn broadcast8(self, offset: u64, lost: &mut Lost) -> __m256i {
        let p = self.at(offset, 4);
        #[cfg(target_os = "linux")]
        {
            let mut v = _mm256_setzero_si256();
            // SAFETY: loads to a register, or goes on with the flag set.
            unsafe {
                guarded!("vbroadcastss {v}, dword ptr [{p}]", lost,
                    v = inout(ymm_reg) v, p = in(reg) p, options(pure, readonly, nostack, preserves_flags),)
            }
            v
        }
        #[cfg(not(target_os = "linux"))]
        // SAFETY: only mapped memory is lent.
        unsafe {
            let _ = lost;
            _mm256_set1_epi32(p.cast::<i32>().read_unaligned())
        }
    }

    /// As [`View::broadcast8`].
    ///
    /// # Safety
    /// The processor has AVX-512F; the dword lies in the view.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub unsafe fn broadcast16(self, offset: u64, lost: &mut Lost) -> __m512i {
        let p = self.at(offset, 4);
        #[cfg(target_os = "linux")]
        {
            let mut v = _mm512_setzero_si512();
            // SAFETY: loads to a register, or goes on with the flag set.
            unsafe {
                guarded!("vbroadcastss {v}, dword ptr [{p}]", lost,
                    v = inout(zmm_reg) v, p = in(reg) p, options(pure, readonly, nostack, preserves_flags),)
            }
            v
        }
        #[cfg(not(target_os = "linux"))]
        // SAFETY: only mapped memory is lent.
        unsafe {
            let _ = lost;
            _mm512_set1_epi32(p.cast::<i32>().read_unaligned())
        }
    }

    /// 8 or 16 bytes at an offset, as a number; 0 if they are lost.
    ///
    /// # Safety
    /// They lie in the view.
    #[inline(always)]
    pub unsafe fn block(self, offset: u64, bytes: usize, lost: &mut Lost) -> u128 {
        let p = self.at(offset, bytes as u64);
        // SAFETY: SSE2 is part of x86-64.
        let mut v = unsafe { _mm_setzero_si128() };
        // SAFETY: loads to a register, or goes on with the flag set.
        #[cfg(target_os = "linux")]
        unsafe {
            if bytes == 8 {
                guarded!("movq {v}, qword ptr [{p}]", lost,
                    v = inout(xmm_reg) v, p = in(reg) p, options(pure, readonly, nostack, preserves_flags),)
            } else {
                guarded!("movdqu {v}, xmmword ptr [{p}]", lost,
                    v = inout(xmm_reg) v, p = in(reg) p, options(pure, readonly, nostack, preserves_flags),)
            }
        }
        // SAFETY: only mapped memory is lent.
        #[cfg(not(target_os = "linux"))]
        unsafe {
            let _ = lost;
            v = if bytes == 8 { _mm_loadl_epi64(p.cast()) } else { _mm_loadu_si128(p.cast()) };
        }
        // SAFETY: both are 16 bytes, of which any bits are a number.
        u128::from_le_bytes(unsafe { std::mem::transmute::<__m128i, [u8; 16]>(v) })
    }

    /// Writes 1, 2, 4, 8, 12 or 16 bytes to an offset. Of those that are lost the first may have been written.
    ///
    /// # Safety
    /// They lie in the view, and nobody relies on what is there.
    #[inline(always)]
    pub unsafe fn write<const N: usize>(self, offset: u64, bytes: &[u8; N], lost: &mut Lost) {
        let p = self.at(offset, N as u64);
        #[cfg(target_os = "linux")]
        {
            macro_rules! store {
                ($insn:expr, $from:expr, $class:ident, $v:expr) => {{
                    let v = $v;
                    // SAFETY: stores to the view, as the caller says, or goes on with the flag set.
                    unsafe {
                        guarded!($insn, lost, v = in($class) v, p = in(reg) p.wrapping_add($from), options(nostack, preserves_flags),)
                    }
                }};
            }
            let part = |from: usize, len: usize| bytes[from..from + len].iter().rev().fold(0_u64, |v, b| v << 8 | u64::from(*b));
            match N {
                1 => store!("mov byte ptr [{p}], {v}", 0, reg_byte, bytes[0]),
                2 => store!("mov word ptr [{p}], {v:x}", 0, reg, part(0, 2) as u16),
                4 => store!("mov dword ptr [{p}], {v:e}", 0, reg, part(0, 4) as u32),
                8 => store!("mov qword ptr [{p}], {v}", 0, reg, part(0, 8)),
                12 => {
                    store!("mov qword ptr [{p}], {v}", 0, reg, part(0, 8));
                    store!("mov dword ptr [{p}], {v:e}", 8, reg, part(8, 4) as u32);
                }
                // SAFETY: the bytes are 16.
                _ => store!("movdqu xmmword ptr [{p}], {v}", 0, xmm_reg, unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }),
            }
        }
        // SAFETY: only mapped memory is lent.
        #[cfg(not(target_os = "linux"))]
        unsafe {
            let _ = lost;
            p.cast::<[u8; N]>().write_unaligned(*bytes)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavejit_isa::HostLevel;

    fn bytes() -> Vec<u8> {
        (0..64).collect()
    }

    #[test]
    fn what_is_mapped_is_read_and_written_as_it_is() {
        let mut memory = bytes();
        let view = View::new(memory.as_mut_ptr(), 64);
        let mut lost = Lost::none();
        let e = &mut lost;
        // SAFETY: all of these lie in the view.
        unsafe {
            assert_eq!(view.block(56, 8, e), 0x3f3e_3d3c_3b3a_3938);
            assert_eq!(view.block(1, 16, e), 0x100f_0e0d_0c0b_0a09_0807_0605_0403_0201);
            view.write(0, &[0xa0], e);
            view.write(1, &[0xa1; 2], e);
            view.write(4, &[0xa2; 4], e);
            view.write(8, &[0xa3; 8], e);
            view.write(17, &[0xa4; 12], e);
            view.write(48, &[0xa5; 16], e);
        }
        assert!(!lost.any());
        let mut want = bytes();
        for (at, len, value) in [(0, 1, 0xa0), (1, 2, 0xa1), (4, 4, 0xa2), (8, 8, 0xa3), (17, 12, 0xa4), (48, 16, 0xa5)] {
            want[at..at + len].fill(value);
        }
        assert_eq!(memory, want);
    }

    #[test]
    fn gathers_read_the_lanes_of_their_mask() {
        let mut memory = bytes();
        let view = View::new(memory.as_mut_ptr(), 64);
        let want = |lane: usize| if 0x8c >> lane & 1 != 0 { u32::from_le_bytes([0, 1, 2, 3].map(|n| (3 * lane + 2 + n) as u8)) } else { 0 };
        // SAFETY: run where the processor has the instructions; the dwords of all lanes of the mask lie in the view.
        unsafe {
            if HostLevel::host() >= HostLevel::Avx2 {
                assert_eq!(narrow(view), std::array::from_fn(want));
            }
            if HostLevel::host() == HostLevel::Avx512 {
                assert_eq!(wide(view)[..8], std::array::from_fn::<u32, 8, _>(want));
            }
        }
    }

    #[target_feature(enable = "avx2")]
    unsafe fn narrow(view: View) -> [u32; 8] {
        let mut out = [0; 8];
        // SAFETY: as the test says.
        unsafe {
            let m = _mm256_cmpgt_epi32(_mm256_set_epi32(1, 0, 0, 0, 1, 1, 0, 0), _mm256_setzero_si256());
            let mut lost = Lost::none();
            let v = view.gather8(2, _mm256_set_epi32(21, 99, -9, 88, 9, 6, 99, 99), m, &mut lost);
            _mm256_storeu_si256(out.as_mut_ptr().cast(), view.broadcast8(5, &mut lost));
            assert_eq!(out, [0x0807_0605; 8]);
            assert!(!lost.any());
            _mm256_storeu_si256(out.as_mut_ptr().cast(), v);
        }
        out
    }

    #[target_feature(enable = "avx512f")]
    unsafe fn wide(view: View) -> [u32; 16] {
        let mut out = [0; 16];
        // SAFETY: as the test says.
        unsafe {
            let offsets = _mm512_set_epi32(-1, 64, 64, 64, 64, 64, 64, 64, 21, 99, -9, 88, 9, 6, 99, 99);
            let mut lost = Lost::none();
            let v = view.gather16(2, offsets, 0x8c, &mut lost);
            _mm512_storeu_si512(out.as_mut_ptr().cast(), view.broadcast16(5, &mut lost));
            assert_eq!(out, [0x0807_0605; 16]);
            assert!(!lost.any());
            _mm512_storeu_si512(out.as_mut_ptr().cast(), v);
        }
        out
    }

    #[test]
    #[cfg(any(debug_assertions, feature = "checked"))]
    #[should_panic(expected = "8 bytes at 0x39")]
    fn checked_builds_find_what_lies_outside() {
        let mut memory = bytes();
        // SAFETY: it does not lie in the view, which is found before it is touched.
        unsafe { View::new(memory.as_mut_ptr(), 64).block(57, 8, &mut Lost::none()) };
    }
}
