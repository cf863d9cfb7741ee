//! What the host offers beyond the least this back end needs.

use super::level::Level;
use std::sync::LazyLock;
use wavejit_isa::HostLevel;

/// What was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Host {
    /// VPOPCNTD.
    pub popcnt: bool,
    /// Double shifts.
    pub vbmi2: bool,
    /// Dot products of bytes.
    pub vnni: bool,
    /// Gather instructions are faster than the loads that they are made of.
    pub gathers: bool,
    /// Which forms of fused multiply-add give the guest's NaN.
    pub fma: Fma,
}

/// Forms of a * b + c whose NaN result is the first NaN of a, b, c.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Fma {
    /// `vfmadd132 a, c, b`
    pub into_a: bool,
    /// `vfmadd213 a, b, c`
    pub into_a_213: bool,
    /// `vfmadd213 b, a, c`
    pub into_b: bool,
    /// `vfmadd231 c, a, b`
    pub into_c: bool,
    /// `vfmadd231 c, b, a`
    pub into_c_swapped: bool,
}

impl Fma {
    /// Is there a form at all?
    pub(super) fn any(self) -> bool {
        self != Fma::default()
    }
}

impl Host {
    fn get() -> Host {
        static HOST: LazyLock<Host> = LazyLock::new(find);
        *HOST
    }

    /// What code of this level may use; `gathers` if somebody says so.
    pub(super) fn at(level: Level, gathers: Option<bool>) -> Host {
        let host = Host { gathers: gathers.unwrap_or(Host::get().gathers), ..Host::get() };
        match level {
            Level::Avx512 => host,
            // Counts of bits are made of what AVX2 has.
            Level::Avx2 => Host { popcnt: true, vbmi2: false, vnni: false, ..host },
        }
    }
}

/// All that code depends on of the host, for code that is saved.
pub(crate) fn key() -> (HostLevel, Host) {
    (HostLevel::get(), Host::get())
}

/// Can this host run what the back end makes for a level?
pub(crate) fn is_available(level: HostLevel) -> bool {
    level >= HostLevel::Avx2 && HostLevel::host() >= level && Host::get().fma.any()
}

#[cfg(not(target_arch = "x86_64"))]
fn find() -> Host {
    Host { popcnt: false, vbmi2: false, vnni: false, gathers: false, fma: Fma::default() }
}

#[cfg(target_arch = "x86_64")]
fn find() -> Host {
    use std::arch::is_x86_feature_detected as has;
    let fma = if has!("fma") && has!("avx") { fma() } else { Fma::default() };
    Host { popcnt: has!("avx512vpopcntdq"), vbmi2: has!("avx512vbmi2"), vnni: has!("avx512vnni"), gathers: has_fast_gathers(), fma }
}

/// Intel's processors from Sapphire Rapids on (those with arithmetic on f16): a third to a half less than lane by lane. Older ones have been slowed down by what they do
/// against leaks, AMD's take twice as long.
#[cfg(target_arch = "x86_64")]
fn has_fast_gathers() -> bool {
    use std::arch::x86_64::__cpuid_count;
    const F16: u32 = 1 << 23;
    is_intel() && __cpuid_count(0, 0).eax >= 7 && __cpuid_count(7, 0).edx & F16 != 0
}

#[cfg(target_arch = "x86_64")]
fn is_intel() -> bool {
    let vendor = std::arch::x86_64::__cpuid_count(0, 0);
    [vendor.ebx, vendor.edx, vendor.ecx] == [*b"Genu", *b"ineI", *b"ntel"].map(u32::from_le_bytes)
}

#[cfg(not(target_arch = "x86_64"))]
fn is_intel() -> bool {
    false
}

/// Do products with denormal operands or results take a hundred times as long as others? Intel's processors interrupt themselves for each. (Found once: a virtual
/// machine takes 10 us for the question.)
pub(crate) fn has_slow_denormals() -> bool {
    static IS_INTEL: LazyLock<bool> = LazyLock::new(is_intel);
    *IS_INTEL
}

/// Asks the processor, since manuals and processors do not agree on it.
#[cfg(target_arch = "x86_64")]
fn fma() -> Fma {
    use std::arch::x86_64::*;
    macro_rules! form {
        ($name:ident, $text:literal) => {
            #[target_feature(enable = "fma,avx")]
            fn $name(x: u32, y: u32, z: u32) -> u32 {
                let [mut x, y, z] = [x, y, z].map(|v| _mm_castsi128_ps(_mm_set1_epi32(v as i32)));
                // SAFETY: the features are enabled; registers only.
                unsafe {
                    std::arch::asm!($text, inout(xmm_reg) x, in(xmm_reg) y, in(xmm_reg) z, options(pure, nomem, nostack));
                }
                _mm_cvtsi128_si32(_mm_castps_si128(x)) as u32
            }
        };
    }
    form!(f132, "vfmadd132ps {0}, {1}, {2}");
    form!(f213, "vfmadd213ps {0}, {1}, {2}");
    form!(f231, "vfmadd231ps {0}, {1}, {2}");
    const NANS: [u32; 3] = [0x7fc0_0001, 0x7fc0_0002, 0x7fc0_0003];
    let right = |f: &dyn Fn([u32; 3]) -> u32| {
        (1..8).all(|set| {
            let x: [u32; 3] = std::array::from_fn(|i| if set >> i & 1 != 0 { NANS[i] } else { 0x3f80_0000 });
            f(x) == *x.iter().find(|v| NANS.contains(v)).expect("the set is not empty")
        })
    };
    // SAFETY: the features were detected.
    unsafe {
        Fma {
            into_a: right(&|[a, b, c]| f132(a, c, b)),
            into_a_213: right(&|[a, b, c]| f213(a, b, c)),
            into_b: right(&|[a, b, c]| f213(b, a, c)),
            into_c: right(&|[a, b, c]| f231(c, a, b)),
            into_c_swapped: right(&|[a, b, c]| f231(c, b, a)),
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn hosts_with_fma_have_a_form_that_prefers_the_first_nan() {
        if std::arch::is_x86_feature_detected!("fma") {
            assert!(fma().any(), "{:?}", fma());
        }
    }
}
