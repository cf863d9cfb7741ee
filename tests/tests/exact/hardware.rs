//! What a compute wave sees of the hardware around it: LDS allocation, clocks, traps and their registers.

use crate::device::{ENGINES, Raw, run};
use wavejit::{Cause, Error};

/// Bits of COMPUTE_PGM_RSRC2 for so many granules of 512 bytes of LDS.
fn lds(granules: u32) -> u32 {
    granules << 15
}

#[test]
fn lds_comes_in_blocks_of_1024_bytes() {
    // STATE-42, LDS-01, LDS-02, LDS-07: half a block asked for, one given; beyond it stores vanish, loads give 0, and nothing is reported
    let text = "
        v_mov_b32 v0, 0
        v_mov_b32 v1, 0x3fc
        v_mov_b32 v2, 0x400
        v_mov_b32 v3, 7
        ds_store_b32 v1, v3
        ds_store_b32 v2, v3
        ds_load_b32 v4, v1
        ds_load_b32 v5, v2
        ds_add_rtn_u32 v6, v2, v3
        s_getreg_b32 s4, hwreg(HW_REG_TRAPSTS)
        s_getreg_b32 s5, hwreg(HW_REG_LDS_ALLOC, 12, 9)
        s_waitcnt lgkmcnt(0)
        v_mov_b32 v7, s4
        v_mov_b32 v8, s5
        global_store_b128 v0, v[4:7], s[0:1]
        global_store_b32 v0, v8, s[0:1] offset:16
        s_endpgm";
    for engine in ENGINES {
        for (granules, last, blocks) in [(1, 7, 2), (2, 7, 2), (0, 0, 0)] {
            let got = run(engine, &Raw { rsrc2: lds(granules), ..Raw::default() }, text).unwrap();
            assert_eq!(got[..5], [last, 0, 0, 0, blocks], "{engine:?}, {granules} granules");
        }
    }
}

#[test]
fn a_workgroup_has_64_kib_of_lds_in_either_mode() {
    // LDS-09, STATE-42: bit 29 of RSRC1 is WGP_MODE
    let text = "
        v_mov_b32 v0, 0
        v_mov_b32 v1, 0xfffc
        v_mov_b32 v2, 7
        ds_store_b32 v1, v2
        ds_load_b32 v3, v1
        s_waitcnt lgkmcnt(0)
        global_store_b32 v0, v3, s[0:1]
        s_endpgm";
    for engine in ENGINES {
        for rsrc1 in [0, 1 << 29] {
            let raw = Raw { rsrc1, rsrc2: lds(128), ..Raw::default() };
            assert_eq!(run(engine, &raw, text).unwrap()[0], 7, "{engine:?}");
            match run(engine, &Raw { rsrc2: lds(129), ..raw }, text) {
                Err(Error::Arg(text)) => assert!(text.contains("66048") && text.contains("LDS"), "{text}"),
                other => panic!("{engine:?}: {other:?}"),
            }
        }
    }
}

#[test]
fn clocks_go_forward_and_realtime_is_one_for_all_waves() {
    // TIME-01: 20 bits, differences only. TIME-02: 64 bits; the second wave reads after the first one has
    let text = "
        s_getreg_b32 s4, hwreg(HW_REG_SHADER_CYCLES)
        v_lshrrev_b32 v1, 5, v0
        v_readfirstlane_b32 s5, v1
        s_cmp_lg_u32 s5, 0
        s_cbranch_scc1 second
        s_sendmsg_rtn_b64 s[6:7], sendmsg(MSG_RTN_GET_REALTIME)
        s_waitcnt lgkmcnt(0)
        s_barrier
        s_branch store
    second:
        s_barrier
        s_sendmsg_rtn_b64 s[6:7], sendmsg(MSG_RTN_GET_REALTIME)
        s_waitcnt lgkmcnt(0)
    store:
        s_getreg_b32 s8, hwreg(HW_REG_SHADER_CYCLES)
        s_sub_u32 s9, s8, s4
        s_and_b32 s9, s9, 0xfffff
        v_lshlrev_b32 v2, 4, v1
        v_mov_b32 v4, s6
        v_mov_b32 v5, s7
        v_mov_b32 v6, s8
        v_mov_b32 v7, s9
        global_store_b128 v2, v[4:7], s[0:1]
        s_endpgm";
    for engine in ENGINES {
        let got = run(engine, &Raw { grid: [64, 1, 1], group: [64, 1, 1], ..Raw::default() }, text).unwrap();
        let realtime = |wave: usize| u64::from(got[4 * wave]) | u64::from(got[4 * wave + 1]) << 32;
        assert!(realtime(0) <= realtime(1), "{engine:?}: {got:x?}");
        for wave in [0, 1] {
            let [cycles, passed] = [got[4 * wave + 2], got[4 * wave + 3]];
            assert!(cycles < 1 << 20 && passed > 0, "{engine:?}: {got:x?}");
        }
    }
}

#[test]
fn enabled_exceptions_without_a_trap_handler_change_nothing() {
    // TRAP-03: MODE.EXCP_EN [20:12], and on gfx11 [11] after each instruction and [21] at the end; TRAP-02: nobody handles traps.
    // TRAP-04: TRAPSTS is what was written to it last. TRAP-05: no handler, no address.
    let text = "
        s_mov_b32 s4, 0x7ff
        s_setreg_b32 hwreg(HW_REG_MODE, 11, 11), s4
        s_mov_b32 s5, 0x12345
        s_setreg_b32 hwreg(HW_REG_TRAPSTS), s5
        v_mov_b32 v0, 0
        v_rcp_f32 v1, v0
        v_mul_f32 v2, v1, v0
        v_rcp_iflag_f32 v1, v0
        s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 4, 4), 15
        s_getreg_b32 s6, hwreg(HW_REG_MODE, 11, 11)
        s_getreg_b32 s7, hwreg(HW_REG_TRAPSTS)
        s_sendmsg_rtn_b64 s[8:9], sendmsg(MSG_RTN_GET_TMA)
        s_sendmsg_rtn_b64 s[10:11], sendmsg(MSG_RTN_GET_TBA)
        s_waitcnt lgkmcnt(0)
        s_or_b64 s[8:9], s[8:9], s[10:11]
        s_or_b32 s8, s8, s9
        v_mov_b32 v3, s6
        v_mov_b32 v4, s7
        v_mov_b32 v5, s8
        global_store_b128 v0, v[2:5], s[0:1]
        s_endpgm";
    for engine in ENGINES {
        // infinity times 0 is the default NaN
        assert_eq!(run(engine, &Raw::default(), text).unwrap()[..4], [0xffc0_0000, 0x7ff, 0x123f5, 0], "{engine:?}");
    }
}

#[test]
fn a_trap_is_where_its_instruction_is() {
    // STATE-05: the address of the s_trap, which is the third dword, not of what follows
    for engine in ENGINES {
        match run(engine, &Raw::default(), "s_nop 0\ns_nop 0\ns_trap 3\ns_nop 0\ns_endpgm") {
            Err(Error::Fault(fault)) => {
                assert_eq!((&fault.cause, fault.at.pc - fault.at.entry), (&Cause::Trap(3), 8), "{engine:?}");
                let text = fault.to_string();
                assert!(text.contains("s_trap 3 in kernel `exact`+0x8 "), "{text}");
                assert_eq!(Error::Fault(fault).code(), -7);
            }
            other => panic!("{engine:?}: {other:?}"),
        }
    }
}
