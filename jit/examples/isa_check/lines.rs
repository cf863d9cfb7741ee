//! The instructions of LLVM's own tests: every line of its assembler tests that the assembler takes for a processor, and every byte list
//! of its disassembler tests that the disassembler takes.

use super::formats::TEST;
use super::llvm::{self, S_NOP, SLOT};
use super::{Options, Report, has_disassembler, ours};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::exit;
use wavejit_jit::isa::{Gfx, assemble_instruction};

fn files(dir: &Path, extension: &str, out: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(dir).unwrap_or_else(|e| {
        eprintln!("{}: {e}", dir.display());
        exit(2)
    });
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() {
            files(&path, extension, out);
        } else if path.extension().is_some_and(|e| e == extension) {
            out.push(path);
        }
    }
}

fn unique_lines(dir: &str, extension: &str, keep: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut paths = Vec::new();
    files(Path::new(dir), extension, &mut paths);
    let text: Vec<String> = paths.iter().map(|p| fs::read_to_string(p).unwrap_or_default()).collect();
    let set: BTreeSet<String> = text.iter().flat_map(|t| t.lines()).filter_map(keep).collect();
    set.into_iter().collect()
}

/// An instruction line: a mnemonic first, no label, no directive.
fn instruction(line: &str) -> Option<String> {
    let line = line.split("//").next()?.split(';').next()?.trim();
    let mnemonic = line.split(' ').next()?;
    let name = mnemonic.contains('_') || mnemonic == "exp";
    let plain = !line.contains(':') || mnemonic.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    (name && plain).then(|| line.to_string())
}

/// A byte list `0x01,0x02,...`.
fn byte_list(line: &str) -> Option<String> {
    let line = line.trim();
    line.starts_with("0x").then(|| line.split(['#', ';']).next().unwrap_or_default().trim().to_string())
}

fn dwords(list: &str) -> Option<Vec<u32>> {
    let bytes: Option<Vec<u8>> =
        list.split([',', ' ']).filter(|b| !b.is_empty()).map(|b| u8::from_str_radix(b.strip_prefix("0x")?, 16).ok()).collect();
    let bytes = bytes?;
    (bytes.len().is_multiple_of(4) && !bytes.is_empty() && bytes.len() <= 20)
        .then(|| bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect())
}

/// Checks both kinds of lines: as bytes against the disassembler where there is one, else against the assembler's print.
pub fn check(dir: &str, target: Gfx, wave: u32, o: &Options) -> Report {
    let source = unique_lines(dir, "s", instruction);
    let assembled: Vec<_> = llvm::assemble(&source, target, wave).into_iter().flatten().collect();
    let mut report = Report::default();
    if !has_disassembler(target) {
        for (text, code) in assembled {
            let found = ours(&code, target, wave);
            // The width of an image address is in the text alone: what assembles to the same code is as right.
            let same = |line: &str| assemble_instruction(line, target, wave).is_ok_and(|c| c.dwords() == code);
            let found = if same(&text) && same(&found.0) { (text.clone(), code.len()) } else { found };
            report.compare(o.show, &code, (text, code.len()), found);
        }
        return report;
    }
    let mut lists: BTreeSet<Vec<u32>> = unique_lines(dir, "txt", byte_list).iter().filter_map(|l| dwords(l)).collect();
    lists.extend(assembled.into_iter().map(|(_, code)| code));
    let slots: Vec<[u32; SLOT]> = lists.iter().map(|t| std::array::from_fn(|i| t.get(i).copied().unwrap_or(S_NOP))).collect();
    for (slot, answer) in slots.iter().zip(llvm::disassemble(&slots, target, wave)) {
        report.answer(o.show, &slot[..TEST], answer, ours(slot, target, wave));
    }
    report
}

/// What the assembler prints for the source lines it takes, and their code.
pub fn printed(dir: &str, target: Gfx, wave: u32) -> Vec<(String, Vec<u32>)> {
    let source = unique_lines(dir, "s", instruction);
    let set: BTreeSet<_> = llvm::assemble(&source, target, wave).into_iter().flatten().collect();
    set.into_iter().collect()
}
