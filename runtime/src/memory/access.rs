//! Fallible access to guest memory: the only code that touches it.
//!
//! Every load and store here is one assembly instruction (or a short run of them) with an entry in the table `wavejit_fixups`: the
//! address of the instruction and of the code that reports failure. When it faults, the signal handler ([`super::fault`]) finds the entry
//! and goes on at the second address, which sets a flag. So a wild pointer costs nothing until it is followed, and no Rust frame is
//! skipped. Addresses are host addresses as `u64`; any value is fine.
//!
//! Elsewhere than on x86-64 Linux (see `portable`) the kernel copies for us, slower, with the same signatures.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub(crate) use x86::*;

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub use portable::*;

/// Set by an accessor that faulted; stays set.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Failed(u32);

impl Failed {
    /// Nothing failed so far.
    #[inline(always)]
    pub(crate) const fn no() -> Failed {
        Failed(0)
    }
    /// Did an access since the beginning fail?
    #[inline(always)]
    pub(crate) fn any(self) -> bool {
        self.0 != 0
    }
    /// Notes the result of an access that says whether it went well.
    #[inline(always)]
    pub(crate) fn note(&mut self, ok: bool) {
        self.0 |= u32::from(!ok);
    }
}

/// Copies `bytes` from guest memory at `from`. False if a byte could not be read.
pub(crate) fn read(from: u64, to: &mut [u8]) -> bool {
    // SAFETY: `to` is writable for its length.
    unsafe { copy_in(to.as_mut_ptr(), from, to.len()) }
}

/// Copies `bytes` to guest memory at `to`. False if a byte could not be written; those before it may have been.
pub(crate) fn write(to: u64, from: &[u8]) -> bool {
    // SAFETY: `from` is readable for its length.
    unsafe { copy_out(to, from.as_ptr(), from.len()) }
}

/// Copies within guest memory. False if a byte could not be read or written; those before it may have been.
pub(crate) fn transfer(to: u64, from: u64, len: usize) -> bool {
    const PIECE: usize = 1 << 16;
    if cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        // SAFETY: both sides are guest memory, or unmapped: a fault on either is reported.
        return unsafe { copy_in(to as *mut u8, from, len) };
    }
    let mut piece = vec![0; len.min(PIECE)];
    (0..len).step_by(PIECE).all(|at| {
        let part = &mut piece[..(len - at).min(PIECE)];
        read(from.wrapping_add(at as u64), part) && write(to.wrapping_add(at as u64), part)
    })
}

/// The dword at `from`, if it can be read.
pub(crate) fn read_u32(from: u64) -> Option<u32> {
    let mut bytes = [0; 4];
    read(from, &mut bytes).then(|| u32::from_le_bytes(bytes))
}

/// x86-64 Linux: assembly with a fixup table.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod x86 {
    use super::Failed;
    use std::arch::x86_64::{__m128i, __m512i, _mm_setzero_si128, _mm512_setzero_si512};
    use wavejit_texture::guarded;

    macro_rules! scalar_access {
        ($load:ident, $store:ident, $ty:ty, $load_insn:expr, $store_insn:expr, $class:ident) => {
            /// Loads from the host address `p`; 0 if that faults.
            #[inline(always)]
            pub(crate) fn $load(p: u64, e: &mut Failed) -> $ty {
                let mut v: $ty = 0;
                // SAFETY: the load either succeeds or is resumed at its fixup; it writes a register only.
                unsafe { guarded!($load_insn, e, v = inout($class) v, p = in(reg) p, options(nostack, readonly, preserves_flags),) }
                v
            }
            /// Stores to the host address `p`.
            ///
            /// # Safety
            /// `p` is guest memory, or unmapped.
            #[inline(always)]
            pub(crate) unsafe fn $store(p: u64, v: $ty, e: &mut Failed) {
                // SAFETY: the store either succeeds, in guest memory, or is resumed at its fixup.
                unsafe { guarded!($store_insn, e, v = in($class) v, p = in(reg) p, options(nostack, preserves_flags),) }
            }
        };
    }
    scalar_access!(load8, store8, u8, "mov {v}, byte ptr [{p}]", "mov byte ptr [{p}], {v}", reg_byte);
    scalar_access!(load16, store16, u16, "mov {v:x}, word ptr [{p}]", "mov word ptr [{p}], {v:x}", reg);
    scalar_access!(load32, store32, u32, "mov {v:e}, dword ptr [{p}]", "mov dword ptr [{p}], {v:e}", reg);
    scalar_access!(load64, store64, u64, "mov {v}, qword ptr [{p}]", "mov qword ptr [{p}], {v}", reg);

    macro_rules! rmw {
        ($(#[$doc:meta])* $name:ident, $ty:ty, $insn:expr) => {
            $(#[$doc])*
            ///
            /// # Safety
            /// `p` is guest memory, or unmapped.
            #[inline(always)]
            pub(crate) unsafe fn $name(p: u64, v: $ty, e: &mut Failed) -> $ty {
                let mut v = v;
                // SAFETY: a locked operation on guest memory, or resumed at its fixup.
                unsafe { guarded!($insn, e, v = inout(reg) v, p = in(reg) p, options(nostack),) }
                v
            }
        };
    }
    rmw!(/** Atomic add; the old value. */ fetch_add32, u32, "lock xadd dword ptr [{p}], {v:e}");
    rmw!(/** Atomic add; the old value. */ fetch_add64, u64, "lock xadd qword ptr [{p}], {v}");
    rmw!(/** Atomic exchange; the old value. */ swap32, u32, "xchg dword ptr [{p}], {v:e}");
    rmw!(/** Atomic exchange; the old value. */ swap64, u64, "xchg qword ptr [{p}], {v}");

    macro_rules! cmpxchg {
        ($name:ident, $ty:ty, $insn:expr, $rax:tt) => {
            /// Atomic compare and exchange; the old value, equal to `old` if `new` was stored.
            ///
            /// # Safety
            /// `p` is guest memory, or unmapped.
            #[inline(always)]
            pub(crate) unsafe fn $name(p: u64, old: $ty, new: $ty, e: &mut Failed) -> $ty {
                let mut seen = old;
                // SAFETY: a locked operation on guest memory, or resumed at its fixup.
                unsafe { guarded!($insn, e, new = in(reg) new, p = in(reg) p, inout($rax) seen, options(nostack),) }
                seen
            }
        };
    }
    cmpxchg!(compare_swap32, u32, "lock cmpxchg dword ptr [{p}], {new:e}", "eax");
    cmpxchg!(compare_swap64, u64, "lock cmpxchg qword ptr [{p}], {new}", "rax");

    /// Copies from guest memory; false if a byte could not be read.
    ///
    /// # Safety
    /// `to` is writable for `len` bytes.
    #[inline]
    pub(crate) unsafe fn copy_in(to: *mut u8, from: u64, len: usize) -> bool {
        // SAFETY: passed on.
        unsafe { copy(to as u64, from, len) }
    }

    /// Copies to guest memory; false if a byte could not be written.
    ///
    /// # Safety
    /// `from` is readable for `len` bytes; `to` is guest memory, or unmapped.
    #[inline]
    pub(crate) unsafe fn copy_out(to: u64, from: *const u8, len: usize) -> bool {
        // SAFETY: passed on.
        unsafe { copy(to, from as u64, len) }
    }

    /// In order, and nothing more once something failed.
    #[inline(always)]
    unsafe fn copy(to: u64, from: u64, len: usize) -> bool {
        let mut e = Failed::no();
        let (mut to, mut from, mut left) = (to, from, len);
        if left > 1024 {
            // SAFETY: as the caller promised; where it stops in the middle the fixup reports it.
            unsafe {
                guarded!("rep movsb", e, inout("rdi") to => _, inout("rsi") from => _, inout("rcx") left => _, options(nostack, preserves_flags),)
            }
            return !e.any();
        }
        while left >= 64 {
            // SAFETY: as the caller promised, 64 bytes at a time.
            unsafe { copy64(to, from, &mut e) };
            if e.any() {
                return false;
            }
            (to, from, left) = (to.wrapping_add(64), from.wrapping_add(64), left - 64);
        }
        while left >= 16 {
            // SAFETY: as the caller promised, 16 bytes at a time.
            unsafe { copy16(to, from, &mut e) };
            if e.any() {
                return false;
            }
            (to, from, left) = (to.wrapping_add(16), from.wrapping_add(16), left - 16);
        }
        while left >= 4 {
            let v = load32(from, &mut e);
            if !e.any() {
                // SAFETY: as the caller promised, 4 bytes at a time.
                unsafe { store32(to, v, &mut e) };
            }
            if e.any() {
                return false;
            }
            (to, from, left) = (to.wrapping_add(4), from.wrapping_add(4), left - 4);
        }
        // No element of two bytes is torn.
        if left >= 2 {
            let v = load16(from, &mut e);
            if !e.any() {
                // SAFETY: as the caller promised, 2 bytes.
                unsafe { store16(to, v, &mut e) };
            }
            if e.any() {
                return false;
            }
            (to, from, left) = (to.wrapping_add(2), from.wrapping_add(2), left - 2);
        }
        if left > 0 {
            let v = load8(from, &mut e);
            if !e.any() {
                // SAFETY: as the caller promised, the last byte.
                unsafe { store8(to, v, &mut e) };
            }
        }
        !e.any()
    }

    /// Copies 16 bytes; where a load faults zeros (or nothing) are stored.
    ///
    /// # Safety
    /// `to` is host memory we own, guest memory, or unmapped.
    #[inline(always)]
    pub(crate) unsafe fn copy16(to: u64, from: u64, e: &mut Failed) {
        // SAFETY: SSE2 is part of x86-64.
        let mut v: __m128i = unsafe { _mm_setzero_si128() };
        // SAFETY: loads to a register, stores where the caller allows.
        unsafe {
            guarded!("movdqu {v}, xmmword ptr [{p}]", e, v = inout(xmm_reg) v, p = in(reg) from, options(nostack, readonly, preserves_flags),);
            guarded!("movdqu xmmword ptr [{p}], {v}", e, v = in(xmm_reg) v, p = in(reg) to, options(nostack, preserves_flags),);
        }
    }

    /// Copies 64 bytes, up to the first 16 that cannot be read or written.
    ///
    /// # Safety
    /// As for [`copy16`].
    #[inline(always)]
    unsafe fn copy64(to: u64, from: u64, e: &mut Failed) {
        macro_rules! copy {
            ($($insn:literal),*) => {
                std::arch::asm!(
                    ".pushsection .text.wavejit_fixup, \"ax\", @progbits",
                    "4: mov {e:e}, 1",
                    "jmp 3f",
                    ".popsection",
                    $(
                        concat!("2: movdqu ", $insn),
                        ".pushsection wavejit_fixups, \"aR\", @progbits",
                        ".balign 4",
                        ".long 2b - .",
                        ".long 4b - .",
                        ".popsection",
                    )*
                    "3:",
                    to = in(reg) to,
                    from = in(reg) from,
                    a = out(xmm_reg) _,
                    b = out(xmm_reg) _,
                    e = inout(reg) e.0,
                    options(nostack, preserves_flags),
                )
            };
        }
        // SAFETY: loads to registers, stores where the caller allows; a fault goes on behind all of them.
        unsafe {
            copy!(
                "{a}, xmmword ptr [{from}]",
                "{b}, xmmword ptr [{from} + 16]",
                "xmmword ptr [{to}], {a}",
                "xmmword ptr [{to} + 16], {b}",
                "{a}, xmmword ptr [{from} + 32]",
                "{b}, xmmword ptr [{from} + 48]",
                "xmmword ptr [{to} + 32], {a}",
                "xmmword ptr [{to} + 48], {b}"
            )
        }
    }

    /// Loads 64 bytes; zeros if that faults.
    ///
    /// # Safety
    /// The CPU has AVX-512F.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) unsafe fn load512(p: u64, e: &mut Failed) -> __m512i {
        let mut v = _mm512_setzero_si512();
        // SAFETY: loads to a register, or is resumed at its fixup.
        unsafe {
            guarded!("vmovdqu32 {v}, zmmword ptr [{p}]", e, v = inout(zmm_reg) v, p = in(reg) p, options(nostack, readonly, preserves_flags),)
        }
        v
    }

    /// Stores 64 bytes.
    ///
    /// # Safety
    /// The CPU has AVX-512F; `p` is guest memory, or unmapped.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) unsafe fn store512(p: u64, v: __m512i, e: &mut Failed) {
        // SAFETY: stores where the caller allows.
        unsafe { guarded!("vmovdqu32 zmmword ptr [{p}], {v}", e, v = in(zmm_reg) v, p = in(reg) p, options(nostack, preserves_flags),) }
    }

    /// Loads the bytes of `mask`, zeros for the others, which are not touched.
    ///
    /// # Safety
    /// The CPU has AVX-512BW.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(crate) unsafe fn load512_bytes(p: u64, mask: u64, e: &mut Failed) -> __m512i {
        let mut v = _mm512_setzero_si512();
        // SAFETY: loads to a register, or is resumed at its fixup.
        unsafe {
            guarded!("vmovdqu8 {v} {{{k}}} {{z}}, zmmword ptr [{p}]", e,
                v = inout(zmm_reg) v, p = in(reg) p, k = in(kreg) mask, options(nostack, readonly, preserves_flags),)
        }
        v
    }

    /// Stores the bytes of `mask`; the others are not touched.
    ///
    /// # Safety
    /// The CPU has AVX-512BW; the bytes of the mask at `p` are guest memory, or unmapped.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(crate) unsafe fn store512_bytes(p: u64, v: __m512i, mask: u64, e: &mut Failed) {
        // SAFETY: stores where the caller allows.
        unsafe {
            guarded!("vmovdqu8 zmmword ptr [{p}] {{{k}}}, {v}", e,
                v = in(zmm_reg) v, p = in(reg) p, k = in(kreg) mask, options(nostack, preserves_flags),)
        }
    }

    /// Loads the dwords at `base + index[i]` (signed) for the bits of `mask`; zeros for the others.
    ///
    /// # Safety
    /// The CPU has AVX-512F.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) unsafe fn gather512(base: u64, index: __m512i, mask: u16, e: &mut Failed) -> __m512i {
        let mut v = _mm512_setzero_si512();
        // SAFETY: loads to a register, or is resumed at its fixup.
        unsafe {
            guarded!("vpgatherdd {v} {{{k}}}, [{p} + {i}]", e,
                v = inout(zmm_reg) v, i = in(zmm_reg) index, p = in(reg) base, k = inout(kreg) mask => _, options(nostack, readonly, preserves_flags),)
        }
        v
    }

    unsafe extern "C" {
        #[link_name = "__start_wavejit_fixups"]
        static FIXUPS_START: [[i32; 2]; 0];
        #[link_name = "__stop_wavejit_fixups"]
        static FIXUPS_STOP: [[i32; 2]; 0];
    }

    /// The address to go on at when the instruction at `pc` faulted. For the signal handler: takes no lock and allocates nothing.
    pub(crate) fn fixup(pc: usize) -> Option<usize> {
        // Each field is an offset from its own address.
        let (mut at, stop) = ((&raw const FIXUPS_START) as usize, (&raw const FIXUPS_STOP) as usize);
        while at < stop {
            // SAFETY: the linker puts the table between the two symbols; its entries are two aligned 32-bit words.
            let [insn, fix] = unsafe { *(at as *const [i32; 2]) };
            if at.wrapping_add_signed(insn as isize) == pc {
                return Some((at + 4).wrapping_add_signed(fix as isize));
            }
            at += 8;
        }
        None
    }
}

/// Elsewhere: the kernel copies, and says no where a fault would be.
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod portable {
    use super::Failed;
    use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};

    fn transfer(local: *mut u8, remote: u64, len: usize, write: bool) -> bool {
        let local = libc::iovec { iov_base: local.cast(), iov_len: len };
        let remote = libc::iovec { iov_base: remote as *mut libc::c_void, iov_len: len };
        // SAFETY: the kernel checks the remote range; the caller vouches for the local one.
        let done = unsafe {
            if write {
                libc::process_vm_writev(libc::getpid(), &local, 1, &remote, 1, 0)
            } else {
                libc::process_vm_readv(libc::getpid(), &local, 1, &remote, 1, 0)
            }
        };
        done == len as isize
    }

    /// Copies from guest memory; false if a byte could not be read.
    ///
    /// # Safety
    /// `to` is writable for `len` bytes.
    pub unsafe fn copy_in(to: *mut u8, from: u64, len: usize) -> bool {
        len == 0 || transfer(to, from, len, false)
    }

    /// Copies to guest memory; false if a byte could not be written.
    ///
    /// # Safety
    /// `from` is readable for `len` bytes; `to` is guest memory, or unmapped.
    pub unsafe fn copy_out(to: u64, from: *const u8, len: usize) -> bool {
        len == 0 || transfer(from.cast_mut(), to, len, true)
    }

    macro_rules! scalar_access {
        ($load:ident, $store:ident, $ty:ty) => {
            /// Loads from the host address `p`; 0 if that faults.
            pub fn $load(p: u64, e: &mut Failed) -> $ty {
                let mut b = [0; size_of::<$ty>()];
                e.0 |= u32::from(!transfer(b.as_mut_ptr(), p, b.len(), false));
                <$ty>::from_le_bytes(b)
            }
            /// Stores to the host address `p`.
            ///
            /// # Safety
            /// `p` is guest memory, or unmapped.
            pub unsafe fn $store(p: u64, v: $ty, e: &mut Failed) {
                let mut b = v.to_le_bytes();
                e.0 |= u32::from(!transfer(b.as_mut_ptr(), p, b.len(), true));
            }
        };
    }
    scalar_access!(load8, store8, u8);
    scalar_access!(load16, store16, u16);
    scalar_access!(load32, store32, u32);
    scalar_access!(load64, store64, u64);

    macro_rules! atomics {
        ($atomic:ty, $ty:ty, $load:ident, $store:ident, $add:ident, $swap:ident, $cas:ident) => {
            /// The cell at `p` if it can be read and written.
            fn probe<'a>(p: u64, e: &mut Failed) -> Option<&'a $atomic> {
                let mut probed = Failed::no();
                $load(p, &mut probed);
                e.0 |= probed.0;
                // SAFETY: the callers promise guest memory; the probe found it mapped. A read-only page still faults here.
                (!probed.any()).then(|| unsafe { &*(p as *const $atomic) })
            }
            /// Atomic add; the old value.
            ///
            /// # Safety
            /// `p` is aligned guest memory, or unmapped.
            pub unsafe fn $add(p: u64, v: $ty, e: &mut Failed) -> $ty {
                probe(p, e).map_or(0, |a| a.fetch_add(v, SeqCst))
            }
            /// Atomic exchange; the old value.
            ///
            /// # Safety
            /// `p` is aligned guest memory, or unmapped.
            pub unsafe fn $swap(p: u64, v: $ty, e: &mut Failed) -> $ty {
                probe(p, e).map_or(0, |a| a.swap(v, SeqCst))
            }
            /// Atomic compare and exchange; the old value.
            ///
            /// # Safety
            /// `p` is aligned guest memory, or unmapped.
            pub unsafe fn $cas(p: u64, old: $ty, new: $ty, e: &mut Failed) -> $ty {
                probe(p, e).map_or(0, |a| a.compare_exchange(old, new, SeqCst, SeqCst).unwrap_or_else(|seen| seen))
            }
        };
    }
    mod atomics32 {
        use super::*;
        atomics!(AtomicU32, u32, load32, store32, fetch_add32, swap32, compare_swap32);
    }
    mod atomics64 {
        use super::*;
        atomics!(AtomicU64, u64, load64, store64, fetch_add64, swap64, compare_swap64);
    }
    pub use atomics32::*;
    pub use atomics64::*;

    pub(crate) fn fixup(_pc: usize) -> Option<usize> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wild_access_reports_and_goes_on() {
        super::super::fault::install();
        for p in [0u64, 8, 0xdead_beef_dead_beef, u64::MAX - 2] {
            let mut e = Failed::no();
            assert_eq!(load32(p, &mut e), 0);
            assert!(e.any(), "{p:#x}");
            assert!(!read(p, &mut [0; 100]));
            assert!(!write(p, &[0; 5000]));
            let mut e = Failed::no();
            // SAFETY: nothing is mapped there.
            unsafe { fetch_add32(p, 1, &mut e) };
            assert!(e.any());
        }
    }

    #[test]
    fn copies_are_exact_for_every_length() {
        let from: Vec<u8> = (0..3000u32).map(|i| (i * 7 + i / 256) as u8).collect();
        for len in (0..70).chain([1023, 1024, 1025, 2999]) {
            let mut to = vec![0xee; len + 1];
            assert!(read(from.as_ptr() as u64, &mut to[..len]));
            assert_eq!(to[..len], from[..len]);
            assert_eq!(to[len], 0xee);
        }
    }

    #[test]
    fn locked_operations_return_the_old_value() {
        let mut word = 5u32;
        let p = (&raw mut word) as u64;
        let mut e = Failed::no();
        // SAFETY: `word` is ours.
        unsafe {
            assert_eq!(fetch_add32(p, 3, &mut e), 5);
            assert_eq!(swap32(p, 1, &mut e), 8);
            assert_eq!(compare_swap32(p, 2, 9, &mut e), 1);
            assert_eq!(compare_swap32(p, 1, 9, &mut e), 1);
        }
        assert!(!e.any());
        assert_eq!(word, 9);
    }
}
