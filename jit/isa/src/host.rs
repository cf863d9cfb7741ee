//! What the host's vector unit can do: asked here and nowhere else.
//!
//! Whatever exists in several forms (row functions, texture kernels, memory accesses) takes the form of [`HostLevel::get`], and code is generated for
//! [`HostIsa::get`]. That is the best of this host, or less: `WAVEJIT_ISA=baseline|portable|avx2|avx512` in the environment, or
//! [`HostIsa::choose`] in the program. All forms give the same bits, and tests hold them to it; less than the best is for those tests, for finding defects,
//! and to see what hosts get for which there is no code generator of our own.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// A set of host instructions. Each has all that the lower ones have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum HostLevel {
    /// What the compiler assumes for the target.
    Baseline,
    /// x86-64 with AVX2, FMA, F16C, BMI1, BMI2, LZCNT and POPCNT: 8 lanes of a dword.
    Avx2,
    /// Also AVX-512 F, BW, DQ, VL and CD: 16 lanes of a dword.
    Avx512,
}

impl HostLevel {
    const ALL: [HostLevel; 3] = [HostLevel::Baseline, HostLevel::Avx2, HostLevel::Avx512];

    /// The level in use: that of [`HostIsa::get`].
    #[inline]
    pub fn get() -> HostLevel {
        HostIsa::get().level()
    }

    /// The best level of this host, used or not.
    pub fn host() -> HostLevel {
        #[cfg(target_arch = "x86_64")]
        {
            macro_rules! has {
                ($($feature:tt)*) => { $(is_x86_feature_detected!($feature))&&* };
            }
            if has!("avx2" "fma" "f16c" "bmi1" "bmi2" "lzcnt" "popcnt") {
                let wide = has!("avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512cd");
                return if wide { HostLevel::Avx512 } else { HostLevel::Avx2 };
            }
        }
        HostLevel::Baseline
    }

    /// All levels that this host can run, lowest first: the baseline is always there.
    pub fn available() -> impl Iterator<Item = HostLevel> {
        HostLevel::ALL.into_iter().filter(|level| *level <= HostLevel::host())
    }

    /// Its name, which is that of the [`HostIsa`] of the level, too.
    pub fn name(self) -> &'static str {
        match self {
            HostLevel::Baseline => "baseline",
            HostLevel::Avx2 => "avx2",
            HostLevel::Avx512 => "avx512",
        }
    }
}

impl fmt::Display for HostLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// For which host instructions, and by which generator, guest code is compiled.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum HostIsa {
    /// By Cranelift, and nothing anywhere beyond what the compiler assumes for the target.
    Baseline,
    /// By Cranelift, with the instructions of this host that it knows; all else takes the host's best level.
    Portable,
    /// By the generator of whole waves, in AVX2; all else takes that level, too.
    Avx2,
    /// By the generator of whole waves, in AVX-512.
    Avx512,
}

/// Why host instructions cannot be chosen.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum HostIsaError {
    /// There is no such name.
    #[error("host instructions `{0}` are not known: baseline, portable, avx2 and avx512 are")]
    Unknown(String),
    /// The host lacks them.
    #[error("this host has not the instructions of {asked}; its best are {best}")]
    Lacking {
        /// What is asked for.
        asked: HostIsa,
        /// The host's best.
        best: HostIsa,
    },
    /// Code for others is in use already.
    #[error("the choice of {asked} comes too late: {taken} is in use")]
    Late {
        /// What is asked for.
        asked: HostIsa,
        /// What is in use.
        taken: HostIsa,
    },
}

/// What is in use, 0 while nobody has asked; with [`CHOSEN`] if the program chose it. No lock: a child of a fork finds it usable.
static TAKEN: AtomicU8 = AtomicU8::new(0);
const CHOSEN: u8 = 0x80;

impl HostIsa {
    /// The environment variable that names one.
    pub const VARIABLE: &str = "WAVEJIT_ISA";
    const ALL: [HostIsa; 4] = [HostIsa::Baseline, HostIsa::Portable, HostIsa::Avx2, HostIsa::Avx512];

    /// What is in use. It never changes after the first call. Where the environment variable has a value that [`HostIsa::check`]
    /// refuses, it is the portable one; opening a device reports that.
    #[inline]
    pub fn get() -> HostIsa {
        HostIsa::of(TAKEN.load(Relaxed)).unwrap_or_else(HostIsa::take)
    }

    /// What is in use, or why the environment variable's choice is not.
    pub fn check() -> Result<HostIsa, HostIsaError> {
        if TAKEN.load(Relaxed) & CHOSEN == 0 {
            HostIsa::from_environment()?;
        }
        Ok(HostIsa::get())
    }

    /// Chooses, whatever the environment says. For the start of a program: once something else is in use, it is too late.
    pub fn choose(isa: HostIsa) -> Result<(), HostIsaError> {
        let asked = isa.if_available()?;
        match TAKEN.compare_exchange(0, CHOSEN | HostIsa::number(asked), Relaxed, Relaxed) {
            Err(number) if HostIsa::of(number) != Some(asked) => Err(HostIsaError::Late { asked, taken: HostIsa::get() }),
            _ => Ok(()),
        }
    }

    /// The best of this host, used or not.
    pub fn host() -> HostIsa {
        match HostLevel::host() {
            HostLevel::Baseline => HostIsa::Portable,
            HostLevel::Avx2 => HostIsa::Avx2,
            HostLevel::Avx512 => HostIsa::Avx512,
        }
    }

    /// All that this host can run, the least first.
    pub fn available() -> impl Iterator<Item = HostIsa> {
        HostIsa::ALL.into_iter().filter(|isa| *isa <= HostIsa::host())
    }

    /// What code that is not generated may use.
    pub fn level(self) -> HostLevel {
        match self {
            HostIsa::Baseline => HostLevel::Baseline,
            HostIsa::Portable => HostLevel::host(),
            HostIsa::Avx2 => HostLevel::Avx2,
            HostIsa::Avx512 => HostLevel::Avx512,
        }
    }

    /// Is code generated a whole wave at a time, without Cranelift?
    pub fn is_wide(self) -> bool {
        self >= HostIsa::Avx2
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            HostIsa::Baseline => "baseline",
            HostIsa::Portable => "portable",
            HostIsa::Avx2 => "avx2",
            HostIsa::Avx512 => "avx512",
        }
    }

    #[cold]
    fn take() -> HostIsa {
        let isa = HostIsa::from_environment().unwrap_or(HostIsa::Portable);
        match TAKEN.compare_exchange(0, HostIsa::number(isa), Relaxed, Relaxed) {
            Ok(_) => isa,
            // another thread was first
            Err(number) => HostIsa::of(number).unwrap_or(isa),
        }
    }

    fn from_environment() -> Result<HostIsa, HostIsaError> {
        match std::env::var_os(HostIsa::VARIABLE) {
            None => Ok(HostIsa::host()),
            Some(name) => name.to_string_lossy().parse::<HostIsa>()?.if_available(),
        }
    }

    fn if_available(self) -> Result<HostIsa, HostIsaError> {
        let best = HostIsa::host();
        if self <= best { Ok(self) } else { Err(HostIsaError::Lacking { asked: self, best }) }
    }

    fn number(self) -> u8 {
        self as u8 + 1
    }

    fn of(number: u8) -> Option<HostIsa> {
        HostIsa::ALL.get(usize::from(number & !CHOSEN).wrapping_sub(1)).copied()
    }
}

impl fmt::Display for HostIsa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for HostIsa {
    type Err = HostIsaError;

    fn from_str(name: &str) -> Result<HostIsa, HostIsaError> {
        HostIsa::ALL.into_iter().find(|isa| isa.name() == name).ok_or_else(|| HostIsaError::Unknown(name.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_have_names() {
        for isa in HostIsa::ALL {
            assert_eq!(isa.to_string().parse(), Ok(isa));
            assert_eq!(HostIsa::of(HostIsa::number(isa)), Some(isa));
            assert_eq!(HostIsa::of(CHOSEN | HostIsa::number(isa)), Some(isa));
        }
        for level in HostLevel::ALL {
            assert_eq!(level.name().parse().map(HostIsa::level), Ok(level));
        }
        assert_eq!("scalar".parse::<HostIsa>(), Err(HostIsaError::Unknown("scalar".to_string())));
        assert_eq!(HostIsa::of(0), None);
    }

    #[test]
    fn what_is_available_ends_with_the_best() {
        assert_eq!(HostLevel::available().next(), Some(HostLevel::Baseline));
        assert_eq!(HostLevel::available().last(), Some(HostLevel::host()));
        assert_eq!(HostIsa::available().take(2).collect::<Vec<_>>(), [HostIsa::Baseline, HostIsa::Portable]);
        assert_eq!(HostIsa::available().last(), Some(HostIsa::host()));
        assert_eq!(HostIsa::host().level(), HostLevel::host());
        assert_eq!(HostIsa::Portable.level(), HostLevel::host());
    }

    #[test]
    fn more_than_the_host_has_is_refused() {
        for isa in HostIsa::ALL {
            let best = HostIsa::host();
            let expected = if isa <= best { Ok(isa) } else { Err(HostIsaError::Lacking { asked: isa, best }) };
            assert_eq!(isa.if_available(), expected);
        }
    }

    #[test]
    fn a_choice_comes_too_late_when_another_is_in_use() {
        let taken = HostIsa::get();
        assert_eq!(HostIsa::choose(taken), Ok(()));
        for asked in HostIsa::available().filter(|isa| *isa != taken) {
            assert_eq!(HostIsa::choose(asked), Err(HostIsaError::Late { asked, taken }));
        }
        assert_eq!(HostIsa::get(), taken);
        assert_eq!(HostLevel::get(), taken.level());
    }
}
