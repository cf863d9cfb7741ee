//! Every row on every processor: registers, state and memory that its meaning reads and writes are those that the row says, and operands have
//! its types. What differs stands in [`KNOWN`], with the reason.
//!
//! The instructions are written from the rows (`examples`); those of the golden corpora (`jit/isa/tests/golden`), with all modifiers, are
//! compared with what the decoder makes of them.

use super::examples::{Example, LITERAL, Registers, Sources, Variant, dual, example, typed_variants, variants};
use super::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use wavejit_ir::eval::eval;
use wavejit_ir::{Op, PureOp, SReg, Space};
use wavejit_isa::scalars::Special;
use wavejit_isa::{Access, Implicit, Inst, Opd, Operand, Ty};

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
fn golden_differences(inst: &Inst, func: &Func) -> Vec<&'static str> {
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
    if !inst.row.flags.contains(isa::Flags::WRITES_SOURCE) && !relative && !inst.mods.lds && !dropped {
        rule(vset.is_subset(&wanted), "writes a VGPR that is no destination");
        // VOPD does nothing in wave64.
        rule(wanted.is_subset(&vset) || inst.row_y.is_some(), "leaves its destination");
    }
    out
}

#[test]
fn golden_instructions_read_and_write_what_their_rows_say() {
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
                for rule in golden_differences(&inst, &func) {
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

/// The entry mode of what is lifted here: every bit another one than in [`FpMode::HSA`], so that what the lifter itself decides is seen.
const ENTRY_MODE: FpMode = FpMode(FpMode::HSA.0 ^ 0x7ff);

/// The bits of MODE that the result of the operation depends on, for some of many operands.
fn mode_bits_of(op: PureOp) -> u16 {
    static KNOWN: Mutex<BTreeMap<&str, u16>> = Mutex::new(BTreeMap::new());
    if !op.reads_mode() {
        return 0;
    }
    let find = || {
        let mut random = Random(1);
        // Denormals, NaNs, and what is halfway between two numbers of a narrower type.
        let special = [1, 0x8000, 0x7c01, 0x8000_0001, 0x7f80_0001, 0x3f80_1000, 0x3300_0000, 1 << 63 | 1, 0x7ff0_0000_0000_0001u64];
        let mut any = || {
            let wide = u64::from(random.u32()) << 32 | u64::from(random.u32());
            if random.u32().is_multiple_of(2) { special[wide as usize % special.len()] } else { wide }
        };
        let mut bits = 0;
        for _ in 0..1000 {
            let (a, b, c) = (any(), any(), any());
            for mode in [FpMode::HSA, ENTRY_MODE] {
                let plain = eval(op, mode, a, b, c);
                bits |= (0..11).map(|i| 1 << i).filter(|bit| eval(op, FpMode(mode.0 ^ bit), a, b, c) != plain).sum::<u16>();
            }
        }
        bits
    };
    *KNOWN.lock().expect("no other test failed").entry(op.text()).or_insert_with(find)
}

/// What an instruction did to registers and memory, and which constants it has.
#[derive(Default)]
struct Observed {
    registers: Registers,
    constants: BTreeSet<u64>,
    /// Accesses to memory, as [`access`] writes them.
    accesses: BTreeSet<String>,
    /// An operation was given a mode that it may look at.
    may_read_mode: bool,
    does_nothing: bool,
}

/// What a row says that is done to memory.
fn access(row: &isa::Row) -> BTreeSet<String> {
    let one = match (row.access, row.memory) {
        (Some(Access::Load(kind, _)), _) => format!("load {}", kind.text()),
        (Some(Access::Store(kind, _)), _) => format!("store {}", kind.text()),
        (Some(Access::Atomic(op)), _) => format!("atomic {op:?}"),
        (Some(other), _) => format!("{other:?}"),
        (None, Some(_)) => "resource".into(),
        (None, None) => return BTreeSet::new(),
    };
    BTreeSet::from([one])
}

/// The operations of the instruction at 0.
fn observed(func: &Func) -> Observed {
    let mut out = Observed::default();
    let (mut ops, mut notes) = (0, 0);
    let r = &mut out.registers;
    let at_0 = func.blocks.iter().flat_map(|b| &b.insts).filter(|i| i.pc == 0);
    for op in at_0.map(|i| &i.op) {
        match op {
            Op::VGet { reg, .. } | Op::VGetRel { reg, .. } => _ = r.vread.insert(reg.0),
            Op::VSet { reg, .. } | Op::VSetRel { reg, .. } => _ = r.vwritten.insert(reg.0),
            Op::SGet(SReg::EXEC_HI) | Op::ExecGet => r.exec_read = true,
            Op::SSet(SReg::EXEC_HI, _) | Op::ExecSet(_) => r.exec_written = true,
            Op::SGet(SReg::MODE) => r.mode_read = true,
            Op::SGet(reg) | Op::SGetRel { reg, .. } => _ = r.sread.insert(*reg),
            Op::SSet(reg, _) | Op::SSetRel { reg, .. } => _ = r.swritten.insert(*reg),
            Op::Pure { op, mode, .. } => {
                out.may_read_mode |= op.reads_mode();
                r.mode_read |= mode_bits_of(*op) & !(mode.0 ^ ENTRY_MODE.0) != 0;
            }
            Op::Const { bits, .. } => _ = out.constants.insert(*bits),
            Op::Load { space, kind, .. } => {
                _ = (r.scratch_read |= is_scratch(*space), out.accesses.insert(format!("load {}", kind.text())))
            }
            Op::Store { space, kind, .. } => {
                _ = (r.scratch_read |= is_scratch(*space), out.accesses.insert(format!("store {}", kind.text())))
            }
            Op::Atomic { space, op, .. } => _ = (r.scratch_read |= is_scratch(*space), out.accesses.insert(format!("atomic {op:?}"))),
            Op::SLoad { .. } | Op::SBufferLoad { .. } => _ = out.accesses.insert("load b32".into()),
            Op::Resource { .. } => _ = out.accesses.insert("resource".into()),
            _ => {}
        }
        ops += 1;
        notes += usize::from(matches!(op, Op::Note { .. }));
    }
    out.does_nothing = notes > 0 && notes == ops;
    out
}

/// What `observed` has more and less than `wanted`.
fn differences(row: &isa::Row, wanted: &Registers, observed: &Observed) -> Vec<&'static str> {
    let found = &observed.registers;
    let mut out = vec![];
    let mut rule = |differs: bool, what: &'static str| {
        if differs {
            out.push(what);
        }
    };
    rule(!wanted.vread.is_subset(&found.vread), "leaves a VGPR unread");
    rule(!found.vread.is_subset(&wanted.vread), "reads another VGPR");
    rule(!wanted.vwritten.is_subset(&found.vwritten), "leaves a VGPR unwritten");
    rule(!found.vwritten.is_subset(&wanted.vwritten), "writes another VGPR");
    rule(!wanted.sread.is_subset(&found.sread), "leaves a scalar unread");
    rule(!found.sread.is_subset(&wanted.sread), "reads another scalar");
    rule(!wanted.swritten.is_subset(&found.swritten), "leaves a scalar unwritten");
    rule(!found.swritten.is_subset(&wanted.swritten), "writes another scalar");
    rule(wanted.exec_read && !found.exec_read, "leaves EXEC unread");
    rule(!wanted.exec_read && found.exec_read, "reads EXEC");
    rule(wanted.exec_written && !found.exec_written, "leaves EXEC unwritten");
    rule(!wanted.exec_written && found.exec_written, "writes EXEC");
    rule(wanted.mode_read && !found.mode_read && !observed.may_read_mode, "leaves MODE unread");
    rule(!wanted.mode_read && found.mode_read, "reads MODE");
    rule(wanted.scratch_read && !found.scratch_read, "leaves FLAT_SCR unread");
    rule(!wanted.scratch_read && found.scratch_read, "reads FLAT_SCR");
    rule(access(row) != observed.accesses, "does something else to memory");
    out
}

/// A difference that has its reason.
struct Known {
    why: &'static str,
    what: &'static [&'static str],
    /// The rows, by the beginning of their names.
    rows: &'static [&'static str],
}

/// All of them.
#[rustfmt::skip]
const KNOWN: &[Known] = &[
    Known { why: "messages and semaphores are the whole wave's", what: &["leaves EXEC unread"], rows: &["ds_gws_", "s_sendmsg"] },
    Known { why: "matrices are the whole wave's (RDNA3 ISA, WMMA)", what: &["leaves EXEC unread"], rows: &["v_wmma_", "v_swmmac_"] },
    Known { why: "wave32 has one half: nothing to do", what: &["leaves a VGPR unread", "leaves a VGPR unwritten", "leaves EXEC unread"], rows: &["v_permlane64_b32"] },
    Known { why: "an operand says which hardware register it is", what: &["leaves MODE unread"], rows: &["s_getreg_b32", "s_setreg_"] },
    Known { why: "known while lifting", what: &["leaves MODE unread"], rows: &["s_round_mode", "s_denorm_mode"] },
    Known { why: "no operand counts", what: &["leaves MODE unread"], rows: &["v_cmp_f_", "v_cmp_t_", "v_cmpx_f_", "v_cmpx_t_", "v_cmpx_tru_"] },
    Known { why: "halves are moved as they are", what: &["leaves MODE unread"], rows: &["v_pack_b32_f16"] },
    Known { why: "parameters stand in VGPRs; M0 is in LLVM's tables only", what: &["leaves a scalar unread"], rows: &["v_interp_"] },
    Known { why: "a byte as a float is exact, the conversion of 32 bits is not", what: &["reads MODE"], rows: &["v_cvt_f32_ubyte"] },
    Known { why: "denormals are flushed as MODE says; LLVM's tables leave it out", what: &["reads MODE"], rows: &["v_cvt_floor_i32_f32", "v_interp_p10_rtz_", "v_interp_p2_rtz_", "v_maximum_f", "v_minimum_f"] },
    Known { why: "out of range it is s[0:1] (STATE-27)", what: &["reads another scalar"], rows: &["s_movrels_b64"] },
    Known { why: "M0 says how large the element is", what: &["does something else to memory"], rows: &["lds_direct_load"] },
    Known { why: "attributes stand in LDS where M0 says", what: &["does something else to memory"], rows: &["lds_param_load"] },
    Known { why: "a stack of nodes is stores and an exchange", what: &["does something else to memory"], rows: &["ds_bvh_stack_"] },
];

/// Why the difference is one, by number in [`KNOWN`]; beyond it is the reason that needs no list: hints, waits, exports and cache control are
/// notes for tools.
fn known(inst: &Inst, observed: &Observed, what: &str) -> Option<usize> {
    let note = observed.does_nothing && what.ends_with("unread");
    note.then_some(KNOWN.len())
        .or_else(|| KNOWN.iter().position(|k| k.what.contains(&what) && k.rows.iter().any(|r| inst.row.name.starts_with(r))))
}

/// The constant that an operand of type `ty` makes of 1.0, of the literal, or of a sign: what operand types are (RDNA3 ISA, chapter 7.2, constants).
fn constant(ty: Ty, sources: Sources) -> Option<u64> {
    use Ty::*;
    Some(match (sources, ty) {
        (Sources::Float(_), F64 | B64 | I64 | U64) => 0x3ff0_0000_0000_0000,
        (Sources::Float(_), F16 | B16 | I16 | U16 | F16X2) => 0x3c00,
        (Sources::Float(_), BF16 | BF16X2) => 0x3f80,
        (Sources::Float(_), _) => 0x3f80_0000,
        (Sources::Literal(_), F64) => u64::from(LITERAL) << 32,
        (Sources::Literal(_), I64) => i64::from(LITERAL as i32) as u64,
        (Sources::Literal(_), t) if t.is_16() => u64::from(LITERAL & 0xffff),
        (Sources::Literal(_), _) => LITERAL.into(),
        (Sources::Negated(_), F64) => 1 << 63,
        (Sources::Negated(_), F16 | BF16 | B16) => 1 << 15,
        (Sources::Negated(_), F16X2 | BF16X2) => 0x8000_8000,
        (Sources::Negated(_), _) => 1 << 31,
        _ => return None,
    })
}

fn lifted(words: &[u32], target: Gfx, wave_size: u32) -> Func {
    let read = |pc: u64| words.get(pc as usize / 4).copied();
    lift(&LiftSource { name: "", entry: 0, target, wave_size, mode: ENTRY_MODE, vgprs: ALL_VGPRS, read: &read })
}

fn is_scratch(space: Space) -> bool {
    matches!(space, Space::Scratch | Space::Flat)
}

/// Every row that has a meaning, in every form that it has on every processor.
fn for_each_form(mut f: impl FnMut(&'static isa::Row, isa::Enc, Gfx, u32)) {
    for target in Gfx::all() {
        for row in isa::rows::all().iter().filter(|r| r.exists_on(target) && has_semantics(r)) {
            for enc in row.encs_on(target) {
                for &wave_size in target.wave_sizes() {
                    f(row, enc, target, wave_size);
                }
            }
        }
    }
}

#[test]
fn every_row_reads_and_writes_what_it_says_on_every_processor() {
    let mut unwritten = BTreeMap::<&str, String>::new();
    let mut wrong = BTreeMap::<&str, BTreeMap<&str, String>>::new();
    let mut seen = BTreeMap::<Gfx, BTreeSet<u16>>::new();
    let mut used = BTreeSet::new();
    for_each_form(|row, enc, target, wave_size| {
        // Dual instructions do nothing in wave64.
        if enc == isa::Enc::VOPD && wave_size == 64 {
            return;
        }
        for v in variants(row, enc, target, wave_size) {
            let e = as_text(row, v);
            let code = isa::assemble_instruction(&e.text, target, wave_size).map_err(|e| e.to_string());
            let decoded = code.and_then(|code| isa::decode(code.dwords(), target, wave_size).map_err(|e| e.to_string()));
            let inst = match decoded {
                Ok(inst) if inst.enc == enc && (inst.row.id == row.id || inst.row_y.is_some_and(|y| y.id == row.id)) => inst,
                other => {
                    unwritten.entry(row.name).or_insert_with(|| format!("{target} {enc} {}: {other:?}", e.text));
                    continue;
                }
            };
            let e = e.with_state(&inst, v);
            let func = lifted(inst.dwords(), target, wave_size);
            let found = observed(&func);
            let mut different = differences(inst.row_y.filter(|y| y.id == row.id).unwrap_or(row), &e.registers, &found);
            if func.failures.iter().any(|f| f.pc == 0) {
                different.push("fails");
            }
            for what in different {
                if let Some(reason) = known(&inst, &found, what) {
                    used.insert(reason);
                    continue;
                }
                let text = || format!("{target} wave{wave_size} {}: {:?}, found {:?}", e.text, e.registers, found.registers);
                wrong.entry(what).or_default().entry(row.name).or_insert_with(text);
            }
        }
        seen.entry(target).or_default().insert(row.id);
    });
    assert!(unwritten.is_empty(), "rows that could not be written: {unwritten:#?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
    let stale: Vec<&str> = KNOWN.iter().enumerate().filter(|(i, _)| !used.contains(i)).map(|(_, k)| k.why).collect();
    assert!(stale.is_empty(), "nothing differs for this reason any more: {stale:?}");
    assert!(seen.len() == Gfx::all().len() && seen.values().all(|rows| rows.len() > 500), "{seen:?}");
}

/// The row as text; beside a row of a dual instruction stands a move.
fn as_text(row: &isa::Row, v: Variant) -> Example {
    if v.enc != isa::Enc::VOPD {
        return example(row, v);
    }
    let mov = isa::rows::all().iter().find(|r| r.name == "v_dual_mov_b32").expect("a dual move");
    if row.flags.contains(isa::Flags::Y_ONLY) { dual(mov, row, v) } else { dual(row, mov, v) }
}

#[test]
fn operands_have_the_types_of_their_rows() {
    let mut seen = BTreeMap::<(Sources, String), usize>::new();
    let mut wrong = BTreeMap::<&str, String>::new();
    for_each_form(|row, enc, target, wave_size| {
        if enc == isa::Enc::VOPD {
            return;
        }
        for v in typed_variants(row, enc, target, wave_size) {
            let e = example(row, v);
            let Some(ty) = e.source else { continue };
            // Not every processor takes every constant in every form.
            let Ok(code) = isa::assemble_instruction(&e.text, target, wave_size) else { continue };
            let Ok(inst) = isa::decode(code.dwords(), target, wave_size) else { continue };
            if inst.row.id != row.id || inst.enc != enc {
                continue;
            }
            let func = lifted(inst.dwords(), target, wave_size);
            let found = observed(&func);
            if found.does_nothing || func.failures.iter().any(|f| f.pc == 0) {
                continue;
            }
            let wanted = constant(ty, v.sources).expect("a constant");
            if !found.constants.contains(&wanted) {
                wrong.entry(row.name).or_insert_with(|| format!("{target} {} {ty:?} {wanted:#x} {:x?}", e.text, found.constants));
            }
            *seen.entry((v.sources, format!("{ty:?}"))).or_default() += 1;
        }
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(seen.len() > 50 && seen.values().all(|n| *n > 3), "{seen:?}");
}
