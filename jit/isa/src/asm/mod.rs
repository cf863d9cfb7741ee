//! Text to machine code: the syntax that `disasm/` prints and LLVM's assembler reads, from the same rows.
//!
//! A line is cut into mnemonic, operands and modifiers (`line.rs`); every row of that name and every format it has is tried in the order
//! LLVM prefers, shortest first: operands are read by the row's columns (`value.rs`, `operand.rs`, `named.rs`), modifiers set
//! (`modifiers.rs`), the instruction encoded, and the code decoded again. The first form that comes back as it went in wins. Reference:
//! LLVM AMDGPUOperandSyntax and AMDGPUModifierSyntax.

mod expected;
mod image;
mod line;
mod modifiers;
mod named;
mod operand;
mod source;
#[cfg(test)]
mod tests;
mod value;

pub use source::{Assembled, LineError, assemble};

use super::decode::decode;
use super::decode::sdwa::SDWA_DWORD_SEL;
use super::decode::vop::has_clamp;
use super::disasm::halves::half_bit;
use super::encode::{Code, EncodeError, encode};
use super::inst::{Dpp, Enc, Half, Inst, Operand};
use super::row::{Flags, Imm, Opd, Row};
use super::rows;
use super::scalars::ScalarSpace;
use super::target::{Gfx, PROCESSOR_COUNT, Space};
use operand::Reason;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Why a line is not an instruction.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AsmError {
    /// No instruction has this name.
    #[error("`{mnemonic}` is not an instruction of {target}{}", hint(mnemonic, *target))]
    Mnemonic {
        /// As written.
        mnemonic: String,
        /// Processor.
        target: Gfx,
        /// Where it stands in the text, in bytes.
        at: usize,
    },
    /// The instruction exists, but not like this.
    #[error("`{mnemonic}`: {reason}")]
    Form {
        /// As written.
        mnemonic: String,
        /// What is wrong with the form that came closest, and what was expected.
        reason: String,
        /// Where that stands in the text, in bytes.
        at: usize,
    },
}

impl AsmError {
    /// Where in the text of the instruction it is wrong, in bytes from its start.
    pub fn at(&self) -> usize {
        match self {
            AsmError::Mnemonic { at, .. } | AsmError::Form { at, .. } => *at,
        }
    }
}

/// What an unknown mnemonic may have meant. Slow, so it is looked for only when it is shown.
fn hint(mnemonic: &str, target: Gfx) -> String {
    let known = rows::all().iter().find(|r| r.name == mnemonic || r.names.iter().any(|n| n.1 == mnemonic));
    if let Some(other) = known.and_then(|r| Gfx::all().find(|g| r.exists_on(*g))) {
        return format!(" ({other} has it)");
    }
    let names = rows::all().iter().filter(|r| r.exists_on(target)).map(|r| r.name_on(target));
    expected::similar(mnemonic, names).map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}

/// Assembles one instruction. `wave_size` is the width of lane masks.
pub fn assemble_instruction(text: &str, target: Gfx, wave_size: u32) -> Result<Code, AsmError> {
    Context { target, wave_size, offset: 0, labels: &|_| None }.instruction(line::without_comment(text))
}

/// Where `part`, a piece of `text`, begins in it; none if it is a piece of something else.
fn offset_in(text: &str, part: &str) -> Option<usize> {
    let at = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    (at + part.len() <= text.len()).then_some(at)
}

/// Where an instruction stands.
struct Context<'a> {
    target: Gfx,
    wave_size: u32,
    /// Byte offset from the start of the code.
    offset: u64,
    /// Byte offset of a label.
    labels: &'a dyn Fn(&str) -> Option<u64>,
}

/// What an operand was read from.
#[derive(Clone, Copy)]
struct Given {
    column: Opd,
    /// Its place in the text.
    span: Option<(usize, usize)>,
}

/// An instruction in one candidate form, being filled in.
struct Form<'a> {
    inst: Inst,
    /// The whole instruction as written.
    text: &'a str,
    /// Where each operand of `inst` comes from.
    given: Vec<Given>,
    /// Where the operand that is being read comes from.
    reading: Given,
    /// What is to blame for an error, as a place in `text`.
    blame: Option<usize>,
    wave_size: u32,
    offset: u64,
    labels: &'a dyn Fn(&str) -> Option<u64>,
    /// Numbers of 16-bit integer operands are inline float constants where they can be, as the instruction has no room for a literal.
    prefers_inline: bool,
}

/// Rows of a processor by name.
fn rows_named(target: Gfx, name: &str) -> &'static [&'static Row] {
    type Index = HashMap<&'static str, Vec<&'static Row>>;
    static INDEX: [OnceLock<Index>; PROCESSOR_COUNT] = [const { OnceLock::new() }; PROCESSOR_COUNT];
    let Some(i) = target.index() else { return &[] };
    let index = INDEX[i].get_or_init(|| {
        let mut index = Index::new();
        for row in rows::all().iter().filter(|r| r.exists_on(target)) {
            index.entry(row.name_on(target)).or_default().push(row);
        }
        // Names of other processors are understood where they are free.
        for row in rows::all().iter().filter(|r| r.exists_on(target)) {
            for name in row.names.iter().map(|n| n.1).chain([row.name]) {
                let rows = index.entry(name).or_default();
                if rows.is_empty() {
                    rows.push(row);
                }
            }
        }
        index
    });
    index.get(name).map_or(&[], |v| v)
}

/// SDWA: the rest of the destination keeps its value.
const UNUSED_PRESERVE: u8 = 2;

/// What the suffix of a mnemonic asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Suffix {
    None,
    E32,
    E64,
    Dpp,
    E64Dpp,
    Sdwa,
}

const SUFFIXES: [(&str, Suffix); 5] =
    [("_e64_dpp", Suffix::E64Dpp), ("_e32", Suffix::E32), ("_e64", Suffix::E64), ("_dpp", Suffix::Dpp), ("_sdwa", Suffix::Sdwa)];

fn is_long(enc: Enc) -> bool {
    matches!(enc, Enc::VOP3 | Enc::VOP3SD | Enc::VOP3P)
}

impl Suffix {
    fn allows(self, enc: Enc) -> bool {
        match self {
            Suffix::None => true,
            Suffix::E32 | Suffix::Dpp | Suffix::Sdwa => !is_long(enc),
            Suffix::E64 | Suffix::E64Dpp => is_long(enc),
        }
    }
}

/// LLVM 19 prints `|v2, vcc_lo|` for `|v2|, vcc_lo` in gfx12's v_cndmask_b32 with DPP.
fn without_slip(text: &str, target: Gfx) -> Cow<'_, str> {
    if target.space() == Space::Gfx12 && text.starts_with("v_cndmask_b32") && text.contains('|') {
        return Cow::Owned(text.replace(", vcc_lo|", "|, vcc_lo").replace(", vcc|", "|, vcc"));
    }
    Cow::Borrowed(text)
}

impl Context<'_> {
    /// Assembles one instruction, no comment.
    fn instruction(&self, text: &str) -> Result<Code, AsmError> {
        self.attempt(text).map_err(|(error, is_placed)| match error {
            AsmError::Form { mnemonic, .. } if !is_placed && let Some((modifier, at)) = self.useless_modifier(text) => {
                AsmError::Form { mnemonic, reason: format!("modifier `{modifier}` has no place in this instruction"), at }
            }
            error => error,
        })
    }

    /// As [`Context::instruction`]; an error comes with whether it knows its place.
    fn attempt(&self, text: &str) -> Result<Code, (AsmError, bool)> {
        if let Some((x, y)) = text.split_once("::") {
            return self.dual(text, x.trim(), y.trim()).map_err(|e| (e, true));
        }
        let text = without_slip(text, self.target);
        let parts = line::cut(&text);
        let (candidates, suffix) = self.candidates(parts.mnemonic);
        if candidates.is_empty() {
            return Err((self.unknown(parts.mnemonic, 0), true));
        }
        let names = || parts.modifiers.iter().map(|m| line::modifier_name(m));
        let dpp = names().any(modifiers::is_dpp);
        let sdwa = names().any(modifiers::is_sdwa) || suffix == Suffix::Sdwa;
        let mut closest: Option<(usize, Reason, Option<usize>)> = None;
        for &row in candidates {
            for enc in row.encs_on(self.target).filter(|e| suffix.allows(*e)) {
                for prefers_inline in [false, true] {
                    let mut form = self.form(&text, row, enc);
                    form.prefers_inline = prefers_inline;
                    form.inst.mods.sdwa.present = sdwa;
                    if matches!(suffix, Suffix::Dpp | Suffix::E64Dpp) && !dpp {
                        form.inst.mods.dpp = Dpp::Dpp16 { ctrl: 0xe4, row_mask: 15, bank_mask: 15, bound_ctrl: false, fi: false };
                    }
                    match form.fill(&parts).and_then(|()| form.encoded()) {
                        Ok(code) => return Ok(code),
                        Err(reason) => {
                            let reached = usize::from(form.inst.count);
                            if closest.as_ref().is_none_or(|c| reached >= c.0) {
                                closest = Some((reached, reason, form.blame));
                            }
                        }
                    }
                    if !form.inst.ops().iter().any(|o| matches!(o, Operand::Literal(_))) {
                        break;
                    }
                }
            }
        }
        let (_, reason, blame) = closest.unwrap_or_else(|| (0, format!("has no such form on {}", self.target), None));
        Err((AsmError::Form { mnemonic: parts.mnemonic.into(), reason, at: blame.unwrap_or(0) }, blame.is_some()))
    }

    /// The modifier without which the rest is an instruction, and where it stands.
    fn useless_modifier<'a>(&self, text: &'a str) -> Option<(&'a str, usize)> {
        line::cut(text).modifiers.iter().find_map(|modifier| {
            let at = offset_in(text, modifier)?;
            let rest = format!("{}{}", &text[..at], &text[at + modifier.len()..]);
            self.attempt(&rest).is_ok().then_some((*modifier, at))
        })
    }

    /// Rows a mnemonic can mean, and the suffix that was cut off to find them.
    fn candidates(&self, mnemonic: &str) -> (&'static [&'static Row], Suffix) {
        let whole = rows_named(self.target, mnemonic);
        if !whole.is_empty() {
            return (whole, Suffix::None);
        }
        SUFFIXES
            .iter()
            .find_map(|(text, suffix)| {
                let rows = rows_named(self.target, mnemonic.strip_suffix(text)?);
                (!rows.is_empty()).then_some((rows, *suffix))
            })
            .unwrap_or((&[], Suffix::None))
    }

    fn unknown(&self, mnemonic: &str, at: usize) -> AsmError {
        AsmError::Mnemonic { mnemonic: mnemonic.into(), target: self.target, at }
    }

    fn form<'f>(&'f self, text: &'f str, row: &'static Row, enc: Enc) -> Form<'f> {
        Form {
            inst: Inst { enc, ..Inst::blank(row, self.target) },
            text,
            given: Vec::new(),
            reading: Given { column: Opd::TGT, span: None },
            blame: None,
            wave_size: self.wave_size,
            offset: self.offset,
            labels: self.labels,
            prefers_inline: false,
        }
    }

    /// Dual issue: two instructions of the VOPD format. `text` is both, `x` and `y` are its halves.
    fn dual(&self, text: &str, x: &str, y: &str) -> Result<Code, AsmError> {
        let row = |mnemonic: &str| {
            let found = rows_named(self.target, mnemonic).iter().copied().find(|r| r.enc() == Enc::VOPD);
            found.ok_or_else(|| self.unknown(mnemonic, offset_in(text, mnemonic).unwrap_or(0)))
        };
        let (px, py) = (line::cut(x), line::cut(y));
        let mut form = self.form(text, row(px.mnemonic)?, Enc::VOPD);
        let y_row = row(py.mnemonic)?;
        form.inst.row_y = Some(y_row);
        let result = form.columns(form.inst.row.ops, &px.operands).and_then(|()| {
            form.inst.y_start = form.inst.count;
            form.columns(y_row.ops, &py.operands)
        });
        let reason = match result.and_then(|()| form.encoded()) {
            Ok(code) => return Ok(code),
            Err(reason) => reason,
        };
        Err(AsmError::Form { mnemonic: format!("{} :: {}", px.mnemonic, py.mnemonic), reason, at: form.blame.unwrap_or(0) })
    }
}

impl Form<'_> {
    fn push(&mut self, op: Operand) -> Result<(), Reason> {
        let at = usize::from(self.inst.count);
        let slot = self.inst.operands.get_mut(at).ok_or("too many operands")?;
        *slot = op;
        self.inst.count += 1;
        self.given.push(self.reading);
        Ok(())
    }

    /// Reads operands and modifiers.
    fn fill(&mut self, parts: &line::Parts<'_>) -> Result<(), Reason> {
        let row = self.inst.row;
        self.defaults();
        let mut operands = parts.operands.clone();
        // `exp pos0 v0, ...`: no comma after the target.
        if row.ops.first() == Some(&Opd::TGT)
            && let Some((target, first)) = operands.first().and_then(|o| o.split_once(char::is_whitespace))
        {
            operands.splice(..1, [target, first.trim()]);
        }
        let mut columns = row.ops;
        match columns {
            [Opd::RD(_), rest @ ..] if operands.len() < columns.len() => columns = rest,
            // Loads into LDS have no register for the data.
            [Opd::D(_) | Opd::VDATA(_), rest @ ..] if parts.modifiers.contains(&"lds") && operands.len() == rest.len() => columns = rest,
            [Opd::K(Imm::Optional)] if operands.is_empty() => operands.push("0"),
            // Up to gfx9 a compare in the short form need not name its destination.
            [Opd::MD, rest @ ..] if self.writes_vcc_unsaid() && operands.len() == rest.len() => operands.insert(0, "vcc"),
            _ => {}
        }
        self.columns(columns, &operands)?;
        self.share_literal();
        for m in &parts.modifiers {
            self.modifier(m).map_err(|e| {
                self.blame = offset_in(self.text, m);
                format!("modifier `{m}`: {e}")
            })?;
        }
        self.select_halves();
        self.drop_clamp();
        // `th:TH_ATOMIC_CASCADE_NT` does not say whether the atomic returns; its operands do.
        if matches!(columns.first(), Some(Opd::RD(_))) && self.inst.mods.th >= 4 {
            self.inst.mods.th |= 1;
        }
        self.settle_scalar_offset();
        if row.enc() == Enc::EXP {
            self.inst.mods.en = self.inst.ops()[1..].iter().enumerate().fold(0, |en, (i, o)| en | u8::from(*o != Operand::Off) << i);
        }
        Ok(())
    }

    /// Long forms have the halves of registers in op_sel: `v5.h` is v5 and its bit. LLVM 19 writes `v5.l` beside a bit that is set.
    fn select_halves(&mut self) {
        let inst = &mut self.inst;
        if !matches!(inst.enc, Enc::VOP3 | Enc::VOP3SD) || inst.target.space() < Space::Gfx11 {
            return;
        }
        for (column, op) in inst.row.ops.iter().zip(&mut inst.operands[..usize::from(inst.count)]) {
            if let (Some(bit), Operand::Vgpr { half: half @ (Half::Lo | Half::Hi), .. }) = (half_bit(inst.row, *column), op) {
                inst.mods.op_sel |= if *half == Half::Hi { bit } else { 0 };
                *half = Half::Whole;
            }
        }
    }

    /// VOP3SD of gfx6 and gfx7 has no room for clamp. llvm-mc takes it for v_div_scale, whose result is a float, and leaves it out.
    fn drop_clamp(&mut self) {
        let inst = &mut self.inst;
        if inst.enc == Enc::VOP3SD && inst.target.space() == Space::Gfx6 && has_clamp(inst.row, Space::Gfx6) {
            inst.mods.clamp = false;
        }
    }

    fn writes_vcc_unsaid(&self) -> bool {
        self.inst.enc == Enc::VOPC && !self.inst.mods.sdwa.present && self.inst.target.space() < Space::Gfx10
    }

    /// SMEM offsets that the code cannot tell apart. Beside NULL an immediate stands alone from gfx11, and on gfx12 there always is one; on
    /// gfx10 and gfx11 an immediate of 0 alone is NULL alone.
    fn settle_scalar_offset(&mut self) {
        let inst = &mut self.inst;
        let (space, null) = (inst.target.space(), ScalarSpace::of(inst.target).null);
        let Some(last) = usize::from(inst.count).checked_sub(1).filter(|_| inst.row.ops.last() == Some(&Opd::SOFF)) else { return };
        let is_null = matches!(inst.operands[last], Operand::Sgpr { n, .. } if Some(u32::from(n)) == null);
        if is_null && (space == Space::Gfx12 || space == Space::Gfx11 && inst.mods.has_offset) {
            inst.operands[last] = Operand::Imm(inst.mods.offset as u32);
            (inst.mods.has_offset, inst.mods.offset) = (false, 0);
        }
        // gfx12 has an immediate beside a register, always.
        inst.mods.has_offset |= space == Space::Gfx12 && matches!(inst.operands[last], Operand::Sgpr { .. });
        if let (Space::Gfx10 | Space::Gfx11, Operand::Imm(0), Some(null)) = (space, inst.operands[last], null) {
            inst.operands[last] = Operand::Sgpr { n: null as u8, count: 1 };
        }
    }

    /// An instruction has one literal, of which 16-bit sources show the low half: where another operand shows it in full, that is theirs.
    fn share_literal(&mut self) {
        let n = usize::from(self.inst.count);
        let ops = &mut self.inst.operands[..n];
        let Some(full) = ops.iter().find_map(|op| if let Operand::Literal(v @ 0x1_0000..) = *op { Some(v) } else { None }) else { return };
        for (column, op) in self.inst.row.ops.iter().zip(ops) {
            if operand::column_type(*column).is_16() && *op == Operand::Literal(full & 0xffff) {
                *op = Operand::Literal(full);
            }
        }
    }

    /// Modifiers that are not zero when they are not written.
    fn defaults(&mut self) {
        let row = self.inst.row;
        let m = &mut self.inst.mods;
        match self.inst.enc {
            _ if m.sdwa.present => {
                let has_destination = matches!(row.ops.first(), Some(Opd::D(_)));
                m.sdwa.dst_sel = SDWA_DWORD_SEL;
                m.sdwa.dst_unused = if has_destination && !row.flags.contains(Flags::BYTES) { UNUSED_PRESERVE } else { 0 };
                let has = |i: u8| row.ops.iter().any(|o| operand::source_index(*o) == Some(i));
                m.sdwa.src_sel = [0, 1].map(|i| if has(i) { SDWA_DWORD_SEL } else { 0 });
            }
            Enc::VOP3P if !row.flags.contains(Flags::MIX) => m.op_sel_hi = ((1u16 << (row.ops.len() - 1)) - 1) as u8,
            Enc::MTBUF => m.format = 1,
            _ => {}
        }
    }

    fn columns(&mut self, columns: &[Opd], texts: &[&str]) -> Result<(), Reason> {
        if columns.len() != texts.len() {
            // The first that is too many, or the last before what is missing.
            let at = texts.get(columns.len()).or(texts.last());
            self.blame = at.and_then(|t| offset_in(self.text, t));
            let list: Vec<String> = columns.iter().map(|c| self.expected(*c)).collect();
            let list = if list.is_empty() { String::new() } else { format!(" ({})", list.join("; ")) };
            let plural = if columns.len() == 1 { "" } else { "s" };
            return Err(format!("expected {} operand{plural}{list}, found {}", columns.len(), texts.len()));
        }
        for (i, (column, text)) in columns.iter().zip(texts).enumerate() {
            let span = offset_in(self.text, text).map(|at| (at, text.len()));
            self.reading = Given { column: *column, span };
            self.operand(*column, text).map_err(|e| {
                self.blame = span.map(|s| s.0);
                format!("operand {} `{text}`: {e}", i + 1)
            })?;
        }
        Ok(())
    }

    /// What may stand in a column, in words.
    fn expected(&self, column: Opd) -> String {
        expected::expected(column, self.inst.enc, self.wave_size)
    }

    /// The message about operand `i`, which is not what its column takes.
    fn unfit(&mut self, i: usize) -> Reason {
        let Some(&Given { column, span }) = self.given.get(i) else { return self.refusal(None) };
        let expected = self.expected(column);
        self.blame = span.map(|s| s.0);
        match span.and_then(|(at, len)| self.text.get(at..at + len)) {
            Some(text) => format!("operand {} `{text}`: expected {expected}", i + 1),
            None => format!("operand {}: expected {expected}", i + 1),
        }
    }

    /// The message about operands that have no code, of which one is to blame or all.
    fn refusal(&mut self, operand: Option<usize>) -> Reason {
        match operand.filter(|i| *i < self.given.len()) {
            Some(i) => self.unfit(i),
            None => format!("these operands have no code together on {}", self.inst.target),
        }
    }

    /// The code, if it decodes to the same instruction.
    fn encoded(&mut self) -> Result<Code, Reason> {
        let code = encode(&self.inst).map_err(|e| match e {
            EncodeError::Operand { operand: Some(i), what, .. } => match what.contains(' ') {
                false => self.unfit(i),
                true => {
                    self.blame = self.given.get(i).and_then(|g| g.span).map(|s| s.0);
                    format!("{what} cannot be encoded")
                }
            },
            EncodeError::Range { what, value, range, .. } => {
                self.blame = self.text.rfind(&format!(" {what}:")).map(|at| at + 1);
                format!("{what} {value}: expected {range}")
            }
            EncodeError::Operand { what, .. } => match self.misfit() {
                Some(i) => self.unfit(i),
                None => format!("{what} cannot be encoded"),
            },
            EncodeError::Form { target, .. } => match self.misfit() {
                Some(i) => self.unfit(i),
                None => format!("has no such form on {target}"),
            },
        })?;
        let back = match decode(code.dwords(), self.inst.target, self.wave_size) {
            Ok(back) => back,
            Err(_) => {
                let misfit = self.misfit();
                return Err(self.refusal(misfit));
            }
        };
        let null = ScalarSpace::of(self.inst.target).null;
        let plain = |op: &Operand| match *op {
            Operand::Vgpr { n, count, half: Half::Lo } => Operand::Vgpr { n, count, half: Half::Whole },
            // NULL is as wide as its place, and absent where the code for it says so.
            Operand::Sgpr { n, .. } if Some(u32::from(n)) == null => Operand::Off,
            op => op,
        };
        let same = |a: &Operand, b: &Operand| plain(a) == plain(b);
        if back.mods != self.inst.mods {
            return Err("a modifier has no place in this instruction".into());
        }
        let equal = back.row.name == self.inst.row.name
            && back.enc == self.inst.enc
            && (back.count == self.inst.count && back.ops().iter().zip(self.inst.ops()).all(|(a, b)| same(a, b))
                || self.is_same_image(&back));
        if equal {
            return Ok(code);
        }
        let differs = back.ops().iter().zip(self.inst.ops()).position(|(a, b)| !same(a, b));
        Err(self.refusal(differs))
    }
}
