//! LLVM's assembler and disassembler as judges.

use super::formats::TEST;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, exit};
use wavejit_isa::Gfx;

/// Dwords of a test, then s_nop until the longest instruction that could start in its last dword has ended.
pub(crate) const SLOT: usize = TEST + 4;
pub(crate) const S_NOP: u32 = 0xbf80_0000;

/// White space folded.
pub(crate) fn fold(s: &str) -> String {
    s.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text by which LLVM says that it found no instruction.
pub(crate) fn refused(text: &str) -> bool {
    text.starts_with(".long") || text.contains("/*Invalid") || text.contains("/*invalid immediate")
}

fn scratch() -> PathBuf {
    let dir = std::env::temp_dir().join(format!("isa_check_{}", std::process::id()));
    fs::create_dir_all(&dir).expect("temporary directory");
    dir
}

/// Removes the temporary files.
pub(crate) fn clean() {
    let _ = fs::remove_dir_all(scratch());
}

fn run(c: &mut Command) -> Output {
    // Where LLVM fails, its stack is of no use.
    c.env("LLVM_DISABLE_SYMBOLIZATION", "1").output().unwrap_or_else(|e| {
        eprintln!("skipped: {c:?} does not run ({e}); install LLVM 19's llvm-mc and llvm-objdump");
        exit(0)
    })
}

fn must(c: &mut Command) -> Vec<u8> {
    let o = run(c);
    if !o.status.success() {
        eprintln!("{c:?} failed: {}", String::from_utf8_lossy(&o.stderr));
        exit(2)
    }
    o.stdout
}

/// How LLVM reads and writes: a processor, a wave size, and whether 16-bit operands name halves of registers (`+real-true16`).
#[derive(Clone, Copy)]
pub(crate) struct Setting {
    pub target: Gfx,
    pub wave: u32,
    pub true16: bool,
}

impl Setting {
    fn attributes(self) -> Option<String> {
        let wave = if self.wave == 64 { "+wavefrontsize64,-wavefrontsize32" } else { "+wavefrontsize32,-wavefrontsize64" };
        let true16 = if self.true16 { ",+real-true16" } else { "" };
        (self.target.0 >= 0x1000).then(|| format!("--mattr={wave}{true16}"))
    }
}

/// LLVM's answer about a slot.
#[derive(Clone)]
pub(crate) enum Answer {
    /// Text and dwords.
    Text(String, usize),
    /// llvm-objdump itself fails on the instruction, so nothing is known.
    Crash,
}

/// What stands at the start of each slot. Some words make llvm-objdump fail; they are found by halving.
pub(crate) fn disassemble(slots: &[[u32; SLOT]], setting: Setting) -> Vec<Answer> {
    if let Some(answers) = objdump(slots, setting) {
        return answers;
    }
    if let [slot] = slots {
        return vec![first_of(slot, setting)];
    }
    slots.chunks(slots.len().div_ceil(8)).flat_map(|part| disassemble(part, setting)).collect()
}

/// The first instruction of a slot whose later words make LLVM fail.
fn first_of(slot: &[u32; SLOT], setting: Setting) -> Answer {
    for kept in (1..TEST).rev() {
        let mut calm = *slot;
        calm[kept..].fill(S_NOP);
        match objdump(&[calm], setting).as_deref() {
            Some([Answer::Text(text, len)]) if *len <= kept => return Answer::Text(text.clone(), *len),
            _ => {}
        }
    }
    Answer::Crash
}

fn objdump(slots: &[[u32; SLOT]], setting: Setting) -> Option<Vec<Answer>> {
    let bytes: Vec<u8> = slots.iter().flatten().flat_map(|w| w.to_le_bytes()).collect();
    let dir = scratch();
    let (bin, src, obj) = (dir.join("x.bin"), dir.join("x.s"), dir.join("x.o"));
    fs::write(&bin, bytes).expect("write code");
    fs::write(&src, format!(".text\n.incbin \"{}\"\n", bin.display())).expect("write source");
    let cpu = format!("--mcpu={}", setting.target);
    must(Command::new("llvm-mc-19").args(["-triple=amdgcn", &cpu, "-filetype=obj", "-o"]).arg(&obj).arg(&src));
    let o = run(Command::new("llvm-objdump-19").args(["-d", &cpu]).args(setting.attributes()).arg(&obj));
    if !o.status.success() {
        return None;
    }
    let mut out = vec![Answer::Text(".long (not listed)".into(), 1); slots.len()];
    for line in String::from_utf8_lossy(&o.stdout).lines() {
        let Some((text, comment)) = line.rsplit_once("//") else { continue };
        let Some((address, code)) = comment.trim().split_once(':') else { continue };
        let Ok(address) = usize::from_str_radix(address, 16) else { continue };
        if address % (4 * SLOT) == 0 {
            let dwords = code.split_whitespace().filter(|w| w.len() == 8 && w.bytes().all(|b| b.is_ascii_hexdigit())).count();
            out[address / 4 / SLOT] = Answer::Text(fold(text), dwords);
        }
    }
    Some(out)
}

/// What the assembler makes of each line: its own print and the code, or its error. A label before each line tells which one an answer
/// belongs to.
pub(crate) fn assemble(lines: &[String], setting: Setting) -> Vec<Result<(String, Vec<u32>), String>> {
    let src = scratch().join("lines.s");
    let source: String = lines.iter().enumerate().map(|(i, l)| format!("line_{i}:\n{l}\n")).collect();
    fs::write(&src, source).expect("write source");
    let cpu = format!("--mcpu={}", setting.target);
    let o = run(Command::new("llvm-mc-19").args(["-triple=amdgcn", &cpu, "--show-encoding"]).args(setting.attributes()).arg(&src));
    let mut out = vec![Err(String::new()); lines.len()];
    let place = format!("{}:", src.display());
    for line in String::from_utf8_lossy(&o.stderr).lines().filter_map(|l| l.strip_prefix(&place)) {
        let mut parts = line.splitn(3, ':');
        if let (Some(Ok(n)), _, Some(message)) = (parts.next().map(str::parse::<usize>), parts.next(), parts.next()) {
            // Two lines of source for each of ours.
            if let Some(Err(text)) = out.get_mut((n / 2).saturating_sub(1)).filter(|e| e.as_ref().is_err_and(String::is_empty)) {
                *text = message.trim().into();
            }
        }
    }
    let mut at = 0;
    for line in String::from_utf8_lossy(&o.stdout).lines() {
        if let Some(n) = line.strip_prefix("line_").and_then(|l| l.strip_suffix(':')) {
            at = n.parse().unwrap_or(at);
        } else if let Some((text, code)) = line.split_once("encoding: [") {
            let text = fold(text.trim_end().trim_end_matches([';', '/']));
            let bytes = code.split(']').next().unwrap_or_default().split(',');
            let bytes: Option<Vec<u8>> = bytes.map(|b| u8::from_str_radix(b.strip_prefix("0x")?, 16).ok()).collect();
            // Bytes that a relocation fills have no value.
            let code = bytes.map(|b| (text, b.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()));
            out[at] = code.ok_or_else(|| "a relocation".into());
        }
    }
    out
}
