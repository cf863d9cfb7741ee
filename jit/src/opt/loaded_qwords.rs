//! A load of 64 bits whose dwords are packed is one of qwords: who wants one of the dwords otherwise takes it from the qword.
//!
//! Hosts load qwords as such, where nobody asks for their dwords. A dword that is left in its register, which nobody reads any more in most cases, is asked for
//! late, and costs less than to load dwords and pack them.
//!
//! ```text
//! %0 %1 = load lds.b64 [%8]                        %0 %1 = load lds.b64 [%8]
//! vset v1, %1                               =>     %2 = pack.64 %0, %1
//! %2 = pack.64 %0, %1                              %3 = hi.64 %2; vset v1, %3
//! ```
//!
//! Before and after: any verified function.

use super::places::{END, Places};
use rustc_hash::{FxHashMap, FxHashSet};
use wavejit_ir::{FpMode, Func, Inst, MemKind, Op, PureOp, Ty, Value};

/// A load whose dwords others want than the one that packs them.
struct Found {
    /// Places of the load and of the pack.
    load: usize,
    pack: usize,
    dwords: [Value; 2],
    qword: Value,
    /// Is the low, the high dword wanted by others?
    wanted: [bool; 2],
}

/// Runs on every block.
pub(super) fn run(func: &mut Func) {
    let blocks: Vec<usize> = (0..func.blocks.len()).filter(|b| func.blocks[*b].insts.iter().any(is_load)).collect();
    if blocks.is_empty() {
        return;
    }
    let places = Places::new(func);
    let found: Vec<(usize, Vec<Found>)> =
        blocks.into_iter().map(|b| (b, find(func, &places, b))).filter(|(_, all)| !all.is_empty()).collect();
    for (b, all) in found {
        replace(func, b, &all);
    }
}

fn is_load(inst: &Inst) -> bool {
    matches!(inst.op, Op::Load { kind: MemKind::B64, .. }) && inst.results == 2
}

fn find(func: &Func, places: &Places, b: usize) -> Vec<Found> {
    let insts = &func.blocks[b].insts;
    let mut found = vec![];
    for (load, inst) in insts.iter().enumerate().filter(|(_, inst)| is_load(inst)) {
        let dwords = [0, 1].map(|i| inst.result(i));
        let is_pack = |at: &u32| {
            let op = if *at == END { None } else { Some(&insts[*at as usize].op) };
            matches!(op, Some(Op::Pure { op: PureOp::Pack64, args, .. }) if args[..2] == dwords.map(Some))
        };
        let Some(pack) = places.users(func, dwords[0]).iter().copied().find(is_pack) else { continue };
        let wanted = dwords.map(|v| places.users(func, v).iter().any(|at| *at != pack));
        let qword = insts[pack as usize].first;
        if func.ty(qword) == Ty::L64 && wanted != [false; 2] {
            found.push(Found { load, pack: pack as usize, dwords, qword, wanted });
        }
    }
    found
}

/// `all` is in the order of the loads.
fn replace(func: &mut Func, b: usize, all: &[Found]) {
    let insts = std::mem::take(&mut func.blocks[b].insts);
    let mut out: Vec<Inst> = Vec::with_capacity(insts.len() + 2 * all.len());
    let mut left = all.iter().peekable();
    // What dwords are now.
    let mut new: FxHashMap<Value, Value> = FxHashMap::default();
    let packs: FxHashSet<usize> = all.iter().map(|f| f.pack).collect();
    for (at, mut inst) in insts.into_iter().enumerate() {
        if packs.contains(&at) {
            continue;
        }
        inst.op.map_args(|v| new.get(&v).copied().unwrap_or(v));
        let pc = inst.pc;
        out.push(inst);
        let Some(found) = left.next_if(|f| f.load == at) else { continue };
        let pure = |op, args| Op::Pure { op, mode: FpMode(0), args };
        let [low, high] = found.dwords.map(Some);
        out.push(Inst { op: pure(PureOp::Pack64, [low, high, None]), first: found.qword, results: 1, pc });
        for (i, op) in [PureOp::Lo64, PureOp::Hi64].into_iter().enumerate().filter(|(i, _)| found.wanted[*i]) {
            let half = func.new_values(&[Ty::L32]);
            out.push(Inst { op: pure(op, [Some(found.qword), None, None]), first: half, results: 1, pc });
            new.insert(found.dwords[i], half);
        }
    }
    let block = &mut func.blocks[b];
    block.term.map_args(|v| new.get(&v).copied().unwrap_or(v));
    block.insts = out;
}

#[cfg(test)]
mod tests {
    use super::run;
    use wavejit_ir::text::{parse, print};

    /// After the pass: a load of two dwords, %2 and %3, this, and the end of the block. Values of the pass are numbered from %20 on.
    fn passed(body: &str) -> String {
        let text = format!(
            "func \"f\" wave32 {{
b0 pc=0 mode=0x3f0 insts=1:
 %0: mask = exec
 %1: l32 = vget v0 demand %0
 %2 %3: l32 = load lds.b64 [lane %1], exec %0
{body}
 end
}}"
        );
        let mut func = parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        func.types.resize(20, func.types[0]);
        run(&mut func);
        wavejit_ir::verify::verify(&func).unwrap();
        print(&func)
    }

    fn lines(text: &str) -> Vec<&str> {
        text.lines().map(str::trim).skip_while(|l| !l.contains("load")).skip(1).take_while(|l| *l != "end").collect()
    }

    #[test]
    fn dwords_that_others_want_are_taken_from_the_qword() {
        let text = passed(
            " vset v1, %3, exec %0\n %4: l64 = pack.64 %2, %3\n %5: l64 = fadd.64 %4, %4\n %6: l32 = iadd.32 %2, %3\n vset v2, %6, exec %0",
        );
        let expected = [
            "%4: l64 = pack.64 %2, %3",
            "%20: l32 = lo.64 %4",
            "%21: l32 = hi.64 %4",
            "vset v1, %21, exec %0",
            "%5: l64 = fadd.64 %4, %4",
            "%6: l32 = iadd.32 %20, %21",
            "vset v2, %6, exec %0",
        ];
        assert_eq!(lines(&text), expected, "{text}");
    }

    #[test]
    fn others_stay_as_they_are() {
        // Nobody else wants the dwords; they are packed the other way round; they are not packed.
        for body in [
            " %4: l64 = pack.64 %2, %3\n %5: l64 = fadd.64 %4, %4",
            " %4: l64 = pack.64 %3, %2\n vset v1, %3, exec %0",
            " vset v1, %2, exec %0\n vset v2, %3, exec %0",
        ] {
            assert_eq!(lines(&passed(body)), body.lines().map(str::trim).collect::<Vec<_>>());
        }
    }
}
