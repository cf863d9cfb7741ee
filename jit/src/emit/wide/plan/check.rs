//! Walks a plan, and sees whether every operation finds its operands.
//!
//! It knows what a piece is, and what is in each register and place of memory, from the events alone: where the allocator believes otherwise, the code is
//! wrong. For each use it demands that
//!
//! * the register, or the home, holds that piece: it was put there, nothing was written over it since, no call came between, and a guest
//!   register that it is at home in has not changed;
//! * the piece belongs to an operand of the operation, as the IR has it, or to what an operand without a place of its own is made of.
//!
//! Values that are read from guest registers must be what these held, and what the IR writes to guest registers must change them. A write of a
//! register is one to a temporary, to a new piece, or, within a loop that keeps a row there, to that row. Blocks are walked one by one: between them all is in
//! the wave's state, and what one finds in registers nonetheless must be there at the end of each that leads to it.

use super::super::deferred::may_write_lds;
use super::super::level::Level;
use super::super::products::is_held_up;
use super::super::regs::{Class, Home, NONE, PieceId, sregs_of};
use super::super::wanted::{Asked, lanes_of_values};
use super::{Event, Plan};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use wavejit_ir::abi::TEMP_ROW;
use wavejit_ir::text::{inst_text, term_text};
use wavejit_ir::{Block, Func, Inst, Op, Shape, Ty, Value};

/// What is wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::emit::wide) struct Wrong {
    func: String,
    block: u32,
    pc: u64,
    /// The operation, as text.
    operation: String,
    part: Option<u8>,
    why: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the plan of `{}` is wrong in block {} at {:#x}, `{}`", self.func, self.block, self.pc, self.operation)?;
        if let Some(part) = self.part {
            write!(f, ", part {part}")?;
        }
        write!(f, ": {}", self.why)
    }
}

impl std::error::Error for Wrong {}

/// Walks all blocks.
pub(in crate::emit::wide) fn check(func: &Func, plan: &Plan) -> Result<(), Wrong> {
    let mut walk = Walk {
        func,
        plan,
        block: 0,
        at: 0,
        part: None,
        together: None,
        step: 0,
        now: 0,
        pieces: FxHashMap::default(),
        registers: FxHashMap::default(),
        memory: FxHashMap::default(),
        changed: FxHashMap::default(),
        all_rows: 0,
        all_sregs: 0,
        rows: FxHashMap::default(),
        sregs: FxHashMap::default(),
        defs: FxHashMap::default(),
        users: FxHashMap::default(),
        named: FxHashSet::default(),
        to_change: None,
        ends: vec![None; func.blocks.len()],
    };
    for (now, event) in plan.events.iter().enumerate() {
        walk.now = now + 1;
        walk.event(event).map_err(|why| walk.wrong(why))?;
    }
    walk.end_step().and_then(|()| walk.end_block()).map_err(|why| walk.wrong(why))
}

/// Registers: a file and a number.
type Register = (Class, u8);

/// What is in a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Content {
    /// A piece gets it, and its bits are still to come.
    Promised(PieceId),
    /// They are there, and may be written again until the operation ends.
    Written(PieceId),
    Piece(PieceId),
    Temporary,
    /// What a loop keeps there.
    Loop,
}

/// Guest registers: (row, part), or a scalar register. And LDS as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Guest {
    Row(u16, u8),
    SReg(u8),
    Lds,
}

/// Memory that is ours.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Ours {
    Frame(i32),
    Row(u16, u8),
}

struct Piece {
    class: Class,
    home: Home,
    /// The event since which it is at home there.
    since: usize,
    /// The step it was made in.
    born: usize,
    /// Values it is of.
    values: Vec<Value>,
}

/// What is in a register at the end of a block, and in a guest register too.
type AtEnd = (Class, u8, Home);

struct Walk<'a> {
    func: &'a Func,
    plan: &'a Plan,
    block: u32,
    at: u32,
    part: Option<u8>,
    /// Another operation that the present one does, too.
    together: Option<u32>,
    /// Steps so far, and events.
    step: usize,
    now: usize,
    pieces: FxHashMap<PieceId, Piece>,
    registers: FxHashMap<Register, Content>,
    memory: FxHashMap<Ours, PieceId>,
    /// The event with which a guest register changed last; of all of a kind.
    changed: FxHashMap<Guest, usize>,
    all_rows: usize,
    all_sregs: usize,
    /// Where the loop keeps parts of rows and scalar registers.
    rows: FxHashMap<(u16, u8), u8>,
    sregs: FxHashMap<u8, u8>,
    /// Of the block's values: which operation defines it, and which use it.
    defs: FxHashMap<Value, usize>,
    users: FxHashMap<Value, Vec<usize>>,
    /// Those that have pieces, or had.
    named: FxHashSet<Value>,
    /// The guest register that the present operation is to change.
    to_change: Option<Guest>,
    ends: Vec<Option<Vec<AtEnd>>>,
}

impl<'a> Walk<'a> {
    fn inside(&self) -> &'a Block {
        &self.func.blocks[self.block as usize]
    }

    fn wrong(&self, why: String) -> Wrong {
        let block = self.inside();
        let (pc, operation) = match block.insts.get(self.at as usize) {
            Some(inst) => (inst.pc, inst_text(self.func, inst, block.mode)),
            None => (block.term_pc, term_text(&block.term)),
        };
        Wrong { func: self.func.name.clone(), block: self.block, pc, operation: operation.trim().to_owned(), part: self.part, why }
    }

    /// The register of a file: masks have one of their own or not.
    fn register(&self, class: Class, reg: u8) -> Register {
        match class {
            Class::Mask if self.plan.level == Level::Avx2 => (Class::Vector, reg),
            class => (class, reg),
        }
    }

    fn piece(&self, id: PieceId) -> Result<&Piece, String> {
        self.pieces.get(&id).ok_or_else(|| format!("piece {id} is not known"))
    }

    fn event(&mut self, event: &Event) -> Result<(), String> {
        match *event {
            Event::Block { block, ref rows, ref sregs } => {
                self.end_step()?;
                self.end_block()?;
                self.begin_block(block, rows, sregs);
            }
            Event::Step { at, part, .. } => {
                self.end_step()?;
                (self.at, self.part, self.together) = (at, part, None);
                self.step += 1;
                self.registers.retain(|_, content| *content != Content::Temporary);
                self.registers.values_mut().for_each(|content| {
                    if let Content::Written(id) = *content {
                        *content = Content::Piece(id);
                    }
                });
                self.to_change = match self.inside().insts.get(at as usize).map(|inst| &inst.op) {
                    Some(Op::VSet { reg, .. }) => Some(Guest::Row(reg.0, part.unwrap_or(0))),
                    Some(Op::SSet(reg, _)) => Some(Guest::SReg(reg.0)),
                    _ => None,
                };
            }
            Event::Together { at } => self.together = Some(at),
            Event::Piece { id, class, home } => {
                let piece = Piece { class, home, since: self.now, born: self.step, values: vec![] };
                self.pieces.insert(id, piece);
                if let Some(ours) = ours(home) {
                    self.memory.insert(ours, id);
                }
            }
            Event::InLoop { id, reg } => {
                let class = self.piece(id)?.class;
                let register = self.register(class, reg);
                if self.registers.get(&register) != Some(&Content::Loop) {
                    return Err(format!("piece {id} is to be what the loop keeps in {}, which is no register of the loop", name(register)));
                }
                self.pieces.get_mut(&id).expect("it is there").since = self.now;
            }
            Event::Held { id, reg } => self.held(id, reg)?,
            Event::Taken { id, reg } => {
                let piece = self.piece(id)?;
                // Of general registers writes are not noted: what is new is there.
                let is_there = piece.class == Class::General && piece.home == Home::None;
                let register = self.register(piece.class, reg);
                self.take(register, Content::Promised(id))?;
                if is_there {
                    self.fill(id)?;
                }
            }
            Event::Over { id, from } => {
                let register =
                    self.register_of(from).ok_or_else(|| format!("piece {id} is to take over the register of {from}, which has none"))?;
                self.registers.insert(register, Content::Piece(id));
                self.pieces.get_mut(&id).expect("it has just been made").home = Home::None;
            }
            Event::Loaded { id, home } => {
                self.at_home(id, home)?;
                self.fill(id)?;
            }
            Event::Filled { id } => self.fill(id)?,
            Event::Stored { id, home } => {
                let register = self.register_of(id).ok_or_else(|| format!("piece {id} is stored, but is in no register"))?;
                if matches!(self.registers.get(&register), Some(Content::Promised(_))) {
                    return Err(format!("piece {id} is stored from {}, which does not hold it yet", name(register)));
                }
                self.settle(id, home)?;
            }
            Event::Settled { id, home } | Event::Moved { id, home } => self.settle(id, home)?,
            Event::Homeless { id } => {
                self.piece(id)?;
                self.pieces.get_mut(&id).expect("it is there").home = Home::None;
            }
            Event::Use { id, reg } => {
                self.may_use(id)?;
                self.holds(id, reg)?;
            }
            Event::UseTwin { id, twin, reg } => {
                self.may_use(id)?;
                let home = self.piece(twin)?.home;
                self.at_home(id, home)?;
                self.at_home(twin, home)?;
                self.holds(twin, reg)?;
            }
            Event::UseInMemory { id, home } => {
                self.may_use(id)?;
                self.at_home(id, home)?;
            }
            Event::Temporary { class, reg } => {
                let register = self.register(class, reg);
                self.take(register, Content::Temporary)?;
            }
            Event::Writes { class, reg } => self.writes(class, reg)?,
            Event::FrameTaken { at } => {
                self.memory.remove(&Ours::Frame(at));
            }
            Event::RowTaken { row } => {
                for part in 0..self.plan.parts as u8 {
                    self.memory.remove(&Ours::Row(row, part));
                }
            }
            Event::Is { value, ref pieces } => self.is(value, pieces)?,
            Event::RowChanges { row, part } => {
                for p in (0..self.plan.parts as u8).filter(|p| part.is_none_or(|part| part == *p)) {
                    self.change(Guest::Row(row, p));
                }
            }
            Event::AllRowsChange => (self.all_rows, self.to_change) = (self.now, None),
            Event::SRegChanges { reg } => self.change(Guest::SReg(reg.0)),
            Event::AllSRegsChange => (self.all_sregs, self.to_change) = (self.now, None),
            Event::Access { .. } => {}
            Event::RegistersEmptied { ref but } => {
                self.registers.retain(|register, content| *content == Content::Loop || but.contains(register));
            }
            Event::Call => self.registers.retain(|(class, reg), content| {
                *content == Content::Loop || *class == Class::Vector && *reg >= self.plan.level.vectors().end
            }),
        }
        Ok(())
    }

    fn begin_block(&mut self, block: u32, rows: &[(u16, u8, u8)], sregs: &[(u8, u8)]) {
        (self.block, self.at, self.part) = (block, 0, None);
        self.step += 1;
        self.pieces.clear();
        self.registers.clear();
        self.memory.clear();
        self.named.clear();
        self.rows = rows.iter().map(|(row, part, reg)| ((*row, *part), *reg)).collect();
        self.sregs = sregs.iter().copied().collect();
        let registers = rows.iter().map(|(.., reg)| (Class::Vector, *reg)).chain(sregs.iter().map(|(_, reg)| (Class::General, *reg)));
        self.registers.extend(registers.map(|register| (register, Content::Loop)));
        self.defs.clear();
        self.users.clear();
        for (at, inst) in self.inside().insts.iter().enumerate() {
            for k in 0..inst.results {
                self.defs.insert(inst.result(k.into()), at);
            }
            inst.op.for_each_arg(|v| self.users.entry(v).or_default().push(at));
        }
    }

    /// Notes what is in registers and in guest registers both.
    fn end_block(&mut self) -> Result<(), String> {
        let held = self.registers.iter().filter_map(|((class, reg), content)| match content {
            Content::Piece(id) | Content::Written(id) => Some((*class, *reg, self.pieces.get(id)?)),
            _ => None,
        });
        let both =
            held.filter(|(.., piece)| piece.home.is_guest() && self.guests(piece.home).iter().all(|g| self.changed_at(*g) <= piece.since));
        let found = both.map(|(_, reg, piece)| (piece.class, reg, piece.home)).collect();
        self.ends[self.block as usize] = Some(found);
        Ok(())
    }

    /// Has the operation changed what it is to change?
    fn end_step(&mut self) -> Result<(), String> {
        if self.inside().insts.get(self.at as usize).is_some_and(|inst| may_write_lds(&inst.op)) {
            self.change(Guest::Lds);
        }
        match self.to_change.take() {
            Some(guest) => Err(format!("{guest:?} stays as it is, though the operation sets it")),
            None => Ok(()),
        }
    }

    fn change(&mut self, guest: Guest) {
        self.changed.insert(guest, self.now);
        if self.to_change == Some(guest) {
            self.to_change = None;
        }
    }

    fn changed_at(&self, guest: Guest) -> usize {
        let all = match guest {
            Guest::Row(row, _) if row >= TEMP_ROW => 0,
            Guest::Row(..) => self.all_rows,
            Guest::SReg(_) => self.all_sregs,
            Guest::Lds => 0,
        };
        self.changed.get(&guest).copied().unwrap_or(0).max(all)
    }

    /// Guest registers that a home is.
    fn guests(&self, home: Home) -> Vec<Guest> {
        match home {
            Home::Row { row, part } if row < TEMP_ROW => vec![Guest::Row(row, part)],
            Home::Lds { .. } => vec![Guest::Lds],
            _ if home.is_guest() => sregs_of(home, self.plan.level).into_iter().flatten().map(Guest::SReg).collect(),
            _ => vec![],
        }
    }

    /// The register that a piece is in, or is to be.
    fn register_of(&self, id: PieceId) -> Option<Register> {
        let is_here = |content: &Content| matches!(content, Content::Piece(p) | Content::Written(p) | Content::Promised(p) if *p == id);
        self.registers.iter().find(|(_, content)| is_here(content)).map(|(register, _)| *register)
    }

    fn take(&mut self, register: Register, content: Content) -> Result<(), String> {
        if self.registers.get(&register) == Some(&Content::Loop) {
            return Err(format!("{} is handed out, which is the loop's", name(register)));
        }
        if let Content::Promised(id) = content {
            // It is in one register at a time.
            self.registers
                .retain(|_, content| !matches!(content, Content::Piece(p) | Content::Written(p) | Content::Promised(p) if *p == id));
        }
        self.registers.insert(register, content);
        Ok(())
    }

    fn fill(&mut self, id: PieceId) -> Result<(), String> {
        let register = self.register_of(id).ok_or_else(|| format!("piece {id} is filled, but is in no register"))?;
        self.registers.insert(register, Content::Piece(id));
        Ok(())
    }

    fn settle(&mut self, id: PieceId, home: Home) -> Result<(), String> {
        self.piece(id)?;
        if let Some(ours) = ours(home) {
            self.memory.insert(ours, id);
        }
        let now = self.now;
        let piece = self.pieces.get_mut(&id).expect("it is there");
        (piece.home, piece.since) = (home, now);
        Ok(())
    }

    /// Is a piece what its home holds, which is here?
    fn at_home(&self, id: PieceId, home: Home) -> Result<(), String> {
        let piece = self.piece(id)?;
        if piece.home != home {
            return Err(format!("piece {id}{} is read from {home:?}, but is in {:?}", self.of(id), piece.home));
        }
        if let Some(ours) = ours(piece.home)
            && self.memory.get(&ours) != Some(&id)
        {
            return Err(format!("piece {id}{} is read from {ours:?}, which holds another", self.of(id)));
        }
        if piece.home == Home::None {
            return Err(format!("piece {id}{} is read from memory, but is not there", self.of(id)));
        }
        match self.guests(piece.home).into_iter().find(|guest| self.changed_at(*guest) > piece.since) {
            Some(guest) => Err(format!("piece {id}{} is read from {guest:?}, which has been written since", self.of(id))),
            None => Ok(()),
        }
    }

    /// Is a piece in this register?
    fn holds(&self, id: PieceId, reg: u8) -> Result<(), String> {
        let piece = self.piece(id)?;
        let register = self.register(piece.class, reg);
        let content = self.registers.get(&register).copied();
        match content {
            Some(Content::Piece(p) | Content::Written(p)) if p == id => Ok(()),
            // Its bits are made in this very operation.
            Some(Content::Promised(p)) if p == id && piece.born == self.step => Ok(()),
            Some(Content::Loop) => {
                let is_kept = |guest: Guest| self.changed_at(guest) <= piece.since;
                let row = self
                    .rows
                    .iter()
                    .find(|(_, r)| **r == reg && piece.class == Class::Vector)
                    .map(|((row, part), _)| Guest::Row(*row, *part));
                let sreg = self.sregs.iter().find(|(_, r)| **r == reg && piece.class == Class::General).map(|(sreg, _)| Guest::SReg(*sreg));
                match row.or(sreg) {
                    Some(guest) if is_kept(guest) => Ok(()),
                    _ => {
                        Err(format!("piece {id}{} is read from {}, where the loop has something else by now", self.of(id), name(register)))
                    }
                }
            }
            _ => Err(format!("piece {id}{} is read from {}, which holds {content:?}", self.of(id), name(register))),
        }
    }

    /// What a piece is part of, for messages.
    fn of(&self, id: PieceId) -> String {
        self.pieces.get(&id).and_then(|piece| piece.values.first()).map_or(String::new(), |v| format!(" of {v:?}"))
    }

    fn writes(&mut self, class: Class, reg: u8) -> Result<(), String> {
        let register = self.register(class, reg);
        // Scratch registers are nobody's.
        if register == (Class::Mask, 0) || register.0 == Class::Vector && reg < self.plan.level.vectors().start {
            return Ok(());
        }
        match self.registers.get(&register) {
            Some(Content::Temporary | Content::Promised(_) | Content::Written(_)) => {}
            Some(Content::Piece(id)) if self.pieces.get(id).is_some_and(|piece| piece.born == self.step) => {}
            Some(Content::Piece(id)) => return Err(format!("{} is written, which holds piece {id}{}", name(register), self.of(*id))),
            Some(Content::Loop) => {}
            None => return Err(format!("{} is written, which nobody has taken", name(register))),
        }
        if let Some(Content::Promised(id)) = self.registers.get(&register).copied() {
            let is_new = self.pieces.get(&id).is_some_and(|piece| piece.home == Home::None);
            if is_new {
                self.registers.insert(register, Content::Written(id));
            }
        }
        Ok(())
    }

    /// A register holds what a guest register does.
    fn held(&mut self, id: PieceId, reg: u8) -> Result<(), String> {
        let (class, home) = {
            let piece = self.piece(id)?;
            (piece.class, piece.home)
        };
        let register = self.register(class, reg);
        let is_temporary = self.registers.get(&register) == Some(&Content::Temporary);
        if !is_temporary {
            // At the beginning of the block: from all that lead here.
            for (b, block) in self.func.blocks.iter().enumerate() {
                let mut leads = false;
                block.term.for_each_successor(|s| leads |= s.0 == self.block);
                let is_there = || self.ends[b].as_ref().is_some_and(|end| end.contains(&(class, reg, home)));
                if leads && !is_there() {
                    return Err(format!(
                        "{} is to hold {home:?} from the block before on, which it does not at the end of block {b}",
                        name(register)
                    ));
                }
            }
        }
        self.registers.insert(register, Content::Piece(id));
        Ok(())
    }

    fn is(&mut self, value: Value, pieces: &[PieceId]) -> Result<(), String> {
        for (part, id) in pieces.iter().enumerate().filter(|(_, id)| **id != NONE) {
            self.piece(*id)?;
            let def = self.defs.get(&value).map(|at| &self.inside().insts[*at].op);
            let of = if *id == pieces[0] && self.plan.alike.contains(&value) { 0 } else { part };
            let expected = match def {
                Some(Op::VGet { reg, .. }) => Some(Guest::Row(reg.0, of as u8)),
                Some(Op::SGet(reg)) => Some(Guest::SReg(reg.0)),
                _ => None,
            };
            if let Some(guest) = expected
                && self.defs.get(&value) == Some(&(self.at as usize))
            {
                self.is_guest(*id, guest)?;
            }
            let piece = self.pieces.get_mut(id).expect("it is there");
            if !piece.values.contains(&value) {
                piece.values.push(value);
            }
        }
        self.named.insert(value);
        Ok(())
    }

    /// Is a piece what this guest register holds now?
    fn is_guest(&self, id: PieceId, guest: Guest) -> Result<(), String> {
        let piece = self.piece(id)?;
        let kept = match guest {
            Guest::Row(row, part) => self.rows.get(&(row, part)).map(|reg| (Class::Vector, *reg)),
            Guest::SReg(reg) => self.sregs.get(&reg).map(|reg| (Class::General, *reg)),
            Guest::Lds => None,
        };
        let is_there = match kept {
            Some(_) => piece.home == Home::None,
            None => self.guests(piece.home) == [guest],
        };
        if is_there && self.changed_at(guest) <= piece.since {
            Ok(())
        } else {
            Err(format!("piece {id} is to be what {guest:?} holds, and is not"))
        }
    }

    /// Is a piece of an operand of the operation?
    fn may_use(&self, id: PieceId) -> Result<(), String> {
        let piece = self.piece(id)?;
        // What an operation makes for itself, or for several, is of no value.
        if piece.born == self.step || piece.values.is_empty() {
            return Ok(());
        }
        let block = self.inside();
        let mut wanted = vec![];
        match block.insts.get(self.at as usize) {
            Some(inst) => {
                inst.op.for_each_arg(|v| wanted.push(v));
                // Operations may do what is left of those that use them: a selection by a mask, say.
                for result in (0..inst.results).map(|k| inst.result(k.into())) {
                    wanted.push(result);
                    for user in self.users.get(&result).into_iter().flatten() {
                        block.insts[*user].op.for_each_arg(|v| wanted.push(v));
                    }
                }
            }
            None => block.term.for_each_arg(|v| wanted.push(v)),
        }
        if let Some(other) = self.together.and_then(|at| block.insts.get(at as usize)) {
            other.op.for_each_arg(|v| wanted.push(v));
        }
        let is_mask = |v: &Value| self.func.ty(*v) == Ty::MASK || self.func.ty(*v).shape == Shape::Scalar;
        let sees_all = piece.values.iter().any(is_mask);
        let mut seen = FxHashSet::default();
        while let Some(v) = wanted.pop() {
            if !seen.insert(v) {
                continue;
            }
            if piece.values.contains(&v) {
                return Ok(());
            }
            // Of a value without a place: what it is made of. Masks may say where what it is made of is defined.
            if (sees_all || !self.named.contains(&v))
                && let Some(def) = self.defs.get(&v)
            {
                block.insts[*def].op.for_each_arg(|v| wanted.push(v));
            }
        }
        if self.plan.masks_idle && self.masks_product(&piece.values) {
            return Ok(());
        }
        Err(format!("piece {id}{} is read, which is no operand's", self.of(id)))
    }

    /// Is the operation one that idle lanes may hold up, and that only lanes of one of these masks ask for?
    fn masks_product(&self, masks: &[Value]) -> bool {
        let block = self.inside();
        let is_product = |inst: &&Inst| matches!(inst.op, Op::Pure { op, .. } if is_held_up(op));
        let Some(product) = block.insts.get(self.at as usize).filter(is_product) else { return false };
        lanes_of_values(self.func, block, &mut Asked::of(self.func))
            .get(&product.first)
            .is_some_and(|lanes| lanes.iter().any(|mask| masks.contains(mask)))
    }
}

/// The memory of ours that a home is.
fn ours(home: Home) -> Option<Ours> {
    match home {
        Home::Row { row, part } if row >= TEMP_ROW => Some(Ours::Row(row, part)),
        Home::Frame(at) => Some(Ours::Frame(at)),
        _ => None,
    }
}

fn name((class, reg): Register) -> String {
    match class {
        Class::Vector => format!("vector register {reg}"),
        Class::Mask => format!("mask register {reg}"),
        Class::General => format!("general register {reg}"),
    }
}
