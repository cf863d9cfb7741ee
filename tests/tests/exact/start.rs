//! What waves start with, by the program resource registers, and what of it is each wave's own.

use crate::device::{ENGINES, Raw, run};
use std::fmt::Write;

/// Waves of one work-item store their SGPRs, each to a slot that an atomic counter gives it.
fn store_sgprs(count: u32) -> String {
    let mut text = String::from(
        "v_mov_b32 v1, 0
         v_mov_b32 v2, 1
         global_atomic_add_u32 v3, v1, v2, s[0:1] glc
         s_waitcnt vmcnt(0)
         v_mul_u32_u24 v3, 128, v3\n",
    );
    for n in 0..count {
        writeln!(text, "v_mov_b32 v4, s{n}\nglobal_store_b32 v3, v4, s[0:1] offset:{}", 64 + 4 * n).unwrap();
    }
    text + "s_endpgm"
}

#[test]
fn workgroup_ids_follow_the_user_registers_each_if_enabled() {
    // INIT-03, INIT-04: user SGPRs, then the ids of the dimensions that are enabled, then the group information; nothing between them, and
    // behind them what nothing initializes, 0 (INIT-13)
    let grid = [3u32, 2, 2];
    let count = 24;
    for engine in ENGINES {
        for users in [0, 3, 13] {
            for enables in 0..16u32 {
                let user: Vec<u32> = (0..users).map(|i| 0x1000 + i).collect();
                let raw = Raw { rsrc2: enables << 7, user: user.clone(), grid, dwords: 16 + 12 * 32, ..Raw::default() };
                let got = run(engine, &raw, &store_sgprs(count)).unwrap();
                assert_eq!(got[0], 12, "waves");
                let mut found: Vec<&[u32]> = got[16..].chunks(32).map(|slot| &slot[2..count as usize]).collect();
                let mut expected = vec![];
                for (x, y, z) in (0..12).map(|i| (i % 3, i / 3 % 2, i / 6)) {
                    let ids = [x, y, z].into_iter().enumerate().filter(|(d, _)| enables >> d & 1 != 0).map(|(_, id)| id);
                    // one wave in the workgroup, the first
                    let info = (enables & 8 != 0).then_some(1 << 31 | 1);
                    let mut registers: Vec<u32> = user.iter().copied().chain(ids).chain(info).collect();
                    registers.resize(count as usize - 2, 0);
                    expected.push(registers);
                }
                found.sort();
                expected.sort();
                assert_eq!(found, expected, "{engine:?}, {users} more user SGPRs, enables {enables:#b}");
            }
        }
    }
}

#[test]
fn flat_scratch_is_set_for_waves_with_scratch() {
    // INIT-02, STATE-39: an address of 256-byte alignment, or 0; STATUS.SCRATCH_EN
    let text = "
        s_getreg_b32 s4, hwreg(HW_REG_FLAT_SCR_LO)
        s_getreg_b32 s5, hwreg(HW_REG_FLAT_SCR_HI)
        s_getreg_b32 s6, hwreg(HW_REG_STATUS, 29, 1)
        v_mov_b32 v0, 0
        v_mov_b32 v1, s4
        v_mov_b32 v2, s5
        v_mov_b32 v3, s6
        global_store_b96 v0, v[1:3], s[0:1]
        s_endpgm";
    for engine in ENGINES {
        let got = run(engine, &Raw { scratch_bytes: 64, ..Raw::default() }, text).unwrap();
        assert!(got[0] & 0xff == 0 && got[..2] != [0, 0] && got[2] == 1, "{engine:?}: {:x?}", &got[..3]);
        let got = run(engine, &Raw::default(), text).unwrap();
        assert_eq!(got[..3], [0, 0, 0], "{engine:?}");
    }
}

#[test]
fn every_wave_has_its_own_state() {
    // STATE-01: four waves write their number everywhere, all wait for each other, and each finds its own
    let text = "
        v_lshrrev_b32 v1, 5, v0
        v_readfirstlane_b32 s20, v1
        v_mov_b32 v5, v1
        s_lshl_b32 vcc_lo, s20, 4
        s_add_u32 m0, s20, 9
        s_add_u32 s21, s20, 1
        s_setreg_b32 hwreg(HW_REG_MODE, 12, 9), s20
        s_cmp_eq_u32 s20, 2
        v_cmpx_gt_u32 v0, v0
        s_mov_b32 exec_lo, s21
        scratch_store_b32 off, v1, off
        s_barrier
        scratch_load_b32 v6, off, off
        s_cselect_b32 s22, 1, 0
        s_mov_b32 s23, exec_lo
        s_getreg_b32 s24, hwreg(HW_REG_MODE, 12, 9)
        s_mov_b32 s25, m0
        s_mov_b32 s26, vcc_lo
        s_mov_b32 exec_lo, -1
        v_lshlrev_b32 v7, 5, v5
        s_waitcnt vmcnt(0)
        v_readfirstlane_b32 s27, v6
        v_mov_b32 v8, s22
        v_mov_b32 v9, s23
        v_mov_b32 v10, s24
        v_mov_b32 v11, s25
        global_store_b128 v7, v[8:11], s[0:1]
        v_mov_b32 v8, s26
        v_mov_b32 v9, s20
        v_mov_b32 v10, v5
        global_store_b96 v7, v[8:10], s[0:1] offset:16
        s_endpgm";
    for engine in ENGINES {
        let raw = Raw { grid: [128, 1, 1], group: [128, 1, 1], scratch_bytes: 16, dwords: 32, ..Raw::default() };
        let got = run(engine, &raw, text).unwrap();
        for wave in 0..4u32 {
            let want = [u32::from(wave == 2), wave + 1, wave, wave + 9, wave << 4, wave, wave, 0];
            assert_eq!(got[8 * wave as usize..][..8], want, "{engine:?}, wave {wave}");
        }
    }
}
