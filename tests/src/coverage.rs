//! The coverage table, made from the instruction rows: what each family decodes, what has a meaning, what a test has seen.
//!
//! *Decoded* is a row that some processor of the family has. *Printed in a test* is one that stands in the family's golden corpus
//! (`jit/isa/tests/golden`). *Executed* is a decoded row with semantics in `jit/src/lift`; *executed in a test*, one that stands in a
//! filetest or in a kernel of `shaders/`, whose results are compared with values from outside.

use std::collections::BTreeSet;
use std::fmt::Write;
use wavejit::code_object::CodeObject;
use wavejit_isa::Feature;
use wavejit_isa::reserved::RULES;
use wavejit_isa::{BEYOND, Enc, Family, Gfx, Row, decode, rows};
use wavejit_jit::lift::has_semantics;

/// Families in column order, and the processors that stand for them in tests.
const FAMILIES: [(Family, &str); 11] = [
    (Family::Gfx6, "gfx6"),
    (Family::Gfx7, "gfx7"),
    (Family::Gfx8, "gfx8"),
    (Family::Gfx9, "gfx9"),
    (Family::Gfx90a, "gfx90a"),
    (Family::Gfx940, "gfx94x"),
    (Family::Gfx10, "gfx10.1"),
    (Family::Gfx103, "gfx10.3"),
    (Family::Gfx11, "gfx11"),
    (Family::Gfx115, "gfx11.5"),
    (Family::Gfx12, "gfx12"),
];

/// Row numbers that tests have seen.
#[derive(Default)]
struct Seen {
    /// In a golden corpus.
    printed: BTreeSet<(Family, u16)>,
    /// In a filetest or a kernel.
    executed: BTreeSet<u16>,
}

fn words_of(hex: &str) -> Option<Vec<u32>> {
    let words: Vec<u32> = hex.split_whitespace().map(|w| u32::from_str_radix(w, 16).ok()).collect::<Option<_>>()?;
    (!words.is_empty()).then_some(words)
}

/// Rows of the instructions in a run of dwords.
fn ids(mut words: &[u32], target: Gfx, wave_size: u32) -> Vec<u16> {
    let mut out = Vec::new();
    while !words.is_empty() {
        let Ok(inst) = decode(&words[..words.len().min(5)], target, wave_size) else {
            words = &words[1..];
            continue;
        };
        out.extend([inst.row.id].into_iter().chain(inst.row_y.map(|r| r.id)));
        words = &words[usize::from(inst.len)..];
    }
    out
}

fn read(path: &std::path::Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn files(folder: &str, extension: &str) -> Vec<std::path::PathBuf> {
    let folder = crate::root().join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<_> = entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == extension)).collect();
    paths.sort();
    paths
}

impl Seen {
    fn collect() -> Seen {
        let mut seen = Seen::default();
        for path in files("jit/isa/tests/golden", "tsv") {
            let Some(target) = path.file_stem().and_then(|n| Gfx::parse(n.to_str()?.trim_end_matches("-true16"))) else { continue };
            for line in read(&path).lines() {
                let [wave, hex, text, ..] = line.split('\t').collect::<Vec<_>>()[..] else { continue };
                if let (Some(words), Ok(wave), true) = (words_of(hex), wave.parse(), text != "-") {
                    seen.printed.extend(ids(&words, target, wave).into_iter().map(|id| (target.family(), id)));
                }
            }
        }
        for path in files("tests/filetests", "txt") {
            let code = crate::filetest::machine_code(&read(&path)).unwrap_or_else(|e| panic!("{}:{e}", path.display()));
            for ((gfx, wave_size, _), words) in code.iter().filter(|(target, _)| runs(target.0.family())) {
                seen.executed.extend(ids(words, *gfx, *wave_size));
            }
        }
        for path in files("shaders/bin", "hsaco") {
            let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let Ok(object) = CodeObject::load(&bytes) else { continue };
            let Ok(image) = object.image(0) else { continue };
            for kernel in object.kernels() {
                let words = image.dwords(kernel.code_address, kernel.code_bytes);
                seen.executed.extend(ids(&words, kernel.target, kernel.wave_size));
            }
        }
        seen
    }
}

/// Does some processor of the family have the row?
fn exists(row: &Row, family: Family) -> bool {
    Gfx::all().any(|g| g.family() == family && row.exists_on(g))
}

/// Families whose code runs.
fn runs(family: Family) -> bool {
    Gfx::all().any(|g| g.family() == family && g.has(Feature::Runs))
}

/// The whole table as Markdown.
pub fn table() -> String {
    let seen = Seen::collect();
    let formats: Vec<Enc> = rows::all().iter().map(Row::enc).collect::<BTreeSet<_>>().into_iter().collect();
    let mut out = String::from(HEAD);
    let names = FAMILIES.map(|f| f.1).join(" | ");
    let rule = "---:|".repeat(FAMILIES.len());
    let _ = writeln!(out, "| format | {names} |\n|---|{rule}");
    let cell = |rows: &[&Row], family: Family| {
        let decoded: Vec<&&Row> = rows.iter().filter(|r| exists(r, family)).collect();
        if decoded.is_empty() {
            return String::new();
        }
        let printed = decoded.iter().filter(|r| seen.printed.contains(&(family, r.id))).count();
        let executed = decoded.iter().filter(|r| runs(family) && has_semantics(r)).count();
        let tested = decoded.iter().filter(|r| runs(family) && seen.executed.contains(&r.id)).count();
        format!("{} / {printed} / {executed} / {tested}", decoded.len())
    };
    let line = |out: &mut String, title: &str, rows: &[&Row]| {
        let cells: Vec<String> = FAMILIES.iter().map(|f| cell(rows, f.0)).collect();
        let _ = writeln!(out, "| {title} | {} |", cells.join(" | "));
    };
    for &enc in &formats {
        let rows: Vec<&Row> = rows::all().iter().filter(|r| r.enc() == enc).collect();
        line(&mut out, &format!("{enc:?}"), &rows);
    }
    line(&mut out, "all", &rows::all().iter().collect::<Vec<_>>());
    out.push_str(&beyond());
    out.push_str(RESERVED_HEAD);
    for rule in &RULES {
        let formats: Vec<String> = rule.formats().iter().map(|e| format!("{e:?}")).collect();
        let _ = writeln!(out, "| {} | {} | {} |", rule.field, formats.join(", "), rule.why);
    }
    out.push_str(LISTS);
    for &enc in &formats {
        let _ = writeln!(out, "\n### {enc:?}\n\n| instruction | {names} |\n|---|{}", ":---:|".repeat(FAMILIES.len()));
        for row in rows::all().iter().filter(|r| r.enc() == enc) {
            let cells: Vec<String> = FAMILIES
                .iter()
                .map(|f| {
                    if !exists(row, f.0) {
                        return String::new();
                    }
                    let printed = if seen.printed.contains(&(f.0, row.id)) { "D" } else { "d" };
                    let executed = match (runs(f.0) && has_semantics(row), seen.executed.contains(&row.id)) {
                        (false, _) => "",
                        (true, false) => "x",
                        (true, true) => "X",
                    };
                    format!("{printed}{executed}")
                })
                .collect();
            let _ = writeln!(out, "| {} | {} |", row.name, cells.join(" | "));
        }
    }
    out
}

/// What is accepted though LLVM 19 takes it for no instruction.
fn beyond() -> String {
    let mut out = String::from(BEYOND_HEAD);
    for b in &BEYOND {
        let families: Vec<&str> = FAMILIES.iter().filter(|f| Gfx::all().any(|g| g.family() == f.0 && b.on.has(g))).map(|f| f.1).collect();
        let on = if families.len() == FAMILIES.len() { "all".to_string() } else { families.join(", ") };
        let (target, words, text) = b.example;
        let words = words.iter().map(|w| format!("{w:08x}")).collect::<Vec<_>>().join(" ");
        let printed = if b.is_printed { "yes" } else { "no" };
        let _ = writeln!(out, "| {} | {} | {on} | {printed} | `{words}` on {target} is `{text}` |", b.what, b.source);
    }
    out
}

const BEYOND_HEAD: &str = "
## Beyond LLVM 19

What decodes though LLVM 19 takes it for no instruction (`jit/isa/src/beyond.rs`). What is not in listings decodes only where code is executed.

| what | why | families | in listings | example |
|---|---|---|---|---|
";

const RESERVED_HEAD: &str = "
## Reserved values

What decodes and prints, as in LLVM, but is refused by name where a wave reaches it (`jit/isa/src/reserved`).

| field | formats | what exists |
|---|---|---|
";

const HEAD: &str = "# Instruction coverage

Generated from the rows of `jit/isa/src/rows`; `WAVEJIT_BLESS=1 cargo test -p wavejit-tests --test coverage` writes it anew.

Each cell counts instructions: decoded and printed / of these in the family's golden corpus, whose text is LLVM's / with a meaning, so that
they run / of these in a filetest or a kernel whose results are checked. Families without the last two do not run yet.

";

const LISTS: &str = "
## By instruction

`d` decoded and printed, `D` also in the golden corpus; `x` runs, `X` also in a filetest or a checked kernel. Names are those of gfx11 where
it has the instruction.
";
