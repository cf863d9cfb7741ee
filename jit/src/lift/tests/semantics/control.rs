//! A float mode that is not known, calls, and code that is not an instruction.

use super::*;

#[test]
fn an_unknown_mode_leaves_to_the_run_time() {
    let mut r = Run::new("s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s4").s(4, 1);
    let func = r.lift();
    r.state.rows = r.rows.as_mut_ptr();
    // SAFETY: as in `Run::run`.
    let exit = unsafe { interp::run(&func, &mut r.state) };
    assert_eq!((exit, r.state.exit_arg, r.state.exit_mode), (Exit::NewMode, BASE + 4, 0x3f1));
}

#[test]
fn calls_return_to_their_sites() {
    // Two calls of one function: v1 += 1.
    let r = Run::new("s_getpc_b64 s[0:1]\ns_add_u32 s0, s0, 28\ns_addc_u32 s1, s1, 0\ns_swappc_b64 s[30:31], s[0:1]\ns_swappc_b64 s[30:31], s[0:1]\ns_mov_b32 s5, 9\ns_branch 3\ns_nop 0\nv_add_nc_u32_e32 v1, 1, v1\ns_setpc_b64 s[30:31]").run();
    assert_eq!((r.at(1, 0), r.sreg(5)), (2, 9));
    let func = r.lift();
    let known = func.blocks.iter().find_map(|b| match &b.term {
        wavejit_ir::Term::Indirect { known, .. } => Some(known.len()),
        _ => None,
    });
    assert_eq!(known, Some(2));
}

#[test]
fn undecodable_code_fails_only_when_reached() {
    let run = |scc: u32| {
        let mut r = Run::new("s_cbranch_scc1 1\ns_endpgm\n.long 0xffffffff").s(128, scc);
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
