//! The plan of the wide back end: where the pieces of values are while each operation is emitted, and what moves between.
//!
//! Registers are assigned as code is emitted, in one place ([`super::regs`], `allocate.rs`); everything that happens there is an [`Event`], and
//! so is every write of a vector or mask register, of whatever instruction. With the function they are a [`Plan`]: to be read
//! (`wavejit plan`, `print.rs`), and to be walked by a checker that knows nothing of the allocator (`check.rs`). Noting costs nothing where nobody asked
//! for it.

mod check;
mod print;
#[cfg(test)]
mod tests;

use super::Wide;
use super::level::Level;
use super::memory::Access;
use super::regs::{Class, Home, MAX_PARTS, PieceId, Regs};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use wavejit_ir::{Addr, SReg, Space, Value};
use wavejit_x86::{Op as X, Rm, Vector};

pub(in crate::emit::wide) use check::check;
pub(in crate::emit::wide) use print::print;

/// What the back end decided for a function.
#[derive(Clone, Debug)]
pub(in crate::emit::wide) struct Plan {
    pub events: Vec<Event>,
    /// Vector registers of a lane value of 32 bits.
    pub parts: usize,
    pub level: Level,
    /// Values that are [one for the wave](crate::opt::strides), of which the first part may stand for all.
    pub alike: FxHashSet<Value>,
    /// Products are masked by the lanes that ask for them.
    pub masks_idle: bool,
}

/// Something that the allocator does, in order.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::emit::wide) enum Event {
    /// A block begins: nothing is in registers but these parts of rows, and these scalar registers.
    Block { block: u32, rows: Vec<(u16, u8, u8)>, sregs: Vec<(u8, u8)> },
    /// An operation of the block begins, or its end (behind the last); of one part of the wave alone, or of all. `is_once`: for all waves of a call.
    Step { at: u32, part: Option<u8>, is_once: bool },
    /// It does what another one is to do, too.
    Together { at: u32 },
    /// There is a new piece, whose home already holds what it is.
    Piece { id: PieceId, class: Class, home: Home },
    /// A piece is what a register of the loop holds.
    InLoop { id: PieceId, reg: u8 },
    /// A piece is in a register from the block before on, or because a temporary holds it.
    Held { id: PieceId, reg: u8 },
    /// A piece gets a register, which does not hold it yet.
    Taken { id: PieceId, reg: u8 },
    /// The register of a new piece is that of an operand.
    Over { id: PieceId, from: PieceId },
    /// It now holds what its home does, which is here.
    Loaded { id: PieceId, home: Home },
    /// It holds what a call returned, or what another register held.
    Filled { id: PieceId },
    /// A piece has its home here from now on: it is stored from its register.
    Stored { id: PieceId, home: Home },
    /// A piece is in its register, and here as well: in a guest register that has just been written with it.
    Settled { id: PieceId, home: Home },
    /// A piece that is still to be made is to be here.
    Moved { id: PieceId, home: Home },
    /// Its home is about to be another's.
    Homeless { id: PieceId },
    /// An operand is read from a register.
    Use { id: PieceId, reg: u8 },
    /// An operand is read from the register of another that is at home at the same place of LDS.
    UseTwin { id: PieceId, twin: PieceId, reg: u8 },
    /// An operand is read from its home.
    UseInMemory { id: PieceId, home: Home },
    /// A register for the operation alone.
    Temporary { class: Class, reg: u8 },
    /// An instruction writes a vector or mask register.
    Writes { class: Class, reg: u8 },
    /// Bytes of the frame are somebody's who is no piece.
    FrameTaken { at: i32 },
    /// So is a temporary row.
    RowTaken { row: u16 },
    /// A value is these pieces, by part.
    Is { value: Value, pieces: Vec<PieceId> },
    /// A row is written now, or one part of it.
    RowChanges { row: u16, part: Option<u8> },
    /// Any row may be.
    AllRowsChange,
    /// A scalar register is written now.
    SRegChanges { reg: SReg },
    /// Any scalar register may be.
    AllSRegsChange,
    /// No register keeps what it holds.
    Call,
    /// Registers hold different things by the way that leads here, but for these.
    RegistersEmptied { but: Vec<(Class, u8)> },
    /// How an access to memory is done.
    Access { way: Cow<'static, str> },
}

/// Events, if they are to be noted.
#[derive(Default)]
pub(super) struct Log(Option<Vec<Event>>);

impl Log {
    /// One that notes.
    pub(super) fn noting() -> Log {
        Log(Some(vec![]))
    }

    #[inline(always)]
    pub(super) fn notes(&self) -> bool {
        self.0.is_some()
    }

    #[inline(always)]
    pub(super) fn note(&mut self, event: impl FnOnce() -> Event) {
        if let Some(events) = &mut self.0 {
            events.push(event());
        }
    }

    /// What has been noted; nothing is from here on.
    pub(super) fn take(&mut self) -> Option<Vec<Event>> {
        self.0.take()
    }
}

/// The vector or mask register that an instruction writes; none: it writes memory, flags, a general register.
pub(super) fn written(i: &Vector) -> Option<(Class, u8)> {
    use X::*;
    match i.op {
        MovStore | MovStoreY | MovStore8 | MovStore64 | MaskmovdStore | KmovwStore | KmovdStore | KmovqStore | Kortestw | Ptest
        | Scatterdd | Scatterqd => None,
        MovdToGpr | MovqToGpr | KmovwToGpr | KmovdToGpr | KmovqToGpr | Movmskps | Movmskpd | Pmovmskb | Pextrd | Pextrq => None,
        Shlx | Shrx | Sarx | ShlxQ | ShrxQ | SarxQ | Andn | AndnQ | BlsrQ | Pdep | Pext => None,
        Extract32x4 | Extract64x4 | Extracti128 | Pmovdb | Pmovdw | Pmovqd | Cvtps2ph | Compressd => match i.rm {
            Rm::Reg(to) => Some((Class::Vector, to)),
            _ => None,
        },
        Pcmpd | Pcmpud | Pcmpq | Pcmpuq | Pcmpw | Pcmpuw | Ptestmd | Ptestmq | Ptestnmd | Cmpps | Cmppd | Fpclassps | Fpclasspd
        | Pmovd2m | Pmovq2m => Some((Class::Mask, i.reg)),
        Kmovw | KmovwFromGpr | KmovdFromGpr | KmovqFromGpr | Kandw | Kandnw | Korw | Kxnorw | Kxorw | Knotw | Kunpckbw | Kunpckwd
        | Kunpckdq | Kshiftrw | Kshiftrd | Kshiftrq => Some((Class::Mask, i.reg)),
        op if op.row().digit.is_some() => Some((Class::Vector, i.v)),
        _ => Some((Class::Vector, i.reg)),
    }
}

impl Wide<'_> {
    /// Notes that a block begins.
    pub(super) fn note_block(&mut self, block: usize) {
        let Regs { log, fixed, fixed_sregs, .. } = &mut self.r;
        let parts = self.parts;
        log.note(|| {
            let parts_of = |(row, regs): (&u16, &[u8; MAX_PARTS])| (0..parts).map(|p| (*row, p as u8, regs[p])).collect::<Vec<_>>();
            let mut rows: Vec<_> = fixed.iter().flat_map(parts_of).collect();
            let mut sregs: Vec<_> = fixed_sregs.iter().map(|(sreg, reg)| (*sreg, reg.0)).collect();
            rows.sort_unstable();
            sregs.sort_unstable();
            Event::Block { block: block as u32, rows, sregs }
        });
    }

    /// Notes which register an instruction writes.
    #[inline]
    pub(super) fn note_write(&mut self, i: &Vector) {
        if self.r.log.notes()
            && let Some((class, reg)) = written(i)
        {
            self.r.log.note(|| Event::Writes { class, reg });
        }
    }

    /// Notes how an access is done.
    pub(super) fn note_access(&mut self, a: &Access, addr: &Addr) {
        self.r.log.note(|| {
            let way = match (a.space, addr.offset) {
                (Space::Scratch, None) => Cow::Borrowed("rows of scratch"),
                (Space::Scratch, _) => "scratch by lane".into(),
                (_, None) => "one element".into(),
                _ if a.is_scattered => "by lane".into(),
                _ if a.known.eights.is_some() => "eight lanes in a row".into(),
                _ => match a.known.stride {
                    None => "addresses compared as it runs: in a row, one element, or by lane".into(),
                    Some(0) => "one element a register".into(),
                    Some(n) if n as usize == a.kind.bytes() => "in a row".into(),
                    Some(n) => format!("{n} bytes apart").into(),
                },
            };
            Event::Access { way }
        });
    }

    /// Notes that the registers of a load's results are written, where all of that stands behind the function's blocks.
    pub(super) fn note_results(&mut self, a: &Access) {
        if !a.is_store {
            for reg in a.data.iter().flatten().copied() {
                self.r.log.note(|| Event::Writes { class: Class::Vector, reg });
            }
        }
    }

    /// Notes that an operation begins.
    pub(super) fn note_step(&mut self) {
        let (at, part, is_once) = (self.at, self.part.map(|p| p as u8), self.in_memo);
        self.r.log.note(|| Event::Step { at, part, is_once });
    }
}
