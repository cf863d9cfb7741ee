//! Loads of elements of 64 bits that operations want as qwords: they are never taken apart into dwords.
//!
//! ```text
//! %1 %2 = load global.b64 [%0]     zmm2, zmm3 = lanes 0-7, 8-15
//! %3 = pack.64 %1, %2              zmm0 = lanes 0, 1, 4, 5 ... of both; zmm1 = the others (`forms.rs`)
//! %4 = fadd.64 %3, %5              vaddpd zmm0, ...; vaddpd zmm1, ...
//! ```
//!
//! One element for all lanes is one register. Where the lanes are not in a row the load gives dwords, as any, and they are put together behind it.

use super::lanes::int_condition;
use super::memory::Access;
use super::{Wide, X};
use rustc_hash::{FxHashMap, FxHashSet};
use wavejit_ir::{MemKind, Op, PureOp, Space, Value, Width};
use wavejit_x86::{Len, Mem, Rm, Vector};

/// Such loads of a block.
#[derive(Default)]
pub(super) struct Quads {
    /// By instruction, what is made of both dwords.
    loads: FxHashMap<u32, Value>,
    /// What has been loaded as qwords.
    loaded: FxHashSet<Value>,
}

/// Is it done on qwords, whatever its operands are?
fn is_on_qwords(op: PureOp) -> bool {
    use PureOp::*;
    let on_either = matches!(op, Lo64 | Hi64 | And64 | Or64 | Xor64 | Not64 | Sel64 | IAdd64 | ISub64 | RotL64);
    op.args().contains(&Width::B64) && !on_either && int_condition(op).is_none()
}

impl Wide<'_> {
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

    /// Is the load that is emitted now one of them? Then it gives qwords.
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
    pub(super) fn load_raw(&mut self, a: &Access, p: usize, at: Mem) {
        let masks = self.qword_masks(a, p);
        for (n, reg) in a.raw[..a.dwords()].iter().enumerate() {
            let from = Rm::Mem(at.plus(self.part_bytes() * n as i32));
            self.may_fault(a);
            match masks {
                Some(k) => self.vector(Vector::new(X::MovLoad64, Len::Z, *reg, 0, from).zeroing(k[n])),
                None => self.v(X::MovLoad, *reg, 0, from),
            }
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

    /// A part's elements, which are in a row.
    pub(super) fn load_quads(&mut self, a: &Access, p: usize, at: Mem) {
        let (even, odd) = (a.data[0][p], a.data[1][p]);
        let (first, second) = (a.raw[0], a.raw[1]);
        self.load_raw(a, p, at);
        self.vi(X::Shufi64x2, even, first, Rm::Reg(second), 0x88);
        self.vi(X::Shufi64x2, odd, first, Rm::Reg(second), 0xdd);
    }

    /// Puts the dwords of a part together.
    pub(super) fn dwords_to_quads(&mut self, a: &Access, p: usize) {
        let (low, high) = (a.data[0][p], a.data[1][p]);
        self.v(X::Punpckhdq, a.t, low, Rm::Reg(high));
        self.v(X::Punpckldq, low, low, Rm::Reg(high));
        self.v(X::MovAligned, high, 0, Rm::Reg(a.t));
    }
}
