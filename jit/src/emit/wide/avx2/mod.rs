//! AVX-512 instructions in AVX2.
//!
//! The forms of this back end are written in AVX-512. Where the host has AVX2 only, a part of a wave is 8 lanes, and each instruction becomes one
//! or several of AVX2 here; forms for which that would be long-winded have another one of their own ([`Level`]).
//!
//! | AVX-512 | AVX2 |
//! |---|---|
//! | zmm0 to zmm31 | ymm3 to ymm15, and places in memory |
//! | mask registers | vectors: all ones in the lanes of the mask |
//! | merging, zeroing | a blend, a logical and |
//! | operands from memory in every lane | a broadcast before |
//!
//! ymm0 to ymm2 hold what comes up between: an instruction computes in ymm0, while its first operand from a place is in ymm1, its second one in ymm2.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | operands, masks, what AVX2 has too |
//! | `masks.rs` | comparisons, mask registers |
//! | `integer.rs` | integers, logic, permutations |
//! | `float.rs` | conversions, estimates |
//! | `moves.rs` | elements of several dwords, scatters |
//! | `ranges.rs` | minimum, maximum, scaling by powers of two |

mod float;
mod integer;
mod masks;
mod moves;
mod ranges;

use super::plan::Event;
use super::regs::{Class, PieceId};
use super::{Level, Wide, X};
use wavejit_ir::abi::TEMP_ROW;
use wavejit_x86::table::{Forms, Tuple};
use wavejit_x86::{Cond, Gpr, Len, Mem, Rm, Size, Vector};

/// Where instructions compute.
pub(super) const S0: u8 = 0;
/// The first operand, if it is not in a register.
pub(super) const S1: u8 = 1;
/// The second operand.
pub(super) const S2: u8 = 2;
const ORDERED_AT_LEAST: u8 = 0x1d;

/// The instruction of AVX2 that does the same.
fn same(op: X) -> Option<X> {
    Some(match op {
        X::MovLoad => X::MovLoadY,
        X::MovStore => X::MovStoreY,
        X::MovAligned | X::Pmovm2d | X::Pmovm2q | X::Pmovd2m | X::Pmovq2m => X::MovAlignedY,
        X::Pandd | X::Pandq | X::Kandw => X::Pand,
        X::Pandnd | X::Kandnw => X::Pandn,
        X::Pord | X::Porq | X::Korw => X::Por,
        X::Pxord | X::Pxorq | X::Kxorw => X::Pxor,
        X::Cmpps => X::CmppsY,
        X::Cmppd => X::CmppdY,
        X::Rndscaleps => X::Roundps,
        X::Rndscalepd => X::Roundpd,
        X::Extract64x4 => X::Extracti128,
        X::Insert64x4 => X::Inserti128,
        _ if op.row().forms == Forms::Both => op,
        _ => return None,
    })
}

/// Does it write its last operand?
fn stores(op: X) -> bool {
    matches!(op, X::MovStore | X::Extract64x4 | X::Cvtps2ph | X::MovdToGpr | X::MovqToGpr)
}

/// Is its destination an operand too?
fn reads_destination(op: X) -> bool {
    let row = op.row();
    row.mnemonic.starts_with("vfmadd") || row.mnemonic.starts_with("vfnm") || row.mnemonic.starts_with("vfms")
}

/// Is it a product, one that something is added to, or a quotient?
fn is_product(op: X) -> bool {
    use X::*;
    let is_sum = matches!(op, Fmadd132ps | Fmadd213ps | Fmadd231ps | Fmadd132pd | Fmadd213pd | Fmadd231pd);
    is_sum || matches!(op, Mulps | Mulpd | Divps | Divpd)
}

/// Is what it writes to a factor, and what is in its prefix none?
fn is_into_factor(op: X) -> bool {
    matches!(op, X::Fmadd132ps | X::Fmadd132pd)
}

/// Has it an operand in the prefix?
fn has_second(op: X) -> bool {
    use X::*;
    !matches!(
        op,
        MovLoad
            | MovStore
            | MovAligned
            | MovdFromGpr
            | MovqFromGpr
            | MovdToGpr
            | MovqToGpr
            | Broadcast
            | BroadcastQ
            | Pshufd
            | Pmovzxbd
            | Pmovsxbd
            | Pmovzxwd
            | Pmovsxwd
            | Pmovzxdq
            | Pmovsxdq
            | Pabsd
            | Sqrtps
            | Sqrtpd
            | Rndscaleps
            | Rndscalepd
            | Cvtdq2ps
            | Cvttps2dq
            | Cvtps2dq
            | Cvtph2ps
            | Cvtps2ph
            | Cvtps2pd
            | Cvtpd2ps
            | Cvtdq2pd
            | Cvtpd2dq
            | Cvttpd2dq
            | Extract64x4
            | Pmovm2d
            | Pmovm2q
            | Pmovd2m
            | Pmovq2m
    ) && op.row().digit.is_none()
}

impl Wide<'_> {
    /// Appends what does the same in AVX2.
    pub(super) fn in_avx2(&mut self, i: Vector) {
        // Instructions of general registers are the same.
        if matches!(i.op, X::Shlx | X::Shrx | X::Sarx | X::ShlxQ | X::ShrxQ | X::SarxQ | X::Andn | X::AndnQ | X::BlsrQ) {
            return self.a.vector(i);
        }
        self.guarded = self.guard.take().filter(|(at, _)| *at == self.a.offset()).map(|(_, to)| to);
        if stores(i.op) || matches!(i.op, X::Pmovdw | X::Pmovdb) {
            self.store_in_avx2(i);
        } else if i.op == X::Kortestw {
            let Rm::Reg(other) = i.rm else { unreachable!("a mask register") };
            let mut k = self.source(i.reg, S0);
            if other != i.reg {
                let other = self.operand(i.rm, Tuple::Whole);
                self.y(X::Por, S0, k, other);
                k = S0;
            }
            self.y(X::Ptest, k, 0, Rm::Reg(k));
        } else if matches!(i.op, X::KmovwToGpr) {
            let Rm::Reg(k) = i.rm else { unreachable!("a mask register") };
            let k = self.source(k, S0);
            self.y(X::Movmskps, i.reg, 0, Rm::Reg(k));
        } else if i.mask != 0 && i.op == X::MovLoad && matches!(i.rm, Rm::Mem(_)) {
            debug_assert!(i.zeroing, "loads give zero in other lanes");
            let mask = self.source(i.mask, S2);
            let to = self.destination(i.reg);
            self.y(X::Maskmovd, to, mask, i.rm);
            self.deliver(i.reg, to);
        } else if matches!(i.op, X::Gatherdd | X::Gatherqq) {
            self.gather_in_avx2(i);
        } else {
            self.value_in_avx2(i);
        }
        self.guarded = None;
    }

    /// An instruction of AVX2 on 32 bytes.
    fn y(&mut self, op: X, reg: u8, v: u8, rm: Rm) {
        self.append(Vector::new(op, Len::Y, reg, v, rm));
    }

    fn yi(&mut self, op: X, reg: u8, v: u8, rm: Rm, imm: u8) {
        self.append(Vector::new(op, Len::Y, reg, v, rm).imm(imm));
    }

    /// Appends an instruction; one of an access that may fault can be done again with care.
    fn append(&mut self, i: Vector) {
        if let Some(to) = self.guarded {
            self.recover.push((self.a.offset(), to));
        }
        self.exactly(i);
    }

    /// A mask that blends: lanes of `y` where it is set, of `x` elsewhere.
    fn blend(&mut self, to: u8, x: u8, y: Rm, mask: u8) {
        self.yi(X::Blendvps, to, x, y, mask << 4);
    }

    /// The memory of a place.
    fn place(&mut self, reg: u8) -> Option<Mem> {
        let (row, part) = self.r.place(reg)?;
        debug_assert!(row >= TEMP_ROW);
        Some(self.row_mem(row, part.into()))
    }

    /// A register with what is in `reg`, which may be a place: then it is `scratch`.
    pub(super) fn source(&mut self, reg: u8, scratch: u8) -> u8 {
        match self.place(reg) {
            Some(from) => {
                self.a.vector(Vector::new(X::MovLoadY, Len::Y, scratch, 0, Rm::Mem(from)));
                scratch
            }
            None => reg,
        }
    }

    /// The register to compute in for what goes to `reg`.
    fn destination(&self, reg: u8) -> u8 {
        self.destination_or(reg, S0)
    }

    /// The same, where that is to be another one than the first of those for single instructions.
    pub(super) fn destination_or(&self, reg: u8, other: u8) -> u8 {
        if self.r.is_place(reg) { other } else { reg }
    }

    /// Brings a result to where it belongs.
    pub(super) fn deliver(&mut self, reg: u8, from: u8) {
        match self.place(reg) {
            Some(to) => {
                self.r.log.note(|| Event::Writes { class: Class::Vector, reg });
                self.a.vector(Vector::new(X::MovStoreY, Len::Y, from, 0, Rm::Mem(to)));
            }
            None if reg != from => self.y(X::MovAlignedY, reg, 0, Rm::Reg(from)),
            None => {}
        }
    }

    /// An operand as AVX2 takes it: a register or memory.
    fn operand(&mut self, rm: Rm, tuple: Tuple) -> Rm {
        match rm {
            Rm::Reg(reg) => match self.place(reg) {
                Some(from) => Rm::Mem(from),
                None => rm,
            },
            Rm::Mem(_) => rm,
            Rm::Bcst(m) => {
                let op = if tuple == Tuple::Full64 { X::BroadcastQ } else { X::Broadcast };
                self.y(op, S2, 0, Rm::Mem(m));
                Rm::Reg(S2)
            }
        }
    }

    /// An operand in a register.
    fn operand_in_register(&mut self, rm: Rm, tuple: Tuple) -> u8 {
        match self.operand(rm, tuple) {
            Rm::Reg(reg) => reg,
            rm => {
                self.y(X::MovLoadY, S2, 0, rm);
                S2
            }
        }
    }

    /// A dword in every lane, in memory.
    pub(super) fn all32(&mut self, bits: u32) -> Rm {
        Rm::Mem(Mem::constant(self.a.constant(&[bits; 8].map(u32::to_le_bytes).concat())))
    }

    /// A qword in every lane, in memory.
    pub(super) fn all64(&mut self, bits: u64) -> Rm {
        Rm::Mem(Mem::constant(self.a.constant(&[bits; 4].map(u64::to_le_bytes).concat())))
    }

    /// All ones.
    fn ones(&mut self, to: u8) {
        self.y(X::Pcmpeqd, to, to, Rm::Reg(to));
    }

    fn zero(&mut self, to: u8) {
        self.y(X::Pxor, to, to, Rm::Reg(to));
    }

    /// An instruction that gives one register, with what its mask asks for.
    fn value_in_avx2(&mut self, i: Vector) {
        let reg = if i.op.row().digit.is_some() { i.v } else { i.reg };
        if i.mask == 0 {
            let to = self.destination(reg);
            self.compute(i, to);
            return self.deliver(reg, to);
        }
        if self.compare_under_mask(i) {
            return;
        }
        if matches!(i.op, X::MovAligned | X::Broadcast | X::Blendmd | X::Blendmq) && !i.zeroing {
            // The operand itself is what is blended.
            let (old, new) = match i.op {
                X::Blendmd | X::Blendmq => (self.source(i.v, S1), self.operand(i.rm, Tuple::Full32)),
                X::MovAligned => (self.source(i.reg, S1), self.operand(i.rm, Tuple::Full32)),
                _ => {
                    self.compute(i, S2);
                    (self.source(i.reg, S1), Rm::Reg(S2))
                }
            };
            let mask = self.source(i.mask, S0);
            let to = self.destination(reg);
            self.blend(to, old, new, mask);
            return self.deliver(reg, to);
        }
        if i.op == X::MovAligned {
            let (mask, from, to) = (self.source(i.mask, S1), self.operand(i.rm, Tuple::Full32), self.destination(reg));
            self.y(X::Pand, to, mask, from);
            return self.deliver(reg, to);
        }
        if i.zeroing && is_product(i.op) {
            return self.product_under_mask(i);
        }
        self.compute(i, S0);
        let mask = self.source(i.mask, S2);
        let to = self.destination(reg);
        if i.zeroing {
            self.y(X::Pand, to, mask, Rm::Reg(S0));
        } else {
            let old = self.source(reg, S1);
            self.blend(to, old, Rm::Reg(S0), mask);
        }
        self.deliver(reg, to);
    }

    /// A product, or one and a sum, or a quotient, that other lanes than those of the mask do not ask for: a factor, or what is divided, is zero there before, since a
    /// denormal takes no time with a zero. Of a sum these lanes have the other term.
    fn product_under_mask(&mut self, i: Vector) {
        let to = self.destination(i.reg);
        // The factor that comes first: what is written to, or a register.
        let (factor, masked) = if is_into_factor(i.op) { (i.reg, to) } else { (i.v, S1) };
        let (mask, factor) = (self.source(i.mask, S2), self.operand(Rm::Reg(factor), Tuple::Whole));
        self.y(X::Pand, masked, mask, factor);
        let (reg, v) = if is_into_factor(i.op) { (to, i.v) } else { (i.reg, S1) };
        self.compute(Vector { reg, v, mask: 0, zeroing: false, ..i }, to);
        self.deliver(i.reg, to);
    }

    /// Computes what the instruction gives without its mask, in register `to`.
    fn compute(&mut self, i: Vector, to: u8) {
        if self.masks_in_avx2(i, to) || self.integers_in_avx2(i, to) || self.floats_in_avx2(i, to) {
            return;
        }
        let Some(op) = same(i.op) else { unreachable!("{i:?} has no form in AVX2") };
        let tuple = i.op.row().tuple;
        let mut rm = if i.op.row().digit.is_some() {
            // AVX2 shifts registers only.
            Rm::Reg(self.operand_in_register(i.rm, tuple))
        } else if matches!(i.op, X::MovdFromGpr | X::MovqFromGpr) {
            i.rm
        } else {
            self.operand(i.rm, tuple)
        };
        if matches!((op, rm), (X::MovAlignedY, Rm::Mem(_))) {
            return self.y(X::MovLoadY, to, 0, rm);
        }
        // Broadcasts read their element from memory.
        if let (X::Broadcast | X::BroadcastQ, Rm::Reg(_)) = (op, rm) {
            return self.y(op, to, 0, rm);
        }
        let v = if has_second(i.op) { self.source(i.v, S1) } else { 0 };
        let len = if i.len == Len::Z { Len::Y } else { i.len };
        let mut new = if i.op.row().digit.is_some() { Vector::new(op, len, 0, to, rm) } else { Vector::new(op, len, to, v, rm) };
        new.imm = i.imm;
        if reads_destination(i.op) {
            let old = self.source(i.reg, S0);
            if old != to {
                if rm == Rm::Reg(to) {
                    // Not over the operand.
                    self.y(X::MovAlignedY, S2, 0, rm);
                    rm = Rm::Reg(S2);
                    new.rm = rm;
                }
                self.y(X::MovAlignedY, to, 0, Rm::Reg(old));
            }
        }
        self.append(new);
    }

    /// What writes its last operand.
    fn store_in_avx2(&mut self, i: Vector) {
        let from = match (i.op, i.rm) {
            // One element of a place.
            (X::MovdToGpr | X::MovqToGpr, Rm::Reg(to)) if let Some(m) = self.place(i.reg) => {
                return self.a.load(if i.op == X::MovdToGpr { Size::D } else { Size::Q }, Gpr(to), m);
            }
            _ => self.source(i.reg, S1),
        };
        if matches!(i.op, X::Pmovdw | X::Pmovdb) {
            return self.narrow_in_avx2(i, from);
        }
        if matches!(i.op, X::MovdToGpr | X::MovqToGpr) {
            return self.append(Vector::new(i.op, Len::X, from, 0, i.rm));
        }
        if i.mask != 0 {
            let mask = self.source(i.mask, S2);
            return self.y(X::MaskmovdStore, from, mask, i.rm);
        }
        let Some(op) = same(i.op) else { unreachable!("{i:?} has no form in AVX2") };
        let rm = self.operand(i.rm, Tuple::Whole);
        let mut new = Vector::new(op, if i.len == Len::Z { Len::Y } else { i.len }, from, 0, rm);
        new.imm = i.imm;
        self.append(new);
    }

    /// Stores the lanes of `data` in a mask to the dwords of a row at `row` that `index` names, in order.
    pub(super) fn scatter_to_row(&mut self, data: u8, index: u8, mask: u8, row: Gpr) {
        let (bits, place) = (self.temp_general(), self.temp_general());
        self.v(X::MovAligned, S0, 0, Rm::Reg(mask));
        self.y(X::Movmskps, bits.0, 0, Rm::Reg(S0));
        let (mut indices, mut values) = (self.source(index, S1), self.source(data, S2));
        for lane in 0..8u8 {
            if lane == 4 {
                self.yi(X::Extracti128, indices, 0, Rm::Reg(S0), 1);
                self.yi(X::Extracti128, values, 0, Rm::Reg(S2), 1);
                (indices, values) = (S0, S2);
            }
            let next = self.a.label();
            self.a.bt_imm(Size::D, bits, lane);
            self.a.jcc(Cond::Ae, next);
            self.append(Vector::new(X::Pextrd, Len::X, indices, 0, Rm::Reg(place.0)).imm(lane % 4));
            self.append(Vector::new(X::Pextrd, Len::X, values, 0, Rm::Mem(Mem::indexed(row, place, 4, 0))).imm(lane % 4));
            self.a.bind(next);
        }
        self.free_temp(super::regs::Class::General, bits.0);
        self.free_temp(super::regs::Class::General, place.0);
    }

    /// A gather loses its mask.
    fn gather_in_avx2(&mut self, i: Vector) {
        let Rm::Mem(mut m) = i.rm else { unreachable!("a gather from memory") };
        if let Some((wavejit_x86::Index::Vector(index), factor)) = m.index {
            let index = self.source(index, S1);
            m.index = Some((wavejit_x86::Index::Vector(index), factor));
        }
        self.copy(S2, i.mask);
        self.copy(S0, i.reg);
        self.y(if i.op == X::Gatherdd { X::GatherddY } else { X::GatherqqY }, S0, S2, Rm::Mem(m));
        self.deliver(i.reg, S0);
    }

    /// Copies what is in `reg` to a register.
    fn copy(&mut self, to: u8, reg: u8) {
        let from = self.source(reg, to);
        if from != to {
            self.y(X::MovAlignedY, to, 0, Rm::Reg(from));
        }
    }

    /// Does it keep masks in vectors?
    pub(super) fn is_avx2(&self) -> bool {
        self.r.level == Level::Avx2
    }

    /// A piece that is a qword in every lane.
    pub(super) fn splat_piece64(&mut self, bits: u64) -> PieceId {
        let c = self.a.constant(&[bits; 4].map(u64::to_le_bytes).concat());
        self.r.new_piece(super::regs::Class::Vector, super::regs::Home::Pool(c))
    }
}
