//! What the host's vector unit can do: asked here and nowhere else.
//!
//! Whatever exists in several forms (row functions, texture kernels, memory accesses, generated code) takes the form of [`HostLevel::get`].
//! That is the best level of this host, or a lower one: `WAVEJIT_ISA=portable|avx2|avx512` in the environment, or [`HostLevel::choose`] in
//! the program. All forms give the same bits, and tests hold them to it; a lower level is for those tests and for finding defects.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// A set of host instructions. Each has all that the lower ones have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum HostLevel {
    /// What the compiler assumes for the target.
    Portable,
    /// x86-64 with AVX2, FMA, F16C, BMI1, BMI2, LZCNT and POPCNT: 8 lanes of a dword.
    Avx2,
    /// Also AVX-512 F, BW, DQ, VL and CD: 16 lanes of a dword.
    Avx512,
}

/// Why a level cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum HostLevelError {
    /// No such level.
    #[error("host level `{0}` is not known: portable, avx2 and avx512 are")]
    Unknown(String),
    /// The host lacks instructions.
    #[error("this host has not the instructions of host level {asked}; its best is {best}")]
    Lacking {
        /// The level asked for.
        asked: HostLevel,
        /// The host's best.
        best: HostLevel,
    },
    /// Code of another level was taken already.
    #[error("host level {asked} comes too late: {taken} is in use")]
    Late {
        /// The level asked for.
        asked: HostLevel,
        /// The one in use.
        taken: HostLevel,
    },
}

/// The level in use, 0 while nobody has asked; with [`CHOSEN`] if the program chose it. No lock: a child of a fork finds it usable.
static TAKEN: AtomicU8 = AtomicU8::new(0);
const CHOSEN: u8 = 0x80;

impl HostLevel {
    /// The environment variable that names a level.
    pub const VARIABLE: &str = "WAVEJIT_ISA";
    const ALL: [HostLevel; 3] = [HostLevel::Portable, HostLevel::Avx2, HostLevel::Avx512];

    /// The level in use. It never changes after the first call. Where the environment variable has a value that [`HostLevel::check`]
    /// refuses, it is the portable one; opening a device reports that.
    #[inline]
    pub fn get() -> HostLevel {
        HostLevel::of(TAKEN.load(Relaxed)).unwrap_or_else(HostLevel::take)
    }

    /// The level in use, or why the environment variable's is not.
    pub fn check() -> Result<HostLevel, HostLevelError> {
        if TAKEN.load(Relaxed) & CHOSEN == 0 {
            HostLevel::from_environment()?;
        }
        Ok(HostLevel::get())
    }

    /// Takes a level, whatever the environment says. For the start of a program: once another one is in use, it is too late.
    pub fn choose(level: HostLevel) -> Result<(), HostLevelError> {
        let asked = level.if_available()?;
        match TAKEN.compare_exchange(0, CHOSEN | HostLevel::number(asked), Relaxed, Relaxed) {
            Err(number) if HostLevel::of(number) != Some(asked) => Err(HostLevelError::Late { asked, taken: HostLevel::get() }),
            _ => Ok(()),
        }
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
        HostLevel::Portable
    }

    /// All levels that this host can run, lowest first: the portable one is always there.
    pub fn available() -> impl Iterator<Item = HostLevel> {
        HostLevel::ALL.into_iter().filter(|level| *level <= HostLevel::host())
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            HostLevel::Portable => "portable",
            HostLevel::Avx2 => "avx2",
            HostLevel::Avx512 => "avx512",
        }
    }

    #[cold]
    fn take() -> HostLevel {
        let level = HostLevel::from_environment().unwrap_or(HostLevel::Portable);
        match TAKEN.compare_exchange(0, HostLevel::number(level), Relaxed, Relaxed) {
            Ok(_) => level,
            // another thread was first
            Err(number) => HostLevel::of(number).unwrap_or(level),
        }
    }

    fn from_environment() -> Result<HostLevel, HostLevelError> {
        match std::env::var_os(HostLevel::VARIABLE) {
            None => Ok(HostLevel::host()),
            Some(name) => name.to_string_lossy().parse::<HostLevel>()?.if_available(),
        }
    }

    fn if_available(self) -> Result<HostLevel, HostLevelError> {
        let best = HostLevel::host();
        if self <= best { Ok(self) } else { Err(HostLevelError::Lacking { asked: self, best }) }
    }

    fn number(self) -> u8 {
        self as u8 + 1
    }

    fn of(number: u8) -> Option<HostLevel> {
        HostLevel::ALL.get(usize::from(number & !CHOSEN).wrapping_sub(1)).copied()
    }
}

impl fmt::Display for HostLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for HostLevel {
    type Err = HostLevelError;

    fn from_str(name: &str) -> Result<HostLevel, HostLevelError> {
        HostLevel::ALL.into_iter().find(|level| level.name() == name).ok_or_else(|| HostLevelError::Unknown(name.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_names() {
        for level in HostLevel::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
            assert_eq!(HostLevel::of(HostLevel::number(level)), Some(level));
            assert_eq!(HostLevel::of(CHOSEN | HostLevel::number(level)), Some(level));
        }
        assert_eq!("scalar".parse::<HostLevel>(), Err(HostLevelError::Unknown("scalar".to_string())));
        assert_eq!(HostLevel::of(0), None);
    }

    #[test]
    fn available_levels_end_with_the_best() {
        assert_eq!(HostLevel::available().next(), Some(HostLevel::Portable));
        assert_eq!(HostLevel::available().last(), Some(HostLevel::host()));
    }

    #[test]
    fn a_level_above_the_hosts_is_refused() {
        for level in HostLevel::ALL {
            let best = HostLevel::host();
            let expected = if level <= best { Ok(level) } else { Err(HostLevelError::Lacking { asked: level, best }) };
            assert_eq!(level.if_available(), expected);
        }
    }

    #[test]
    fn a_choice_comes_too_late_when_another_level_is_in_use() {
        let taken = HostLevel::get();
        assert_eq!(HostLevel::choose(taken), Ok(()));
        for asked in HostLevel::available().filter(|level| *level != taken) {
            assert_eq!(HostLevel::choose(asked), Err(HostLevelError::Late { asked, taken }));
        }
        assert_eq!(HostLevel::get(), taken);
    }
}
