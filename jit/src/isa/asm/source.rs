//! A source text of several lines: instructions, labels, comments and the directives that place data.

use super::{AsmError, Context, line, value};
use crate::isa::target::Gfx;
use std::collections::HashMap;

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

/// A source line that is no instruction.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {error}\n    {text}")]
pub struct LineError {
    /// From 1.
    pub line: usize,
    /// The line as written.
    pub text: String,
    /// What is wrong.
    pub error: AsmError,
}

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
            errors.push(LineError { line: i + 1, text: raw.trim().into(), error });
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
    let fail = |reason: &str| AsmError::Form { mnemonic: name.into(), reason: reason.into() };
    let numbers = || -> Result<Vec<i64>, AsmError> {
        line::items(rest).iter().map(|t| value::integer(t).ok_or_else(|| fail("expected numbers"))).collect()
    };
    match name {
        ".long" | ".4byte" => bytes.extend(numbers()?.iter().flat_map(|n| (*n as u32).to_le_bytes())),
        ".fill" => {
            let [count, size @ 1..=8, value] = numbers()?[..] else { return Err(fail("expected count, size and value")) };
            if !(0..=1 << 20).contains(&count) {
                return Err(fail("count is not between 0 and 1048576"));
            }
            (0..count).for_each(|_| bytes.extend_from_slice(&value.to_le_bytes()[..size as usize]));
        }
        ".p2align" => {
            let power = numbers()?.first().copied().filter(|p| (0..=12).contains(p)).ok_or_else(|| fail("expected 0 to 12"))?;
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
        assert!(errors[1].to_string().contains("expected 2 operands, found 1"), "{}", errors[1]);
        let errors = assemble("s_branch nowhere\n", Gfx::GFX1100, 32).expect_err("no such label");
        assert!(errors[0].to_string().contains("`nowhere` is no label"), "{}", errors[0]);
    }

    #[test]
    fn data_directives_place_dwords() {
        let code = assemble(".long 0x1, 2\n.fill 1, 4, -1\n", Gfx::GFX1100, 32).expect("assembles");
        assert_eq!(code.bytes, [1, 0, 0, 0, 2, 0, 0, 0, 255, 255, 255, 255]);
        assert!(code.lines.is_empty());
    }
}
