//! A source text of several lines: instructions, labels, comments and the directives that place data.

use super::{AsmError, Context, line, offset_in, value};
use crate::target::Gfx;
use std::collections::HashMap;
use std::fmt;

/// Machine code of a source text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assembled {
    /// The code, little endian.
    pub bytes: Vec<u8>,
    /// Byte offset and source line (from 1) of each instruction.
    pub lines: Vec<(u64, usize)>,
    /// Labels and their byte offsets, in order of appearance.
    pub labels: Vec<(String, u64)>,
}

/// A source line that is not an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineError {
    /// From 1.
    pub line: usize,
    /// Where in the line it is wrong: characters, from 1.
    pub column: usize,
    /// The line as written, without white space around it.
    pub text: String,
    /// What is wrong.
    pub error: AsmError,
    /// Characters of `text` before the place.
    indent: usize,
}

impl LineError {
    /// `at`: where in `text`, a piece of the line `raw`, it is wrong, in bytes.
    fn new(line: usize, raw: &str, text: &str, error: AsmError) -> LineError {
        let at = offset_in(raw, text).unwrap_or(0) + error.at();
        let before = raw.get(..at).unwrap_or_default().chars().count();
        let blank = raw.chars().take_while(|c| c.is_whitespace()).count();
        LineError { line, column: before + 1, text: raw.trim().into(), error, indent: before.saturating_sub(blank) }
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LineError { line, column, text, error, indent } = self;
        // A tab before the place is one below it, too.
        let below: String = text.chars().take(*indent).map(|c| if c == '\t' { c } else { ' ' }).collect();
        write!(f, "line {line}, column {column}: {error}\n    {text}\n    {below}^")
    }
}

impl std::error::Error for LineError {}

/// Assembles a source text: one instruction a line, `label:` before any, `//` or `;` before a comment, and `.long`, `.fill` and `.p2align`.
/// Other directives, of which compilers print many, are left out. Fails with every line that is wrong.
pub fn assemble(source: &str, target: Gfx, wave_size: u32) -> Result<Assembled, Vec<LineError>> {
    // Labels do not change the length of a branch, so a first pass with all of them at 0 finds where they are.
    let found = pass(source, target, wave_size, &|_| Some(0))?;
    let labels: HashMap<&str, u64> = found.labels.iter().map(|l| (l.0.as_str(), l.1)).collect();
    pass(source, target, wave_size, &|name| labels.get(name).copied())
}

fn pass(source: &str, target: Gfx, wave_size: u32, labels: &dyn Fn(&str) -> Option<u64>) -> Result<Assembled, Vec<LineError>> {
    let first = labels("").is_some();
    let mut out = Assembled::default();
    let mut errors = Vec::new();
    for (i, raw) in source.lines().enumerate() {
        let mut text = line::without_comment(raw);
        while let Some((label, rest)) = label(text) {
            out.labels.push((label.into(), out.bytes.len() as u64));
            text = rest;
        }
        if text.is_empty() {
            continue;
        }
        let result = if text.starts_with('.') {
            directive(text, &mut out.bytes)
        } else {
            let offset = out.bytes.len() as u64;
            // The first pass has every label at 0, however far that is.
            let context = Context { target, wave_size, offset: if first { 0 } else { offset }, labels };
            context.instruction(text).map(|code| {
                out.lines.push((offset, i + 1));
                out.bytes.extend(code.dwords().iter().flat_map(|w| w.to_le_bytes()));
            })
        };
        if let Err(error) = result {
            errors.push(LineError::new(i + 1, raw, text, error));
        }
    }
    if errors.is_empty() { Ok(out) } else { Err(errors) }
}

/// A label at the start of a line, and the rest.
fn label(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once(':')?;
    let word = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.$@".contains(&b));
    (word && !rest.starts_with(':')).then_some((name, rest.trim_start()))
}

/// Directives that place data; all others mean nothing here.
fn directive(text: &str, bytes: &mut Vec<u8>) -> Result<(), AsmError> {
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    let fail_at = |part: &str, reason: &str| {
        let at = offset_in(text, part).unwrap_or(0);
        AsmError::Form { mnemonic: name.into(), reason: reason.into(), at }
    };
    let fail = |reason: &str| fail_at(rest, reason);
    let numbers = || -> Result<Vec<i64>, AsmError> {
        let number = |t: &&str| value::integer(t).ok_or_else(|| fail_at(t, &format!("`{t}`: expected a number")));
        line::items(rest).iter().map(number).collect()
    };
    match name {
        ".long" | ".4byte" => {
            for n in numbers()? {
                let fits = i32::try_from(n).is_ok() || u32::try_from(n).is_ok();
                bytes.extend(fits.then_some(n as u32).ok_or_else(|| fail(&format!("{n:#x} does not fit into 32 bits")))?.to_le_bytes());
            }
        }
        ".fill" => {
            let [count, size @ 1..=8, value] = numbers()?[..] else {
                return Err(fail("expected COUNT, SIZE, VALUE, with a size of 1 to 8 bytes"));
            };
            if !(0..=1 << 20).contains(&count) {
                return Err(fail("expected a count between 0 and 1048576"));
            }
            (0..count).for_each(|_| bytes.extend_from_slice(&value.to_le_bytes()[..size as usize]));
        }
        ".p2align" => {
            let power = numbers()?
                .first()
                .copied()
                .filter(|p| (0..=12).contains(p))
                .ok_or_else(|| fail("expected a power of two between 0 and 12"))?;
            while !bytes.len().is_multiple_of(1 << power) {
                bytes.push(0);
            }
        }
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_reach_labels_in_both_directions() {
        let code = assemble("start: s_nop 0\n  s_branch end // forward\n s_branch start\nend:\n", Gfx::GFX1100, 32).expect("assembles");
        let words: Vec<u32> = code.bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        assert_eq!(words, [0xbf80_0000, 0xbfa0_0001, 0xbfa0_fffd]);
        assert_eq!(code.labels, [("start".to_string(), 0), ("end".to_string(), 12)]);
    }

    #[test]
    fn every_wrong_line_is_named() {
        let errors = assemble("s_nop 0\ns_nopp 0\ns_mov_b32 s0\ns_branch nowhere\n", Gfx::GFX1100, 32).expect_err("three lines are wrong");
        let lines: Vec<usize> = errors.iter().map(|e| e.line).collect();
        assert_eq!(lines, [2, 3]);
        assert!(
            errors[1].to_string().contains("expected 2 operands (a scalar register; a scalar register or a constant), found 1"),
            "{}",
            errors[1]
        );
        let errors = assemble("s_branch nowhere\n", Gfx::GFX1100, 32).expect_err("no such label");
        assert!(errors[0].to_string().contains("`nowhere` is not a label"), "{}", errors[0]);
    }

    // The rule of all messages: line, column, what was expected; no types of this program.
    #[test]
    fn messages_name_the_place_and_what_was_expected() {
        let message = |text: &str| {
            let errors = assemble(text, Gfx::GFX1100, 32).expect_err(text);
            let e = &errors[0];
            assert!(!["{", "}", "Some(", "None", "count:", "Vgpr", "Sgpr"].iter().any(|w| e.error.to_string().contains(w)), "{e}");
            format!("{}:{}: {}", e.line, e.column, e.error)
        };
        let same = |text: &str, expected: &str| assert_eq!(message(text), expected);
        same("\n  v_add_f32 s0, v1, v2", "2:13: `v_add_f32`: operand 1 `s0`: expected a VGPR");
        same("v_add_f32 v300, v1, v2", "1:11: `v_add_f32`: operand 1 `v300`: expected a VGPR");
        same("v_add_f32_e32 v0, v1, s2", "1:23: `v_add_f32_e32`: operand 3 `s2`: expected a VGPR");
        same("v_swap_b32 v0, 1", "1:16: `v_swap_b32`: operand 2 `1`: expected a VGPR");
        same("v_readlane_b32 v0, v1, 0", "1:16: `v_readlane_b32`: operand 1 `v0`: expected a scalar register");
        same("global_load_b32 v0, v1, s2", "1:25: `global_load_b32`: operand 3 `s2`: expected 2 scalar registers, or off");
        same("s_load_b64 s1, s[0:1], 0", "1:12: `s_load_b64`: operand 1 `s1`: expected 2 scalar registers, found 1 of them");
        let odd =
            "1:12: `s_load_b64`: operand 1 `s[1:2]`: a range of 2 scalar registers begins at a multiple of 2; expected 2 scalar registers";
        same("s_load_b64 s[1:2], s[0:1], 0", odd);
        same("s_mov_b32 s0, x", "1:15: `s_mov_b32`: operand 2 `x`: not a register of gfx1100; expected a scalar register or a constant");
        same("v_mov_b32 v0, v1 qlc", "1:15: `v_mov_b32`: operand 2 `v1 qlc`: expected a comma or a modifier after `v1`, found `qlc`");
        same("ds_store_b32 v0, v1 offset:70000", "1:21: `ds_store_b32`: offset 70000: expected 0 to 65535");
        same("v_add_f32 v0, v1, v2 clamp glc", "1:28: `v_add_f32`: modifier `glc` has no place in this instruction");
        same("v_add_f32 v0, v1, v2 nonsense:1", "1:22: `v_add_f32`: modifier `nonsense:1`: not a modifier");
        same("s_waitcnt vmcnt(64)", "1:11: `s_waitcnt`: operand 1 `vmcnt(64)`: `vmcnt(64)`: expected 0 to 63");
        same("s_waitcnt vscnt(0)", "1:11: `s_waitcnt`: operand 1 `vscnt(0)`: `vscnt` is not a counter; expected vmcnt, expcnt, lgkmcnt");
        same("v_addd_f32 v0, v1, v2", "1:1: `v_addd_f32` is not an instruction of gfx1100; did you mean `v_add_f32`?");
        same("v_interp_p1_f32 v0, v1", "1:1: `v_interp_p1_f32` is not an instruction of gfx1100 (gfx600 has it)");
        same("v_dual_mov_b32 v0, v1 :: v_dual_none v1, v2", "1:26: `v_dual_none` is not an instruction of gfx1100");
        same(".long 1, two", "1:10: `.long`: `two`: expected a number");
        same(".long 0x123456789", "1:7: `.long`: 0x123456789 does not fit into 32 bits");
        let fma = "1:1: `v_fma_f32`: a second literal, 0x5678, beside 0x1234, cannot be encoded";
        same("v_fma_f32 v0, v1, 0x1234, 0x5678", fma);
    }

    #[test]
    fn a_mark_stands_below_the_place() {
        let errors = assemble("a:\tv_add_f32 v0,\tv1, x // sum", Gfx::GFX1100, 32).expect_err("x is not a register");
        let lines: Vec<String> = errors[0].to_string().lines().map(str::to_string).collect();
        assert_eq!(lines[1], "    a:\tv_add_f32 v0,\tv1, x // sum");
        assert_eq!(lines[2], "      \t             \t    ^", "tabs are tabs in both lines");
    }

    // Twenty modifiers must not be tried in every combination, nor a thousand unknown names be compared with every name.
    #[test]
    fn bad_lines_cost_little() {
        let modifiers = " glc slc dlc scc nv tfe lwe d16 a16 unorm r128 da offen idxen addr64 lds gds done row_en vm compr".repeat(3);
        let source = format!("v_add_f32 v0, v1, v2{modifiers}\n").repeat(100) + &"v_nonsense_f32 v0\n".repeat(10_000);
        let errors = assemble(&source, Gfx::GFX1100, 32).expect_err("every line is wrong");
        assert_eq!(errors.len(), 10_100);
    }

    #[test]
    fn data_directives_place_dwords() {
        let code = assemble(".long 0x1, 2\n.fill 1, 4, -1\n", Gfx::GFX1100, 32).expect("assembles");
        assert_eq!(code.bytes, [1, 0, 0, 0, 2, 0, 0, 0, 255, 255, 255, 255]);
        assert!(code.lines.is_empty());
    }
}
