//! A second body of the entry block for pixel waves that are whole: all lanes active, and of one primitive.
//!
//! Most waves of large primitives are so, and then an attribute's three values are the same in every quad: `lds_param_load` loads three dwords, not some of
//! every quad, interpolation is a multiply-add with them, and nothing is kept of lanes outside EXEC. The block is cut behind the instruction that
//! writes M0, where the wave is known to be whole or not:
//!
//! ```text
//! b0: ..; sset m0, s2           b0: ..; sset m0, s2; branch (exec = all, no bits of m0 say that a quad begins a primitive), b1, b2
//!     lds_param_load ..    =>   b1: setexec all; sset m0, m0 & ~(those bits); lds_param_load ..
//!     ..                            ..
//!                               b2: lds_param_load ..
//! ```
//!
//! What `b1` begins with changes nothing; it tells the other passes. New blocks end at higher addresses than the one that leads to them, so that no
//! wave looks at its fuel in more places than before ([`wavejit_ir::resume_points`]), and stand where their numbers change no order of others.

use super::OptOptions;
use rustc_hash::{FxHashMap, FxHashSet};
use wavejit_ir::build::Builder;
use wavejit_ir::{Block, BlockId, Func, Inst, Op, PureOp, SReg, Space, Term, Ty, Value};

/// Bits of M0 that say which quads begin a primitive (RDNA3 ISA, LDS_PARAM_LOAD).
const BEGINS: u32 = 0x7fff_0000;
/// Most instructions that are there twice then.
const MOST: usize = 4096;

/// Runs on the entry block.
pub(super) fn run(func: &mut Func, opts: OptOptions) {
    if !opts.is_wide {
        return;
    }
    let Some(Cut { at, exec, source }) = cut(func) else { return };
    let Block { pc, mode, term_pc, guest_insts, .. } = func.blocks[0];
    let mut rest = func.blocks[0].insts.split_off(at);
    let rest_pc = rest[0].pc;
    let term = func.blocks[0].term.clone();
    let insts_before = count(&func.blocks[0].insts, pc, rest_pc).min(guest_insts);
    // Every block after the first moves up by two.
    let moved = |b: BlockId| if b.0 == 0 { b } else { BlockId(b.0 + 2) };
    func.blocks.iter_mut().for_each(|b| b.term.map_blocks(moved));
    let mut term = term;
    term.map_blocks(moved);
    let body = |insts, term| Block { pc: rest_pc, mode, insts, term, term_pc, guest_insts: guest_insts - insts_before };

    let last_pc = func.blocks[0].insts.last().map_or(pc, |i| i.pc);
    let mut test = Builder::new(func, last_pc, mode);
    let exec_now = test.exec();
    let (bits, every) = (test.mask_bits(exec_now), all(&mut test));
    let is_full = test.pure2(PureOp::ICmpEq64, bits, every);
    let (m0, begins, zero) = (test.sget(SReg::M0), test.const32(BEGINS), test.const32(0));
    let begins = test.pure2(PureOp::And32, m0, begins);
    let is_one = test.pure2(PureOp::ICmpEq32, begins, zero);
    let cond = test.pure2(PureOp::BAnd, is_full, is_one);
    let test = test.insts;

    let mut whole = Builder::new(func, rest_pc, mode);
    let every = all(&mut whole);
    let every = whole.bits_mask(every);
    whole.push(Op::ExecSet(every), &[]);
    let (m0, others) = (whole.sget(SReg::M0), whole.const32(!BEGINS));
    let m0 = whole.pure2(PureOp::And32, m0, others);
    whole.sset(SReg::M0, m0);
    if let Some(source) = source {
        whole.sset(source, m0);
    }
    let mut whole_term = term.clone();
    let mut names: FxHashMap<Value, Value> = exec.map(|exec| (exec, every)).into_iter().collect();
    for inst in &rest {
        copy(&mut whole, inst, &mut names);
    }
    whole_term.map_args(|v| names.get(&v).copied().unwrap_or(v));
    let whole = whole.insts;

    let mut some = Builder::new(func, rest_pc, mode);
    let same = some.exec();
    let some = some.insts;
    let rename = |v: Value| if Some(v) == exec { same } else { v };
    rest.iter_mut().for_each(|inst| inst.op.map_args(rename));
    term.map_args(rename);

    let entry = &mut func.blocks[0];
    entry.insts.extend(test);
    (entry.term, entry.term_pc, entry.guest_insts) =
        (Term::Branch { cond, then: BlockId(1), otherwise: BlockId(2) }, last_pc, insts_before);
    let some = body(some.into_iter().chain(rest).collect(), term);
    func.blocks.splice(1..1, [body(whole, whole_term), some]);
}

/// Where the entry block is cut.
struct Cut {
    /// The first instruction behind it.
    at: usize,
    /// EXEC there, as those behind it name it, if those before it do.
    exec: Option<Value>,
    /// The scalar register that M0 is a copy of.
    source: Option<SReg>,
}

/// Behind the write of M0 that the first load of an attribute uses; none: there is no such load, or no such place.
fn cut(func: &Func) -> Option<Cut> {
    let Block { insts, term, term_pc, .. } = &func.blocks[0];
    let loads = |i: &Inst| matches!(i.op, Op::Load { space: Space::Lds, .. });
    let load = insts.iter().position(loads)?;
    // What lifting makes of the load begins with M0 shifted by 15.
    let defined = |v: Value| insts.iter().find(|i| i.results == 1 && i.first == v).map(|i| &i.op);
    let shifts_m0 = |i: &Inst| match i.op {
        Op::Pure { op: PureOp::LShr32, args: [Some(m0), Some(by), _], .. } => {
            matches!(defined(m0), Some(Op::SGet(SReg::M0))) && matches!(defined(by), Some(Op::Const { bits: 15, .. }))
        }
        _ => false,
    };
    if insts.len() > MOST || !insts[..load].iter().any(shifts_m0) {
        return None;
    }
    let write = insts[..load].iter().rposition(|i| matches!(i.op, Op::SSet(SReg::M0, _)))?;
    let at = write + insts[write..].iter().position(|i| i.pc != insts[write].pc)?;
    // A wave does not look at its fuel between the two parts.
    if at > load || insts[at].pc <= insts[write].pc || insts[at].pc > *term_pc || !insts.is_sorted_by_key(|i| i.pc) {
        return None;
    }
    let exec = insts[..at].iter().rev().find_map(|i| match i.op {
        Op::ExecSet(v) => Some(v),
        Op::ExecGet => Some(i.first),
        _ => None,
    });
    // Values do not leave their block; only EXEC has a name on both sides.
    let mut is_apart = true;
    let before: FxHashSet<Value> = insts[..at].iter().flat_map(|i| (0..i.results).map(|r| i.result(r.into()))).collect();
    let mut check = |v: Value| is_apart &= Some(v) == exec || !before.contains(&v);
    insts[at..].iter().for_each(|i| i.op.for_each_arg(&mut check));
    term.for_each_arg(&mut check);
    let source = match insts[write].op {
        Op::SSet(_, v) => match defined(v) {
            Some(Op::SGet(r)) if r.0 < SReg::VCC_LO.0 => Some(*r),
            _ => None,
        },
        _ => None,
    };
    let source =
        source.filter(|r| !insts[..at].iter().any(|i| matches!(i.op, Op::SSet(to, _) if to == *r) || matches!(i.op, Op::SSetRel { .. })));
    is_apart.then_some(Cut { at, exec, source })
}

/// Guest instructions of some from an address on to another one: each has at least one operation here.
fn count(insts: &[Inst], from: u64, to: u64) -> u32 {
    let mut pcs: Vec<u64> = insts.iter().map(|i| i.pc).filter(|pc| (from..to).contains(pc)).collect();
    pcs.dedup();
    pcs.len() as u32
}

/// Bits of EXEC with all lanes active.
fn all(b: &mut Builder) -> Value {
    b.const64(if b.func.wave_size == 64 { u64::MAX } else { u32::MAX.into() })
}

/// The same instruction with new results, of which `names` says what they are called there.
fn copy(b: &mut Builder, inst: &Inst, names: &mut FxHashMap<Value, Value>) {
    let tys: Vec<Ty> = (0..inst.results).map(|r| b.ty(inst.result(r.into()))).collect();
    let mut op = inst.op.clone();
    op.map_args(|v| names.get(&v).copied().unwrap_or(v));
    b.pc = inst.pc;
    let first = b.push(op, &tys);
    for r in 0..inst.results {
        names.insert(inst.result(r.into()), Value(first.0 + u32::from(r)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lift::{ALL_VGPRS, LiftSource, lift};
    use wavejit_ir::{FpMode, resume_points, verify::verify};
    use wavejit_isa::{Gfx, assemble};

    fn lifted(text: &str, wave_size: u32) -> Func {
        let code = assemble(text, Gfx::GFX1100, wave_size).expect("it assembles").bytes;
        let read = |pc: u64| Some(u32::from_le_bytes(code.get(pc as usize..pc as usize + 4)?.try_into().ok()?));
        lift(&LiftSource { name: "f", entry: 0, target: Gfx::GFX1100, wave_size, mode: FpMode::HSA, vgprs: ALL_VGPRS, read: &read })
    }

    const ATTRIBUTE: &str = "
        lds_param_load v2, attr1.y
        v_interp_p10_f32 v3, v2, v0, v2
        v_interp_p2_f32 v3, v2, v1, v3
        exp mrt0 v3, off, off, off done
        s_endpgm";

    // graphics.md 4.6: of a wave of one primitive every quad has the same three values.
    #[test]
    fn whole_waves_load_three_dwords_of_an_attribute() {
        for wave_size in [32, 64] {
            let mut func = lifted(&format!("s_mov_b32 m0, s2\n{ATTRIBUTE}"), wave_size);
            let insts = func.guest_insts();
            super::super::run(&mut func, OptOptions { is_wide: true, ..OptOptions::default() });
            verify(&func).unwrap();
            let [entry, whole, some] = &func.blocks[..] else { panic!("{} blocks", func.blocks.len()) };
            assert!(matches!(entry.term, Term::Branch { then: BlockId(1), otherwise: BlockId(2), .. }));
            let loads = |b: &Block| -> Vec<(bool, i64)> {
                let load = |i: &Inst| if let Op::Load { addr, .. } = i.op { Some((addr.offset.is_some(), addr.imm)) } else { None };
                b.insts.iter().filter_map(load).collect()
            };
            assert_eq!(loads(whole), [(false, 52), (false, 68), (false, 84)]);
            assert!(matches!(loads(some)[..], [(true, _)]));
            let count = |b: &Block| b.insts.iter().filter(|i| matches!(i.op, Op::Shuffle { .. })).count();
            assert_eq!((count(whole), count(some)), (0, 3));
            // Fuel is looked at where it was.
            assert_eq!([whole, some].map(|b| entry.guest_insts + b.guest_insts), [insts; 2]);
            assert_eq!(resume_points(&func), [BlockId(0)]);
        }
    }

    // The entry is a loop's header, with a block behind it; places to go on at keep their order.
    #[test]
    fn loops_around_the_entry_stay_loops() {
        let text = format!("s_mov_b32 m0, s2\n{}", ATTRIBUTE.replace("s_endpgm", "s_sub_u32 s3, s3, 1\ns_cbranch_scc0 -13\ns_endpgm"));
        let mut func = lifted(&text, 64);
        let before = (resume_points(&func).len(), func.blocks.len());
        run(&mut func, OptOptions { is_wide: true, ..OptOptions::default() });
        verify(&func).unwrap();
        assert_eq!((resume_points(&func).len(), func.blocks.len()), (before.0, before.1 + 2));
        assert_eq!(resume_points(&func)[0], BlockId(0));
    }

    // Nothing to gain without attributes, or where M0 is not written before them.
    #[test]
    fn other_functions_stay_as_they_are() {
        for text in ["s_mov_b32 m0, s2\nv_mov_b32 v0, v1\ns_endpgm", "s_mov_b32 m0, s2\nds_load_b32 v0, v1\ns_endpgm", ATTRIBUTE] {
            let mut func = lifted(text, 64);
            let before = func.clone();
            run(&mut func, OptOptions { is_wide: true, ..OptOptions::default() });
            assert_eq!(func, before);
        }
    }
}
