//! The float mode, calls, branches, and code that is none.

use super::*;

#[test]
fn float_mode_is_part_of_the_block() {
    // 1 + 2^-30 rounds up under mode 1.
    let r = Run::new(
        "s_round_mode 0x1; v_add_f32 v1, 1.0, v2; s_round_mode 0x0; v_add_f32 v3, 1.0, v2",
        &[0xbf91_0001, 0x0602_04f2, 0xbf91_0000, 0x0606_04f2],
    )
    .v(2, |_| f(2f32.powi(-30)))
    .run();
    assert_eq!((r.at(1, 0), r.at(3, 0)), (0x3f80_0001, 0x3f80_0000));
    let r = Run::new(
        "s_denorm_mode 0x0; v_add_f32 v1, v2, v2; s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3; v_add_f32 v3, v2, v2",
        &[0xbf92_0000, 0x0602_0502, 0xb980_0901, 0x0000_0003, 0x0606_0502],
    )
    .v(2, |_| 1)
    .run();
    assert_eq!((r.at(1, 0), r.at(3, 0)), (0, 2));
    let r = Run::new(
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3; s_getreg_b32 s0, hwreg(HW_REG_MODE); s_getreg_b32 s1, hwreg(HW_REG_TRAPSTS, 4, 8)",
        &[0xb980_0801, 0x0000_0003, 0xb880_f801, 0xb881_3903],
    )
    .run();
    assert_eq!((r.sreg(0), r.sreg(1)), (0x3f3, 0));
    let r = Run::new(
        "s_mov_b32 s4, 2; s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s4; s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 4)",
        &[0xbe84_0082, 0xb904_0801, 0xb880_1801],
    )
    .run();
    assert_eq!(r.sreg(0), 2);
}

#[test]
fn an_unknown_mode_leaves_to_the_run_time() {
    let mut r = Run::new("s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s4", &[0xb904_0801]).s(4, 1);
    let func = r.lift();
    r.state.rows = r.rows.as_mut_ptr();
    // SAFETY: as in `Run::run`.
    let exit = unsafe { interp::run(&func, &mut r.state) };
    assert_eq!((exit, r.state.exit_arg, r.state.exit_mode), (Exit::NewMode, BASE + 4, 0x3f1));
}

#[test]
fn calls_return_to_their_sites() {
    // Two calls of one function: v1 += 1.
    let r = Run::new("s_getpc_b64 s[0:1]; s_add_u32 s0, s0, 28; s_addc_u32 s1, s1, 0; s_swappc_b64 s[30:31], s[0:1]; s_swappc_b64 s[30:31], s[0:1]; s_mov_b32 s5, 9; s_branch 3; s_nop 0; v_add_nc_u32_e32 v1, 1, v1; s_setpc_b64 s[30:31]", &[0xbe80_4700, 0x8000_9c00, 0x8201_8001, 0xbe9e_4900, 0xbe9e_4900, 0xbe85_0089, 0xbfa0_0003, 0xbf80_0000, 0x4a02_0281, 0xbe80_481e]).run();
    assert_eq!((r.at(1, 0), r.sreg(5)), (2, 9));
    let func = r.lift();
    let known = func.blocks.iter().find_map(|b| match &b.term {
        wavejit_ir::Term::Indirect { known, .. } => Some(known.len()),
        _ => None,
    });
    assert_eq!(known, Some(2));
}

#[test]
fn branches_on_flags() {
    // Counts s0 down from 3.
    let r = Run::new(
        "s_mov_b32 s0, 3; s_add_i32 s2, s2, 5; s_sub_i32 s0, s0, 1; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 65532",
        &[0xbe80_0083, 0x8102_8502, 0x8180_8100, 0xbf07_8000, 0xbfa2_fffc],
    )
    .run();
    assert_eq!(r.sreg(2), 15);
    let r = Run::new(
        "s_cbranch_vccz 1; s_mov_b32 s0, 1; s_cbranch_execnz 1; s_mov_b32 s1, 1",
        &[0xbfa3_0001, 0xbe80_0081, 0xbfa6_0001, 0xbe81_0081],
    )
    .s(106, 0)
    .s(107, 5)
    .run();
    assert_eq!((r.sreg(0), r.sreg(1)), (0, 0));
}

#[test]
fn undecodable_code_fails_only_when_reached() {
    let run = |scc: u32| {
        let mut r = Run::new("s_cbranch_scc1 1; s_endpgm; .long 0xffffffff", &[0xbfa2_0001, 0xbfb0_0000, 0xffff_ffff]).s(128, scc);
        let func = r.lift();
        r.state.rows = r.rows.as_mut_ptr();
        // SAFETY: as in `Run::run`.
        (unsafe { interp::run(&func, &mut r.state) }, func.failures)
    };
    assert_eq!(run(0).0, Exit::End);
    let (exit, failures) = run(1);
    assert_eq!(exit, Exit::Fail);
    assert!(failures[0].undecodable && failures[0].pc == BASE + 8);
}
