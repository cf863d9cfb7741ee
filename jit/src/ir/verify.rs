//! The verifier: what every pass may assume of a function, checked.
//!
//! - A value is defined once, by an instruction of the block that uses it, before its use.
//! - Operands have the shape and width their operation asks for ([`signature`] is the list), and so have results.
//! - Blocks, lane tables, failures and registers that are named exist.
//! - EXEC is touched by `exec` and `setexec` only: `exec_lo`, and in wave64 `exec_hi`, are not for `sget` and `sset`.

use super::text::{inst_text, term_text};
use super::{Addr, AtomicOp, BlockId, Func, Inst, MemKind, Op, SReg, Shape, Space, Term, Ty, VReg, Value, Width};

/// A broken rule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{func}: b{block}, {}: `{text}`: {rule}", place(*.inst))]
pub struct VerifyError {
    /// Name of the function.
    pub func: String,
    /// Block.
    pub block: u32,
    /// Index in the block; `None`: its end.
    pub inst: Option<usize>,
    /// The instruction, or what ends the block.
    pub text: String,
    /// What is wrong.
    pub rule: String,
}

fn place(inst: Option<usize>) -> String {
    inst.map_or("end".into(), |i| format!("instruction {i}"))
}

/// Checks all rules of the module header; the first broken one in block order.
pub fn verify(func: &Func) -> Result<(), VerifyError> {
    let whole = |rule: &str| VerifyError { func: func.name.clone(), block: 0, inst: None, text: String::new(), rule: rule.into() };
    if !matches!(func.wave_size, 32 | 64) {
        return Err(whole("the wave size is 32 or 64"));
    }
    if func.blocks.is_empty() {
        return Err(whole("a function has an entry block"));
    }
    // Block of each value's definition.
    let mut defined: Vec<Option<u32>> = vec![None; func.types.len()];
    for (b, block) in func.blocks.iter().enumerate() {
        let b = b as u32;
        for (i, inst) in block.insts.iter().enumerate() {
            let error =
                |rule| VerifyError { func: func.name.clone(), block: b, inst: Some(i), text: inst_text(func, inst, block.mode), rule };
            check_uses(&defined, b, |f| inst.op.for_each_arg(f)).map_err(error)?;
            let tys = signature(func, &inst.op).map_err(error)?;
            define_results(func, &mut defined, b, inst, &tys).map_err(error)?;
        }
        let error = |rule| VerifyError { func: func.name.clone(), block: b, inst: None, text: term_text(&block.term), rule };
        check_uses(&defined, b, |f| term_values(&block.term).into_iter().for_each(f)).map_err(error)?;
        check_term(func, &block.term).map_err(error)?;
    }
    Ok(())
}

fn check_uses(defined: &[Option<u32>], block: u32, visit: impl FnOnce(&mut dyn FnMut(Value))) -> Result<(), String> {
    let mut result = Ok(());
    visit(&mut |v| {
        let rule = match defined.get(v.0 as usize).copied().flatten() {
            Some(b) if b == block => return,
            Some(b) => format!("{v:?} is defined in b{b}: values do not leave their block"),
            None => format!("{v:?} is not defined before this use"),
        };
        if result.is_ok() {
            result = Err(rule);
        }
    });
    result
}

fn define_results(func: &Func, defined: &mut [Option<u32>], block: u32, inst: &Inst, tys: &[Ty]) -> Result<(), String> {
    if usize::from(inst.results) != tys.len() {
        return Err(format!("{} results, this operation has {}", inst.results, tys.len()));
    }
    for (i, want) in tys.iter().enumerate() {
        let v = inst.result(i);
        let Some(slot) = defined.get_mut(v.0 as usize) else { return Err(format!("{v:?} has no type")) };
        if let Some(b) = slot.replace(block) {
            return Err(format!("{v:?} is already defined in b{b}"));
        }
        if func.ty(v) != *want {
            return Err(format!("result {v:?} is {:?}, this operation gives {want:?}", func.ty(v)));
        }
    }
    Ok(())
}

fn want(func: &Func, what: &str, v: Value, ty: Ty) -> Result<(), String> {
    let found = func.ty(v);
    if found == ty { Ok(()) } else { Err(format!("{what} {v:?} is {found:?}, must be {ty:?}")) }
}

/// Checks the operands of `op`, which have types, and returns the types of its results.
pub fn signature(func: &Func, op: &Op) -> Result<Vec<Ty>, String> {
    let want = |what: &str, v: Value, ty: Ty| want(func, what, v, ty);
    Ok(match op {
        Op::Const { width, bits } => {
            let (limit, ty) = match width {
                Width::B1 => (1, Ty::S1),
                Width::B32 => (u32::MAX.into(), Ty::S32),
                Width::B64 => (u64::MAX, Ty::S64),
            };
            if *bits > limit {
                return Err("the constant does not fit its width".into());
            }
            vec![ty]
        }
        Op::Splat(a) => {
            let ty = func.ty(*a);
            if ty.shape != Shape::Scalar {
                return Err(format!("operand {a:?} is {ty:?}, must be a scalar"));
            }
            vec![Ty { shape: Shape::Lane, ..ty }]
        }
        Op::LaneId => vec![Ty::L32],
        Op::LaneTable(t) => {
            if *t as usize >= func.tables.len() {
                return Err(format!("there is no table t{t}"));
            }
            vec![Ty::L32]
        }
        Op::Pure { op, args, .. } => {
            let widths = op.args();
            if args.iter().flatten().count() != widths.len() || args[..widths.len()].contains(&None) {
                return Err(format!("{op} has {} operands", widths.len()));
            }
            let shape = func.ty(args[0].expect("checked above")).shape;
            for (arg, width) in args.iter().flatten().zip(widths) {
                want("operand", *arg, Ty { shape, width: *width })?;
            }
            vec![Ty { shape, width: op.ret() }]
        }
        Op::MaskBits(a) => {
            want("operand", *a, Ty::MASK)?;
            vec![Ty::S64]
        }
        Op::BitsMask(a) => {
            want("operand", *a, Ty::S64)?;
            vec![Ty::MASK]
        }
        Op::ExecGet => vec![Ty::MASK],
        Op::ExecSet(a) => {
            want("operand", *a, Ty::MASK)?;
            vec![]
        }
        Op::SGet(r) => vec![sreg_type(func, *r)?],
        Op::SSet(r, a) => {
            want("operand", *a, sreg_type(func, *r)?)?;
            vec![]
        }
        Op::VGet { reg, demand } => {
            check_vreg(*reg)?;
            demand.map_or(Ok(()), |d| want("demand", d, Ty::MASK))?;
            vec![Ty::L32]
        }
        Op::VSet { reg, value, exec } => {
            check_vreg(*reg)?;
            want("value", *value, Ty::L32)?;
            want("exec", *exec, Ty::MASK)?;
            vec![]
        }
        Op::VGetRel { reg, index, demand } => {
            check_vreg(*reg)?;
            want("index", *index, Ty::S32)?;
            demand.map_or(Ok(()), |d| want("demand", d, Ty::MASK))?;
            vec![Ty::L32]
        }
        Op::VSetRel { reg, index, value, exec } => {
            check_vreg(*reg)?;
            want("index", *index, Ty::S32)?;
            want("value", *value, Ty::L32)?;
            want("exec", *exec, Ty::MASK)?;
            vec![]
        }
        Op::SGetRel { reg, index } => {
            check_indexable(*reg)?;
            want("index", *index, Ty::S32)?;
            vec![Ty::S32]
        }
        Op::SSetRel { reg, index, value } => {
            check_indexable(*reg)?;
            want("index", *index, Ty::S32)?;
            want("value", *value, Ty::S32)?;
            vec![]
        }
        Op::ReadLane { value, lane } => {
            want("value", *value, Ty::L32)?;
            want("lane number", *lane, Ty::S32)?;
            vec![Ty::S32]
        }
        Op::ReadFirstLane { value, exec } => {
            want("value", *value, Ty::L32)?;
            want("exec", *exec, Ty::MASK)?;
            vec![Ty::S32]
        }
        Op::WriteLane { old, data, lane } => {
            want("old value", *old, Ty::L32)?;
            want("data", *data, Ty::S32)?;
            want("lane number", *lane, Ty::S32)?;
            vec![Ty::L32]
        }
        Op::Shuffle { value, index } => {
            want("value", *value, Ty::L32)?;
            want("index", *index, Ty::L32)?;
            vec![Ty::L32]
        }
        Op::Permute { value, index, exec } => {
            want("value", *value, Ty::L32)?;
            want("index", *index, Ty::L32)?;
            want("exec", *exec, Ty::MASK)?;
            vec![Ty::L32]
        }
        Op::Load { space, kind, addr, exec } => {
            check_addr(func, *space, addr)?;
            want("exec", *exec, Ty::MASK)?;
            vec![Ty::L32; kind.dwords()]
        }
        Op::Store { space, kind, addr, data, exec } => {
            if matches!(kind, MemKind::I8 | MemKind::I16) {
                return Err("a store has no sign: use u8 or u16".into());
            }
            check_addr(func, *space, addr)?;
            check_data(func, data, kind.dwords())?;
            want("exec", *exec, Ty::MASK)?;
            vec![]
        }
        Op::Atomic { space, op, wide, addr, data, exec, returns } => {
            check_addr(func, *space, addr)?;
            let dwords = 1 + usize::from(*wide);
            let two = matches!(op, AtomicOp::CmpSwap | AtomicOp::FCmpSwap | AtomicOp::MskOr | AtomicOp::Wrap);
            check_data(func, data, dwords * (1 + usize::from(two)))?;
            want("exec", *exec, Ty::MASK)?;
            vec![Ty::L32; if *returns { dwords } else { 0 }]
        }
        Op::SLoad { base, offset, dwords, .. } => {
            want("base", *base, Ty::S64)?;
            offset.map_or(Ok(()), |o| want("offset", o, Ty::S32))?;
            sload_results(*dwords)?
        }
        Op::SBufferLoad { desc, offset, dwords, .. } => {
            desc.iter().try_for_each(|d| want("descriptor", *d, Ty::S32))?;
            offset.map_or(Ok(()), |o| want("offset", o, Ty::S32))?;
            sload_results(*dwords)?
        }
        Op::Texture { site, args, exec } => {
            let site = func.sites.get(*site as usize).ok_or_else(|| format!("there is no site {site}"))?;
            let (scalars, lanes) = (usize::from(site.scalars), usize::from(site.addresses) + usize::from(site.data));
            if args.len() != scalars + lanes {
                return Err(format!("this site has {scalars} scalar and {lanes} lane operands"));
            }
            args[..scalars].iter().try_for_each(|v| want("scalar operand", *v, Ty::S32))?;
            args[scalars..].iter().try_for_each(|v| want("lane operand", *v, Ty::L32))?;
            want("exec", *exec, Ty::MASK)?;
            vec![Ty::L32; site.results.into()]
        }
        Op::GetReg { .. } => vec![Ty::S32],
        Op::SetReg { value, .. } => {
            want("value", *value, Ty::S32)?;
            vec![]
        }
        Op::SendMsg { m0, .. } => {
            want("M0", *m0, Ty::S32)?;
            vec![]
        }
        Op::SendMsgRtn { .. } | Op::Time { .. } => vec![Ty::S64],
        Op::Note(_) => vec![],
    })
}

fn sreg_type(func: &Func, r: SReg) -> Result<Ty, String> {
    if r == SReg::EXEC_LO || (r == SReg::EXEC_HI && func.wave_size == 64) {
        return Err("EXEC is read by `exec` and written by `setexec`".into());
    }
    if usize::from(r.0) >= SReg::COUNT {
        return Err(format!("there is no scalar register {}", r.0));
    }
    Ok(if r == SReg::SCC { Ty::S1 } else { Ty::S32 })
}

/// Relative access stays within s0..=vcc_hi.
fn check_indexable(r: SReg) -> Result<(), String> {
    if r <= SReg::VCC_HI { Ok(()) } else { Err(format!("{r:?} cannot be the base of a relative access")) }
}

fn check_vreg(r: VReg) -> Result<(), String> {
    if r.0 < 512 { Ok(()) } else { Err(format!("there is no vector register {}", r.0)) }
}

/// Global and flat addresses are 64 bits: S64 base, L64 or L32 lane part. The others are 32 bits: S32 and L32.
fn check_addr(func: &Func, space: Space, addr: &Addr) -> Result<(), String> {
    let wide = matches!(space, Space::Global | Space::Flat);
    if let Some(base) = addr.base {
        want(func, "base", base, if wide { Ty::S64 } else { Ty::S32 })?;
    }
    match addr.offset {
        Some(offset) if wide && func.ty(offset) == Ty::L64 => Ok(()),
        Some(offset) => want(func, "lane address", offset, Ty::L32),
        None => Ok(()),
    }
}

fn check_data(func: &Func, data: &[Option<Value>; 4], dwords: usize) -> Result<(), String> {
    if data.iter().flatten().count() != dwords || data[..dwords].contains(&None) {
        return Err(format!("this operation has {dwords} dwords of data"));
    }
    data.iter().flatten().try_for_each(|v| want(func, "data", *v, Ty::L32))
}

fn sload_results(dwords: u8) -> Result<Vec<Ty>, String> {
    if (1..=16).contains(&dwords) { Ok(vec![Ty::S32; dwords.into()]) } else { Err("a scalar load has 1 to 16 dwords".into()) }
}

fn term_values(term: &Term) -> Option<Value> {
    match term {
        Term::Branch { cond, .. } => Some(*cond),
        Term::Indirect { target, .. } => Some(*target),
        Term::NewMode { mode, .. } => Some(*mode),
        _ => None,
    }
}

fn check_term(func: &Func, term: &Term) -> Result<(), String> {
    match term {
        Term::Branch { cond, .. } => want(func, "condition", *cond, Ty::S1)?,
        Term::Indirect { target, .. } => want(func, "target", *target, Ty::S64)?,
        Term::NewMode { mode, .. } => want(func, "mode", *mode, Ty::S32)?,
        Term::Fail(i) if *i as usize >= func.failures.len() => return Err(format!("there is no failure f{i}")),
        _ => {}
    }
    for BlockId(b) in term.successors() {
        if b as usize >= func.blocks.len() {
            return Err(format!("there is no block b{b}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text::parse;

    /// The error of a function with the given lines as its first block.
    fn error_of(body: &str) -> String {
        let text = format!("func \"f\" wave64 {{\nb0 pc=0 mode=0x3f0 insts=1:\n{body}\n}}");
        verify(&parse(&text).unwrap_or_else(|e| panic!("{e}"))).unwrap_err().to_string()
    }

    /// The rule broken by lines without a block end.
    fn rule_of(body: &str) -> String {
        error_of(&format!("{body}\nend")).rsplit_once("`: ").unwrap().1.to_string()
    }

    #[test]
    fn a_right_function_passes() {
        let f = parse(
            "func \"f\" wave32 {
             b0 pc=0 mode=0x3f0 insts=1:
               %0: mask = exec
               %1: l32 = vget v0 demand %0
               %2: s64 = const.64 0x1000
               %3 %4: l32 = load global.b64 [%2 + lane %1], exec %0
               %5: l64 = pack.64 %3, %4
               store flat.b64 [lane %5], %3 %4, exec %0
               %6: s32 = sget exec_hi
               %7: mask = feq.32 %3, %4
               %8: l32 = sel.32 %7, %3, %4
               vset v1, %8, exec %7
               %9: s1 = sget scc
               branch %9, b0, b1
             b1 pc=0 mode=0x3f0 insts=1:
               end
             }",
        )
        .unwrap();
        assert_eq!(verify(&f), Ok(()));
    }

    #[test]
    fn an_error_names_function_block_instruction_and_rule() {
        assert_eq!(
            error_of("%0: mask = exec\n%1: l32 = vget v0 demand %0\n%2: l32 = iadd.32 %1, %0\nend"),
            "f: b0, instruction 2: `%2: l32 = iadd.32 %1, %0`: operand %0 is mask, must be l32"
        );
        assert_eq!(error_of("%0: s32 = sget s0\nbranch %0, b0, b0"), "f: b0, end: `branch %0, b0, b0`: condition %0 is s32, must be s1");
    }

    #[test]
    fn values_are_defined_once_in_their_block_before_use() {
        assert_eq!(rule_of("%1: s32 = not.32 %0\n%0: s32 = sget s0"), "%0 is not defined before this use");
        assert_eq!(rule_of("%0: s32 = sget s0\n%0: s32 = sget s1"), "%0 is already defined in b0");
        assert_eq!(
            rule_of("%0: s32 = sget s0\nend\nb1 pc=0 mode=0 insts=0:\nsset s1, %0"),
            "%0 is defined in b0: values do not leave their block"
        );
    }

    #[test]
    fn operands_and_results_have_the_types_of_the_operation() {
        assert_eq!(rule_of("%0: s64 = sget s0"), "result %0 is s64, this operation gives s32");
        assert_eq!(rule_of("%0 %1: s32 = sget s0"), "2 results, this operation has 1");
        assert_eq!(rule_of("exec"), "0 results, this operation has 1");
        assert_eq!(rule_of("%0: l32 = laneid\n%1: l32 = splat %0"), "operand %0 is l32, must be a scalar");
        assert_eq!(rule_of("%0: s32 = const.32 0x100000000"), "the constant does not fit its width");
        assert_eq!(rule_of("%0: l32 = laneid\nvset v0, %0, exec %0"), "exec %0 is l32, must be mask");
        assert_eq!(rule_of("%0: l32 = laneid\n%1: s32 = sget s0\n%2: l32 = iadd.32 %0, %1"), "operand %1 is s32, must be l32");
    }

    #[test]
    fn exec_is_not_an_ordinary_register() {
        assert_eq!(rule_of("%0: s32 = sget exec_lo"), "EXEC is read by `exec` and written by `setexec`");
        assert_eq!(rule_of("%0: s32 = sget s0\nsset exec_hi, %0"), "EXEC is read by `exec` and written by `setexec`");
    }

    #[test]
    fn what_is_named_exists() {
        assert_eq!(rule_of("%0: l32 = lanetable t0"), "there is no table t0");
        assert_eq!(error_of("jump b1"), "f: b0, end: `jump b1`: there is no block b1");
        assert_eq!(error_of("fail f0"), "f: b0, end: `fail f0`: there is no failure f0");
    }

    #[test]
    fn memory_operands_fit_their_space_and_size() {
        let head = "%0: mask = exec\n%1: l32 = laneid\n%2: l64 = zext.64 %1\n%3: s64 = maskbits %0\n";
        let rule = |line: &str| rule_of(&format!("{head}{line}"));
        assert_eq!(rule("%4: l32 = load lds.b32 [lane %2], exec %0"), "lane address %2 is l64, must be l32");
        assert_eq!(rule("%4: l32 = load scratch.b32 [%3], exec %0"), "base %3 is s64, must be s32");
        assert_eq!(rule("store lds.b64 [lane %1], %1, exec %0"), "this operation has 2 dwords of data");
        assert_eq!(rule("store lds.i8 [lane %1], %1, exec %0"), "a store has no sign: use u8 or u16");
        assert_eq!(rule("atomic lds.cmpswap.32 [lane %1], %1, exec %0"), "this operation has 2 dwords of data");
        assert_eq!(rule("%4: l32 = atomic lds.add.32 [lane %1], %1, exec %0"), "1 results, this operation has 0");
        assert_eq!(rule("%4 %5: s32 = sload.3 [%3]"), "2 results, this operation has 3");
    }
}
