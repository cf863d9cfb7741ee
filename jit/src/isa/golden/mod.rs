//! Golden corpus: random gfx1100 instructions as LLVM 19 prints them, made by `isa_check --golden FILE --count 200`.
//!
//! Each line is `wave size<TAB>dwords<TAB>text`; the text `-` says that LLVM refuses the first dword.

use super::disasm::needs_true16;
use super::{DisasmOptions, Gfx, decode, disasm};

const CORPUS: &str = include_str!("gfx1100.tsv");

#[test]
fn the_corpus_reads_back() {
    let mut lines = 0;
    for line in CORPUS.lines() {
        let [wave, hex, text] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("three columns in `{line}`") };
        let wave_size = wave.parse().expect("wave size");
        let words: Vec<u32> = hex.split(' ').map(|w| u32::from_str_radix(w, 16).expect("hexadecimal dword")).collect();
        let found = decode(&words, Gfx::GFX1100, wave_size).ok().filter(|i| !needs_true16(i));
        match found {
            None => assert_eq!(text, "-", "refused: {line}"),
            Some(i) => {
                let ours = disasm(&i, Gfx::GFX1100, &DisasmOptions { wave_size, ..Default::default() });
                let folded = ours.split_whitespace().collect::<Vec<_>>().join(" ");
                assert_eq!(folded, text, "{line}");
                assert_eq!(usize::from(i.len), words.len(), "length: {line}");
            }
        }
        lines += 1;
    }
    assert!(lines > 3000);
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
        super::disasm_stream(&bytes, Gfx::GFX1100, DisasmOptions::default()).map(|l| (l.offset, l.dwords.len(), l.text)).collect();
    let expected = [(0, 1, ".long 0xffffffff"), (4, 1, "s_nop 0"), (8, 2, "v_mov_b32_e32 v0, 0x12345678"), (16, 1, "s_endpgm")];
    assert_eq!(lines, expected.map(|(o, n, t)| (o, n, t.to_string())));
}
