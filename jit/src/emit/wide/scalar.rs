//! Pure operations on scalars, and logic on masks.

use super::pins::Address;
use super::regs::{Class, Home, NONE, Parts};
use super::{Wide, X};
use crate::emit::EmitError;
use wavejit_ir::{FpMode, Op, PureOp, SReg, Ty, Value, Width};
use wavejit_x86::{Alu, Asm, Cond, Gpr, Mem, Shift, Size};

impl<'a> Wide<'a> {
    pub(super) fn scalar_pure(&mut self, r: Value, op: PureOp, mode: FpMode, args: &[Option<Value>; 3]) -> Result<(), EmitError> {
        use PureOp::*;
        if self.func.ty(r) == Ty::MASK && self.mask_logic(r, op, args) {
            return Ok(());
        }
        let arg = |i: usize| args[i].expect("the verifier has counted the operands");
        let size = |op: PureOp| if op.args()[0] == Width::B64 || op.args().get(1) == Some(&Width::B64) { Size::Q } else { Size::D };
        let is_mask = self.func.ty(r) == Ty::MASK;
        // Bits of masks are words of as many bits as the wave has lanes.
        let size = if is_mask { if self.is_wave64() { Size::Q } else { Size::D } } else { size(op) };
        match op {
            BAnd | And32 | And64 => self.alu(r, Alu::And, size, arg(0), arg(1)),
            BOr | Or32 | Or64 => self.alu(r, Alu::Or, size, arg(0), arg(1)),
            BXor | Xor32 | Xor64 => self.alu(r, Alu::Xor, size, arg(0), arg(1)),
            IAdd32 | IAdd64 => match self.flags.carry(self.at) {
                Some(carry) => self.add_carry(r, &carry),
                None => self.add(r, size, arg(0), arg(1)),
            },
            ISub32 | ISub64 => self.alu(r, Alu::Sub, size, arg(0), arg(1)),
            BAndNot => {
                let (x, y) = (self.scalar(arg(0)), self.scalar(arg(1)));
                let to = self.new_word(r);
                self.k(if size == Size::Q { X::AndnQ } else { X::Andn }, to.0, y.0, x.0);
            }
            BNot if is_mask => {
                let to = self.copy_word(r, arg(0));
                self.a.not(size, to);
            }
            BNot => {
                let to = self.copy_word(r, arg(0));
                self.a.alu_imm(Alu::Xor, Size::D, to, 1);
            }
            Not32 | Not64 => {
                let to = self.copy_word(r, arg(0));
                self.a.not(size, to);
            }
            Sel32 | Sel64 => {
                let size = if op == Sel64 { Size::Q } else { Size::D };
                let (c, x) = (self.scalar(arg(0)), self.scalar(arg(1)));
                let to = self.copy_word(r, arg(2));
                self.a.test(Size::D, c, c);
                self.a.cmov(Cond::Ne, size, to, x);
            }
            BToInt | ZExt64 => {
                let word = self.word(arg(0));
                self.set_word(r, word);
            }
            Lo64 => {
                let from = self.scalar(arg(0));
                let to = self.new_word(r);
                self.a.mov(Size::D, to, from);
            }
            Hi64 => {
                let to = self.copy_word(r, arg(0));
                self.a.shift(Shift::Shr, Size::Q, to, 32);
            }
            SExt64 => {
                let from = self.scalar(arg(0));
                let to = self.new_word(r);
                self.a.movsxd(to, from);
            }
            Pack64 => match (self.constant(arg(1)), self.constant(arg(0))) {
                (Some(high), Some(low)) => {
                    let to = self.new_word(r);
                    self.a.mov_imm(to, low & 0xffff_ffff | high << 32);
                }
                (Some(high), None) if high as u32 == 0 => {
                    let word = self.word(arg(0));
                    self.set_word(r, word);
                }
                _ => match self.pair_in_memory(arg(0), arg(1)) {
                    // Loaded when somebody wants it in a register; a splat does not.
                    Some(low) => {
                        let word = self.r.piece_at(Class::General, Home::SRegPair(low));
                        self.set_word(r, word);
                    }
                    None => {
                        let low = self.scalar(arg(0));
                        let to = self.copy_word(r, arg(1));
                        self.join_words(to, low);
                    }
                },
            },
            IMul32 | IMul64 => {
                let y = self.scalar(arg(1));
                let to = self.copy_word(r, arg(0));
                self.a.imul(size, to, y);
            }
            UMulHi32 | SMulHi32 | UMulWide32 | SMulWide32 => {
                let (x, y) = (self.scalar(arg(0)), self.scalar(arg(1)));
                let (to, t) = (self.new_word(r), self.temp_general());
                if matches!(op, SMulHi32 | SMulWide32) {
                    self.a.movsxd(to, x);
                    self.a.movsxd(t, y);
                } else {
                    self.a.mov(Size::D, to, x);
                    self.a.mov(Size::D, t, y);
                }
                self.a.imul(Size::Q, to, t);
                if matches!(op, UMulHi32 | SMulHi32) {
                    self.a.shift(Shift::Shr, Size::Q, to, 32);
                }
            }
            Shl32 | Shl64 => self.shift(r, Shift::Shl, op == Shl64, arg(0), arg(1)),
            LShr32 | LShr64 => self.shift(r, Shift::Shr, op == LShr64, arg(0), arg(1)),
            AShr32 | AShr64 => self.shift(r, Shift::Sar, op == AShr64, arg(0), arg(1)),
            RotL64 if self.constant(arg(1)).is_some() => self.shift(r, Shift::Rol, true, arg(0), arg(1)),
            BfeU32 => {
                let (Some(at), Some(width)) = (self.constant(arg(1)), self.constant(arg(2))) else {
                    return self.scalar_call(r, op, mode, args);
                };
                let (at, width) = (at as u8 & 31, width as u8 & 31);
                let to = self.copy_word(r, arg(0));
                if at != 0 {
                    self.a.shift(Shift::Shr, Size::D, to, at);
                }
                if at + width < 32 {
                    self.a.alu_imm(Alu::And, Size::D, to, ((1u32 << width) - 1) as i32);
                }
            }
            SMin32 => self.choose_of(r, Cond::G, arg(0), arg(1)),
            SMax32 => self.choose_of(r, Cond::L, arg(0), arg(1)),
            UMin32 => self.choose_of(r, Cond::A, arg(0), arg(1)),
            UMax32 => self.choose_of(r, Cond::B, arg(0), arg(1)),
            Popcnt32 | Popcnt64 => {
                let from = self.scalar(arg(0));
                let to = self.new_word(r);
                self.a.popcnt(size, to, from);
            }
            FfblB32 | FfblB64 => {
                let from = self.scalar(arg(0));
                self.first_bit(r, |a, to| a.tzcnt(if op == FfblB64 { Size::Q } else { Size::D }, to, from));
            }
            FfbhU32 | FfbhU64 => {
                let from = self.scalar(arg(0));
                self.first_bit(r, |a, to| a.lzcnt(if op == FfbhU64 { Size::Q } else { Size::D }, to, from));
            }
            FfbhI32 | FfbhI64 => {
                // Of the bits that differ from the sign.
                let size = if op == FfbhI64 { Size::Q } else { Size::D };
                let from = self.scalar(arg(0));
                let t = self.temp_general();
                self.a.mov(size, t, from);
                self.a.shift(Shift::Sar, size, t, if op == FfbhI64 { 63 } else { 31 });
                self.a.alu(Alu::Xor, size, t, from);
                self.first_bit(r, |a, to| a.lzcnt(size, to, t));
            }
            Wqm64 => {
                // The lowest lane of a quad for all of it, then all of it for that.
                const LOWEST: u64 = 0x1111_1111_1111_1111;
                let to = self.copy_word(r, arg(0));
                let t = self.temp_general();
                for n in [1, 2] {
                    self.a.mov(Size::Q, t, to);
                    self.a.shift(Shift::Shr, Size::Q, t, n);
                    self.a.alu(Alu::Or, Size::Q, to, t);
                }
                self.a.mov_imm(t, LOWEST);
                self.a.alu(Alu::And, Size::Q, to, t);
                self.a.mov(Size::Q, t, to);
                self.a.shift(Shift::Shl, Size::Q, t, 4);
                self.a.alu(Alu::Sub, Size::Q, t, to);
                self.a.mov(Size::Q, to, t);
            }
            _ => match condition(op) {
                Some(cond) => {
                    let to = self.new_word(r);
                    self.a.mov_imm(to, 0);
                    self.flags_of(arg(0), arg(1), size);
                    self.a.set(cond, to);
                }
                None => return self.scalar_call(r, op, mode, args),
            },
        }
        Ok(())
    }

    /// What `count` counts, which sets the carry if there is no bit: then all ones, in 32 bits.
    fn first_bit(&mut self, r: Value, count: impl FnOnce(&mut Asm, Gpr)) {
        let (to, none) = (self.new_word(r), self.temp_general());
        self.a.mov_imm(none, 0xffff_ffff);
        count(&mut self.a, to);
        self.a.cmov(Cond::B, Size::D, to, none);
    }

    /// The first of two scalar registers, one behind the other, that hold these two and are in memory only, if nothing else needs either: one load gives both.
    fn pair_in_memory(&mut self, low: Value, high: Value) -> Option<SReg> {
        let mut home = |v: Value| {
            let word = self.word(v);
            let piece = self.r.pieces[word as usize];
            match piece.home {
                Home::SReg(reg) if piece.reg.is_none() && self.dies(v) => Some(reg),
                _ => None,
            }
        };
        let (low, high) = (home(low)?, home(high)?);
        (u16::from(high.0) == u16::from(low.0) + 1).then_some(low)
    }

    /// `high` = 64 bits of which it has been the upper word; `low` has zeros above.
    pub(super) fn join_words(&mut self, high: Gpr, low: Gpr) {
        self.a.shift(Shift::Shl, Size::Q, high, 32);
        self.a.alu(Alu::Or, Size::Q, high, low);
    }

    /// A constant that an instruction can hold: sign-extended from 32 bits.
    pub(super) fn immediate(&self, v: Value, size: Size) -> Result<i32, ()> {
        let bits = self.constant(v).ok_or(())?;
        match size {
            Size::D => Ok(bits as u32 as i32),
            Size::Q => i32::try_from(bits as i64).map_err(|_| ()),
        }
    }

    /// A register for the result that begins as `v`.
    pub(super) fn copy_word(&mut self, r: Value, v: Value) -> Gpr {
        let from = self.scalar(v);
        let to = self.new_word(r);
        self.a.mov(Size::Q, to, from);
        to
    }

    fn alu(&mut self, r: Value, op: Alu, size: Size, x: Value, y: Value) {
        if let Ok(imm) = self.immediate(y, size) {
            let to = self.copy_word(r, x);
            return self.a.alu_imm(op, size, to, imm);
        }
        let y = self.scalar(y);
        let to = self.copy_word(r, x);
        self.a.alu(op, size, to, y);
    }

    fn add(&mut self, r: Value, size: Size, x: Value, y: Value) {
        let immediate = self.immediate(y, size);
        let from = self.scalar(x);
        let sum = match immediate {
            Ok(imm) => Mem::at(from, imm),
            Err(()) => {
                let y = self.scalar(y);
                Mem::indexed(from, y, 1, 0)
            }
        };
        let to = self.new_word(r);
        self.a.lea(size, to, sum);
    }

    fn shift(&mut self, r: Value, op: Shift, is_wide: bool, x: Value, n: Value) {
        let size = if is_wide { Size::Q } else { Size::D };
        if let Some(n) = self.constant(n) {
            let to = self.copy_word(r, x);
            let n = n as u8 & if is_wide { 63 } else { 31 };
            if n != 0 {
                self.a.shift(op, size, to, n);
            }
            return;
        }
        let (x, n) = (self.scalar(x), self.scalar(n));
        let to = self.new_word(r);
        let op = match (op, is_wide) {
            (Shift::Shl, false) => X::Shlx,
            (Shift::Shr, false) => X::Shrx,
            (_, false) => X::Sarx,
            (Shift::Shl, true) => X::ShlxQ,
            (Shift::Shr, true) => X::ShrxQ,
            (_, true) => X::SarxQ,
        };
        self.k(op, to.0, n.0, x.0);
    }

    /// The first, or the second if `cond` holds between them.
    fn choose_of(&mut self, r: Value, cond: Cond, x: Value, y: Value) {
        let y = self.scalar(y);
        let to = self.copy_word(r, x);
        self.a.alu(Alu::Cmp, Size::D, to, y);
        self.a.cmov(cond, Size::D, to, y);
    }

    /// Logic on masks in mask registers, if they are there; false: on words.
    fn mask_logic(&mut self, r: Value, op: PureOp, args: &[Option<Value>; 3]) -> bool {
        use PureOp::*;
        let values: Vec<Value> = args.iter().flatten().copied().collect();
        if let Some(other) = self.needless.get(&r) {
            let other = *other;
            let val = *self.val(other);
            if val.lo[self.index()] == NONE && val.hi[self.index()] != NONE {
                self.set_order_of_qwords(r, val.hi);
            } else {
                let parts = self.mask_parts(other);
                self.set_lo(r, parts);
            }
            return true;
        }
        if let Some(compared) = self.under.get(&r) {
            let parts = self.val(*compared).lo;
            self.set_lo(r, parts);
            return true;
        }
        // What all are as words is done on words, which is less than mask registers take. So is what is only wanted as a word, if one is there as a word:
        // a mask that a loop hands on (EXEC, mostly) then does not go through mask registers in each round.
        let is_word = |v: &Value| self.val(*v).word != NONE;
        let on_words = values.iter().all(is_word) || values.iter().any(is_word) && self.is_wanted_as_word(r);
        if !matches!(op, BAnd | BOr | BXor | BAndNot | BNot) || self.part.is_none() && on_words {
            return false;
        }
        let are_of_qwords = values.iter().all(|v| self.val(*v).hi[self.index()] != NONE) && self.is_for_qwords(r);
        let parts: Vec<Parts> = values.iter().map(|v| if are_of_qwords { self.val(*v).hi } else { self.mask_parts(*v) }).collect();
        let out = self.each_part(&parts, |w, part| {
            let regs: Vec<u8> = part.ops.iter().map(|p| w.reg(*p)).collect();
            let (new, to) = w.new_in_register(Class::Mask);
            match (op, &regs[..]) {
                (BNot, [x]) => w.k(X::Knotw, to, 0, *x),
                (BAnd, [x, y]) => w.k(X::Kandw, to, *x, *y),
                (BOr, [x, y]) => w.k(X::Korw, to, *x, *y),
                (BXor, [x, y]) => w.k(X::Kxorw, to, *x, *y),
                (_, [x, y]) => w.k(X::Kandnw, to, *y, *x),
                _ => unreachable!("one or two operands"),
            }
            new
        });
        if are_of_qwords {
            self.set_order_of_qwords(r, out);
        } else {
            self.set_lo(r, out);
        }
        true
    }

    /// Is this mask used only for its bits?
    fn is_wanted_as_word(&self, mask: Value) -> bool {
        let insts = &self.func.blocks[self.r.block].insts;
        self.uses(mask).iter().all(|at| matches!(insts.get(*at as usize).map(|i| &i.op), Some(Op::MaskBits(_) | Op::ExecSet(_))))
    }

    /// A rare operation, through the interpreter's function for it.
    fn scalar_call(&mut self, r: Value, op: PureOp, mode: FpMode, args: &[Option<Value>; 3]) -> Result<(), EmitError> {
        self.may_call()?;
        let number = PureOp::ALL.iter().position(|o| *o == op).expect("every operation is listed");
        let operands: Vec<Option<Gpr>> = args.iter().map(|v| v.map(|v| self.scalar(v))).collect();
        self.before_call();
        let mut list = vec![(Gpr::RDI, Arg::Imm(number as u64)), (Gpr::RSI, Arg::Imm(mode.0.into()))];
        for (to, from) in [Gpr::RDX, Gpr::RCX, Gpr::R8].into_iter().zip(operands) {
            list.push((to, from.map_or(Arg::Imm(0), Arg::Reg)));
        }
        self.call_host(Address::Scalar, &list);
        self.take_result(r);
        if self.func.ty(r).width != Width::B64 {
            let to = self.scalar(r);
            self.a.mov(Size::D, to, to);
        }
        Ok(())
    }
}

pub(super) use super::calls::Arg;

/// The condition that a comparison of integers is for.
pub(super) fn condition(op: PureOp) -> Option<Cond> {
    use PureOp::*;
    Some(match op {
        ICmpEq32 | ICmpEq64 => Cond::E,
        ICmpNe32 | ICmpNe64 => Cond::Ne,
        ICmpSlt32 | ICmpSlt64 => Cond::L,
        ICmpSle32 | ICmpSle64 => Cond::Le,
        ICmpSgt32 | ICmpSgt64 => Cond::G,
        ICmpSge32 | ICmpSge64 => Cond::Ge,
        ICmpUlt32 | ICmpUlt64 => Cond::B,
        ICmpUle32 | ICmpUle64 => Cond::Be,
        ICmpUgt32 | ICmpUgt64 => Cond::A,
        ICmpUge32 | ICmpUge64 => Cond::Ae,
        _ => return None,
    })
}
