//! Compares the decoder, the disassembler and the assembler with LLVM.
//!
//! ```text
//! cargo run -p wavejit-jit --example isa_check -- [--target gfx1100|all] [--family NAME] [--count N] [--wave 32|64] [--show K] [--seed S]
//!     random instructions of every format
//! cargo run -p wavejit-jit --example isa_check -- --lines DIR [--target ...]
//!     the instructions of LLVM's own tests (llvm/test/MC/AMDGPU and llvm/test/MC/Disassembler/AMDGPU of its source)
//! cargo run -p wavejit-jit --example isa_check -- --asm yes [--target ...] [--family NAME] [--count N] [--lines DIR]
//!     assembles what LLVM prints for such instructions: our code must be llvm-mc's
//! cargo run -p wavejit-jit --example isa_check -- --golden FILE [--count N] --target ...
//!     writes a corpus of jit/src/isa/golden, two instructions of each mnemonic: `wave size<TAB>dwords<TAB>text`, text `-` where LLVM refuses; a fourth column holds the
//!     dwords that llvm-mc makes of the text where they differ, `-` where it takes no such text
//! ```
//!
//! Needs llvm-mc-19 and llvm-objdump-19 on PATH. Per format, N random instructions go into one object file, each in a slot padded with
//! s_nop so that the next slot starts in step. Equal means: same text after folding white space, same length, and refused alike. LLVM's text
//! with `/*Invalid register...*/` counts as refused: it says so itself. LLVM has no disassembler for gfx6 and gfx7: there our text is
//! assembled, and its code and print must be the words and the text we started from.

mod formats;
mod lines;
mod llvm;

use formats::{Format, Random, TEST, formats};
use llvm::{Answer, S_NOP, SLOT, fold, refused};
use std::collections::BTreeMap;
use std::fs;
use std::process::exit;
use wavejit_jit::isa::{DisasmOptions, Family, Gfx, assemble_instruction, disasm_stream};

/// Tests per run of LLVM.
const BATCH: usize = 50_000;

/// What to compare.
pub struct Options {
    count: usize,
    targets: Vec<Gfx>,
    waves: Vec<u32>,
    family: Option<String>,
    show: usize,
    seed: u64,
    golden: Option<String>,
    lines: Option<String>,
    asm: bool,
}

fn options() -> Options {
    let mut o = Options {
        count: 200_000,
        targets: vec![Gfx::GFX1100],
        waves: vec![32, 64],
        family: None,
        show: 2,
        seed: 0x9e37_79b9_7f4a_7c15,
        golden: None,
        lines: None,
        asm: false,
    };
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        let v = args.next().unwrap_or_default();
        let bad = || -> ! {
            eprintln!("bad argument {a} {v}; see the head of jit/examples/isa_check/main.rs");
            exit(2)
        };
        match a.as_str() {
            "--count" => o.count = v.parse().unwrap_or_else(|_| bad()),
            "--target" if v == "all" => o.targets = Gfx::all().collect(),
            "--target" => o.targets = v.split(',').map(|t| Gfx::parse(t).unwrap_or_else(|| bad())).collect(),
            "--wave" => o.waves = vec![v.parse().unwrap_or_else(|_| bad())],
            "--family" => o.family = Some(v.clone()),
            "--show" => o.show = v.parse().unwrap_or_else(|_| bad()),
            "--seed" => o.seed = v.parse().unwrap_or_else(|_| bad()),
            "--golden" => o.golden = Some(v.clone()),
            "--asm" => o.asm = v == "yes",
            "--lines" => o.lines = Some(v.clone()),
            _ => bad(),
        }
    }
    o
}

/// Does LLVM disassemble this processor's code?
fn has_disassembler(target: Gfx) -> bool {
    !matches!(target.family(), Family::Gfx6 | Family::Gfx7)
}

/// Wave sizes of a processor.
fn waves(target: Gfx, wanted: &[u32]) -> Vec<u32> {
    if target.0 >= 0x1000 { wanted.to_vec() } else { vec![64] }
}

/// Differences by kind and mnemonic, with samples.
#[derive(Default)]
pub struct Report {
    equal: usize,
    done: usize,
    accepted: usize,
    /// LLVM failed, so nothing was compared.
    unknown: usize,
    differences: BTreeMap<String, (usize, Vec<String>)>,
}

impl Report {
    /// Counts one answer of LLVM and ours, text and dwords; true when they agree.
    fn compare(&mut self, show: usize, words: &[u32], theirs: (String, usize), found: (String, usize)) -> bool {
        let no = refused(&theirs.0);
        self.accepted += usize::from(!no);
        self.done += 1;
        if no && refused(&found.0) || !no && found == theirs {
            self.equal += 1;
            return true;
        }
        let kind = match (no, refused(&found.0)) {
            (true, false) => "accepts too much:",
            (false, true) => "refuses too much:",
            _ => "text:",
        };
        let sample = format!("      {}\n        llvm {} ({})\n        ours {} ({})", hex(words), theirs.0, theirs.1, found.0, found.1);
        self.differ(show, kind, if no { &found.0 } else { &theirs.0 }, sample);
        false
    }

    /// [`Report::compare`] where LLVM has an answer.
    fn answer(&mut self, show: usize, words: &[u32], theirs: Answer, found: (String, usize)) -> bool {
        match theirs {
            Answer::Text(text, len) => self.compare(show, words, (text, len), found),
            Answer::Crash => {
                self.unknown += 1;
                false
            }
        }
    }

    fn differ(&mut self, show: usize, kind: &str, key: &str, sample: String) {
        let key = key.split(' ').next().unwrap_or_default();
        let d = self.differences.entry(format!("{kind} {key}")).or_default();
        d.0 += 1;
        if d.1.len() < show {
            d.1.push(sample);
        }
    }

    /// Prints the counts and the differences; true when there are none.
    fn print(self, title: &str) -> bool {
        println!(
            "{title}: {} of {} equal ({:.4}%), {} accepted by LLVM{}",
            self.equal,
            self.done,
            100.0 * self.equal as f64 / self.done.max(1) as f64,
            self.accepted,
            if self.unknown > 0 { format!(", {} unknown as LLVM fails", self.unknown) } else { String::new() }
        );
        for (key, (n, samples)) in self.differences {
            println!("    {n:6} {key}");
            samples.iter().for_each(|s| println!("{s}"));
        }
        self.equal == self.done
    }
}

fn hex(words: &[u32]) -> String {
    words.iter().map(|w| format!("{w:08x}")).collect::<Vec<_>>().join(" ")
}

/// Our text and length of what stands at the start of `words`.
fn ours(words: &[u32], target: Gfx, wave: u32) -> (String, usize) {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let opts = DisasmOptions { wave_size: wave, ..Default::default() };
    disasm_stream(&bytes, target, opts).next().map(|l| (fold(&l.text), l.dwords.len())).unwrap_or_default()
}

/// Dwords and text of a corpus; no text where LLVM refuses.
type Golden = Vec<(Vec<u32>, Option<String>)>;

/// What LLVM prints for random words, or for those we accept where it has no disassembler.
fn texts(f: &Format, target: Gfx, wave: u32, o: &Options) -> Vec<(String, Vec<u32>)> {
    let mut random = Random(o.seed ^ u64::from(wave));
    let tests: Vec<[u32; TEST]> = (0..o.count).map(|_| random.test(f)).collect();
    let mut texts = Vec::new();
    for batch in tests.chunks(BATCH) {
        if has_disassembler(target) {
            let slots: Vec<[u32; SLOT]> = batch.iter().map(|t| std::array::from_fn(|i| t.get(i).copied().unwrap_or(S_NOP))).collect();
            texts.extend(llvm::disassemble(&slots, target, wave).into_iter().zip(batch).filter_map(|(theirs, t)| match theirs {
                Answer::Text(text, len) => Some((text, t[..len.min(TEST)].to_vec())),
                Answer::Crash => None,
            }));
        } else {
            texts
                .extend(batch.iter().map(|t| ours(t, target, wave)).zip(batch).map(|((text, len), t)| (text, t[..len.min(TEST)].to_vec())));
        }
    }
    texts.retain(|t| !refused(&t.0));
    texts
}

/// Our assembler against LLVM's, line by line, or the words the line was printed from. Lines LLVM does not take are left out.
fn check_asm(lines: &[(String, Vec<u32>)], target: Gfx, wave: u32, o: &Options) -> Report {
    let mut report = Report::default();
    let texts: Vec<String> = lines.iter().map(|l| l.0.clone()).collect();
    for ((line, words), (_, code)) in lines.iter().zip(llvm::assemble(&texts, target, wave)).filter_map(|(l, t)| Some((l, t.ok()?))) {
        report.done += 1;
        report.accepted += 1;
        let found = match assemble_instruction(line, target, wave) {
            // llvm-mc's code need not read back as its own text; the words a line was printed from, or ours if they do, are as right.
            Ok(found)
                if found.dwords() == code
                    || found.dwords() == words
                    || ours(&code, target, wave).0 != *line && ours(found.dwords(), target, wave).0 == *line =>
            {
                report.equal += 1;
                continue;
            }
            Ok(found) => hex(found.dwords()),
            Err(e) => e.to_string(),
        };
        let kind = if found.starts_with('`') { "refuses:" } else { "code:" };
        report.differ(o.show, kind, line, format!("      {line}\n        llvm {}\n        ours {found}", hex(&code)));
    }
    report
}

/// Keeps a few instructions of each mnemonic, suffixes apart, and a few refusals of each format.
fn thin(golden: Golden, each: usize) -> Golden {
    let mut kept: BTreeMap<String, usize> = BTreeMap::new();
    let key = |g: &(Vec<u32>, Option<String>)| match &g.1 {
        Some(text) => text.split(' ').next().unwrap_or_default().to_string(),
        None => format!("refused {}", g.0[0] >> 26),
    };
    golden
        .into_iter()
        .filter(|g| {
            let n = kept.entry(key(g)).or_default();
            *n += 1;
            *n <= each
        })
        .collect()
}

/// Adds the fourth column: what llvm-mc makes of the texts.
fn with_code(golden: &Golden, target: Gfx, wave: u32) -> String {
    let texts: Vec<String> = golden.iter().map(|g| g.1.clone().unwrap_or_default()).collect();
    let mut out = String::new();
    for ((words, text), code) in golden.iter().zip(llvm::assemble(&texts, target, wave)) {
        out.push_str(&format!("{wave}\t{}\t{}", hex(words), text.as_deref().unwrap_or("-")));
        match code {
            _ if text.is_none() => {}
            Ok((_, code)) if code == *words => {}
            Ok((_, code)) => out.push_str(&format!("\t{}", hex(&code))),
            Err(_) => out.push_str("\t-"),
        }
        out.push('\n');
    }
    out
}

/// Random words against the disassembler.
fn check_words(f: &Format, target: Gfx, wave: u32, o: &Options, golden: &mut Golden) -> Report {
    let mut random = Random(o.seed ^ u64::from(wave));
    let mut report = Report::default();
    while report.done + report.unknown < o.count {
        let n = BATCH.min(o.count - report.done - report.unknown);
        let tests: Vec<[u32; TEST]> = (0..n).map(|_| random.test(f)).collect();
        let slots: Vec<[u32; SLOT]> = tests.iter().map(|t| std::array::from_fn(|i| t.get(i).copied().unwrap_or(S_NOP))).collect();
        let theirs = llvm::disassemble(&slots, target, wave);
        for (i, (t, answer)) in tests.iter().zip(theirs).enumerate() {
            let equal = report.answer(o.show, t, answer.clone(), ours(&slots[i], target, wave));
            // Refusals are many and alike: some are enough.
            if let (true, Answer::Text(text, len)) = (equal && o.golden.is_some(), answer) {
                match refused(&text) {
                    true if i % 16 != 0 => {}
                    true => golden.push((t.to_vec(), None)),
                    false => golden.push((t[..len].to_vec(), Some(text))),
                }
            }
        }
    }
    report
}

/// Random words that we accept against the assembler.
fn check_text(f: &Format, target: Gfx, wave: u32, o: &Options, golden: &mut Golden) -> Report {
    let mut random = Random(o.seed ^ u64::from(wave));
    let mut report = Report::default();
    let mut tests = Vec::new();
    for _ in 0..o.count {
        let t = random.test(f);
        let (text, len) = ours(&t, target, wave);
        if !refused(&text) {
            tests.push((t, text, len));
        }
    }
    let lines: Vec<String> = tests.iter().map(|t| t.1.clone()).collect();
    for ((t, text, len), theirs) in tests.into_iter().zip(llvm::assemble(&lines, target, wave)) {
        // Only the assembler knows how many constants an instruction may read; code that reads more still decodes.
        if theirs.as_ref().is_err_and(|e| e.contains("constant bus")) {
            continue;
        }
        report.done += 1;
        report.accepted += usize::from(theirs.is_ok());
        match theirs {
            // Don't-care bits and long forms of short constants need not come back, but what comes back must be what we make of the text,
            // and read back as LLVM prints it.
            Ok((print, code))
                if ours(&code, target, wave) == (print.clone(), code.len())
                    && assemble_instruction(&text, target, wave).is_ok_and(|c| c.dwords() == code) =>
            {
                report.equal += 1;
                if o.golden.is_some() && print == text {
                    golden.push((t[..len].to_vec(), Some(text)));
                }
            }
            Ok((print, code)) => {
                report.differ(
                    o.show,
                    "text:",
                    &text,
                    format!("      {}\n        llvm {} {print}\n        ours {text}", hex(&t[..len]), hex(&code)),
                );
            }
            Err(e) => report.differ(
                o.show,
                "accepts too much:",
                &text,
                format!("      {}\n        ours {text}\n        llvm {e}", hex(&t[..len])),
            ),
        }
    }
    report
}

fn main() {
    let o = options();
    let mut golden = String::new();
    let mut good = true;
    for &target in &o.targets {
        for wave in waves(target, &o.waves) {
            let title = format!("{target} wave{wave}");
            if let Some(dir) = &o.lines {
                let report = if o.asm {
                    check_asm(&lines::printed(dir, target, wave), target, wave, &o)
                } else {
                    lines::check(dir, target, wave, &o)
                };
                good &= report.print(&format!("{title} test lines"));
                continue;
            }
            let mut corpus = Golden::new();
            for f in formats(target).filter(|f| o.family.as_deref().is_none_or(|n| n == f.name)) {
                let report = match (o.asm, has_disassembler(target)) {
                    (true, _) => check_asm(&texts(f, target, wave, &o), target, wave, &o),
                    (_, true) => check_words(f, target, wave, &o, &mut corpus),
                    (_, false) => check_text(f, target, wave, &o, &mut corpus),
                };
                good &= report.print(&format!("{title} {:8}", f.name));
            }
            if o.golden.is_some() {
                golden.push_str(&with_code(&thin(corpus, 2), target, wave));
            }
        }
    }
    llvm::clean();
    if let Some(path) = &o.golden {
        fs::write(path, golden).expect("write golden file");
    }
    exit(i32::from(!good));
}
