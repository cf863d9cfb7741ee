//! What becomes of registers and operations inside a block.

use super::*;
use wavejit_ir::text;

/// v0 = 7 under the first EXEC, which then is `%3`; b1, or what comes in between, leads to b2, which stores v0.
fn stored(exec: &str, between: &str) -> Op {
    let text = format!(
        "func \"f\" wave32 {{
b0 pc=0 mode=0x3f0 insts=1:
 %0: mask = exec
 %1: s32 = const.32 7
 %2: l32 = splat %1
 vset v0, %2, exec %0
 sset s4, %1
 %10: s32 = sget s5
 %11: s64 = zext.64 %10
 %12: mask = bitsmask %11
 %3: mask = {exec}
 setexec %3
 %4: s1 = sget scc
 branch %4, b1, b2
b1 pc=4 mode=0x3f0 insts=1:
 {between}
b2 pc=8 mode=0x3f0 insts=1:
 %20: mask = exec
 %21: l32 = vget v0 demand %20
 %22: s32 = sget s4
 %23: l32 = splat %22
 store lds.b32 [lane %23], %21, exec %20
 end
}}"
    );
    let mut func = text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    run(&mut func, OptOptions::default());
    wavejit_ir::verify::verify(&func).unwrap();
    let insts = &func.blocks[2].insts;
    let def = |v: Value| insts.iter().find(|inst| (0..inst.results).any(|k| inst.result(k.into()) == v)).unwrap().op.clone();
    let Some(Op::Store { data, .. }) = insts.iter().map(|inst| &inst.op).find(|op| matches!(op, Op::Store { .. })) else {
        panic!("a store")
    };
    let mut value = None;
    data.iter().flatten().for_each(|v| value = value.or(Some(*v)));
    match def(value.expect("it stores something")) {
        Op::Splat(s) => def(s),
        op => op,
    }
}

#[test]
fn constants_go_from_block_to_block_in_lanes_that_stay_active() {
    let seven = Op::Const { width: Width::B32, bits: 7 };
    for exec in ["and.1 %0, %12", "andn.1 %0, %12"] {
        assert_eq!(stored(exec, "jump b2"), seven, "{exec}");
    }
    // Other lanes may have been turned on; another value may have been written; a wave may come from elsewhere.
    for exec in ["or.1 %0, %12", "xor.1 %0, %12"] {
        assert!(matches!(stored(exec, "jump b2"), Op::VGet { .. }), "{exec}");
    }
    let narrow = "and.1 %0, %12";
    let other = "%30: mask = exec\n%31: s32 = const.32 8\n%32: l32 = splat %31\nvset v0, %32, exec %30\njump b2";
    let same = other.replace("const.32 8", "const.32 7");
    assert!(matches!(stored(narrow, other), Op::VGet { .. }));
    assert_eq!(stored(narrow, &same), seven);
    assert!(matches!(stored(narrow, "pause barrier, b2"), Op::VGet { .. }));
    let wider = "%30: mask = exec\n%31: s32 = sget s6\n%32: s64 = zext.64 %31\n%33: mask = bitsmask %32\n%34: mask = or.1 %30, %33\nsetexec %34\njump b2";
    assert!(matches!(stored(narrow, wider), Op::VGet { .. }));
}

/// Halves of exclusive ors that are written, the higher first: (which sides of both values, is it one of 64 bits then?).
#[test]
fn logic_on_halves_is_joined_where_it_is_written() {
    for (low, high, is_joined) in
        [(["lo", "lo"], ["hi", "hi"], true), (["lo", "hi"], ["hi", "lo"], false), (["lo", "lo"], ["hi", "lo"], false)]
    {
        let [a, b, c, d] = [high[0], high[1], low[0], low[1]];
        let text = format!(
            "func \"f\" wave32 {{\nb0 pc=0 mode=0x3f0 insts=1:\n%0: mask = exec\n%1: l32 = vget v0 demand %0\n%2: l64 = zext.64 %1\n\
                 %3: l64 = imul.64 %2, %2\n%4: l64 = imul.64 %3, %3\n%5: l32 = {a}.64 %3\n%6: l32 = {b}.64 %4\n%7: l32 = xor.32 %5, %6\n\
                 vset v3, %7, exec %0\n%8: l32 = {c}.64 %3\n%9: l32 = {d}.64 %4\n%10: l32 = xor.32 %9, %8\nvset v2, %10, exec %0\nend\n}}"
        );
        let mut func = text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        run(&mut func, OptOptions { is_wide: true, ..OptOptions::default() });
        let joined = func.blocks[0].insts.iter().filter(|i| matches!(i.op, Op::Pure { op: PureOp::Xor64, .. })).count();
        assert_eq!(joined, usize::from(is_joined), "{}", text::print(&func));
        if is_joined {
            let written = |row: u16, side: PureOp| {
                let value = func.blocks[0].insts.iter().find_map(|i| match i.op {
                    Op::VSet { reg, value, .. } if reg.0 == row => Some(value),
                    _ => None,
                });
                let def = func.blocks[0].insts.iter().find(|i| Some(i.first) == value && i.results == 1).map(|i| i.op.clone());
                assert!(matches!(def, Some(Op::Pure { op, .. }) if op == side), "{}", text::print(&func));
            };
            written(2, PureOp::Lo64);
            written(3, PureOp::Hi64);
        }
    }
}

#[test]
fn what_is_set_in_half_of_a_shifted_value_is_a_shift_of_the_same() {
    // The shift, what it leaves free, which half of the value that is taken from, which half it is set in, and how.
    for (near, far, from, to, by, wanted) in [
        ("shl", "lshr", "%2", "lo", "or", "or.64(shl.64 7, lshr.64 58)"),
        ("lshr", "shl", "%1", "hi", "xor", "xor.64(lshr.64 7, shl.64 58)"),
        // Of the other half, into the other one, by a shift the same way.
        ("shl", "lshr", "%1", "lo", "or", ""),
        ("shl", "lshr", "%2", "hi", "or", ""),
        ("shl", "shl", "%2", "lo", "or", ""),
        ("shl", "lshr", "%2", "lo", "and", ""),
    ] {
        let halves = if to == "lo" { "%12, %7" } else { "%6, %12" };
        let half = if to == "lo" { "%6" } else { "%7" };
        let text = format!(
            "func \"f\" wave32 {{\nb0 pc=0 mode=0x3f0 insts=1:\n%0: mask = exec\n%1: l32 = vget v0 demand %0\n%2: l32 = vget v1 demand %0\n\
                 %3: l64 = pack.64 %1, %2\n%4: s32 = const.32 7\n%20: l32 = splat %4\n%5: l64 = {near}.64 %3, %20\n%6: l32 = lo.64 %5\n\
                 %7: l32 = hi.64 %5\n%8: s32 = const.32 26\n%9: l32 = splat %8\n%10: l32 = {far}.32 {from}, %9\n%12: l32 = {by}.32 {half}, %10\n\
                 %13: l64 = pack.64 {halves}\n%14: l64 = imul.64 %13, %13\n%15: l32 = lo.64 %14\n%16: l32 = hi.64 %14\n\
                 store lds.b64 [lane %1], %15 %16, exec %0\nend\n}}"
        );
        let mut func = text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        run(&mut func, OptOptions { is_wide: true, ..OptOptions::default() });
        let insts = &func.blocks[0].insts;
        let pure = |v: Value| match insts.iter().find(|i| i.results == 1 && i.first == v).map(|i| i.op.clone()) {
            Some(Op::Pure { op, args, .. }) => (op, args),
            op => panic!("{op:?}"),
        };
        let constant = |v: Value| match insts.iter().find(|i| i.results == 1 && i.first == v).map(|i| i.op.clone()) {
            Some(Op::Splat(s)) => insts.iter().find_map(|i| match i.op {
                Op::Const { bits, .. } if i.first == s => Some(bits),
                _ => None,
            }),
            op => panic!("{op:?}"),
        };
        let shift = |v: Option<Value>| {
            let (op, [Some(of), Some(n), _]) = pure(v.unwrap()) else { panic!("a shift") };
            assert_eq!(pure(of).0, PureOp::Pack64);
            format!("{op} {}", constant(n).unwrap())
        };
        let product = insts.iter().find_map(|i| match i.op {
            Op::Pure { op: PureOp::IMul64, args: [Some(x), ..], .. } => Some(x),
            _ => None,
        });
        let (op, args) = pure(product.unwrap());
        let is_far = |v: Option<Value>| matches!(v.map(pure), Some((PureOp::Shl64 | PureOp::LShr64, _)));
        if wanted.is_empty() {
            assert!(!(is_far(args[0]) && is_far(args[1])), "{}", text::print(&func));
        } else {
            assert_eq!(format!("{op}({}, {})", shift(args[0]), shift(args[1])), wanted, "{}", text::print(&func));
        }
    }
}

#[test]
fn rotations_are_seen_in_their_shifts_and_in_halves_that_change_places() {
    let shifts = |op: &str, left: u32, right: u32| {
        format!(
            "%6: s32 = const.32 {left}\n%7: l32 = splat %6\n%8: s32 = const.32 {right}\n%9: l32 = splat %8\n%10: l64 = shl.64 %3, %7\n\
                 %11: l64 = lshr.64 %3, %9\n%12: l64 = {op}.64 %11, %10"
        )
    };
    let halves = |low: &str, high: &str| format!("%10: l32 = {low}.64 %5\n%11: l32 = {high}.64 %5\n%12: l64 = pack.64 %10, %11");
    for (made, n) in [
        (shifts("or", 7, 57), Some(7)),
        (shifts("xor", 63, 1), Some(63)),
        (halves("hi", "lo"), Some(32)),
        (shifts("and", 7, 57), None),
        (shifts("or", 7, 58), None),
        (halves("hi", "hi"), None),
    ] {
        let text = format!(
            "func \"f\" wave32 {{\nb0 pc=0 mode=0x3f0 insts=1:\n%0: mask = exec\n%1: l32 = vget v0 demand %0\n%2: l32 = vget v1 demand %0\n\
                 %3: l64 = pack.64 %1, %2\n%5: l64 = imul.64 %3, %3\n{made}\n%14: l64 = imul.64 %12, %12\n%15: l32 = lo.64 %14\n\
                 %16: l32 = hi.64 %14\nstore lds.b64 [lane %1], %15 %16, exec %0\nend\n}}"
        );
        let mut func = text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        run(&mut func, OptOptions { is_wide: true, ..OptOptions::default() });
        let insts = &func.blocks[0].insts;
        let found = insts.iter().find_map(|i| match i.op {
            Op::Pure { op: PureOp::RotL64, args: [_, Some(n), _], .. } => Some(n),
            _ => None,
        });
        let by = found.map(|n| match insts.iter().find(|i| i.results == 1 && i.first == n).map(|i| &i.op) {
            Some(Op::Splat(s)) => insts.iter().find(|i| i.first == *s && i.results == 1).map(|i| i.op.clone()),
            op => panic!("{op:?}"),
        });
        assert_eq!(by.flatten(), n.map(|bits| Op::Const { width: Width::B32, bits }), "{}", text::print(&func));
    }
}

#[test]
fn what_is_in_the_upper_half_alone_is_shifted_as_a_dword() {
    for (shift, wanted) in [
        ("ashr.64 %8, 30", "shl.64(sext.64 %5, 2)"),
        ("ashr.64 %8, 32", "sext.64 %5"),
        ("ashr.64 %8, 35", "ashr.64(sext.64 %5, 3)"),
        ("lshr.64 %8, 30", "shl.64(zext.64 %5, 2)"),
        ("ashr.64 %7, 30", "ashr.64(pack.64 %5, 30)"),
    ] {
        let (op, n) = shift.split_once(", ").unwrap();
        let text = format!(
            "func \"f\" wave32 {{
b0 pc=0 mode=0x3f0 insts=1:
 %0: mask = exec
 %1: s32 = const.32 0
 %2: l32 = splat %1
 %3: s32 = const.32 {n}
 %4: l32 = splat %3
 %5: l32 = vget v1 demand %0
 %6: l32 = vget v2 demand %0
 %7: l64 = pack.64 %5, %6
 %8: l64 = pack.64 %2, %5
 %9: l64 = {op}, %4
 %10: l32 = lo.64 %9
 %11: l32 = hi.64 %9
 store lds.b64 [lane %6], %10 %11, exec %0
 end
}}"
        );
        let mut func = text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        run(&mut func, OptOptions::default());
        let insts = &func.blocks[0].insts;
        let def = |v: Value| insts.iter().find(|inst| inst.results == 1 && inst.first == v).map(|inst| inst.op.clone());
        let high = insts.iter().find(|inst| matches!(inst.op, Op::Pure { op: PureOp::Hi64, .. })).expect("a high half");
        let Op::Pure { args: [Some(whole), ..], .. } = high.op else { unreachable!() };
        let Some(Op::Pure { op: outer, args, .. }) = def(whole) else { panic!("{shift}") };
        let inner = match args[1].and_then(def) {
            Some(Op::Splat(s)) => {
                let Some(Op::Const { bits, .. }) = def(s) else { panic!("{shift}: a constant") };
                let Some(Op::Pure { op, args: [Some(x), ..], .. }) = def(args[0].expect("an operand")) else { panic!("{shift}") };
                format!("{outer}({op} %{}, {bits})", x.0)
            }
            _ => format!("{outer} %{}", args[0].expect("an operand").0),
        };
        assert_eq!(inner, wanted, "{shift}");
    }
}
