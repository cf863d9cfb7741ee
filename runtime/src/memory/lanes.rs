//! What all lanes do at once in a memory access: compare addresses, turn rows into lane-major bytes and back.
//!
//! [`Isa`] has the portable versions as defaults; [`super::avx512`] overrides them. Both must agree bit for bit (tests in `super::tests`).
//! `N` is the wave size, `K` a [`MemKind`] as a number. Rows are pointers to `N` dwords, 64-byte aligned. *Lane-major* bytes hold the
//! elements of lane 0, then those of lane 1, and so on, as memory has them when the lanes' addresses are consecutive.

use super::access::{self, Failed};
use wavejit_ir::MemKind;

/// [`MemKind`]s as numbers, for `K`; `B128` is what remains.
#[allow(missing_docs)]
mod kinds {
    use super::MemKind;
    pub(crate) const U8: u8 = MemKind::U8 as u8;
    pub(crate) const I8: u8 = MemKind::I8 as u8;
    pub(crate) const U16: u8 = MemKind::U16 as u8;
    pub(crate) const I16: u8 = MemKind::I16 as u8;
    pub(crate) const B32: u8 = MemKind::B32 as u8;
    pub(crate) const B64: u8 = MemKind::B64 as u8;
    pub(crate) const B96: u8 = MemKind::B96 as u8;
}
pub(crate) use kinds::*;

/// Bytes in memory of kind `k`.
pub(crate) const fn bytes(k: u8) -> usize {
    [1, 1, 2, 2, 4, 8, 12, 16][k as usize]
}
/// Dwords in registers of kind `k`.
pub(crate) const fn dwords(k: u8) -> usize {
    [1, 1, 1, 1, 1, 2, 3, 4][k as usize]
}
/// EXEC of `n` lanes.
pub(crate) const fn full(n: usize) -> u64 {
    u64::MAX >> (64 - n)
}
pub(crate) use wavejit_texture::wave::LaneIter;

/// Instruction set of the host, as far as memory access is concerned.
///
/// # Safety
/// All functions: rows hold `N` dwords, lane-major buffers hold `N * bytes(K)` bytes (64 more may be read and written), the CPU has what
/// the implementation needs.
#[allow(clippy::missing_safety_doc)] // Said once, above.
pub(crate) trait Isa {
    /// Lanes with `row[lane] == first + lane * stride` (wrapping).
    #[inline(always)]
    unsafe fn eq_iota<const N: usize>(row: *const u32, first: u32, stride: u32) -> u64 {
        let mut mask = 0;
        for lane in 0..N {
            // SAFETY: `lane < N`.
            let v = unsafe { *row.add(lane) };
            mask |= u64::from(v == first.wrapping_add((lane as u32).wrapping_mul(stride))) << lane;
        }
        mask
    }

    /// Least and greatest value of the lanes of `exec`, which has one at least.
    #[inline(always)]
    unsafe fn min_max<const N: usize>(row: *const u32, exec: u64) -> (u32, u32) {
        let (mut low, mut high) = (u32::MAX, 0);
        for lane in LaneIter(exec) {
            // SAFETY: `lane < N`.
            let v = unsafe { *row.add(lane) };
            (low, high) = (low.min(v), high.max(v));
        }
        (low, high)
    }

    /// `out[lane] = (row[lane] + add) & mask`; lanes where `out + len <= limit`.
    #[inline(always)]
    unsafe fn lds_offsets<const N: usize>(row: *const u32, add: u32, mask: u32, len: u32, limit: u32, out: *mut u32) -> u64 {
        let mut ok = 0;
        for lane in 0..N {
            // SAFETY: `lane < N`.
            unsafe {
                let at = (*row.add(lane)).wrapping_add(add) & mask;
                *out.add(lane) = at;
                ok |= u64::from(u64::from(at) + u64::from(len) <= u64::from(limit)) << lane;
            }
        }
        ok
    }

    /// Writes `value` to the lanes of `exec`.
    #[inline(always)]
    unsafe fn broadcast<const N: usize>(value: u32, dst: *mut u32, exec: u64) {
        for lane in 0..N {
            if exec >> lane & 1 != 0 {
                // SAFETY: `lane < N`.
                unsafe { *dst.add(lane) = value };
            }
        }
    }

    /// Lane-major bytes to rows, lanes of `exec` only.
    #[inline(always)]
    unsafe fn unpack<const N: usize, const K: u8>(src: *const u8, dst: &[*mut u32; 4], exec: u64) {
        for lane in 0..N {
            if exec >> lane & 1 == 0 {
                continue;
            }
            // SAFETY: `lane < N`.
            unsafe {
                let at = src.add(lane * bytes(K));
                match K {
                    U8 => *dst[0].add(lane) = u32::from(*at),
                    I8 => *dst[0].add(lane) = i32::from(*at.cast::<i8>()) as u32,
                    U16 => *dst[0].add(lane) = u32::from(at.cast::<u16>().read_unaligned()),
                    I16 => *dst[0].add(lane) = i32::from(at.cast::<i16>().read_unaligned()) as u32,
                    _ => {
                        for (d, row) in dst.iter().enumerate().take(dwords(K)) {
                            *row.add(lane) = at.cast::<u32>().add(d).read_unaligned();
                        }
                    }
                }
            }
        }
    }

    /// Rows to lane-major bytes, all lanes.
    #[inline(always)]
    unsafe fn pack<const N: usize, const K: u8>(src: &[*const u32; 4], out: *mut u8) {
        for lane in 0..N {
            // SAFETY: `lane < N`.
            unsafe {
                let at = out.add(lane * bytes(K));
                match K {
                    U8 | I8 => *at = *src[0].add(lane) as u8,
                    U16 | I16 => at.cast::<u16>().write_unaligned(*src[0].add(lane) as u16),
                    _ => {
                        for (d, row) in src.iter().enumerate().take(dwords(K)) {
                            at.cast::<u32>().add(d).write_unaligned(*row.add(lane));
                        }
                    }
                }
            }
        }
    }

    /// Copies `len` (at most 1024) bytes from guest memory.
    #[inline(always)]
    unsafe fn copy_in(to: *mut u8, from: u64, len: usize, e: &mut Failed) {
        // SAFETY: passed on.
        e.note(unsafe { access::copy_in(to, from, len) });
    }

    /// Copies `len` (at most 1024) bytes to guest memory, in order; nothing more once something failed.
    #[inline(always)]
    unsafe fn copy_out(to: u64, from: *const u8, len: usize, e: &mut Failed) {
        // SAFETY: passed on.
        e.note(unsafe { access::copy_out(to, from, len) });
    }

    /// Loads the lanes of `exec` of the row at `from` into `dst` if nothing failed. All of the row is memory of ours.
    #[inline(always)]
    unsafe fn load_row<const N: usize>(from: u64, dst: *mut u32, exec: u64, stage: *mut u8, e: &mut Failed) {
        // SAFETY: a row has 4 N bytes.
        unsafe {
            Self::copy_in(stage, from, 4 * N, e);
            if !e.any() {
                Self::unpack::<N, B32>(stage, &[dst; 4], exec);
            }
        }
    }

    /// Stores the lanes of `exec` to the row at `to`, all of which is memory of ours that nobody else writes meanwhile.
    #[inline(always)]
    unsafe fn store_row<const N: usize>(to: u64, src: *const u32, exec: u64, stage: *mut u8, e: &mut Failed) {
        // SAFETY: a row has 4 N bytes.
        unsafe {
            if exec == full(N) {
                return Self::copy_out(to, src.cast(), 4 * N, e);
            }
            Self::copy_in(stage, to, 4 * N, e);
            if !e.any() {
                Self::unpack::<N, B32>(src.cast(), &[stage.cast(); 4], exec);
                Self::copy_out(to, stage, 4 * N, e);
            }
        }
    }

    /// Loads elements of less than a dword, which begin at `bit` of each dword of the row at `from`, for the lanes of `exec` into `dst` if nothing
    /// failed. All of the row is memory of ours.
    #[inline(always)]
    unsafe fn load_field<const N: usize, const K: u8>(from: u64, bit: u32, dst: *mut u32, exec: u64, stage: *mut u8, e: &mut Failed) {
        // SAFETY: a row has 4 N bytes.
        unsafe {
            Self::copy_in(stage, from, 4 * N, e);
            if e.any() {
                return;
            }
            for lane in 0..N {
                let field = *stage.cast::<u32>().add(lane) >> bit;
                let value = match K {
                    U8 => u32::from(field as u8),
                    I8 => i32::from(field as i8) as u32,
                    U16 => u32::from(field as u16),
                    _ => i32::from(field as i16) as u32,
                };
                let dst = dst.add(lane);
                *dst = if exec >> lane & 1 != 0 { value } else { *dst };
            }
        }
    }

    /// Stores elements of less than a dword for the lanes of `exec` to where [`Isa::load_field`] finds them.
    #[inline(always)]
    unsafe fn store_field<const N: usize, const K: u8>(to: u64, bit: u32, src: *const u32, exec: u64, stage: *mut u8, e: &mut Failed) {
        let field = (u32::MAX >> (32 - 8 * bytes(K))) << bit;
        // SAFETY: a row has 4 N bytes.
        unsafe {
            Self::copy_in(stage, to, 4 * N, e);
            if e.any() {
                return;
            }
            for lane in 0..N {
                let dword = stage.cast::<u32>().add(lane);
                let mask = if exec >> lane & 1 != 0 { field } else { 0 };
                *dword = *dword & !mask | *src.add(lane) << bit & mask;
            }
            Self::copy_out(to, stage, 4 * N, e);
        }
    }

    /// Loads consecutive elements, the first active lane's at `from`, into `dst` if nothing failed. `exec` has a lane.
    #[inline(always)]
    unsafe fn load_consecutive<const N: usize, const K: u8>(from: u64, exec: u64, stage: *mut u8, dst: &[*mut u32; 4], e: &mut Failed) {
        let (first, end) = (exec.trailing_zeros() as usize, 64 - exec.leading_zeros() as usize);
        // Inactive lanes in between are read too: they lie on pages of the first or the last.
        // SAFETY: `end <= N`.
        unsafe {
            Self::copy_in(stage.add(first * bytes(K)), from, (end - first) * bytes(K), e);
            if !e.any() {
                Self::unpack::<N, K>(stage, dst, exec);
            }
        }
    }

    /// Stores consecutive elements, the first active lane's to `to`. `exec` has a lane. So for `scatter`: if one fails nothing is stored from
    /// its first dword that cannot be on.
    #[inline(always)]
    unsafe fn store_consecutive<const N: usize, const K: u8>(to: u64, exec: u64, stage: *mut u8, src: &[*const u32; 4], e: &mut Failed) {
        // SAFETY: lanes are below N.
        unsafe { Self::pack::<N, K>(src, stage) };
        let first = exec.trailing_zeros() as usize;
        let mut left = exec;
        while left != 0 {
            // A run of active lanes at a time.
            let start = left.trailing_zeros() as usize;
            let run = (!(left >> start)).trailing_zeros() as usize;
            let at = to.wrapping_add(((start - first) * bytes(K)) as u64);
            // SAFETY: the run lies in the stage.
            unsafe { Self::copy_out(at, stage.add(start * bytes(K)), run * bytes(K), e) };
            if e.any() {
                return;
            }
            left = if start + run >= 64 { 0 } else { left >> (start + run) << (start + run) };
        }
    }

    /// Loads the element at `base + row[lane]` for the lanes of `exec`, into `dst` if nothing failed. `stage` is space for lane-major bytes.
    #[inline(always)]
    unsafe fn gather<const N: usize, const K: u8>(
        base: u64,
        row: *const u32,
        exec: u64,
        stage: *mut u8,
        dst: &[*mut u32; 4],
        e: &mut Failed,
    ) {
        if exec == full(N) {
            for lane in 0..N {
                // SAFETY: `lane < N`.
                unsafe { load_element::<K>(stage.add(lane * bytes(K)), base.wrapping_add(u64::from(*row.add(lane))), e) };
            }
        } else {
            for lane in LaneIter(exec) {
                // SAFETY: `lane < N`.
                unsafe { load_element::<K>(stage.add(lane * bytes(K)), base.wrapping_add(u64::from(*row.add(lane))), e) };
            }
        }
        if !e.any() {
            // SAFETY: passed on.
            unsafe { Self::unpack::<N, K>(stage, dst, exec) };
        }
    }

    /// Stores the lane-major elements of `exec` to `base + row[lane]`, lowest lane first.
    #[inline(always)]
    unsafe fn scatter<const N: usize, const K: u8>(base: u64, row: *const u32, exec: u64, stage: *const u8, e: &mut Failed) {
        if exec == full(N) {
            for lane in 0..N {
                // SAFETY: `lane < N`.
                unsafe { store_element::<K>(base.wrapping_add(u64::from(*row.add(lane))), stage.add(lane * bytes(K)), e) };
                if e.any() {
                    return;
                }
            }
        } else {
            for lane in LaneIter(exec) {
                // SAFETY: `lane < N`.
                unsafe { store_element::<K>(base.wrapping_add(u64::from(*row.add(lane))), stage.add(lane * bytes(K)), e) };
                if e.any() {
                    return;
                }
            }
        }
    }
}

/// One element from guest memory to `to`.
///
/// # Safety
/// `to` is writable for `bytes(K)` bytes.
#[inline(always)]
pub(crate) unsafe fn load_element<const K: u8>(to: *mut u8, from: u64, e: &mut Failed) {
    // SAFETY: each arm writes `bytes(K)` bytes.
    unsafe {
        match K {
            U8 | I8 => *to = access::load8(from, e),
            U16 | I16 => to.cast::<u16>().write_unaligned(access::load16(from, e)),
            B32 => to.cast::<u32>().write_unaligned(access::load32(from, e)),
            B64 => to.cast::<u64>().write_unaligned(access::load64(from, e)),
            B96 => {
                to.cast::<u64>().write_unaligned(access::load64(from, e));
                to.add(8).cast::<u32>().write_unaligned(access::load32(from.wrapping_add(8), e));
            }
            _ => {
                to.cast::<u64>().write_unaligned(access::load64(from, e));
                to.add(8).cast::<u64>().write_unaligned(access::load64(from.wrapping_add(8), e));
            }
        }
    }
}

/// One element from `from` to guest memory; nothing more of it once a part failed.
///
/// # Safety
/// `from` is readable for `bytes(K)` bytes; `to` is guest memory, or unmapped.
#[inline(always)]
pub(crate) unsafe fn store_element<const K: u8>(to: u64, from: *const u8, e: &mut Failed) {
    // SAFETY: each arm reads `bytes(K)` bytes.
    unsafe {
        match K {
            U8 | I8 => access::store8(to, *from, e),
            U16 | I16 => access::store16(to, from.cast::<u16>().read_unaligned(), e),
            B32 => access::store32(to, from.cast::<u32>().read_unaligned(), e),
            B64 => access::store64(to, from.cast::<u64>().read_unaligned(), e),
            B96 => {
                access::store64(to, from.cast::<u64>().read_unaligned(), e);
                if !e.any() {
                    access::store32(to.wrapping_add(8), from.add(8).cast::<u32>().read_unaligned(), e);
                }
            }
            _ => {
                access::store64(to, from.cast::<u64>().read_unaligned(), e);
                if !e.any() {
                    access::store64(to.wrapping_add(8), from.add(8).cast::<u64>().read_unaligned(), e);
                }
            }
        }
    }
}

/// Any host.
pub(crate) struct Portable;
impl Isa for Portable {}
