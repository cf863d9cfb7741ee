//! AVX-512 and AVX2 code of single operations against the definition of each (`ir::eval`), on many operands or on all.

#[path = "wide/bench.rs"]
mod bench;
#[path = "wide/halves.rs"]
mod halves;
#[path = "wide/idle.rs"]
mod idle;
#[path = "wide/pairs.rs"]
mod pairs;
#[path = "wide/scalars.rs"]
mod scalars;

use bench::{Bench, function, function_with, levels};
use halves::SPECIAL_HALVES;
use iced_x86::{Decoder, DecoderOptions, EncodingKind, Instruction, Mnemonic};
use wavejit_ir::{FpMode, Func, PureOp, Width, eval::eval, text};
use wavejit_isa::HostLevel;
use wavejit_jit::emit::{self, EmitOptions, Isa};
use wavejit_jit::opt::{self, OptOptions, logic};
use wavejit_random::{Random, SPECIAL_WORDS};

/// Does the code of a function take instructions beyond AVX2 and what comes with it?
fn takes_avx512(func: &Func, by_parts: bool) -> Option<String> {
    let mut func = func.clone();
    opt::run(&mut func, OptOptions { keep_final_state: true, is_wide: true, is_avx512: true });
    let options = EmitOptions { keep_final_state: true, isa: Isa::Avx2, by_parts, check_plan: true, ..EmitOptions::default() };
    let code = emit::wide_code(&func, &options).unwrap();
    let decoder = Decoder::with_ip(64, &code.bytes, 0, DecoderOptions::NONE);
    let is_beyond = |i: &Instruction| {
        let features = i.cpuid_features();
        i.is_invalid() || i.encoding() == EncodingKind::EVEX || features.iter().any(|f| format!("{f:?}").starts_with("AVX512"))
    };
    decoder.into_iter().find(is_beyond).map(|i| format!("{:?} at {:#x}", i.mnemonic(), i.ip()))
}

#[test]
fn avx2_code_has_no_instruction_of_avx512() {
    for (i, op) in PureOp::ALL.iter().enumerate() {
        for (wave, by_parts) in [(32, false), (64, i % 2 == 0)] {
            let found = takes_avx512(&function(*op, FpMode::HSA, wave), by_parts);
            assert_eq!(found, None, "{op}");
        }
    }
}

/// The operations of which a level's code calls the function, on operands of which nothing is known. Each call costs as much as fifty instructions and puts
/// all registers into memory, so that a kernel with one of them is no longer fast.
fn calling(isa: Isa) -> Vec<PureOp> {
    let calls = |op: &PureOp| {
        let mut func = function(*op, FpMode::HSA, 32);
        opt::run(&mut func, OptOptions { keep_final_state: true, is_wide: true, is_avx512: true });
        let options = EmitOptions { keep_final_state: true, isa, check_plan: true, ..EmitOptions::default() };
        let code = emit::wide_code(&func, &options).unwrap();
        let usual = &code.bytes[..code.usual_bytes];
        Decoder::with_ip(64, usual, 0, DecoderOptions::NONE).into_iter().any(|i| i.mnemonic() == Mnemonic::Call)
    };
    PureOp::ALL.iter().copied().filter(calls).collect()
}

/// Is it one that passes make for AVX-512 alone?
fn is_of_avx512(op: PureOp) -> bool {
    logic::OF_THREE.contains(&op) || op == PureOp::FScale64
}

#[test]
fn which_operations_are_calls() {
    use PureOp::*;
    // Of scalars only: no vector instruction is one of these.
    const OF_SCALARS: [PureOp; 8] = [BitRev64, Popcnt64, FfbhU64, FfbhI64, FfblB64, Wqm64, QuadMask64, BitReplicate];
    // Classes by a mask that is known, segments of 2/pi by number, and sums scaled back under the mask of a division have lane code.
    const OF_CONSTANTS: [PureOp; 6] = [FClass16, FClass32, FClass64, TrigPreop64, DivFmasScaled32, DivFmasScaled64];
    const RARE: [PureOp; 5] = [FMullit32, FOmod2x64, FOmod4x64, FOmodHalf64, Dot2Bf16Bf16];
    let known = || OF_SCALARS.into_iter().chain(OF_CONSTANTS).chain(RARE);
    for isa in levels() {
        let found = calling(isa);
        // Not every host with AVX-512 counts bits.
        let is_made = |op: PureOp| !is_of_avx512(op) || isa == Isa::Avx512;
        let others: Vec<_> = found.iter().filter(|op| **op != Popcnt32 && is_made(**op) && known().all(|known| known != **op)).collect();
        assert!(others.is_empty(), "{isa:?}: lane code is missing for {others:?}");
        let inline: Vec<_> = known().filter(|op| !found.contains(op)).collect();
        assert!(inline.is_empty(), "{isa:?}: these are calls no more: {inline:?}");
    }
}

/// Fields, counts, selectors and places that are known, each beside those that are not.
#[test]
fn constants_for_any_operand_say_what_is_emitted() {
    use PureOp::*;
    const COUNTS: [u32; 8] = [0, 1, 5, 8, 16, 24, 31, 43];
    const SELECTORS: [u32; 8] = [0x0706_0504, 0x0302_0100, 0x0c0c_0c00, 0x0d07_0c03, 0x0809_0a0b, 0x0400_0501, 0x0c0f_0e0d, 0x8483_0207];
    let mut random = Random(23);
    let mut cases = vec![];
    for n in COUNTS {
        for op in [Shl32, LShr32, AShr32, Shl16, LShr16, AShr16, CvtPkU8F32, FLdexp16, FLdexp32] {
            cases.push((op, [None, Some(n), None]));
        }
        cases.extend([(Bfm32, [Some(n), None, None]), (Bfm32, [None, Some(n), None]), (AlignBit32, [None, None, Some(n)])]);
        for op in [BfeU32, BfeI32] {
            cases.extend([(op, [None, Some(n), None]), (op, [None, None, Some(n)])]);
            cases.extend(COUNTS.map(|offset| (op, [None, Some(offset), Some(n)])));
        }
    }
    cases.extend(SELECTORS.map(|selector| (Perm32, [None, None, Some(selector)])));
    for (isa, (k, (op, constants))) in levels().flat_map(|isa| cases.iter().enumerate().map(move |case| (isa, case))) {
        let mut bench = Bench::new(&function_with(*op, FpMode::HSA, if k % 3 == 0 { 64 } else { 32 }, *constants), isa);
        for round in 0..4 {
            for row in 0..3 {
                bench.row(2 * row).fill_with(|| match random.below(3) {
                    0 => random.pick(&SPECIAL_WORDS),
                    // Selectors that name bytes, and small counts.
                    1 if round % 2 == 0 => random.u32() & 0x0707_0707,
                    _ => random.u32(),
                });
            }
            let operands = [0, 2, 4].map(|row| bench.row(row).to_vec());
            bench.run();
            for (lane, got) in bench.row(10).iter().enumerate() {
                let args = [0, 1, 2].map(|i| u64::from(constants[i].unwrap_or(operands[i][lane])));
                let want = eval(*op, FpMode::HSA, args[0], args[1], args[2]);
                assert_eq!(u64::from(*got), want, "{op} of {args:x?}, constants {constants:x?}, {isa:?}: {got:#x} for {want:#x}");
            }
        }
    }
}

/// Has code of this level the bits of `eval`? Where estimates of the host's are taken, only at the level in use.
fn is_defined_by_eval(op: PureOp, isa: Isa) -> bool {
    let level = if isa == Isa::Avx2 { HostLevel::Avx2 } else { HostLevel::Avx512 };
    !op.takes_estimate() || HostLevel::get() == level
}

#[test]
fn every_operation_equals_its_definition() {
    for isa in levels() {
        every_operation(isa);
    }
}

fn every_operation(isa: Isa) {
    let mut random = Random(7);
    // HSA's mode; without IEEE and DX10_CLAMP; f32 denormals flushed; another rounding.
    let modes = [FpMode::HSA, FpMode(0x0f0), FpMode(0x3c0), FpMode(0x3f5)];
    for (i, op) in PureOp::ALL.iter().enumerate() {
        for (k, mode) in modes.into_iter().enumerate() {
            if k > 0 && !op.reads_mode() || !is_defined_by_eval(*op, isa) {
                continue;
            }
            let mut bench = Bench::with(&function(*op, mode, if (i + k) % 3 == 0 { 64 } else { 32 }), isa, (i + k) % 2 == 0);
            for round in 0..80 {
                for row in 0..2 * op.args().len() {
                    let equal = (round % 4 == 3).then(|| random.u32());
                    // Floats of usual size in all lanes: what is rare must not decide for all.
                    let usual = round % 4 == 1;
                    bench.row(row).fill_with(|| match equal {
                        Some(v) => v,
                        None if usual => random.u32() & 0x83ff_ffff | 0x3c00_0000,
                        None if random.one_in(3) => random.pick(&SPECIAL_WORDS),
                        None => random.u32(),
                    });
                }
                let operands: Vec<Vec<u32>> = (0..2 * op.args().len()).map(|r| bench.row(r).to_vec()).collect();
                bench.run();
                let word = |row: usize, lane: usize| operands[row][lane];
                for lane in 0..bench.lanes {
                    let args = bench::operands(*op, |row| word(row, lane));
                    let want = eval(*op, mode, args[0], args[1], args[2]);
                    let mut got = u64::from(bench.row(10)[lane]);
                    if op.ret() == Width::B64 {
                        got |= u64::from(bench.row(11)[lane]) << 32;
                    }
                    assert_eq!(
                        got, want,
                        "{op} of {args:x?} in mode {mode:?}, lane {lane} of {}, {isa:?}: {got:#x} for {want:#x}",
                        bench.lanes
                    );
                }
            }
        }
    }
}

/// Operands of 32 or 64 bits that are special in a float format or random.
fn float_bits(random: &mut Random, wide: bool) -> u64 {
    let sign = u64::from(random.u32() & 1) << 63;
    let bits = match random.below(8) {
        0 => 0,
        1 => 0x7ff << 52,
        2 => 0x7ff << 52 | 1 << 51 | u64::from(random.u32()),
        3 => (0x7ff << 52) + 1 + u64::from(random.u32()),
        4 => u64::from(random.u32()) << 8,
        5 => u64::from(random.u32() % 0x7ff) << 52,
        _ => (u64::from(random.u32()) << 32 | u64::from(random.u32())) & !(1 << 63),
    } | sign;
    if wide { bits } else { u64::from((f64::from_bits(bits) as f32).to_bits()) }
}

#[test]
fn constants_as_second_operand_say_what_is_emitted() {
    for isa in levels() {
        constants_as_second_operand(isa);
    }
}

fn constants_as_second_operand(isa: Isa) {
    let mut random = Random(19);
    let classes = (0..1024).map(|kinds| (PureOp::FClass64, kinds)).chain((0..1024).map(|kinds| (PureOp::FClass32, kinds)));
    let classes = classes.chain((0..1024).map(|kinds| (PureOp::FClass16, kinds)));
    let segments = (0..35).map(|segment| (PureOp::TrigPreop64, segment));
    for (i, (op, second)) in classes.chain(segments).enumerate() {
        let mut bench = Bench::new(&function_with(op, FpMode::HSA, if i % 3 == 0 { 64 } else { 32 }, [None, Some(second), None]), isa);
        for _ in 0..if op == PureOp::TrigPreop64 { 200 } else { 2 } {
            let wide = op.args()[0] == Width::B64;
            let one = |random: &mut Random| match op {
                PureOp::FClass16 if random.one_in(2) => random.pick(&SPECIAL_HALVES).into(),
                PureOp::FClass16 => random.u32().into(),
                _ => float_bits(random, wide),
            };
            let operands: Vec<u64> = (0..bench.lanes).map(|_| one(&mut random)).collect();
            for (lane, x) in operands.iter().enumerate() {
                (bench.row(0)[lane], bench.row(1)[lane]) = (*x as u32, (x >> 32) as u32);
            }
            bench.run();
            for (lane, x) in operands.into_iter().enumerate() {
                let want = eval(op, FpMode::HSA, x, second.into(), 0);
                let mut got = u64::from(bench.row(10)[lane]);
                if op.ret() == Width::B64 {
                    got |= u64::from(bench.row(11)[lane]) << 32;
                }
                assert_eq!(got, want, "{op} of {x:#x} and {second:#x}, {isa:?}: {got:#x} for {want:#x}");
            }
        }
    }
}

/// A division as compilers write it, of v0 (and v1) by v2 (and v3) into v10 (and v11), with the mask of scaling back from v4.
fn division(wide: bool, wave: u32) -> Func {
    let (n, ty) = if wide { ("64", "l64") } else { ("32", "l32") };
    let mut body = String::from("%0: mask = exec\n");
    for i in 0..5 {
        body += &format!("%{}: l32 = vget v{i} demand %0\n", i + 1);
    }
    if wide {
        body += "%6: l64 = pack.64 %1, %2\n%7: l64 = pack.64 %3, %4\n";
    } else {
        body += "%6: l32 = or.32 %1, %1\n%7: l32 = or.32 %3, %3\n";
    }
    body += &format!(
        "%8: {ty} = divscale.{n} %7, %7, %6
%9: {ty} = divscale.{n} %6, %7, %6
%10: mask = divscaleflag.{n} %6, %7, %6
%11: s32 = const.32 0
%12: l32 = splat %11
%13: mask = ne.32 %5, %12
%14: mask = or.1 %10, %13
%15: {ty} = ffma.{n} %8, %9, %8
%16: {ty} = divfmas.{n} %8, %9, %8
%17: {ty} = sel.{n} %14, %16, %15
%18: {ty} = divfixup.{n} %17, %7, %6
"
    );
    if wide {
        body += "%19: l32 = lo.64 %18\n%20: l32 = hi.64 %18\nvset v10, %19, exec %0\nvset v11, %20, exec %0\n";
    } else {
        body += "vset v10, %18, exec %0\n";
    }
    let text = format!("func \"f\" wave{wave} {{\nb0 pc=0 mode={:#x} insts=1:\n{body}end\n}}", FpMode::HSA.0);
    text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// v2 = v0 + 1, v4 = s0 + 1 and v6 = v0 * 1 in all lanes, f64: the constant is first used in one part, then once for all parts, then in each again.
fn sums_with_a_constant(wave: u32) -> Func {
    let text = format!(
        "func \"f\" wave{wave} {{\nb0 pc=0 mode={:#x} insts=1:
%0: mask = exec
%1: l32 = vget v0 demand %0
%2: l32 = vget v1 demand %0
%3: l64 = pack.64 %1, %2
%4: s64 = const.64 0x3ff0000000000000
%5: l64 = splat %4
%6: s32 = sget s0
%7: s32 = sget s1
%8: s64 = pack.64 %6, %7
%9: l64 = splat %8
%10: l64 = fadd.64 %3, %5
%11: l64 = fadd.64 %9, %5
%12: l64 = fmul.64 %3, %5
%13: l32 = lo.64 %10
%14: l32 = hi.64 %10
%15: l32 = lo.64 %11
%16: l32 = hi.64 %11
%17: l32 = lo.64 %12
%18: l32 = hi.64 %12
vset v2, %13, exec %0
vset v3, %14, exec %0
vset v4, %15, exec %0
vset v5, %16, exec %0
vset v6, %17, exec %0
vset v7, %18, exec %0
end
}}",
        FpMode::HSA.0
    );
    text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

#[test]
fn a_constant_may_be_used_in_one_part_and_then_for_all() {
    for (isa, wave, by_parts) in
        levels().flat_map(|isa| [(32, false), (32, true), (64, true)].map(|(wave, by_parts)| (isa, wave, by_parts)))
    {
        let mut bench = Bench::with(&sums_with_a_constant(wave), isa, by_parts);
        let bits = |x: f64| [x.to_bits() as u32, (x.to_bits() >> 32) as u32];
        [bench.state.sregs[0], bench.state.sregs[1]] = bits(41.0);
        for lane in 0..bench.lanes {
            let [low, high] = bits(lane as f64);
            (bench.row(0)[lane], bench.row(1)[lane]) = (low, high);
        }
        bench.run();
        for lane in 0..bench.lanes {
            for (row, want) in [(2, lane as f64 + 1.0), (4, 42.0), (6, lane as f64)] {
                let got = [bench.row(row)[lane], bench.row(row + 1)[lane]];
                assert_eq!(got, bits(want), "{isa:?} wave{wave} {by_parts} lane {lane} v{row}");
            }
        }
    }
}

#[test]
fn divisions_are_exact_where_all_lanes_are_usual_and_where_one_is_not() {
    for isa in levels() {
        divisions(isa);
    }
}

fn divisions(isa: Isa) {
    let mut random = Random(23);
    for (wide, wave, by_parts) in (0..8).map(|n| (n & 1 != 0, if n & 2 != 0 { 64 } else { 32 }, n & 4 != 0)) {
        let mut bench = Bench::with(&division(wide, wave), isa, by_parts);
        for round in 0..4000 {
            let usual = |random: &mut Random| {
                let x = random.u64() & 0x83ff_ffff_ffff_ffff | 0x3c00_0000_0000_0000;
                if wide { x } else { x >> 32 }
            };
            let rare = (random.below(64) as usize, random.below(64) as usize);
            let lanes: Vec<[u64; 3]> = (0..bench.lanes)
                .map(|lane| {
                    let mut x = [usual(&mut random), usual(&mut random), 0];
                    if round % 3 != 0 && lane == rare.0 {
                        x[round % 2] = float_bits(&mut random, wide);
                    }
                    if round % 5 == 0 && lane == rare.1 {
                        x[2] = 1;
                    }
                    x
                })
                .collect();
            for (lane, x) in lanes.iter().enumerate() {
                for (row, v) in [(0, x[0]), (2, x[1]), (4, x[2])] {
                    bench.row(row)[lane] = v as u32;
                    bench.row(row + 1)[lane] = (v >> 32) as u32;
                }
            }
            bench.run();
            use PureOp::*;
            let [scale, flag, sum, scaled_sum, fixup] = if wide {
                [DivScale64, DivScaleFlag64, FFma64, DivFmasScaled64, DivFixup64]
            } else {
                [DivScale32, DivScaleFlag32, FFma32, DivFmasScaled32, DivFixup32]
            };
            for (lane, [n, d, forced]) in lanes.into_iter().enumerate() {
                let op = |op: PureOp, a: u64, b: u64, c: u64| eval(op, FpMode::HSA, a, b, c);
                let (below, above) = (op(scale, d, d, n), op(scale, n, d, n));
                let back = op(flag, n, d, n) != 0 || forced != 0;
                let want = op(fixup, op(if back { scaled_sum } else { sum }, below, above, below), d, n);
                let mut got = u64::from(bench.row(10)[lane]);
                if wide {
                    got |= u64::from(bench.row(11)[lane]) << 32;
                }
                assert_eq!(got, want, "{n:#x} by {d:#x}, wave{wave}, {isa:?}: {got:#x} for {want:#x}");
            }
        }
    }
}

/// v\[10:11\] and v\[12:13\]: selections of v\[0:1\] + v\[2:3\] and constants by comparisons of the two, alone and together; v14: where one of them holds, if `mixed`.
fn selections_by_comparisons(wave: u32, mixed: bool) -> Func {
    let also = if mixed { "%40: l32 = b2i.32 %20\nvset v14, %40, exec %0\n" } else { "" };
    let text = format!(
        "func \"f\" wave{wave} {{\nb0 pc=0 mode={:#x} insts=1:
%0: mask = exec
%1: l32 = vget v0 demand %0
%2: l32 = vget v1 demand %0
%3: l32 = vget v2 demand %0
%4: l32 = vget v3 demand %0
%5: l32 = vget v4 demand %0
%6: l64 = pack.64 %1, %2
%7: l64 = pack.64 %3, %4
%8: l64 = fadd.64 %6, %7
%9: s64 = const.64 0x4008000000000000
%10: l64 = splat %9
%11: s32 = const.32 0x207
%12: l32 = splat %11
%20: mask = flt.64 %6, %7
%21: mask = fclass.64 %8, %12
%22: mask = ult.32 %5, %12
%23: mask = xor.1 %20, %21
%24: mask = not.1 %23
%25: mask = and.1 %24, %0
%26: mask = or.1 %22, %20
%27: mask = fgt.64 %6, %8
%28: mask = flt.64 %8, %7
%29: mask = and.1 %27, %28
%30: l64 = sel.64 %25, %8, %10
%37: l64 = sel.64 %29, %7, %10
%38: l64 = sel.64 %28, %37, %6
%31: l64 = sel.64 %26, %30, %38
%32: l64 = fadd.64 %30, %31
%33: l32 = lo.64 %32
%34: l32 = hi.64 %32
%35: l32 = lo.64 %31
%36: l32 = hi.64 %31
vset v10, %33, exec %0
vset v11, %34, exec %0
vset v12, %35, exec %0
vset v13, %36, exec %0
{also}end
}}",
        FpMode::HSA.0
    );
    text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

#[test]
fn qwords_are_selected_by_comparisons_of_qwords() {
    let all = levels().flat_map(|isa| [32, 64].into_iter().flat_map(move |wave| [0, 1, 2, 3].map(|k| (isa, wave, k & 1 == 1, k & 2 == 2))));
    for (isa, wave, by_parts, mixed) in all {
        let mut bench = Bench::with(&selections_by_comparisons(wave, mixed), isa, by_parts);
        let mut random = Random(31);
        for _ in 0..4 {
            let x: Vec<[u64; 2]> = (0..bench.lanes).map(|_| [0, 1].map(|_| float_bits(&mut random, true))).collect();
            for (lane, [a, b]) in x.iter().enumerate() {
                for (row, bits) in [a, b].into_iter().enumerate() {
                    (bench.row(2 * row)[lane], bench.row(2 * row + 1)[lane]) = (*bits as u32, (*bits >> 32) as u32);
                }
                bench.row(4)[lane] = if random.below(2) == 0 { 7 } else { 0x300 };
            }
            let dwords = bench.row(4).to_vec();
            bench.run();
            for (lane, [a, b]) in x.into_iter().enumerate() {
                let float = |op, a, b| eval(op, FpMode::HSA, a, b, 0);
                let sum = float(PureOp::FAdd64, a, b);
                let is_less = f64::from_bits(a) < f64::from_bits(b);
                let is_of_class = float(PureOp::FClass64, sum, 0x207) == 1;
                let first = if is_less == is_of_class { sum } else { 3f64.to_bits() };
                let [x, y, z] = [a, b, sum].map(f64::from_bits);
                let other = match (x > z, z < y) {
                    (true, true) => b,
                    (false, true) => 3f64.to_bits(),
                    _ => a,
                };
                let second = if dwords[lane] < 0x207 || is_less { first } else { other };
                let qword = |bench: &mut Bench, row: usize| u64::from(bench.row(row)[lane]) | u64::from(bench.row(row + 1)[lane]) << 32;
                let found = [qword(&mut bench, 10), qword(&mut bench, 12)];
                assert_eq!(
                    found,
                    [float(PureOp::FAdd64, first, second), second],
                    "{isa:?} wave{wave} {by_parts} lane {lane}: {a:#x} {b:#x}"
                );
                assert!(!mixed || bench.row(14)[lane] == u32::from(is_less), "{isa:?} wave{wave} {by_parts} lane {lane}");
            }
        }
    }
}

/// v10 = s0 * s1 + s2, scaled back in lanes where v0 * v0 is above v1: the sum is done once, before the mask's later parts are there.
fn common_sum_for_some_lanes(wave: u32) -> Func {
    let text = format!(
        "func \"f\" wave{wave} {{\nb0 pc=0 mode={:#x} insts=1:
%0: mask = exec
%1: l32 = vget v0 demand %0
%2: l32 = vget v1 demand %0
%3: l32 = fmul.32 %1, %1
%4: mask = fgt.32 %3, %2
%5: s32 = sget s0
%6: l32 = splat %5
%7: s32 = sget s1
%8: l32 = splat %7
%9: s32 = sget s2
%10: l32 = splat %9
%11: l32 = divfmas.32 %6, %8, %10
%12: l32 = ffma.32 %6, %8, %10
%13: l32 = sel.32 %4, %11, %12
%14: l32 = fadd.32 %13, %1
vset v10, %14, exec %0
end
}}",
        FpMode::HSA.0
    );
    text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

#[test]
fn a_sum_for_all_parts_may_be_selected_by_a_mask_of_each() {
    for (isa, wave, by_parts) in levels().flat_map(|isa| [32, 64].into_iter().flat_map(move |wave| [false, true].map(|by| (isa, wave, by))))
    {
        let mut bench = Bench::with(&common_sum_for_some_lanes(wave), isa, by_parts);
        let sum = [3.0f32, 5.0, 7.0].map(f32::to_bits);
        bench.state.sregs[..3].copy_from_slice(&sum);
        for lane in 0..bench.lanes {
            (bench.row(0)[lane], bench.row(1)[lane]) = ((lane as f32).to_bits(), 1000f32.to_bits());
        }
        bench.run();
        let [a, b, c] = sum.map(u64::from);
        for lane in 0..bench.lanes {
            let op = if lane * lane > 1000 { PureOp::DivFmasScaled32 } else { PureOp::FFma32 };
            let sum = eval(op, FpMode::HSA, a, b, c);
            let want = eval(PureOp::FAdd32, FpMode::HSA, sum, (lane as f32).to_bits().into(), 0);
            assert_eq!(u64::from(bench.row(10)[lane]), want, "{isa:?} wave{wave} {by_parts} lane {lane}");
        }
    }
}

/// Numerators with denominators of all exponents, and reciprocals, which the constant 1 is the numerator of.
#[test]
fn quotients_of_mantissas_are_exact_where_parts_of_them_are_denormal() {
    let numbers = |mantissas: &'static [u32]| (0..512u32).flat_map(move |e| mantissas.iter().map(move |m| e << 23 | m));
    let pairs: Vec<(u32, u32)> = numbers(&[0, 0x35_a5a5, 0x7f_ffff])
        .step_by(3)
        .flat_map(|n| numbers(&[0, 1, 0x2a_aaab, 0x7f_fffe]).step_by(5).map(move |d| (n, d)))
        .chain(numbers(&[0, 1, 2, 0x12_3456, 0x3f_ffff, 0x40_0000, 0x7f_fffe, 0x7f_ffff]).map(|d| (1f32.to_bits(), d)))
        .collect();
    for isa in levels() {
        let text = format!(
            "func \"f\" wave32 {{\nb0 pc=0 mode={:#x} insts=1:\n%0: mask = exec\n%1: l32 = vget v0 demand %0\n%2: l32 = vget v1 demand %0\n\
             %3: l32 = fdivmant.32 %1, %2\nvset v10, %3, exec %0\n%4: s32 = const.32 0x3f800000\n%5: l32 = splat %4\n\
             %6: l32 = fdivmant.32 %5, %2\nvset v11, %6, exec %0\nend\n}}",
            FpMode::HSA.0
        );
        let mut bench = Bench::new(&text::parse(&text).unwrap(), isa);
        for some in pairs.chunks(32) {
            for (lane, (n, d)) in some.iter().enumerate() {
                (bench.row(0)[lane], bench.row(1)[lane]) = (*n, *d);
            }
            bench.run();
            for (lane, (n, d)) in some.iter().enumerate() {
                for (row, n) in [(10, *n), (11, 1f32.to_bits())] {
                    let (got, want) = (bench.row(row)[lane], eval(PureOp::FDivMant32, FpMode::HSA, n.into(), (*d).into(), 0) as u32);
                    assert_eq!(got, want, "{n:#x} / {d:#x}, {isa:?}: {got:#x} for {want:#x}");
                }
            }
        }
    }
}

/// Compares an operation of one operand of 32 bits on `inputs`.
fn compare_all(op: PureOp, isa: Isa, inputs: impl Iterator<Item = u32>) {
    let mut bench = Bench::new(&function(op, FpMode::HSA, 32), isa);
    let mut inputs = inputs.peekable();
    while inputs.peek().is_some() {
        bench.row(0).fill_with(|| inputs.next().unwrap_or(0));
        bench.run();
        for lane in 0..32 {
            let (x, got) = (bench.row(0)[lane], bench.row(10)[lane]);
            let want = eval(op, FpMode::HSA, x.into(), 0, 0) as u32;
            assert_eq!(got, want, "{op} of {x:#x}, {isa:?}: {got:#x} for {want:#x}");
        }
    }
}

/// Operations that are done otherwise than they are defined.
const OTHERWISE: [PureOp; 14] = [
    PureOp::FRsq32,
    PureOp::FRsqNear32,
    PureOp::FRsqNearDenorm32,
    PureOp::FRsqDenorm32,
    PureOp::FExp2Denorm32,
    PureOp::FLog2Denorm32,
    PureOp::FRcp32,
    PureOp::FSqrt32,
    PureOp::CvtI32F32,
    PureOp::CvtU32F32,
    PureOp::FExp232,
    PureOp::FLog232,
    PureOp::FSin32,
    PureOp::FCos32,
];

#[test]
fn operations_done_otherwise_are_exact_on_many_inputs() {
    for isa in levels() {
        for op in OTHERWISE.into_iter().filter(|op| is_defined_by_eval(*op, isa)) {
            compare_all(op, isa, (0..u32::MAX).step_by(997));
            if op.text().starts_with("frsq") {
                // All mantissas of two exponents: the others differ in the exponent of the result alone.
                compare_all(op, isa, 0x3f00_0000..0x4000_0000);
            }
            // Mantissas next to the middle of two results of 1 / sqrt(x).
            compare_all(op, isa, (0..512).flat_map(|e: u32| [0x9f038, 0x7ffffe, 0x9f037, 0x7fffff].map(|m| e << 23 | m)));
        }
    }
}

#[test]
#[ignore = "all 2^32 inputs of each take minutes"]
fn operations_done_otherwise_are_exact() {
    for isa in levels() {
        for op in OTHERWISE.into_iter().filter(|op| is_defined_by_eval(*op, isa)) {
            compare_all(op, isa, 0..=u32::MAX);
        }
    }
}

/// Sine and cosine of one operand are made together, whichever is first, and whatever comes between.
#[test]
fn sine_and_cosine_of_one_operand_are_those_of_each() {
    const OPS: [PureOp; 2] = [PureOp::FSin32, PureOp::FCos32];
    for (isa, wave) in levels().flat_map(|isa| [(isa, 32), (isa, 64)]) {
        for ops in [[0, 1, 0], [1, 0, 0], [1, 1, 0]].map(|ops| ops.map(|i: usize| OPS[i])) {
            let of = |i: usize, x: &str| format!("%{}: l32 = {} {x}\nvset v{}, %{}, exec %0\n", 3 + i, ops[i].text(), 10 + i, 3 + i);
            // The last one is of what the first has given.
            let body = [of(0, "%1"), of(1, "%1"), of(2, "%3")].concat();
            let text = format!(
                "func \"f\" wave{wave} {{\nb0 pc=0 mode={:#x} insts=1:\n%0: mask = exec\n%1: l32 = vget v0 demand %0\n{body}end\n}}",
                FpMode::HSA.0
            );
            let mut bench = Bench::new(&text::parse(&text).unwrap(), isa);
            let mut inputs = SPECIAL_WORDS.into_iter().chain((0..u32::MAX).step_by(99_991)).peekable();
            while inputs.peek().is_some() {
                bench.row(0).fill_with(|| inputs.next().unwrap_or(0));
                bench.run();
                for lane in 0..wave as usize {
                    let (x, got) = (bench.row(0)[lane], [10, 11, 12].map(|row| bench.row(row)[lane]));
                    let is = |op: PureOp, x: u32| eval(op, FpMode::HSA, x.into(), 0, 0) as u32;
                    let first = is(ops[0], x);
                    assert_eq!(got, [first, is(ops[1], x), is(ops[2], first)], "{ops:?} of {x:#x}, {isa:?}, wave{wave}");
                }
            }
        }
    }
}

/// Whatever the level: what is not a positive normal number has the exact result, everything else one within 1 ulp. All mantissas of two exponents: the others
/// differ in the exponent of the result alone.
#[test]
fn near_roots_are_within_one_ulp_at_every_level() {
    for isa in levels() {
        let mut bench = Bench::new(&function(PureOp::FRsqNear32, FpMode::HSA, 32), isa);
        let mut inputs = SPECIAL_WORDS.into_iter().chain(0x3f00_0000..0x4000_0000).chain((0..u32::MAX).step_by(9973)).peekable();
        while inputs.peek().is_some() {
            bench.row(0).fill_with(|| inputs.next().unwrap_or(0));
            bench.run();
            for lane in 0..32 {
                let (x, got) = (bench.row(0)[lane], f32::from_bits(bench.row(10)[lane]));
                let exact = eval(PureOp::FRsq32, FpMode::HSA, x.into(), 0, 0) as u32;
                if !(f32::from_bits(x).is_normal() && f32::from_bits(x) > 0.0) {
                    assert_eq!(got.to_bits(), exact, "{x:#x}, {isa:?}");
                    continue;
                }
                let root = 1.0 / f64::from(f32::from_bits(x)).sqrt();
                let ulp = 2f64.powi(root.log2().floor() as i32 - 23);
                let most = if x < 2f32.powi(126).to_bits() { ulp } else { 1.6 * ulp };
                assert!((f64::from(got) - root).abs() < most, "{x:#x}, {isa:?}: {got:e} for {root:e}");
            }
        }
    }
}

/// EXEC narrowed by a comparison, with nothing else under the mask: what loops do from round to round.
#[test]
fn a_mask_that_is_only_wanted_as_a_word_meets_exec_in_a_general_register() {
    use iced_x86::Mnemonic::{Kandd, Kandq, Kandw, Kmovd, Kmovq, Kmovw};
    let func = |wave| {
        let text = "%0: mask = exec\n%1: l32 = vget v0 demand %0\n%2: l32 = vget v1 demand %0\n%3: mask = slt.32 %1, %2\n%4: mask = and.1 %3, %0\n\
                    %5: s64 = maskbits %4\n%6: s32 = lo.64 %5\nsset s0, %6\nsetexec %4\n\
                    %7: s32 = sget s2\n%8: s32 = const.32 1\n%9: s32 = iadd.32 %7, %8\nsset s2, %9\n%10: s32 = const.32 3\n\
                    %11: s1 = ult.32 %9, %10\nbranch %11, b0, b1\nb1 pc=4 mode=0x3f0 insts=1:\nend";
        text::parse(&format!("func \"f\" wave{wave} {{\nb0 pc=0 mode=0x3f0 insts=1:\n{text}\n}}")).unwrap()
    };
    for wave in [32, 64] {
        let func = func(wave);
        for isa in levels() {
            let mut bench = Bench::new(&func, isa);
            let exec = 0xa5a5_0ff3_1234_8001u64 & if wave == 64 { !0 } else { 0xffff_ffff };
            (bench.state.sregs[126], bench.state.sregs[127]) = (exec as u32, (exec >> 32) as u32);
            (0..wave).for_each(|l| (bench.row(0)[l], bench.row(1)[l]) = (l as u32 % 5, 2));
            bench.run();
            let less = (0..wave).filter(|l| l % 5 < 2).fold(0, |bits, l| bits | 1u64 << l);
            let after = u64::from(bench.state.sregs[126]) | if wave == 64 { u64::from(bench.state.sregs[127]) << 32 } else { 0 };
            assert_eq!((after, bench.state.sregs[0]), (exec & less, (exec & less) as u32), "wave{wave} {isa:?}");
        }
        let mut func = func;
        opt::run(&mut func, OptOptions { keep_final_state: true, is_wide: true, is_avx512: true });
        let options = EmitOptions { keep_final_state: true, isa: Isa::Avx512, check_plan: true, ..EmitOptions::default() };
        let code = emit::wide_code(&func, &options).unwrap();
        let through_masks = Decoder::with_ip(64, &code.bytes, 0, DecoderOptions::NONE).into_iter().find(|i| {
            let into_mask = matches!(i.mnemonic(), Kmovw | Kmovd | Kmovq) && i.op0_register().is_k();
            into_mask || matches!(i.mnemonic(), Kandw | Kandd | Kandq)
        });
        assert_eq!(through_masks.map(|i| format!("{i}")), None, "wave{wave}");
    }
}

/// A mask that comes of an argument, as bits and as a mask: what waves keep of it is the bits alone.
#[test]
fn a_mask_made_of_a_scalar_may_be_bits_and_a_mask() {
    let text = format!(
        "func \"f\" wave32 {{\nb0 pc=0 mode={:#x} insts=1:\n%0: s32 = sget s0\n%1: s32 = sget s1\n%2: s64 = pack.64 %0, %1\n%3: s32 = sload.1 [%2]\n\
         %4: s32 = const.32 5\n%5: s1 = eq.32 %3, %4\n%6: mask = splat %5\n%7: s64 = maskbits %6\n%8: s32 = lo.64 %7\nsset s2, %8\n%9: mask = exec\n\
         %10: mask = and.1 %6, %9\n%11: l32 = vget v0 demand %9\nvset v1, %11, exec %10\nend\n}}",
        FpMode::HSA.0
    );
    let func = text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    for isa in levels() {
        let options = EmitOptions { isa, check_plan: true, keep_final_state: true, ..EmitOptions::default() };
        emit::wide_code(&func, &options).unwrap_or_else(|e| panic!("{isa:?}: {e}"));
    }
}

#[test]
fn atomics_of_all_kinds_have_registers_enough() {
    const OPS: [&str; 16] =
        ["swap", "cmpswap", "add", "sub", "inc", "dec", "and", "or", "xor", "smin", "smax", "umin", "umax", "fadd", "fmin", "fmax"];
    // In LDS, by an index, anywhere.
    let places = [("lds", "lane %1"), ("global", "%9 + lane %1"), ("global", "lane %8"), ("flat", "lane %8 + 80")];
    let text = |wave: u32, body: &str| {
        let vgets: String = (0..7).map(|v| format!(" %{}: l32 = vget v{v} demand %0\n", v + 1)).collect();
        format!(
            "func \"f\" wave{wave} {{\nb0 pc=0 mode=0x3f0 insts=1:\n %0: mask = exec\n{vgets} %8: l64 = pack.64 %1, %2\n %9: s64 = const.64 4096\n{body} end\n}}"
        )
    };
    for (wave, wide, (space, address)) in
        [32, 64].into_iter().flat_map(|w| [32, 64].into_iter().flat_map(move |s| places.map(move |p| (w, s, p))))
    {
        let results = if wide == 64 { "%10 %11" } else { "%10" };
        let sets = |n: usize| (0..n).map(|i| format!(" vset v{}, %{}, exec %0\n", 10 + i, 10 + i)).collect::<String>();
        let dwords = wide / 32;
        let mut bodies = vec![format!(
            " {results} %{}: l32 = exchangesum {space}.{wide} [{address}], {}, exec %0, left %0, insts 9\n{}",
            10 + dwords,
            ["%3 %4", "%3 %4 %5 %6"][dwords - 1],
            sets(dwords + 1)
        )];
        for op in OPS {
            let data = match (op, wide) {
                ("cmpswap", 64) => "%3 %4 %5 %6",
                ("cmpswap", _) | (_, 64) => "%3 %4",
                _ => "%3",
            };
            bodies.push(format!(" atomic {space}.{op}.{wide} [{address}], {data}, exec %0\n"));
            bodies.push(format!(" {results}: l32 = atomic.rtn {space}.{op}.{wide} [{address}], {data}, exec %0\n{}", sets(dwords)));
        }
        for body in bodies {
            let func = text::parse(&text(wave, &body)).unwrap_or_else(|e| panic!("{e:?}\n{body}"));
            for isa in [Isa::Avx2, Isa::Avx512] {
                let options = EmitOptions { keep_final_state: true, isa, check_plan: true, ..EmitOptions::default() };
                emit::wide_code(&func, &options).unwrap_or_else(|e| panic!("{e} on {isa:?} in waves of {wave}:\n{body}"));
            }
        }
    }
}
