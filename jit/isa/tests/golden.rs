//! Golden corpora: random instructions as LLVM 19 prints and assembles them, one file for each family, named by processor; `-true16` after
//! it is `+real-true16`.
//!
//! Made by `isa_check --golden FILE --target PROCESSOR [--true16 yes]`. Each line is `wave size<TAB>dwords<TAB>text[<TAB>assembled]`; the text `-` says that
//! LLVM refuses the first dword. `assembled` is what llvm-mc makes of the text where that is not `dwords` (don't-care bits, a shorter form),
//! or `-` where llvm-mc does not take the text; ours must, unless LLVM put a comment in it.

use std::path::Path;
use wavejit_isa::disasm::needs_true16;
use wavejit_isa::{Code, DisasmOptions, Gfx, assemble_instruction, decode, disasm, disasm_stream};

/// One line of a corpus.
struct Sample {
    place: String,
    options: DisasmOptions,
    words: Vec<u32>,
    text: Option<String>,
    /// What the text assembles to, if it does.
    code: Option<Vec<u32>>,
}

fn words(hex: &str) -> Vec<u32> {
    hex.split(' ').map(|w| u32::from_str_radix(w, 16).expect("hexadecimal dword")).collect()
}

/// Processors that have a corpus, and its samples.
fn corpora() -> Vec<(Gfx, Vec<Sample>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut out = Vec::new();
    for path in std::fs::read_dir(folder).expect("golden corpora").flatten().map(|e| e.path()) {
        let name = path.file_stem().and_then(|n| n.to_str()).unwrap_or_default().to_string();
        let true16 = name.ends_with("-true16");
        let (Some(target), true) = (Gfx::parse(name.trim_end_matches("-true16")), path.extension().is_some_and(|e| e == "tsv")) else {
            continue;
        };
        let text = std::fs::read_to_string(&path).expect("golden corpus");
        let sample = |(i, line): (usize, &str)| {
            let columns: Vec<&str> = line.split('\t').collect();
            let [wave, hex, text, rest @ ..] = &columns[..] else { panic!("{name}:{}: three columns", i + 1) };
            let words_ = words(hex);
            Sample {
                place: format!("{name}:{}: {line}", i + 1),
                options: DisasmOptions { wave_size: wave.parse().expect("wave size"), true16, pc: None },
                code: match rest {
                    [] => Some(words_.clone()),
                    ["-"] => None,
                    [code, ..] => Some(words(code)),
                },
                words: words_,
                text: (*text != "-").then(|| text.to_string()),
            }
        };
        out.push((target, text.lines().enumerate().map(sample).collect()));
    }
    out.sort_by_key(|c| c.0);
    out
}

/// What stands at the start of `words`.
fn read(words: &[u32], target: Gfx, opts: &DisasmOptions) -> String {
    let text = decode(words, target, opts.wave_size).map(|i| disasm(&i, target, opts)).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Fails with the first few differences.
fn report(wrong: &[String], of: usize) {
    let first = wrong.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {of} differ:\n{first}", wrong.len());
}

#[test]
fn the_corpora_read_as_llvm_prints_them() {
    let mut wrong = Vec::new();
    let mut lines = 0;
    for (target, samples) in corpora() {
        let least = if samples.iter().any(|s| s.options.true16) { 100 } else { 1000 };
        assert!(samples.len() > least, "{target}");
        for s in &samples {
            lines += 1;
            // What is accepted beyond LLVM is listed in `beyond.rs`.
            let found = decode(&s.words, target, s.options.wave_size).ok().filter(|i| s.options.true16 || !needs_true16(i));
            let found = found.filter(|i| s.text.is_some() || i.tolerated.is_empty());
            let ours = found.map(|i| {
                let text = disasm(&i, target, &s.options);
                (text.split_whitespace().collect::<Vec<_>>().join(" "), usize::from(i.len))
            });
            if ours != s.text.clone().map(|t| (t, s.words.len())) {
                wrong.push(format!("{}\n    {ours:?}", s.place));
            }
        }
    }
    report(&wrong, lines);
}

#[test]
fn the_corpora_assemble_as_llvm_does() {
    let mut wrong = Vec::new();
    let mut lines = 0;
    for (target, samples) in corpora() {
        for s in &samples {
            let Some(text) = &s.text else { continue };
            lines += 1;
            let found = assemble_instruction(text, target, s.options.wave_size);
            let reads_back = |c: &Code| read(c.dwords(), target, &s.options) == *text;
            match (found, &s.code) {
                (Ok(c), Some(code)) if c.dwords() == code || c.dwords() == s.words => {}
                // Where llvm-mc's code reads back as another text than it was given, ours is right when it reads back.
                (Ok(c), Some(code)) if reads_back(&c) && read(code, target, &s.options) != *text => {}
                (Ok(c), None) if reads_back(&c) => {}
                // A comment in place of a value is not source text.
                (_, None) if text.contains("/*") => {}
                (Ok(c), _) => wrong.push(format!("{}\n    {:08x?}", s.place, c.dwords())),
                (Err(e), _) => wrong.push(format!("{}\n    {e}", s.place)),
            }
        }
    }
    report(&wrong, lines);
}

#[test]
fn true16_names_halves() {
    let i = decode(&[0x6409_9108], Gfx::GFX1100, 32).expect("v_add_f16");
    let opts = DisasmOptions { true16: true, ..Default::default() };
    assert!(needs_true16(&i));
    assert_eq!(disasm(&i, Gfx::GFX1100, &opts), "v_add_f16_e32 v4.l, v8.l, v72.h");
}

#[test]
fn streams_go_on_after_data() {
    let bytes: Vec<u8> =
        [0xffff_ffffu32, 0xbf80_0000, 0x7e00_02ff, 0x1234_5678, 0xbfb0_0000].iter().flat_map(|w| w.to_le_bytes()).collect();
    let lines: Vec<(usize, usize, String)> =
        disasm_stream(&bytes, Gfx::GFX1100, DisasmOptions::default()).map(|l| (l.offset, l.dwords.len(), l.text)).collect();
    let expected = [(0, 1, ".long 0xffffffff"), (4, 1, "s_nop 0"), (8, 2, "v_mov_b32_e32 v0, 0x12345678"), (16, 1, "s_endpgm")];
    assert_eq!(lines, expected.map(|(o, n, t)| (o, n, t.to_string())));
}
