//! Pure lane operations of 32 bits and less.

use super::flushing;
use super::regs::{Class, Home, NO_PARTS, NONE, Parts, PieceId};
use super::{Wide, X};
use crate::emit::EmitError;
use crate::opt::logic;
use wavejit_ir::{FpMode, Inst, Op, PureOp, Ty, Value, Width};
use wavejit_x86::{Len, Rm, Vector};

/// Predicates of vpcmp.
pub(super) const EQ: u8 = 0;
pub(super) const LT: u8 = 1;
pub(super) const LE: u8 = 2;
pub(super) const NE: u8 = 4;
pub(super) const GE: u8 = 5;
pub(super) const GT: u8 = 6;

/// Predicates of vcmpps and vcmppd: none of two is a NaN; one is.
pub(super) const ORDERED: u8 = 7;
pub(super) const UNORDERED: u8 = 3;

/// vpternlogd: x ? y : z.
const CHOICE: u8 = 0xca;

/// The signed or unsigned comparison of an integer condition, and its predicate: (unsigned, predicate).
pub(super) fn int_condition(op: PureOp) -> Option<(bool, u8)> {
    use PureOp::*;
    Some(match op {
        ICmpEq32 | ICmpEq64 => (false, EQ),
        ICmpNe32 | ICmpNe64 => (false, NE),
        ICmpSlt32 | ICmpSlt64 => (false, LT),
        ICmpSle32 | ICmpSle64 => (false, LE),
        ICmpSgt32 | ICmpSgt64 => (false, GT),
        ICmpSge32 | ICmpSge64 => (false, GE),
        ICmpUlt32 | ICmpUlt64 => (true, LT),
        ICmpUle32 | ICmpUle64 => (true, LE),
        ICmpUgt32 | ICmpUgt64 => (true, GT),
        ICmpUge32 | ICmpUge64 => (true, GE),
        _ => return None,
    })
}

/// The same for conditions of the low 16 bits.
fn half_condition(op: PureOp) -> Option<(bool, u8)> {
    use PureOp::*;
    Some(match op {
        ICmpEq16 => (false, EQ),
        ICmpNe16 => (false, NE),
        ICmpSlt16 => (false, LT),
        ICmpSle16 => (false, LE),
        ICmpSgt16 => (false, GT),
        ICmpSge16 => (false, GE),
        ICmpUlt16 => (true, LT),
        ICmpUle16 => (true, LE),
        ICmpUgt16 => (true, GT),
        ICmpUge16 => (true, GE),
        _ => return None,
    })
}

/// The predicate of vcmpps and vcmppd for a float condition: none signals.
pub(super) fn float_condition(op: PureOp) -> Option<u8> {
    use PureOp::*;
    Some(match op {
        FCmpLt32 | FCmpLt64 => 0x11,
        FCmpEq32 | FCmpEq64 => 0x00,
        FCmpLe32 | FCmpLe64 => 0x12,
        FCmpGt32 | FCmpGt64 => 0x1e,
        FCmpLg32 | FCmpLg64 => 0x0c,
        FCmpGe32 | FCmpGe64 => 0x1d,
        FCmpO32 | FCmpO64 => 0x07,
        FCmpU32 | FCmpU64 => 0x03,
        FCmpNge32 | FCmpNge64 => 0x19,
        FCmpNlg32 | FCmpNlg64 => 0x08,
        FCmpNgt32 | FCmpNgt64 => 0x1a,
        FCmpNle32 | FCmpNle64 => 0x16,
        FCmpNeq32 | FCmpNeq64 => 0x04,
        FCmpNlt32 | FCmpNlt64 => 0x15,
        _ => return None,
    })
}

/// The predicate for operands the other way round.
fn mirrored(op: X, predicate: u8) -> u8 {
    const FLOATS: [(u8, u8); 4] = [(0x11, 0x1e), (0x12, 0x1d), (0x15, 0x1a), (0x16, 0x19)];
    const INTEGERS: [(u8, u8); 2] = [(LT, GT), (LE, GE)];
    let pairs = if op == X::Cmpps { &FLOATS[..] } else { &INTEGERS };
    let other = |(x, y): &(u8, u8)| if *x == predicate { Some(*y) } else { (*y == predicate).then_some(*x) };
    pairs.iter().find_map(other).unwrap_or(predicate)
}

/// The operands of one part of an operation.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub ops: &'a [PieceId],
    /// Those whose register may be written if nobody else needs it.
    pub free: &'a [PieceId],
}

/// A few pieces.
struct Pieces {
    list: [PieceId; Pieces::MOST],
    len: usize,
}

impl Pieces {
    /// What operations take at most: four qwords.
    const MOST: usize = 8;

    fn of(pieces: impl Iterator<Item = PieceId>) -> Pieces {
        let mut found = Pieces { list: [NONE; Pieces::MOST], len: 0 };
        for p in pieces {
            found.list[found.len] = p;
            found.len += 1;
        }
        found
    }
}

impl std::ops::Deref for Pieces {
    type Target = [PieceId];

    fn deref(&self) -> &[PieceId] {
        &self.list[..self.len]
    }
}

impl<'a> Wide<'a> {
    pub(super) fn pure(&mut self, inst: &Inst, op: PureOp, mode: FpMode, args: &[Option<Value>; 3]) -> Result<(), EmitError> {
        let r = inst.first;
        if !self.has_lanes(r, args) {
            return self.scalar_pure(r, op, mode, args);
        }
        let wide = |v: &Option<Value>| v.is_some_and(|v| self.func.ty(v).width == Width::B64);
        let is_wide = self.func.ty(r).width == Width::B64 || args.iter().any(wide);
        self.shares = self.is_shared(r);
        let done = if is_wide { self.wide_lanes(r, op, mode, args) } else { self.lanes(r, op, mode, args) };
        let done = done || self.division(r, op, mode, args);
        self.shares = false;
        if done { Ok(()) } else { self.row_function(r, op, mode, args) }
    }

    /// Is a value one for all lanes of the wave, so that its first part stands for all?
    pub(super) fn is_shared(&self, v: Value) -> bool {
        self.strides.is_one(v) && self.func.ty(v) == Ty::L32 && self.part.is_none() && self.run.is_none()
    }

    /// Calls `f` for each part of the operands; parts of which all operands are those of the first are done once, and so are all [if they are
    /// alike](Self::is_shared).
    pub(super) fn each_part(&mut self, operands: &[Parts], mut f: impl FnMut(&mut Self, Part) -> PieceId) -> Parts {
        let mut out = NO_PARTS;
        for p in self.slice() {
            if p > 0 && self.part.is_none() && (self.shares || operands.iter().all(|o| o[p] == o[0])) {
                out[p] = out[0];
                continue;
            }
            let ops = Pieces::of(operands.iter().map(|o| o[p]));
            let later = |x: PieceId| operands.iter().any(|o| o[p + 1..self.parts].contains(&x));
            let free = Pieces::of(ops.iter().copied().filter(|x| !later(*x)));
            // What holds an operand is not given away while the others come.
            for p in ops.iter().filter(|p| **p != NONE) {
                let piece = self.r.pieces[*p as usize];
                piece.reg.into_iter().for_each(|reg| self.r.pin(piece.class, reg));
            }
            let pending = self.pending.len();
            if self.run.is_none() {
                self.pending.extend(operands.iter().flat_map(|o| &o[p + 1..self.parts]).filter(|x| **x != NONE));
            }
            out[p] = f(self, Part { ops: &ops, free: &free });
            self.pending.truncate(pending);
            self.release();
        }
        out
    }

    /// A register for a result that begins as `from`: that of `from` itself if nobody needs it any more, or a copy.
    pub(super) fn copy_of(&mut self, from: PieceId, free: &[PieceId]) -> (PieceId, u8) {
        if free.contains(&from) && self.r.pieces[from as usize].reg.is_some() {
            let before = self.r.pieces[from as usize].reg;
            let (new, reg) = self.new_over(&[from]);
            if before == Some(reg) {
                return (new, reg);
            }
            // Somebody needs it: `new_over` gave another register.
            let source = self.reg(from);
            self.v(X::MovAligned, reg, 0, Rm::Reg(source));
            return (new, reg);
        }
        let piece = self.r.pieces[from as usize];
        if let (None, Home::Bcst64(m)) = (piece.reg, piece.home) {
            let (new, reg) = self.new_in_register(Class::Vector);
            self.v(X::BroadcastQ, reg, 0, Rm::Mem(m));
            return (new, reg);
        }
        let source = self.rm(from);
        let (new, reg) = self.new_in_register(Class::Vector);
        match source {
            Rm::Reg(s) => self.v(X::MovAligned, reg, 0, Rm::Reg(s)),
            Rm::Mem(m) => self.v(X::MovLoad, reg, 0, Rm::Mem(m)),
            Rm::Bcst(m) => self.v(X::Broadcast, reg, 0, Rm::Mem(m)),
        }
        (new, reg)
    }

    /// The memory operand of instructions that do not broadcast.
    pub(super) fn rm_whole(&mut self, p: PieceId) -> Rm {
        match self.rm(p) {
            Rm::Bcst(_) => Rm::Reg(self.reg(p)),
            rm => rm,
        }
    }

    pub(super) fn in_register(&self, p: PieceId) -> bool {
        self.r.pieces[p as usize].reg.is_some()
    }

    pub(super) fn binary(&mut self, op: X, x: Parts, y: Parts, commutes: bool) -> Parts {
        self.each_part(&[x, y], |w, part| {
            let (mut a, mut b) = (part.ops[0], part.ops[1]);
            if commutes && !w.in_register(a) && w.in_register(b) {
                std::mem::swap(&mut a, &mut b);
            }
            let a = w.reg(a);
            let b = if op.row().tuple == wavejit_x86::table::Tuple::Full32 { w.rm(b) } else { w.rm_whole(b) };
            let (new, to) = w.new_over(part.free);
            w.v(op, to, a, b);
            new
        })
    }

    pub(super) fn unary(&mut self, op: X, x: Parts, imm: Option<u8>) -> Parts {
        self.each_part(&[x], |w, part| {
            let from = w.rm(part.ops[0]);
            let (new, to) = w.new_over(part.free);
            match imm {
                Some(imm) if op.row().digit.is_some() => w.vi(op, 0, to, from, imm),
                Some(imm) => w.vi(op, to, 0, from, imm),
                None => w.v(op, to, 0, from),
            }
            new
        })
    }

    /// Three operands through a table of eight bits: that of x has weight 4, of y 2, of z 1.
    fn ternary_logic(&mut self, operands: [Parts; 3], table: u8) -> Parts {
        self.each_part(&operands, |w, part| {
            let [x, y, z] = [part.ops[0], part.ops[1], part.ops[2]];
            if w.is_avx2() && table == CHOICE {
                // Nothing of this has to be copied. One of those to choose from is in a register.
                let z_first = !w.in_register(y) && w.in_register(z);
                let (first, second) = if z_first { (z, y) } else { (y, z) };
                let (first, second, x) = (w.reg(first), w.rm_whole(second), w.rm_whole(x));
                let (new, to) = w.new_over(part.free);
                w.choose_bits(to, x, first, second, z_first);
                return new;
            }
            // The result begins as one that nobody else needs; the last one may be in memory.
            let all = [x, y, z];
            let is_once = |p: PieceId| all.iter().filter(|q| **q == p).count() == 1;
            let goes = |p: PieceId| is_once(p) && part.free.contains(&p) && w.in_register(p) && w.is_last_use(p);
            let in_memory = |p: PieceId| is_once(p) && !w.in_register(p);
            let first = (0..3).find(|i| goes(all[*i])).or_else(|| (0..3).find(|i| in_memory(all[*i]))).unwrap_or(0);
            let others = [(first + 1) % 3, (first + 2) % 3];
            let last = others.into_iter().find(|i| in_memory(all[*i])).unwrap_or(others[1]);
            let order = [first, 3 - first - last, last];
            let [a, b, c] = order.map(|i| all[i]);
            let (b, c) = (w.reg(b), w.rm(c));
            let free = Pieces::of(part.free.iter().copied().filter(|f| *f == a && is_once(a)));
            let (new, to) = w.copy_of(a, &free);
            w.vi(X::Pternlogd, to, b, c, logic::reordered(table, order));
            new
        })
    }

    /// Mask registers from a comparison of two lane values.
    pub(super) fn compare(&mut self, op: X, x: Parts, y: Parts, predicate: u8, under: Option<Parts>) -> Parts {
        let operands = [x, y, under.unwrap_or(NO_PARTS)];
        self.each_part(&operands[..if under.is_some() { 3 } else { 2 }], |w, part| {
            let (mut a, mut b, mut predicate) = (part.ops[0], part.ops[1], predicate);
            if !w.in_register(a) && w.in_register(b) {
                // The one in memory is the second operand.
                (a, b, predicate) = (b, a, mirrored(op, predicate));
            }
            let (a, b) = (w.reg(a), w.rm(b));
            let k = part.ops.get(2).map(|k| w.reg(*k));
            let (new, to) = w.new_in_register(Class::Mask);
            w.compare_under(op, to, a, b, predicate, k);
            new
        })
    }

    /// Mask registers from a comparison of what `make` makes of two lane values, each in a register of its own.
    pub(super) fn compare_made(
        &mut self,
        r: Value,
        op: X,
        [x, y]: [Parts; 2],
        predicate: u8,
        make: impl Fn(&mut Self, u8, PieceId),
    ) -> Parts {
        let under = self.under(r);
        let operands = [x, y, under.unwrap_or(NO_PARTS)];
        self.each_part(&operands[..if under.is_some() { 3 } else { 2 }], |w, part| {
            let k = part.ops.get(2).map(|k| w.reg(*k));
            let (t, u) = (w.temp(), w.temp());
            make(w, t, part.ops[0]);
            make(w, u, part.ops[1]);
            let (new, to) = w.new_in_register(Class::Mask);
            w.compare_under(op, to, t, Rm::Reg(u), predicate, k);
            new
        })
    }

    fn compare_under(&mut self, op: X, to: u8, a: u8, b: Rm, predicate: u8, k: Option<u8>) {
        let i = Vector::new(op, Len::Z, to, a, b).imm(predicate);
        self.vector(match k {
            Some(k) => i.mask(k),
            None => i,
        });
    }

    /// A comparison that is only used together with another mask, which is there already, is made under that mask: its mask registers. The logic that follows then
    /// has nothing to do ([`Wide::mask_logic`]). Not in loops: there the mask is often the loop's own, from round to round, and a comparison under it would wait for it.
    fn under(&mut self, r: Value) -> Option<Parts> {
        let insts = &self.func.blocks[self.r.block].insts;
        let user = insts.get(self.only_use(r)? as usize)?;
        let Op::Pure { op: PureOp::BAnd, args: [Some(x), Some(y), _], .. } = user.op else { return None };
        let other = if x == r { y } else { x };
        if self.is_avx2()
            || self.needless.contains_key(&user.first)
            || self.loops.of(self.r.block).is_some()
            || other == r
            || self.func.ty(user.first) != Ty::MASK
            || self.val(other).def >= self.at
        {
            return None;
        }
        let val = self.val(other);
        if val.lo[self.index()] == NONE && val.word == NONE {
            return None;
        }
        self.under.insert(user.first, r);
        Some(self.mask_parts(other))
    }

    /// `mask ? x : y`
    pub(super) fn select(&mut self, mask: Parts, x: Parts, y: Parts) -> Parts {
        self.each_part(&[mask, x, y], |w, part| {
            let (k, x, y) = (w.reg(part.ops[0]), w.rm(part.ops[1]), w.reg(part.ops[2]));
            let (new, to) = w.new_over(part.free);
            w.vector(Vector::new(X::Blendmd, Len::Z, to, y, x).mask(k));
            new
        })
    }

    /// Gives up pieces that no value owns.
    pub(super) fn drop_parts(&mut self, parts: &Parts) {
        self.drop_pieces(&parts[..self.parts]);
    }

    /// Emits the operation; false: it has no form here.
    fn lanes(&mut self, r: Value, op: PureOp, mode: FpMode, args: &[Option<Value>; 3]) -> bool {
        if mode.is_flushing32() && flushing::takes(op) {
            return self.flushing(r, op, mode, args);
        }
        let operands = args.map(|v| v.map_or(NO_PARTS, |v| self.val(v).lo));
        let with_ones = self.with_ones(r, op, operands);
        let out = self.lanes_of(r, op, mode, args, with_ones.unwrap_or(operands));
        with_ones.iter().flatten().for_each(|parts| self.drop_parts(parts));
        out.is_some_and(|out| {
            self.set_lo(r, out);
            true
        })
    }

    /// The operation on the low halves of these operands, which may stand for those of the arguments.
    pub(super) fn lanes_of(
        &mut self,
        r: Value,
        op: PureOp,
        mode: FpMode,
        args: &[Option<Value>; 3],
        operands: [Parts; 3],
    ) -> Option<Parts> {
        use PureOp::*;
        let arg = |i: usize| args[i].expect("the verifier has counted the operands");
        let plain = mode.is_plain32();
        // To nearest even, where denormals come neither in nor out.
        let even = plain || mode.is_flushing32();
        let [x, y, z] = operands;
        let out = match op {
            And32 => self.binary(X::Pandd, x, y, true),
            Or32 => self.binary(X::Pord, x, y, true),
            Xor32 => self.binary(X::Pxord, x, y, true),
            Not32 => self.each_part(&[x], |w, part| {
                let from = w.rm(part.ops[0]);
                let (new, to) = w.new_over(part.free);
                w.vi(X::Pternlogd, to, to, from, 0x55);
                new
            }),
            Sel32 => {
                let k = self.mask_parts(arg(0));
                self.select(k, y, z)
            }
            BToInt => {
                let k = self.mask_parts(arg(0));
                self.each_part(&[k], |w, part| {
                    let k = w.reg(part.ops[0]);
                    let (new, to) = w.new_in_register(Class::Vector);
                    let one = w.element32(1);
                    w.vector(Vector::new(X::Broadcast, Len::Z, to, 0, one).zeroing(k));
                    new
                })
            }
            IAdd32 => self.binary(X::Paddd, x, y, true),
            ISub32 => self.binary(X::Psubd, x, y, false),
            IMul32 => self.binary(X::Pmulld, x, y, true),
            SMin32 => self.binary(X::Pminsd, x, y, true),
            SMax32 => self.binary(X::Pmaxsd, x, y, true),
            UMin32 => self.binary(X::Pminud, x, y, true),
            UMax32 => self.binary(X::Pmaxud, x, y, true),
            UMulHi32 | SMulHi32 => {
                let product = self.products(arg(0), arg(1), op == SMulHi32);
                let high = self.each_part(&product, |w, part| {
                    let (first, second) = (w.reg(part.ops[0]), w.reg(part.ops[1]));
                    let (new, to) = w.new_over(part.free);
                    w.vi(X::Shufps, to, first, Rm::Reg(second), 0xdd);
                    new
                });
                product.iter().for_each(|parts| self.drop_parts(parts));
                high
            }
            Shl32 => self.lane_shift(arg(0), arg(1), X::PslldImm, X::Psllvd),
            LShr32 => self.lane_shift(arg(0), arg(1), X::PsrldImm, X::Psrlvd),
            AShr32 => self.lane_shift(arg(0), arg(1), X::PsradImm, X::Psravd),
            AlignBit32 => match self.shift_count(arg(2), 32) {
                Ok(0) => y,
                Ok(n) if x == y => self.unary(X::PrordImm, x, Some(n)),
                Ok(n) if self.host.vbmi2 => self.each_part(&[y, x], |w, part| {
                    let (low, high) = (w.reg(part.ops[0]), w.rm(part.ops[1]));
                    let (new, to) = w.new_over(part.free);
                    w.vi(X::PshrdImm, to, low, high, n);
                    new
                }),
                Ok(n) => self.each_part(&[y, x], |w, part| {
                    let (low, high) = (w.reg(part.ops[0]), w.reg(part.ops[1]));
                    let (new, to) = w.new_in_register(Class::Vector);
                    let t = w.temp();
                    w.vi(X::PsrldImm, 0, to, Rm::Reg(low), n);
                    w.vi(X::PslldImm, 0, t, Rm::Reg(high), 32 - n);
                    w.v(X::Pord, to, to, Rm::Reg(t));
                    new
                }),
                Err(counts) => {
                    let out = if x == y {
                        self.binary(X::Prorvd, x, counts, false)
                    } else if self.host.vbmi2 {
                        self.each_part(&[y, x, counts], |w, part| {
                            let (high, n) = (w.reg(part.ops[1]), w.reg(part.ops[2]));
                            let free = Pieces::of(part.free.iter().copied().filter(|f| *f != part.ops[1]));
                            let (new, to) = w.copy_of(part.ops[0], &free);
                            w.v(X::Pshrdvd, to, high, Rm::Reg(n));
                            new
                        })
                    } else {
                        self.each_part(&[y, x, counts], |w, part| {
                            let [low, high, n] = [0, 1, 2].map(|i| w.reg(part.ops[i]));
                            let (new, to) = w.new_in_register(Class::Vector);
                            let t = w.temp();
                            // Shifts by 32 give 0.
                            let bits = w.element32(32);
                            w.v(X::Broadcast, t, 0, bits);
                            w.v(X::Psubd, t, t, Rm::Reg(n));
                            w.v(X::Psllvd, t, high, Rm::Reg(t));
                            w.v(X::Psrlvd, to, low, Rm::Reg(n));
                            w.v(X::Pord, to, to, Rm::Reg(t));
                            new
                        })
                    };
                    self.drop_parts(&counts);
                    out
                }
            },
            Perm32 => match self.splat_constant(arg(2)) {
                Some(selector) if selector.to_le_bytes()[..4].iter().all(|b| !(8..12).contains(b)) => {
                    self.byte_permutation(x, y, selector as u32)
                }
                _ => self.each_part(&[x, y, z], |w, part| w.permuted_bytes(mode, part)),
            },
            op if let Some(table) = logic::table(op).filter(|table| *table == CHOICE || !self.is_avx2()) => {
                self.ternary_logic(operands, table)
            }
            Dot4SS | Dot4SU | Dot4US | Dot4UU if self.host.vnni => self.dot4(x, y, op),
            Dot4SS | Dot4SU | Dot4US | Dot4UU => self.dot4_by_words(x, y, op),
            IAdd16 | ISub16 | IMul16 => {
                let op = match op {
                    IAdd16 => X::Paddd,
                    ISub16 => X::Psubd,
                    _ => X::Pmulld,
                };
                self.low_half_of(op, x, y)
            }
            SMin16 | SMax16 | UMin16 | UMax16 | UAddSat16 | USubSat16 | SAddSat16 | SSubSat16 => {
                let op = match op {
                    SMin16 => X::Pminsw,
                    SMax16 => X::Pmaxsw,
                    UMin16 => X::Pminuw,
                    UMax16 => X::Pmaxuw,
                    UAddSat16 => X::Paddusw,
                    USubSat16 => X::Psubusw,
                    SAddSat16 => X::Paddsw,
                    _ => X::Psubsw,
                };
                self.low_half_of(op, x, y)
            }
            Shl16 | LShr16 | AShr16 => self.shift16(op, arg(0), arg(1)),
            UAddSat32 | USubSat32 => self.each_part(&[x, y], |w, part| w.saturated_unsigned(op, part)),
            SAddSat32 | SSubSat32 => self.each_part(&[x, y], |w, part| w.saturated_signed(op, part)),
            PkIAdd16 => self.binary(X::Paddw, x, y, true),
            PkISub16 => self.binary(X::Psubw, x, y, false),
            PkIMul16 => self.binary(X::Pmullw, x, y, true),
            PkSMin16 => self.binary(X::Pminsw, x, y, true),
            PkSMax16 => self.binary(X::Pmaxsw, x, y, true),
            PkUMin16 => self.binary(X::Pminuw, x, y, true),
            PkUMax16 => self.binary(X::Pmaxuw, x, y, true),
            PkUAddSat16 => self.binary(X::Paddusw, x, y, true),
            PkUSubSat16 => self.binary(X::Psubusw, x, y, false),
            PkSAddSat16 => self.binary(X::Paddsw, x, y, true),
            PkSSubSat16 => self.binary(X::Psubsw, x, y, false),
            PkShl16 | PkLShr16 | PkAShr16 => {
                let op = match op {
                    PkShl16 => X::Psllvw,
                    PkLShr16 => X::Psrlvw,
                    _ => X::Psravw,
                };
                self.each_part(&[x, y], |w, part| {
                    let (a, n) = (w.reg(part.ops[0]), w.reg(part.ops[1]));
                    let (new, to) = w.new_in_register(Class::Vector);
                    let mask = w.splat32(0x000f_000f);
                    w.v(X::Pandd, to, n, mask);
                    w.v(op, to, a, Rm::Reg(to));
                    new
                })
            }
            FAdd32 if plain => {
                let (x, y) = self.in_order_of_nans(arg(0), x, y);
                self.binary(X::Addps, x, y, false)
            }
            FMul32 if plain => {
                let asking = self.asking_lanes(r);
                self.product(arg(0), x, y, asking)
            }
            FSub32 if plain => self.binary(X::Subps, x, y, false),
            Dot2F32Bf16 if plain => {
                // The halves are f32 without their low halves.
                let [low, high] = [true, false].map(|is_low| {
                    [x, y].map(|v| {
                        self.each_part(&[v], |w, part| {
                            let from = w.reg(part.ops[0]);
                            let (new, to) = w.new_in_register(Class::Vector);
                            if is_low {
                                w.vi(X::PslldImm, 0, to, Rm::Reg(from), 16);
                            } else {
                                let mask = w.splat32(0xffff_0000);
                                w.v(X::Pandd, to, from, mask);
                            }
                            new
                        })
                    })
                });
                self.dot_of_two(low, high, z)
            }
            FDiv32 if plain => {
                let asking = self.asking_lanes(r);
                self.product_or_quotient(X::Divps, x, y, asking)
            }
            FFma32 if plain => self.multiply_add(r, mode, [arg(0), arg(1), arg(2)], operands),
            FFloor32 if plain => self.unary(X::Rndscaleps, x, Some(9)),
            FCeil32 if plain => self.unary(X::Rndscaleps, x, Some(10)),
            FTrunc32 if plain => self.unary(X::Rndscaleps, x, Some(11)),
            FRndne32 if plain => self.unary(X::Rndscaleps, x, Some(8)),
            FMin32 | FMax32 if plain && !mode.ieee() => self.each_part(&[x, y], |w, part| w.lesser_or_greater(op == FMin32, part)),
            FMin32 | FMax32 if plain => self.each_part(&[x, y], |w, part| {
                let (a, b) = (w.reg(part.ops[0]), w.rm(part.ops[1]));
                let (new, to) = w.new_over(part.free);
                w.vi(X::Rangeps, to, a, b, if op == FMin32 { 4 } else { 5 });
                new
            }),
            FClamp32 if mode.dx10_clamp() => self.each_part(&[x], |w, part| {
                let from = w.reg(part.ops[0]);
                let (new, to) = w.new_in_register(Class::Vector);
                // vmaxps gives its second operand for NaN and for two zeros.
                w.v(X::Pxord, to, to, Rm::Reg(to));
                w.v(X::Maxps, to, from, Rm::Reg(to));
                let one = w.splat32(1f32.to_bits());
                w.v(X::Minps, to, to, one);
                new
            }),
            FRcp32 => self.each_part(&[x], |w, part| {
                let (new, to) = w.new_in_register(Class::Vector);
                let t = w.flushed(part.ops[0]);
                let one = w.element32(1f32.to_bits());
                w.v(X::Broadcast, to, 0, one);
                w.v(X::Divps, to, to, Rm::Reg(t));
                w.flush(to, to);
                new
            }),
            FExp232 | FLog232 => self.each_part(&[x], |w, part| w.transcendental(op, mode, part.ops[0])),
            FSin32 | FCos32 => self.each_part(&[x], |w, part| w.circular(op, mode, part.ops[0])),
            FExp2Denorm32 | FLog2Denorm32 if plain => self.each_part(&[x], |w, part| w.transcendental(op, mode, part.ops[0])),
            FRsq32 | FRsqNear32 => self.each_part(&[x], |w, part| w.reciprocal_root(op, mode, part.ops[0])),
            FRsqDenorm32 | FRsqNearDenorm32 if plain => self.each_part(&[x], |w, part| w.reciprocal_root(op, mode, part.ops[0])),
            FDivMant32 if plain => {
                let n_is_one = self.splat_constant(arg(0)) == Some(1f32.to_bits().into());
                self.each_part(&[x, y], |w, part| w.divided_mantissas(mode, part.ops[0], part.ops[1], n_is_one))
            }
            FSqrt32 => self.each_part(&[x], |w, part| {
                let (new, to) = w.new_in_register(Class::Vector);
                let t = w.flushed(part.ops[0]);
                w.v(X::Sqrtps, to, 0, Rm::Reg(t));
                new
            }),
            FSqrtDenorm32 => self.unary(X::Sqrtps, x, None),
            FClass32 => match self.splat_constant(arg(1)) {
                Some(kinds) => self.each_part(&[x], |w, part| {
                    let from = w.reg(part.ops[0]);
                    let (new, to) = w.new_in_register(Class::Mask);
                    w.class(X::Fpclassps, to, from, kinds as u32);
                    new
                }),
                None => return None,
            },
            FFract32 if plain => self.each_part(&[x], |w, part| {
                let from = w.reg(part.ops[0]);
                let (new, to) = w.new_in_register(Class::Vector);
                w.vi(X::Rndscaleps, to, 0, Rm::Reg(from), 9);
                w.v(X::Subps, to, from, Rm::Reg(to));
                // Below 1; a NaN is the second operand, and stays.
                let (t, most) = (w.temp(), w.element32(1f32.to_bits() - 1));
                w.v(X::Broadcast, t, 0, most);
                w.v(X::Minps, to, t, Rm::Reg(to));
                new
            }),
            FLdexp32 if plain && self.is_avx2() => self.each_part(&[x, y], |w, part| {
                let (from, e) = (w.reg(part.ops[0]), w.reg(part.ops[1]));
                let (new, to) = w.new_in_register(Class::Vector);
                w.ldexp32_in_avx2(to, from, e);
                new
            }),
            FLdexp32 if plain && self.masks_idle => {
                let asking = self.asking_lanes(r).unwrap_or(NO_PARTS);
                self.each_part(&[x, y, asking], |w, part| w.ldexp_without_denormals(part))
            }
            FLdexp32 if plain => self.each_part(&[x, y], |w, part| {
                let (from, e) = (w.reg(part.ops[0]), w.rm(part.ops[1]));
                let (new, to) = w.new_in_register(Class::Vector);
                w.v(X::Cvtdq2ps, to, 0, e);
                w.v(X::Scalefps, to, from, Rm::Reg(to));
                new
            }),
            FFrexpMant32 | FFrexpExp32 if plain && self.is_avx2() => self.each_part(&[x], |w, part| {
                let from = w.reg(part.ops[0]);
                let (new, to) = w.new_in_register(Class::Vector);
                w.frexp32_in_avx2(to, from, op == FFrexpExp32);
                new
            }),
            FFrexpMant32 if plain => self.each_part(&[x], |w, part| {
                let from = w.reg(part.ops[0]);
                let (new, to) = w.new_in_register(Class::Vector);
                let k = w.temp_mask();
                // Magnitudes in 0.5 to 1, of their sign; zeros and infinities stay.
                w.vi(X::Getmantps, to, 0, Rm::Reg(from), 2);
                w.vi(X::Fpclassps, k, 0, Rm::Reg(from), 0x1e);
                w.vector(Vector::new(X::MovAligned, Len::Z, to, 0, Rm::Reg(from)).mask(k));
                new
            }),
            FFrexpExp32 if plain => self.each_part(&[x], |w, part| {
                let from = w.reg(part.ops[0]);
                let (new, to) = w.new_in_register(Class::Vector);
                let k = w.temp_mask();
                // One more than the exponent of 1.m; of what has none, 0.
                w.vi(X::Fpclassps, k, 0, Rm::Reg(from), 0x9f);
                w.k(X::Knotw, k, 0, k);
                w.v(X::Getexpps, to, 0, Rm::Reg(from));
                w.v(X::Cvtps2dq, to, 0, Rm::Reg(to));
                let minus_one = w.splat32(u32::MAX);
                w.vector(Vector::new(X::Psubd, Len::Z, to, to, minus_one).zeroing(k));
                new
            }),
            // What fout flushes of f16 it keeps.
            CvtPkRtzF16F32 if mode.denorm_out16_64() => self.each_part(&[x, y], |w, part| w.pack_toward_zero(part)),
            CvtF32I32 if even => self.unary(X::Cvtdq2ps, x, None),
            CvtF32U32 if even => self.unary(X::Cvtudq2ps, x, None),
            CvtI32F32 => self.each_part(&[x], |w, part| {
                let from = w.reg(part.ops[0]);
                let (new, to) = w.new_in_register(Class::Vector);
                w.saturated_i32(to, from);
                new
            }),
            CvtU32F32 => self.each_part(&[x], |w, part| {
                let from = w.reg(part.ops[0]);
                let (new, to) = w.new_in_register(Class::Vector);
                w.v(X::Pxord, to, to, Rm::Reg(to));
                w.v(X::Maxps, to, from, Rm::Reg(to));
                w.v(X::Cvttps2udq, to, 0, Rm::Reg(to));
                new
            }),
            _ => {
                let found = self.comparison(r, op, plain, operands);
                let found = found.or_else(|| self.bit_fields(op, args, operands));
                let found = found.or_else(|| self.sums_of_bytes(op, operands));
                let found = found.or_else(|| self.limits(op, mode, args, operands));
                let found = found.or_else(|| self.small_integers(op, mode, args, operands));
                let found = found.or_else(|| self.legacy(op, mode, operands));
                found.or_else(|| self.float16(r, op, mode, args, operands))?
            }
        };
        debug_assert!(self.func.ty(r) == Ty::MASK || self.func.ty(r) == Ty::L32);
        Some(out)
    }

    /// Mask registers from a comparison of integers or of f32.
    fn comparison(&mut self, r: Value, op: PureOp, plain: bool, operands: [Parts; 3]) -> Option<Parts> {
        let [x, y, _] = operands;
        if let Some((unsigned, predicate)) = half_condition(op) {
            let x86 = if unsigned { X::Pcmpud } else { X::Pcmpd };
            return Some(self.compare_made(r, x86, [x, y], predicate, |w, to, p| {
                let from = w.rm(p);
                w.vi(X::PslldImm, 0, to, from, 16);
            }));
        }
        let (x86, predicate) = match (int_condition(op), float_condition(op)) {
            _ if op.args()[0] != Width::B32 => return None,
            (Some((unsigned, predicate)), _) => (if unsigned { X::Pcmpud } else { X::Pcmpd }, predicate),
            (_, Some(predicate)) if plain => (X::Cmpps, predicate),
            _ => return None,
        };
        let under = self.under(r);
        Some(self.compare(x86, x, y, predicate, under))
    }

    /// An operation on dwords or words, of whose result the low word counts.
    fn low_half_of(&mut self, op: X, x: Parts, y: Parts) -> Parts {
        self.each_part(&[x, y], |w, part| {
            let (a, b) = (w.reg(part.ops[0]), w.reg(part.ops[1]));
            let (new, to) = w.new_over(part.free);
            w.v(op, to, a, Rm::Reg(b));
            let mask = w.splat32(0xffff);
            w.v(X::Pandd, to, to, mask);
            new
        })
    }
}
