//! Loads of elements of 64 bits that operations want as qwords, and stores of such: they are never taken apart into dwords.
//!
//! ```text
//! %1 %2 = load global.b64 [%0]     zmm2, zmm3 = lanes 0-7, 8-15
//! %3 = pack.64 %1, %2              zmm0 = lanes 0, 1, 4, 5 ... of both; zmm1 = the others (`forms.rs`)
//! %4 = fadd.64 %3, %3              vaddpd zmm0, ...; vaddpd zmm1, ...
//! %5 = lo.64 %4
//! %6 = hi.64 %4
//! store global.b64 [%0], %5, %6    zmm2 = lanes 0-7 of zmm0 and zmm1, zmm3 = lanes 8-15
//! ```
//!
//! One element for all lanes is one register. Where the lanes are not in a row the load gives dwords, as any, and they are put together behind it; a store takes them
//! apart before.

use super::addresses::MOST_STEPS;
use super::lanes::int_condition;
use super::memory::Access;
use super::moves::Runs;
use super::{Wide, X};
use rustc_hash::{FxHashMap, FxHashSet};
use wavejit_ir::{Block, Inst, MemKind, Op, PureOp, Space, Ty, Value, Width};
use wavejit_x86::{Len, Rm, Vector};

/// Low dwords, and high ones, as vshufps takes them.
pub(super) const DWORDS_OF_QWORDS: [u8; 2] = [0x88, 0xdd];
/// The lanes of each half (`forms.rs`) of sixteen qwords that lie in a row: pairs of them, as vshufi64x2 takes them.
pub(super) const HALF_OF_QWORDS: [u8; 2] = [0x88, 0xdd];

/// Such loads of a block.
#[derive(Default)]
pub(super) struct Quads {
    /// By instruction, what is made of both dwords.
    loads: FxHashMap<u32, Value>,
    /// What has been loaded as qwords.
    loaded: FxHashSet<Value>,
}

/// Such stores of a block.
#[derive(Default)]
pub(super) struct QuadStores {
    /// By instruction, what it stores.
    stores: FxHashMap<u32, Value>,
    /// Instructions that would take it apart.
    needless: FxHashSet<u32>,
}

impl QuadStores {
    pub(super) fn is_empty(&self) -> bool {
        self.stores.is_empty()
    }

    /// Is nothing to be done for this instruction?
    pub(super) fn has_done(&self, inst: usize) -> bool {
        self.needless.contains(&(inst as u32))
    }

    /// What a store stores.
    pub(super) fn of(&self, inst: usize) -> Option<Value> {
        self.stores.get(&(inst as u32)).copied()
    }
}

/// May a block have such stores?
pub(super) fn may_be_stored(block: &Block) -> bool {
    let is_high = |inst: &Inst| matches!(inst.op, Op::Pure { op: PureOp::Hi64, .. });
    block.insts.iter().any(|inst| matches!(inst.op, Op::Store { kind: MemKind::B64, .. })) && block.insts.iter().any(is_high)
}

/// Is it done on qwords, whatever its operands are?
fn is_on_qwords(op: PureOp) -> bool {
    use PureOp::*;
    let on_either = matches!(op, Lo64 | Hi64 | And64 | Or64 | Xor64 | Not64 | Sel64 | IAdd64 | ISub64 | RotL64);
    op.args().contains(&Width::B64) && !on_either && int_condition(op).is_none()
}

/// Are lanes of 64 bits that it gives at hand as qwords?
fn gives_qwords(op: PureOp) -> bool {
    use PureOp::*;
    is_on_qwords(op) || op.ret() == Width::B64 && !op.args().contains(&Width::B64) && !matches!(op, Pack64 | ZExt64 | SExt64)
}

/// Registers with the qwords of a part: lanes 0, 1, 4, 5 and so on, and the others.
pub(super) type QuadRegs = [u8; 2];

impl Wide<'_> {
    /// Finds the stores of a block whose readers have been counted.
    pub(super) fn find_quad_stores(&self, block: &Block, may_be: bool) -> QuadStores {
        let mut found = QuadStores::default();
        if !may_be || self.is_avx2() {
            return found;
        }
        let couples = self.loops.couples.get(&(self.r.block as u32));
        let half = |v: Value, which: PureOp| match *self.def(v) {
            Op::Pure { op, args: [Some(of), ..], .. } if op == which && self.func.ty(of) == Ty::L64 => Some(of),
            _ => None,
        };
        for (i, inst) in block.insts.iter().enumerate() {
            let Op::Store { space: Space::Global | Space::Flat | Space::Lds, kind: MemKind::B64, addr, data, .. } = &inst.op else {
                continue;
            };
            let ([Some(low), Some(high), ..], Some(offset)) = (data, addr.offset) else { continue };
            let Some(of) = half(*low, PureOp::Lo64).filter(|of| half(*high, PureOp::Hi64) == Some(*of)) else { continue };
            let is_near = matches!(self.stride_of(addr), None | Some(8)) && !self.is_scattered(offset, MOST_STEPS);
            let halves = [*low, *high].map(|v| self.val(v).def);
            let is_free = |at: u32| !self.is_once(at) && !couples.is_some_and(|c| c.skips(at as usize));
            let only_here = [*low, *high].iter().all(|v| self.val(*v).readers() == 1);
            if is_near && only_here && self.gives_qwords(of) && !self.is_once(self.val(of).def) && halves.into_iter().all(is_free) {
                found.stores.insert(i as u32, of);
                found.needless.extend(halves);
            }
        }
        found
    }

    /// Are lanes of 64 bits most likely at hand as qwords? A selection of such is, too.
    fn gives_qwords(&self, v: Value) -> bool {
        match *self.def(v) {
            Op::Pure { op: PureOp::Sel64, args: [_, Some(x), Some(y)], .. } => {
                let is_constant = |v: Value| self.splat_constant(v).is_some();
                [(x, y), (y, x)].into_iter().any(|(x, y)| self.gives_qwords(x) && (is_constant(y) || self.gives_qwords(y)))
            }
            Op::Pure { op, .. } => gives_qwords(op),
            _ => false,
        }
    }

    /// Gives dwords to who wants them of a store of qwords.
    pub(super) fn quads_to_dwords(&mut self, a: &Access) {
        for (p, [even, odd]) in a.quads.iter().enumerate() {
            for (data, pick) in a.data.iter().zip(DWORDS_OF_QWORDS) {
                self.vi(X::Shufps, data[p], *even, Rm::Reg(*odd), pick);
            }
        }
    }

    /// Stores the qwords of a part in a row.
    pub(super) fn store_quads(&mut self, a: &Access, p: usize, runs: Runs) {
        let ([even, odd], to) = (a.quads[p], a.raw[0]);
        let masks = self.qword_masks(a, p);
        for m in 0..2 {
            // Pairs of lanes are in one register and the other by turns.
            let place = move |lane: u32| 2 * (lane / 4) + lane % 2 + 8 * (lane / 2 % 2);
            self.load_table(to, move |i| 2 * place(8 * m + i / 2) + i % 2);
            self.v(X::Permi2d, to, even, Rm::Reg(odd));
            let at = runs.register(m as usize, a.dwords(), self.part_bytes());
            self.move_register(a, to, at, masks.map(|k| k[m as usize]));
        }
    }

    /// Finds them, of a block whose values have been counted.
    pub(super) fn find_quads(&mut self, block: usize) {
        self.quads = Quads::default();
        let insts = &self.func.blocks[block].insts;
        let is_one = |op: &Op| {
            let Op::Load { space, kind: MemKind::B64, addr, .. } = op else { return false };
            matches!(space, Space::Global | Space::Flat) || *space == Space::Lds && addr.offset.is_some()
        };
        if self.is_avx2() || !insts.iter().any(|inst| is_one(&inst.op)) {
            return;
        }
        let mut wanted = FxHashSet::default();
        for inst in insts {
            if let Op::Pure { op, args, .. } = inst.op
                && is_on_qwords(op)
            {
                wanted.extend(args.iter().flatten().copied());
            }
        }
        for (i, inst) in insts.iter().enumerate() {
            let Op::Pure { op: PureOp::Pack64, args: [Some(low), Some(high), _], .. } = inst.op else { continue };
            let is_wanted = wanted.contains(&inst.first) && !self.operands.is_left_out(i) && self.couple_of(inst.first).is_none();
            if !is_wanted || !self.is_lane(inst.first) {
                continue;
            }
            let at = self.val(low).def;
            let load = &insts[at as usize];
            let is_all = is_one(&load.op) && load.result(0) == low && load.result(1) == high;
            if is_all && [low, high].into_iter().all(|v| self.val(v).readers() == 1) && !self.is_once(at) && !self.is_once(i as u32) {
                self.quads.loads.insert(at, inst.first);
            }
        }
    }

    /// Is a load one of them?
    pub(super) fn takes_quads_at(&self, at: u32) -> bool {
        self.quads.loads.contains_key(&at)
    }

    /// The same of the one that is emitted now; then it gives qwords.
    pub(super) fn takes_quads(&mut self) -> bool {
        let value = self.quads.loads.get(&self.at).copied();
        self.quads.loaded.extend(value);
        value.is_some()
    }

    /// Are the operands from which a value is packed its qwords?
    pub(super) fn is_loaded_as_quads(&self, v: Value) -> bool {
        self.quads.loaded.contains(&v)
    }

    /// The elements of a part, which are in a row, as they lie in memory: in the first raw registers, one for each of their dwords. Of 64 bits those of active
    /// lanes alone.
    pub(super) fn load_raw(&mut self, a: &Access, p: usize, runs: Runs) {
        let masks = self.qword_masks(a, p);
        for (n, reg) in a.raw[..a.dwords()].iter().enumerate() {
            self.move_register(a, *reg, runs.register(n, a.dwords(), self.part_bytes()), masks.map(|k| k[n]));
        }
    }

    /// Masks for accesses to a part's elements of 64 bits, which are in a row: which of the first eight lanes are active, and of the others. None where all are
    /// moved: all are active, or what they read is the workgroup's. The second is `k2`.
    pub(super) fn qword_masks(&mut self, a: &Access, p: usize) -> Option<[u8; 2]> {
        if a.dwords() != 2 || self.is_avx2() || a.is_full || a.space == Space::Lds && !a.is_store {
            return None;
        }
        self.vector(Vector::new(X::Kshiftrw, Len::X, a.k2, 0, Rm::Reg(a.exec[p])).imm(8));
        Some([a.exec[p], a.k2])
    }

    /// A part's elements, which are in raw registers as they lie in memory.
    pub(super) fn halves_of_qwords(&mut self, a: &Access, p: usize) {
        let (even, odd) = (a.data[0][p], a.data[1][p]);
        let (first, second) = (a.raw[0], a.raw[1]);
        for (to, half) in [even, odd].into_iter().zip(HALF_OF_QWORDS) {
            self.vi(X::Shufi64x2, to, first, Rm::Reg(second), half);
        }
    }

    /// Puts the dwords of a part together.
    pub(super) fn dwords_to_quads(&mut self, a: &Access, p: usize) {
        let (low, high) = (a.data[0][p], a.data[1][p]);
        self.v(X::Punpckhdq, a.t, low, Rm::Reg(high));
        self.v(X::Punpckldq, low, low, Rm::Reg(high));
        self.v(X::MovAligned, high, 0, Rm::Reg(a.t));
    }
}
