//! Registers and homes: where the pieces of values are.
//!
//! A value is made of *pieces*: of a lane value of 32 bits one vector register for every 16 lanes (8 in AVX2), of a mask one mask register
//! for each of those, of a scalar one general register. A piece is in a register, or has a home in memory, or both. Values share pieces: the parts of a
//! value that is the same in all lanes are one piece, and packing two dwords to a qword takes over theirs.
//!
//! ```text
//! %7: l32 = vget v3      pieces 12, 13: no register yet, homes: row 3, parts 0 and 1
//! %8: l32 = fadd %7, %6  pieces 14, 15: zmm4, zmm5
//! ```
//!
//! A piece that no value needs any more, but whose home is a guest register that has not been written since, stays in its register as a *copy*
//! until somebody wants the register: who reads the guest register next finds it there, in further blocks too (`copies.rs`).
//!
//! When registers are short, copies go first, then the piece whose next use is farthest leaves; it is stored only if it has no home. Homes in guest registers
//! are good until the register is written ([`super::Wide::row_changes`], [`super::Wide::sreg_changes`]).

use super::level::Level;
use super::plan::{Event, Log};
use super::{BASE, FUEL, ROWS, STATE};
use rustc_hash::FxHashMap;
use wavejit_ir::SReg;
use wavejit_ir::abi::{TEMP_ROW, WaveState};
use wavejit_x86::{Base, Constant, Gpr, Mem};

pub(super) type PieceId = u32;
/// No piece.
pub(super) const NONE: PieceId = u32::MAX;
/// A register that holds no piece, but must not be taken.
pub(super) const TEMP: PieceId = u32::MAX - 1;
/// A register that holds part of a row throughout a loop.
pub(super) const FIXED: PieceId = u32::MAX - 2;
/// Most vector registers of 32 bits a lane.
pub(super) const MAX_PARTS: usize = 8;
/// A set of registers.
pub(super) type Pins = u128;
/// Pieces of a value, in the order of lanes; the rest is [`NONE`].
pub(super) type Parts = [PieceId; MAX_PARTS];
pub(super) const NO_PARTS: Parts = [NONE; MAX_PARTS];

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Class {
    Vector,
    Mask,
    General,
}

/// What a piece at home in LDS is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InLds {
    /// A dword for each lane of a part.
    Dwords,
    /// A dword for all lanes.
    Dword,
    /// A qword for all lanes.
    Qword,
    /// Of a qword for each lane of a part the half that is so far in registers: the first one, or the second.
    Quads { half: u8 },
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
    /// A dword for each lane of a part, behind the code.
    Pool(Constant),
    /// Bytes of the frame.
    Frame(i32),
    /// Bytes of the frame that keep what they hold from wave to wave.
    Kept(i32),
    /// A scalar register.
    SReg(SReg),
    /// LDS, where nothing writes while it is at home there (`deferred.rs`): so far behind what a general register points to.
    Lds {
        start: PieceId,
        disp: i32,
        what: InLds,
    },
    /// Two scalar registers, this one and the next.
    SRegPair(SReg),
    /// The bits of a part's lanes, in scalar registers.
    SRegMask {
        reg: SReg,
        part: u8,
    },
    /// EXEC of wave64.
    Exec64,
    /// A constant.
    Imm(u64),
}

impl Home {
    /// Is it part of the wave's registers, so that others read the same?
    pub(super) fn is_guest(self) -> bool {
        match self {
            Home::Row { row, .. } => row < TEMP_ROW,
            Home::SReg(_) | Home::SRegPair(_) | Home::SRegMask { .. } | Home::Exec64 => true,
            Home::Bcst(m) | Home::Bcst64(m) => m.base == Base::Reg(STATE),
            _ => false,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub class: Class,
    pub reg: Option<u8>,
    pub home: Home,
    /// Values it belongs to.
    pub refs: u32,
    /// One or two of them.
    pub(super) owners: [u32; 2],
    /// There were more.
    pub(super) many: bool,
}

/// Bytes of the frame below what is spilled: room for arguments of careful calls.
pub(super) const CARGO_BYTES: i32 = 64;
/// Bytes that a careful call saves registers in.
pub(super) const SAVE_BYTES: i32 = 32 * 64 + 8 * 8 + 16 * 8;

/// Pieces that are at home in guest registers, by register.
#[derive(Default)]
pub(super) struct AtHome {
    lists: Vec<Vec<PieceId>>,
    /// Registers that have had some.
    touched: Vec<u16>,
}

impl AtHome {
    pub(super) fn of(&self, register: u16) -> &[PieceId] {
        self.lists.get(usize::from(register)).map_or(&[], |list| list)
    }

    pub(super) fn add(&mut self, register: u16, p: PieceId) {
        let i = usize::from(register);
        if i >= self.lists.len() {
            self.lists.resize_with(i + 1, Vec::new);
        }
        if self.lists[i].is_empty() {
            self.touched.push(register);
        }
        self.lists[i].push(p);
    }

    /// Takes those of a register out, in the order in which they came.
    pub(super) fn take(&mut self, register: u16) -> Vec<PieceId> {
        self.lists.get_mut(usize::from(register)).map(std::mem::take).unwrap_or_default()
    }

    /// Takes the memory of a list back.
    pub(super) fn recycle(&mut self, register: u16, mut list: Vec<PieceId>) {
        if let Some(now) = self.lists.get_mut(usize::from(register)).filter(|now| now.capacity() == 0) {
            list.clear();
            *now = list;
        }
    }

    /// Registers in which some are at home, in order.
    pub(super) fn registers(&self) -> Vec<u16> {
        let mut found: Vec<u16> = self.touched.iter().copied().filter(|r| !self.of(*r).is_empty()).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    pub(super) fn clear(&mut self) {
        for register in self.touched.drain(..) {
            self.lists[usize::from(register)].clear();
        }
    }
}

/// The registers of a kind, by number, and which pieces are in them. Sets of those that are free, and of those that may hold copies, are kept beside them:
/// who looks for a register looks at no others.
pub(super) struct File {
    pieces: Vec<PieceId>,
    free: Pins,
    pub(super) temporaries: Pins,
    /// All that hold copies ([`Regs::is_copy`]), and some that did.
    copies: Pins,
}

impl File {
    fn new(registers: usize) -> File {
        File { pieces: vec![NONE; registers], free: through(registers), temporaries: 0, copies: 0 }
    }

    pub(super) fn set(&mut self, reg: usize, p: PieceId) {
        self.pieces[reg] = p;
        let bit = |is: bool| Pins::from(is) << reg;
        let others = !bit(true);
        self.free = self.free & others | bit(p == NONE);
        self.temporaries = self.temporaries & others | bit(p == TEMP);
        self.copies &= others;
    }

    /// A register that nothing is in.
    pub(super) fn first_free(&self, among: Pins) -> Option<usize> {
        let free = self.free & among;
        (free != 0).then(|| free.trailing_zeros() as usize)
    }
}

impl std::ops::Deref for File {
    type Target = [PieceId];
    fn deref(&self) -> &[PieceId] {
        &self.pieces
    }
}

/// The first `n` registers as a set.
pub(super) fn through(n: usize) -> Pins {
    Pins::MAX.checked_shr(Pins::BITS - n as u32).unwrap_or(0)
}

/// Members of a set, in order.
pub(super) fn members(mut set: Pins) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        first
    })
}

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
    pub(super) parts: usize,
    pub pieces: Vec<Piece>,
    pub(super) level: Level,
    /// Registers, then places in memory that stand for some ([`Level::places`]).
    pub(super) vector: File,
    pub(super) mask: File,
    pub(super) general: File,
    pub(super) pinned_vector: Pins,
    pub(super) pinned_mask: Pins,
    pub(super) pinned_general: Pins,
    /// Temporary rows: which parts of each are taken.
    pub(super) temp: Vec<u16>,
    pub(super) most_temp: u32,
    /// Slots of the frame that are taken.
    pub(super) frame: Vec<bool>,
    /// Those that stay taken.
    kept: usize,
    /// Instructions that use each value, ascending, one value after the other.
    pub(super) uses: Vec<u32>,
    /// Pieces whose home is a guest register.
    pub(super) in_row: AtHome,
    pub(super) in_sreg: AtHome,
    /// Pieces whose home is, or was, LDS.
    pub(super) in_lds: Vec<PieceId>,
    /// Rows that the loop keeps in registers, by part.
    pub(super) fixed: FxHashMap<u16, [u8; MAX_PARTS]>,
    pub(super) fixed_registers: u32,
    /// Scalar registers that it keeps in registers; EXEC is its low word.
    pub(super) fixed_sregs: FxHashMap<u8, Gpr>,
    pub(super) fixed_generals: u32,
    /// Was there a call, for which all registers are given up, or an access to rows in memory?
    pub gave_up: bool,
    /// An operation needs more registers than there are.
    pub is_short: bool,
    /// Most vector and general registers that were pinned at a time.
    pub most_pinned: Needs,
    /// What happens here, for who wants to see the plan.
    pub log: Log,
}

pub(super) const NEVER: u32 = u32::MAX;
/// A temporary row that is not handed out.
pub(super) const RESERVED: u16 = u16::MAX;

impl Regs {
    pub(super) fn new(level: Level, parts: usize) -> Regs {
        let mut general = File::new(16);
        for r in [Gpr::RSP, STATE, ROWS, BASE, FUEL] {
            general.set(r.0.into(), TEMP);
        }
        let mut mask = File::new(8);
        // k0 means "no mask" where an instruction takes one: scratch.
        mask.set(0, TEMP);
        let mut vector = File::new(level.all_vectors());
        (0..level.vectors().start).for_each(|reg| vector.set(reg.into(), TEMP));
        // Rows of careful calls, and of the places, are never handed out.
        let rows = usize::from(super::calls::CAREFUL_ROWS) + level.places() / parts;
        Regs {
            block: 0,
            parts,
            pieces: vec![],
            level,
            vector,
            mask,
            general,
            pinned_vector: level.reserved(),
            pinned_mask: 1,
            pinned_general: 1 << Gpr::RSP.0 | 1 << STATE.0 | 1 << ROWS.0 | 1 << BASE.0 | 1 << FUEL.0,
            temp: vec![RESERVED; rows],
            most_temp: super::calls::CAREFUL_ROWS.into(),
            frame: vec![],
            kept: 0,
            uses: vec![],
            in_row: AtHome::default(),
            in_sreg: AtHome::default(),
            in_lds: vec![],
            fixed: FxHashMap::default(),
            fixed_registers: 0,
            fixed_sregs: FxHashMap::default(),
            fixed_generals: 0,
            gave_up: false,
            is_short: false,
            most_pinned: Needs::default(),
            log: Log::default(),
        }
    }

    /// The registers that hold rows and scalar registers in what follows.
    pub(super) fn fix(&mut self, rows: &FxHashMap<u16, [u8; MAX_PARTS]>, sregs: &FxHashMap<u8, Gpr>) {
        for reg in 0..16 {
            if self.fixed_generals >> reg & 1 != 0 {
                self.general.set(reg, NONE);
            }
        }
        self.fixed_sregs = sregs.clone();
        self.fixed_generals = 0;
        for reg in sregs.values() {
            self.fixed_generals |= 1 << reg.0;
            self.general.set(reg.0.into(), FIXED);
        }
        for reg in 0..32 {
            if self.fixed_registers >> reg & 1 != 0 {
                self.vector.set(reg, NONE);
            }
        }
        self.fixed = rows.clone();
        self.fixed_registers = 0;
        for reg in rows.values().flat_map(|regs| &regs[..self.parts]) {
            self.fixed_registers |= 1 << reg;
            self.vector.set((*reg).into(), FIXED);
        }
    }

    /// Vector registers that hold no row.
    pub(super) fn free_vectors(&self) -> usize {
        self.level.vectors().len() - self.fixed_registers.count_ones() as usize
    }

    /// The registers that hold this row.
    pub(super) fn fixed(&self, row: u16) -> Option<[u8; MAX_PARTS]> {
        self.fixed.get(&row).copied()
    }

    /// The register that holds this scalar register.
    pub(super) fn fixed_sreg(&self, reg: SReg) -> Option<Gpr> {
        self.fixed_sregs.get(&reg.0).copied()
    }

    pub(super) fn is_fixed(&self, class: Class, reg: u8) -> bool {
        let fixed = match class {
            Class::Vector => self.fixed_registers,
            Class::General => self.fixed_generals,
            Class::Mask => 0,
        };
        fixed.checked_shr(reg.into()).is_some_and(|bits| bits & 1 != 0)
    }

    /// A piece that is in a general register of the loop.
    pub(super) fn new_fixed_scalar(&mut self, sreg: SReg, reg: Gpr) -> PieceId {
        let p = self.new_piece(Class::General, Home::None);
        self.log.note(|| Event::InLoop { id: p, reg: reg.0 });
        self.piece(p).reg = Some(reg.0);
        self.in_sreg.add(sreg.0.into(), p);
        p
    }

    /// Nobody is in this register any more.
    pub(super) fn vacate(&mut self, class: Class, reg: u8) {
        if !self.is_fixed(class, reg) {
            self.file(class).0.set(reg.into(), NONE);
        }
    }

    /// A piece that is in a register of the loop.
    pub(super) fn new_fixed_piece(&mut self, row: u16, reg: u8) -> PieceId {
        let p = self.new_piece_for_loop(reg);
        self.in_row.add(row, p);
        p
    }

    /// A piece that is made in a register of the loop: what the row is to hold next.
    pub(super) fn new_piece_for_loop(&mut self, reg: u8) -> PieceId {
        let p = self.new_piece(Class::Vector, Home::None);
        self.log.note(|| Event::InLoop { id: p, reg });
        self.piece(p).reg = Some(reg);
        self.pin(Class::Vector, reg);
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

    pub(super) fn file_of(&self, class: Class) -> &File {
        match class {
            Class::Mask if self.level == Level::Avx2 => &self.vector,
            Class::Vector => &self.vector,
            Class::Mask => &self.mask,
            Class::General => &self.general,
        }
    }

    pub(super) fn file(&mut self, class: Class) -> (&mut File, &mut Pins) {
        match class {
            Class::Mask if self.level == Level::Avx2 => (&mut self.vector, &mut self.pinned_vector),
            Class::Vector => (&mut self.vector, &mut self.pinned_vector),
            Class::Mask => (&mut self.mask, &mut self.pinned_mask),
            Class::General => (&mut self.general, &mut self.pinned_general),
        }
    }

    pub(super) fn pin(&mut self, class: Class, reg: u8) {
        *self.file(class).1 |= 1 << reg;
    }

    pub(super) fn new_temp_part(&mut self) -> (u16, u8) {
        let full = (1u16 << self.parts) - 1;
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

    /// Is it a place that stands for a register?
    pub(super) fn is_place(&self, reg: u8) -> bool {
        reg >= self.level.vectors().end
    }

    /// The place that stands for this register: a part of a temporary row. It is used from here on.
    pub(super) fn place(&mut self, reg: u8) -> Option<(u16, u8)> {
        let n = usize::from(reg).checked_sub(self.level.vectors().end.into())?;
        let row = super::calls::CAREFUL_ROWS + (n / self.parts) as u16;
        self.most_temp = self.most_temp.max(u32::from(row) + 1);
        Some((TEMP_ROW + row, (n % self.parts) as u8))
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
        let row = TEMP_ROW + row as u16;
        self.log.note(|| Event::RowTaken { row });
        row
    }

    /// Gives a temporary row back that was not handed to pieces.
    pub(super) fn free_temp_row(&mut self, row: u16) {
        self.temp[usize::from(row - TEMP_ROW)] = 0;
    }

    /// A piece for what a call returned.
    pub(super) fn result_in(&mut self, reg: Gpr) -> PieceId {
        let p = self.new_piece(Class::General, Home::None);
        debug_assert_eq!(self.general[usize::from(reg.0)], NONE);
        self.general.set(reg.0.into(), p);
        self.piece(p).reg = Some(reg.0);
        self.log.note(|| Event::Taken { id: p, reg: reg.0 });
        self.log.note(|| Event::Filled { id: p });
        self.pin(Class::General, reg.0);
        p
    }

    /// General registers that may not be taken now.
    pub(super) fn pinned_generals(&self) -> u32 {
        (self.pinned_general as u32).count_ones()
    }

    /// Moves the place of a piece that has no value yet from its register to the frame.
    pub(super) fn move_to_frame(&mut self, p: PieceId) {
        let at = self.new_frame_slot();
        self.log.note(|| Event::Moved { id: p, home: Home::Frame(at) });
        let piece = self.piece(p);
        piece.home = Home::Frame(at);
        if let Some(reg) = piece.reg.take() {
            self.general.set(reg.into(), NONE);
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
        let at = CARGO_BYTES + 8 * i as i32;
        self.log.note(|| Event::FrameTaken { at });
        at
    }

    /// Eight bytes of the frame that are never given back.
    pub(super) fn new_kept_slot(&mut self) -> i32 {
        self.kept += 1;
        self.frame.push(true);
        CARGO_BYTES + 8 * (self.frame.len() as i32 - 1)
    }

    /// So many bytes of the frame that are never given back.
    pub(super) fn new_kept_room(&mut self, bytes: i32) -> i32 {
        let at = self.new_kept_slot();
        (8..bytes).step_by(8).for_each(|_| _ = self.new_kept_slot());
        at
    }

    /// A piece has just been stored somewhere else.
    pub(super) fn move_home(&mut self, p: PieceId, home: Home) {
        self.log.note(|| Event::Stored { id: p, home });
        let old = std::mem::replace(&mut self.piece(p).home, home);
        self.free_home(old);
    }

    /// Are all slots of the frame free that can be?
    pub(super) fn frame_is_free(&self) -> bool {
        self.frame.iter().filter(|taken| **taken).count() == self.kept
    }

    /// Gives them back.
    pub(super) fn free_frame_slot(&mut self, at: i32) {
        self.free_home(Home::Frame(at));
    }

    pub(super) fn free_home(&mut self, home: Home) {
        match home {
            Home::Row { row, part } if row >= TEMP_ROW => self.temp[usize::from(row - TEMP_ROW)] &= !(1 << part),
            Home::Frame(at) => self.frame[((at - CARGO_BYTES) / 8) as usize] = false,
            _ => {}
        }
    }

    pub(super) fn piece(&mut self, id: PieceId) -> &mut Piece {
        &mut self.pieces[id as usize]
    }

    /// Notes that a piece is at home here, for when a guest register is written that the home is in.
    fn note_home(&mut self, p: PieceId, home: Home) {
        if let Home::Row { row, .. } = home
            && row < TEMP_ROW
        {
            self.in_row.add(row, p);
        }
        for reg in sregs_of(home, self.level).into_iter().flatten() {
            self.in_sreg.add(reg.into(), p);
        }
    }

    /// Pieces that are at home in a guest register of this home.
    fn at_home(&self, home: Home) -> &[PieceId] {
        match home {
            Home::Row { row, .. } => self.in_row.of(row),
            _ => sregs_of(home, self.level)[0].map_or(&[], |reg| self.in_sreg.of(reg.into())),
        }
    }

    /// A piece in a register now has a copy in this guest register.
    pub(super) fn settle(&mut self, p: PieceId, home: Home) {
        if matches!(self.pieces[p as usize].home, Home::None | Home::Lds { .. }) {
            self.log.note(|| Event::Settled { id: p, home });
            self.piece(p).home = home;
            self.note_copy(p);
            self.note_home(p, home);
        }
    }

    /// A piece that is what this guest register holds: one that is in a register, if there is one.
    pub(super) fn piece_at(&mut self, class: Class, home: Home) -> PieceId {
        let there = self.at_home(home).iter().copied().find(|p| {
            let piece = &self.pieces[*p as usize];
            piece.reg.is_some() && piece.class == class && piece.home == home
        });
        there.unwrap_or_else(|| self.new_piece(class, home))
    }

    /// Do registers stay what they are when nobody needs them? Of those of AVX2 there are too few, and part of them is in memory.
    pub(super) fn has_copies(&self) -> bool {
        self.level == Level::Avx512
    }

    /// Is it in its register only because it may be read from its guest register again?
    pub(super) fn is_copy(&self, p: PieceId) -> bool {
        self.pieces.get(p as usize).is_some_and(|piece| piece.refs == 0 && piece.home.is_guest())
    }

    /// Nobody needs a piece any more: it is a copy, or gives its register up.
    pub(super) fn leave(&mut self, p: PieceId) {
        let has_copies = self.has_copies();
        let piece = self.piece(p);
        (piece.owners, piece.many) = ([NEVER; 2], false);
        if piece.reg.is_none() || !piece.home.is_guest() || !has_copies {
            self.discard(p);
        } else {
            self.note_copy(p);
        }
    }

    /// To be told when a piece may have become a copy.
    pub(super) fn note_copy(&mut self, p: PieceId) {
        let Piece { class, reg, refs, home, .. } = self.pieces[p as usize];
        if let Some(reg) = reg.filter(|reg| refs == 0 && home.is_guest() && !self.is_fixed(class, *reg)) {
            self.file(class).0.copies |= 1 << reg;
        }
    }

    /// The register of these that has held a copy longest.
    pub(super) fn oldest_copy(&mut self, class: Class, among: Pins) -> Option<usize> {
        loop {
            let file = self.file_of(class);
            let (reg, p) = members(file.copies & among).map(|reg| (reg, file.pieces[reg])).min_by_key(|(_, p)| *p)?;
            if self.is_copy(p) {
                return Some(reg);
            }
            // A value needs it again.
            self.file(class).0.copies &= !(1 << reg);
        }
    }

    /// Takes a piece out of its register and its home.
    pub(super) fn discard(&mut self, p: PieceId) {
        let piece = self.piece(p);
        let (class, reg, home) = (piece.class, piece.reg.take(), std::mem::replace(&mut piece.home, Home::None));
        self.free_home(home);
        if let Some(reg) = reg {
            self.vacate(class, reg);
        }
    }

    /// A new piece that belongs to nobody yet.
    pub(super) fn new_piece(&mut self, class: Class, home: Home) -> PieceId {
        let id = self.pieces.len() as PieceId;
        self.log.note(|| Event::Piece { id, class, home });
        self.note_home(id, home);
        self.pieces.push(Piece { class, reg: None, home, refs: 0, owners: [NEVER; 2], many: false });
        id
    }
}

/// The scalar registers whose writes change what is at home here.
pub(super) fn sregs_of(home: Home, level: Level) -> [Option<u8>; 2] {
    let number = |m: Mem| ((m.disp - super::off(std::mem::offset_of!(WaveState, sregs))) / 4) as u8;
    match home {
        Home::SReg(r) => [Some(r.0), None],
        Home::SRegPair(r) => [Some(r.0), Some(r.0 + 1)],
        // Of EXEC all parts count as its low word; ranges of others are two words.
        Home::Exec64 | Home::SRegMask { reg: SReg::EXEC_LO, .. } => [Some(SReg::EXEC_LO.0), None],
        Home::SRegMask { reg, part } => [Some(reg.0 + part / (32 / level.lanes()) as u8), None],
        Home::Bcst(m) if home.is_guest() => [Some(number(m)), None],
        Home::Bcst64(m) if home.is_guest() => [Some(number(m)), Some(number(m) + 1)],
        _ => [None; 2],
    }
}

/// Pieces of a list, each once.
#[inline(always)]
pub(super) fn distinct(parts: &[PieceId]) -> impl Iterator<Item = PieceId> + '_ {
    let mut i = 0;
    std::iter::from_fn(move || {
        while let Some(p) = parts.get(i) {
            i += 1;
            if *p != NONE && !parts[..i - 1].iter().any(|before| before == p) {
                return Some(*p);
            }
        }
        None
    })
}
