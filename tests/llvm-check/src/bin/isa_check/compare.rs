//! The comparisons: text and length of words, and code of text.
//!
//! Text. What LLVM's disassembler says of each word: the same text and length, or refused by both. LLVM has no disassembler for gfx6 and
//! gfx7. There our text is assembled by llvm-mc, and its code must read as llvm-mc prints it; and so must what llvm-mc takes of the texts
//! of gfx803 and gfx1010, which may be instructions that we refuse.
//!
//! Code. Every text LLVM prints is given to llvm-mc and to our assembler, and the code must be the same: the words it was read from, or
//! the shortest form without don't-care bits that llvm-mc picks. Where LLVM contradicts itself, one of [`rules`] says what is asked for
//! instead; each is counted in the output. So is what we take beyond LLVM 19: `isa::BEYOND` lists it.

use super::formats::{TEST, reserved_select};
use super::llvm::{self, Answer, S_NOP, SLOT, Setting, fold, refused};
use super::report::Report;
use super::{Options, has_disassembler, hex};
use std::collections::BTreeSet;
use wavejit_isa::disasm::needs_true16;
use wavejit_isa::{Beyond, DisasmOptions, Flags, Space, assemble_instruction, decode, disasm_stream};

/// Tests per run of LLVM.
const BATCH: usize = 50_000;

/// Why something is left out. Ours is still held to what each says; `--rules yes` lists what each left out.
pub(crate) mod rules {
    /// `+real-true16`: LLVM 19 has not come to the instruction yet and prints it without halves, or refuses its high halves; we name them.
    pub(crate) const NO_HALVES: &str = "instructions whose halves LLVM 19 has no names for (ours has)";
    /// gfx12: an image instruction whose addresses after the first are all v0 reads as one with one address, though LLVM's assembler makes
    /// it of our text with all of them.
    pub(crate) const ADDRESSES: &str = "image addresses that LLVM does not show (llvm-mc makes the code of our text)";
    /// LLVM's printer has no text for select 7 and fails; we refuse the word.
    pub(crate) const RESERVED_SELECT: &str = "SDWA select 7, where LLVM fails (we refuse)";
    /// llvm-objdump fails otherwise. Nothing is known to do that.
    pub(crate) const FAILS: &str = "LLVM fails";
    /// LLVM's disassembler reads fields one by one, its assembler checks them together: number of scalar values, VGPR banks of dual
    /// instructions, dmask against registers, attribute numbers, export targets, tfe of stores, th against scope, lds_direct, null and
    /// execz by processor, unused fields that LLVM prints as numbers. Our code must read back as the text.
    pub(crate) const REFUSED: &str = "llvm-mc does not take its own text (ours reads back)";
    /// LLVM's text has a comment where an operand or modifier should be, so it is not source text.
    pub(crate) const COMMENT: &str = "text with a comment in place of a value";
    /// llvm-mc's code reads as another text: a literal that is the high half of a double and small enough for an inline integer,
    /// literals of mixed precision with DPP, float constants of s_setreg_imm32_b32, `off` in compressed exports, gfx12's barriers of
    /// null. Our code must read back as the text.
    pub(crate) const CHANGED: &str = "llvm-mc makes another instruction of it (ours reads back)";
    /// gfx6 and gfx7: llvm-mc takes every number in the long form of v_cvt_f32_f16 for a literal, so its inline constants have no text.
    pub(crate) const NO_TEXT: &str = "constants llvm-mc has no text for";
    /// gfx6 and gfx7: llvm-mc makes the same code of our text of it.
    pub(crate) const TWO_TEXTS: &str = "code with two texts (ours is the other)";
    /// gfx6 and gfx7: llvm-mc leaves out what the code has no room for, as |abs| in v_div_scale_f32.
    pub(crate) const DROPPED: &str = "llvm-mc drops a part of the text (we refuse it)";
    /// A test line that llvm-mc prints otherwise than LLVM's disassembler prints its code, or whose code that refuses, as gfx12's buffer
    /// instructions with `src_scc` in place of M0: the text is not a disassembly, and we make other code of it. The code itself is among the
    /// words.
    pub(crate) const NOT_READ: &str = "test lines that LLVM's disassembler prints otherwise (ours differs)";
}

/// Results of both comparisons.
#[derive(Default)]
pub(crate) struct Reports {
    pub text: Report,
    pub code: Report,
}

/// Dwords and text of a corpus; no text where LLVM refuses.
pub(crate) type Golden = Vec<(Vec<u32>, Option<String>)>;

/// Does some operand name a half?
pub(crate) fn names_halves(text: &str) -> bool {
    text.split([' ', ',', '|', ')']).any(|w| w.ends_with(".l") || w.ends_with(".h"))
}

/// Text without what names halves of registers: `.l`, `.h` and op_sel.
fn without_halves(text: &str) -> String {
    let word = |w: &str| {
        let (w, comma) = w.strip_suffix(',').map_or((w, ""), |w| (w, ","));
        let (w, bar) = w.strip_suffix('|').map_or((w, ""), |w| (w, "|"));
        let (w, call) = w.strip_suffix(')').map_or((w, ""), |w| (w, ")"));
        format!("{}{call}{bar}{comma}", w.strip_suffix(".l").or(w.strip_suffix(".h")).unwrap_or(w))
    };
    text.split(' ').filter(|w| !w.starts_with("op_sel:")).map(word).collect::<Vec<_>>().join(" ")
}

/// Does our text name several image addresses, the first of which is the only one of LLVM's?
fn is_first_address(ours: &str, theirs: &str) -> bool {
    let first = |t: &str| t.split_once(", [").map(|(_, rest)| rest.split([',', ']']).next().unwrap_or_default().to_string());
    ours.starts_with("image_") && !theirs.contains(", [") && first(ours).is_some_and(|v| theirs.contains(&format!(", {v}, ")))
}

/// Our text and length of what stands at the start of `words`.
pub(crate) fn ours(words: &[u32], setting: Setting) -> (String, usize) {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let opts = DisasmOptions { wave_size: setting.wave, true16: setting.true16, pc: None };
    disasm_stream(&bytes, setting.target, opts).next().map(|l| (fold(&l.text), l.dwords.len())).unwrap_or_default()
}

/// The text with numbers of 16-bit integers written one way. LLVM's disassembler prints the low half of a literal up to 64 in
/// hexadecimal, a literal with the bits of a 32-bit float as that, an inline float constant by its 16 bits; its assembler makes inline
/// constants of all three, and so do we.
fn one_way(text: &str) -> String {
    const FLOATS: [(&str, u16); 9] = [
        ("0.5", 0x3800),
        ("-0.5", 0xb800),
        ("1.0", 0x3c00),
        ("-1.0", 0xbc00),
        ("2.0", 0x4000),
        ("-2.0", 0xc000),
        ("4.0", 0x4400),
        ("-4.0", 0xc400),
        ("0.15915494", 0x3118),
    ];
    let operand = |t: &str| {
        let (t, comma) = t.strip_suffix(',').map_or((t, ""), |t| (t, ","));
        let small = t.strip_prefix("0x").and_then(|h| u32::from_str_radix(h, 16).ok()).filter(|n| *n <= 64);
        match (small, FLOATS.iter().find(|f| f.0 == t)) {
            (Some(n), _) => format!("{n}{comma}"),
            (_, Some(f)) => format!("{:#x}{comma}", f.1),
            _ => format!("{t}{comma}"),
        }
    };
    text.split(' ').map(operand).collect::<Vec<_>>().join(" ")
}

/// One processor with one wave size.
#[derive(Clone, Copy)]
pub(crate) struct Judge<'a> {
    pub setting: Setting,
    pub options: &'a Options,
}

impl Judge<'_> {
    /// Both comparisons of words, and what they have in common for a corpus.
    pub(crate) fn words(&self, tests: &[[u32; TEST]], reports: &mut Reports, golden: &mut Golden) {
        for batch in tests.chunks(BATCH) {
            if has_disassembler(self.setting.target) { self.read(batch, reports, golden) } else { self.print(batch, reports, golden) }
        }
    }

    /// Words against LLVM's disassembler, then its texts against its assembler.
    fn read(&self, tests: &[[u32; TEST]], reports: &mut Reports, golden: &mut Golden) {
        let mut slots: Vec<[u32; SLOT]> = Vec::new();
        for t in tests {
            let slot = std::array::from_fn(|i| t.get(i).copied().unwrap_or(S_NOP));
            let fails = matches!(self.setting.target.space(), Space::Gfx8 | Space::Gfx10) && reserved_select(t[0], t[1]);
            if fails && refused(&ours(&slot, self.setting).0) {
                reports.text.leave_out(rules::RESERVED_SELECT, "sdwa");
            } else {
                slots.push(slot);
            }
        }
        let mut texts: Vec<String> = Vec::new();
        let mut hidden = Vec::new();
        for (i, (slot, answer)) in slots.iter().zip(llvm::disassemble(&slots, self.setting)).enumerate() {
            let Answer::Text(theirs, len) = answer else {
                reports.text.leave_out(rules::FAILS, &hex(slot));
                continue;
            };
            let found = ours(slot, self.setting);
            if found.0 != theirs && is_first_address(&found.0, &theirs) {
                hidden.push((slot, found.0, theirs));
                continue;
            }
            let equal = self.compare(&slot[..TEST], (&theirs, len), found, &mut reports.text);
            // Refusals are many and alike: some are enough.
            match refused(&theirs) {
                true if equal && i % 16 == 0 => golden.push((slot[..TEST].to_vec(), None)),
                true => {}
                false => {
                    if equal {
                        golden.push((slot[..len.min(TEST)].to_vec(), Some(theirs.clone())));
                    }
                    texts.push(theirs);
                }
            }
        }
        let whole: Vec<String> = hidden.iter().map(|h| h.1.clone()).collect();
        let shown: Vec<String> = hidden.iter().map(|h| h.2.clone()).collect();
        let made = llvm::assemble(&whole, self.setting).into_iter().zip(llvm::assemble(&shown, self.setting));
        for ((slot, found, theirs), made) in hidden.into_iter().zip(made) {
            // Neither where dmask is none that an atomic has.
            let contradicted = match made {
                (Ok(m), Err(_)) => self.makes(&found, &m.1),
                (Err(_), Err(_)) => assemble_instruction(&found, self.setting.target, self.setting.wave)
                    .is_ok_and(|c| ours(c.dwords(), self.setting).0 == found),
                _ => false,
            };
            if contradicted {
                reports.text.leave_out(rules::ADDRESSES, &found);
            } else {
                let sample = || format!("      {}\n        llvm {theirs}\n        ours {found}", hex(slot));
                reports.text.differ(self.options.show, "text:", &theirs, sample);
            }
        }
        if self.options.code {
            self.code(&texts, &mut reports.code);
        }
    }

    /// Counts one answer of LLVM and ours, text and dwords; true when they agree.
    pub(crate) fn compare(&self, words: &[u32], theirs: (&str, usize), found: (String, usize), report: &mut Report) -> bool {
        let no = refused(theirs.0);
        if let Some(rule) = self.beyond(words, theirs, &found) {
            report.leave_out(rule, &found.0);
            return false;
        }
        report.accepted += usize::from(!no);
        if no && refused(&found.0) || !no && (found.0.as_str(), found.1) == theirs {
            report.same();
            return true;
        }
        let kind = match (no, refused(&found.0)) {
            (true, false) => "accepts too much:",
            (false, true) => "refuses too much:",
            _ => "text:",
        };
        report.differ(self.options.show, kind, if no { &found.0 } else { theirs.0 }, || {
            format!("      {}\n        llvm {} ({})\n        ours {} ({})", hex(words), theirs.0, theirs.1, found.0, found.1)
        });
        false
    }

    /// What we take beyond LLVM 19, by the list of the decoder, and names of halves.
    fn beyond(&self, words: &[u32], theirs: (&str, usize), found: &(String, usize)) -> Option<&'static str> {
        let Setting { target, wave, true16 } = self.setting;
        if refused(&found.0) {
            return None;
        }
        let inst = decode(words, target, wave).ok()?;
        if refused(theirs.0) {
            let listed = inst.tolerated.iter().find_map(Beyond::of).map(|b| b.what);
            return listed.or((true16 && needs_true16(&inst)).then_some(rules::NO_HALVES));
        }
        let old = true16 && !inst.row.flags.contains(Flags::TRUE16) && theirs.1 == found.1;
        let names = old && found.0 != theirs.0 && without_halves(&found.0) == without_halves(theirs.0);
        names.then_some(rules::NO_HALVES)
    }

    /// Words that we accept against the assembler alone.
    fn print(&self, tests: &[[u32; TEST]], reports: &mut Reports, golden: &mut Golden) {
        let show = self.options.show;
        let mut words = Vec::new();
        let mut texts = Vec::new();
        for t in tests {
            let (text, len) = ours(t, self.setting);
            if !refused(&text) {
                words.push(t[..len].to_vec());
                texts.push(text);
            }
        }
        for ((text, words), theirs) in texts.iter().zip(words).zip(llvm::assemble(&texts, self.setting)) {
            match &theirs {
                Ok((print, code)) => {
                    let found = ours(code, self.setting);
                    if self.compare(code, (print, code.len()), found, &mut reports.text) && print == text {
                        golden.push((words, Some(text.clone())));
                    }
                }
                Err(e) if e.contains("literal operands are not supported") && text.starts_with("v_cvt_f32_f16_e64") => {
                    reports.text.leave_out(rules::NO_TEXT, text);
                }
                Err(e) => {
                    let sample = || format!("      {}\n        ours {text}\n        llvm {e}", hex(&words));
                    reports.text.differ(show, "accepts too much:", text, sample);
                }
            }
            self.code_of(text, theirs, &mut reports.code);
        }
    }

    /// Source lines against the assembler alone: what it takes is read by us, and made by us. Lines it does not take are passed over.
    pub(crate) fn sources(&self, source: &[String], reports: &mut Reports) {
        let assembled = llvm::assemble(source, self.setting).into_iter().flatten();
        let printed: BTreeSet<(String, Vec<u32>)> = assembled.collect();
        let found: Vec<String> = printed.iter().map(|p| ours(&p.1, self.setting).0).collect();
        for (((text, code), found), again) in printed.iter().zip(&found).zip(llvm::assemble(&found, self.setting)) {
            // What is in the text alone, as the width of an image address, cannot be read from the code.
            if found != text && again.is_ok_and(|a| a.1 == *code) {
                reports.text.leave_out(rules::TWO_TEXTS, text);
                continue;
            }
            self.compare(code, (text, code.len()), (found.clone(), code.len()), &mut reports.text);
        }
        let texts: Vec<String> = printed.into_iter().map(|p| p.0).collect();
        self.code(&texts, &mut reports.code);
    }

    /// Our assembler against LLVM's, text by text.
    pub(crate) fn code(&self, texts: &[String], report: &mut Report) {
        for (text, theirs) in texts.iter().zip(llvm::assemble(texts, self.setting)) {
            self.code_of(text, theirs, report);
        }
    }

    /// Do we make this code of the text?
    pub(crate) fn makes(&self, text: &str, code: &[u32]) -> bool {
        assemble_instruction(text, self.setting.target, self.setting.wave).is_ok_and(|c| c.dwords() == code)
    }

    /// One text: what llvm-mc makes of it, or the rule for where it cannot be the measure.
    pub(crate) fn code_of(&self, text: &str, theirs: Result<(String, Vec<u32>), String>, report: &mut Report) {
        let found = assemble_instruction(text, self.setting.target, self.setting.wave);
        // Where LLVM names no halves, ours do not count as a difference.
        let named = !self.setting.true16 || names_halves(text);
        let plain = |text: &str| if named { text.into() } else { without_halves(text) };
        let reads = |code: &[u32]| plain(&ours(code, self.setting).0) == plain(text);
        let reads_back = found.as_ref().is_ok_and(|c| one_way(&plain(&ours(c.dwords(), self.setting).0)) == one_way(&plain(text)));
        match (&theirs, &found) {
            (Ok((_, code)), Ok(c)) if c.dwords() == code => {
                report.accepted += 1;
                return report.same();
            }
            _ if text.contains("/*") => return report.leave_out(rules::COMMENT, text),
            (Ok((_, code)), _) if reads_back && !reads(code) => return report.leave_out(rules::CHANGED, text),
            (Ok((_, code)), Err(_)) if !has_disassembler(self.setting.target) && !reads(code) => {
                return report.leave_out(rules::DROPPED, text);
            }
            (Err(e), _) if reads_back => return report.leave_out(rules::REFUSED, &format!("{text}   {e}")),
            _ => {}
        }
        let kind = if found.is_ok() { "code:" } else { "no code:" };
        report.differ(self.options.show, kind, text, || {
            let theirs = theirs.map_or_else(|e| e, |t| hex(&t.1));
            let found = found.map_or_else(|e| e.to_string(), |c| hex(c.dwords()));
            format!("      {text}\n        llvm {theirs}\n        ours {found}")
        });
    }
}
