//! General-purpose instructions: what addresses, scalars and control flow need.

use crate::asm::Head;
use crate::{Asm, Base, Gpr, Index, Label, Mem};

/// Width of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Size {
    /// 32 bits; the upper half of the destination becomes zero.
    D,
    /// 64 bits.
    Q,
}

/// Arithmetic and logic of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // mnemonics
pub enum Alu {
    Add = 0,
    Or = 1,
    Adc = 2,
    Sbb = 3,
    And = 4,
    Sub = 5,
    Xor = 6,
    Cmp = 7,
}

/// Shifts and rotations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Shift {
    Rol = 0,
    Ror = 1,
    Shl = 4,
    Shr = 5,
    Sar = 7,
}

/// Conditions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Cond {
    O = 0,
    No = 1,
    B = 2,
    Ae = 3,
    E = 4,
    Ne = 5,
    Be = 6,
    A = 7,
    S = 8,
    Ns = 9,
    P = 10,
    Np = 11,
    L = 12,
    Ge = 13,
    Le = 14,
    G = 15,
}

impl std::ops::Not for Cond {
    type Output = Cond;

    /// The condition that holds where this one does not.
    fn not(self) -> Cond {
        use Cond::*;
        const ALL: [Cond; 16] = [O, No, B, Ae, E, Ne, Be, A, S, Ns, P, Np, L, Ge, Le, G];
        ALL[self as usize ^ 1]
    }
}

impl Head {
    /// REX for registers `reg`, `index` and `base`.
    #[inline(always)]
    fn rex(&mut self, size: Size, reg: u8, index: u8, base: u8, force: bool) {
        let rex = 0x40 | u8::from(size == Size::Q) << 3 | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3;
        if rex != 0x40 || force {
            self.push(rex);
        }
    }

    #[inline(always)]
    fn rex_mem(&mut self, size: Size, reg: u8, m: &Mem, force: bool) {
        let index = if let Some((Index::Gpr(g), _)) = m.index { g.0 } else { 0 };
        let base = if let Base::Reg(g) = m.base { g.0 } else { 0 };
        self.rex(size, reg, index, base, force);
    }
}

impl Asm {
    /// REX for registers `reg`, `index` and `base`.
    fn rex(&mut self, size: Size, reg: u8, index: u8, base: u8, force: bool) {
        let mut head = Head::default();
        head.rex(size, reg, index, base, force);
        self.head(head);
    }

    #[inline(always)]
    fn rr(&mut self, size: Size, prefix: &[u8], opcode: &[u8], reg: u8, rm: u8) {
        self.counted();
        let mut head = Head::default();
        prefix.iter().for_each(|byte| head.push(*byte));
        head.rex(size, reg, 0, rm, false);
        opcode.iter().for_each(|byte| head.push(*byte));
        head.push(0xc0 | (reg & 7) << 3 | rm & 7);
        self.head(head);
    }

    #[inline(always)]
    fn rm(&mut self, size: Size, prefix: &[u8], opcode: &[u8], reg: u8, m: &Mem, trailing: u32) {
        self.counted();
        let mut head = Head::default();
        prefix.iter().for_each(|byte| head.push(*byte));
        head.rex_mem(size, reg, m, false);
        opcode.iter().for_each(|byte| head.push(*byte));
        self.modrm(head, reg & 7, m, [0, 3], trailing);
    }

    /// to = from
    pub fn mov(&mut self, size: Size, to: Gpr, from: Gpr) {
        self.rr(size, &[], &[0x8b], to.0, from.0);
    }
    /// to = value, in the shortest form; flags stay.
    pub fn mov_imm(&mut self, to: Gpr, value: u64) {
        self.counted();
        if let Ok(v) = u32::try_from(value) {
            self.rex(Size::D, 0, 0, to.0, false);
            self.bytes(&[0xb8 | to.0 & 7]);
            self.bytes(&v.to_le_bytes());
        } else if let Ok(v) = i32::try_from(value as i64) {
            self.rex(Size::Q, 0, 0, to.0, false);
            self.bytes(&[0xc7, 0xc0 | to.0 & 7]);
            self.bytes(&v.to_le_bytes());
        } else {
            self.rex(Size::Q, 0, 0, to.0, false);
            self.bytes(&[0xb8 | to.0 & 7]);
            self.bytes(&value.to_le_bytes());
        }
    }
    /// to = memory
    pub fn load(&mut self, size: Size, to: Gpr, from: Mem) {
        self.rm(size, &[], &[0x8b], to.0, &from, 0);
    }
    /// memory = from
    pub fn store(&mut self, size: Size, to: Mem, from: Gpr) {
        self.rm(size, &[], &[0x89], from.0, &to, 0);
    }
    /// memory = value; 64 bits are sign-extended from 32.
    pub fn store_imm(&mut self, size: Size, to: Mem, value: i32) {
        self.rm(size, &[], &[0xc7], 0, &to, 4);
        self.bytes(&value.to_le_bytes());
    }
    /// to = zero-extended byte
    pub fn load_u8(&mut self, to: Gpr, from: Mem) {
        self.rm(Size::D, &[], &[0x0f, 0xb6], to.0, &from, 0);
    }
    /// to = zero-extended 16 bits
    pub fn load_u16(&mut self, to: Gpr, from: Mem) {
        self.rm(Size::D, &[], &[0x0f, 0xb7], to.0, &from, 0);
    }
    /// Low byte to memory.
    pub fn store8(&mut self, to: Mem, from: Gpr) {
        self.counted();
        let mut head = Head::default();
        head.rex_mem(Size::D, from.0, &to, from.0 >= 4);
        head.push(0x88);
        self.modrm(head, from.0 & 7, &to, [0, 3], 0);
    }
    /// Low 16 bits to memory.
    pub fn store16(&mut self, to: Mem, from: Gpr) {
        self.rm(Size::D, &[0x66], &[0x89], from.0, &to, 0);
    }
    /// to = address
    pub fn lea(&mut self, size: Size, to: Gpr, m: Mem) {
        self.counted();
        let mut head = Head::default();
        head.rex_mem(size, to.0, &m, false);
        head.push(0x8d);
        // Whoever has an address may reach anything.
        self.modrm(head, to.0 & 7, &m, [0, 31], 0);
    }
    /// to = sign-extended low 32 bits
    pub fn movsxd(&mut self, to: Gpr, from: Gpr) {
        self.rr(Size::Q, &[], &[0x63], to.0, from.0);
    }
    /// to = zero-extended low byte
    pub fn movzx8(&mut self, to: Gpr, from: Gpr) {
        self.counted();
        self.rex(Size::D, to.0, 0, from.0, from.0 >= 4);
        self.bytes(&[0x0f, 0xb6, 0xc0 | (to.0 & 7) << 3 | from.0 & 7]);
    }
    /// to = sign-extended low byte
    pub fn movsx8(&mut self, to: Gpr, from: Gpr) {
        self.counted();
        self.rex(Size::D, to.0, 0, from.0, from.0 >= 4);
        self.bytes(&[0x0f, 0xbe, 0xc0 | (to.0 & 7) << 3 | from.0 & 7]);
    }
    /// to = sign-extended low 16 bits
    pub fn movsx16(&mut self, to: Gpr, from: Gpr) {
        self.rr(Size::D, &[], &[0x0f, 0xbf], to.0, from.0);
    }
    /// to = to op from
    pub fn alu(&mut self, op: Alu, size: Size, to: Gpr, from: Gpr) {
        self.rr(size, &[], &[(op as u8) << 3 | 3], to.0, from.0);
    }
    /// to = to op memory
    pub fn alu_load(&mut self, op: Alu, size: Size, to: Gpr, from: Mem) {
        self.rm(size, &[], &[(op as u8) << 3 | 3], to.0, &from, 0);
    }
    /// memory = memory op from
    pub fn alu_store(&mut self, op: Alu, size: Size, to: Mem, from: Gpr) {
        self.rm(size, &[], &[(op as u8) << 3 | 1], from.0, &to, 0);
    }
    /// to = to op value (sign-extended)
    pub fn alu_imm(&mut self, op: Alu, size: Size, to: Gpr, value: i32) {
        self.counted();
        self.rex(size, 0, 0, to.0, false);
        let modrm = 0xc0 | (op as u8) << 3 | to.0 & 7;
        if let Ok(v) = i8::try_from(value) {
            self.bytes(&[0x83, modrm, v as u8]);
        } else {
            self.bytes(&[0x81, modrm]);
            self.bytes(&value.to_le_bytes());
        }
    }
    /// memory = memory op value (sign-extended)
    pub fn alu_store_imm(&mut self, op: Alu, size: Size, to: Mem, value: i32) {
        if let Ok(v) = i8::try_from(value) {
            self.rm(size, &[], &[0x83], op as u8, &to, 1);
            self.bytes(&[v as u8]);
        } else {
            self.rm(size, &[], &[0x81], op as u8, &to, 4);
            self.bytes(&value.to_le_bytes());
        }
    }
    /// memory = memory op from, as one step for all threads.
    pub fn lock_alu_store(&mut self, op: Alu, size: Size, to: Mem, from: Gpr) {
        self.bytes(&[0xf0]);
        self.alu_store(op, size, to, from);
    }
    /// Adds `with` to memory and gives what was there before, as one step for all threads.
    pub fn lock_xadd(&mut self, size: Size, to: Mem, with: Gpr) {
        self.rm(size, &[0xf0], &[0x0f, 0xc1], with.0, &to, 0);
    }
    /// Adds `with` to memory and gives what was there before.
    pub fn xadd(&mut self, size: Size, to: Mem, with: Gpr) {
        self.rm(size, &[], &[0x0f, 0xc1], with.0, &to, 0);
    }
    /// Where memory is what rax has, `with` is stored; else rax = memory. As one step for all threads; the zero flag says which.
    pub fn lock_cmpxchg(&mut self, size: Size, to: Mem, with: Gpr) {
        self.rm(size, &[0xf0], &[0x0f, 0xb1], with.0, &to, 0);
    }
    /// Exchanges memory and `with`, as one step for all threads.
    pub fn xchg(&mut self, size: Size, to: Mem, with: Gpr) {
        self.rm(size, &[], &[0x87], with.0, &to, 0);
    }
    /// Flags of a & b.
    pub fn test(&mut self, size: Size, a: Gpr, b: Gpr) {
        self.rr(size, &[], &[0x85], b.0, a.0);
    }
    /// Flags of a & value (sign-extended).
    pub fn test_imm(&mut self, size: Size, a: Gpr, value: i32) {
        self.counted();
        self.rex(size, 0, 0, a.0, false);
        self.bytes(&[0xf7, 0xc0 | a.0 & 7]);
        self.bytes(&value.to_le_bytes());
    }
    /// Carry = bit `n` of `a`.
    pub fn bt_imm(&mut self, size: Size, a: Gpr, n: u8) {
        self.counted();
        self.rex(size, 0, 0, a.0, false);
        self.bytes(&[0x0f, 0xba, 0xe0 | a.0 & 7, n]);
    }
    /// Carry = bit `n` of `a`, n modulo the size.
    pub fn bt(&mut self, size: Size, a: Gpr, n: Gpr) {
        self.rr(size, &[], &[0x0f, 0xa3], n.0, a.0);
    }
    /// to = ~to
    pub fn not(&mut self, size: Size, to: Gpr) {
        self.rr(size, &[], &[0xf7], 2, to.0);
    }
    /// to = -to
    pub fn neg(&mut self, size: Size, to: Gpr) {
        self.rr(size, &[], &[0xf7], 3, to.0);
    }
    /// to = to * from
    pub fn imul(&mut self, size: Size, to: Gpr, from: Gpr) {
        self.rr(size, &[], &[0x0f, 0xaf], to.0, from.0);
    }
    /// Shifts by a constant.
    pub fn shift(&mut self, op: Shift, size: Size, to: Gpr, by: u8) {
        self.counted();
        self.rex(size, 0, 0, to.0, false);
        self.bytes(&[0xc1, 0xc0 | (op as u8) << 3 | to.0 & 7, by]);
    }
    /// Set bits; zeros from the top; zeros from the bottom (the size if there is none set).
    pub fn popcnt(&mut self, size: Size, to: Gpr, from: Gpr) {
        self.rr(size, &[0xf3], &[0x0f, 0xb8], to.0, from.0);
    }
    /// Zeros from the top; the size if no bit is set.
    pub fn lzcnt(&mut self, size: Size, to: Gpr, from: Gpr) {
        self.rr(size, &[0xf3], &[0x0f, 0xbd], to.0, from.0);
    }
    /// Zeros from the bottom; the size if no bit is set.
    pub fn tzcnt(&mut self, size: Size, to: Gpr, from: Gpr) {
        self.rr(size, &[0xf3], &[0x0f, 0xbc], to.0, from.0);
    }
    /// Bytes in reverse order.
    pub fn bswap(&mut self, size: Size, to: Gpr) {
        self.counted();
        self.rex(size, 0, 0, to.0, false);
        self.bytes(&[0x0f, 0xc8 | to.0 & 7]);
    }
    /// to = from if the condition holds
    pub fn cmov(&mut self, cond: Cond, size: Size, to: Gpr, from: Gpr) {
        self.rr(size, &[], &[0x0f, 0x40 | cond as u8], to.0, from.0);
    }
    /// Low byte = 0 or 1; the other bits stay.
    pub fn set(&mut self, cond: Cond, to: Gpr) {
        self.counted();
        self.rex(Size::D, 0, 0, to.0, to.0 >= 4);
        self.bytes(&[0x0f, 0x90 | cond as u8, 0xc0 | to.0 & 7]);
    }
    /// Goes to `label`.
    pub fn jmp(&mut self, label: Label) {
        self.counted();
        self.bytes(&[0xe9]);
        self.distance(label);
    }
    /// Goes to `label` if the condition holds.
    pub fn jcc(&mut self, cond: Cond, label: Label) {
        self.counted();
        self.bytes(&[0x0f, 0x80 | cond as u8]);
        self.distance(label);
    }
    /// Goes to an address in a register.
    pub fn jmp_reg(&mut self, to: Gpr) {
        self.rr(Size::D, &[], &[0xff], 4, to.0);
    }
    /// Calls code at `label`.
    pub fn call(&mut self, label: Label) {
        self.counted();
        self.bytes(&[0xe8]);
        self.distance(label);
    }
    /// Calls an address in a register.
    pub fn call_reg(&mut self, to: Gpr) {
        self.rr(Size::D, &[], &[0xff], 2, to.0);
    }
    /// Calls an address in memory.
    pub fn call_mem(&mut self, m: Mem) {
        self.rm(Size::D, &[], &[0xff], 2, &m, 0);
    }
    /// Returns.
    pub fn ret(&mut self) {
        self.counted();
        self.bytes(&[0xc3]);
    }
    /// Puts a register on the stack.
    pub fn push(&mut self, r: Gpr) {
        self.counted();
        self.rex(Size::D, 0, 0, r.0, false);
        self.bytes(&[0x50 | r.0 & 7]);
    }
    /// Takes a register from the stack.
    pub fn pop(&mut self, r: Gpr) {
        self.counted();
        self.rex(Size::D, 0, 0, r.0, false);
        self.bytes(&[0x58 | r.0 & 7]);
    }
    /// Asks for the line of an address in the caches from `nearest` (1 or 2) on; never faults.
    pub fn prefetch(&mut self, nearest: u8, m: Mem) {
        self.rm(Size::D, &[], &[0x0f, 0x18], nearest, &m, 0);
    }
    /// Upper halves of vector registers become zero.
    pub fn vzeroupper(&mut self) {
        self.counted();
        self.bytes(&[0xc5, 0xf8, 0x77]);
    }
    /// An instruction that cannot be executed.
    pub fn ud2(&mut self) {
        self.counted();
        self.bytes(&[0x0f, 0x0b]);
    }
}
