//! Corpora of jit/isa/tests/golden: a few instructions of each mnemonic, as text.

use super::compare::{Golden, names_halves};
use super::hex;
use super::llvm::{self, Setting};
use std::collections::BTreeMap;

/// Instructions of each mnemonic, suffixes apart, and refusals of each format.
const EACH: usize = 2;

fn mnemonic(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

/// Keeps a few of each.
pub(crate) fn thin(golden: Golden) -> Golden {
    let mut kept: BTreeMap<String, usize> = BTreeMap::new();
    let key = |g: &(Vec<u32>, Option<String>)| match &g.1 {
        // What op_sel chooses is half of what a name of a half says.
        Some(text) if names_halves(text) && text.contains("op_sel") => format!("{} op_sel", mnemonic(text)),
        Some(text) => mnemonic(text).to_string(),
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
pub(crate) fn lines(golden: &Golden, setting: Setting) -> String {
    let texts: Vec<String> = golden.iter().map(|g| g.1.clone().unwrap_or_default()).collect();
    let mut out = String::new();
    for ((words, text), code) in golden.iter().zip(llvm::assemble(&texts, setting)) {
        out.push_str(&format!("{}\t{}\t{}", setting.wave, hex(words), text.as_deref().unwrap_or("-")));
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
