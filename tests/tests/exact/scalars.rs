//! Scalar operands that no assembler writes, as machine code: descriptors and addresses in registers that are not for them.

use wavejit_ir::abi::Exit;
use wavejit_ir::{FpMode, SReg};
use wavejit_isa::Gfx;
use wavejit_tests::machine::{INTERPRETER, LEAVE, MEM, Machine, OTHERS, lift_code};

/// Runs an instruction on every engine; `check` looks at the machine after it.
fn run(words: &[u32], setup: impl Fn(&mut Machine), check: impl Fn(&str, &Machine)) {
    let code: Vec<u32> = words.iter().copied().chain([LEAVE]).collect();
    let func = lift_code(&code, Gfx::GFX1100, 32, FpMode::HSA);
    for (engine, run) in [INTERPRETER].into_iter().chain(OTHERS) {
        let mut m = Machine::new(32);
        m.mem_mut().iter_mut().zip(100..).for_each(|(v, i)| *v = i);
        (108..126).for_each(|n| m.sregs[n] = 0x5555_0000 + n as u32);
        setup(&mut m);
        let outcome = run(&func, &mut m).expect("compiles");
        assert_eq!(outcome.exit, Exit::NewPc, "{words:08x?}, {engine}: {outcome:?} {:?}", func.failures);
        check(engine, &m);
    }
}

/// The image of `filetests/image.txt`: 32-bit numbers (20: 32_UINT), 4 x 2.
const IMAGE: [u32; 8] = [0x1000, 0xc140_0000, 0x4000, 0x9000_0fac, 0, 0, 0, 0];

#[test]
fn an_image_that_runs_into_trap_registers_is_at_s0() {
    // STATE-25: image_load v0, v[4:5], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm with other registers: s0, s104, TTMP12
    for srsrc in [0u32, 104, 120] {
        let words = [0xf000_0184, (srsrc / 4) << 16 | 4];
        run(&words, |m| m.sregs[..8].copy_from_slice(&IMAGE), |engine, m| assert_eq!(m.vgpr(0)[0], 100, "s{srsrc}, {engine}"));
    }
    // One in VCC and before is its own.
    let words = [0xf000_0184, (100 / 4) << 16 | 4];
    run(&words, |m| m.sregs[100..108].copy_from_slice(&IMAGE), |engine, m| assert_eq!(m.vgpr(0)[0], 100, "{engine}"));
}

#[test]
fn descriptors_in_null_and_trap_registers_are_zeros() {
    // STATE-22, STATE-34: buffer_load_b32 v0, off, s[4:7], 0 with other registers: TTMP0, NULL (M0 and EXEC follow); no format, no access
    for srsrc in [108u32, 124] {
        let words = [0xe050_0000, 0x8000_0000 | (srsrc / 4) << 16];
        let setup = |m: &mut Machine| m.vgpr_mut(0).fill(7);
        run(&words, setup, |engine, m| assert_eq!(m.vgpr(0)[0], 0, "{srsrc}, {engine}"));
    }
    // s_buffer_load_b32 s2, NULL, 0: no record
    run(&[0xf420_00be, 0xf800_0000], |m| m.sregs[2] = 7, |engine, m| assert_eq!(m.sregs[2], 0, "{engine}"));
}

#[test]
fn addresses_in_null_and_exec_are_zero() {
    // STATE-22, STATE-26: s_load_b32 s2, {NULL, EXEC, TTMP4}, s4: the offset is all there is
    for sbase in [124u32, 126, 112] {
        let words = [0xf400_0080 | (sbase / 2), 4 << 25];
        run(&words, |m| m.sregs[4] = MEM as u32 + 8, |engine, m| assert_eq!(m.sregs[2], 102, "{sbase}, {engine}"));
    }
}

#[test]
fn what_is_loaded_into_trap_registers_is_dropped() {
    // STATE-26: s_load_b256 s[104:111], s[2:3], null: four of eight dwords have registers
    let words = [0xf40c_0001 | 104 << 6, 0xf800_0000];
    run(
        &words,
        |m| m.sregs[2] = MEM as u32,
        |engine, m| {
            let vcc = usize::from(SReg::VCC_LO.0);
            assert_eq!(m.sregs[104..=vcc + 1], [100, 101, 102, 103], "{engine}");
            assert!((108..124).all(|n| m.sregs[n] == 0x5555_0000 + n as u32), "{engine}");
        },
    );
}
