//! What moves data between lanes, within registers and through LDS.

use super::*;

#[test]
fn dpp_row_shift_and_bound_ctrl() {
    let shifted = |l: u32| (l & 15 != 0).then_some(99 + l);
    Run::new("v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf", &[0x7e02_02fa, 0xff01_1100])
        .v(1, |_| 7)
        .lanes(1, |l| shifted(l).unwrap_or(7));
    Run::new("v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1", &[0x7e02_02fa, 0xff09_1100])
        .v(1, |_| 7)
        .lanes(1, |l| shifted(l).unwrap_or(0));
    Run::new("v_mov_b32_dpp v1, v0 row_shl:4 row_mask:0x1 bank_mask:0x3", &[0x7e02_02fa, 0x1301_0400])
        .v(1, |_| 7)
        .lanes(1, |l| if l < 8 { 104 + l } else { 7 });
    Run::new("v_mov_b32_dpp v1, v0 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf", &[0x7e02_02fa, 0xff00_1b00])
        .lanes(1, |l| 100 + (l ^ 3));
    Run::new("v_mov_b32_dpp v1, v0 row_ror:1 row_mask:0xf bank_mask:0xf", &[0x7e02_02fa, 0xff01_2100])
        .lanes(1, |l| 100 + (l & 16 | ((l + 15) % 16)));
    Run::new("v_mov_b32_dpp v1, v0 row_half_mirror row_mask:0xf bank_mask:0xf", &[0x7e02_02fa, 0xff01_4100]).lanes(1, |l| 100 + (l ^ 7));
    Run::new("v_mov_b32_dpp v1, v0 row_share:5 row_mask:0xf bank_mask:0xf", &[0x7e02_02fa, 0xff01_5500]).lanes(1, |l| 100 + (l & 16) + 5);
    Run::new("v_mov_b32_dpp v1, v0 row_xmask:9 row_mask:0xf bank_mask:0xf", &[0x7e02_02fa, 0xff01_6900]).lanes(1, |l| 100 + (l ^ 9));
    Run::new("v_mov_b32_dpp v1, v0 dpp8:[7,6,5,4,3,2,1,0]", &[0x7e02_02e9, 0x0539_7700]).lanes(1, |l| 100 + (l ^ 7));
}

#[test]
fn dpp_of_inactive_lanes() {
    // Lane 0 is off: lane 1 has no source.
    Run::new("v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf", &[0x7e02_02fa, 0xff01_1100])
        .exec(!1)
        .v(1, |_| 7)
        .lanes(1, |l| if l < 2 || l == 16 { 7 } else { 99 + l });
    Run::new("v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf fi:1", &[0x7e02_02fa, 0xff05_1100])
        .exec(!1)
        .v(1, |_| 7)
        .lanes(1, |l| if l == 0 || l == 16 { 7 } else { 99 + l });
    Run::new("v_mov_b32_dpp v1, v0 dpp8:[1,0,3,2,5,4,7,6]", &[0x7e02_02e9, 0xde54_c100])
        .exec(!1)
        .v(1, |_| 7)
        .lanes(1, |l| [7, 0].get(l as usize).copied().unwrap_or(100 + (l ^ 1)));
    let r = Run::new("v_cmp_ne_u32_dpp vcc_lo, v0, v0 row_shr:1 row_mask:0xf bank_mask:0xf", &[0x7c9a_00fa, 0xff01_1100]).s(106, !0).run();
    assert_eq!(r.sreg(106), !0x0001_0001);
    Run::new("v_add_f32_dpp v1, -v2, |v3| quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", &[0x0602_06fa, 0xff90_b102])
        .v(2, |l| f(l as f32))
        .v(3, |_| f(-1.0))
        .lanes(1, |l| f(1.0 - (l ^ 1) as f32));
}

#[test]
fn readlane_family() {
    Run::new("v_readlane_b32 s0, v0, 37", &[0xd760_0000, 0x0001_4b00]).exec(0).scalar(105, 0);
    Run::new("v_readfirstlane_b32 s0, v0", &[0x7e00_0500]).exec(0xf0).scalar(104, 0);
    Run::new("v_readfirstlane_b32 s0, v0", &[0x7e00_0500]).exec(0).scalar(100, 0);
    Run::new("v_writelane_b32 v0, s1, 2", &[0xd761_0000, 0x0001_0401]).exec(0).s(1, 9).lanes(0, |l| if l == 2 { 9 } else { 100 + l });
    Run::new("v_permlanex16_b32 v1, v0, s1, s2", &[0xd65c_0001, 0x0008_0300])
        .s(1, 0x7654_3210)
        .s(2, 0xfedc_ba98)
        .lanes(1, |l| 100 + (l ^ 16));
    Run::new("v_permlane16_b32 v1, v0, s1, s2", &[0xd65b_0001, 0x0008_0300])
        .s(1, 0)
        .s(2, 0xffff_ffff)
        .lanes(1, |l| 100 + (l & 16) + if l & 8 != 0 { 15 } else { 0 });
    Run::wave64("v_permlane64_b32 v1, v0", &[0x7e02_cf00]).lanes(1, |l| 100 + (l ^ 32));
}

#[test]
fn ds_permutes() {
    Run::new("ds_bpermute_b32 v1, v2, v0 offset:4", &[0xdacc_0004, 0x0100_0002]).v(2, |l| l * 8).lanes(1, |l| 100 + (l * 2 + 1) % 32);
    Run::new("ds_bpermute_b32 v1, v2, v0", &[0xdacc_0000, 0x0100_0002])
        .v(2, |_| 0)
        .exec(!1)
        .v(1, |_| 5)
        .lanes(1, |l| if l == 0 { 5 } else { 0 });
    Run::wave64("ds_bpermute_b32 v1, v2, v0", &[0xdacc_0000, 0x0100_0002])
        .v(2, |l| (l + 1) * 4)
        .lanes(1, |l| 100 + (l & 32 | (l + 1) & 31));
    Run::new("ds_permute_b32 v1, v2, v0", &[0xdac8_0000, 0x0100_0002])
        .v(2, |l| (l / 2) * 4)
        .lanes(1, |l| if l < 16 { 101 + 2 * l } else { 0 });
    Run::new("ds_swizzle_b32 v1, v0 offset:swizzle(BITMASK_PERM,\"00p11\")", &[0xd8d4_0064, 0x0100_0000]).lanes(1, |l| 100 + (l & 4 | 3));
    Run::new("ds_swizzle_b32 v1, v0 offset:swizzle(QUAD_PERM,1,2,3,0)", &[0xd8d4_8039, 0x0100_0000])
        .lanes(1, |l| 100 + (l & !3 | (l + 1) & 3));
}

#[test]
fn relative_vector_moves() {
    Run::new("v_movrels_b32 v1, v2", &[0x7e02_8702]).s(124, 3).v(5, |l| l).lanes(1, |l| l);
    Run::new("v_movreld_b32 v1, v0", &[0x7e02_8500]).s(124, 3).exec(0xf).lanes(4, |l| if l < 4 { 100 + l } else { 0 });
    let r = Run::new("v_movrelsd_2_b32 v1, v0", &[0x7e02_9100]).s(124, 2 << 16).run();
    assert_eq!(r.at(3, 4), 104);
    let r = Run::new("v_swap_b32 v0, v1", &[0x7e00_cb01]).v(1, |l| l).exec(1).run();
    assert_eq!((r.at(0, 0), r.at(1, 0), r.at(0, 1)), (0, 100, 101));
}

#[test]
fn lds_two_address_forms() {
    let r = Run::new(
        "ds_store_2addr_b32 v1, v0, v2 offset0:1 offset1:3; ds_load_2addr_b32 v[1:2], v1 offset0:3 offset1:1",
        &[0xd838_0301, 0x0002_0001, 0xd8dc_0103, 0x0100_0001],
    )
    .v(1, |l| l * 16)
    .v(2, |l| 200 + l)
    .run();
    assert_eq!((r.at(1, 7), r.at(2, 7)), (207, 107));
    let r = Run::new(
        "ds_store_b32 v1, v0 offset:512; ds_load_2addr_stride64_b32 v[4:5], v1 offset0:2 offset1:1",
        &[0xd834_0200, 0x0000_0001, 0xd8e0_0102, 0x0400_0001],
    )
    .v(1, |l| l * 4)
    .run();
    assert_eq!((r.at(4, 2), r.at(5, 2)), (102, 0));
    let r = Run::new("ds_store_b16 v1, v0; ds_load_u16_d16_hi v2, v1", &[0xd87c_0000, 0x0000_0001, 0xda9c_0000, 0x0200_0001])
        .v(1, |l| l * 4)
        .v(2, |_| 0x1111_2222)
        .run();
    assert_eq!(r.at(2, 3), 103 << 16 | 0x2222);
    let r = Run::new("ds_store_b16_d16_hi v1, v3; ds_load_b32 v2, v1", &[0xda84_0000, 0x0000_0301, 0xd8d8_0000, 0x0200_0001])
        .v(1, |l| l * 4)
        .v(3, |_| 0x1111_2222)
        .run();
    assert_eq!(r.at(2, 3), 0x1111);
}

#[test]
fn lds_atomics() {
    let r = Run::new(
        "ds_add_rtn_u32 v1, v2, v0; ds_add_u32 v2, v0; ds_load_b32 v3, v2",
        &[0xd880_0000, 0x0100_0002, 0xd800_0000, 0x0000_0002, 0xd8d8_0000, 0x0300_0002],
    )
    .exec(0xf)
    .v(2, |_| 64)
    .run();
    assert_eq!([0, 1, 2, 3].map(|l| r.at(1, l)), [0, 100, 201, 303]);
    assert_eq!(r.at(3, 0), 812);
    let r = Run::new(
        "ds_store_b32 v1, v2; ds_cmpstore_rtn_b32 v3, v1, v4, v2; ds_load_b32 v5, v1",
        &[0xd834_0000, 0x0000_0201, 0xd8c0_0000, 0x0302_0401, 0xd8d8_0000, 0x0500_0001],
    )
    .v(1, |l| l * 4)
    .v(2, |_| 8)
    .v(4, |_| 9)
    .run();
    assert_eq!((r.at(3, 1), r.at(5, 1)), (8, 9));
    let r = Run::new(
        "ds_append v1 offset:8; ds_append v2 offset:8; ds_consume v3 offset:8",
        &[0xd8f8_0008, 0x0100_0000, 0xd8f8_0008, 0x0200_0000, 0xd8f4_0008, 0x0300_0000],
    )
    .exec(0xff0)
    .s(124, 32)
    .run();
    assert_eq!((r.at(1, 4), r.at(2, 11), r.at(3, 5), r.at(1, 0)), (0, 8, 16, 0));
}
