//! Which value is where.
//!
//! A value is made of *pieces*: of a lane value of 32 bits one vector register for every 16 lanes, of a mask one mask register for each of
//! those, of a scalar one general register. A piece is in a register, or has a home in memory, or both. Values share pieces: the parts of a
//! value that is the same in all lanes are one piece, and packing two dwords to a qword takes over theirs.
//!
//! ```text
//! %7: l32 = vget v3      pieces 12, 13: no register yet, homes: row 3, parts 0 and 1
//! %8: l32 = fadd %7, %6  pieces 14, 15: zmm4, zmm5
//! ```
//!
//! When registers are short, the piece whose next use is farthest leaves; it is stored only if it has no home. Homes in guest registers
//! are good until the register is written ([`Wide::row_changes`], [`Wide::sreg_changes`]).

use super::{BASE, FUEL, ROWS, STATE, Wide, X, sreg};
use rustc_hash::FxHashMap;
use wavejit_ir::abi::TEMP_ROW;
use wavejit_ir::{SReg, Value};
use wavejit_x86::{Constant, Gpr, Len, Mem, Rm, Size, Vector};

pub(super) type PieceId = u32;
/// No piece.
pub(super) const NONE: PieceId = u32::MAX;
/// A register that holds no piece, but must not be taken.
const TEMP: PieceId = u32::MAX - 1;
/// A register that holds part of a row throughout a loop.
const FIXED: PieceId = u32::MAX - 2;
/// Most vector registers of 32 bits a lane.
pub(super) const MAX_PARTS: usize = 4;
/// Pieces of a value, in the order of lanes; the rest is [`NONE`].
pub(super) type Parts = [PieceId; MAX_PARTS];
pub(super) const NO_PARTS: Parts = [NONE; MAX_PARTS];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    Vector,
    Mask,
    General,
}

/// Where a piece is in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    None,
    /// Part of a row.
    Row {
        row: u16,
        part: u8,
    },
    /// A dword in memory, for all lanes.
    Bcst(Mem),
    /// A qword in memory, for all lanes.
    Bcst64(Mem),
    /// Sixteen dwords behind the code.
    Pool(Constant),
    /// Bytes of the frame.
    Frame(i32),
    /// A scalar register.
    SReg(SReg),
    /// Sixteen bits of scalar registers.
    SRegMask {
        reg: SReg,
        part: u8,
    },
    /// EXEC of wave64.
    Exec64,
    /// A constant.
    Imm(u64),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub class: Class,
    pub reg: Option<u8>,
    pub home: Home,
    /// Values it belongs to.
    pub refs: u32,
    /// One or two of them.
    owners: [u32; 2],
    /// There were more.
    many: bool,
}

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
    /// High dwords.
    pub hi: Parts,
    /// 64-bit lanes as qwords: of each 16 lanes 0, 1, 4, 5, 8, 9, 12, 13, and the others.
    pub quad: [Parts; 2],
    /// A scalar, or the bits of a mask.
    pub word: PieceId,
}

/// Bytes of the frame below what is spilled: room for arguments of careful calls.
pub(super) const CARGO_BYTES: i32 = 64;
/// Bytes that a careful call saves registers in.
pub(super) const SAVE_BYTES: i32 = 32 * 64 + 8 * 8 + 16 * 8;

/// How many registers operations of a block need at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    pub vectors: u32,
    /// Those that have a meaning throughout the function among them.
    pub generals: u32,
}

impl Needs {
    pub(super) fn max(self, o: Needs) -> Needs {
        Needs { vectors: self.vectors.max(o.vectors), generals: self.generals.max(o.generals) }
    }
}

/// Registers, homes and uses.
pub(super) struct Regs {
    pub block: usize,
    parts: usize,
    pub pieces: Vec<Piece>,
    vector: [PieceId; 32],
    mask: [PieceId; 8],
    general: [PieceId; 16],
    pinned_vector: u32,
    pinned_mask: u32,
    pinned_general: u32,
    /// Temporary rows: which parts of each are taken.
    temp: Vec<u8>,
    most_temp: u32,
    /// Slots of the frame that are taken.
    frame: Vec<bool>,
    /// Instructions that use each value, ascending, one value after the other.
    uses: Vec<u32>,
    /// Pieces whose home is a guest register.
    in_row: FxHashMap<u16, Vec<PieceId>>,
    in_sreg: FxHashMap<u8, Vec<PieceId>>,
    /// Rows that the loop keeps in registers, by part.
    fixed: FxHashMap<u16, [u8; MAX_PARTS]>,
    fixed_registers: u32,
    /// Scalar registers that it keeps in registers; EXEC is its low word.
    fixed_sregs: FxHashMap<u8, Gpr>,
    fixed_generals: u32,
    /// Was there a call, for which all registers are given up, or an access to rows in memory?
    pub gave_up: bool,
    /// An operation needs more registers than there are.
    pub is_short: bool,
    /// Most vector and general registers that were pinned at a time.
    pub most_pinned: Needs,
}

const NEVER: u32 = u32::MAX;
/// A temporary row that is not handed out.
const RESERVED: u8 = u8::MAX;

impl Regs {
    pub(super) fn new(parts: usize) -> Regs {
        let mut general = [NONE; 16];
        for r in [Gpr::RSP, STATE, ROWS, BASE, FUEL] {
            general[usize::from(r.0)] = TEMP;
        }
        let mut mask = [NONE; 8];
        // k0 means "no mask" where an instruction takes one: scratch.
        mask[0] = TEMP;
        Regs {
            block: 0,
            parts,
            pieces: vec![],
            vector: [NONE; 32],
            mask,
            general,
            pinned_vector: 0,
            pinned_mask: 1,
            pinned_general: 1 << Gpr::RSP.0 | 1 << STATE.0 | 1 << ROWS.0 | 1 << BASE.0 | 1 << FUEL.0,
            // Those of careful calls are never handed out.
            temp: vec![RESERVED; super::calls::CAREFUL_ROWS.into()],
            most_temp: super::calls::CAREFUL_ROWS.into(),
            frame: vec![],
            uses: vec![],
            in_row: FxHashMap::default(),
            in_sreg: FxHashMap::default(),
            fixed: FxHashMap::default(),
            fixed_registers: 0,
            fixed_sregs: FxHashMap::default(),
            fixed_generals: 0,
            gave_up: false,
            is_short: false,
            most_pinned: Needs::default(),
        }
    }

    /// The registers that hold rows and scalar registers in what follows.
    pub(super) fn fix(&mut self, rows: &FxHashMap<u16, [u8; MAX_PARTS]>, sregs: &FxHashMap<u8, Gpr>) {
        for reg in 0..16 {
            if self.fixed_generals >> reg & 1 != 0 {
                self.general[reg] = NONE;
            }
        }
        self.fixed_sregs = sregs.clone();
        self.fixed_generals = 0;
        for reg in sregs.values() {
            self.fixed_generals |= 1 << reg.0;
            self.general[usize::from(reg.0)] = FIXED;
        }
        for reg in 0..32 {
            if self.fixed_registers >> reg & 1 != 0 {
                self.vector[reg] = NONE;
            }
        }
        self.fixed = rows.clone();
        self.fixed_registers = 0;
        for reg in rows.values().flat_map(|regs| &regs[..self.parts]) {
            self.fixed_registers |= 1 << reg;
            self.vector[usize::from(*reg)] = FIXED;
        }
    }

    /// Vector registers that hold no row.
    pub(super) fn free_vectors(&self) -> usize {
        32 - self.fixed_registers.count_ones() as usize
    }

    /// The registers that hold this row.
    pub(super) fn fixed(&self, row: u16) -> Option<[u8; MAX_PARTS]> {
        self.fixed.get(&row).copied()
    }

    /// The register that holds this scalar register.
    pub(super) fn fixed_sreg(&self, reg: SReg) -> Option<Gpr> {
        self.fixed_sregs.get(&reg.0).copied()
    }

    fn is_fixed(&self, class: Class, reg: u8) -> bool {
        let fixed = match class {
            Class::Vector => self.fixed_registers,
            Class::General => self.fixed_generals,
            Class::Mask => 0,
        };
        fixed >> reg & 1 != 0
    }

    /// A piece that is in a general register of the loop.
    pub(super) fn new_fixed_scalar(&mut self, sreg: SReg, reg: Gpr) -> PieceId {
        let p = self.new_piece(Class::General, Home::None);
        self.piece(p).reg = Some(reg.0);
        self.in_sreg.entry(sreg.0).or_default().push(p);
        p
    }

    /// Nobody is in this register any more.
    fn vacate(&mut self, class: Class, reg: u8) {
        if !self.is_fixed(class, reg) {
            self.file(class).0[usize::from(reg)] = NONE;
        }
    }

    /// A piece that is in a register of the loop.
    pub(super) fn new_fixed_piece(&mut self, row: u16, reg: u8) -> PieceId {
        let p = self.new_piece(Class::Vector, Home::None);
        self.piece(p).reg = Some(reg);
        self.in_row.entry(row).or_default().push(p);
        p
    }

    /// Rows beyond `TEMP_ROW` that were used, and those of careful calls.
    pub(super) fn temp_rows(&self) -> u32 {
        self.most_temp
    }

    /// Bytes of the frame, such that calls find the stack aligned.
    pub(super) fn frame_bytes(&self, careful: bool) -> i32 {
        let bytes = CARGO_BYTES + 8 * self.frame.len() as i32 + if careful { SAVE_BYTES } else { 0 };
        // Six registers and the return address lie above: 56 bytes.
        (bytes as u32).next_multiple_of(16) as i32 + 8
    }

    /// Where a careful call saves registers.
    pub(super) fn save_area(&self) -> i32 {
        CARGO_BYTES + 8 * self.frame.len() as i32
    }

    fn file(&mut self, class: Class) -> (&mut [PieceId], &mut u32) {
        match class {
            Class::Vector => (&mut self.vector, &mut self.pinned_vector),
            Class::Mask => (&mut self.mask, &mut self.pinned_mask),
            Class::General => (&mut self.general, &mut self.pinned_general),
        }
    }

    fn pin(&mut self, class: Class, reg: u8) {
        *self.file(class).1 |= 1 << reg;
    }

    fn new_temp_part(&mut self) -> (u16, u8) {
        let full = (1u8 << self.parts) - 1;
        let row = match self.temp.iter().position(|t| *t & full != full) {
            Some(row) => row,
            None => {
                self.temp.push(0);
                self.temp.len() - 1
            }
        };
        let part = (!self.temp[row]).trailing_zeros() as u8;
        self.temp[row] |= 1 << part;
        self.most_temp = self.most_temp.max(row as u32 + 1);
        (TEMP_ROW + row as u16, part)
    }

    /// A whole temporary row.
    pub(super) fn new_temp_row(&mut self) -> u16 {
        let row = match self.temp.iter().position(|t| *t == 0) {
            Some(row) => row,
            None => {
                self.temp.push(0);
                self.temp.len() - 1
            }
        };
        self.temp[row] = (1 << self.parts) - 1;
        self.most_temp = self.most_temp.max(row as u32 + 1);
        TEMP_ROW + row as u16
    }

    /// Gives a temporary row back that was not handed to pieces.
    pub(super) fn free_temp_row(&mut self, row: u16) {
        self.temp[usize::from(row - TEMP_ROW)] = 0;
    }

    /// A piece for what a call returned.
    pub(super) fn result_in(&mut self, reg: Gpr) -> PieceId {
        let p = self.new_piece(Class::General, Home::None);
        debug_assert_eq!(self.general[usize::from(reg.0)], NONE);
        self.general[usize::from(reg.0)] = p;
        self.piece(p).reg = Some(reg.0);
        self.pin(Class::General, reg.0);
        p
    }

    /// General registers that may not be taken now.
    pub(super) fn pinned_generals(&self) -> u32 {
        self.pinned_general.count_ones()
    }

    /// Moves the place of a piece that has no value yet from its register to the frame.
    pub(super) fn move_to_frame(&mut self, p: PieceId) {
        let at = self.new_frame_slot();
        let piece = self.piece(p);
        piece.home = Home::Frame(at);
        if let Some(reg) = piece.reg.take() {
            self.general[usize::from(reg)] = NONE;
            self.pinned_general &= !(1 << reg);
        }
    }

    /// Eight bytes of the frame.
    pub(super) fn new_frame_slot(&mut self) -> i32 {
        let i = match self.frame.iter().position(|taken| !taken) {
            Some(i) => i,
            None => {
                self.frame.push(false);
                self.frame.len() - 1
            }
        };
        self.frame[i] = true;
        CARGO_BYTES + 8 * i as i32
    }

    /// Gives them back.
    pub(super) fn free_frame_slot(&mut self, at: i32) {
        self.free_home(Home::Frame(at));
    }

    fn free_home(&mut self, home: Home) {
        match home {
            Home::Row { row, part } if row >= TEMP_ROW => self.temp[usize::from(row - TEMP_ROW)] &= !(1 << part),
            Home::Frame(at) => self.frame[((at - CARGO_BYTES) / 8) as usize] = false,
            _ => {}
        }
    }

    fn piece(&mut self, id: PieceId) -> &mut Piece {
        &mut self.pieces[id as usize]
    }

    /// A new piece that belongs to nobody yet.
    pub(super) fn new_piece(&mut self, class: Class, home: Home) -> PieceId {
        let id = self.pieces.len() as PieceId;
        match home {
            Home::Row { row, .. } if row < TEMP_ROW => self.in_row.entry(row).or_default().push(id),
            Home::SReg(r) => self.in_sreg.entry(r.0).or_default().push(id),
            Home::Exec64 => self.in_sreg.entry(SReg::EXEC_LO.0).or_default().push(id),
            Home::SRegMask { reg, part } => {
                // Of EXEC all parts count as its low word; ranges of others are two words.
                let word = if reg == SReg::EXEC_LO { reg.0 } else { reg.0 + part / 2 };
                self.in_sreg.entry(word).or_default().push(id);
            }
            _ => {}
        }
        self.pieces.push(Piece { class, reg: None, home, refs: 0, owners: [NEVER; 2], many: false });
        id
    }
}

/// A run that is done part by part, and the part that is in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub start: u32,
    pub end: u32,
    pub part: usize,
}

/// Pieces of a list, each once.
pub(super) fn distinct(parts: &[PieceId]) -> impl Iterator<Item = PieceId> + '_ {
    parts.iter().enumerate().filter(|(i, p)| **p != NONE && !parts[..*i].contains(p)).map(|(_, p)| *p)
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
        debug_assert!(self.r.temp.iter().all(|t| matches!(*t, 0 | RESERVED)) && self.r.frame.iter().all(|t| !t), "something was left");
        let is_empty = |file: &[PieceId]| file.iter().all(|p| matches!(*p, NONE | TEMP | FIXED));
        debug_assert!(is_empty(&self.r.vector) && is_empty(&self.r.mask) && is_empty(&self.r.general), "somebody is still in a register");
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
        let (local, vals) = (&self.local, &mut self.vals);
        let each = |f: &mut dyn FnMut(u32, Value)| {
            for (i, inst) in b.insts.iter().enumerate() {
                inst.op.for_each_arg(|v| f(i as u32, v));
            }
            b.term.for_each_arg(|v| f(b.insts.len() as u32, v));
        };
        let mut total = 0;
        each(&mut |_, v| {
            vals[local[v.0 as usize] as usize].uses += 1;
            total += 1;
        });
        self.r.uses.resize(total, 0);
        let mut first = 0;
        for v in vals.iter_mut() {
            (v.first_use, v.next) = (first, first);
            first += v.uses;
        }
        let uses = &mut self.r.uses;
        each(&mut |i, v| {
            let v = &mut vals[local[v.0 as usize] as usize];
            uses[v.next as usize] = i;
            (v.next, v.last) = (v.next + 1, i);
        });
        for v in vals.iter_mut() {
            v.next = v.first_use;
        }
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

    /// Next use of a value behind this instruction.
    fn next_use(&mut self, local: u32) -> u32 {
        let at = self.at;
        let v = &mut self.vals[local as usize];
        let end = v.first_use + v.uses;
        while v.next < end && self.r.uses[v.next as usize] <= at {
            v.next += 1;
        }
        if v.next < end { self.r.uses[v.next as usize] } else { NEVER }
    }

    /// Next use of a piece behind this instruction.
    fn next_use_of_piece(&mut self, p: PieceId) -> u32 {
        let piece = self.r.pieces[p as usize];
        if piece.many || piece.refs == 0 {
            // Not all owners are known, or it has none yet.
            return self.at + 1;
        }
        if let Some(run) = self.run {
            return piece.owners.into_iter().filter(|o| *o != NEVER).map(|o| self.next_use_in_run(run, o, p)).min().unwrap_or(NEVER);
        }
        piece.owners.into_iter().filter(|o| *o != NEVER).map(|o| self.next_use(o)).min().unwrap_or(NEVER)
    }

    /// The part of the wave that a piece of a value is for; none if it is for several.
    fn part_of(&self, local: u32, p: PieceId) -> Option<usize> {
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

    fn disown(&mut self, local: u32, parts: &[PieceId]) {
        for p in distinct(parts) {
            let piece = self.r.piece(p);
            piece.refs -= 1;
            if piece.refs == 0 {
                let (class, reg, home) = (piece.class, piece.reg.take(), piece.home);
                piece.home = Home::None;
                self.r.free_home(home);
                if let Some(reg) = reg {
                    self.r.vacate(class, reg);
                }
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
        let before = *list(self.val_mut(v));
        let mut new = parts;
        new.iter_mut().filter(|p| before.contains(p)).for_each(|p| *p = NONE);
        self.own(v, &new);
        for (to, p) in list(self.val_mut(v)).iter_mut().zip(parts).filter(|(_, p)| *p != NONE) {
            *to = p;
        }
    }

    pub(super) fn set_word(&mut self, v: Value, word: PieceId) {
        self.own(v, &[word]);
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
        let val = *self.val(v);
        for parts in [val.lo, val.hi, val.quad[0], val.quad[1], [val.word, NONE, NONE, NONE]] {
            self.disown(local, &parts);
        }
        let val = self.val_mut(v);
        (val.lo, val.hi, val.quad, val.word) = (NO_PARTS, NO_PARTS, [NO_PARTS; 2], NONE);
    }

    /// Gives up pieces that belong to no value.
    pub(super) fn drop_pieces(&mut self, parts: &[PieceId]) {
        for p in distinct(parts) {
            let piece = self.r.piece(p);
            if piece.refs == 0 {
                let (class, reg, home) = (piece.class, piece.reg.take(), std::mem::replace(&mut piece.home, Home::None));
                self.r.free_home(home);
                if let Some(reg) = reg {
                    self.r.vacate(class, reg);
                }
            }
        }
    }

    /// Ends an instruction: registers are free to move, values without further uses are given up.
    pub(super) fn end_inst(&mut self, args: impl Iterator<Item = Value>) {
        self.release();
        for v in args {
            if self.dies(v) {
                self.forget(v);
            }
        }
    }

    /// Unpins registers and frees temporaries.
    pub(super) fn release(&mut self) {
        let r = &mut self.r;
        for (file, pinned, fixed) in [
            (&mut r.vector[..], &mut r.pinned_vector, 0),
            (&mut r.mask[..], &mut r.pinned_mask, 1),
            (&mut r.general[..], &mut r.pinned_general, 1 << Gpr::RSP.0 | 1 << STATE.0 | 1 << ROWS.0 | 1 << BASE.0 | 1 << FUEL.0),
        ] {
            *pinned &= fixed;
            for (i, p) in file.iter_mut().enumerate() {
                if *p == TEMP && fixed >> i & 1 == 0 {
                    *p = NONE;
                }
            }
        }
    }

    /// A register for piece `p`, pinned; somebody may have to leave.
    fn take_register(&mut self, class: Class, p: PieceId) -> u8 {
        let reg = self.free_register(class);
        let (file, pinned) = self.r.file(class);
        file[usize::from(reg)] = p;
        *pinned |= 1 << reg;
        let pinned = Needs { vectors: self.r.pinned_vector.count_ones(), generals: self.r.pinned_general.count_ones() };
        self.r.most_pinned = self.r.most_pinned.max(pinned);
        reg
    }

    fn free_register(&mut self, class: Class) -> u8 {
        let (file, pinned) = self.r.file(class);
        let pinned = *pinned;
        if let Some(free) = file.iter().position(|p| *p == NONE) {
            return free as u8;
        }
        let list: Vec<(u8, PieceId)> = file
            .iter()
            .enumerate()
            .filter(|(i, p)| pinned >> i & 1 == 0 && **p != TEMP && **p != FIXED)
            .map(|(i, p)| (i as u8, *p))
            .collect();
        // Farthest next use; of equal ones that which need not be stored.
        let key = |w: &mut Self, p: PieceId| {
            let stored = w.r.pieces[p as usize].home != Home::None;
            (w.next_use_of_piece(p), stored)
        };
        let Some((reg, p)) = list.into_iter().max_by_key(|(_, p)| key(self, *p)) else {
            // What is emitted from here on is thrown away.
            self.r.is_short = true;
            return 0;
        };
        self.spill(p);
        self.r.file(class).0[usize::from(reg)] = NONE;
        self.r.piece(p).reg = None;
        reg
    }

    /// Sees to it that a piece in a register has a home.
    pub(super) fn spill(&mut self, p: PieceId) {
        let piece = self.r.pieces[p as usize];
        let Some(reg) = piece.reg else { return };
        if piece.home != Home::None {
            return;
        }
        let home = match piece.class {
            Class::Vector => {
                let (row, part) = self.r.new_temp_part();
                let to = self.row_mem(row, part.into());
                self.v(X::MovStore, reg, 0, Rm::Mem(to));
                Home::Row { row, part }
            }
            Class::Mask => {
                let at = self.r.new_frame_slot();
                self.a.vector(Vector::new(X::KmovwStore, Len::X, reg, 0, Rm::Mem(Mem::at(Gpr::RSP, at))));
                Home::Frame(at)
            }
            Class::General => {
                let at = self.r.new_frame_slot();
                self.a.store(Size::Q, Mem::at(Gpr::RSP, at), Gpr(reg));
                Home::Frame(at)
            }
        };
        self.r.piece(p).home = home;
    }

    /// Address of a part of a row.
    pub(super) fn row_mem(&self, row: u16, part: usize) -> Mem {
        Mem::at(ROWS, i32::from(row) * 64 * self.parts as i32 + 64 * part as i32)
    }

    /// A register that holds nothing, until the end of the instruction.
    pub(super) fn temp(&mut self) -> u8 {
        self.take_register(Class::Vector, TEMP)
    }
    pub(super) fn temp_mask(&mut self) -> u8 {
        self.take_register(Class::Mask, TEMP)
    }
    pub(super) fn temp_general(&mut self) -> Gpr {
        Gpr(self.take_register(Class::General, TEMP))
    }
    /// Gives a temporary back before the end of the instruction.
    pub(super) fn free_temp(&mut self, class: Class, reg: u8) {
        let (file, pinned) = self.r.file(class);
        debug_assert_eq!(file[usize::from(reg)], TEMP);
        file[usize::from(reg)] = NONE;
        *pinned &= !(1 << reg);
    }

    /// A new piece in a register of its own, which the caller fills.
    pub(super) fn new_in_register(&mut self, class: Class) -> (PieceId, u8) {
        let p = self.r.new_piece(class, Home::None);
        let reg = self.take_register(class, p);
        self.r.piece(p).reg = Some(reg);
        (p, reg)
    }

    /// As [`Self::new_in_register`]; the register is that of the first of `from` that nobody needs after this, if there is one. Then what
    /// is in it may be read until the first write.
    pub(super) fn new_over(&mut self, from: &[PieceId]) -> (PieceId, u8) {
        for p in from {
            if *p != NONE
                && self.r.pieces[*p as usize].class == Class::Vector
                && self.is_last_use(*p)
                && !self.r.pieces[*p as usize].reg.is_some_and(|reg| self.r.is_fixed(Class::Vector, reg))
                && let Some(reg) = self.r.piece(*p).reg.take()
            {
                let home = std::mem::replace(&mut self.r.piece(*p).home, Home::None);
                self.r.free_home(home);
                let class = self.r.pieces[*p as usize].class;
                let new = self.r.new_piece(class, Home::None);
                self.r.file(class).0[usize::from(reg)] = new;
                self.r.pin(class, reg);
                self.r.piece(new).reg = Some(reg);
                return (new, reg);
            }
        }
        self.new_in_register(Class::Vector)
    }

    /// Will nobody use this piece after the instruction?
    fn is_last_use(&self, p: PieceId) -> bool {
        let piece = &self.r.pieces[p as usize];
        if let Some(run) = self.run.filter(|run| run.part + 1 < self.parts)
            && piece.owners.iter().filter(|o| **o != NEVER).any(|o| self.part_of(*o, p) != Some(run.part))
        {
            return false;
        }
        piece.refs == 1 && !piece.many && piece.owners.iter().filter(|o| **o != NEVER).all(|o| self.vals[*o as usize].last <= self.at)
    }

    /// Puts a piece into a register and keeps it there until the end of the instruction.
    pub(super) fn reg(&mut self, p: PieceId) -> u8 {
        let piece = self.r.pieces[p as usize];
        if let Some(reg) = piece.reg {
            self.r.pin(piece.class, reg);
            return reg;
        }
        let reg = self.take_register(piece.class, p);
        self.r.piece(p).reg = Some(reg);
        match (piece.class, piece.home) {
            (Class::Vector, Home::Row { row, part }) => {
                let from = self.row_mem(row, part.into());
                self.v(X::MovLoad, reg, 0, Rm::Mem(from));
            }
            (Class::Vector, Home::Bcst(m)) => self.v(X::Broadcast, reg, 0, Rm::Mem(m)),
            (Class::Vector, Home::Bcst64(m)) => self.v(X::BroadcastQ, reg, 0, Rm::Mem(m)),
            (Class::Vector, Home::Pool(c)) => self.v(X::MovLoad, reg, 0, Rm::Mem(Mem::constant(c))),
            (Class::Mask, home) => {
                let from = match home {
                    Home::Frame(at) => Mem::at(Gpr::RSP, at),
                    Home::SRegMask { reg, part } => sreg(reg).plus(2 * i32::from(part)),
                    home => unreachable!("a mask register from {home:?}"),
                };
                self.a.vector(Vector::new(X::Kmovw, Len::X, reg, 0, Rm::Mem(from)));
            }
            (Class::General, Home::Frame(at)) => self.a.load(Size::Q, Gpr(reg), Mem::at(Gpr::RSP, at)),
            (Class::General, Home::SReg(s)) => self.a.load(Size::D, Gpr(reg), sreg(s)),
            (Class::General, Home::Exec64) => self.a.load(Size::Q, Gpr(reg), sreg(SReg::EXEC_LO)),
            (Class::General, Home::Imm(bits)) => self.a.mov_imm(Gpr(reg), bits),
            (class, home) => unreachable!("{class:?} register from {home:?}"),
        }
        reg
    }

    /// A piece as the last operand of a vector instruction with elements of 32 bits: from memory if this is its only use.
    pub(super) fn rm(&mut self, p: PieceId) -> Rm {
        let piece = self.r.pieces[p as usize];
        if piece.reg.is_none() {
            let last = self.next_use_of_piece(p) == NEVER;
            match piece.home {
                Home::Row { row, part } if last => return Rm::Mem(self.row_mem(row, part.into())),
                Home::Bcst(m) => return Rm::Bcst(m),
                Home::Pool(c) => return Rm::Mem(Mem::constant(c)),
                _ => {}
            }
        }
        Rm::Reg(self.reg(p))
    }

    /// The same for instructions with elements of 64 bits.
    pub(super) fn rm64(&mut self, p: PieceId) -> Rm {
        let piece = self.r.pieces[p as usize];
        match piece.home {
            Home::Bcst64(m) if piece.reg.is_none() => Rm::Bcst(m),
            Home::Row { row, part } if piece.reg.is_none() && self.next_use_of_piece(p) == NEVER => Rm::Mem(self.row_mem(row, part.into())),
            _ => Rm::Reg(self.reg(p)),
        }
    }

    /// All registers will be lost: what is used after this instruction gets a home.
    pub(super) fn before_call(&mut self) {
        self.r.gave_up = true;
        for class in [Class::Vector, Class::Mask, Class::General] {
            for reg in 0..self.r.file(class).0.len() {
                let p = self.r.file(class).0[reg];
                if p == NONE || p == TEMP || p == FIXED {
                    continue;
                }
                if self.next_use_of_piece(p) != NEVER {
                    self.spill(p);
                }
                self.r.piece(p).reg = None;
                self.r.file(class).0[reg] = NONE;
            }
        }
    }

    /// A row is about to be written: who is at home there moves into a register.
    pub(super) fn row_changes(&mut self, row: u16) {
        let Some(list) = self.r.in_row.remove(&row) else { return };
        self.move_out(&list);
    }

    /// Any VGPR may be written.
    pub(super) fn all_rows_change(&mut self) {
        let rows: Vec<u16> = self.r.in_row.keys().copied().collect();
        rows.into_iter().for_each(|r| self.row_changes(r));
    }

    /// A part of a row is about to be written.
    pub(super) fn row_part_changes(&mut self, row: u16, part: usize) {
        let Some(list) = self.r.in_row.remove(&row) else { return };
        let fixed = self.r.fixed(row).map(|regs| regs[part]);
        let (here, others): (Vec<PieceId>, Vec<PieceId>) = list.into_iter().partition(|p| {
            let piece = &self.r.pieces[*p as usize];
            matches!(piece.home, Home::Row { row: r, part: q } if (r, usize::from(q)) == (row, part))
                || fixed.is_some() && piece.reg == fixed
        });
        self.r.in_row.insert(row, others);
        self.move_out(&here);
    }

    /// A scalar register is about to be written.
    pub(super) fn sreg_changes(&mut self, r: SReg) {
        let Some(list) = self.r.in_sreg.remove(&r.0) else { return };
        self.move_out(&list);
    }

    /// Any scalar register may be written.
    pub(super) fn all_sregs_change(&mut self) {
        let regs: Vec<u8> = self.r.in_sreg.keys().copied().collect();
        regs.into_iter().for_each(|r| self.sreg_changes(SReg(r)));
    }

    /// Which registers are pinned, to be handed to [`Self::pin_only`].
    pub(super) fn pins(&self) -> [u32; 3] {
        [self.r.pinned_vector, self.r.pinned_mask, self.r.pinned_general]
    }

    /// Unpins what was pinned since.
    pub(super) fn pin_only(&mut self, pins: [u32; 3]) {
        [self.r.pinned_vector, self.r.pinned_mask, self.r.pinned_general] = pins;
    }

    fn move_out(&mut self, list: &[PieceId]) {
        let pins = self.pins();
        for p in list {
            let piece = self.r.pieces[*p as usize];
            if let Some(fixed) = piece.reg.filter(|reg| piece.refs > 0 && self.r.is_fixed(piece.class, *reg)) {
                let reg = self.take_register(piece.class, *p);
                match piece.class {
                    Class::General => self.a.mov(Size::Q, Gpr(reg), Gpr(fixed)),
                    _ => self.v(X::MovAligned, reg, 0, Rm::Reg(fixed)),
                }
                self.r.piece(*p).reg = Some(reg);
                self.pin_only(pins);
                continue;
            }
            let guest = match piece.home {
                Home::Row { row, .. } => row < TEMP_ROW,
                Home::SReg(_) | Home::SRegMask { .. } | Home::Exec64 | Home::Bcst(_) => true,
                _ => false,
            };
            if piece.refs == 0 || !guest {
                continue;
            }
            // Needed after this instruction, or by it.
            self.reg(*p);
            self.r.piece(*p).home = Home::None;
            self.pin_only(pins);
        }
    }

    /// A piece in a register now has a copy in this row.
    pub(super) fn is_at_home_in(&mut self, p: PieceId, row: u16, part: usize) {
        let piece = self.r.piece(p);
        if piece.home == Home::None {
            piece.home = Home::Row { row, part: part as u8 };
            if row < TEMP_ROW {
                self.r.in_row.entry(row).or_default().push(p);
            }
        }
    }

    /// A scalar in a register now has a copy in this scalar register.
    pub(super) fn is_at_home_in_sreg(&mut self, p: PieceId, r: SReg) {
        let piece = self.r.piece(p);
        if piece.home == Home::None {
            piece.home = Home::SReg(r);
            self.r.in_sreg.entry(r.0).or_default().push(p);
        }
    }

    /// A piece that is a dword of the state, in every lane.
    pub(super) fn new_broadcast_of_sreg(&mut self, r: SReg) -> PieceId {
        let p = self.r.new_piece(Class::Vector, Home::Bcst(sreg(r)));
        self.r.in_sreg.entry(r.0).or_default().push(p);
        p
    }
}
