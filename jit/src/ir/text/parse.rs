//! Text to wave IR. The shape is described in the parent module.

use super::{ATOMICS, KINDS, NOTES, PAUSES, SPACES, by_name, default_mode};
use crate::ir::*;
use crate::isa::{self, Gfx};

/// Why a text is not a function.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: expected {expected}, found {found}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// What could have stood there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

/// Parses one function. The result obeys the grammar only: run [`crate::ir::verify::verify`] on it.
pub fn parse(text: &str) -> Result<Func, ParseError> {
    let mut p = Parser::default();
    for (i, line) in text.lines().enumerate() {
        let mut line = Line::new(i + 1, line)?;
        if !line.tokens.is_empty() {
            p.line(&mut line)?;
            line.end()?;
        }
    }
    p.finish(text.lines().count() + 1)
}

#[derive(Clone, PartialEq, Debug)]
enum Token {
    /// Letters, digits, `_` and `.`.
    Word(String),
    /// `%7`
    Value(u32),
    Str(String),
    Punct(char),
}

/// One line, being read.
struct Line {
    number: usize,
    tokens: Vec<Token>,
    at: usize,
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
    fn line(&mut self, l: &mut Line) -> Result<(), ParseError> {
        match self.at {
            At::Start => {
                l.keyword("func")?;
                self.func.name = l.string()?;
                let wave = l.word("wave32 or wave64")?;
                self.func.wave_size = match wave.as_str() {
                    "wave32" => 32,
                    "wave64" => 64,
                    _ => return l.fail_at(l.at - 1, "wave32 or wave64"),
                };
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
    fn table(&mut self, l: &mut Line) -> Result<(), ParseError> {
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
    fn site(&mut self, l: &mut Line) -> Result<(), ParseError> {
        l.this_index('s', self.func.sites.len(), "site")?;
        let name = l.word("a processor")?;
        let Some(target) = Gfx::parse(&name) else { return l.fail_at(l.at - 1, "a processor (gfx1100, ...)") };
        l.punct('[')?;
        let mut words = vec![];
        while !l.take_punct(']') {
            words.push(l.int()?);
        }
        let site = isa::decode(&words, target, self.func.wave_size).ok().and_then(|inst| Site::new(inst, target).ok());
        let Some(site) = site else { return l.fail_at(l.at - 1, "the dwords of a buffer or image instruction") };
        self.func.sites.push(Arc::new(site));
        Ok(())
    }

    /// `failure f0 pc=0x1540 unsupported "s_foo s1"`
    fn failure(&mut self, l: &mut Line) -> Result<(), ParseError> {
        l.this_index('f', self.func.failures.len(), "failure")?;
        let pc = l.setting("pc")?;
        let undecodable = match l.word("undecodable or unsupported")?.as_str() {
            "undecodable" => true,
            "unsupported" => false,
            _ => return l.fail_at(l.at - 1, "undecodable or unsupported"),
        };
        let text = l.string()?;
        self.func.failures.push(Failure { pc, undecodable, text });
        Ok(())
    }

    /// `b0 pc=0x1500 mode=0x3f0 insts=5:`
    fn block(&mut self, l: &mut Line) -> Result<(), ParseError> {
        l.this_index('b', self.func.blocks.len(), "block")?;
        self.pc = l.setting("pc")?;
        let mode = FpMode(l.setting("mode")?);
        let guest_insts = l.setting("insts")?;
        l.punct(':')?;
        self.func.blocks.push(Block { pc: self.pc, mode, insts: vec![], term: Term::End, term_pc: self.pc, guest_insts });
        self.at = At::Body;
        Ok(())
    }

    fn inst_or_term(&mut self, l: &mut Line) -> Result<(), ParseError> {
        if let Some(term) = term(l)? {
            self.pc = l.place(self.pc)?;
            let block = self.func.blocks.last_mut().expect("in a block");
            (block.term, block.term_pc) = (term, self.pc);
            self.at = At::Ended;
            return Ok(());
        }
        let first = self.func.types.len() as u32;
        let (first, results) = match l.peek() {
            Some(Token::Value(_)) => self.results(l)?,
            _ => (Value(first), 0),
        };
        let mode = self.func.blocks.last().expect("in a block").mode;
        let op = op(l, mode, results > 0)?;
        self.pc = l.place(self.pc)?;
        let block = self.func.blocks.last_mut().expect("in a block");
        block.insts.push(Inst { op, first, results, pc: self.pc });
        Ok(())
    }

    /// `%5 %6: l32 =`
    fn results(&mut self, l: &mut Line) -> Result<(Value, u8), ParseError> {
        let first = l.value()?;
        let mut count = 1;
        while !l.take_punct(':') {
            if l.peek() != Some(&Token::Value(first.0 + count)) || count == 255 {
                return l.fail(&format!("`:` or `%{}` (results are consecutive)", first.0 + count));
            }
            l.at += 1;
            count += 1;
        }
        let types = [Ty::S1, Ty::S32, Ty::S64, Ty::MASK, Ty::L32, Ty::L64];
        let name = l.word("a type")?;
        let Some(ty) = types.iter().find(|t| t.text() == name) else {
            return l.fail_at(l.at - 1, "a type (s1, s32, s64, mask, l32 or l64)");
        };
        l.punct('=')?;
        let end = (first.0 + count) as usize;
        if end > 1 << 24 {
            return l.fail_at(0, "a value number below 2^24");
        }
        if self.func.types.len() < end {
            self.func.types.resize(end, Ty::S32);
        }
        self.func.types[first.0 as usize..end].fill(*ty);
        Ok((first, count as u8))
    }
}

/// The end of a block, if the line is one.
fn term(l: &mut Line) -> Result<Option<Term>, ParseError> {
    let Some(Token::Word(w)) = l.peek().cloned() else { return Ok(None) };
    l.at += 1;
    let term = match w.as_str() {
        "jump" => Term::Jump(l.block_id()?),
        "branch" => {
            let cond = l.value()?;
            let then = l.comma_then(Line::block_id)?;
            Term::Branch { cond, then, otherwise: l.comma_then(Line::block_id)? }
        }
        "indirect" => {
            let target = l.value()?;
            l.punct(',')?;
            l.punct('[')?;
            let mut known = vec![];
            while !l.take_punct(']') {
                if !known.is_empty() {
                    l.punct(',')?;
                }
                let pc = l.int()?;
                l.punct(':')?;
                known.push((pc, l.block_id()?));
            }
            Term::Indirect { target, known }
        }
        "newmode" => Term::NewMode { pc: l.int()?, mode: l.comma_then(Line::value)? },
        "pause" => Term::Pause { why: l.name_in(PAUSES, "barrier or yield")?, next: l.comma_then(Line::block_id)? },
        "end" => Term::End,
        "trap" => Term::Trap { id: l.int()? },
        "fail" => Term::Fail(l.index('f', "a failure (f0, f1, ...)")?),
        _ => {
            l.at -= 1;
            return Ok(None);
        }
    };
    Ok(Some(term))
}

fn op(l: &mut Line, block_mode: FpMode, has_results: bool) -> Result<Op, ParseError> {
    let name = l.word("an operation")?;
    let (head, tail) = name.split_once('.').unwrap_or((name.as_str(), ""));
    Ok(match (head, tail) {
        ("const", "1") => Op::Const { width: Width::B1, bits: l.int()? },
        ("const", "32") => Op::Const { width: Width::B32, bits: l.int()? },
        ("const", "64") => Op::Const { width: Width::B64, bits: l.int()? },
        ("splat", "") => Op::Splat(l.value()?),
        ("laneid", "") => Op::LaneId,
        ("lanetable", "") => Op::LaneTable(l.index('t', "a table (t0, t1, ...)")?),
        ("maskbits", "") => Op::MaskBits(l.value()?),
        ("bitsmask", "") => Op::BitsMask(l.value()?),
        ("exec", "") => Op::ExecGet,
        ("setexec", "") => Op::ExecSet(l.value()?),
        ("sget", "") => Op::SGet(l.sreg()?),
        ("sset", "") => Op::SSet(l.sreg()?, l.comma_then(Line::value)?),
        ("vget", "") => {
            let reg = l.vreg()?;
            let demand = if l.take_word("demand") { Some(l.value()?) } else { None };
            Op::VGet { reg, demand }
        }
        ("vset", "") => Op::VSet { reg: l.vreg()?, value: l.comma_then(Line::value)?, exec: l.comma_then(Line::exec)? },
        ("vgetrel", "") => {
            let (reg, index) = (l.vreg()?, l.comma_then(Line::value)?);
            let demand = if l.take_word("demand") { Some(l.value()?) } else { None };
            Op::VGetRel { reg, index, demand }
        }
        ("vsetrel", "") => Op::VSetRel {
            reg: l.vreg()?,
            index: l.comma_then(Line::value)?,
            value: l.comma_then(Line::value)?,
            exec: l.comma_then(Line::exec)?,
        },
        ("sgetrel", "") => Op::SGetRel { reg: l.sreg()?, index: l.comma_then(Line::value)? },
        ("ssetrel", "") => Op::SSetRel { reg: l.sreg()?, index: l.comma_then(Line::value)?, value: l.comma_then(Line::value)? },
        ("readlane", "") => Op::ReadLane { value: l.value()?, lane: l.comma_then(Line::value)? },
        ("readfirstlane", "") => Op::ReadFirstLane { value: l.value()?, exec: l.comma_then(Line::exec)? },
        ("writelane", "") => Op::WriteLane { old: l.value()?, data: l.comma_then(Line::value)?, lane: l.comma_then(Line::value)? },
        ("shuffle", "") => Op::Shuffle { value: l.value()?, index: l.comma_then(Line::value)? },
        ("permute", "") => Op::Permute { value: l.value()?, index: l.comma_then(Line::value)?, exec: l.comma_then(Line::exec)? },
        ("load", "") => {
            let (space, kind) = l.space_kind()?;
            Op::Load { space, kind, addr: l.addr()?, exec: l.comma_then(Line::exec)? }
        }
        ("store", "") => {
            let (space, kind) = l.space_kind()?;
            Op::Store { space, kind, addr: l.addr()?, data: l.comma_then(Line::data)?, exec: l.comma_then(Line::exec)? }
        }
        ("atomic", "" | "rtn") => {
            let (space, op, wide) = l.space_atomic()?;
            let returns = tail == "rtn";
            Op::Atomic { space, op, wide, addr: l.addr()?, data: l.comma_then(Line::data)?, exec: l.comma_then(Line::exec)?, returns }
        }
        ("sload", _) => {
            let dwords = l.number_in(tail, "sload.<dwords>")?;
            let (base, offset, imm) = l.bracket("offset")?;
            let Some(base) = base else { return l.fail_at(l.at - 1, "a base value in the brackets") };
            Op::SLoad { base, offset, imm, dwords }
        }
        ("sbufferload", _) => {
            let dwords = l.number_in(tail, "sbufferload.<dwords>")?;
            let desc = [l.value()?, l.value()?, l.value()?, l.value()?];
            l.punct(',')?;
            let (base, offset, imm) = l.bracket("offset")?;
            if base.is_some() {
                return l.fail_at(l.at - 1, "no base value in the brackets");
            }
            Op::SBufferLoad { desc, offset, imm, dwords }
        }
        ("texture", "") => {
            let site = l.index('s', "a site (s0, s1, ...)")?;
            l.punct(',')?;
            let mut args = vec![];
            while matches!(l.peek(), Some(Token::Value(_))) {
                args.push(l.value()?);
            }
            Op::Texture { site, args: args.into(), exec: l.comma_then(Line::exec)? }
        }
        ("getreg", "") => Op::GetReg { id: l.int()? },
        ("setreg", "") => Op::SetReg { id: l.int()?, value: l.comma_then(Line::value)? },
        ("sendmsg", "") => Op::SendMsg { simm: l.int()?, m0: l.comma_then(Line::value)? },
        ("sendmsgrtn", "") => Op::SendMsgRtn { msg: l.int()? },
        ("time", "") => Op::Time { realtime: l.name_in(&[("realtime", true), ("cycles", false)], "realtime or cycles")? },
        ("note", "") => Op::Note(l.name_in(NOTES, "a kind of note")?),
        _ => {
            let Some(op) = PureOp::from_text(&name) else { return l.fail_at(l.at - 1, "an operation or the end of the block") };
            if !has_results {
                return l.fail_at(l.at - 1, "`%n: type =` before a pure operation");
            }
            let mut args = [None; 3];
            for (i, slot) in args.iter_mut().enumerate().take(op.args().len()) {
                if i > 0 {
                    l.punct(',')?;
                }
                *slot = Some(l.value()?);
            }
            let mode = if l.take_word("mode") { FpMode(l.int()?) } else { default_mode(op, block_mode) };
            Op::Pure { op, mode, args }
        }
    })
}

impl Line {
    fn new(number: usize, text: &str) -> Result<Line, ParseError> {
        let mut line = Line { number, tokens: vec![], at: 0 };
        let mut chars = text.chars().peekable();
        while let Some(&c) = chars.peek() {
            if c == ';' {
                break;
            }
            chars.next();
            let token = match c {
                ' ' | '\t' | '\r' => continue,
                '"' => match string_body(&mut chars) {
                    Some(s) => Token::Str(s),
                    None => return line.error("a string that ends on its line", "an open string".into()),
                },
                '%' => {
                    let mut digits = String::new();
                    while let Some(d) = chars.next_if(char::is_ascii_digit) {
                        digits.push(d);
                    }
                    match digits.parse() {
                        Ok(n) => Token::Value(n),
                        Err(_) => return line.error("a value number after `%`", format!("`%{digits}`")),
                    }
                }
                c if is_word(&c) => {
                    let mut word = String::from(c);
                    while let Some(d) = chars.next_if(is_word) {
                        word.push(d);
                    }
                    Token::Word(word)
                }
                c => Token::Punct(c),
            };
            line.tokens.push(token);
        }
        Ok(line)
    }

    fn error<T>(&self, expected: &str, found: String) -> Result<T, ParseError> {
        Err(ParseError { line: self.number, expected: expected.into(), found })
    }

    fn fail_at<T>(&self, at: usize, expected: &str) -> Result<T, ParseError> {
        let found = match self.tokens.get(at) {
            None => "the end of the line".into(),
            Some(Token::Word(w)) => format!("`{w}`"),
            Some(Token::Value(v)) => format!("`%{v}`"),
            Some(Token::Str(s)) => format!("{s:?}"),
            Some(Token::Punct(c)) => format!("`{c}`"),
        };
        self.error(expected, found)
    }

    fn fail<T>(&self, expected: &str) -> Result<T, ParseError> {
        self.fail_at(self.at, expected)
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn end(&self) -> Result<(), ParseError> {
        if self.at == self.tokens.len() { Ok(()) } else { self.fail("the end of the line") }
    }

    fn take(&mut self, t: &Token) -> bool {
        let yes = self.peek() == Some(t);
        self.at += usize::from(yes);
        yes
    }

    fn take_punct(&mut self, c: char) -> bool {
        self.take(&Token::Punct(c))
    }

    fn take_word(&mut self, w: &str) -> bool {
        self.take(&Token::Word(w.into()))
    }

    fn punct(&mut self, c: char) -> Result<(), ParseError> {
        if self.take_punct(c) { Ok(()) } else { self.fail(&format!("`{c}`")) }
    }

    fn keyword(&mut self, w: &str) -> Result<(), ParseError> {
        if self.take_word(w) { Ok(()) } else { self.fail(&format!("`{w}`")) }
    }

    fn word(&mut self, expected: &str) -> Result<String, ParseError> {
        let Some(Token::Word(w)) = self.peek().cloned() else { return self.fail(expected) };
        self.at += 1;
        Ok(w)
    }

    fn string(&mut self) -> Result<String, ParseError> {
        let Some(Token::Str(s)) = self.peek().cloned() else { return self.fail("a string in quotes") };
        self.at += 1;
        Ok(s)
    }

    fn value(&mut self) -> Result<Value, ParseError> {
        let Some(Token::Value(v)) = self.peek() else { return self.fail("a value (%0, %1, ...)") };
        let v = Value(*v);
        self.at += 1;
        Ok(v)
    }

    fn comma_then<T>(&mut self, read: impl FnOnce(&mut Line) -> Result<T, ParseError>) -> Result<T, ParseError> {
        self.punct(',')?;
        read(self)
    }

    /// `exec %0`
    fn exec(&mut self) -> Result<Value, ParseError> {
        self.keyword("exec")?;
        self.value()
    }

    fn int<T: TryFrom<i128>>(&mut self) -> Result<T, ParseError> {
        let negative = self.take_punct('-');
        let at = self.at;
        let w = self.word("a number")?;
        let magnitude = match w.strip_prefix("0x") {
            Some(hex) => i128::from_str_radix(hex, 16),
            None => w.parse(),
        };
        let number = magnitude.ok().map(|m| if negative { -m } else { m });
        match number.and_then(|n| T::try_from(n).ok()) {
            Some(n) => Ok(n),
            None => self.fail_at(at, "a number that fits here"),
        }
    }

    /// A number that is part of the word before.
    fn number_in(&self, digits: &str, expected: &str) -> Result<u8, ParseError> {
        digits.parse().or_else(|_| self.fail_at(self.at - 1, expected))
    }

    /// `pc=0x1500`
    fn setting<T: TryFrom<i128>>(&mut self, name: &str) -> Result<T, ParseError> {
        self.keyword(name)?;
        self.punct('=')?;
        self.int()
    }

    /// `@0x1504`, or what it was.
    fn place(&mut self, before: u64) -> Result<u64, ParseError> {
        if self.take_punct('@') { self.int() } else { Ok(before) }
    }

    fn index(&mut self, letter: char, expected: &str) -> Result<u32, ParseError> {
        let w = self.word(expected)?;
        match w.strip_prefix(letter).and_then(|n| n.parse().ok()) {
            Some(n) => Ok(n),
            None => self.fail_at(self.at - 1, expected),
        }
    }

    /// A definition: these are numbered from 0 in order.
    fn this_index(&mut self, letter: char, next: usize, what: &str) -> Result<(), ParseError> {
        let expected = format!("{what} `{letter}{next}`");
        if self.index(letter, &expected)? as usize == next { Ok(()) } else { self.fail_at(self.at - 1, &expected) }
    }

    fn block_id(&mut self) -> Result<BlockId, ParseError> {
        self.index('b', "a block (b0, b1, ...)").map(BlockId)
    }

    fn name_in<T: Copy>(&mut self, table: &[(&'static str, T)], expected: &str) -> Result<T, ParseError> {
        let w = self.word(expected)?;
        by_name(table, &w).map_or_else(|| self.fail_at(self.at - 1, expected), Ok)
    }

    fn sreg(&mut self) -> Result<SReg, ParseError> {
        let w = self.word("a scalar register")?;
        SReg::from_name(&w).map_or_else(|| self.fail_at(self.at - 1, "a scalar register (s0, vcc_lo, scc, ...)"), Ok)
    }

    fn vreg(&mut self) -> Result<VReg, ParseError> {
        const EXPECTED: &str = "a vector register (v0..v255, a0..a255)";
        let w = self.word(EXPECTED)?;
        let (first, number) = match w.strip_prefix('a') {
            Some(n) => (256, n),
            None => (0, w.strip_prefix('v').unwrap_or("")),
        };
        match number.parse::<u8>() {
            Ok(n) => Ok(VReg(first + u16::from(n))),
            Err(_) => self.fail_at(self.at - 1, EXPECTED),
        }
    }

    fn space_kind(&mut self) -> Result<(Space, MemKind), ParseError> {
        let w = self.word("<space>.<kind>")?;
        let parts = w.split_once('.').and_then(|(s, k)| Some((by_name(SPACES, s)?, by_name(KINDS, k)?)));
        parts.map_or_else(|| self.fail_at(self.at - 1, "<space>.<kind>, as in global.b32"), Ok)
    }

    fn space_atomic(&mut self) -> Result<(Space, AtomicOp, bool), ParseError> {
        let w = self.word("<space>.<operation>.<bits>")?;
        let parts = || {
            let (space, rest) = w.split_once('.')?;
            let (op, bits) = rest.split_once('.')?;
            Some((by_name(SPACES, space)?, by_name(ATOMICS, op)?, by_name(&[("32", false), ("64", true)], bits)?))
        };
        parts().map_or_else(|| self.fail_at(self.at - 1, "<space>.<operation>.<bits>, as in global.add.32"), Ok)
    }

    fn addr(&mut self) -> Result<Addr, ParseError> {
        let (base, offset, imm) = self.bracket("lane")?;
        Ok(Addr { base, offset, imm })
    }

    /// `[%1 + lane %2 - 16]`; every part may be absent. `label` marks the second value.
    fn bracket(&mut self, label: &str) -> Result<(Option<Value>, Option<Value>, i64), ParseError> {
        self.punct('[')?;
        let (mut base, mut offset, mut imm) = (None, None, 0);
        loop {
            if self.take_word(label) {
                offset = Some(self.value()?);
            } else if matches!(self.peek(), Some(Token::Value(_))) {
                base = Some(self.value()?);
            } else {
                imm = self.int()?;
            }
            if self.take_punct(']') {
                return Ok((base, offset, imm));
            }
            // `- 16` stays for `int` to read as a negative number.
            if self.peek() != Some(&Token::Punct('-')) {
                self.punct('+')?;
            }
        }
    }

    /// One to four values.
    fn data(&mut self) -> Result<[Option<Value>; 4], ParseError> {
        let mut data = [Some(self.value()?), None, None, None];
        for slot in &mut data[1..] {
            if matches!(self.peek(), Some(Token::Value(_))) {
                *slot = Some(self.value()?);
            }
        }
        Ok(data)
    }
}

fn is_word(c: &char) -> bool {
    c.is_ascii_alphanumeric() || *c == '_' || *c == '.'
}

/// The rest of a string after its opening quote, with Rust's escapes resolved.
fn string_body(chars: &mut impl Iterator<Item = char>) -> Option<String> {
    let mut s = String::new();
    loop {
        let c = match chars.next()? {
            '"' => return Some(s),
            '\\' => match chars.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '0' => '\0',
                'u' => {
                    let hex: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                    char::from_u32(u32::from_str_radix(&hex, 16).ok()?)?
                }
                c => c,
            },
            c => c,
        };
        s.push(c);
    }
}
