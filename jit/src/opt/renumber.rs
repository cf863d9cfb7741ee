//! Numbers values anew, in the order of their definitions. Passes make new values and leave what they replace; what is kept by value is as long as all numbers
//! that were ever given. Before and after: any verified function.

use wavejit_ir::{Func, Value};

/// Runs on the function. Values that it had before mean others now.
pub(super) fn run(func: &mut Func) {
    let count: usize = func.blocks.iter().flat_map(|b| &b.insts).map(|inst| usize::from(inst.results)).sum();
    let old = std::mem::replace(&mut func.types, Vec::with_capacity(count));
    // Of values that are not defined nothing is asked.
    let mut new = vec![Value(0); old.len()];
    for block in &mut func.blocks {
        for inst in &mut block.insts {
            inst.op.map_args(|v| new[v.0 as usize]);
            let first = Value(func.types.len() as u32);
            for r in 0..usize::from(inst.results) {
                let of = inst.result(r).0 as usize;
                new[of] = Value(func.types.len() as u32);
                func.types.push(old[of]);
            }
            inst.first = first;
        }
        block.term.map_args(|v| new[v.0 as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::run;

    #[test]
    fn values_are_numbered_in_order() {
        let text = "func \"f\" wave32 {
b0 pc=0 mode=0x3f0 insts=1:
 %7: mask = exec
 %3: l32 = vget v0 demand %7
 %9: l32 = iadd.32 %3, %3
 vset v1, %9, exec %7
 jump b1
b1 pc=4 mode=0x3f0 insts=1:
 %4: s1 = sget scc
 branch %4, b0, b2
b2 pc=8 mode=0x3f0 insts=1:
 end
}";
        let mut func = wavejit_ir::text::parse(text).unwrap();
        let expected =
            ["%7", "%3", "%9", "%4"].iter().zip(["%0", "%1", "%2", "%30"]).fold(text.to_string(), |t, (of, to)| t.replace(of, to));
        run(&mut func);
        wavejit_ir::verify::verify(&func).unwrap();
        assert_eq!(func.types.len(), 4);
        assert_eq!(func, wavejit_ir::text::parse(&expected.replace("%30", "%3")).unwrap());
    }
}
