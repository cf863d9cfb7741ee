//! Bytes of vector and mask instructions.

use crate::asm::Head;
use crate::table::{Forms, Map, Op, Prefix, Tuple};
use crate::{Asm, Base, Index, Mem};

/// Length of vectors.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Len {
    /// 128 bits, and whatever has no length.
    X = 0,
    /// 256 bits.
    Y = 1,
    /// 512 bits.
    Z = 2,
}

impl Len {
    /// Bytes of a vector.
    pub fn bytes(self) -> i32 {
        16 << self as i32
    }
}

/// The operand that may be in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rm {
    /// A register: vector, mask or general, as the instruction has it.
    Reg(u8),
    /// Memory.
    Mem(Mem),
    /// One element in memory, for all lanes.
    Bcst(Mem),
}

/// A vector or mask instruction with its operands: `op reg {mask}, v, rm, imm`. Instructions of two operands have `reg` and `rm`; those whose
/// row has a digit have `v` and `rm`; stores have the source in `reg`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vector {
    /// Instruction.
    pub op: Op,
    /// Length.
    pub len: Len,
    /// The operand in ModRM.reg.
    pub reg: u8,
    /// The operand in the prefix.
    pub v: u8,
    /// The operand that may be in memory.
    pub rm: Rm,
    /// Mask register; 0: none.
    pub mask: u8,
    /// Do lanes outside the mask become zero?
    pub zeroing: bool,
    /// Immediate byte.
    pub imm: Option<u8>,
}

impl Vector {
    /// Without mask and immediate.
    pub fn new(op: Op, len: Len, reg: u8, v: u8, rm: Rm) -> Vector {
        Vector { op, len, reg, v, rm, mask: 0, zeroing: false, imm: None }
    }
    /// Lanes outside mask register `k` stay as they are in the destination.
    #[must_use]
    pub fn mask(self, k: u8) -> Vector {
        Vector { mask: k, ..self }
    }
    /// Lanes outside mask register `k` become zero.
    #[must_use]
    pub fn zeroing(self, k: u8) -> Vector {
        Vector { mask: k, zeroing: true, ..self }
    }
    /// With an immediate byte.
    #[must_use]
    pub fn imm(self, imm: u8) -> Vector {
        Vector { imm: Some(imm), ..self }
    }
}

/// Bytes of the memory operand, by which EVEX scales displacements of 8 bits: the exponent of two.
fn operand_scale(tuple: Tuple, len: Len, broadcast: bool) -> u32 {
    let whole = 4 + len as u32;
    match tuple {
        Tuple::Full32 | Tuple::Half32 if broadcast => 2,
        Tuple::Full64 if broadcast => 3,
        Tuple::Full32 | Tuple::Full64 | Tuple::Whole => whole,
        Tuple::Half32 | Tuple::Half => whole - 1,
        Tuple::Quarter => whole - 2,
        Tuple::One4 => 2,
        Tuple::One8 => 3,
        Tuple::Bytes16 => 4,
    }
}

impl Asm {
    /// Appends a vector or mask instruction.
    pub fn vector(&mut self, i: Vector) {
        let row = i.op.row();
        let (reg, v) = match row.digit {
            Some(d) => (d, i.v),
            None => (i.reg, i.v),
        };
        let high_rm = match i.rm {
            Rm::Reg(r) => r >= 16,
            Rm::Bcst(_) => true,
            Rm::Mem(Mem { index: Some((Index::Vector(_), _)), .. }) => true,
            Rm::Mem(_) => false,
        };
        let evex = match row.forms {
            Forms::Evex => true,
            Forms::Vex | Forms::VexL1 => false,
            Forms::Both => i.len == Len::Z || reg >= 16 || v >= 16 || high_rm || i.mask != 0,
        };
        // X, B: bits 4 and 3 of a register; of memory those of index and base. Bit 4 of a vector index goes where that of v goes.
        let (x, b, v_top) = match i.rm {
            Rm::Reg(r) => (r >> 4 & 1, r >> 3 & 1, v >> 4 & 1),
            Rm::Mem(m) | Rm::Bcst(m) => {
                let b = if let Base::Reg(g) = m.base { g.0 >> 3 & 1 } else { 0 };
                match m.index {
                    Some((Index::Gpr(g), _)) => (g.0 >> 3 & 1, b, v >> 4 & 1),
                    Some((Index::Vector(n), _)) => (n >> 3 & 1, b, n >> 4 & 1),
                    None => (0, b, v >> 4 & 1),
                }
            }
        };
        let r = reg >> 3 & 1;
        let (mut head, scale);
        let opcode = row.opcode;
        if evex {
            let broadcast = matches!(i.rm, Rm::Bcst(_));
            scale = operand_scale(row.tuple, i.len, broadcast);
            let p0 = (r ^ 1) << 7 | (x ^ 1) << 6 | (b ^ 1) << 5 | (reg >> 4 & 1 ^ 1) << 4 | row.map as u8;
            let p1 = u8::from(row.w) << 7 | (!v & 15) << 3 | 1 << 2 | row.prefix as u8;
            let p2 = u8::from(i.zeroing) << 7 | (i.len as u8) << 5 | u8::from(broadcast) << 4 | (v_top ^ 1) << 3 | i.mask;
            head = Head::of(u64::from_le_bytes([0x62, p0, p1, p2, opcode, 0, 0, 0]), 5);
        } else {
            debug_assert!(i.len != Len::Z && i.mask == 0 && reg < 16 && v < 16, "{i:?}");
            scale = 0;
            let l = u8::from(row.forms == Forms::VexL1 || i.len == Len::Y);
            // What is marked `both` has a W that VEX ignores, but for few, where it is the same.
            let w = row.w && (row.forms != Forms::Both || w_counts(i.op));
            let last = (!v & 15) << 3 | l << 2 | row.prefix as u8;
            if row.map == Map::M0F && x == 0 && b == 0 && !w {
                head = Head::of(u64::from_le_bytes([0xc5, (r ^ 1) << 7 | last, opcode, 0, 0, 0, 0, 0]), 3);
            } else {
                let p0 = (r ^ 1) << 7 | (x ^ 1) << 6 | (b ^ 1) << 5 | row.map as u8;
                head = Head::of(u64::from_le_bytes([0xc4, p0, u8::from(w) << 7 | last, opcode, 0, 0, 0, 0]), 4);
            }
        }
        self.counted();
        let trailing = i.imm.is_some().into();
        let bytes = operand_scale(row.tuple, i.len, matches!(i.rm, Rm::Bcst(_)));
        match &i.rm {
            Rm::Reg(rm) => {
                head.push(0xc0 | (reg & 7) << 3 | rm & 7);
                self.head(head);
            }
            Rm::Mem(m) | Rm::Bcst(m) => self.modrm(head, reg & 7, m, [scale, bytes], trailing),
        }
        if let Some(imm) = i.imm {
            self.bytes(&[imm]);
        }
    }
}

/// Does VEX look at W here?
fn w_counts(op: Op) -> bool {
    let row = op.row();
    let moves = matches!(op, Op::MovqFromGpr | Op::MovqToGpr | Op::Pextrq | Op::Pinsrq);
    let shifts = matches!(op, Op::Psllvq | Op::Psrlvq);
    let fma = row.map == Map::M0F38 && row.prefix == Prefix::P66 && row.opcode >= 0x90;
    moves || shifts || fma
}
