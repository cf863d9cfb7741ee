//! Lifting whole kernels: every code object in `shaders/bin` lifts without a failure and verifies.

mod examples;
mod pieces;
mod rows;
mod semantics;

use super::*;
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use wavejit_ir::FpMode;
use wavejit_ir::verify;
use wavejit_isa::{self as isa, Gfx};
use wavejit_random::Random;

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
        let src =
            LiftSource { name, entry: s.address(), target: Gfx::GFX1100, wave_size, mode: FpMode::HSA, vgprs: ALL_VGPRS, read: &read };
        let func = lift(&src);
        if let Err(e) = verify::verify(&func) {
            out.push(format!("{name}: {e}"));
        }
        out.extend(func.failures.iter().map(|f| format!("{name}: {}", f.text)));
    }
    out
}

// Without probes there are none; with them every instruction belongs to one span, whose last one alone may fault or write EXEC.
#[test]
fn counted_code_has_a_probe_a_span_and_other_code_none() {
    use wavejit_ir::{Effect, Op, ProbeKind};
    let text = "s_mov_b32 s2, 0\nv_mov_b32 v1, 0\nglobal_load_b32 v2, v1, s[0:1]\ns_waitcnt vmcnt(0)\nv_cmpx_gt_u32 v2, v1\ns_nop 0
        s_and_b32 exec_lo, exec_lo, s3\ns_nop 1\ns_nop 2\ns_endpgm";
    let code = isa::assemble(text, Gfx::GFX1100, 32).expect("it assembles");
    let words: Vec<u32> = code.bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().expect("four"))).collect();
    let read = |pc: u64| words.get(pc as usize / 4).copied();
    let src = LiftSource { name: "f", entry: 0, target: Gfx::GFX1100, wave_size: 32, mode: FpMode::HSA, vgprs: ALL_VGPRS, read: &read };
    let probes = |func: &Func| -> Vec<(u32, u64)> {
        let probe = |i: &wavejit_ir::Inst| match i.op {
            Op::Probe { kind: ProbeKind::Count, id, .. } => Some((id, i.pc)),
            _ => None,
        };
        func.blocks.iter().flat_map(|b| &b.insts).filter_map(probe).collect()
    };
    let plain = lift_piece(&src, Limits::WHOLE, &|| false).expect("nobody stops it");
    assert!(probes(&plain.func).is_empty() && plain.counted.is_empty());
    let counted = lift_counted(&src, Limits::WHOLE, &|| false).expect("nobody stops it");
    verify::verify(&counted.func).expect("it verifies");
    let at = |line: usize| code.lines[line].0;
    let spans = [0..3, 3..5, 5..7, 7..10].map(|lines| lines.map(at).collect::<Vec<_>>());
    assert_eq!(counted.counted, spans);
    assert_eq!(probes(&counted.func), spans.iter().enumerate().map(|(i, s)| (i as u32, s[0])).collect::<Vec<_>>());
    // Passes keep them, once each.
    let mut optimized = counted.func.clone();
    crate::opt::run(&mut optimized, Default::default());
    assert_eq!(probes(&optimized), probes(&counted.func));
    assert!(optimized.blocks.iter().flat_map(|b| &b.insts).any(|i| i.op.effect() == Effect::Memory));
}

// Fields of the immediates: LLVM AMDGPU operand syntax, waitcnt.
#[test]
fn notes_keep_what_an_instruction_waits_for() {
    let notes = |text: &str, target: Gfx| -> Vec<String> {
        let code = isa::assemble(&format!("{text}\ns_endpgm"), target, target.default_wave_size()).expect("it assembles").bytes;
        let read = |pc: u64| Some(u32::from_le_bytes(code.get(pc as usize..pc as usize + 4)?.try_into().ok()?));
        let (wave_size, mode) = (target.default_wave_size(), FpMode::HSA);
        let func = lift(&LiftSource { name: "f", entry: 0, target, wave_size, mode, vgprs: ALL_VGPRS, read: &read });
        let is_note = |i: &&wavejit_ir::Inst| matches!(i.op, wavejit_ir::Op::Note { .. });
        func.blocks[0].insts.iter().filter(is_note).map(|i| wavejit_ir::text::inst_text(&func, i, mode)).collect()
    };
    let trimmed =
        |text: &str, target| notes(text, target).iter().map(|n| n.split(" @").next().unwrap_or(n).to_string()).collect::<Vec<_>>();
    assert_eq!(trimmed("s_waitcnt vmcnt(0) lgkmcnt(3)", Gfx::GFX1100), ["note wait vmcnt 0 lgkmcnt 3"]);
    assert_eq!(trimmed("s_waitcnt vmcnt(37) expcnt(2)", Gfx(0x900)), ["note wait vmcnt 37 expcnt 2"]);
    assert_eq!(trimmed("s_waitcnt_vscnt null, 0x2\ns_waitcnt_vmcnt null, 0x0", Gfx::GFX1100), ["note wait vscnt 2", "note wait vmcnt 0"]);
    assert_eq!(trimmed("s_nop 0\ns_wait_idle", Gfx::GFX1100), ["note other", "note wait"]);
}

/// Tables are expanded when the first row is asked for; it panics if one does not fit its row.
#[test]
fn every_meaning_fits_its_row() {
    let with = isa::rows::all().iter().filter(|r| has_semantics(r)).count();
    assert!(with > 1300, "{with} rows have a meaning");
}

#[test]
fn every_kernel_in_shaders_lifts() {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../shaders/bin");
    let mut files: Vec<_> = std::fs::read_dir(dir).expect("shaders/bin").map(|e| e.expect("entry").path()).collect();
    files.sort();
    let is_wanted = |p: &&std::path::PathBuf| p.to_string_lossy().ends_with(".hsaco") && !p.ends_with(FAULTS);
    let bad: Vec<String> = files.iter().filter(is_wanted).flat_map(|p| failures(p)).collect();
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// Kernels that are wrong on purpose.
const FAULTS: &str = "faults.gfx1100.wave32.hsaco";

#[test]
fn failures_name_the_instruction() {
    let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shaders/bin")).join(FAULTS);
    let found = failures(&path);
    assert!(found.contains(&"unknown_instruction: fe000001 bfb00000".to_string()), "{found:?}");
    // Where a number leads to is known when it is jumped to.
    assert!(!found.iter().any(|f| f.starts_with("wild_jump")), "{found:?}");
}

/// A few random dwords of every format: what decodes must lift to IR that verifies.
#[test]
fn random_instructions_lift_to_valid_ir() {
    let mut numbers = Random(1);
    let mut random = || numbers.u32();
    let rounds = std::env::var("WAVEJIT_FUZZ_ROUNDS").ok().and_then(|s| s.parse().ok()).unwrap_or(40_000);
    let mut seen = std::collections::BTreeSet::new();
    for round in 0..rounds {
        // The top byte of the dword names the format; VOP1, VOPC and SOP1 share theirs with VOP2 and SOP2 and come by themselves.
        let top = [
            0x7e,
            0x7c,
            0xbe,
            0xbf,
            0xb0 | random() >> 28,
            0xc8 | random() >> 30,
            0xcc,
            0xcd,
            0xd4 | random() >> 30,
            0xd8 | random() >> 30,
            0xdc,
            0xf4,
            random() >> 25,
            0x80 | random() >> 26,
        ];
        // Fields that must be zero in many instructions are, in part of the rounds.
        let zero = |masks: &[u32], n: u32| masks[n as usize % masks.len()];
        let first_mask = zero(&[!0, 0xffff_00ff, 0xfffc_ffff, 0xfffc_0000, 0xffff_0fff, 0xffff_40ff], random());
        let tail_mask = zero(
            &[!0, 0x07ff_ffff, 0x0003_ffff, 0x1803_ffff, 0xff00_00ff, 0xff00_ffff, 0x00ff_ffff, 0xff7f_00ff, 0x007f_ffff, 0xff7c_00ff],
            random(),
        );
        let first = top[round % top.len()] << 24 | (random() >> 8 & first_mask);
        let tail = [random() & tail_mask, random() | random(), random() & random()];
        let code = [first, tail[0], tail[1], tail[2], 0xbfb0_0000];
        let wave_size = if (round / top.len()).is_multiple_of(2) { 32 } else { 64 };
        let target = if random().is_multiple_of(4) { Gfx(0x1150) } else { Gfx::GFX1100 };
        let Ok(inst) = isa::decode(&code, target, wave_size) else { continue };
        seen.insert(inst.row.id);
        let read = |pc: u64| if pc / 4 < inst.len.into() { code.get(pc as usize / 4).copied() } else { Some(0xbfb0_0000) };
        let mode = FpMode((random() & 0x7ff) as u16);
        let func = lift(&LiftSource { name: "random", entry: 0, target, wave_size, mode, vgprs: 1 + random() % 256, read: &read });
        if let Err(e) = verify::verify(&func) {
            panic!("{inst:?}: {e}\n{}", wavejit_ir::text::print(&func));
        }
        let fails = func.failures.iter().any(|f| f.pc == 0 && !f.undecodable);
        let text = func.failures.first().map_or("", |f| f.text.as_str());
        if let Some(value) = isa::reserved(&inst) {
            assert!(fails && text.contains(&value.to_string()) || !has_semantics(inst.row), "{inst:?}: {text}");
            continue;
        }
        let excused =
            ["source operand", "GDS", "DPP", "relative addressing", "load to LDS", "bf16 addend", "VGPR"].iter().any(|w| text.contains(w));
        assert!(!fails || excused || !has_semantics(inst.row), "{inst:?}: {text}");
    }
    assert!(seen.len() > 700, "{} rows seen", seen.len());
}

/// Clears one modifier of an instruction; false if it is not set.
type Clear = fn(&mut isa::Mods, u8) -> bool;

fn clear_bit(field: &mut u8, i: u8) -> bool {
    let was = *field >> i & 1 != 0;
    *field &= !(1 << i);
    was
}

/// Modifiers that change what an instruction computes, and how many of each there are.
const MODIFIERS: [(&str, u8, Clear); 7] = [
    ("neg", 3, |m, i| clear_bit(&mut m.neg, i)),
    ("abs", 3, |m, i| clear_bit(&mut m.abs, i)),
    ("neg_hi", 3, |m, i| clear_bit(&mut m.neg_hi, i)),
    ("op_sel", 4, |m, i| clear_bit(&mut m.op_sel, i)),
    ("op_sel_hi", 3, |m, i| clear_bit(&mut m.op_sel_hi, i)),
    ("omod", 1, |m, _| std::mem::take(&mut m.omod) != 0),
    ("clamp", 1, |m, _| std::mem::take(&mut m.clamp)),
];

/// Every modifier that the decoder accepts on an instruction changes what is lifted, or stands in a list: the two read the same field.
#[test]
fn no_modifier_is_ignored() {
    let mut numbers = Random(1);
    let mut random = || numbers.u32();
    let mode = FpMode(0x100);
    let lifted = |code: &[u32]| {
        let read = |pc: u64| if pc / 4 < code.len() as u64 { code.get(pc as usize / 4).copied() } else { Some(0xbfb0_0000) };
        let func = lift(&LiftSource { name: "", entry: 0, target: Gfx::GFX1100, wave_size: 32, mode, vgprs: ALL_VGPRS, read: &read });
        func.failures.is_empty().then(|| wavejit_ir::text::print(&func))
    };
    // (row, modifier): seen, made a difference
    let mut seen = std::collections::BTreeMap::<(&str, String), (u32, bool)>::new();
    let rounds = std::env::var("WAVEJIT_FUZZ_ROUNDS").ok().and_then(|s| s.parse().ok()).unwrap_or(200_000);
    for round in 0..rounds {
        // VOP3, VOP3P and their DPP forms
        let top = [0xcc, 0xd4 | random() >> 30];
        let code = [top[round % 2] << 24 | random() >> 8, random(), random() & 0x0fff_ffff, 0xbfb0_0000, 0];
        let Ok(inst) = isa::decode(&code, Gfx::GFX1100, 32) else { continue };
        if !has_semantics(inst.row) {
            continue;
        }
        let Some(with) = lifted(inst.dwords()) else { continue };
        for (name, bits, clear) in MODIFIERS {
            for i in 0..bits {
                let mut plain = inst;
                if !clear(&mut plain.mods, i) {
                    continue;
                }
                let Ok(code) = isa::encode(&plain) else { continue };
                let text = if bits == 1 { name.to_string() } else { format!("{name}[{i}]") };
                let entry = seen.entry((inst.row.name, text)).or_default();
                entry.0 += 1;
                entry.1 |= lifted(code.dwords()).is_some_and(|without| without != with);
            }
        }
    }
    let ignored: Vec<String> = seen
        .iter()
        .filter(|((row, modifier), (n, effect))| *n > 2 && !effect && !means_nothing(row, modifier))
        .map(|((row, modifier), _)| format!("{row} {modifier}"))
        .collect();
    assert!(seen.len() > 350 && ignored.is_empty(), "{} seen; {ignored:#?}", seen.len());
}

/// Bits that these instructions make nothing of, and that hardware ignores (numerics.md sections 3, 8, 11 and 13). Others that mean nothing
/// are reserved, and nothing is lifted (`isa::reserved`).
fn means_nothing(row: &str, modifier: &str) -> bool {
    let name = modifier.split('[').next().unwrap_or(modifier);
    let source2 = modifier.ends_with("[2]");
    let is = |words: &[&str]| words.iter().any(|w| row.contains(w));
    let integer = row.ends_with("16") && !row.ends_with("f16") || row.ends_with("iu8") || row.ends_with("iu4");
    match name {
        // Integers that cannot overflow, products of 16 bits, and a conversion that saturates anyway.
        "clamp" => integer && is(&["min3", "max3", "med3", "mul_lo"]) || row == "v_cvt_pk_u8_f32",
        // Sources of bytes, of 32 bits and matrices have no halves to choose, and assemblers do not agree on the bits.
        "op_sel_hi" => is(&["v_wmma", "v_dot4", "v_dot8"]) || source2 && is(&["v_dot2_f32"]),
        _ => false,
    }
}
