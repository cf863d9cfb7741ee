//! Corpora of jit/src/isa/golden: a few instructions of each mnemonic, as text.

use super::compare::Golden;
use super::{hex, llvm};
use std::collections::BTreeMap;
use wavejit_jit::isa::Gfx;

/// Instructions of each mnemonic, suffixes apart, and refusals of each format.
const EACH: usize = 2;

/// Keeps a few of each.
pub fn thin(golden: Golden) -> Golden {
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
            *n <= EACH
        })
        .collect()
}

/// The lines of a corpus, with the fourth column: what llvm-mc makes of the texts.
pub fn lines(golden: &Golden, target: Gfx, wave: u32) -> String {
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
