//! Reserved values are refused when they are reached, by name, and never run (`isa::reserved`).

use super::*;

/// v1 of all lanes after a move through a DPP control that gfx1100 lacks, if SCC lets it be reached.
fn row_bcast(control: u32, scc: u32) -> (Func, Exit) {
    // s_cbranch_scc0 to s_endpgm; v_mov_b32_dpp v1, v0 row_bcast
    let code = [0xbfa1_0002, 0x7e02_02fa, 0xff00_0000 | control << 8];
    let mut run = Run::code("row_bcast", &code).s(usize::from(SReg::SCC.0), scc);
    let func = run.lift();
    run.state.rows = run.rows.as_mut_ptr();
    run.state.helpers = &HELPERS;
    // SAFETY: `of_size` made the rows, and the helpers accept any state of a `Run`.
    let exit = unsafe { interp::run(&func, &mut run.state) };
    assert_eq!(run.at(1, 20), 0, "nothing is written");
    (func, exit)
}

#[test]
fn reserved_dpp_controls_are_refused_by_name_where_they_are_reached() {
    for control in [0x142, 0x143, 0x130, 0x134, 0x138, 0x13c, 0x100, 0x170, 0x1ff] {
        let (func, exit) = row_bcast(control, 1);
        assert_eq!(func.failures.len(), 1);
        let text = &func.failures[0].text;
        assert!(text.contains(&format!("(reserved dpp_ctrl {control:#x} on gfx1100; 7e0202fa")), "{text}");
        assert!(!func.failures[0].undecodable);
        assert_ne!(exit, Exit::End);
        assert_eq!(row_bcast(control, 0).1, Exit::End);
    }
}

#[test]
fn reserved_values_of_control_instructions_are_refused_too() {
    // s_setreg_b32 hwreg(63), s0; s_setpc_b64 src_scc
    for (word, want) in [(0xb900_f83f, "reserved hwreg 0x3f on gfx1100"), (0xbe80_48fd, "reserved register operand 0xfd on gfx1100")] {
        let func = Run::code("control", &[word]).lift();
        assert!(func.failures.iter().any(|f| f.text.contains(want)), "{:?}", func.failures);
    }
}
