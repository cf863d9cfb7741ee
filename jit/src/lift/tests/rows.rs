//! Every row on every processor: registers and state that its meaning reads and writes are those that the row says.
//!
//! The instructions are those of the golden corpora (`jit/isa/tests/golden`), each decoded on all processors of its number space.

use super::*;
use std::collections::{BTreeMap, BTreeSet};
use wavejit_ir::{Op, SReg};
use wavejit_isa::scalars::Special;
use wavejit_isa::{Implicit, Inst, Opd, Operand};

/// Operands that are written beside the first one: a row has no word for it yet.
const WRITES_A_SOURCE: [&str; 3] = ["v_swap_b32", "v_swaprel_b32", "ds_bvh_stack_rtn_b32"];

/// Registers of an operand: rows (AGPRs from 256 on).
fn rows_of(op: &Operand) -> std::ops::Range<u16> {
    match *op {
        Operand::Vgpr { n, count, .. } => n..n + u16::from(count),
        Operand::Agpr { n, count } => 256 + (n & 255)..256 + (n & 255) + u16::from(count),
        _ => 0..0,
    }
}

/// The VGPRs that the row says are written.
fn written(inst: &Inst) -> BTreeSet<u16> {
    let half = |row: &isa::Row, ops: &[Operand]| match row.ops.first() {
        Some(Opd::D(_) | Opd::AD(_)) => rows_of(&ops[0]),
        // Left out where nothing is returned.
        Some(Opd::RD(_)) if ops.len() == row.ops.len() => rows_of(&ops[0]),
        _ => 0..0,
    };
    let ops = inst.ops();
    let Some(y) = inst.row_y else { return half(inst.row, ops).collect() };
    let (x, rest) = ops.split_at(inst.y_start.into());
    half(inst.row, x).chain(half(y, rest)).collect()
}

/// What `func`, `inst` alone, does against the row.
fn differences(inst: &Inst, func: &Func) -> Vec<&'static str> {
    let mut out = vec![];
    let mut rule = |holds: bool, what: &'static str| {
        if !holds {
            out.push(what);
        }
    };
    let (reads, writes) = (inst.implicit_reads(), inst.implicit_writes());
    let ops = inst.ops();
    let named: BTreeSet<u16> = ops.iter().flat_map(rows_of).collect();
    let scalars: Vec<(u8, u8)> =
        ops.iter().filter_map(|op| if let Operand::Sgpr { n, count } = *op { Some((n, count)) } else { None }).collect();
    let names_scalar = |first: u8, last: u8| scalars.iter().any(|(n, count)| *n <= last && n + count > first);
    let special = |s: Special| ops.contains(&Operand::Special(s));
    let mut vset = BTreeSet::new();
    let mut scc = false;
    let mut relative = false;
    for op in func.blocks.iter().flat_map(|b| &b.insts).filter(|i| i.pc == 0).map(|i| &i.op) {
        match op {
            // NULL as a base, which gfx9 has not but LLVM prints, is none: the address is a pair then.
            Op::VGet { reg, .. } => rule(named.contains(&reg.0) || names_scalar(124, 125), "reads a VGPR that is no operand"),
            Op::VSet { reg, .. } => {
                vset.insert(reg.0);
            }
            Op::VGetRel { .. } | Op::VSetRel { .. } | Op::SGetRel { .. } | Op::SSetRel { .. } => relative = true,
            Op::SGet(SReg::SCC) => rule(reads.contains(Implicit::SCC) || special(Special::Scc), "reads SCC"),
            Op::SGet(SReg::M0) => rule(reads.contains(Implicit::M0) || names_scalar(124, 125), "reads M0"),
            Op::SSet(SReg::SCC, _) => {
                scc = true;
                rule(writes.contains(Implicit::SCC), "writes SCC");
            }
            Op::SSet(SReg::VCC_LO | SReg::VCC_HI, _) => {
                rule(writes.contains(Implicit::VCC) || names_scalar(104, 107), "writes VCC");
            }
            Op::SSet(..) => {
                rule(!scalars.is_empty() || writes.intersects(Implicit::M0 | Implicit::MODE | Implicit::EXEC), "writes an SGPR")
            }
            Op::ExecSet(_) => rule(writes.contains(Implicit::EXEC) || names_scalar(126, 127), "writes EXEC"),
            _ => {}
        }
    }
    let dropped = func.blocks.iter().flat_map(|b| &b.insts).filter(|i| i.pc == 0).count() == 0;
    let refused = matches!(ops.first(), Some(Operand::Sgpr { n, .. }) if *n >= 104) || !matches!(ops.first(), Some(Operand::Sgpr { .. }));
    let compares = matches!(inst.enc, isa::Enc::SOPC);
    rule(!writes.contains(Implicit::SCC) || scc || dropped || refused && !compares, "leaves SCC");
    let wanted = written(inst);
    if !WRITES_A_SOURCE.contains(&inst.row.name) && !relative && !inst.mods.lds && !dropped {
        rule(vset.is_subset(&wanted), "writes a VGPR that is no destination");
        // VOPD does nothing in wave64.
        rule(wanted.is_subset(&vset) || inst.row_y.is_some(), "leaves its destination");
    }
    out
}

#[test]
fn every_row_reads_and_writes_what_it_says_on_every_processor() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/isa/tests/golden");
    let mut corpora = vec![];
    for path in std::fs::read_dir(folder).expect("golden corpora").flatten().map(|e| e.path()) {
        let name = path.file_stem().and_then(|n| n.to_str()).unwrap_or_default().to_string();
        let Some(target) = Gfx::parse(&name) else { continue };
        let text = std::fs::read_to_string(&path).expect("golden corpus");
        let lines = text.lines().filter_map(|l| {
            let columns: Vec<&str> = l.split('\t').collect();
            let words = columns[1].split(' ').map(|w| u32::from_str_radix(w, 16).expect("hexadecimal dword")).collect::<Vec<_>>();
            (columns[2] != "-").then(|| (columns[0].parse::<u32>().expect("wave size"), words))
        });
        corpora.push((target, lines.collect::<Vec<_>>()));
    }
    let is_site = |enc| matches!(enc, isa::Enc::MUBUF | isa::Enc::MTBUF | isa::Enc::MIMG | isa::Enc::VIMAGE | isa::Enc::VSAMPLE);
    let mut wrong = BTreeMap::<(&str, &str), (usize, String)>::new();
    let mut lifted = BTreeMap::<Gfx, BTreeSet<u16>>::new();
    for target in Gfx::all() {
        for (_, lines) in corpora.iter().filter(|c| c.0.space() == target.space()) {
            for (wave_size, words) in lines {
                let Ok(inst) = isa::decode(words, target, *wave_size) else { continue };
                if !has_semantics(inst.row) || is_site(inst.enc) {
                    continue;
                }
                let read = |pc: u64| words.get(pc as usize / 4).copied();
                let src =
                    LiftSource { name: "", entry: 0, target, wave_size: *wave_size, mode: FpMode::HSA, vgprs: ALL_VGPRS, read: &read };
                let func = lift(&src);
                if func.failures.iter().any(|f| f.pc == 0) {
                    continue;
                }
                lifted.entry(target).or_default().insert(inst.row.id);
                for rule in differences(&inst, &func) {
                    let entry = wrong.entry((inst.row.name, rule)).or_insert_with(|| (0, format!("{target} {words:08x?}")));
                    entry.0 += 1;
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let seen: BTreeMap<Gfx, usize> = lifted.iter().map(|(target, rows)| (*target, rows.len())).collect();
    assert!(seen.len() == Gfx::all().len() && seen.values().all(|n| *n > 400), "{seen:?}");
}
