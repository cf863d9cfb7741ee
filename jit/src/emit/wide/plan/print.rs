//! A plan as text.

use super::super::regs::{Class, Home, InLds, NONE, PieceId, sregs_of};
use super::{Event, Level, Plan};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use wavejit_ir::abi::TEMP_ROW;
use wavejit_ir::text::{inst_text, term_text};
use wavejit_ir::{Func, SReg, Value};

/// Columns of an operation.
const WIDTH: usize = 60;

/// What is counted over the function.
#[derive(Default)]
struct Counts {
    operations: u32,
    loaded: u32,
    spilled: u32,
    rows: u32,
    calls: u32,
    /// By how they are done.
    accesses: Vec<(String, u32)>,
}

struct Printer<'a> {
    func: &'a Func,
    plan: &'a Plan,
    guest: &'a dyn Fn(u64) -> Option<String>,
    out: String,
    block: usize,
    /// Of pieces: their class, and where the operation that is printed reads or makes them.
    pieces: FxHashMap<PieceId, (Class, Option<u8>)>,
    /// What the operation does, in order.
    did: Vec<String>,
    reads: Vec<String>,
    made: Vec<(Value, Vec<PieceId>)>,
    counts: Counts,
}

/// The plan of a function; `guest` says what the instruction at an address is.
pub(in crate::emit::wide) fn print(func: &Func, plan: &Plan, guest: &dyn Fn(u64) -> Option<String>) -> String {
    let mut p = Printer {
        func,
        plan,
        guest,
        out: String::new(),
        block: 0,
        pieces: FxHashMap::default(),
        did: vec![],
        reads: vec![],
        made: vec![],
        counts: Counts::default(),
    };
    let mut step = None;
    let mut pc = None;
    for event in &plan.events {
        match event {
            Event::Block { block, rows, sregs } => {
                p.end_step(step.take(), &mut pc);
                p.block = *block as usize;
                p.pieces.clear();
                pc = None;
                let at = func.blocks[p.block].pc;
                let _ = write!(p.out, "b{block} pc={at:#x}");
                let kept = rows.iter().map(|(row, part, reg)| format!("v{row}.{part} in {}", p.register(Class::Vector, *reg)));
                let kept: Vec<String> = kept
                    .chain(sregs.iter().map(|(sreg, reg)| format!("{} in {}", SReg(*sreg).name(), p.register(Class::General, *reg))))
                    .collect();
                let _ = writeln!(p.out, "{}{}", if kept.is_empty() { "" } else { ", a loop that keeps " }, kept.join(", "));
            }
            Event::Step { at, part, is_once } => {
                p.end_step(step.take(), &mut pc);
                step = Some((*at as usize, *part, *is_once));
            }
            event => p.event(event),
        }
    }
    p.end_step(step, &mut pc);
    p.with_head()
}

impl Printer<'_> {
    fn register(&self, class: Class, reg: u8) -> String {
        const GENERAL: [&str; 16] =
            ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];
        match (class, self.plan.level) {
            (Class::General, _) => GENERAL[usize::from(reg & 15)].to_owned(),
            (Class::Mask, Level::Avx512) => format!("k{reg}"),
            (_, Level::Avx512) => format!("zmm{reg}"),
            (_, Level::Avx2) if reg >= self.plan.level.vectors().end => format!("place{}", reg - self.plan.level.vectors().end),
            (_, Level::Avx2) => format!("ymm{reg}"),
        }
    }

    fn place(&self, id: PieceId) -> String {
        match self.pieces.get(&id) {
            Some((class, Some(reg))) => self.register(*class, *reg),
            _ => "memory".to_owned(),
        }
    }

    fn put(&mut self, id: PieceId, reg: u8) {
        if let Some(piece) = self.pieces.get_mut(&id) {
            piece.1 = Some(reg);
        }
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::Piece { id, class, .. } => {
                self.pieces.insert(*id, (*class, None));
            }
            Event::Taken { id, reg } | Event::Held { id, reg } | Event::InLoop { id, reg } => self.put(*id, *reg),
            Event::Over { id, from } => {
                if let Some((_, Some(reg))) = self.pieces.get(from).copied() {
                    self.put(*id, reg);
                }
            }
            Event::Loaded { id, home } => {
                self.counts.loaded += 1;
                let text = format!("{} = {}", self.place(*id), self.home(*home));
                self.did.push(text);
            }
            Event::Stored { id, home } => {
                self.counts.spilled += 1;
                let text = format!("{} = {}", self.home(*home), self.place(*id));
                self.did.push(text);
            }
            Event::Use { id, .. } | Event::UseTwin { twin: id, .. } => {
                let text = self.place(*id);
                self.read(text);
            }
            Event::UseInMemory { home, .. } => self.read(self.home(*home)),
            Event::Is { value, pieces } => {
                self.made.push((*value, pieces.iter().copied().filter(|id| *id != NONE).collect()));
            }
            Event::RowChanges { row, part } if *row < TEMP_ROW => {
                self.counts.rows += 1;
                self.did.push(part.map_or(format!("writes v{row}"), |part| format!("writes v{row}.{part}")));
            }
            Event::SRegChanges { reg } => self.did.push(format!("writes {}", reg.name())),
            Event::Call => {
                self.counts.calls += 1;
                self.did.push("calls".to_owned());
            }
            Event::Access { way } => {
                match self.counts.accesses.iter_mut().find(|(w, _)| w == way) {
                    Some((_, n)) => *n += 1,
                    None => self.counts.accesses.push((way.to_string(), 1)),
                }
                self.did.push(way.to_string());
            }
            _ => {}
        }
    }

    fn read(&mut self, place: String) {
        if !self.reads.contains(&place) {
            self.reads.push(place);
        }
    }

    /// One operation, its operands, its results, and what moved for it.
    fn end_step(&mut self, step: Option<(usize, Option<u8>, bool)>, pc: &mut Option<u64>) {
        let (mut did, reads, made) = (std::mem::take(&mut self.did), std::mem::take(&mut self.reads), std::mem::take(&mut self.made));
        let Some((at, part, is_once)) = step else { return };
        self.counts.operations += 1;
        let block = &self.func.blocks[self.block];
        let (here, text) = match block.insts.get(at) {
            Some(inst) => (inst.pc, inst_text(self.func, inst, block.mode)),
            None => (block.term_pc, term_text(&block.term)),
        };
        if *pc != Some(here) {
            *pc = Some(here);
            let guest = (self.guest)(here).map_or(String::new(), |text| format!(" {text}"));
            let _ = writeln!(self.out, "  {here:#x}{guest}");
        }
        let own = |v: &Value| block.insts.get(at).is_some_and(|inst| (0..inst.results).any(|k| inst.result(k.into()) == *v));
        let mut results: Vec<String> = vec![];
        for id in made.iter().filter(|(v, _)| own(v)).flat_map(|(_, pieces)| pieces) {
            let place = self.place(*id);
            if place != "memory" && !results.contains(&place) {
                results.push(place);
            }
        }
        if !reads.is_empty() {
            did.push(format!("reads {}", reads.join(" ")));
        }
        if !results.is_empty() {
            did.push(format!("makes {}", results.join(" ")));
        }
        let part = part.map_or(String::new(), |part| format!("part {part}: "));
        let once = if is_once { "once for all waves: " } else { "" };
        let text = text.trim();
        let _ = match (did.is_empty(), text.len() > WIDTH) {
            (true, _) => writeln!(self.out, "    {text}"),
            (_, true) => writeln!(self.out, "    {text}\n    {:<WIDTH$} | {once}{part}{}", "", did.join("; ")),
            _ => writeln!(self.out, "    {text:<WIDTH$} | {once}{part}{}", did.join("; ")),
        };
    }

    fn with_head(self) -> String {
        let Counts { operations, loaded, spilled, rows, calls, accesses } = self.counts;
        let level = match self.plan.level {
            Level::Avx512 => "AVX-512",
            Level::Avx2 => "AVX2",
        };
        let mut head = format!(
            "plan of {}: {level}, {} registers a row; {operations} operations, {loaded} loads of registers, {spilled} spills, {rows} rows written, {calls} calls\n",
            self.func.name, self.plan.parts
        );
        for (way, n) in accesses {
            let _ = writeln!(head, "accesses, {way}: {n}");
        }
        head + &self.out
    }
}

impl Printer<'_> {
    fn home(&self, home: Home) -> String {
        let guest = || sregs_of(home, self.plan.level)[0].map_or("a constant".to_owned(), |reg| SReg(reg).name().to_string());
        match home {
            Home::None => "nowhere".to_owned(),
            Home::Row { row, part } if row >= TEMP_ROW => format!("t{}.{part}", row - TEMP_ROW),
            Home::Row { row, part } => format!("v{row}.{part}"),
            Home::Bcst(_) | Home::Bcst64(_) if home.is_guest() => format!("{} in all lanes", guest()),
            Home::Bcst(_) | Home::Bcst64(_) | Home::Pool(_) => "a constant".to_owned(),
            Home::Lds { disp, what, .. } => {
                let what = match what {
                    InLds::Dwords => "",
                    InLds::Dword => " in all lanes",
                    InLds::Qword => ", a qword in all lanes",
                    InLds::Quads { half: 0 } => ", qwords, first half",
                    InLds::Quads { .. } => ", qwords, second half",
                };
                format!("LDS {disp:+#x}{what}")
            }
            Home::Frame(at) | Home::Kept(at) => format!("[rsp+{at:#x}]"),
            Home::SRegPair(reg) if reg.0 < SReg::VCC_LO.0 => format!("s[{}:{}]", reg.0, reg.0 + 1),
            Home::SReg(_) | Home::SRegPair(_) | Home::Exec64 => guest(),
            Home::SRegMask { reg, part } => format!("{}, part {part}", reg.name()),
            Home::Imm(bits) => format!("{bits:#x}"),
        }
    }
}
