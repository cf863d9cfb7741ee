//! Text to wave IR. The shape is described in the parent module; operations are read as their rows say ([`crate::op`]).

use super::cursor::{Cursor, ParseError};
use super::{by_name, default_mode};
use crate::op::field::Field;
use crate::*;
use wavejit_isa::Gfx;

/// Parses one function. The result obeys the grammar only: run [`crate::verify::verify`] on it.
pub fn parse(text: &str) -> Result<Func, ParseError> {
    let mut p = Parser::default();
    for (i, line) in text.lines().enumerate() {
        let mut line = Cursor::new(i + 1, line);
        if !line.at_end() {
            p.line(&mut line)?;
            line.end()?;
        }
    }
    p.finish(text.lines().count() + 1)
}

/// Where the parser is.
#[derive(Default, PartialEq)]
enum At {
    #[default]
    Start,
    /// Between `{` and the first block.
    Head,
    /// In a block whose end has not come yet.
    Body,
    /// After the end of a block.
    Ended,
    Done,
}

#[derive(Default)]
struct Parser {
    func: Func,
    at: At,
    /// Guest address of the line before.
    pc: u64,
}

impl Parser {
    fn line(&mut self, l: &mut Cursor) -> Result<(), ParseError> {
        match self.at {
            At::Start => {
                l.keyword("func")?;
                self.func.name = l.string()?;
                let sizes = [("wave32", 32), ("wave64", 64)];
                self.func.wave_size = l.name("wave32 or wave64", |w| by_name(&sizes, w))?;
                l.punct('{')?;
                self.at = At::Head;
                Ok(())
            }
            At::Head if l.take_word("table") => self.table(l),
            At::Head if l.take_word("failure") => self.failure(l),
            At::Head if l.take_word("site") => self.site(l),
            At::Head | At::Ended if l.take_punct('}') => {
                self.at = At::Done;
                Ok(())
            }
            At::Head | At::Ended => self.block(l),
            At::Body => self.inst_or_term(l),
            At::Done => l.fail("nothing after the closing brace"),
        }
    }

    fn finish(self, line: usize) -> Result<Func, ParseError> {
        let expected = match self.at {
            At::Start => "`func`",
            At::Head | At::Ended => "a block or `}`",
            At::Body => "an instruction or the end of the block (jump, branch, end, ...)",
            At::Done => return Ok(self.func),
        };
        Err(ParseError { line, expected: expected.into(), found: "the end of the text".into() })
    }

    /// `table t0 = [1 2 3]`
    fn table(&mut self, l: &mut Cursor) -> Result<(), ParseError> {
        l.this_index('t', self.func.tables.len(), "table")?;
        l.punct('=')?;
        l.punct('[')?;
        let mut table = [0; 64];
        let mut n = 0;
        while !l.take_punct(']') {
            let Some(slot) = table.get_mut(n) else { return l.fail("`]` after 64 numbers") };
            *slot = l.int()?;
            n += 1;
        }
        self.func.tables.push(table);
        Ok(())
    }

    /// `site s0 gfx1100 [0xe0500000 0x80010102]`
    fn site(&mut self, l: &mut Cursor) -> Result<(), ParseError> {
        l.this_index('s', self.func.sites.len(), "site")?;
        let target = l.name("a processor (gfx1100, ...)", Gfx::parse)?;
        l.punct('[')?;
        let mut words = vec![];
        while !l.take_punct(']') {
            words.push(l.int()?);
        }
        let site = wavejit_isa::decode(&words, target, self.func.wave_size).ok().and_then(|inst| Site::new(inst, target).ok());
        let Some(site) = site else { return l.fail("`]` after the dwords of a buffer or image instruction") };
        self.func.sites.push(Arc::new(site));
        Ok(())
    }

    /// `failure f0 pc=0x1540 unsupported "s_foo s1"`
    fn failure(&mut self, l: &mut Cursor) -> Result<(), ParseError> {
        l.this_index('f', self.func.failures.len(), "failure")?;
        let pc = l.setting("pc")?;
        let kinds = [("undecodable", true), ("unsupported", false)];
        let undecodable = l.name("undecodable or unsupported", |w| by_name(&kinds, w))?;
        let text = l.string()?;
        self.func.failures.push(Failure { pc, undecodable, text });
        Ok(())
    }

    /// `b0 pc=0x1500 mode=0x3f0 insts=5:`
    fn block(&mut self, l: &mut Cursor) -> Result<(), ParseError> {
        l.this_index('b', self.func.blocks.len(), "block")?;
        self.pc = l.setting("pc")?;
        let mode = FpMode(l.setting("mode")?);
        let guest_insts = l.setting("insts")?;
        l.punct(':')?;
        self.func.blocks.push(Block { pc: self.pc, mode, insts: vec![], term: Term::End, term_pc: self.pc, guest_insts });
        self.at = At::Body;
        Ok(())
    }

    fn inst_or_term(&mut self, l: &mut Cursor) -> Result<(), ParseError> {
        if let Some(term) = Term::parse(l)? {
            self.pc = l.place(self.pc)?;
            let block = self.func.blocks.last_mut().expect("in a block");
            (block.term, block.term_pc) = (term, self.pc);
            self.at = At::Ended;
            return Ok(());
        }
        let first = self.func.types.len() as u32;
        let (first, results) = if l.at_value() { self.results(l)? } else { (Value(first), 0) };
        let mode = self.func.blocks.last().expect("in a block").mode;
        let op = op(l, mode, results > 0)?;
        self.pc = l.place(self.pc)?;
        let block = self.func.blocks.last_mut().expect("in a block");
        block.insts.push(Inst { op, first, results, pc: self.pc });
        Ok(())
    }

    /// `%5 %6: l32 =`
    fn results(&mut self, l: &mut Cursor) -> Result<(Value, u8), ParseError> {
        let first = l.value()?;
        let mut count = 1;
        while !l.take_punct(':') {
            let next = first.0.saturating_add(count);
            let here = l.clone();
            if count == 255 || !matches!(l.value(), Ok(v) if v.0 == next) {
                return here.fail(&format!("`:` or `%{next}` (results are consecutive)"));
            }
            count += 1;
        }
        let types = [Ty::S1, Ty::S32, Ty::S64, Ty::MASK, Ty::L32, Ty::L64];
        let ty = l.name("a type (s1, s32, s64, mask, l32 or l64)", |w| types.iter().find(|t| t.text() == w))?;
        l.punct('=')?;
        let end = first.0 as usize + count as usize;
        if end > 1 << 24 {
            return l.fail("a value number below 2^24 before it");
        }
        if self.func.types.len() < end {
            self.func.types.resize(end, Ty::S32);
        }
        self.func.types[first.0 as usize..end].fill(*ty);
        Ok((first, count as u8))
    }
}

/// An operation: by its row, or a pure one.
fn op(l: &mut Cursor, block_mode: FpMode, has_results: bool) -> Result<Op, ParseError> {
    if let Some(op) = Op::parse(l)? {
        return Ok(op);
    }
    let Some(op) = PureOp::from_text(l.dotted()) else { return l.fail("an operation or the end of the block") };
    if !has_results {
        return l.fail("`%n: type =` before a pure operation");
    }
    l.take_dotted();
    let args = Field::parse("args", "", l)?;
    let mode = if l.take_word("mode") { FpMode(l.int()?) } else { default_mode(op, block_mode) };
    Ok(Op::Pure { op, mode, args })
}
