//! The instructions of LLVM's own tests: every line of its assembler tests that the assembler takes for a processor, and every byte list
//! of its disassembler tests that the disassembler takes.

use super::compare::{Golden, Judge, Reports, rules};
use super::formats::TEST;
use super::has_disassembler;
use super::llvm::{self, Answer, S_NOP, SLOT};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::exit;

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

/// Checks both kinds of lines: their code against the disassembler and, text and code, against the assembler.
pub(crate) fn check(dir: &str, judge: &Judge<'_>, reports: &mut Reports) {
    let setting = judge.setting;
    let source = unique_lines(dir, "s", instruction);
    if !has_disassembler(setting.target) {
        return judge.sources(&source, reports);
    }
    let printed: BTreeSet<(String, Vec<u32>)> = llvm::assemble(&source, setting).into_iter().flatten().collect();
    // What the assembler prints of itself need not be what its disassembler says of the code.
    let slots: Vec<[u32; SLOT]> = printed.iter().map(|p| std::array::from_fn(|i| p.1.get(i).copied().unwrap_or(S_NOP))).collect();
    let texts: Vec<String> = printed.iter().map(|p| p.0.clone()).collect();
    let reads = llvm::disassemble(&slots, setting);
    for ((text, read), theirs) in texts.iter().zip(reads).zip(llvm::assemble(&texts, setting)) {
        let is_disassembly = matches!(read, Answer::Text(read, _) if read == *text);
        if is_disassembly || theirs.as_ref().is_ok_and(|t| judge.makes(text, &t.1)) {
            judge.code_of(text, theirs, &mut reports.code);
        } else {
            reports.code.leave_out(rules::NOT_READ, text);
        }
    }
    let mut lists: BTreeSet<Vec<u32>> = unique_lines(dir, "txt", byte_list).iter().filter_map(|l| dwords(l)).collect();
    lists.extend(printed.into_iter().map(|(_, code)| code));
    let tests: Vec<[u32; TEST]> = lists.iter().map(|words| std::array::from_fn(|i| words.get(i).copied().unwrap_or(S_NOP))).collect();
    judge.words(&tests, reports, &mut Golden::new());
}
