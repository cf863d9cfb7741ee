//! Compares the decoder, the disassembler and the assembler with LLVM 19.
//!
//! ```text
//! cargo run --release -p wavejit-llvm-check --bin isa_check -- --target all [--words N]
//!     every processor in turn, N random words (210,000) for each family: a line for each processor
//! ... --target gfx1100[,gfx900..] [--format NAME] [--count N] [--wave 32|64]
//!     N random words (20,000) of each format: a line for each format and wave size
//! ... --true16 yes [--target gfx1100,gfx1200]
//!     the same with LLVM's +real-true16, from gfx11
//! ... --target all|gfx1100,.. --lines DIR
//!     the instructions of LLVM's own tests: DIR is llvm/test/MC of its source
//! ... --target gfx1100 --golden FILE [--count N]
//!     writes a corpus of jit/isa/tests/golden, two instructions of each mnemonic: `wave size<TAB>dwords<TAB>text`, text `-` where LLVM
//!     refuses; a fourth column holds the dwords that llvm-mc makes of the text where they differ, `-` where it takes no such text
//! with [--check text|code|all] what to compare, [--show K] samples of each difference, [--rules yes] what each rule left
//! out, [--seed S]
//! ```
//!
//! Needs llvm-mc-19 and llvm-objdump-19 on PATH. Random instructions go into one object file, each in a slot padded with s_nop so that the
//! next slot starts in step. What is compared, and by which rules where LLVM contradicts itself, is in `compare.rs`. The exit code is 0
//! when everything compared is equal.

mod compare;
mod formats;
mod golden;
mod lines;
mod llvm;
mod report;

use compare::{Golden, Judge, Reports, names_halves, ours};
use formats::{Format, TEST, formats, test};
use llvm::{Setting, refused};
use std::fs;
use std::process::exit;
use wavejit_isa::{Family, Gfx, Space};
use wavejit_random::Random;

/// What to compare.
pub struct Options {
    /// Words of each format, if given.
    count: Option<usize>,
    /// Words of each family when all processors are run.
    words: usize,
    targets: Vec<Gfx>,
    all: bool,
    waves: Vec<u32>,
    format: Option<String>,
    show: usize,
    rules: bool,
    seed: u64,
    golden: Option<String>,
    lines: Option<String>,
    text: bool,
    code: bool,
    true16: bool,
}

fn options() -> Options {
    let mut o = Options {
        count: None,
        words: 210_000,
        targets: vec![Gfx::GFX1100],
        all: false,
        waves: vec![32, 64],
        format: None,
        show: 2,
        rules: false,
        seed: 0x9e37_79b9_7f4a_7c15,
        golden: None,
        lines: None,
        text: true,
        code: true,
        true16: false,
    };
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        let v = args.next().unwrap_or_default();
        let bad = || -> ! {
            eprintln!("bad argument {a} {v}; see the head of tests/llvm-check/src/bin/isa_check/main.rs");
            exit(2)
        };
        match a.as_str() {
            "--count" => o.count = Some(v.parse().unwrap_or_else(|_| bad())),
            "--words" => o.words = v.parse().unwrap_or_else(|_| bad()),
            "--target" if v == "all" => o.all = true,
            "--target" => o.targets = v.split(',').map(|t| Gfx::parse(t).unwrap_or_else(|| bad())).collect(),
            "--wave" => o.waves = vec![v.parse().unwrap_or_else(|_| bad())],
            "--format" | "--family" => o.format = Some(v.clone()),
            "--show" => o.show = v.parse().unwrap_or_else(|_| bad()),
            "--true16" => o.true16 = v == "yes",
            "--rules" => o.rules = v == "yes",
            "--seed" => o.seed = v.parse().unwrap_or_else(|_| bad()),
            "--golden" => o.golden = Some(v.clone()),
            "--lines" => o.lines = Some(v.clone()),
            "--check" => {
                (o.text, o.code) = match v.as_str() {
                    "text" => (true, false),
                    "code" => (false, true),
                    "all" => (true, true),
                    _ => bad(),
                }
            }
            _ => bad(),
        }
    }
    if o.all {
        o.targets = Gfx::all().filter(|g| !o.true16 || g.space() >= Space::Gfx11).collect();
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

fn hex(words: &[u32]) -> String {
    words.iter().map(|w| format!("{w:08x}")).collect::<Vec<_>>().join(" ")
}

/// Random words of a format. Most opcodes of some formats do not exist, so half of the words are drawn again while we refuse them, up to
/// eight times; all of them, and for longer, where only words that we take are compared.
fn tests(f: &Format, judge: &Judge<'_>, count: usize) -> Vec<[u32; TEST]> {
    let Setting { target, wave, .. } = judge.setting;
    let mut random = Random(judge.options.seed ^ u64::from(wave) ^ u64::from(target.0) << 32);
    let test = |i: usize| {
        let draws = match (has_disassembler(target), i.is_multiple_of(2)) {
            (false, _) => 100,
            (true, true) => 8,
            (true, false) => 1,
        };
        let mut t = test(&mut random, f, target.space());
        for _ in 1..draws {
            if !refused(&ours(&t, judge.setting).0) {
                break;
            }
            t = test(&mut random, f, target.space());
        }
        t
    };
    (0..count).map(test).collect()
}

/// gfx6 and gfx7: texts of processors near them, for what llvm-mc takes of them.
fn foreign(judge: &Judge<'_>, count: usize, reports: &mut Reports) {
    if has_disassembler(judge.setting.target) {
        return;
    }
    for near in [Gfx(0x803), Gfx(0x1010)] {
        let near = Judge { setting: Setting { target: near, ..judge.setting }, ..*judge };
        for f in formats(near.setting.target).filter(|f| wanted(f, judge.options)) {
            let texts = tests(f, &near, count).iter().map(|t| ours(t, near.setting).0).filter(|t| !refused(t)).collect::<Vec<_>>();
            judge.sources(&texts, reports);
        }
    }
}

/// Words of each format so that the processors of a family together have the number asked for.
fn share(o: &Options, target: Gfx) -> usize {
    if !o.all {
        return o.count.unwrap_or(20_000);
    }
    let runs: usize = Gfx::all()
        .filter(|g| g.family() == target.family())
        .map(|g| waves(g, &o.waves).len() * formats(g).filter(|f| wanted(f, o)).count())
        .sum();
    o.count.unwrap_or_else(|| o.words.div_ceil(runs.max(1)))
}

fn wanted(f: &Format, o: &Options) -> bool {
    o.format.as_deref().is_none_or(|n| n == f.name)
}

/// Prints what was found; true when there are no differences.
fn print(title: &str, reports: &Reports, o: &Options) -> bool {
    let mut line = title.to_string();
    let mut good = true;
    if o.text {
        let r = &reports.text;
        line += &format!(": text {}, {} instructions{}", r.counts(), r.accepted, r.omissions());
        good &= r.is_good();
    }
    if o.code {
        line += &format!("{} code {}{}", if o.text { " |" } else { ":" }, reports.code.counts(), reports.code.omissions());
        good &= reports.code.is_good();
    }
    println!("{line}");
    for (_, report) in [(o.text, &reports.text), (o.code, &reports.code)].iter().filter(|r| r.0) {
        report.print_differences();
        if o.rules {
            report.print_omissions();
        }
    }
    good
}

fn main() {
    let o = options();
    let mut golden_lines = String::new();
    let mut good = true;
    for &target in &o.targets {
        let waves = waves(target, &o.waves);
        let mut whole = Reports::default();
        for &wave in &waves {
            let setting = Setting { target, wave, true16: o.true16 };
            let judge = Judge { setting, options: &o };
            let title = format!("{target} wave{wave}");
            if let Some(dir) = &o.lines {
                lines::check(dir, &judge, &mut whole);
                continue;
            }
            let mut corpus = Golden::new();
            let count = share(&o, target);
            let chosen = formats(target).filter(|f| wanted(f, &o));
            if o.all {
                let tests: Vec<_> = chosen.flat_map(|f| tests(f, &judge, count)).collect();
                judge.words(&tests, &mut whole, &mut corpus);
                foreign(&judge, count, &mut whole);
                continue;
            }
            for f in chosen {
                let mut reports = Reports::default();
                judge.words(&tests(f, &judge, count), &mut reports, &mut corpus);
                good &= print(&format!("{title} {:8}", f.name), &reports, &o);
            }
            if !has_disassembler(target) {
                let mut reports = Reports::default();
                foreign(&judge, count, &mut reports);
                good &= print(&format!("{title} foreign "), &reports, &o);
            }
            if o.golden.is_some() {
                // All else is in the corpus without true16.
                corpus.retain(|g| !o.true16 || g.1.as_deref().is_some_and(names_halves));
                golden_lines.push_str(&golden::lines(&golden::thin(corpus), setting));
            }
        }
        if o.all || o.lines.is_some() {
            let sizes: Vec<String> = waves.iter().map(|w| format!("wave{w}")).collect();
            good &= print(&format!("{target} {}", sizes.join(" ")), &whole, &o);
        }
    }
    llvm::clean();
    if let Some(path) = &o.golden {
        fs::write(path, golden_lines).expect("write golden file");
    }
    exit(i32::from(!good));
}
