//! Registers of a vector of lanes: address operands, whole or in halves, and results, whole or packed.

use super::super::address::Operands;
use super::super::op::{ImageOp, Slot};
use super::super::values::Narrow;
use crate::Wave;
use crate::simd::Simd;

/// Where a component of the result comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// A memory channel.
    Channel(u8),
    /// A channel the format lacks; loads outside the image read 0 from it all the same.
    Missing(u32),
    /// A constant of dst_sel, or the status dword.
    Constant(u32),
}

/// What is written to a result register.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cell {
    /// A component.
    Whole(Source),
    /// A component in 16 bits, the rest 0.
    Half(Source),
    /// Two components in 16 bits; without the second one the upper half stays.
    Pair(Source, Option<Source>),
}

/// The registers that components and, if there is one, the status dword go to.
pub(super) fn cells(op: &ImageOp, unpacked_d16: bool, components: &[Source]) -> Vec<Cell> {
    let mut cells: Vec<Cell> = match (op.d16, unpacked_d16) {
        (false, _) => components.iter().map(|&c| Cell::Whole(c)).collect(),
        (true, true) => components.iter().map(|&c| Cell::Half(c)).collect(),
        (true, false) => components.chunks(2).map(|pair| Cell::Pair(pair[0], pair.get(1).copied())).collect(),
    };
    if op.has_status() {
        cells.push(Cell::Whole(Source::Constant(0)));
    }
    cells
}

/// Lanes of a wave as one vector: the operands that begin at lane `first`.
#[derive(Clone, Copy)]
pub(super) struct LaneOperands<'a> {
    pub operands: &'a Operands<'a>,
    pub first: usize,
}

impl LaneOperands<'_> {
    /// Bits of an address operand, halves zero-extended; 0 without one.
    ///
    /// # Safety
    /// The processor has the instruction set, as for the other functions.
    #[inline(always)]
    pub(super) unsafe fn bits<S: Simd>(&self, wave: &Wave, slot: Option<Slot>) -> S::I {
        // SAFETY: the slice has `LANES` lanes.
        unsafe {
            let Some(Slot::Whole(n) | Slot::Low(n) | Slot::High(n)) = slot else { return S::i(0) };
            let register = S::load(&wave.row(self.operands.address[usize::from(n)])[self.first..][..S::LANES]);
            match slot {
                Some(Slot::Low(_)) => S::and(register, S::i(0xffff)),
                Some(Slot::High(_)) => S::shr(register, 16),
                _ => register,
            }
        }
    }

    /// An address operand as f32; 0 without one.
    #[inline(always)]
    pub(super) unsafe fn float<S: Simd>(&self, wave: &Wave, slot: Option<Slot>) -> S::F {
        // SAFETY: as `bits`.
        unsafe {
            let bits = self.bits::<S>(wave, slot);
            match slot {
                Some(Slot::Low(_) | Slot::High(_)) => S::half(bits),
                _ => S::as_f(bits),
            }
        }
    }

    /// Writes the lanes of `m` of all result registers from four components' channels; channels the format lacks are 0 but for lanes of `inside`.
    #[inline(always)]
    pub(super) unsafe fn put<S: Simd>(&self, wave: &mut Wave, m: S::M, cells: &[Cell], narrow: Narrow, channels: [S::I; 4], inside: S::M) {
        // SAFETY: as `bits`.
        unsafe {
            for (n, cell) in cells.iter().enumerate() {
                let row = &mut wave.row_mut(self.operands.result[n])[self.first..][..S::LANES];
                let bits = match cell {
                    Cell::Whole(source) => component::<S>(source, channels, inside),
                    Cell::Half(source) => half::<S>(component::<S>(source, channels, inside), narrow),
                    Cell::Pair(low, high) => {
                        let low = half::<S>(component::<S>(low, channels, inside), narrow);
                        let high = match high {
                            Some(high) => S::shl(half::<S>(component::<S>(high, channels, inside), narrow), 16),
                            None => S::and(S::load(row), S::i(0xffff_0000_u32 as i32)),
                        };
                        S::or(low, high)
                    }
                };
                S::store(row, m, bits);
            }
        }
    }
}

/// A component of the result.
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
pub(super) unsafe fn component<S: Simd>(source: &Source, channels: [S::I; 4], inside: S::M) -> S::I {
    // SAFETY: no memory is touched.
    unsafe {
        match source {
            Source::Channel(c) => channels[usize::from(c & 3)],
            Source::Missing(value) => S::select(inside, S::i(*value as i32), S::i(0)),
            Source::Constant(value) => S::i(*value as i32),
        }
    }
}

/// As [`Narrow::apply`].
#[inline(always)]
unsafe fn half<S: Simd>(value: S::I, narrow: Narrow) -> S::I {
    // SAFETY: no memory is touched.
    unsafe {
        match narrow {
            Narrow::Integer => S::and(value, S::i(0xffff)),
            Narrow::Nearest => S::to_half(S::as_f(value)),
            Narrow::Truncate => S::to_half_down(S::as_f(value)),
        }
    }
}
