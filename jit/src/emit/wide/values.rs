//! Values of a block: the pieces they are made of, who owns these, and when each is needed next.

use super::Wide;
use super::plan::Event;
use super::regs::{FIXED, NEVER, NO_PARTS, NONE, Parts, PieceId, RESERVED, TEMP, distinct};
use wavejit_ir::{Block, Op, Value};

/// A value of the block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Val {
    /// The instruction that defines it.
    pub def: u32,
    /// Its last use.
    pub last: u32,
    /// Its uses in `Regs::uses`, and the next one.
    first_use: u32,
    uses: u32,
    next: u32,
    /// Dwords of lanes, low dwords of 64-bit lanes, or mask registers.
    pub lo: Parts,
    /// High dwords; mask registers in the order of qwords.
    pub hi: Parts,
    /// 64-bit lanes as qwords: of each part lanes 0, 1, 4, 5 and so on, and the others.
    pub quad: [Parts; 2],
    /// A scalar, or the bits of a mask.
    pub word: PieceId,
}

/// What the instructions of a block read, one after the other; behind the last one, what the end of the block reads.
#[derive(Default)]
pub(super) struct Operands {
    values: Vec<Value>,
    /// By instruction: where its operands end, and is it left out, since accesses do with less than its result?
    ends: Vec<(u32, bool)>,
}

impl Operands {
    fn clear(&mut self) {
        self.values.clear();
        self.ends.clear();
    }

    fn end(&mut self, is_left_out: bool) {
        self.ends.push((self.values.len() as u32, is_left_out));
    }

    fn all(&self) -> impl Iterator<Item = &Value> {
        self.values.iter()
    }

    pub(super) fn of(&self, inst: usize) -> &[Value] {
        let start = inst.checked_sub(1).map_or(0, |before| self.ends[before].0);
        &self.values[start as usize..self.ends[inst].0 as usize]
    }

    pub(super) fn is_left_out(&self, inst: usize) -> bool {
        self.ends[inst].1
    }
}

/// A run that is done part by part, and the part that is in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub start: u32,
    pub end: u32,
    pub part: usize,
}

impl Val {
    /// How often it is read, as [`Wide::count_readers`] has found.
    pub(super) fn readers(&self) -> u32 {
        self.uses
    }

    /// The block is gone through from its start again.
    pub(super) fn rewind(&mut self) {
        self.next = self.first_use;
    }

    /// One of its lists of pieces.
    fn list(&mut self, n: usize) -> &mut Parts {
        let [even, odd] = &mut self.quad;
        [&mut self.lo, &mut self.hi, even, odd][n]
    }
}

/// The operands of an operation; of a store of `qwords` these, in place of its data.
fn for_each_arg(qwords: Option<Value>, op: &Op, mut f: impl FnMut(Value)) {
    match (qwords, op) {
        (Some(qwords), Op::Store { addr, exec, .. }) => addr.base.into_iter().chain(addr.offset).chain([qwords, *exec]).for_each(f),
        _ => op.for_each_arg(&mut f),
    }
}

impl Wide<'_> {
    /// Begins a block: uses are counted, nothing is anywhere.
    pub(super) fn begin_values(&mut self, block: usize) {
        let b = &self.func.blocks[block];
        self.r.block = block;
        self.r.pieces.clear();
        self.r.uses.clear();
        self.r.in_row.clear();
        self.r.in_sreg.clear();
        self.r.in_lds.clear();
        debug_assert!(self.r.temp.iter().all(|t| matches!(*t, 0 | RESERVED)) && self.r.frame_is_free(), "something was left");
        let is_empty = |file: &[PieceId]| file.iter().all(|p| matches!(*p, NONE | TEMP | FIXED));
        debug_assert!(is_empty(&self.r.vector) && is_empty(&self.r.mask) && is_empty(&self.r.general), "somebody is still in a register");
        self.note_block(block);
        self.vals.clear();
        for (i, inst) in b.insts.iter().enumerate() {
            for k in 0..inst.results {
                self.local[inst.result(k.into()).0 as usize] = self.vals.len() as u32;
                self.vals.push(Val {
                    def: i as u32,
                    last: i as u32,
                    first_use: 0,
                    uses: 0,
                    next: 0,
                    lo: NO_PARTS,
                    hi: NO_PARTS,
                    quad: [NO_PARTS; 2],
                    word: NONE,
                });
            }
        }
        self.under.clear();
        self.find_least_bytes(block);
        self.linear = self.find_linear(block);
        let (has_flags, has_pairs) = (super::flags::may_be_in(b), super::sreg_pairs::may_be_in(b));
        let has_quads = super::quads::may_be_stored(b);
        if has_flags || has_pairs || has_quads {
            self.count_readers(b);
        }
        self.find_flags(b, has_flags);
        self.sreg_pairs = if has_pairs { self.find_sreg_pairs(b) } else { Default::default() };
        self.quad_stores = self.find_quad_stores(b, has_quads);
        self.list_operands(block);
        let (local, vals, uses) = (&self.local, &mut self.vals, &mut self.r.uses);
        let of_value = |v: &Value| local[v.0 as usize] as usize;
        vals.iter_mut().for_each(|v| v.uses = 0);
        self.operands.all().for_each(|v| vals[of_value(v)].uses += 1);
        let mut first = 0;
        for v in vals.iter_mut() {
            (v.first_use, v.next) = (first, first);
            first += v.uses;
        }
        uses.resize(first as usize, 0);
        for i in 0..=b.insts.len() {
            for v in self.operands.of(i) {
                let v = &mut vals[of_value(v)];
                uses[v.next as usize] = i as u32;
                (v.next, v.last) = (v.next + 1, i as u32);
            }
        }
        for v in vals.iter_mut() {
            v.rewind();
        }
        self.find_quads(block);
        self.find_vectors(block);
        self.begin_copies(block);
    }

    /// Counts for each value of a block what reads it, before anything is left out.
    pub(super) fn count_readers(&mut self, b: &Block) {
        let (local, vals) = (&self.local, &mut self.vals);
        let mut count = |v: Value| vals[local[v.0 as usize] as usize].uses += 1;
        b.insts.iter().for_each(|inst| inst.op.for_each_arg(&mut count));
        b.term.for_each_arg(count);
    }

    /// Lists what the instructions of a block read, as far as they are emitted.
    fn list_operands(&mut self, block: usize) {
        let b = &self.func.blocks[block];
        let carried = self.loops.carried.get(&(block as u32));
        let couples = self.loops.couples.get(&(block as u32));
        let (list, linear, flags, pairs) = (&mut self.operands, &self.linear, &self.flags, &self.sreg_pairs);
        let stores = &self.quad_stores;
        list.clear();
        let is_plain =
            linear.is_empty() && carried.is_none() && couples.is_none() && flags.is_empty() && pairs.is_empty() && stores.is_empty();
        for (i, inst) in b.insts.iter().enumerate() {
            let is_offset = || inst.results != 0 && linear.contains_key(&inst.first) || carried.is_some_and(|c| c.skips(i));
            let is_done = || flags.has_done(i) || pairs.has_done(i) || stores.has_done(i) || couples.is_some_and(|t| t.skips(i));
            let is_left_out = !is_plain && (is_offset() || is_done());
            let of_couples = || couples.and_then(|t| t.operands(i, &inst.op, inst.first));
            match () {
                () if is_plain => inst.op.for_each_arg(|v| list.values.push(v)),
                () if is_left_out => {}
                () if let Some(operands) = of_couples() => list.values.extend(operands),
                () if let Some(operands) = pairs.operands(i) => list.values.extend(operands),
                () => match flags.carry(i as u32) {
                    Some(carry) => list.values.extend(carry.operands()),
                    None => for_each_arg(stores.of(i), &inst.op, |v| match linear.get(&v) {
                        Some(l) => list.values.extend(l.indices()),
                        None if carried.is_some_and(|c| c.is_offset(v)) => {}
                        None => list.values.push(v),
                    }),
                },
            }
            list.end(is_left_out);
        }
        carried.into_iter().for_each(|c| c.for_each_arg(|v| list.values.push(v)));
        match &flags.branch {
            Some(compared) => list.values.extend(compared.operands()),
            None => b.term.for_each_arg(|v| list.values.push(v)),
        }
        list.end(false);
    }

    pub(super) fn val(&self, v: Value) -> &Val {
        &self.vals[self.local[v.0 as usize] as usize]
    }
    pub(super) fn val_mut(&mut self, v: Value) -> &mut Val {
        &mut self.vals[self.local[v.0 as usize] as usize]
    }

    /// Is there no use after this instruction?
    pub(super) fn dies(&self, v: Value) -> bool {
        self.val(v).last <= self.at
    }

    /// The instructions that use a value; the end of the block counts as the one behind the last.
    pub(super) fn uses(&self, v: Value) -> &[u32] {
        let v = self.val(v);
        &self.r.uses[v.first_use as usize..][..v.uses as usize]
    }

    /// The instruction that is the only one to use a value, and does so once; the end of the block counts as the one behind the last.
    pub(super) fn only_use(&self, v: Value) -> Option<u32> {
        let v = self.val(v);
        (v.uses == 1).then(|| self.r.uses[v.first_use as usize])
    }

    /// Next use of a value behind this instruction.
    #[inline]
    fn next_use(&mut self, local: u32) -> u32 {
        let at = self.at;
        let v = &mut self.vals[local as usize];
        let end = v.first_use + v.uses;
        while v.next < end && self.r.uses[v.next as usize] <= at {
            v.next += 1;
        }
        if v.next < end { self.r.uses[v.next as usize] } else { NEVER }
    }

    /// Next use of a piece behind this instruction, or by parts of it that are still to come.
    pub(super) fn next_use_of_piece(&mut self, p: PieceId) -> u32 {
        if self.pending.contains(&p) {
            return self.at;
        }
        let piece = &self.r.pieces[p as usize];
        let owners = piece.owners;
        if self.in_memo || piece.many || piece.refs == 0 {
            // Not all owners are known, or it has none yet, or others use it that are emitted later and stand before.
            return self.at + 1;
        }
        if let Some(run) = self.run {
            return owners.into_iter().filter(|o| *o != NEVER).map(|o| self.next_use_in_run(run, o, p)).min().unwrap_or(NEVER);
        }
        let mut next = NEVER;
        for owner in owners {
            if owner != NEVER {
                next = next.min(self.next_use(owner));
            }
        }
        next
    }

    /// The part of the wave that a piece of a value is for; none if it is for several.
    pub(super) fn part_of(&self, local: u32, p: PieceId) -> Option<usize> {
        let v = &self.vals[local as usize];
        let mut found = None;
        for list in [v.lo, v.hi, v.quad[0], v.quad[1]] {
            for (part, piece) in list.iter().enumerate() {
                if *piece == p {
                    if found.is_some_and(|f| f != part) {
                        return None;
                    }
                    found = Some(part);
                }
            }
        }
        found
    }

    /// How far the next use is where parts go through a run one after the other.
    fn next_use_in_run(&self, run: Stretch, local: u32, p: PieceId) -> u32 {
        let v = &self.vals[local as usize];
        let uses = &self.r.uses[v.first_use as usize..(v.first_use + v.uses) as usize];
        let from = |at: u32| uses.get(uses.partition_point(|u| *u < at)).copied();
        let (len, last) = (run.end - run.start, self.parts - 1);
        let behind = |rounds: usize, at: u32| at + len * rounds as u32;
        let within = |rounds: usize, at: u32| behind(if at < run.end { rounds } else { last - run.part }, at);
        let next = match self.part_of(local, p) {
            Some(part) if part < run.part => from(run.end).map(|at| behind(last - run.part, at)),
            Some(part) if part > run.part => from(run.start).map(|at| within(part - run.part, at)),
            found => {
                let again = (found.is_none() && run.part < last).then(|| from(run.start)).flatten();
                from(self.at + 1).map(|at| within(0, at)).or(again.map(|at| within(1, at)))
            }
        };
        next.unwrap_or(NEVER)
    }

    /// Makes `parts` belong to `v`.
    #[inline]
    fn own(&mut self, v: Value, parts: &[PieceId]) {
        let local = self.local[v.0 as usize];
        for p in distinct(parts) {
            let piece = self.r.piece(p);
            piece.refs += 1;
            if piece.owners[0] == NEVER {
                piece.owners[0] = local;
            } else if piece.owners[1] == NEVER {
                piece.owners[1] = local;
            } else {
                piece.many = true;
            }
        }
    }

    #[inline]
    fn disown(&mut self, local: u32, parts: &[PieceId]) {
        for p in distinct(parts) {
            let piece = self.r.piece(p);
            piece.refs -= 1;
            if piece.refs == 0 {
                self.r.leave(p);
            } else if piece.owners[0] == local {
                piece.owners[0] = NEVER;
            } else if piece.owners[1] == local {
                piece.owners[1] = NEVER;
            }
        }
    }

    /// Its parts, or those of them that have been made.
    pub(super) fn set_lo(&mut self, v: Value, parts: Parts) {
        self.add_parts(v, |v| &mut v.lo, parts);
    }
    pub(super) fn set_order_of_qwords(&mut self, mask: Value, parts: Parts) {
        self.add_parts(mask, |v| &mut v.hi, parts);
    }
    pub(super) fn set_split(&mut self, v: Value, lo: Parts, hi: Parts) {
        // Pieces of both count once for each list: they are told apart when given up.
        self.add_parts(v, |v| &mut v.lo, lo);
        self.add_parts(v, |v| &mut v.hi, hi);
    }
    pub(super) fn set_quad(&mut self, v: Value, quad: [Parts; 2]) {
        self.add_parts(v, |v| &mut v.quad[0], quad[0]);
        self.add_parts(v, |v| &mut v.quad[1], quad[1]);
    }

    /// Makes pieces parts of a value, but for those that are already.
    fn add_parts(&mut self, v: Value, list: fn(&mut Val) -> &mut Parts, parts: Parts) {
        let n = self.parts;
        let before = *list(self.val_mut(v));
        let mut new = parts;
        new[..n].iter_mut().filter(|p| before[..n].contains(p)).for_each(|p| *p = NONE);
        self.own(v, &new[..n]);
        self.r.log.note(|| Event::Is { value: v, pieces: parts.to_vec() });
        for (to, p) in list(self.val_mut(v)).iter_mut().zip(&parts[..n]).filter(|(_, p)| **p != NONE) {
            *to = *p;
        }
    }

    pub(super) fn set_word(&mut self, v: Value, word: PieceId) {
        self.own(v, &[word]);
        self.r.log.note(|| Event::Is { value: v, pieces: vec![word] });
        self.val_mut(v).word = word;
    }

    /// Gives up the pieces of a value that are for one part only.
    pub(super) fn forget_part(&mut self, v: Value, part: usize) {
        let local = self.local[v.0 as usize];
        let give_up = |w: &mut Self, of: fn(&mut Val) -> &mut Parts| {
            let list = of(&mut w.vals[local as usize]);
            let p = list[part];
            if p != NONE && list.iter().filter(|x| **x == p).count() == 1 {
                list[part] = NONE;
                w.disown(local, &[p]);
            }
        };
        give_up(self, |v| &mut v.lo);
        give_up(self, |v| &mut v.hi);
        give_up(self, |v| &mut v.quad[0]);
        give_up(self, |v| &mut v.quad[1]);
    }

    /// Gives up all pieces of a value.
    pub(super) fn forget(&mut self, v: Value) {
        let local = self.local[v.0 as usize];
        let parts = self.parts;
        for list in 0..4 {
            let pieces = self.vals[local as usize].list(list);
            if pieces[..parts].iter().any(|p| *p != NONE) {
                let pieces = std::mem::replace(pieces, NO_PARTS);
                self.disown(local, &pieces[..parts]);
            }
        }
        let word = std::mem::replace(&mut self.vals[local as usize].word, NONE);
        if word != NONE {
            self.disown(local, &[word]);
        }
    }

    /// Gives up pieces that belong to no value.
    pub(super) fn drop_pieces(&mut self, parts: &[PieceId]) {
        for p in distinct(parts) {
            if self.r.pieces[p as usize].refs == 0 {
                self.r.discard(p);
            }
        }
    }

    /// Ends an instruction: registers are free to move, values without further uses are given up.
    pub(super) fn end_inst(&mut self, values: &[Value]) {
        self.release();
        for v in values {
            if self.dies(*v) {
                self.forget(*v);
            }
        }
    }
}
