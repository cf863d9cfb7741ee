//! An x86-64 encoder for code generators: vector and mask instructions from one table with VEX and EVEX forms, the general-purpose
//! instructions that control flow and addresses need, labels, and a pool of constants behind the code.
//!
//! What is encoded does not depend on where it will run: labels and constants are reached relative to the program counter.
//!
//! ```
//! use wavejit_x86::{Asm, Gpr, Len, Op, Rm, Vector};
//! let mut a = Asm::new();
//! // zmm3 {k1} = zmm1 + zmm2
//! a.vector(Vector::new(Op::Paddd, Len::Z, 3, 1, Rm::Reg(2)).mask(1));
//! a.ret();
//! assert_eq!(a.finish().unwrap().bytes, [0x62, 0xf1, 0x75, 0x49, 0xfe, 0xda, 0xc3]);
//! ```
//!
//! Files: `table` the vector and mask instructions, `encode` their bytes, `general` the other instructions, `asm` labels and constants.

mod asm;
mod encode;
mod general;
pub mod table;

pub use asm::{Asm, Constant, Finished, Label, Moved, Touch, UnboundLabel};
pub use encode::{Len, Rm, Vector};
pub use general::{Alu, Cond, Shift, Size};
pub use table::Op;

/// A general-purpose register, by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Gpr(pub u8);

#[allow(missing_docs)] // the registers' own names
impl Gpr {
    pub const RAX: Gpr = Gpr(0);
    pub const RCX: Gpr = Gpr(1);
    pub const RDX: Gpr = Gpr(2);
    pub const RBX: Gpr = Gpr(3);
    pub const RSP: Gpr = Gpr(4);
    pub const RBP: Gpr = Gpr(5);
    pub const RSI: Gpr = Gpr(6);
    pub const RDI: Gpr = Gpr(7);
    pub const R8: Gpr = Gpr(8);
    pub const R9: Gpr = Gpr(9);
    pub const R10: Gpr = Gpr(10);
    pub const R11: Gpr = Gpr(11);
    pub const R12: Gpr = Gpr(12);
    pub const R13: Gpr = Gpr(13);
    pub const R14: Gpr = Gpr(14);
    pub const R15: Gpr = Gpr(15);
}

/// What an address starts from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Base {
    /// A register.
    Reg(Gpr),
    /// A place in the code.
    Label(Label),
    /// A constant of the pool.
    Constant(Constant),
}

/// What is added to it, scaled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Index {
    /// A general-purpose register; not RSP.
    Gpr(Gpr),
    /// A vector register, in gathers and scatters.
    Vector(u8),
}

/// A memory operand: base + index * scale + displacement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mem {
    /// Base.
    pub base: Base,
    /// Index and scale (1, 2, 4, 8); only with a base register.
    pub index: Option<(Index, u8)>,
    /// Displacement in bytes.
    pub disp: i32,
}

impl Mem {
    /// `[base + disp]`
    pub const fn at(base: Gpr, disp: i32) -> Mem {
        Mem { base: Base::Reg(base), index: None, disp }
    }
    /// `[base + index * scale + disp]`
    pub fn indexed(base: Gpr, index: Gpr, scale: u8, disp: i32) -> Mem {
        Mem { base: Base::Reg(base), index: Some((Index::Gpr(index), scale)), disp }
    }
    /// `[base + vector index * scale + disp]`
    pub fn gather(base: Gpr, index: u8, scale: u8, disp: i32) -> Mem {
        Mem { base: Base::Reg(base), index: Some((Index::Vector(index), scale)), disp }
    }
    /// A constant.
    pub fn constant(c: Constant) -> Mem {
        Mem { base: Base::Constant(c), index: None, disp: 0 }
    }
    /// The same, `bytes` further.
    #[must_use]
    pub fn plus(self, bytes: i32) -> Mem {
        Mem { disp: self.disp + bytes, ..self }
    }
}
