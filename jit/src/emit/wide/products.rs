//! Products and sums of products of f32 and f64, one for each lane: which form, and in which lanes.

use super::lanes::Part;
use super::regs::{Parts, PieceId};
use super::{Wide, X};
use wavejit_ir::{FpMode, Value};
use wavejit_x86::{Len, Vector};

impl Wide<'_> {
    /// The mask of the lanes that ask for a product, where those are masked: others may hold anything, such as integers that are denormal as numbers, for which
    /// some processors need a hundred times as long.
    pub(super) fn asking_lanes(&mut self, r: Value) -> Option<Parts> {
        if self.in_memo || self.is_shared(r) {
            return None;
        }
        let is_there = |v: &&Value| self.val(**v).def < self.at && self.val(**v).last >= self.at;
        let mask = *self.asking.get(&r)?.iter().find(is_there)?;
        Some(self.mask_parts(mask))
    }

    /// Sums and products commute but for which NaN wins; with a constant `a` that is none they do altogether: then that comes second, and may be in memory.
    pub(super) fn in_order_of_nans(&self, a: Value, x: Parts, y: Parts) -> (Parts, Parts) {
        let is_number = self.splat_constant(a).is_some_and(|c| !f32::from_bits(c as u32).is_nan());
        if is_number { (y, x) } else { (x, y) }
    }

    /// a * b, which x and y hold, in the lanes that ask for it.
    pub(super) fn product(&mut self, a: Value, x: Parts, y: Parts, asking: Option<Parts>) -> Parts {
        let (x, y) = self.in_order_of_nans(a, x, y);
        let Some(k) = asking else { return self.binary(X::Mulps, x, y, false) };
        self.each_part(&[x, y, k], |w, part| {
            let (a, b, k) = (w.reg(part.ops[0]), w.rm(part.ops[1]), w.reg(part.ops[2]));
            let (new, to) = w.new_over(part.free);
            w.vector(Vector::new(X::Mulps, Len::Z, to, a, b).zeroing(k));
            new
        })
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
