//! Operations on scalars: alone, for branches, with carries.

use super::bench::{Bench, levels};
use super::{is_defined_by_eval, is_of_avx512};
use iced_x86::{Decoder, DecoderOptions, Mnemonic};
use wavejit_ir::{FpMode, Func, PureOp, Width, eval::eval, text};
use wavejit_jit::emit::{self, EmitOptions, Isa};
use wavejit_jit::opt;
use wavejit_random::{Random, SPECIAL_WORDS};

/// s2 = 1 where a branch is taken, else 2: on a comparison of s0 and s1, or of s0 and a constant, or on its opposite.
fn branch_on(op: PureOp, second: Option<u32>, is_negated: bool) -> Func {
    let (wide, ty) = if op.args()[0] == Width::B64 { (true, "s64") } else { (false, "s32") };
    let operand = |v: u32, r: u32| match wide {
        true => format!(
            "%{}: s32 = sget s{r}\n%{}: s32 = sget s{}\n%{v}: s64 = pack.64 %{}, %{}\n",
            10 * v,
            10 * v + 1,
            r + 8,
            10 * v,
            10 * v + 1
        ),
        false => format!("%{v}: s32 = sget s{r}\n"),
    };
    let second = second.map_or(operand(2, 1), |c| format!("%2: {ty} = const.{} {c:#x}\n", if wide { 64 } else { 32 }));
    let negation = if is_negated { "%4: s1 = not.1 %3\n" } else { "" };
    let text = format!(
        "func \"f\" wave32 {{\nb0 pc=0 mode={:#x} insts=1:\n{}{second}%3: s1 = {op} %1, %2\n{negation}branch %{}, b1, b2\n\
         b1 pc=4 mode={:#x} insts=1:\n%5: s32 = const.32 1\nsset s2, %5\nend\nb2 pc=8 mode={:#x} insts=1:\n%6: s32 = const.32 2\nsset s2, %6\nend\n}}",
        FpMode::HSA.0,
        operand(1, 0),
        if is_negated { 4 } else { 3 },
        FpMode::HSA.0,
        FpMode::HSA.0
    );
    text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

#[test]
fn branches_compare_scalars_themselves() {
    use PureOp::*;
    let all = [
        [ICmpEq32, ICmpNe32, ICmpSlt32, ICmpSle32, ICmpSgt32, ICmpSge32, ICmpUlt32, ICmpUle32, ICmpUgt32, ICmpUge32],
        [ICmpEq64, ICmpNe64, ICmpSlt64, ICmpSle64, ICmpSgt64, ICmpSge64, ICmpUlt64, ICmpUle64, ICmpUgt64, ICmpUge64],
    ];
    let words = [0, 1, 7, 0x7fff_ffff, 0x8000_0000, u32::MAX];
    for (op, is_negated) in all.into_iter().flatten().flat_map(|op| [(op, false), (op, true)]) {
        let is_wide = op.args()[0] == Width::B64;
        for second in [None, Some(0), Some(7), Some(u32::MAX)] {
            let mut bench = Bench::new(&branch_on(op, second, is_negated), Isa::Best);
            for (low, high, y) in words.into_iter().flat_map(|x| words.into_iter().map(move |y| (x, y & 1, y))) {
                (bench.state.sregs[0], bench.state.sregs[8], bench.state.sregs[1], bench.state.sregs[9]) = (low, high, y, low & 1);
                bench.run();
                let of = |low: u32, high: u32| u64::from(low) | if is_wide { u64::from(high) << 32 } else { 0 };
                let (x, y) = (of(low, high), second.map_or(of(y, low & 1), u64::from));
                let holds = (eval(op, FpMode::HSA, x, y, 0) != 0) != is_negated;
                assert_eq!(bench.state.sregs[2], if holds { 1 } else { 2 }, "{op} of {x:#x} and {y:#x}, negated: {is_negated}");
            }
        }
    }
}

/// Sums of 64 bits in two words: with a carry that only the upper sum reads, and with one that is stored too.
#[test]
fn carries_of_scalars_are_added() {
    for is_stored in [false, true] {
        let store = if is_stored { "sset s6, %5\n" } else { "" };
        let text = format!(
            "func \"f\" wave32 {{\nb0 pc=0 mode={:#x} insts=1:\n%0: s32 = sget s0\n%1: s32 = sget s1\n%2: s32 = sget s2\n%3: s32 = iadd.32 %0, %2\n\
             %4: s1 = ult.32 %3, %0\n%5: s32 = b2i.32 %4\n{store}%6: s32 = sget s3\n%7: s32 = iadd.32 %1, %6\n%8: s32 = iadd.32 %7, %5\n\
             sset s4, %3\nsset s5, %8\nend\n}}",
            FpMode::HSA.0
        );
        let func = text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let mut bench = Bench::new(&func, Isa::Best);
        let mut random = Random(5);
        for (x, y) in [(0, 0), (u64::MAX, 1), (0xffff_ffff, 1), (0xffff_fffe, 1), (u64::MAX, u64::MAX)]
            .into_iter()
            .chain((0..200).map(|_| (random.u64(), random.u64())))
        {
            for (r, v) in [(0, x), (2, y)] {
                (bench.state.sregs[r], bench.state.sregs[r + 1]) = (v as u32, (v >> 32) as u32);
            }
            bench.run();
            let sum = u64::from(bench.state.sregs[4]) | u64::from(bench.state.sregs[5]) << 32;
            assert_eq!(sum, x.wrapping_add(y), "{x:#x} + {y:#x}");
            if is_stored {
                assert_eq!(bench.state.sregs[6], u32::from((x as u32).checked_add(y as u32).is_none()));
            }
        }
    }
}

/// A function of one operation on scalars: of s0 and s1, s2 and s3, s4 and s5, to s8 and s9.
fn scalar_function(op: PureOp, mode: FpMode) -> Func {
    let mut text = format!("func \"f\" wave32 {{\nb0 pc=0 mode={:#x} insts=1:\n", mode.0);
    let mut next = 0;
    let mut line = |text: &mut String, ty: &str, what: String| {
        *text += &format!("%{next}: {ty} = {what}\n");
        next += 1;
        next - 1
    };
    let mut args = vec![];
    for (i, width) in op.args().iter().enumerate() {
        let low = line(&mut text, "s32", format!("sget s{}", 2 * i));
        args.push(match width {
            Width::B1 => {
                let zero = line(&mut text, "s32", "const.32 0x0".into());
                line(&mut text, "s1", format!("ne.32 %{low}, %{zero}"))
            }
            Width::B32 => low,
            Width::B64 => {
                let high = line(&mut text, "s32", format!("sget s{}", 2 * i + 1));
                line(&mut text, "s64", format!("pack.64 %{low}, %{high}"))
            }
        });
    }
    let args: Vec<String> = args.iter().map(|a| format!("%{a}")).collect();
    let of_args = format!("{op} {}", args.join(", "));
    match op.ret() {
        Width::B1 => {
            let bit = line(&mut text, "s1", of_args);
            let word = line(&mut text, "s32", format!("b2i.32 %{bit}"));
            text += &format!("sset s8, %{word}\n");
        }
        Width::B32 => {
            let word = line(&mut text, "s32", of_args);
            text += &format!("sset s8, %{word}\n");
        }
        Width::B64 => {
            let word = line(&mut text, "s64", of_args);
            let (low, high) = (line(&mut text, "s32", format!("lo.64 %{word}")), line(&mut text, "s32", format!("hi.64 %{word}")));
            text += &format!("sset s8, %{low}\nsset s9, %{high}\n");
        }
    }
    text += "end\n}";
    text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// All but rare ones have code of their own, in general registers or in lanes: a call takes all registers, also from the loop around it. Logic of three operands
/// is made for AVX-512 alone.
#[test]
fn scalar_operations_are_no_calls() {
    use PureOp::*;
    const RARE: [PureOp; 14] = [
        BitRev64,
        QuadMask64,
        BitReplicate,
        FMullit32,
        FOmod2x64,
        FOmod4x64,
        FOmodHalf64,
        Dot2Bf16Bf16,
        FClass16,
        FClass32,
        FClass64,
        TrigPreop64,
        DivFmasScaled32,
        DivFmasScaled64,
    ];
    for (op, isa) in PureOp::ALL.iter().flat_map(|op| levels().map(move |isa| (*op, isa))) {
        let mut func = scalar_function(op, FpMode::HSA);
        opt::run(&mut func, isa.passes(true));
        let options = EmitOptions { keep_final_state: true, isa, check_plan: true, ..EmitOptions::default() };
        let code = emit::wide_code(&func, &options).unwrap();
        let usual = &code.bytes[..code.usual_bytes];
        let is_call = Decoder::with_ip(64, usual, 0, DecoderOptions::NONE).into_iter().any(|i| i.mnemonic() == Mnemonic::Call);
        assert_eq!(is_call, RARE.contains(&op) || is_of_avx512(op) && isa == Isa::Avx2, "{op}, {isa:?}: is it a call?");
        let mut bench = Bench::new(&scalar_function(op, FpMode::HSA), isa);
        let mut random = Random(7);
        for _ in 0..if is_defined_by_eval(op, isa) { 300 } else { 0 } {
            for s in &mut bench.state.sregs[..6] {
                *s = if random.below(2) == 0 { random.pick(&SPECIAL_WORDS) } else { random.u32() };
            }
            let of = |i: usize, width: Width| match width {
                Width::B1 => u64::from(bench.state.sregs[2 * i] != 0),
                Width::B32 => bench.state.sregs[2 * i].into(),
                Width::B64 => u64::from(bench.state.sregs[2 * i]) | u64::from(bench.state.sregs[2 * i + 1]) << 32,
            };
            let mut args = [0; 3];
            op.args().iter().enumerate().for_each(|(i, width)| args[i] = of(i, *width));
            bench.run();
            let got = u64::from(bench.state.sregs[8]) | if op.ret() == Width::B64 { u64::from(bench.state.sregs[9]) << 32 } else { 0 };
            assert_eq!(got, eval(op, FpMode::HSA, args[0], args[1], args[2]), "{op} of {args:x?}, {isa:?}");
        }
    }
}

/// Places of first bits, of each single bit and what is beside it.
#[test]
fn first_bits_of_scalars_are_found() {
    use PureOp::*;
    for (op, isa) in [FfblB32, FfblB64, FfbhU32, FfbhU64, FfbhI32, FfbhI64].into_iter().flat_map(|op| levels().map(move |isa| (op, isa))) {
        let mut bench = Bench::new(&scalar_function(op, FpMode::HSA), isa);
        let bits = (0..64).map(|i| 1u64 << i);
        for x in bits.flat_map(|b| [b, !b, b - 1, !(b - 1), b | 1 << 63, b | 1]).chain([0, u64::MAX, 0xffff_ffff, 0x1_0000_0000]) {
            (bench.state.sregs[0], bench.state.sregs[1]) = (x as u32, (x >> 32) as u32);
            bench.run();
            let x = if op.args()[0] == Width::B64 { x } else { x & 0xffff_ffff };
            assert_eq!(u64::from(bench.state.sregs[8]), eval(op, FpMode::HSA, x, 0, 0), "{op} of {x:#x}, {isa:?}");
        }
    }
}
