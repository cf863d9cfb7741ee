//! The instruction set that code is made for, and what follows from it.

use super::regs::Pins;
use crate::emit::{EmitOptions, Isa};
use wavejit_isa::HostLevel;

/// An instruction set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Level {
    Avx512,
    /// Its forms are those of AVX-512, but for what `avx2` makes of each instruction: half as many lanes in a register, masks as vectors.
    Avx2,
}

impl Level {
    pub(super) fn of(opts: &EmitOptions) -> Level {
        match opts.isa {
            Isa::Avx2 => Level::Avx2,
            Isa::Best if HostLevel::get() < HostLevel::Avx512 => Level::Avx2,
            _ => Level::Avx512,
        }
    }

    /// Lanes of a vector register.
    pub(super) fn lanes(self) -> u32 {
        match self {
            Level::Avx512 => 16,
            Level::Avx2 => 8,
        }
    }

    /// Vector registers that hold pieces of values.
    pub(super) fn vectors(self) -> std::ops::Range<u8> {
        match self {
            Level::Avx512 => 0..32,
            // The first ones are for what is made of single instructions.
            Level::Avx2 => 3..16,
        }
    }

    /// Places behind the registers that stand for registers in memory: operations whose operands are more than there are registers take them.
    pub(super) fn places(self) -> usize {
        match self {
            Level::Avx512 => 0,
            Level::Avx2 => 112,
        }
    }

    /// Registers and places.
    pub(super) fn all_vectors(self) -> usize {
        usize::from(self.vectors().end) + self.places()
    }

    /// The registers as a set.
    pub(super) fn set(self) -> Pins {
        ((1 << self.vectors().end) - 1) & !self.reserved()
    }

    /// Registers that are in nobody's hands, as a set.
    pub(super) fn reserved(self) -> Pins {
        (1 << self.vectors().start) - 1
    }

    /// Registers in which loops may keep rows: the others are for values.
    pub(super) fn loop_registers(self) -> std::ops::Range<u8> {
        match self {
            Level::Avx512 => 12..32,
            Level::Avx2 => 11..16,
        }
    }
}
