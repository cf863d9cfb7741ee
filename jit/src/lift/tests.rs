//! Lifting whole kernels: every code object in `shaders/bin` lifts without a failure and verifies.

mod semantics;

use super::*;
use crate::ir::{Term, verify};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

/// Lifts every function symbol of a code object; the failures reached, as `symbol: text`.
fn failures(path: &std::path::Path) -> Vec<String> {
    let bytes = std::fs::read(path).expect("code object");
    let Ok(file) = object::File::parse(&*bytes) else { return vec![] };
    let text = file.section_by_name(".text").expect(".text");
    let (base, code) = (text.address(), text.data().expect("code").to_vec());
    let read = |pc: u64| {
        let i = pc.checked_sub(base)? as usize;
        Some(u32::from_le_bytes(code.get(i..i + 4)?.try_into().ok()?))
    };
    let mut out = vec![];
    for s in file.symbols().filter(|s| s.kind() == SymbolKind::Text && s.size() > 0) {
        let name = s.name().expect("symbol name");
        let wave_size = if path.to_string_lossy().contains("wave64") { 64 } else { 32 };
        let src = LiftSource { name, entry: s.address(), target: Gfx::GFX1100, wave_size, mode: FpMode::HSA, read: &read };
        let func = lift(&src);
        if let Err(e) = verify::verify(&func) {
            out.push(format!("{name}: {e}"));
        }
        assert!(func.blocks.iter().any(|b| matches!(b.term, Term::End | Term::Indirect { .. })), "{name} never ends");
        out.extend(func.failures.iter().map(|f| format!("{name}: {}", f.text)));
    }
    out
}

#[test]
fn every_kernel_in_shaders_lifts() {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../shaders/bin");
    let mut files: Vec<_> = std::fs::read_dir(dir).expect("shaders/bin").map(|e| e.expect("entry").path()).collect();
    files.sort();
    let bad: Vec<String> = files.iter().filter(|p| p.to_string_lossy().ends_with(".hsaco")).flat_map(|p| failures(p)).collect();
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}
