//! How image instructions are written.

use wavejit_isa::{Gfx, assemble, assemble_instruction};

/// All orders of some words.
fn orders<'a>(words: &[&'a str]) -> Vec<Vec<&'a str>> {
    if words.is_empty() {
        return vec![vec![]];
    }
    let mut out = vec![];
    for (i, word) in words.iter().enumerate() {
        let rest: Vec<&str> = words[..i].iter().chain(&words[i + 1..]).copied().collect();
        out.extend(orders(&rest).into_iter().map(|mut o| {
            o.insert(0, *word);
            o
        }));
    }
    out
}

/// GCN-03: modifiers come in any order. The code is GCN-01's fields, by hand: DMASK 15, GLC 13, DA 14, R128 15, TFE 16, LWE 17, SLC 25, and
/// opcode 0 with v4, v[0:4], s[8:15].
#[test]
fn modifiers_come_in_any_order() {
    let want = [0xf000_0000_u32 | 15 << 8 | 1 << 13 | 1 << 14 | 1 << 15 | 1 << 16 | 1 << 17 | 1 << 25, 8 << 14 | 4];
    let words = ["slc", "glc", "tfe", "lwe", "da", "r128"];
    let all = orders(&words);
    assert_eq!(all.len(), 720);
    for target in [0x600, 0x704, 0x802].map(Gfx) {
        for order in &all {
            let text = format!("image_load v[0:4], v[4:6], s[8:15] dmask:0xf {}", order.join(" "));
            let code = assemble(&text, target, 64).unwrap_or_else(|e| panic!("{target} {text}: {e:?}"));
            let dwords: Vec<u32> = code.bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
            assert_eq!(dwords, want, "{target} {text}");
        }
        // Each of them is a bit of its own: without it the code is another.
        for left_out in words {
            let rest: Vec<&str> = words.into_iter().filter(|w| *w != left_out).collect();
            let data = if left_out == "tfe" { "v[0:3]" } else { "v[0:4]" };
            let text = format!("image_load {data}, v[4:6], s[8:15] dmask:0xf {}", rest.join(" "));
            let code = assemble_instruction(&text, target, 64).unwrap_or_else(|e| panic!("{target} {text}: {e}"));
            assert_eq!((code.dwords()[0] ^ want[0]).count_ones(), 1, "{target} {text}");
        }
    }
}
