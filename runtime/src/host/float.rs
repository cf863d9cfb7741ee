//! The floating-point environment that translation and guest arithmetic count on: round to nearest even, denormals as they are, no traps.
//!
//! A host program may have set another: whatever was linked with `-ffast-math` flushes denormals in all threads that begin after it.

/// Until dropped, this thread computes as IEEE 754 says. The environment it had comes back then.
pub(crate) struct StandardFloat {
    outer: imp::Control,
    /// It belongs to the thread.
    _thread: std::marker::PhantomData<*mut ()>,
}

impl StandardFloat {
    /// Sets the environment.
    pub(crate) fn begin() -> StandardFloat {
        StandardFloat { outer: imp::exchange(imp::STANDARD), _thread: std::marker::PhantomData }
    }
}

impl Drop for StandardFloat {
    fn drop(&mut self) {
        imp::exchange(self.outer);
    }
}

/// From here on [`met_denormals`] tells of this thread.
pub(crate) fn forget_denormals() {
    #[cfg(target_arch = "x86_64")]
    if met_denormals() {
        imp::exchange(imp::get() & !imp::DENORMALS);
    }
}

/// Has this thread computed with denormal numbers since, or to such results? Not every host knows.
pub(crate) fn met_denormals() -> bool {
    #[cfg(target_arch = "x86_64")]
    return imp::get() & imp::DENORMALS != 0;
    #[cfg(not(target_arch = "x86_64"))]
    false
}

#[cfg(target_arch = "x86_64")]
mod imp {
    use std::arch::asm;

    /// Flags of exceptions that came up: a denormal operand, a result that underflows.
    pub(super) const DENORMALS: Control = 1 << 1 | 1 << 4;

    pub(super) type Control = u32;
    /// All exceptions masked, none raised.
    pub(super) const STANDARD: Control = 0x1f80;

    /// MXCSR.
    pub(super) fn get() -> Control {
        let mut now: Control = 0;
        // SAFETY: an access of four bytes.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut now, options(nostack, preserves_flags)) };
        now
    }

    /// Sets MXCSR; what it was.
    pub(super) fn exchange(new: Control) -> Control {
        let old = get();
        if old != new {
            // SAFETY: an access of four bytes; `new` is a value that MXCSR has had, but for flags, or `STANDARD`.
            unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const new, options(nostack, preserves_flags, readonly)) };
        }
        old
    }
}

#[cfg(target_arch = "aarch64")]
mod imp {
    use std::arch::asm;

    pub type Control = u64;
    /// Round to nearest, no flushing, no traps.
    pub const STANDARD: Control = 0;

    /// Sets FPCR; what it was.
    pub fn exchange(new: Control) -> Control {
        let old: Control;
        // SAFETY: `new` is a value that FPCR has had, or `STANDARD`.
        unsafe {
            asm!("mrs {}, fpcr", out(reg) old, options(nomem, nostack, preserves_flags));
            if old != new {
                asm!("msr fpcr, {}", in(reg) new, options(nomem, nostack, preserves_flags));
            }
        }
        old
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod imp {
    pub type Control = ();
    pub const STANDARD: Control = ();

    /// There is nothing to set.
    pub fn exchange((): Control) {}
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn denormals_are_kept_whatever_the_host_has_set() {
        // Flush to zero, denormals are zero, round toward zero.
        let outer = imp::exchange(0x1f80 | 1 << 15 | 1 << 6 | 3 << 13);
        let double = || std::hint::black_box(f32::from_bits(1)) * std::hint::black_box(2.0);
        let flushed = double().to_bits();
        let kept = {
            let _standard = StandardFloat::begin();
            double().to_bits()
        };
        let again = double().to_bits();
        imp::exchange(outer);
        assert_eq!((flushed, kept, again), (0, 2, 0));
    }

    #[test]
    fn denormals_are_noticed() {
        let _standard = StandardFloat::begin();
        let product = |x: f32| std::hint::black_box(std::hint::black_box(x) * std::hint::black_box(0.5));
        forget_denormals();
        product(3.0);
        assert!(!met_denormals());
        product(f32::from_bits(5));
        assert!(met_denormals() && met_denormals());
        forget_denormals();
        product(f32::MIN_POSITIVE * 1.25);
        assert!(!met_denormals(), "the result is exact");
        product(f32::from_bits(0x0080_0001));
        assert!(met_denormals(), "it is not");
        forget_denormals();
        assert!(!met_denormals());
    }
}
