//! Sums of products one after the other, as of matrices in LDS: `c = fma(x, y, c)` again and again, with x one element of LDS for all lanes.
//!
//! Of several NaNs the first operand's is the result. The form of a multiply-add that says so wants x in a register; the one that would take it from memory asks
//! for y first. They differ only where both are NaNs, and what becomes of that is a NaN to the end of the chain: so the latter is used, and the end tested. If it
//! is a NaN in any lane a stub does the whole chain again in the right form: what it began with is in the wave's row, the factors are in LDS.
//!
//! ```text
//! zmm2 = row                              zmm2 = row
//! zmm0 = [rsi]{1to16}                     zmm1 = [rbp]
//! zmm1 = [rbp]                            zmm2 += zmm1 * [rsi]{1to16}
//! zmm2 += zmm0 * zmm1             =>      ...
//! ...                                     a NaN in zmm2? -> as on the left, from the row on
//! ```

use super::deferred::may_write_lds;
use super::lanes::UNORDERED;
use super::regs::{Home, InLds, Parts, PieceId};
use super::{Wide, X};
use wavejit_ir::{FpMode, Inst, Op, PureOp, Space, Value};
use wavejit_x86::{Cond, Gpr, Len, Mem, Rm, Vector};

/// Fewer products are not worth a test.
const FEWEST: usize = 4;

/// A place in LDS, by the register that leads there.
type Place = (PieceId, i32);

/// Products of one part of the wave.
struct Sum {
    /// What it begins with.
    row: Mem,
    /// Factors: one element, and one or a run of them (is it one?).
    products: Vec<(Place, Place, bool)>,
}

/// A chain that has begun.
pub(super) struct Chain {
    /// Its last result so far, and the last of all.
    last: Value,
    end: Value,
    sums: Vec<Sum>,
}

impl Chain {
    pub(super) fn last(&self) -> Value {
        self.last
    }

    /// Does it go on from registers that lead into LDS?
    pub(super) fn needs(&self, start: PieceId) -> bool {
        self.sums.iter().flat_map(|sum| &sum.products).any(|((one, _), (other, _), _)| *one == start || *other == start)
    }
}

impl<'a> Wide<'a> {
    /// A multiply-add that belongs to a chain; none if it is to be done in the usual way.
    pub(super) fn chained_product(&mut self, r: Value, mode: FpMode, args: [Value; 3], [x, y, z]: [Parts; 3]) -> Option<Parts> {
        let is_open = self.chain.as_ref().is_some_and(|chain| chain.last == args[2]);
        let places = |(x, y): (&PieceId, &PieceId)| match [x, y].map(|p| self.r.pieces[*p as usize]).map(|piece| (piece.home, piece.reg)) {
            [(Home::Lds { start, disp, what: InLds::Dword }, None), (Home::Lds { start: other, disp: far, what }, _)] => {
                Some(((start, disp), (other, far), what == InLds::Dword))
            }
            _ => None,
        };
        let may_fold = self.run.is_none() && !self.shares && self.only_use(args[0]).is_some();
        let products: Option<Vec<_>> = if may_fold { x.iter().zip(&y).take(self.parts).map(places).collect() } else { None };
        let Some(products) = products else {
            if is_open {
                self.close_chain(z);
            }
            return None;
        };
        if !is_open {
            self.begin_chain(r, mode, z)?;
        }
        let mut chain = self.chain.take()?;
        chain.sums.iter_mut().zip(products).for_each(|(sum, product)| sum.products.push(product));
        let out = self.each_part(&[x, y, z], |w, part| {
            let (y, x) = (w.reg(part.ops[1]), w.rm(part.ops[0]));
            let (new, to) = w.copy_of(part.ops[2], part.free);
            w.v(X::Fmadd231ps, to, y, x);
            new
        });
        chain.last = r;
        let ends = chain.end == r;
        self.chain = Some(chain);
        if ends {
            self.close_chain(out);
        }
        Some(out)
    }

    /// Begins a chain with this multiply-add, if enough others follow, and what it adds to is a row.
    fn begin_chain(&mut self, r: Value, mode: FpMode, z: Parts) -> Option<()> {
        if self.chain.is_some()
            || self.is_avx2()
            || self.in_memo
            || self.masks_idle
            || !self.host.fma.into_c
            || self.host.fma.into_c_swapped
        {
            return None;
        }
        let row_of = |p: &PieceId| match self.r.pieces[*p as usize].home {
            home @ Home::Row { row, part } if home.is_guest() => Some(self.row_mem(row, part.into())),
            _ => None,
        };
        let rows: Vec<Mem> = z[..self.parts].iter().map(row_of).collect::<Option<_>>()?;
        let end = self.end_of_chain(r, mode)?;
        let sums = rows.into_iter().map(|row| Sum { row, products: vec![] }).collect();
        self.chain = Some(Chain { last: r, end, sums });
        Some(())
    }

    /// The last result of a chain that begins here, up to where somebody may change a row or LDS.
    fn end_of_chain(&self, r: Value, mode: FpMode) -> Option<Value> {
        let insts = &self.func.blocks[self.r.block].insts;
        let is_quiet = |inst: &Inst| match &inst.op {
            Op::Load { space, .. } => *space == Space::Lds,
            Op::Pure { .. } | Op::Const { .. } | Op::Splat(_) | Op::Note { .. } | Op::VGet { .. } => true,
            _ => false,
        };
        let (mut end, mut count) = (r, 1);
        for inst in insts[self.at as usize + 1..].iter().take_while(|inst| is_quiet(inst) && !may_write_lds(&inst.op)) {
            match inst.op {
                Op::Pure { op: PureOp::FFma32, mode: of, args: [_, _, Some(sum)] } if sum == end => {
                    if of != mode || self.only_use(end).is_none() {
                        break;
                    }
                    (end, count) = (inst.first, count + 1);
                }
                _ => {}
            }
        }
        (count >= FEWEST).then_some(end)
    }

    /// Ends the chain, if there is one, at its last result, which these pieces hold.
    pub(super) fn close_chain(&mut self, sum: Parts) {
        let Some(Chain { sums, .. }) = self.chain.take() else { return };
        let acc: Vec<u8> = sum[..self.parts].iter().map(|p| self.reg(*p)).collect();
        let at = |w: &mut Self, (start, disp): Place| Mem::at(Gpr(w.reg(start)), disp);
        let sums: Vec<_> = sums
            .into_iter()
            .map(|Sum { row, products }| {
                let of = |(one, other, is_one): (Place, Place, bool)| (at(self, one), at(self, other), is_one);
                (row, products.into_iter().map(of).collect::<Vec<_>>())
            })
            .collect();
        let (t, u, k, more) = (self.temp(), self.temp(), self.temp_mask(), self.temp_mask());
        // Of two at once: is one of them a NaN?
        for (i, pair) in acc.chunks(2).enumerate() {
            let to = if i == 0 { k } else { more };
            self.vector(Vector::new(X::Cmpps, Len::Z, to, pair[0], Rm::Reg(*pair.last().unwrap_or(&pair[0]))).imm(UNORDERED));
            if i > 0 {
                self.k(X::Korw, k, k, more);
            }
        }
        self.any(k);
        let (again, done) = (self.a.label(), self.a.label());
        self.a.jcc(Cond::Ne, again);
        self.a.bind(done);
        self.stubs.push(Box::new(move |w| {
            w.a.bind(again);
            for (acc, (row, products)) in acc.into_iter().zip(sums) {
                w.v(X::MovLoad, acc, 0, Rm::Mem(row));
                for (one, other, is_one) in products {
                    w.v(X::Broadcast, t, 0, Rm::Mem(one));
                    w.v(if is_one { X::Broadcast } else { X::MovLoad }, u, 0, Rm::Mem(other));
                    w.v(X::Fmadd231ps, acc, t, Rm::Reg(u));
                }
            }
            w.a.jmp(done);
        }));
    }
}
