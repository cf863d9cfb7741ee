//! The verifier: what every pass may assume of a function, checked.
//!
//! - A value is defined once, by an instruction of the block that uses it, before its use.
//! - Operands have the shape and width their operation asks for (the rows of [`super::op`] are the list), and so have results.
//! - Blocks, lane tables, failures and registers that are named exist.
//! - A block does not end at a lower guest address than it starts: that every loop pays ([`super::resume`]) rests on it.
//! - EXEC is touched by `exec` and `setexec` only: `exec_lo`, and in wave64 `exec_hi`, are not for `sget` and `sset`.

use super::text::{inst_text, term_text};
use super::{Func, Inst, Results, Value};

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
            let results = inst.op.signature(func).map_err(error)?;
            define_results(func, &mut defined, b, inst, results).map_err(error)?;
        }
        let error = |rule| VerifyError { func: func.name.clone(), block: b, inst: None, text: term_text(&block.term), rule };
        check_uses(&defined, b, |f| block.term.for_each_arg(f)).map_err(error)?;
        block.term.check(func).map_err(error)?;
        if block.term_pc < block.pc {
            return Err(error("a block does not end before its start".into()));
        }
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

fn define_results(func: &Func, defined: &mut [Option<u32>], block: u32, inst: &Inst, results: Results) -> Result<(), String> {
    if usize::from(inst.results) != results.count {
        return Err(format!("{} results, this operation has {}", inst.results, results.count));
    }
    for i in 0..results.count {
        let v = inst.result(i);
        let Some(slot) = defined.get_mut(v.0 as usize) else { return Err(format!("{v:?} has no type")) };
        if let Some(b) = slot.replace(block) {
            return Err(format!("{v:?} is already defined in b{b}"));
        }
        if func.ty(v) != results.ty {
            return Err(format!("result {v:?} is {:?}, this operation gives {:?}", func.ty(v), results.ty));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

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
        assert_eq!(error_of("%0: s32 = sget s0\nbranch %0, b0, b0"), "f: b0, end: `branch %0, b0, b0`: cond %0 is s32, must be s1");
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
        assert_eq!(rule_of("%0: l32 = laneid\n%1: l32 = splat %0"), "value %0 is l32, must be a scalar");
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
    fn a_block_does_not_end_before_its_start() {
        let text = "func \"f\" wave32 {\nb0 pc=8 mode=0 insts=1:\njump b0 @4\n}";
        assert_eq!(verify(&parse(text).unwrap()).unwrap_err().to_string(), "f: b0, end: `jump b0`: a block does not end before its start");
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
