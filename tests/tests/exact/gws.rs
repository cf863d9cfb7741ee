//! Global wave sync across workgroups (RDNA3 ISA, DS_GWS_*): a barrier that suspends and resumes waves, a semaphore, and waves that nobody
//! releases.

use crate::device::{ENGINES, Raw, run};
use wavejit::Error;

const GROUPS: u32 = 40;

/// Workgroups of one wave of one item; s2 is the workgroup.
fn raw(threads: usize) -> Raw {
    Raw { rsrc2: 1 << 7, grid: [GROUPS, 1, 1], threads, dwords: 16 + 8 * GROUPS as usize, ..Raw::default() }
}

/// Workgroup 0 makes resource 5 (M0\[21:16\] is 3, the offset 2) from `value`, the others wait for that; v1 is `value` too, v0 is 0.
fn begin(value: u32) -> String {
    format!(
        "v_mov_b32 v0, 0
         v_mov_b32 v1, {value}
         s_mov_b32 m0, 0x30000
         s_cmp_lg_u32 s2, 0
         s_cbranch_scc1 wait
         ds_gws_init v1 offset:2 gds
         s_waitcnt lgkmcnt(0)
         v_mov_b32 v2, 1
         global_store_b32 v0, v2, s[0:1]
     wait:
         s_sleep 1
         global_load_b32 v2, v0, s[0:1]
         s_waitcnt vmcnt(0)
         v_readfirstlane_b32 s4, v2
         s_cmp_eq_u32 s4, 0
         s_cbranch_scc1 wait
         v_mov_b32 v5, s2
         v_lshlrev_b32 v5, 4, v5\n"
    )
}

#[test]
fn all_workgroups_meet_at_a_barrier() {
    // Each round everybody counts, meets, reads the count, and meets again.
    let mut text = begin(GROUPS - 1);
    for round in 0..3 {
        text += &format!(
            "v_mov_b32 v2, 1
             global_atomic_add_u32 v0, v2, s[0:1] offset:4
             ds_gws_barrier v1 offset:2 gds
             s_waitcnt lgkmcnt(0)
             global_load_b32 v3, v0, s[0:1] offset:4
             s_waitcnt vmcnt(0)
             global_store_b32 v5, v3, s[0:1] offset:{}
             ds_gws_barrier v1 offset:2 gds
             s_waitcnt lgkmcnt(0)\n",
            64 + 4 * round
        );
    }
    text += "s_endpgm";
    for engine in ENGINES {
        for threads in [1, 2] {
            let got = run(engine, &raw(threads), &text).unwrap();
            for group in 0..GROUPS as usize {
                assert_eq!(got[16 + 4 * group..][..3], [GROUPS, 2 * GROUPS, 3 * GROUPS], "{engine:?}, {threads} threads, {group}");
            }
        }
    }
}

#[test]
fn a_semaphore_lets_two_in_at_a_time() {
    // Dword 1 counts who is in, dword 2 the most there were, dword 3 who has been. The first one stays until there was a second.
    let text = begin(2)
        + "ds_gws_sema_p offset:2 gds
         s_waitcnt lgkmcnt(0)
         v_mov_b32 v2, 1
         global_atomic_add_u32 v3, v0, v2, s[0:1] offset:4 glc
         s_waitcnt vmcnt(0)
         v_add_nc_u32 v3, v3, 1
         global_atomic_max_u32 v0, v3, s[0:1] offset:8
         s_waitcnt_vscnt null, 0
         global_atomic_add_u32 v0, v2, s[0:1] offset:12
     stay:
         s_sleep 1
         global_load_b32 v3, v0, s[0:1] offset:12
         s_waitcnt vmcnt(0)
         v_readfirstlane_b32 s4, v3
         s_cmp_lt_u32 s4, 2
         s_cbranch_scc1 stay
         global_atomic_sub_u32 v0, v2, s[0:1] offset:4
         s_waitcnt_vscnt null, 0
         ds_gws_sema_v offset:2 gds
         s_endpgm";
    for engine in ENGINES {
        for threads in [1, 2] {
            assert_eq!(run(engine, &raw(threads), &text).unwrap()[1..4], [0, 2, GROUPS], "{engine:?}, {threads} threads");
        }
    }
}

#[test]
fn bulk_release_lets_so_many_pass() {
    // All but workgroup 0 wait; it lets 30 pass, then the rest, before they come or after.
    let text = begin(0)
        + "s_cmp_lg_u32 s2, 0
         s_cbranch_scc1 others
         v_mov_b32 v3, 30
         ds_gws_sema_br v3 offset:2 gds
         v_mov_b32 v3, 9
         ds_gws_sema_br v3 offset:2 gds
         s_endpgm
     others:
         ds_gws_sema_p offset:2 gds
         s_waitcnt lgkmcnt(0)
         v_mov_b32 v2, 1
         global_atomic_add_u32 v0, v2, s[0:1] offset:4
         s_endpgm";
    for engine in ENGINES {
        assert_eq!(run(engine, &raw(1), &text).unwrap()[1], GROUPS - 1, "{engine:?}");
    }
}

#[test]
fn waves_that_nobody_releases_end_with_their_budget() {
    // A barrier for one more than there are, in waves that also have a barrier of their own.
    let text = begin(GROUPS) + "ds_gws_barrier v1 offset:2 gds\ns_barrier\ns_endpgm";
    for engine in ENGINES {
        match run(engine, &raw(1), &text) {
            Err(Error::Limit(limit)) => {
                let text = limit.to_string();
                assert!(text.contains("budget") && text.contains("exact"), "{text}");
            }
            other => panic!("{engine:?}: {other:?}"),
        }
    }
    // Another wave of the workgroup at its barrier waits for the one that is kept.
    let text = "v_lshrrev_b32 v1, 5, v0
        v_readfirstlane_b32 s3, v1
        s_mov_b32 m0, 0
        s_cmp_lg_u32 s3, 0
        s_cbranch_scc1 last
        ds_gws_sema_p gds
    last:
        s_barrier
        s_endpgm";
    for engine in ENGINES {
        match run(engine, &Raw { grid: [64, 1, 1], group: [64, 1, 1], ..Raw::default() }, text) {
            Err(Error::Limit(limit)) => {
                let text = limit.to_string();
                assert!(text.contains("wave 1 waits at a barrier"), "{text}");
            }
            other => panic!("{engine:?}: {other:?}"),
        }
    }
}
