//! Products, quotients and sums of products of f32 and f64, one for each lane: which form, and in which lanes.

use super::lanes::{LT, Part};
use super::regs::{Class, NONE, Parts, PieceId};
use super::wide64::Quad;
use super::{Wide, X};
use wavejit_ir::{FpMode, PureOp, Value};
use wavejit_x86::{Cond, Len, Rm, Vector};

/// An exponent below which numbers of usual size become denormals when they are scaled.
const SMALL_EXPONENT: i32 = -100;
/// One that makes zeros of all f32.
const LEAST_EXPONENT: i32 = -300;

/// Is it a product, by a power of two perhaps, or a quotient, or made of some, so that idle lanes with denormals may hold it up?
pub(super) fn is_held_up(op: PureOp) -> bool {
    use PureOp::*;
    matches!(op, FMul32 | FFma32 | FDiv32 | FLdexp32 | FMul64 | FFma64 | FDiv64 | FLdexp64 | FScale64) || takes_ones(op)
}

/// Those made of several products, or which do something else for denormals: their operands are 1 in idle lanes.
fn takes_ones(op: PureOp) -> bool {
    use PureOp::*;
    let is_power = matches!(op, FExp232 | FExp2Denorm32 | FLog232 | FLog2Denorm32);
    is_power || matches!(op, FRsq32 | FRsqNear32 | FRsqDenorm32 | FRsqNearDenorm32 | FSqrtDenorm32 | FDivMant32)
}

impl Wide<'_> {
    /// The operands of an operation with 1 in the lanes that do not ask for it, if it is one that others may hold up. Nobody owns them.
    pub(super) fn with_ones(&mut self, r: Value, op: PureOp, operands: [Parts; 3]) -> Option<[Parts; 3]> {
        let k = if takes_ones(op) { self.asking_lanes(r)? } else { return None };
        Some(operands.map(|parts| {
            if parts[self.index()] == NONE || self.is_uniform(&parts) {
                return parts;
            }
            self.each_part(&[parts, k], |w, part| {
                let (from, k) = (w.reg(part.ops[0]), w.reg(part.ops[1]));
                let (new, to) = w.new_in_register(Class::Vector);
                let one = w.element32(1f32.to_bits());
                w.v(X::Broadcast, to, 0, one);
                w.vector(Vector::new(X::MovAligned, Len::Z, to, 0, Rm::Reg(from)).mask(k));
                new
            })
        }))
    }

    /// The mask of the lanes that ask for a product, where those are masked: others may hold anything, such as integers that are denormal as numbers, for which
    /// some processors need a hundred times as long.
    pub(super) fn asking_lanes(&mut self, r: Value) -> Option<Parts> {
        if self.is_shared(r) {
            return None;
        }
        let mask = self.mask_that_asks(r)?;
        Some(self.mask_parts(mask))
    }

    /// The same for a product of qwords; of those that are the same in all lanes there is nothing to mask.
    pub(super) fn asking_quads(&mut self, r: Value, operands: &[Quad]) -> Option<Quad> {
        let mask = self.mask_that_asks(r)?;
        if operands.iter().flatten().all(|parts| self.is_uniform(parts)) {
            return None;
        }
        Some(self.masks_of_quads(mask))
    }

    /// A mask that has all lanes that ask for a value, and is at hand.
    fn mask_that_asks(&self, r: Value) -> Option<Value> {
        let is_there = |v: &&Value| self.val(**v).def < self.at && self.val(**v).last >= self.at;
        let masks = self.asking.get(&r).filter(|_| !self.in_memo)?;
        masks.iter().find(is_there).copied()
    }

    /// Sums and products commute but for which NaN wins; with a constant `a` that is none they do altogether: then that comes second, and may be in memory.
    pub(super) fn in_order_of_nans(&self, a: Value, x: Parts, y: Parts) -> (Parts, Parts) {
        let is_number = self.splat_constant(a).is_some_and(|c| !f32::from_bits(c as u32).is_nan());
        if is_number { (y, x) } else { (x, y) }
    }

    /// a * b, which x and y hold, in the lanes that ask for it.
    pub(super) fn product(&mut self, a: Value, x: Parts, y: Parts, asking: Option<Parts>) -> Parts {
        let (x, y) = self.in_order_of_nans(a, x, y);
        self.product_or_quotient(X::Mulps, x, y, asking)
    }

    /// A product or a quotient, in the lanes that ask for it.
    pub(super) fn product_or_quotient(&mut self, op: X, x: Parts, y: Parts, asking: Option<Parts>) -> Parts {
        let Some(k) = asking else { return self.binary(op, x, y, false) };
        self.each_part(&[x, y, k], |w, part| {
            let (a, b, k) = (w.reg(part.ops[0]), w.rm(part.ops[1]), w.reg(part.ops[2]));
            let (new, to) = w.new_over(part.free);
            w.vector(Vector::new(op, Len::Z, to, a, b).zeroing(k));
            new
        })
    }

    /// The same of f64.
    pub(super) fn product_or_quotient64(&mut self, r: Value, op: X, x: Value, y: Value) {
        let [a, b] = [self.quad(x), self.quad(y)];
        let Some(k) = self.asking_quads(r, &[a, b]) else { return self.by_qwords(r, x, y, op) };
        let out = self.each_quad([a, b, k], |w, part| {
            let (a, b, k) = (w.reg(part.ops[0]), w.rm64(part.ops[1]), w.reg(part.ops[2]));
            let (new, to) = w.new_over(part.free);
            w.vector(Vector::new(op, Len::Z, to, a, b).zeroing(k));
            new
        });
        self.set_quad(r, out);
    }

    /// to = x 2^to, with AVX-512, in the lanes of a mask, if there is one.
    pub(super) fn scale_asked64(&mut self, to: u8, x: u8, asking: PieceId) {
        let i = Vector::new(X::Scalefpd, Len::Z, to, x, Rm::Reg(to));
        let i = if asking == NONE { i } else { i.zeroing(self.reg(asking)) };
        self.vector(i);
    }

    /// x 2^n, with AVX-512, in the lanes of a mask, if there is one. What may become a denormal is scaled in f64 by a stub: the conversion of the result takes
    /// no time with it.
    pub(super) fn ldexp_without_denormals(&mut self, part: Part) -> PieceId {
        let (x, n) = (self.reg(part.ops[0]), self.reg(part.ops[1]));
        let (new, to) = self.new_in_register(Class::Vector);
        let (k, [d, e, n_high]) = (self.temp_mask(), [(); 3].map(|()| self.temp()));
        let (rare, done) = (self.a.label(), self.a.label());
        let small = self.splat32(SMALL_EXPONENT as u32);
        let asking = (part.ops[2] != NONE).then(|| self.reg(part.ops[2]));
        let masked = |i: Vector| asking.map_or(i, |k| i.mask(k));
        self.vector(masked(Vector::new(X::Pcmpd, Len::Z, k, n, small).imm(LT)));
        self.any(k);
        self.a.jcc(Cond::Ne, rare);
        self.v(X::Cvtdq2ps, to, 0, Rm::Reg(n));
        let scale = Vector::new(X::Scalefps, Len::Z, to, x, Rm::Reg(to));
        self.vector(asking.map_or(scale, |k| scale.zeroing(k)));
        self.a.bind(done);
        self.stubs.push(Box::new(move |w| {
            w.a.bind(rare);
            // Nothing becomes a denormal in f64, either.
            let least = w.splat32(LEAST_EXPONENT as u32);
            w.v(X::Pmaxsd, n_high, n, least);
            w.v(X::Cvtdq2pd, e, 0, Rm::Reg(n_high));
            w.v(X::Cvtps2pd, d, 0, Rm::Reg(x));
            w.v(X::Scalefpd, d, d, Rm::Reg(e));
            w.v(X::Cvtpd2ps, d, 0, Rm::Reg(d));
            w.vi(X::Extract64x4, n_high, 0, Rm::Reg(n_high), 1);
            w.v(X::Cvtdq2pd, e, 0, Rm::Reg(n_high));
            w.vi(X::Extract64x4, x, 0, Rm::Reg(n_high), 1);
            w.v(X::Cvtps2pd, n_high, 0, Rm::Reg(n_high));
            w.v(X::Scalefpd, n_high, n_high, Rm::Reg(e));
            w.v(X::Cvtpd2ps, n_high, 0, Rm::Reg(n_high));
            w.vi(X::Insert64x4, to, d, Rm::Reg(n_high), 1);
            w.a.jmp(done);
        }));
        new
    }

    /// a * b + c of f64.
    pub(super) fn multiply_add64(&mut self, r: Value, args: [Value; 3]) {
        let operands = args.map(|v| self.quad(v));
        let [x, y, z] = operands;
        let out = match self.asking_quads(r, &operands) {
            Some(k) => self.each_quad([x, y, z, k], |w, part| w.fma_part(part, true)),
            None => self.each_quad(operands, |w, part| w.fma_part(part, true)),
        };
        self.set_quad(r, out);
    }

    /// a * b + c, which x, y and z hold.
    pub(super) fn multiply_add(&mut self, r: Value, mode: FpMode, args: [Value; 3], operands @ [x, y, z]: [Parts; 3]) -> Parts {
        if let Some(k) = self.asking_lanes(r) {
            return self.each_part(&[x, y, z, k], |w, part| w.fma_part(part, false));
        }
        match self.chained_product(r, mode, args, operands) {
            Some(sum) => sum,
            None => self.each_part(&[x, y, z], |w, part| w.fma_part(part, false)),
        }
    }

    /// a * b + c, rounded once; of NaNs the first. A fourth operand is the mask of lanes that ask for it.
    pub(super) fn fma_part(&mut self, part: Part, is_f64: bool) -> PieceId {
        let fma = self.host.fma;
        let op = |n: u32| match (n, is_f64) {
            (132, false) => X::Fmadd132ps,
            (213, false) => X::Fmadd213ps,
            (231, false) => X::Fmadd231ps,
            (132, true) => X::Fmadd132pd,
            (213, true) => X::Fmadd213pd,
            _ => X::Fmadd231pd,
        };
        let [a, b, c] = [part.ops[0], part.ops[1], part.ops[2]];
        let goes = |w: &Self, x: PieceId, others: [PieceId; 2]| part.free.contains(&x) && w.in_register(x) && !others.contains(&x);
        // (form, destination, second, third)
        let all = [
            (fma.into_c, (231, c, a, b)),
            (fma.into_a_213, (213, a, b, c)),
            (fma.into_a, (132, a, c, b)),
            (fma.into_b, (213, b, a, c)),
            (fma.into_c_swapped, (231, c, b, a)),
        ];
        let ways = || all.into_iter().filter(|(there, _)| *there).map(|(_, way)| way);
        // The last operand may be in memory.
        let loads = |w: &Self, x: PieceId, y: PieceId| usize::from(!w.in_register(x)) + usize::from(w.in_register(y));
        let cheap = ways().filter(|(_, d, x, y)| goes(self, *d, [*x, *y])).min_by_key(|(_, _, x, y)| loads(self, *x, *y));
        let (form, d, x, y) = cheap.or(ways().next()).expect("hosts without any have no wide back end");
        let x = self.reg(x);
        let y = if is_f64 { self.rm64(y) } else { self.rm(y) };
        let free: &[PieceId] = if cheap.is_some() { part.free } else { &[] };
        let (new, to) = self.copy_of(d, free);
        match part.ops.get(3) {
            Some(k) => {
                let k = self.reg(*k);
                self.vector(Vector::new(op(form), Len::Z, to, x, y).zeroing(k));
            }
            None => self.v(op(form), to, x, y),
        }
        new
    }

    /// high * high + (low * low + c), two fused sums. Gives up the factors.
    pub(super) fn dot_of_two(&mut self, low: [Parts; 2], high: [Parts; 2], c: Parts) -> Parts {
        let sum = self.each_part(&[low[0], low[1], c], |w, part| w.fma_part(part, false));
        let out = self.each_part(&[high[0], high[1], sum], |w, part| w.fma_part(part, false));
        low.iter().chain(&high).chain([&sum]).for_each(|parts| self.drop_parts(parts));
        out
    }
}
