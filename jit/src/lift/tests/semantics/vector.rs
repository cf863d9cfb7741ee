//! Vector instructions, lane by lane: modifiers, carries, halves, divisions, dual issue.

use super::*;

#[test]
fn minimum_under_ieee_mode() {
    Run::new("v_min_f32 v0, v1, v2", &[0x1e00_0501]).v(1, |_| SNAN).v(2, |_| f(1.0)).lane0(SNAN | 0x40_0000);
    Run::new("v_min_f32 v0, v1, v2", &[0x1e00_0501]).v(1, |_| QNAN).v(2, |_| f(1.0)).lane0(f(1.0));
    Run::new("v_min_f32 v0, v1, v2", &[0x1e00_0501]).mode(0x1f0).v(1, |_| SNAN).v(2, |_| f(1.0)).lane0(f(1.0));
    Run::new("v_min_f32 v0, v1, v2", &[0x1e00_0501]).v(1, |_| f(0.0)).v(2, |_| f(-0.0)).lane0(f(-0.0));
    Run::new("v_med3_f32 v0, v1, v2, v3", &[0xd61f_0000, 0x040e_0501]).v(1, |_| f(3.0)).v(2, |_| f(-1.0)).v(3, |_| f(2.0)).lane0(f(2.0));
    Run::new("v_minmax_f32 v0, v1, v2, v3", &[0xd65f_0000, 0x040e_0501]).v(1, |_| f(3.0)).v(2, |_| f(-1.0)).v(3, |_| f(2.0)).lane0(f(2.0));
    Run::new("v_med3_i32 v0, v1, v2, v3", &[0xd620_0000, 0x040e_0501]).v(1, |_| 5).v(2, |_| !0).v(3, |_| 3).lane0(3);
}

#[test]
fn source_modifiers_apply_abs_then_neg() {
    Run::new("v_add_f32_e64 v0, -|v1|, v2", &[0xd503_0100, 0x2002_0501]).v(1, |_| f(-3.0)).v(2, |_| f(1.0)).lane0(f(-2.0));
    Run::new("v_mul_f32_e64 v0, |v1|, -v2", &[0xd508_0100, 0x4002_0501]).v(1, |_| f(-3.0)).v(2, |_| f(2.0)).lane0(f(-6.0));
    Run::new("v_cndmask_b32_e64 v0, -v1, |v2|, s5", &[0xd501_0200, 0x2016_0501])
        .s(5, 2)
        .v(1, |_| f(3.0))
        .v(2, |_| f(-4.0))
        .lanes(0, |l| if l == 1 { f(4.0) } else { f(-3.0) });
    Run::new("v_subrev_f32 v0, v1, v2", &[0x0a00_0501]).v(1, |_| f(3.0)).v(2, |_| f(1.0)).lane0(f(-2.0));
}

#[test]
fn output_modifiers() {
    Run::new("v_add_f32_e64 v0, v1, v2 clamp", &[0xd503_8000, 0x0002_0501]).v(1, |_| f(3.0)).lane0(f(1.0));
    Run::new("v_add_f32_e64 v0, v1, v2 clamp", &[0xd503_8000, 0x0002_0501]).v(1, |_| QNAN).lane0(0);
    Run::new("v_add_f32_e64 v0, v1, v2 mul:4", &[0xd503_0000, 0x1002_0501]).v(1, |_| f(3.0)).lane0(f(3.0));
    Run::new("v_add_f32_e64 v0, v1, v2 mul:4", &[0xd503_0000, 0x1002_0501]).mode(0x0c0).v(1, |_| f(3.0)).lane0(f(12.0));
    Run::new("v_add_nc_u32_e64 v0, v1, v2 clamp", &[0xd525_8000, 0x0002_0501]).v(1, |_| !0).v(2, |_| 5).lane0(!0);
    Run::new("v_sub_nc_u32_e64 v0, v1, v2 clamp", &[0xd526_8000, 0x0002_0501]).v(1, |_| 3).v(2, |_| 5).lane0(0);
    Run::new("v_add_nc_i32 v0, v1, v2 clamp", &[0xd726_8000, 0x0002_0501]).v(1, |_| 0x7fff_fff0).v(2, |_| 0x20).lane0(0x7fff_ffff);
    Run::new("v_mad_u32_u24 v0, v1, v2, v3 clamp", &[0xd60b_8000, 0x040e_0501])
        .v(1, |_| 0xff_ffff)
        .v(2, |_| 0x100)
        .v(3, |_| 0x2000)
        .lane0(!0);
    Run::new("v_mad_i32_i24 v0, v1, v2, v3", &[0xd60a_0000, 0x040e_0501]).v(1, |_| 0xff_ffff).v(2, |_| 5).v(3, |_| 3).lane0(-2i32 as u32);
}

#[test]
fn carry_chain() {
    let r = Run::new(
        "v_add_co_u32 v0, vcc_lo, v1, v2; v_add_co_ci_u32_e32 v3, vcc_lo, v4, v5, vcc_lo",
        &[0xd700_6a00, 0x0002_0501, 0x4006_0b04],
    )
    .v(1, |_| !0)
    .v(2, |l| l & 1)
    .v(4, |_| !0)
    .v(5, |l| l >> 1 & 1)
    .exec(0xf)
    .s(106, !0)
    .run();
    assert_eq!([0, 1, 2, 3].map(|l| r.at(3, l)), [!0, 0, 0, 1]);
    assert_eq!(r.sreg(106), 0b1110);
    let r = Run::new(
        "v_sub_co_u32 v0, s4, v1, v2; v_sub_co_ci_u32_e64 v3, s5, v4, v5, s4",
        &[0xd701_0400, 0x0002_0501, 0xd521_0503, 0x0012_0b04],
    )
    .v(1, |_| 0)
    .v(2, |_| 1)
    .v(4, |_| 5)
    .v(5, |_| 5)
    .exec(1)
    .run();
    assert_eq!((r.at(0, 0), r.at(3, 0), r.sreg(4), r.sreg(5)), (!0, !0, 1, 1));
    let r = Run::new("v_mad_u64_u32 v[0:1], s4, v2, v3, v[4:5]", &[0xd6fe_0400, 0x0412_0702])
        .v(2, |_| !0)
        .v(3, |_| !0)
        .v(4, |_| !0)
        .v(5, |_| !0)
        .exec(1)
        .run();
    assert_eq!((r.at(0, 0), r.at(1, 0), r.sreg(4)), (0, 0xffff_fffe, 1));
    let r = Run::new("v_mad_i64_i32 v[0:1], s4, v2, v3, v[4:5]", &[0xd6ff_0400, 0x0412_0702]).v(2, |_| !0).v(3, |_| 7).exec(1).run();
    assert_eq!((r.at(0, 0), r.at(1, 0)), (-7i32 as u32, !0));
}

#[test]
fn integer_fields_and_shifts() {
    Run::new("v_bfe_u32 v0, v1, 4, 8", &[0xd610_0000, 0x0221_0901]).v(1, |_| 0x1234_5678).lane0(0x67);
    Run::new("v_bfe_i32 v0, v1, 4, 4", &[0xd611_0000, 0x0211_0901]).v(1, |_| 0x1234_56f8).lane0(!0);
    Run::new("v_bfe_u32 v0, v1, 4, 32", &[0xd610_0000, 0x0281_0901]).v(1, |_| 0x1234_5678).lane0(0);
    Run::new("v_alignbit_b32 v0, v1, v2, 8", &[0xd616_0000, 0x0222_0501]).v(1, |_| 0x1122_3344).v(2, |_| 0x5566_7788).lane0(0x4455_6677);
    Run::new("v_alignbyte_b32 v0, v1, v2, 3", &[0xd617_0000, 0x020e_0501]).v(1, |_| 0x1122_3344).v(2, |_| 0x5566_7788).lane0(0x2233_4455);
    Run::new("v_perm_b32 v0, v1, v2, s3", &[0xd644_0000, 0x000e_0501])
        .v(1, |_| 0x1122_3344)
        .v(2, |_| 0x5566_7788)
        .s(3, 0x0c0d_0004)
        .lane0(0x00ff_8844);
    Run::new("v_lshrrev_b64 v[0:1], 36, v[2:3]", &[0xd73d_0000, 0x0002_04a4]).v(3, |_| 0x120).lane0(0x12);
    Run::new("v_lshlrev_b32 v0, 35, v1", &[0x3000_02a3]).v(1, |_| 1).lane0(8);
    Run::new("v_mul_hi_i32_i24 v0, v1, v2", &[0x1400_0501]).v(1, |_| 0xff_ffff).v(2, |_| 1).lane0(!0);
    Run::new("v_lshl_add_u32 v0, v1, 3, v2", &[0xd646_0000, 0x0409_0701]).v(1, |_| 2).v(2, |_| 5).lane0(21);
    Run::new("v_xad_u32 v0, v1, v2, v3", &[0xd645_0000, 0x040e_0501]).v(1, |_| 6).v(2, |_| 3).v(3, |_| 5).lane0(10);
    Run::new("v_cvt_f32_ubyte2 v0, v1", &[0x7e00_2701]).v(1, |_| 0x12ff_5678).lane0(f(255.0));
    Run::new("v_sad_u8 v0, v1, v2, v3", &[0xd622_0000, 0x040e_0501]).v(1, |_| 0x0102_0304).v(2, |_| 0x0400_0304).v(3, |_| 10).lane0(15);
}

#[test]
fn mbcnt_counts_lanes_below() {
    Run::new("v_mbcnt_lo_u32_b32 v0, s1, v2", &[0xd71f_0000, 0x0002_0401])
        .s(1, 0xf0f0)
        .v(2, |_| 100)
        .lanes(0, |l| 100 + (0xf0f0u32 & ((1u64 << l) as u32).wrapping_sub(1)).count_ones());
    Run::wave64("v_mbcnt_lo_u32_b32 v1, -1, 0; v_mbcnt_hi_u32_b32 v0, -1, v1", &[0xd71f_0001, 0x0001_00c1, 0xd720_0000, 0x0002_02c1])
        .lanes(0, |l| l);
}

#[test]
fn sixteen_bit_results_keep_the_other_half() {
    Run::new("v_add_nc_u16 v0, v1, v2", &[0xd703_0000, 0x0002_0501])
        .v(0, |_| 0x5555_0000)
        .v(1, |_| 0x1_ffff)
        .v(2, |_| 0x1_0002)
        .lane0(0x5555_0001);
    Run::new("v_add_nc_u16 v0, v1, v2 op_sel:[1,0,1]", &[0xd703_4800, 0x0002_0501])
        .v(0, |_| 0x5555_7777)
        .v(1, |_| 0x3_ffff)
        .v(2, |_| 0x1_0002)
        .lane0(0x0005_7777);
    Run::new("v_cvt_f16_f32 v0, v1", &[0x7e00_1501]).v(0, |_| 0x5555_0000).v(1, |_| f(1.0)).lane0(0x5555_3c00);
    Run::new("v_fma_f16 v0, v1, v2, v3 op_sel:[0,1,0,0]", &[0xd648_1000, 0x040e_0501])
        .v(0, |_| 0)
        .v(1, |_| 0x3c00)
        .v(2, |_| 0x4000_0000)
        .v(3, |_| 0x3c00)
        .lane0(0x4200);
    Run::new("v_mad_u16 v0, v1, v2, v3 clamp", &[0xd641_8000, 0x040e_0501]).v(0, |_| 0).v(1, |_| 0xffff).v(2, |_| 2).lane0(0xffff);
    Run::new("v_pack_b32_f16 v0, v1, v2 op_sel:[1,0,0]", &[0xd711_0800, 0x0002_0501])
        .v(1, |_| 0x1234_5678)
        .v(2, |_| 0x9abc_def0)
        .lane0(0xdef0_1234);
}

#[test]
fn packed_halves() {
    Run::new("v_pk_add_u16 v0, v1, v2", &[0xcc0a_4000, 0x1802_0501]).v(1, |_| 0xffff_0001).v(2, |_| 0x0002_0003).lane0(0x0001_0004);
    Run::new("v_pk_add_u16 v0, v1, v2 clamp", &[0xcc0a_c000, 0x1802_0501]).v(1, |_| 0xffff_0001).v(2, |_| 0x0002_0003).lane0(0xffff_0004);
    Run::new("v_pk_add_u16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,1]", &[0xcc0a_4800, 0x1002_0501])
        .v(1, |_| 0x0010_0001)
        .v(2, |_| 0x0200_0300)
        .lane0(0x0201_0310);
    Run::new("v_pk_fma_f16 v0, v1, v2, v3 neg_lo:[1,0,0] neg_hi:[0,1,0]", &[0xcc0e_4200, 0x3c0e_0501])
        .v(1, |_| 0x4000_3c00)
        .v(2, |_| 0x4000_3c00)
        .lane0(0xc400_bc00);
    Run::new("v_pk_lshlrev_b16 v0, v1, v2", &[0xcc04_4000, 0x1802_0501]).v(1, |_| 0x0004_0001).v(2, |_| 0x0101_8001).lane0(0x1010_0002);
    Run::new("v_pk_mad_i16 v0, v1, v2, v3", &[0xcc00_4000, 0x1c0e_0501])
        .v(1, |_| 0x0002_ffff)
        .v(2, |_| 0x0003_0004)
        .v(3, |_| 0x0001_0001)
        .lane0(0x0007_fffd);
    Run::new("v_pk_mul_lo_u16 v0, v1, 3 op_sel_hi:[1,0]", &[0xcc01_4000, 0x0801_0701]).v(1, |_| 0x0002_0005).lane0(0x0006_000f);
    Run::new("v_fma_mix_f32 v0, v1, v2, v3 op_sel:[1,0,0] op_sel_hi:[1,0,0]", &[0xcc20_0800, 0x0c0e_0501])
        .v(1, |_| 0x4000_0000)
        .v(2, |_| f(3.0))
        .v(3, |_| f(1.0))
        .lane0(f(7.0));
    Run::new("v_fma_mixhi_f16 v0, v1, v2, v3", &[0xcc22_0000, 0x040e_0501])
        .v(0, |_| 0x1234_5678)
        .v(1, |_| f(2.0))
        .v(2, |_| f(3.0))
        .lane0(0x4600_5678);
    Run::new("v_dot4_i32_iu8 v0, v1, v2, v3 neg_lo:[1,0,0]", &[0xcc16_4000, 0x3c0e_0501])
        .v(1, |_| 0xff01_0203)
        .v(2, |_| 0xff01_0101)
        .v(3, |_| 10)
        .lane0((10 + 6 - 255i32) as u32);
    Run::new("v_dot4_i32_iu8 v0, v1, v2, v3 neg_lo:[0,1,0]", &[0xcc16_4000, 0x5c0e_0501])
        .v(1, |_| 0xff01_0203)
        .v(2, |_| 0xff01_0101)
        .v(3, |_| 10)
        .lane0((10 + 6 - 255i32) as u32);
    Run::new("v_dot2_f32_f16 v0, v1, v2, v3", &[0xcc13_4000, 0x1c0e_0501])
        .v(1, |_| 0x4000_3c00)
        .v(2, |_| 0x4000_3c00)
        .v(3, |_| f(1.0))
        .lane0(f(6.0));
}

#[test]
fn division_steps_use_vcc() {
    let r = Run::new("v_div_scale_f32 v0, vcc_lo, v1, v1, v2", &[0xd6fc_6a00, 0x040a_0301]).v(1, |_| f(3.0)).v(2, |_| f(0.0)).exec(1).run();
    assert_eq!((r.at(0, 0) & QNAN, r.sreg(106)), (QNAN, 1));
    Run::new("v_div_fmas_f32 v0, v1, v2, v3", &[0xd637_0000, 0x040e_0501])
        .s(106, 1)
        .v(1, |_| f(2.0))
        .v(2, |_| f(3.0))
        .v(3, |_| f(4.0))
        .lanes(0, |l| if l == 0 { f(10.0 * 2f32.powi(64)) } else { f(10.0) });
    Run::new("v_div_fixup_f32 v0, v1, v2, v3", &[0xd627_0000, 0x040e_0501])
        .v(1, |_| f(9.0))
        .v(2, |_| f(0.0))
        .v(3, |_| f(-1.0))
        .lane0(f(f32::NEG_INFINITY));
}

#[test]
fn dual_issue_reads_before_it_writes() {
    let r = Run::new("v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0", &[0xca10_0101, 0x0000_0100]).v(1, |l| l).run();
    assert_eq!((r.at(0, 3), r.at(1, 3)), (3, 103));
    let r = Run::new("v_dual_cndmask_b32 v2, v0, v1 :: v_dual_fmac_f32 v3, v5, v6", &[0xca40_0300, 0x0202_0d05])
        .s(106, 8)
        .v(1, |l| l)
        .v(3, |_| f(1.0))
        .v(5, |_| f(2.0))
        .v(6, |_| f(3.0))
        .run();
    assert_eq!((r.at(2, 2), r.at(2, 3), r.at(3, 0)), (102, 3, f(7.0)));
    let r = Run::new("v_dual_fmamk_f32 v2, v4, 0x40400000, v5 :: v_dual_add_nc_u32 v3, v1, v0", &[0xc8a0_0b04, 0x0202_0101, 0x4040_0000])
        .v(4, |_| f(2.0))
        .v(5, |_| f(1.0))
        .v(1, |l| l)
        .run();
    assert_eq!((r.at(2, 0), r.at(3, 5)), (f(7.0), 110));
}
