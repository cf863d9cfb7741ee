//! Elements of four dwords that all go the same way, such as pixels of four floats, stay as they lie in memory.
//!
//! To have dword j of sixteen elements in one register they are taken apart after their load and put together before their store: eight shuffles each. Where
//! each operation on dword 0 has its like on dwords 1, 2 and 3, the registers may as well hold four elements each: operations of one lane do not see in
//! which lane they are done. What stands for dword j of a part is then register j of its memory.
//!
//! ```text
//! %1 %2 %3 %4 = load global.b128 [%0]     zmm0 = elements 0-3, zmm1 = 4-7, zmm2 = 8-11, zmm3 = 12-15
//! %5 = fmul.32 %1, splat s4               vmulps zmm0, zmm0, s4
//! ...                                     the others likewise
//! store global.b128 [%9], %5 %6 %7 %8     zmm0 to zmm3
//! ```

use super::addresses::MOST_STEPS;
use super::memory::Access;
use super::moves::Runs;
use super::{Wide, X};
use rustc_hash::{FxHashMap, FxHashSet};
use wavejit_ir::{Addr, Block, FpMode, MemKind, Op, PureOp, Space, Ty, Value};
use wavejit_x86::{Label, Rm};

/// The loads and stores of a block whose elements stay as they lie, by instruction.
#[derive(Default)]
pub(super) struct Vectors(FxHashSet<u32>);

/// What an operation takes, for all four dwords.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Operand {
    Of(u32),
    /// The same in all lanes.
    Same(Value),
}

/// Dwords that are made in one way of others: values, and the first group they are tied to, which points at itself.
struct Group {
    dwords: [Option<Value>; 4],
    tied: u32,
    is_bad: bool,
}

/// Groups of a block, and which one a value is a dword of.
#[derive(Default)]
struct Groups {
    all: Vec<Group>,
    of: FxHashMap<Value, (u32, usize)>,
}

impl Groups {
    fn add(&mut self) -> u32 {
        let number = self.all.len() as u32;
        self.all.push(Group { dwords: [None; 4], tied: number, is_bad: false });
        number
    }

    fn set(&mut self, group: u32, dword: usize, v: Value) {
        let place = &mut self.all[group as usize].dwords[dword];
        // An operation that is done twice has two values.
        let is_second = place.replace(v).is_some();
        self.all[group as usize].is_bad |= is_second;
        self.of.insert(v, (group, dword));
    }

    /// The group that all those tied to one are tied to. The way there gets shorter with each look, so that long blocks do not take long.
    fn first_of(&mut self, mut group: u32) -> u32 {
        while self.all[group as usize].tied != group {
            let next = self.all[group as usize].tied;
            self.all[group as usize].tied = self.all[next as usize].tied;
            group = next;
        }
        group
    }

    fn tie(&mut self, x: u32, y: u32) {
        let (x, y) = (self.first_of(x), self.first_of(y));
        let is_bad = self.all[x as usize].is_bad || self.all[y as usize].is_bad;
        self.all[x.max(y) as usize].tied = x.min(y);
        self.all[x.min(y) as usize].is_bad = is_bad;
    }

    /// It has uses that want dwords.
    fn refuse(&mut self, v: Value) {
        if let Some((group, _)) = self.of.get(&v).copied() {
            let first = self.first_of(group);
            self.all[first as usize].is_bad = true;
        }
    }
}

/// Operations whose code does in each lane the same, whatever lane it is.
fn is_alike_in_all_lanes(op: PureOp) -> bool {
    use PureOp::*;
    let of_floats =
        matches!(op, FAdd32 | FSub32 | FMul32 | FFma32 | FDiv32 | FMin32 | FMax32 | FRcp32 | FRsq32 | FSqrt32 | FExp232 | FLog232);
    let of_parts = matches!(op, FFloor32 | FCeil32 | FTrunc32 | FRndne32 | FFract32 | FClamp32 | FFrexpMant32 | FFrexpExp32 | FLdexp32);
    let converts = matches!(op, CvtF32I32 | CvtF32U32 | CvtI32F32 | CvtU32F32);
    let of_words = matches!(op, IAdd32 | ISub32 | IMul32 | UMulHi32 | SMin32 | SMax32 | UMin32 | UMax32);
    let of_bits = matches!(op, And32 | Or32 | Xor32 | Not32 | Shl32 | LShr32 | AShr32 | AlignBit32 | Bfi32);
    let of_three = matches!(
        op,
        Xor3x32
            | And3x32
            | Or3x32
            | Majority32
            | AndOr32
            | AndnOr32
            | OrAnd32
            | OrnAnd32
            | AndXor32
            | AndnXor32
            | OrXor32
            | OrnXor32
            | XorAnd32
            | XorAndn32
            | XorOr32
            | AndAndn32
            | AndnAndn32
    );
    of_floats || of_parts || converts || of_words || of_bits || of_three
}

impl Wide<'_> {
    /// Finds them, of a block whose offsets are known.
    pub(super) fn find_vectors(&mut self, block: usize) {
        self.vectors = Vectors::default();
        let b = &self.func.blocks[block];
        let is_one = |op: &Op, is_store: bool| match op {
            Op::Load { space, kind: MemKind::B128, addr, .. } if !is_store => self.may_lie(*space, addr),
            Op::Store { space, kind: MemKind::B128, addr, .. } if is_store => self.may_lie(*space, addr),
            _ => false,
        };
        let has = |is_store: bool| b.insts.iter().any(|inst| is_one(&inst.op, is_store));
        if self.is_avx2() || !has(false) || !has(true) {
            return;
        }
        let mut groups = Groups::default();
        let mut made: FxHashMap<(PureOp, FpMode, [Option<Operand>; 3]), u32> = FxHashMap::default();
        let (mut loads, mut stores) = (vec![], vec![]);
        for (i, inst) in b.insts.iter().enumerate() {
            match &inst.op {
                op if is_one(op, false) && !self.is_once(i as u32) => {
                    let group = groups.add();
                    (0..4).for_each(|j| groups.set(group, j, inst.result(j)));
                    loads.push((i as u32, group));
                }
                Op::Pure { op, mode, args } if is_alike_in_all_lanes(*op) && self.func.ty(inst.first) == Ty::L32 => {
                    let Some((dword, operands)) = self.operands_in(&groups, args) else { continue };
                    let group = *made.entry((*op, *mode, operands)).or_insert_with(|| groups.add());
                    groups.set(group, dword, inst.first);
                    for operand in operands {
                        if let Some(Operand::Of(of)) = operand {
                            groups.tie(of, group);
                        }
                    }
                }
                Op::Store { data, .. } if is_one(&inst.op, true) => {
                    let in_turn =
                        |j: usize| data[j].and_then(|v| groups.of.get(&v)).filter(|(_, dword)| *dword == j).map(|(group, _)| *group);
                    if let Some(group) = in_turn(0).filter(|group| (1..4).all(|j| in_turn(j) == Some(*group))) {
                        stores.push((i as u32, group));
                    }
                }
                _ => {}
            }
        }
        self.refuse_other_uses(b, &mut groups, &stores);
        let mut is_good = |group: u32| {
            let first = groups.first_of(group);
            !groups.all[first as usize].is_bad
        };
        self.vectors.0 = loads.into_iter().chain(stores).filter(|(_, group)| is_good(*group)).map(|(i, _)| i).collect();
    }

    /// The operands of an operation on some dword of groups, and which dword that is.
    fn operands_in(&self, groups: &Groups, args: &[Option<Value>; 3]) -> Option<(usize, [Option<Operand>; 3])> {
        let mut dword = None;
        let mut operands = [None; 3];
        for (to, v) in operands.iter_mut().zip(args).filter_map(|(to, v)| Some((to, (*v)?))) {
            *to = Some(match groups.of.get(&v) {
                Some((_, other)) if dword.is_some_and(|dword| dword != *other) => return None,
                Some((group, of)) => {
                    dword = Some(*of);
                    Operand::Of(*group)
                }
                None if matches!(self.def(v), Op::Splat(_)) => Operand::Same(v),
                None => return None,
            });
        }
        Some((dword?, operands))
    }

    /// Leaves out groups that lack dwords, or that something else reads than operations and stores of groups.
    fn refuse_other_uses(&self, b: &Block, groups: &mut Groups, stores: &[(u32, u32)]) {
        for number in 0..groups.all.len() as u32 {
            let group = &groups.all[number as usize];
            if group.is_bad || group.dwords.contains(&None) {
                let first = groups.first_of(number);
                groups.all[first as usize].is_bad = true;
            }
        }
        let stored: FxHashSet<u32> = stores.iter().map(|(i, _)| *i).collect();
        for (i, inst) in b.insts.iter().enumerate() {
            match &inst.op {
                Op::Pure { .. } if groups.of.contains_key(&inst.first) => {}
                Op::Store { addr, exec, .. } if stored.contains(&(i as u32)) => {
                    [Some(*exec), addr.base, addr.offset].into_iter().flatten().for_each(|v| groups.refuse(v));
                }
                op => op.for_each_arg(|v| groups.refuse(v)),
            }
        }
        b.term.for_each_arg(|v| groups.refuse(v));
    }

    /// Are elements of such an access likely to lie in a row?
    fn may_lie(&self, space: Space, addr: &Addr) -> bool {
        let Some(offset) = addr.offset else { return false };
        matches!(space, Space::Global | Space::Flat | Space::Lds)
            && matches!(self.known_of(addr, MemKind::B128).stride, None | Some(16))
            && !self.is_scattered(offset, MOST_STEPS)
            && super::memory::is_inline(self.func, space, addr)
            && !self.strides.is_at_one(self.func, space, addr)
            && !self.is_carried(offset)
    }

    /// Does the access that is emitted now have its elements as they lie?
    pub(super) fn has_vectors(&self) -> bool {
        self.vectors.0.contains(&self.at)
    }

    /// Loads or stores the elements of a part.
    pub(super) fn move_lying(&mut self, a: &Access, p: usize, runs: Runs) {
        for (j, data) in a.data.iter().enumerate() {
            let at = runs.register(j, a.dwords(), self.part_bytes());
            self.move_register(a, data[p], at, None);
        }
    }

    /// Takes the dwords of a part's elements apart, which are in registers as they lie.
    fn lying_to_dwords(&mut self, a: &Access, p: usize) {
        for (raw, data) in a.raw.iter().zip(&a.data) {
            self.v(X::MovAligned, *raw, 0, Rm::Reg(data[p]));
        }
        self.apart(a, p);
    }

    /// The other way round.
    pub(super) fn dwords_to_lying(&mut self, a: &Access, p: usize) {
        let pairs = [a.raw[0], a.raw[1]];
        let data: Vec<u8> = a.data.iter().map(|d| d[p]).collect();
        for (half, to) in [[a.raw[2], a.raw[3]], [data[2], data[3]]].into_iter().enumerate() {
            self.pairs_of_dwords(a, p, half as u32, pairs);
            self.pairs_together(pairs, to);
        }
        for (to, from) in data.into_iter().zip(&a.raw[2..4]) {
            self.v(X::MovAligned, to, 0, Rm::Reg(*from));
        }
    }

    /// The general way of a store of elements that lie in registers as in memory. `careful`: the careful way from dwords.
    pub(super) fn store_lying(&mut self, a: &Access, careful: Label) {
        let (slow, back) = (self.a.label(), self.a.label());
        if a.space != Space::Lds && self.may_be_in_eights(a) {
            self.range_of_lanes(a);
            self.all_in_eights(a, slow);
            self.a.jmp(a.finished);
            self.a.bind(slow);
        }
        (0..self.parts).for_each(|p| self.lying_to_dwords(a, p));
        let dwords = Access { is_lying: false, careful, done: back, ..a.clone() };
        self.general(&dwords);
        self.a.bind(back);
        (0..self.parts).for_each(|p| self.dwords_to_lying(a, p));
        self.a.jmp(a.finished);
    }

    /// The careful way of such a store; `dwords` is bound to where it begins once they are apart.
    pub(super) fn store_lying_with_care(&mut self, a: &Access, dwords: Label) {
        (0..self.parts).for_each(|p| self.lying_to_dwords(a, p));
        self.a.bind(dwords);
        let back = self.a.label();
        self.careful_access(&Access { done: back, ..a.clone() });
        self.a.bind(back);
        (0..self.parts).for_each(|p| self.dwords_to_lying(a, p));
        self.a.jmp(a.finished);
    }
}
