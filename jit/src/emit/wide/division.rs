//! v_div_scale, v_div_fmas and v_div_fixup, of which compilers make divisions; and quotients of mantissas, which they make where less precision is asked for
//! ([`Wide::divided_mantissas`]).
//!
//! The former do something only for operands near the ends of the exponent range, or beside it: zeros, denormals, infinities, NaNs. So one test
//! tells, for a pair of denominator and numerator, whether all lanes are far from there; the five operations of a division share it. If they
//! are, scaling changes nothing and asks for no scaling back, and fixing up gives the quotient its sign. Else the row function does it.
//!
//! What a load under EXEC leaves in the other lanes is undefined, and so is what is made of it: such lanes are not looked at. They hold whatever
//! a register held before, which is odd more often than not.

use super::lanes::UNORDERED;
use super::rare::Lanes;
use super::regs::{Class, NONE, Parts, PieceId};
use super::transcendental::DENORMAL;
use super::{Wide, X};
use wavejit_ir::{FpMode, Op, PureOp, Value, Width};
use wavejit_x86::{Alu, Cond, Gpr, Len, Mem, Rm, Size, Vector};

/// Operations between a value and the loads and registers that it is made of, at most, where its undefined lanes are looked for.
const MOST_STEPS: u32 = 6;
/// Compares as "not below", unsigned.
const NOT_BELOW: u8 = 5;

impl<'a> Wide<'a> {
    /// Emits the operation; false: it has no form here.
    pub(super) fn division(&mut self, r: Value, op: PureOp, mode: FpMode, args: &[Option<Value>; 3]) -> bool {
        use PureOp::*;
        let [Some(x), Some(d), Some(n)] = *args else { return false };
        let wide = op.args()[0] == Width::B64;
        if !(if wide { mode.is_plain16_64() } else { mode.is_plain32() }) {
            return false;
        }
        match op {
            DivScale32 | DivScale64 | DivScaleFlag32 | DivScaleFlag64 | DivFixup32 | DivFixup64 => {
                let odd = self.odd_lanes(d, n, wide);
                self.scale_or_fix(r, op, mode, [x, d, n], odd);
                true
            }
            DivFmasScaled32 | DivFmasScaled64 => match self.selected_by(r) {
                Some(mask) => {
                    self.selected_scaled_sum(r, op, mode, [x, d, n], mask);
                    true
                }
                None => false,
            },
            _ => false,
        }
    }

    /// Where in the frame stands whether a lane of these is not far from the ends: nonzero if so. Lanes in which one of them is undefined are left out.
    fn odd_lanes(&mut self, d: Value, n: Value, wide: bool) -> Mem {
        let part = self.part;
        if let Some(slot) = self.odd_divisions.get(&(d, n, part)) {
            return Mem::at(Gpr::RSP, *slot);
        }
        let slot = self.r.new_frame_slot();
        self.odd_divisions.insert((d, n, part), slot);
        let defined = self.defined_parts([d, n]);
        let tested = [d, n].map(|v| if wide { self.high_dwords(v) } else { self.val(v).lo });
        let k = self.temp_mask();
        self.k(X::Kxorw, k, k, k);
        // Without its sign, a number is a fraction from 2^-383 to 2^383 (f32: 2^-47 to 2^47): quotients are no more than 2^766 (2^94) apart. Exponents
        // of f64 are in the high dword.
        let (low, span) = if wide { ((1023 - 383) << 21, 766 << 21) } else { ((127 - 47) << 24, 94 << 24) };
        for parts in &tested {
            for p in self.slice() {
                if p > 0 && part.is_none() && parts[p] == parts[0] && defined.is_none() {
                    continue;
                }
                let pins = self.pins();
                let from = self.reg(parts[p]);
                let under = defined.map(|k| self.reg(k[p]));
                let (t, found) = (self.temp(), self.temp_mask());
                self.vi(X::PslldImm, 0, t, Rm::Reg(from), 1);
                let (low, span) = (self.splat32(low), self.splat32(span));
                self.v(X::Psubd, t, t, low);
                self.test_under(X::Pcmpud, found, t, span, NOT_BELOW, under);
                self.k(X::Korw, k, k, found);
                self.free_temp(Class::Vector, t);
                self.free_temp(Class::Mask, found);
                self.pin_only(pins);
            }
        }
        let t = self.temp_general();
        self.k(X::KmovwToGpr, t.0, 0, k);
        let at = Mem::at(Gpr::RSP, slot);
        self.a.store(Size::D, at, t);
        self.free_temp(Class::General, t.0);
        self.free_temp(Class::Mask, k);
        tested.iter().for_each(|parts| self.drop_parts(parts));
        at
    }

    /// k = the lanes, of those of `under` if there is such a mask, for which a comparison holds.
    fn test_under(&mut self, op: X, k: u8, a: u8, b: Rm, predicate: u8, under: Option<u8>) {
        let i = Vector::new(op, Len::Z, k, a, b).imm(predicate);
        self.vector(match under {
            Some(under) => i.mask(under),
            None => i,
        });
    }

    /// The high dwords of a value, which nobody owns yet unless it has them.
    fn high_dwords(&mut self, v: Value) -> Parts {
        let val = *self.val(v);
        if val.hi[self.index()] != NONE {
            return val.hi;
        }
        let quad = self.quad(v);
        self.each_part(&quad, |w, part| {
            let (a, b) = (w.reg(part.ops[0]), w.reg(part.ops[1]));
            let (new, to) = w.new_in_register(Class::Vector);
            w.vi(X::Shufps, to, a, Rm::Reg(b), 0xdd);
            new
        })
    }

    /// The mask registers of the lanes outside which one of these values is undefined, if that is known and they are at hand.
    fn defined_parts(&mut self, values: [Value; 2]) -> Option<Parts> {
        let mask = values.into_iter().find_map(|v| self.defined_under(v, MOST_STEPS))?;
        self.is_at_hand(mask).then(|| self.mask_parts(mask))
    }

    /// Can the mask be used here, though it is no operand? Not before its definition; and while a run goes part by part, an operation that is done
    /// once for all parts comes before the mask's later ones.
    fn is_at_hand(&self, mask: Value) -> bool {
        let val = self.val(mask);
        // What is made of a value after its last use would be left behind.
        let can_make = val.word != NONE && val.last >= self.at;
        val.def < self.at && (self.slice().all(|p| val.lo[p] != NONE) || val.lo[self.index()] == NONE && can_make)
    }

    /// A mask outside which a value is undefined: it was loaded under that mask, or comes from a register of which no other lanes are asked for.
    fn defined_under(&self, v: Value, steps: u32) -> Option<Value> {
        use PureOp::*;
        match *self.def(v) {
            Op::Load { exec, .. } => Some(exec),
            Op::VGet { demand, .. } => demand,
            Op::Pure { op, args, .. } if steps > 0 => match (op, args) {
                (Sel32 | Sel64, [_, Some(x), Some(y)]) => {
                    self.defined_under(x, steps - 1).filter(|m| self.defined_under(y, steps - 1) == Some(*m))
                }
                (
                    Pack64 | Lo64 | Hi64 | FAdd32 | FSub32 | FMul32 | FFma32 | FAdd64 | FSub64 | FMul64 | FFma64 | CvtF64F32 | CvtF32F64
                    | CvtF32I32 | CvtF32U32 | CvtF64I32 | CvtF64U32,
                    _,
                ) => args.iter().flatten().find_map(|v| self.defined_under(*v, steps - 1)),
                _ => None,
            },
            _ => None,
        }
    }

    fn scale_or_fix(&mut self, r: Value, op: PureOp, mode: FpMode, args: [Value; 3], odd: Mem) {
        let wide = op.args()[0] == Width::B64;
        let flag = op.ret() == Width::B1;
        let fixup = matches!(op, PureOp::DivFixup32 | PureOp::DivFixup64);
        let [_, d, n] = args;
        // AVX2 has no register for the mask, too.
        let defined = if fixup && !self.is_avx2() { self.defined_parts([d, n]) } else { None };
        if !wide {
            let mut parts = args.map(|v| self.val(v).lo).to_vec();
            parts.extend(defined);
            let out = self.each_part(&parts, |w, part| {
                let regs = [0, 1, 2].map(|i| w.reg(part.ops[i]));
                let operands = regs.map(Lanes::Dwords).to_vec();
                if flag {
                    return w.no_flag(op, mode, operands, odd);
                }
                let (new, to) = w.new_in_register(Class::Vector);
                if fixup {
                    let under = part.ops.get(3).map(|k| w.reg(*k));
                    w.signed_quotients(&[regs], &[to], false, under, odd);
                } else {
                    w.v(X::MovAligned, to, 0, Rm::Reg(regs[0]));
                    w.a.alu_store_imm(Alu::Cmp, Size::D, odd, 0);
                }
                w.rarely(Cond::Ne, op, mode, operands, Lanes::Dwords(to));
                new
            });
            return self.set_lo(r, out);
        }
        let [x, d, n] = args.map(|v| self.quad(v));
        let mut parts = vec![x[0], x[1], d[0], d[1], n[0], n[1]];
        parts.extend(defined);
        let registers = |w: &mut Self, ops: &[PieceId]| -> [u8; 6] { std::array::from_fn(|i| w.reg(ops[i])) };
        let qwords = |regs: [u8; 6]| [0, 2, 4].map(|i| Lanes::Qwords(regs[i], regs[i + 1])).to_vec();
        if flag {
            let out = self.each_part(&parts, |w, part| {
                let regs = registers(w, part.ops);
                w.no_flag(op, mode, qwords(regs), odd)
            });
            return self.set_lo(r, out);
        }
        let out = self.each_part_twice(&parts, |w, part| {
            let regs = registers(w, part.ops);
            let ((first, to), (second, to_2)) = (w.new_in_register(Class::Vector), w.new_in_register(Class::Vector));
            if fixup {
                let under = part.ops.get(6).map(|k| w.reg(*k));
                w.signed_quotients(&[[regs[0], regs[2], regs[4]], [regs[1], regs[3], regs[5]]], &[to, to_2], true, under, odd);
            } else {
                w.v(X::MovAligned, to, 0, Rm::Reg(regs[0]));
                w.v(X::MovAligned, to_2, 0, Rm::Reg(regs[1]));
                w.a.alu_store_imm(Alu::Cmp, Size::D, odd, 0);
            }
            w.rarely(Cond::Ne, op, mode, qwords(regs), Lanes::Qwords(to, to_2));
            [first, second]
        });
        self.set_quad(r, out);
    }

    /// The mask of no lane.
    fn no_flag(&mut self, op: PureOp, mode: FpMode, operands: Vec<Lanes>, odd: Mem) -> PieceId {
        let (new, k) = self.new_in_register(Class::Mask);
        self.k(X::Kxorw, k, k, k);
        self.a.alu_store_imm(Alu::Cmp, Size::D, odd, 0);
        self.rarely(Cond::Ne, op, mode, operands, Lanes::Mask(k));
        new
    }

    /// Quotients with the signs they must have. Leaves "not equal" if a lane is odd, or a quotient is a NaN in a lane of `under`.
    fn signed_quotients(&mut self, regs: &[[u8; 3]], to: &[u8], wide: bool, under: Option<u8>, odd: Mem) {
        let (sign, t) = (self.temp(), self.temp());
        let k = self.temp_mask();
        let word = self.temp_general();
        if wide {
            let m = self.element64(1 << 63);
            self.v(X::BroadcastQ, sign, 0, m);
        } else {
            let m = self.element32(1 << 31);
            self.v(X::Broadcast, sign, 0, m);
        }
        for ([q, d, n], to) in regs.iter().zip(to) {
            self.v(X::Pxord, t, *d, Rm::Reg(*n));
            self.v(X::MovAligned, *to, 0, Rm::Reg(*q));
            // sign ? t : quotient
            self.vi(X::Pternlogd, *to, t, Rm::Reg(sign), 0xd8);
        }
        if let [[first, ..], [second, ..]] = *regs {
            // Quiet NaNs are above infinity in their high dwords. Infinities are taken for them.
            self.vi(X::Shufps, t, first, Rm::Reg(second), 0xdd);
            self.vi(X::PslldImm, 0, t, Rm::Reg(t), 1);
            let infinity = self.splat32(0xffe0_0000);
            self.test_under(X::Pcmpud, k, t, infinity, NOT_BELOW, under);
        } else {
            self.test_under(X::Cmpps, k, regs[0][0], Rm::Reg(regs[0][0]), UNORDERED, under);
        }
        self.k(X::KmovwToGpr, word.0, 0, k);
        self.a.alu_load(Alu::Or, Size::D, word, odd);
    }

    /// The mask, if all that the value is for is to be one of two values that a mask selects from.
    fn selected_by(&self, r: Value) -> Option<Value> {
        let inst = self.func.blocks[self.r.block].insts.get(self.only_use(r)? as usize)?;
        match &inst.op {
            Op::Pure { op: PureOp::Sel32 | PureOp::Sel64, args: [Some(mask), Some(x), _], .. } if *x == r => {
                Some(*mask).filter(|mask| self.is_at_hand(*mask))
            }
            _ => None,
        }
    }

    /// The scaled sum in the 16 lanes in which one is selected; anything elsewhere.
    fn selected_scaled_sum(&mut self, r: Value, op: PureOp, mode: FpMode, args: [Value; 3], mask: Value) {
        // Other parts may have it selected where the first one has not.
        self.shares = false;
        let k = self.mask_parts(mask);
        if op.args()[0] == Width::B32 {
            let [a, b, c] = args.map(|v| self.val(v).lo);
            let out = self.each_part(&[k, a, b, c], |w, part| {
                let regs = [0, 1, 2, 3].map(|i| w.reg(part.ops[i]));
                let (new, to) = w.new_in_register(Class::Vector);
                w.v(X::Pxord, to, to, Rm::Reg(to));
                w.any(regs[0]);
                w.rarely(Cond::Ne, op, mode, [1, 2, 3].map(|i| Lanes::Dwords(regs[i])).to_vec(), Lanes::Dwords(to));
                new
            });
            return self.set_lo(r, out);
        }
        let [a, b, c] = args.map(|v| self.quad(v));
        let out = self.each_part_twice(&[k, a[0], a[1], b[0], b[1], c[0], c[1]], |w, part| {
            let regs: [u8; 7] = std::array::from_fn(|i| w.reg(part.ops[i]));
            let ((first, to), (second, to_2)) = (w.new_in_register(Class::Vector), w.new_in_register(Class::Vector));
            w.v(X::Pxord, to, to, Rm::Reg(to));
            w.v(X::Pxord, to_2, to_2, Rm::Reg(to_2));
            w.any(regs[0]);
            w.rarely(Cond::Ne, op, mode, [1, 3, 5].map(|i| Lanes::Qwords(regs[i], regs[i + 1])).to_vec(), Lanes::Qwords(to, to_2));
            [first, second]
        });
        self.set_quad(r, out);
    }

    /// Quotients of mantissas, by a reciprocal, with the difference of the exponents: n (1 / d), each rounded, unless d, its reciprocal or the quotient
    /// is a denormal. Where d is zero, an infinity or a NaN, these say the same.
    pub(super) fn divided_mantissas(&mut self, mode: FpMode, n: PieceId, d: PieceId, n_is_one: bool) -> PieceId {
        let (n, d) = (self.reg(n), self.reg(d));
        let (new, to) = self.new_in_register(Class::Vector);
        let [odd, of_d] = [self.temp_mask(), self.temp_mask()];
        self.vi(X::Fpclassps, of_d, 0, Rm::Reg(d), DENORMAL);
        if n_is_one {
            self.v(X::Divps, to, n, Rm::Reg(d));
            self.vi(X::Fpclassps, odd, 0, Rm::Reg(to), DENORMAL);
        } else {
            let of_q = self.temp_mask();
            let one = self.element32(1f32.to_bits());
            self.v(X::Broadcast, to, 0, one);
            self.v(X::Divps, to, to, Rm::Reg(d));
            self.vi(X::Fpclassps, odd, 0, Rm::Reg(to), DENORMAL);
            self.v(X::Mulps, to, n, Rm::Reg(to));
            self.vi(X::Fpclassps, of_q, 0, Rm::Reg(to), DENORMAL);
            self.k(X::Korw, odd, odd, of_q);
            self.free_temp(Class::Mask, of_q);
        }
        self.k(X::Kortestw, odd, 0, of_d);
        self.rarely(Cond::Ne, PureOp::FDivMant32, mode, vec![Lanes::Dwords(n), Lanes::Dwords(d)], Lanes::Dwords(to));
        self.free_temp(Class::Mask, odd);
        self.free_temp(Class::Mask, of_d);
        new
    }
}
