//! Plans of functions written here, and what the checker says to them when they are broken.

use super::*;
use crate::emit::wide::assemble;
use crate::emit::{EmitOptions, Isa};
use crate::opt::{self, OptOptions};
use wavejit_ir::{FpMode, Func, text};

/// More sums than there are registers for, needed at the end, the first ones last; EXEC and rows change in between.
fn crowded() -> Func {
    const SUMS: u32 = 60;
    let mut body =
        String::from("%0: mask = exec\n%1: l32 = vget v1 demand %0\n%2: l32 = vget v2 demand %0\n%3: s32 = sget s4\n%4: l32 = splat %3\n");
    let mut next = 5;
    for n in 0..SUMS {
        body += &format!("%{next}: l32 = iadd.32 %{}, %{}\n", 1 + n % 2, if n < 2 { 4 } else { next - 1 - n % 2 });
        next += 1;
    }
    body += "vset v1, %5, exec %0\nsset s4, %3\n";
    let mut last = 1;
    for n in 0..SUMS {
        body += &format!("%{next}: l32 = xor.32 %{last}, %{}\n", 5 + SUMS - 1 - n);
        last = next;
        next += 1;
    }
    body += &format!("vset v3, %{last}, exec %0\n");
    let text = format!("func \"crowded\" wave64 {{\nb0 pc=0 mode={:#x} insts=1:\n{body}end\n}}", FpMode::HSA.0);
    text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// Its plan.
fn plan_of(func: &mut Func, isa: Isa) -> Plan {
    opt::run(func, OptOptions { keep_final_state: true, is_wide: true, is_avx512: true });
    let options = EmitOptions { keep_final_state: true, isa, check_plan: true, ..EmitOptions::default() };
    assemble(func, &options, &|| false).unwrap().plan.unwrap()
}

/// Where the first event is of which this holds.
fn at(plan: &Plan, what: impl Fn(&Event) -> bool) -> usize {
    plan.events.iter().position(what).expect("there is such an event")
}

/// What the checker says to the plan after a change.
fn verdict(isa: Isa, change: impl Fn(&mut Plan)) -> String {
    let mut func = crowded();
    let mut plan = plan_of(&mut func, isa);
    assert_eq!(check(&func, &plan), Ok(()));
    change(&mut plan);
    check(&func, &plan).expect_err("it is broken").to_string()
}

const LEVELS: [Isa; 2] = [Isa::Avx512, Isa::Avx2];

/// A spill that is loaded later.
fn spilled(plan: &Plan) -> (usize, usize) {
    let pairs = plan.events.iter().enumerate().filter_map(|(n, event)| {
        let Event::Stored { id, .. } = event else { return None };
        let after =
            plan.events[n..].iter().position(|e| matches!(e, Event::Loaded { id: p, .. } | Event::UseInMemory { id: p, .. } if p == id))?;
        Some((n, n + after))
    });
    pairs.into_iter().next().expect("registers are short")
}

#[test]
fn a_spill_that_is_left_out_is_missed() {
    for isa in LEVELS {
        let said = verdict(isa, |plan| {
            plan.events.remove(spilled(plan).0);
        });
        assert!(said.contains("the plan of `crowded` is wrong in block 0 at 0x0") && said.contains("but is in None"), "{said}");
    }
}

#[test]
fn a_spill_to_another_place_is_missed() {
    for isa in LEVELS {
        let said = verdict(isa, |plan| {
            let (stored, _) = spilled(plan);
            if let Event::Stored { home: Home::Row { part, .. }, .. } = &mut plan.events[stored] {
                *part ^= 1;
            }
        });
        assert!(said.contains("is read from Row"), "{said}");
    }
}

#[test]
fn another_piece_in_the_place_of_a_spilled_one_is_seen() {
    for isa in LEVELS {
        let said = verdict(isa, |plan| {
            let (stored, loaded) = spilled(plan);
            let Event::Stored { home: Home::Row { row, .. }, .. } = plan.events[stored] else { panic!("vectors are spilled to rows") };
            plan.events.insert(loaded, Event::RowTaken { row });
        });
        assert!(said.contains("which holds another"), "{said}");
    }
}

#[test]
fn a_load_that_is_left_out_is_missed() {
    for isa in LEVELS {
        let said = verdict(isa, |plan| {
            let n = at(plan, |e| matches!(e, Event::Loaded { home: Home::Row { .. }, .. }));
            plan.events.remove(n);
            // The instruction that loads is not there, either.
            let n = (0..n).rev().find(|n| matches!(plan.events[*n], Event::Writes { .. })).unwrap();
            plan.events.remove(n);
        });
        assert!(said.contains("which holds Some(Promised("), "{said}");
    }
}

#[test]
fn reads_of_another_register_are_seen() {
    for isa in LEVELS {
        let said = verdict(isa, |plan| {
            let n = at(plan, |e| matches!(e, Event::Use { .. }));
            if let Event::Use { reg, .. } = &mut plan.events[n] {
                *reg ^= 1;
            }
        });
        assert!(said.contains("is read from") && said.contains("which holds"), "{said}");
    }
}

#[test]
fn reads_of_another_value_are_seen() {
    for isa in LEVELS {
        let said = verdict(isa, |plan| {
            // The last operation reads the last sum, and not the first.
            let first = at(plan, |e| matches!(e, Event::Is { value, .. } if value.0 == 1));
            let Event::Is { pieces, .. } = &plan.events[first] else { unreachable!() };
            let other = pieces[0];
            let n = plan.events.iter().rposition(|e| matches!(e, Event::Use { .. })).unwrap();
            if let Event::Use { id, .. } = &mut plan.events[n] {
                *id = other;
            }
        });
        assert!(said.contains("which is no operand's") || said.contains("which holds"), "{said}");
    }
}

#[test]
fn registers_that_are_written_while_they_hold_something_are_seen() {
    for isa in LEVELS {
        let said = verdict(isa, |plan| {
            let n = at(plan, |e| matches!(e, Event::Loaded { home: Home::Row { .. }, .. }));
            let Event::Writes { class, reg } = plan.events[n - 1] else { panic!("a load writes its register") };
            plan.events.insert(n + 1, Event::Writes { class, reg });
            // In an operation that did not make it.
            let step = plan.events[..n].iter().rev().find(|e| matches!(e, Event::Step { .. })).unwrap().clone();
            plan.events.insert(n + 1, step);
        });
        assert!(said.contains("is written, which holds piece"), "{said}");
    }
}

#[test]
fn registers_that_nobody_has_taken_stay_as_they_are() {
    for isa in LEVELS {
        let said = verdict(isa, |plan| {
            let n = at(plan, |e| matches!(e, Event::Step { .. }));
            plan.events.insert(n + 1, Event::Writes { class: Class::Vector, reg: 9 });
        });
        assert!(said.contains("vector register 9 is written, which nobody has taken"), "{said}");
    }
}

#[test]
fn a_register_that_is_taken_from_somebody_is_missed() {
    for isa in LEVELS {
        let said = verdict(isa, |plan| {
            let n = at(plan, |e| matches!(e, Event::Use { .. }));
            let Event::Use { reg, .. } = plan.events[n] else { unreachable!() };
            plan.events.insert(n, Event::Temporary { class: Class::Vector, reg });
        });
        assert!(said.contains("which holds Some(Temporary)"), "{said}");
    }
}

#[test]
fn nothing_is_in_registers_after_a_call() {
    for isa in LEVELS {
        let said = verdict(isa, |plan| {
            let n = plan.events.iter().rposition(|e| matches!(e, Event::Use { .. })).unwrap();
            plan.events.insert(n, Event::Call);
        });
        assert!(said.contains("which holds None"), "{said}");
    }
}

#[test]
fn a_row_that_is_written_is_no_home_any_more() {
    for isa in LEVELS {
        let said = verdict(isa, |plan| {
            let n = at(plan, |e| {
                matches!(
                    e,
                    Event::Loaded { home: Home::Row { row: 1, .. }, .. } | Event::UseInMemory { home: Home::Row { row: 1, .. }, .. }
                )
            });
            plan.events.insert(n, Event::RowChanges { row: 1, part: None });
        });
        assert!(said.contains("is read from Row(1, ") && said.contains("which has been written since"), "{said}");
    }
}

#[test]
fn what_the_function_sets_changes() {
    for isa in LEVELS {
        let said = verdict(isa, |plan| {
            let n = at(plan, |e| matches!(e, Event::RowChanges { row: 3, .. }));
            plan.events.remove(n);
        });
        assert!(said.contains("Row(3, 0) stays as it is, though the operation sets it") && said.contains("`vset v3, "), "{said}");
    }
}

#[test]
fn a_value_read_from_a_row_is_what_that_row_holds() {
    for isa in LEVELS {
        // v2 for v1.
        let said = verdict(isa, |plan| {
            let [first, second] = [1, 2].map(|v| at(plan, |e| matches!(e, Event::Is { value, .. } if value.0 == v)));
            let Event::Is { pieces, .. } = plan.events[second].clone() else { unreachable!() };
            let Event::Is { value, .. } = plan.events[first] else { unreachable!() };
            let step = plan.events[..first].iter().rev().find(|e| matches!(e, Event::Step { .. })).unwrap().clone();
            plan.events.splice(second + 1..second + 1, [step, Event::Is { value, pieces }]);
        });
        assert!(said.contains("is to be what Row(1, 0) holds, and is not"), "{said}");
        // The other part.
        let said = verdict(isa, |plan| {
            let n = at(plan, |e| matches!(e, Event::Is { value, .. } if value.0 == 1));
            if let Event::Is { pieces, .. } = &mut plan.events[n] {
                pieces.rotate_right(1);
            }
        });
        assert!(said.contains("is to be what Row(1, 1) holds, and is not"), "{said}");
    }
}

#[test]
fn what_a_block_finds_in_registers_must_be_there() {
    let text = format!(
        "func \"two\" wave32 {{
b0 pc=0 mode={0:#x} insts=1:
%0: mask = exec
%1: l32 = vget v1 demand %0
%2: l32 = iadd.32 %1, %1
vset v2, %2, exec %0
%3: s32 = sget s4
%4: s32 = const.32 0
%5: s1 = eq.32 %3, %4
branch %5, b1, b2
b1 pc=0x10 mode={0:#x} insts=1:
%6: mask = exec
%7: l32 = vget v1 demand %6
vset v3, %7, exec %6
jump b2
b2 pc=0x20 mode={0:#x} insts=1:
end
}}",
        FpMode::HSA.0
    );
    let mut func = text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let mut plan = plan_of(&mut func, Isa::Avx512);
    let n = at(&plan, |e| matches!(e, Event::Held { .. }));
    assert_eq!(check(&func, &plan), Ok(()));
    let Event::Held { reg, .. } = &mut plan.events[n] else { unreachable!() };
    *reg ^= 31;
    let said = check(&func, &plan).expect_err("nothing is there").to_string();
    assert!(said.contains("from the block before on, which it does not at the end of block 0"), "{said}");
}

#[test]
fn reads_of_lds_behind_a_store_are_seen() {
    let body = "%0: mask = exec
        %1: l32 = laneid
        %2: s32 = const.32 2
        %3: l32 = splat %2
        %4: l32 = shl.32 %1, %3
        %5: l32 = vget v1 demand %0
        %6: l32 = load lds.b32 [lane %4], exec %0
        store lds.b32 [lane %4], %5, exec %0
        %7: l32 = iadd.32 %6, %5
        vset v2, %7, exec %0";
    let mut func = text::parse(&format!("func \"late\" wave32 {{\nb0 pc=0 mode={:#x} insts=1:\n{body}\nend\n}}", FpMode::HSA.0)).unwrap();
    let mut plan = plan_of(&mut func, Isa::Avx512);
    assert_eq!(check(&func, &plan), Ok(()));
    // It stays in LDS, as if nothing were stored.
    let n = at(&plan, |e| matches!(e, Event::Loaded { home: Home::Lds { .. }, .. }));
    let Event::Loaded { id, home } = plan.events[n] else { unreachable!("that is what was looked for") };
    let homeless = at(&plan, |e| *e == Event::Homeless { id });
    plan.events.remove(homeless);
    let used = homeless + plan.events[homeless..].iter().position(|e| matches!(e, Event::Use { id: p, .. } if *p == id)).unwrap();
    plan.events[used] = Event::UseInMemory { id, home };
    let said = check(&func, &plan).expect_err("it is broken").to_string();
    assert!(said.contains("is read from Lds, which has been written since"), "{said}");
}

/// Each half of the wave is at the same place: its parts are read in the registers of the other half's.
#[test]
fn a_twin_is_at_the_same_place() {
    let body = "%0: mask = exec
        %1: l32 = laneid
        %2: s32 = const.32 15
        %3: l32 = splat %2
        %4: l32 = and.32 %1, %3
        %5: s32 = const.32 2
        %6: l32 = splat %5
        %7: l32 = shl.32 %4, %6
        %8: l32 = load lds.b32 [lane %7], exec %0
        %9: l32 = load lds.b32 [lane %7 + 64], exec %0
        %10: l32 = iadd.32 %8, %9
        %11: l32 = xor.32 %9, %10
        %12: l32 = iadd.32 %9, %11
        vset v2, %12, exec %0";
    let mut func = text::parse(&format!("func \"twins\" wave32 {{\nb0 pc=0 mode={:#x} insts=1:\n{body}\nend\n}}", FpMode::HSA.0)).unwrap();
    let mut plan = plan_of(&mut func, Isa::Avx2);
    assert_eq!(check(&func, &plan), Ok(()));
    let n = at(&plan, |e| matches!(e, Event::UseTwin { .. }));
    let Event::UseTwin { twin, reg, .. } = plan.events[n] else { unreachable!("that is what was looked for") };
    let next = n + 1 + plan.events[n + 1..].iter().position(|e| matches!(e, Event::UseTwin { twin: t, .. } if *t != twin)).unwrap();
    // A part that is elsewhere.
    let Event::UseTwin { twin: other, .. } = &mut plan.events[next] else { unreachable!("that is what was looked for") };
    *other = twin;
    let said = check(&func, &plan).expect_err("it is broken").to_string();
    assert!(said.contains("but is in Lds"), "{said}");
    // The register of another.
    plan = plan_of(&mut func, Isa::Avx2);
    let Event::UseTwin { reg: wrong, .. } = &mut plan.events[n] else { unreachable!("that is what was looked for") };
    *wrong = reg ^ 1;
    let said = check(&func, &plan).expect_err("it is broken").to_string();
    assert!(said.contains("which holds"), "{said}");
}
