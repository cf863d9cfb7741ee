//! Facts of lanes, from functions in text form.

use super::*;
use crate::opt::OptOptions;
use wavejit_ir::text::parse;

/// Facts about the values of a function of one block that ends, in waves of 32.
fn strides(ids: Ids, body: &str) -> Vec<Option<Stride>> {
    let mut func = parse(&format!("func \"f\" wave32 {{\nb0 pc=0 mode=0x3f0 insts=1:\n{body}\n end\n}}")).unwrap();
    func.ids = ids;
    let mut liveness = VgprLiveness::new(&func, OptOptions::default()).with_blends(&func, OptOptions::default());
    Strides::new(&func, &mut liveness, true).facts
}

/// (stride, low bits of the base that are 0) of each.
fn facts(ids: Ids, body: &str) -> Vec<Option<(u32, u32)>> {
    strides(ids, body).into_iter().map(|f| f.map(|f| (f.stride, f.clear))).collect()
}

/// (stride, from run to run) of each.
fn runs(ids: Ids, body: &str) -> Vec<Option<(u32, Option<u32>)>> {
    strides(ids, body).into_iter().map(|f| f.map(|f| (f.stride, f.apart()))).collect()
}

#[test]
fn ids_counted_in_runs_stay_strides_through_address_arithmetic() {
    let body = "%0: mask = exec
        %1: l32 = vget v0 demand %0
        %2: s32 = const.32 0x3ff
        %3: l32 = splat %2
        %4: l32 = and.32 %1, %3
        %5: s32 = const.32 2
        %6: l32 = splat %5
        %7: l32 = shl.32 %4, %6
        %8: s32 = sget s4
        %9: l32 = splat %8
        %10: l32 = iadd.32 %7, %9
        %11: s32 = const.32 10
        %12: l32 = splat %11
        %13: l32 = lshr.32 %1, %12
        %14: l32 = and.32 %4, %6
        %15: l64 = pack.64 %10, %13
        %16: l32 = imul.32 %13, %9";
    let f = facts(Ids::PackedRuns(NextRun::Any), body);
    assert_eq!([f[1], f[4], f[7], f[10], f[13]], [Some((1, 4)), Some((1, 4)), Some((4, 6)), Some((4, 0)), Some((0, 0))]);
    // Two bits of the lane are not a stride.
    assert_eq!([f[14], f[15], f[16]], [None, Some((4, 0)), Some((0, 0))]);
    let f = facts(Ids::Any, body);
    assert_eq!([f[1], f[4], f[7], f[10], f[13]], [None; 5]);
}

#[test]
fn bits_that_no_lane_has_are_added_and_low_ones_are_those_of_the_base() {
    let body = |scale: u32, low: u32| {
        format!(
            "%0: mask = exec
            %1: l32 = laneid
            %2: s32 = sget s4
            %3: l32 = splat %2
            %4: s32 = const.32 {scale}
            %5: l32 = splat %4
            %6: l32 = shl.32 %1, %5
            %7: s32 = const.32 {low}
            %8: l32 = splat %7
            %9: l32 = and.32 %3, %8
            %10: l32 = or.32 %6, %9
            %11: l32 = and.32 %10, %8"
        )
    };
    let of = |scale: u32, low: u32| {
        let f = runs(Ids::Any, &body(scale, low));
        [f[10], f[11]]
    };
    assert_eq!(of(1, 1), [Some((2, Some(32))), Some((0, Some(0)))]);
    assert_eq!(of(3, 7), [Some((8, Some(128))), Some((0, Some(0)))]);
    // Lanes have these bits, too.
    assert_eq!(of(1, 3)[0], None);
}

#[test]
fn bits_set_beside_those_of_the_lanes_are_added() {
    let body = |shift: u32| {
        format!(
            "%0: mask = exec
            %1: l32 = laneid
            %2: s32 = sget s4
            %3: s32 = const.32 {shift}
            %4: s32 = shl.32 %2, %3
            %5: l32 = splat %4
            %6: l32 = or.32 %5, %1"
        )
    };
    assert_eq!(facts(Ids::Any, &body(5))[6], Some((1, 4)));
    // The register's lowest bit may be one of the lanes'.
    assert_eq!(facts(Ids::Any, &body(3))[6], None);
}

#[test]
fn runs_of_a_wave_are_known_distances_apart() {
    let body = "%0: mask = exec
        %1: l32 = vget v0 demand %0
        %2: s32 = const.32 0x3ff
        %3: l32 = splat %2
        %4: l32 = and.32 %1, %3
        %5: s32 = const.32 10
        %6: l32 = splat %5
        %7: l32 = bfeu.32 %1, %6, %6
        %8: s32 = const.32 6
        %9: l32 = splat %8
        %10: l32 = shl.32 %7, %9
        %11: s32 = const.32 2
        %12: l32 = splat %11
        %13: l32 = shl.32 %4, %12
        %14: l32 = iadd.32 %10, %13
        %15: l32 = or.32 %13, %10
        %16: s32 = sget s4
        %17: l32 = splat %16
        %18: l32 = imul.32 %7, %17
        %19: l32 = iadd.32 %17, %4
        %20: l32 = lshr.32 %4, %12";
    // x, y, y * 64, x * 4, sums of both, y times what a register holds, x and that, x / 4.
    let of = |f: &[Option<(u32, Option<u32>)>]| [4, 7, 10, 13, 14, 15, 18, 19, 20].map(|i: usize| f[i]);
    let is = |stride: u32, apart: u32| Some((stride, Some(apart)));
    let f = runs(Ids::PackedRuns(NextRun::Row), body);
    assert_eq!(of(&f), [is(1, 0), is(0, 1), is(0, 64), is(4, 0), is(4, 64), is(4, 64), Some((0, None)), is(1, 0), None]);
    let f = runs(Ids::PackedRuns(NextRun::Line), body);
    assert_eq!(of(&f), [is(1, 16), is(0, 0), is(0, 0), is(4, 64), is(4, 64), Some((4, None)), is(0, 0), is(1, 16), None]);
    let f = runs(Ids::PackedRuns(NextRun::Any), body);
    let unknown = |stride: u32| Some((stride, None));
    assert_eq!(of(&f)[..5], [unknown(1), unknown(0), unknown(0), unknown(4), unknown(4)]);
}

#[test]
fn ids_are_known_where_all_workgroups_of_a_grid_are_alike() {
    use NextRun::{Any, Line, Lines, Row};
    let known = |wave, group, rest| match Ids::of(true, wave, group, rest) {
        Ids::PackedRuns(next) => Some(next),
        _ => None,
    };
    assert_eq!(known(32, [48, 1, 1], [17, 0, 0]), Some(Line));
    assert_eq!(
        [known(32, [64, 4, 1], [0; 3]), known(32, [64, 4, 1], [32, 3, 0]), known(64, [32, 4, 1], [0; 3])],
        [Some(Lines), Some(Lines), Some(Any)]
    );
    assert_eq!([known(32, [16, 16, 1], [0; 3]), known(64, [16, 16, 2], [0, 4, 1])], [Some(Row); 2]);
    // A wave would go on in the next plane, or with rows of another length.
    assert_eq!([known(32, [16, 3, 2], [0; 3]), known(64, [16, 16, 2], [0, 2, 0]), known(32, [32, 4, 1], [16, 0, 0])], [Some(Any); 3]);
    assert_eq!([known(32, [24, 2, 1], [0; 3]), known(32, [32, 2, 1], [8, 0, 0])], [None; 2]);
}

#[test]
fn what_is_chosen_for_all_lanes_or_none_is_what_both_are() {
    let body = |with: &str| {
        format!(
            "%0: mask = exec
            %1: s32 = sget s4
            %2: l32 = splat %1
            %3: l32 = vget v0 demand %0
            %4: mask = slt.32 {with}, %2
            %5: mask = and.1 %4, %0
            %6: l32 = iadd.32 %3, %2
            %7: l32 = sel.32 %5, %3, %6
            %8: l32 = iadd.32 %3, %3
            %9: l32 = sel.32 %5, %3, %8
            vset v1, %3, exec %0
            vset v1, %6, exec %5
            vset v2, %8, exec %0
            vset v2, %3, exec %5
            %10: l32 = vget v1 demand %0
            %11: l32 = vget v2 demand %0
            store lds.b32 [lane %10], %11, exec %0"
        )
    };
    let of = |ids: Ids, with: &str| {
        let f = facts(ids, &body(with));
        [7, 9, 10, 11].map(|i: usize| f[i].map(|f| f.0))
    };
    let ids = Ids::Runs(NextRun::Line);
    assert_eq!(of(ids, "%2"), [Some(1), None, Some(1), None]);
    // Lanes choose for themselves.
    assert_eq!(of(ids, "%3"), [None; 4]);
}

#[test]
fn facts_meet_where_ways_join() {
    let text = "func \"f\" wave32 {
        b0 pc=0 mode=0x3f0 insts=1:
          %0: mask = exec
          %1: l32 = laneid
          vset v1, %1, exec %0
          vset v2, %1, exec %0
          %2: s1 = sget scc
          branch %2, b1, b2
        b1 pc=4 mode=0x3f0 insts=1:
          %3: mask = exec
          %4: l32 = vget v1 demand %3
          %5: l32 = iadd.32 %4, %4
          vset v2, %5, exec %3
          jump b2
        b2 pc=8 mode=0x3f0 insts=1:
          %6: mask = exec
          %7: l32 = vget v1 demand %6
          %8: l32 = vget v2 demand %6
          store global.b32 [lane %7], %8, exec %6
          end
        }";
    let func = parse(text).unwrap();
    let s = Strides::new(&func, &mut VgprLiveness::new(&func, OptOptions::default()).with_blends(&func, OptOptions::default()), true);
    assert_eq!([s.of(Value(7)), s.of(Value(8))], [Some(Stride::new(1, 4).across(Across::new(16, 32))), None]);
}
