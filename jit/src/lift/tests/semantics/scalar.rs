//! Scalar instructions: results, SCC, constants, and EXEC as scalar code sees it.

use super::*;

#[test]
fn scalar_add_gives_carry_or_overflow() {
    Run::new("s_add_u32 s0, s1, s2", &[0x8000_0201]).s(1, !0).s(2, 2).scalar(1, 1);
    Run::new("s_add_i32 s0, s1, s2", &[0x8100_0201]).s(1, 0x7fff_ffff).s(2, 1).scalar(0x8000_0000, 1);
    Run::new("s_add_i32 s0, s1, s2", &[0x8100_0201]).s(1, !0).s(2, 1).scalar(0, 0);
    Run::new("s_sub_u32 s0, s1, s2", &[0x8080_0201]).s(1, 1).s(2, 2).scalar(!0, 1);
    Run::new("s_sub_i32 s0, s1, s2", &[0x8180_0201]).s(1, 0x8000_0000).s(2, 1).scalar(0x7fff_ffff, 1);
    Run::new("s_addc_u32 s0, s1, s2", &[0x8200_0201]).s(1, !0).s(2, 0).s(128, 1).scalar(0, 1);
    Run::new("s_addc_u32 s0, s1, s2", &[0x8200_0201]).s(1, !0).s(2, !0).s(128, 1).scalar(!0, 1);
    Run::new("s_subb_u32 s0, s1, s2", &[0x8280_0201]).s(1, 5).s(2, 5).s(128, 1).scalar(!0, 1);
    Run::new("s_subb_u32 s0, s1, s2", &[0x8280_0201]).s(1, 5).s(2, 4).s(128, 1).scalar(0, 0);
    Run::new("s_addk_i32 s0, 0xffff", &[0xb780_ffff]).s(0, 0x8000_0000).scalar(0x7fff_ffff, 1);
    Run::new("s_addk_i32 s0, 0x10", &[0xb780_0010]).s(0, 1).s(128, 1).scalar(17, 0);
    Run::new("s_mulk_i32 s0, 0xfffe", &[0xb800_fffe]).s(0, 3).scalar(0xffff_fffa, 0);
    Run::new("s_lshl3_add_u32 s0, s1, s2", &[0x8800_0201]).s(1, 0x2000_0000).s(2, 5).scalar(5, 1);
}

#[test]
fn absdiff_wraps_to_32_bits() {
    Run::new("s_absdiff_i32 s0, s1, s2", &[0x8300_0201]).s(1, 3).s(2, 10).scalar(7, 1);
    Run::new("s_absdiff_i32 s0, s1, s2", &[0x8300_0201]).s(1, 10).s(2, 10).scalar(0, 0);
    Run::new("s_absdiff_i32 s0, s1, s2", &[0x8300_0201]).s(1, 0x7fff_ffff).s(2, !0).scalar(0x8000_0000, 1);
}

#[test]
fn scalar_max_of_equals_clears_scc() {
    Run::new("s_max_i32 s0, s1, s2", &[0x8a00_0201]).s(1, 4).s(2, 4).s(128, 1).scalar(4, 0);
    Run::new("s_max_u32 s0, s1, s2", &[0x8a80_0201]).s(1, !0).s(2, 4).scalar(!0, 1);
    Run::new("s_min_i32 s0, s1, s2", &[0x8900_0201]).s(1, !0).s(2, 4).scalar(!0, 1);
}

#[test]
fn scalar_bit_field_extract() {
    Run::new("s_bfe_u32 s0, s1, 0x80004", &[0x9300_ff01, 0x0008_0004]).s(1, 0x1234_5678).scalar(0x67, 1);
    Run::new("s_bfe_i32 s0, s1, 0x80004", &[0x9380_ff01, 0x0008_0004]).s(1, 0x1234_5fa8).scalar(0xffff_fffa, 1);
    Run::new("s_bfe_u32 s0, s1, 0x300004", &[0x9300_ff01, 0x0030_0004]).s(1, 0x8234_5678).scalar(0x0823_4567, 1);
    Run::new("s_bfe_u32 s0, s1, 0x4", &[0x9300_8401]).s(1, 0x1234_5678).scalar(0, 0);
    Run::new("s_bfe_i64 s[0:1], s[2:3], 0x80020", &[0x9480_ff02, 0x0008_0020]).s(2, 0).s(3, 0x80).scalar(0xffff_ff80, 1);
    Run::new("s_bfm_b32 s0, 4, 8", &[0x9500_8884]).scalar(0xf00, 0);
}

#[test]
fn sopk_compares_extend_by_sign_or_zero() {
    Run::new("s_cmpk_eq_i32 s0, 0xffff", &[0xb180_ffff]).s(0, !0).scalar(!0, 1);
    Run::new("s_cmpk_eq_u32 s0, 0xffff", &[0xb480_ffff]).s(0, !0).scalar(!0, 0);
    Run::new("s_cmpk_gt_u32 s0, 0xffff", &[0xb580_ffff]).s(0, 0x1_0000).scalar(0x1_0000, 1);
    Run::new("s_movk_i32 s0, 0x8000", &[0xb000_8000]).scalar(0xffff_8000, 0);
    Run::new("s_cmovk_i32 s0, 0x7", &[0xb100_0007]).s(0, 9).s(128, 1).scalar(7, 1);
    Run::new("s_cmovk_i32 s0, 0x7", &[0xb100_0007]).s(0, 9).scalar(9, 0);
}

#[test]
fn counting_instructions_say_minus_one_for_nothing() {
    Run::new("s_ctz_i32_b32 s0, s1", &[0xbe80_0801]).s(1, 0).scalar(!0, 0);
    Run::new("s_clz_i32_u32 s0, s1", &[0xbe80_0a01]).s(1, 1).scalar(31, 0);
    Run::new("s_clz_i32_u64 s0, s[2:3]", &[0xbe80_0b02]).s(2, 1).scalar(63, 0);
    Run::new("s_cls_i32 s0, s1", &[0xbe80_0c01]).s(1, !0).scalar(!0, 0);
    Run::new("s_bcnt0_i32_b32 s0, s1", &[0xbe80_1601]).s(1, !0).scalar(0, 0);
    Run::new("s_bcnt1_i32_b64 s0, s[2:3]", &[0xbe80_1902]).s(2, 3).s(3, 1).scalar(3, 1);
    Run::new("s_wqm_b32 s0, s1", &[0xbe80_1c01]).s(1, 0x0100_0020).scalar(0x0f00_00f0, 1);
    Run::new("s_quadmask_b32 s0, s1", &[0xbe80_1a01]).s(1, 0x0100_0020).scalar(0x42, 1);
    Run::new("s_bitset1_b32 s0, s1", &[0xbe80_1201]).s(0, 1).s(1, 35).scalar(9, 0);
    Run::new("s_pack_lh_b32_b16 s0, s1, s2", &[0x9980_0201]).s(1, 0x1111_2222).s(2, 0x3333_4444).scalar(0x3333_2222, 0);
    Run::new("s_pack_hl_b32_b16 s0, s1, s2", &[0x9a80_0201]).s(1, 0x1111_2222).s(2, 0x3333_4444).scalar(0x4444_1111, 0);
    Run::new("s_bitcmp1_b32 s0, s1", &[0xbf0d_0100]).s(0, 8).s(1, 3).scalar(8, 1);
}

#[test]
fn constants_widen_by_type() {
    Run::new("s_mov_b64 s[0:1], -1", &[0xbe80_01c1]).scalar(!0, 0);
    let r = Run::new("s_mov_b64 s[0:1], 0x80000000", &[0xbe80_01ff, 0x8000_0000]).run();
    assert_eq!((r.sreg(0), r.sreg(1)), (0x8000_0000, 0));
    let r = Run::new("v_add_f64 v[0:1], 1.0, v[2:3]", &[0xd727_0000, 0x0002_04f2]).run();
    assert_eq!((r.at(0, 0), r.at(1, 0)), (0, 0x3ff0_0000));
    let r = Run::new("v_add_f64 v[0:1], 0x40080000, v[2:3]", &[0xd727_0000, 0x0002_04ff, 0x4008_0000]).run();
    assert_eq!((r.at(0, 0), r.at(1, 0)), (0, 0x4008_0000));
    Run::new("v_add_f16_e32 v0, 1.0, v1", &[0x6400_02f2]).v(0, |_| 0xabcd_0000).lane0(0xabcd_3c00);
    let r = Run::new("s_mov_b64 s[0:1], src_shared_base", &[0xbe80_01eb]).run();
    assert_eq!((r.sreg(0), r.sreg(1)), (0, wavejit_ir::abi::SHARED_APERTURE_HI));
}

#[test]
fn null_reads_zero_and_drops_writes_but_scc_is_set() {
    Run::new("s_or_b32 null, s1, s2", &[0x8c7c_0201]).s(0, 5).s(1, 1).scalar(5, 1);
    Run::new("s_or_b32 s0, null, s2", &[0x8c00_027c]).s(0, 5).s(2, 0).scalar(0, 0);
    let r = Run::new("s_mov_b32 m0, 7", &[0xbefd_0087]).run();
    assert_eq!(r.sreg(124), 7);
}

#[test]
fn relative_scalar_moves() {
    Run::new("s_movrels_b32 s0, s4", &[0xbe80_4004]).s(124, 3).s(7, 77).scalar(77, 0);
    let r = Run::new("s_movreld_b32 s4, s0", &[0xbe84_4200]).s(124, 3).s(0, 5).run();
    assert_eq!(r.sreg(7), 5);
}

#[test]
fn saveexec_family() {
    let r = Run::new("s_and_saveexec_b32 s0, s1", &[0xbe80_2001]).exec(0xff).s(1, 0xf0f).run();
    assert_eq!((r.sreg(0), r.sreg(126), r.scc()), (0xff, 0x0f, 1));
    let r = Run::new("s_or_not1_saveexec_b32 s0, s1", &[0xbe80_3201]).exec(0xff).s(1, 0x1).run();
    assert_eq!((r.sreg(0), r.sreg(126), r.scc()), (0xff, 0xffff_ff01, 1));
    let r = Run::new("s_and_not0_saveexec_b32 s0, s1", &[0xbe80_2c01]).exec(0xff).s(1, 0xff).run();
    assert_eq!((r.sreg(0), r.sreg(126), r.scc()), (0xff, 0, 0));
    let r = Run::new("s_and_not1_wrexec_b32 s0, s1", &[0xbe80_3601]).exec(0xff).s(1, 0x1ff).run();
    assert_eq!((r.sreg(0), r.sreg(126), r.scc()), (0x100, 0x100, 1));
    let r = Run::wave64("s_xor_saveexec_b64 s[0:1], s[2:3]", &[0xbe80_2502]).s(2, 1).s(3, 2).run();
    assert_eq!((r.sreg(0), r.sreg(1), r.sreg(126), r.sreg(127)), (!0, !0, !1, !2));
}

#[test]
fn compares_write_zero_for_inactive_lanes() {
    let r = Run::new("v_cmp_gt_u32_e32 vcc_lo, 110, v0", &[0x7c98_00ff, 0x0000_006e]).exec(0xff).s(106, !0).run();
    assert_eq!(r.sreg(106), 0xff);
    let r = Run::new("v_cmpx_lt_u32_e32 103, v0", &[0x7d92_00ff, 0x0000_0067]).exec(0xff).run();
    assert_eq!(r.sreg(126), 0xf0);
    let r = Run::new("v_cmp_eq_u32_e64 s5, v0, v0", &[0xd44a_0005, 0x0002_0100]).exec(0).s(5, !0).run();
    assert_eq!(r.sreg(5), 0);
    let r = Run::wave64("v_cmp_ne_u32_e64 s[4:5], 163, v0", &[0xd44d_0004, 0x0002_00ff, 0x0000_00a3]).run();
    assert_eq!((r.sreg(4), r.sreg(5)), (!0, 0x7fff_ffff));
}

#[test]
fn float_compares_and_nan() {
    let r = Run::new("v_cmp_nlt_f32_e64 s5, v1, v2", &[0xd41e_0005, 0x0002_0501]).v(1, |_| QNAN).run();
    assert_eq!(r.sreg(5), !0);
    let r = Run::new("v_cmp_lg_f32_e64 s5, v1, v2", &[0xd415_0005, 0x0002_0501]).v(1, |_| QNAN).run();
    assert_eq!(r.sreg(5), 0);
    let r = Run::new("v_cmp_eq_f32_e64 s5, -v1, |v2|", &[0xd412_0205, 0x2002_0501]).v(1, |_| f(-2.0)).v(2, |_| f(-2.0)).run();
    assert_eq!(r.sreg(5), !0);
    let r = Run::new("v_cmp_class_f32_e64 s5, v1, v2", &[0xd47e_0005, 0x0002_0501])
        .v(1, |l| [SNAN, QNAN, f(-0.0), 1][l as usize % 4])
        .v(2, |_| 0x80 | 1)
        .run();
    assert_eq!(r.sreg(5), 0x9999_9999);
}
