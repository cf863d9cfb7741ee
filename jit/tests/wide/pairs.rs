//! Values of 64 bits in two registers: shifts and rotations of dwords, sums in scalar registers that are written at once.

use super::bench::{Bench, levels};
use iced_x86::{Code, Decoder, DecoderOptions, Instruction, Mnemonic};
use wavejit_ir::abi::WaveState;
use wavejit_ir::{FpMode, Func, text};
use wavejit_jit::emit::{self, EmitOptions, Isa};
use wavejit_jit::opt;
use wavejit_random::Random;

/// AVX-512 code of a function.
fn code(mut func: Func) -> Vec<Instruction> {
    opt::run(&mut func, Isa::Avx512.passes(true));
    let options = EmitOptions { keep_final_state: true, isa: Isa::Avx512, check_plan: true, ..EmitOptions::default() };
    let code = emit::wide_code(&func, &options).unwrap();
    Decoder::with_ip(64, &code.bytes[..code.usual_bytes], 0, DecoderOptions::NONE).into_iter().collect()
}

fn function(body: &str) -> Func {
    let text = format!("func \"f\" wave32 {{\nb0 pc=0 mode={:#x} insts=1:\n%0: mask = exec\n{body}\nend\n}}", FpMode::HSA.0);
    text::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// v4 and v5 = (v0 and v1) shifted, with logic on the dwords behind it.
fn shifted(op: &str, by: u32) -> Func {
    function(&format!(
        "%1: l32 = vget v0 demand %0\n%2: l32 = vget v1 demand %0\n%3: l64 = pack.64 %1, %2\n%4: s32 = const.32 {by}\n%5: l32 = splat %4\n\
         %6: l64 = {op}.64 %3, %5\n%7: l32 = lo.64 %6\n%8: l32 = hi.64 %6\n%9: l32 = vget v2 demand %0\n%10: l32 = xor.32 %7, %9\n\
         %11: l32 = xor.32 %8, %9\nvset v4, %10, exec %0\nvset v6, %11, exec %0"
    ))
}

/// v4 and v6 = (v0 and v1) rotated to the left, as compilers write it for logic on dwords.
fn rotated(by: u32) -> Func {
    function(&format!(
        "%1: l32 = vget v0 demand %0\n%2: l32 = vget v1 demand %0\n%3: l64 = pack.64 %1, %2\n%4: s32 = const.32 {by}\n%5: l32 = splat %4\n\
         %6: l64 = shl.64 %3, %5\n%7: l32 = lo.64 %6\n%8: l32 = hi.64 %6\n%9: s32 = const.32 {}\n%10: l32 = splat %9\n%11: l32 = lshr.32 %2, %10\n\
         %12: l32 = or.32 %7, %11\n%13: l32 = vget v2 demand %0\n%14: l32 = xor.32 %12, %13\n%15: l32 = and.32 %8, %13\n\
         vset v4, %14, exec %0\nvset v6, %15, exec %0",
        32 - by
    ))
}

/// The same as one operation on 64 bits.
fn rotated_at_once(by: u32) -> Func {
    function(&format!(
        "%1: l32 = vget v0 demand %0\n%2: l32 = vget v1 demand %0\n%3: l64 = pack.64 %1, %2\n%4: s32 = const.32 {by}\n%5: l32 = splat %4\n\
         %6: l64 = rotl.64 %3, %5\n%7: l32 = lo.64 %6\n%8: l32 = hi.64 %6\n%13: l32 = vget v2 demand %0\n%14: l32 = xor.32 %7, %13\n\
         %15: l32 = and.32 %8, %13\nvset v4, %14, exec %0\nvset v6, %15, exec %0"
    ))
}

fn compare(func: &Func, what: &str, wanted: impl Fn(u64, u32) -> [u32; 2]) {
    let mut random = Random(11);
    for isa in levels() {
        let mut bench = Bench::new(func, isa);
        for lane in 0..32 {
            (0..3).for_each(|row| bench.row(row)[lane] = random.u64() as u32);
        }
        bench.run();
        for lane in 0..32 {
            let [low, high, other, x, y] = [0, 1, 2, 4, 6].map(|row| bench.row(row)[lane]);
            let of = u64::from(low) | u64::from(high) << 32;
            assert_eq!([x, y], wanted(of, other), "{of:#x}, {what}, {isa:?}");
        }
    }
}

fn has_qwords(func: Func) -> bool {
    code(func)
        .iter()
        .any(|i| matches!(i.mnemonic(), Mnemonic::Vpunpckldq | Mnemonic::Vpsllq | Mnemonic::Vpsrlq | Mnemonic::Vpsraq | Mnemonic::Vprolq))
}

#[test]
fn dwords_that_are_shifted_as_qwords_stay_dwords() {
    for by in [1, 7, 31, 32, 33, 63] {
        for (op, result) in
            [("shl", (|x, n| x << n) as fn(u64, u32) -> u64), ("lshr", |x, n| x >> n), ("ashr", |x, n| (x as i64 >> n) as u64)]
        {
            let func = shifted(op, by);
            compare(&func, &format!("{op} by {by}"), |of, other| {
                let result = result(of, by);
                [result as u32 ^ other, (result >> 32) as u32 ^ other]
            });
            assert!(by > 31 || !has_qwords(func), "{op} by {by}");
        }
    }
}

#[test]
fn dwords_that_are_rotated_as_qwords_stay_dwords() {
    let way = |by: u32| {
        move |of: u64, other: u32| {
            let result = of.rotate_left(by);
            [result as u32 ^ other, (result >> 32) as u32 & other]
        }
    };
    (1..32).for_each(|by| compare(&rotated(by), &format!("rotated by {by}"), way(by)));
    (1..64).for_each(|by| compare(&rotated_at_once(by), &format!("rotated at once by {by}"), way(by)));
    let shifts = |func: Func| {
        let of_two = |i: &&Instruction| matches!(i.mnemonic(), Mnemonic::Vpshrdd | Mnemonic::Vpord | Mnemonic::Vprolq);
        code(func).iter().filter(of_two).map(|i| i.mnemonic()).collect::<Vec<_>>()
    };
    // Two dwords in each of two parts: one shift of both, or two of one and an or.
    for func in [rotated(9), rotated_at_once(9), rotated_at_once(41)] {
        let found = shifts(func);
        assert!(found == [Mnemonic::Vpshrdd; 4] || found == [Mnemonic::Vpord; 4], "{found:?}");
    }
}

/// s[2:3] = s[0:1] + a constant or s[4:5]: one store of 64 bits, which the next reader finds.
#[test]
fn sums_of_pairs_are_written_at_once() {
    for (second, constant) in
        [("%3: s32 = sget s4\n%4: s32 = sget s5\n", None), ("%3: s32 = const.32 16\n%4: s32 = const.32 0\n", Some(16))]
    {
        for is_read in [false, true] {
            let read = if is_read { "sset s8, %5\n" } else { "" };
            let func = function(&format!(
                "%1: s32 = sget s0\n%2: s32 = sget s1\n{second}%5: s32 = iadd.32 %1, %3\n%6: s1 = ult.32 %5, %1\n%7: s32 = b2i.32 %6\n\
                 %8: s32 = iadd.32 %2, %4\n%9: s32 = iadd.32 %8, %7\n{read}sset s2, %5\nsset s3, %9"
            ));
            let mut random = Random(3);
            let mut bench = Bench::new(&func, Isa::Best);
            for x in [0, u64::MAX, 0xffff_fff0, 0xffff_ffef].into_iter().chain((0..50).map(|_| random.u64())) {
                let y = constant.unwrap_or(x.rotate_left(17));
                for (r, v) in [(0, x), (4, y)] {
                    (bench.state.sregs[r], bench.state.sregs[r + 1]) = (v as u32, (v >> 32) as u32);
                }
                bench.run();
                let sum = u64::from(bench.state.sregs[2]) | u64::from(bench.state.sregs[3]) << 32;
                assert_eq!(sum, x.wrapping_add(y), "{x:#x} + {y:#x}");
                assert!(!is_read || bench.state.sregs[8] == sum as u32);
            }
            let place = std::mem::offset_of!(WaveState, sregs) as u64 + 8;
            let all = code(func);
            let at = |i: &&Instruction, code: Code| i.code() == code;
            let stores = |code: Code| all.iter().filter(|i| at(i, code) && (place..place + 8).contains(&i.memory_displacement64())).count();
            assert_eq!((stores(Code::Mov_rm64_r64), stores(Code::Mov_rm32_r32)), (1, 0), "read: {is_read}, constant: {constant:?}");
        }
    }
}
