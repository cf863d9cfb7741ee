//! Code that leaves idle lanes out of what denormals would hold up.

use super::bench::{self, Bench, function, levels};
use super::is_defined_by_eval;
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic};
use wavejit_ir::{FpMode, PureOp, Width, eval::eval, text};
use wavejit_jit::emit::{self, EmitOptions, Isa};
use wavejit_jit::opt::{self, OptOptions};
use wavejit_random::{Random, SPECIAL_WORDS};

/// Where idle lanes are left out of products, what active lanes get is the same, and idle ones keep what they have.
#[test]
fn code_that_masks_idle_lanes_equals_the_definition() {
    let mut random = Random(31);
    for (isa, op) in levels().flat_map(|isa| PureOp::ALL.iter().map(move |op| (isa, *op))) {
        if !op.reads_mode() || !is_defined_by_eval(op, isa) {
            continue;
        }
        for (wave, by_parts) in [(32, false), (32, true), (64, true)] {
            let options = EmitOptions { isa, by_parts, masks_idle: true, ..EmitOptions::default() };
            let mut bench = Bench::by_options(&function(op, FpMode::HSA, wave), options);
            for round in 0..12 {
                let usual = round % 3 == 1;
                for row in 0..12 {
                    bench.row(row).fill_with(|| match random.below(4) {
                        0 => random.pick(&SPECIAL_WORDS),
                        // Denormals, small exponents of either sign.
                        1 => random.u32() & 0x8000_01ff,
                        2 => (random.u32() % 400).wrapping_sub(250),
                        _ if usual => random.u32() & 0x83ff_ffff | 0x3c00_0000,
                        _ => random.u32(),
                    });
                }
                let before: Vec<Vec<u32>> = (0..12).map(|row| bench.row(row).to_vec()).collect();
                let exec = u64::from(random.u32()) << 32 | u64::from(random.u32());
                bench.set_exec(exec);
                bench.run();
                let held = |row: usize, lane: usize| before[row][lane];
                for lane in 0..bench.lanes {
                    let word = |row: usize| held(row, lane);
                    let args = bench::operands(op, word);
                    let is_active = exec >> lane & 1 != 0;
                    let result = eval(op, FpMode::HSA, args[0], args[1], args[2]);
                    let is_wide = op.ret() == Width::B64;
                    let low = if is_active { result as u32 } else { word(10) };
                    let high = if is_active && is_wide { (result >> 32) as u32 } else { word(11) };
                    let got = [10, 11].map(|row| bench.row(row)[lane]);
                    assert_eq!(got, [low, high], "{op} of {args:x?}, lane {lane} of {wave}, exec {exec:#x}, {isa:?}, by parts: {by_parts}");
                }
            }
        }
    }
}

/// Of products those are masked whose result only lanes of EXEC ask for, by EXEC as it is or as it was before a comparison. In AVX2 a factor is zero in the
/// others. Qwords take two registers for each of dwords.
#[test]
fn products_leave_idle_lanes_alone() {
    let text = |body: &str| {
        let lines =
            "%0: mask = exec\n%1: l32 = vget v0 demand %0\n%2: l32 = vget v1 demand %0\n%3: mask = flt.32 %1, %2\n%4: mask = and.1 %3, %0";
        format!("func \"f\" wave32 {{\nb0 pc=0 mode={:#x} insts=1:\n{lines}\n{body}\nend\n}}", FpMode::HSA.0)
    };
    for isa in levels() {
        // Each part of the wave has one.
        let parts = if isa == Isa::Avx512 { 2 } else { 4 };
        let masked = |body: &str| {
            let mut func = text::parse(&text(body)).unwrap_or_else(|e| panic!("{e:?}\n{body}"));
            opt::run(&mut func, OptOptions { keep_final_state: true, is_wide: true, ..OptOptions::default() });
            let options = EmitOptions { isa, masks_idle: true, check_plan: true, keep_final_state: true, ..EmitOptions::default() };
            let code = emit::wide_code(&func, &options).unwrap();
            let all: Vec<Instruction> = Decoder::with_ip(64, &code.bytes, 0, DecoderOptions::NONE).into_iter().collect();
            let products = all.iter().enumerate().filter(|(_, i)| {
                let name = format!("{:?}", i.mnemonic());
                name.starts_with("Vfmadd") || name.starts_with("Vmulp")
            });
            let is_masked = |(at, i): (usize, &Instruction)| match isa {
                Isa::Avx512 => i.has_op_mask() && i.zeroing_masking(),
                _ => {
                    // The last one before it that is no move.
                    let before = all[..at].iter().rev().find(|i| !matches!(i.mnemonic(), Mnemonic::Vmovdqu | Mnemonic::Vmovdqa));
                    before.is_some_and(|b| {
                        let factor = b.op0_register();
                        b.mnemonic() == Mnemonic::Vpand && (0..i.op_count()).any(|n| i.op_register(n) == factor)
                    })
                }
            };
            products.map(is_masked).collect::<Vec<_>>()
        };
        assert_eq!(masked("setexec %4\n%5: l32 = fmul.32 %1, %2\nvset v2, %5, exec %4"), vec![true; parts], "{isa:?}");
        let compared = "%5: l32 = ffma.32 %1, %2, %2\n%6: mask = flt.32 %5, %1\n%7: mask = and.1 %6, %0\nsetexec %7\nvset v3, %1, exec %7";
        assert_eq!(masked(compared), vec![true; parts], "{isa:?}");
        let twice = "%5: l32 = fmul.32 %1, %2\nvset v2, %5, exec %0\nsetexec %4\nvset v3, %5, exec %4";
        assert_eq!(masked(twice), vec![true; parts], "{isa:?}");
        let pairs = "%5: l64 = pack.64 %1, %2\n%6: l64 = pack.64 %2, %1\n";
        for op in ["fmul.64 %5, %6", "ffma.64 %5, %6, %6"] {
            let body = format!(
                "{pairs}setexec %4\n%7: l64 = {op}\n%8: l32 = lo.64 %7\n%9: l32 = hi.64 %7\nvset v2, %8, exec %4\nvset v3, %9, exec %4"
            );
            assert_eq!(masked(&body), vec![true; 2 * parts], "{op}, {isa:?}");
        }
        // Another lane may read it.
        let elsewhere = "%5: l32 = fmul.32 %1, %2\n%6: l32 = shuffle %5, %1\nvset v2, %6, exec %0";
        assert_eq!(masked(elsewhere), vec![false; parts], "{isa:?}");
    }
}
