use super::{RULES, reserved};
use crate::{Gfx, decode};
use std::collections::BTreeSet;

/// A processor, code that LLVM 19's disassembler takes for an instruction, and why it must not run.
type Case = (u16, &'static [u32], &'static str);

/// At least one of each rule.
const CASES: &[Case] = &[
    (0x1100, &[0x7e00_02fa, 0xff01_4201], "reserved dpp_ctrl 0x142 on gfx1100"), // v_mov_b32_dpp v0, v1 row_bcast:15
    (0x1100, &[0x7e00_02fa, 0xff01_4301], "reserved dpp_ctrl 0x143 on gfx1100"),
    (0x1030, &[0x7e00_02fa, 0xff01_4201], "reserved dpp_ctrl 0x142 on gfx1030"),
    (0x1201, &[0x7e00_02fa, 0xff01_4301], "reserved dpp_ctrl 0x143 on gfx1201"),
    (0x1010, &[0x7e00_02fa, 0xff01_3001], "reserved dpp_ctrl 0x130 on gfx1010"), // wave_shl:1
    (0x1100, &[0x7e00_02fa, 0xff01_3c01], "reserved dpp_ctrl 0x13c on gfx1100"), // wave_ror:1
    (0x1100, &[0x7e00_02fa, 0xff01_0001], "reserved dpp_ctrl 0x100 on gfx1100"), // row_shl:0
    (0x1100, &[0xd503_0005, 0x0002_04fa, 0xff01_4201], "reserved dpp_ctrl 0x142 on gfx1100"), // v_add_f32_e64_dpp
    (0x900, &[0x7e00_02fa, 0xff01_5001], "reserved dpp_ctrl 0x150 on gfx900"),   // row_share:0
    (0x90a, &[0x7e00_02fa, 0xff01_6001], "reserved dpp_ctrl 0x160 on gfx90a"),   // row_xmask:0
    (0x90a, &[0x7e04_2efa, 0xff00_e404], "reserved dpp_ctrl 0xe4 on gfx90a"),    // v_trunc_f64_dpp quad_perm
    (0x1150, &[0xd503_0005, 0x0001_fefa, 0xff01_4001, 0x1234_5678], "reserved literal with DPP 0x12345678 on gfx1150"),
    (0x1100, &[0xd503_0005, 0x0000_04fa, 0xff01_4001], "reserved source 1 with DPP 0x2 on gfx1100"), // s2
    (0x1100, &[0xd503_0005, 0x0001_e0e9, 0x0539_7701], "reserved source 1 with DPP 0xf0 on gfx1100"), // 0.5, DPP8
    (0x900, &[0x0202_04f9, 0x0606_1e01], "reserved dst_unused 0x3 on gfx900"),
    (0x1100, &[0xd703_0001, 0x2002_0501], "reserved neg 0x1 on gfx1100"), // v_add_nc_u16
    (0x1100, &[0xd71c_0001, 0x4002_0501], "reserved neg 0x2 on gfx1100"), // v_ldexp_f32 v1, v1, sext(v2)
    (0x1100, &[0xd703_0201, 0x0002_0501], "reserved abs 0x2 on gfx1100"),
    (0x1100, &[0xd503_0801, 0x0002_0501], "reserved op_sel 0x1 on gfx1100"), // v_add_f32_e64
    (0x1100, &[0xd65a_4001, 0x0412_0702], "reserved op_sel 0x8 on gfx1100"), // v_mad_i32_i16 op_sel:[0,0,0,1]
    (0x803, &[0xd11f_0801, 0x0002_0501], "reserved op_sel 0x1 on gfx803"),   // v_add_f16_e64
    (0x1100, &[0xcc16_4801, 0x3c12_0702], "reserved op_sel 0x1 on gfx1100"), // v_dot4_i32_iu8
    (0x1100, &[0xcc0a_4001, 0x3802_0702], "reserved neg_lo 0x1 on gfx1100"), // v_pk_add_u16
    (0x1100, &[0xcc16_4001, 0x9c12_0702], "reserved neg_lo 0x4 on gfx1100"), // v_dot4_i32_iu8 neg_lo:[0,0,1]
    (0x1100, &[0xcc0a_4101, 0x1802_0702], "reserved neg_hi 0x1 on gfx1100"),
    (0x1100, &[0x7e02_02fb], "reserved source operand 0xfb on gfx1100"), // src_vccz
    (0x1100, &[0x7e02_02fe], "reserved source operand 0xfe on gfx1100"), // src_lds_direct
    (0x1100, &[0xbe80_00ef], "reserved source operand 0xef on gfx1100"), // src_pops_exiting_wave_id
    (0x803, &[0x7e02_02eb], "reserved source operand 0xeb on gfx803"),   // src_shared_base
    (0x900, &[0x7e02_027d], "reserved source operand 0x7d on gfx900"),   // null
    (0x1100, &[0xc910_00fc, 0x0000_0001], "reserved source operand 0xfc on gfx1100"), // v_dual_add_f32 v0, src_execz, v0 :: v_dual_mov_b32
    (0x1100, &[0x7e00_04eb], "reserved register operand 0xeb on gfx1100"), // v_readfirstlane_b32 s0, src_shared_base
    (0x1100, &[0xbe80_48fd], "reserved register operand 0xfd on gfx1100"), // s_setpc_b64 src_scc
    (0x1100, &[0xb880_f83f], "reserved hwreg 0x3f on gfx1100"),          // s_getreg_b32 s0, hwreg(63)
    (0x1100, &[0xb900_f816], "reserved hwreg 0x16 on gfx1100"),          // XNACK_MASK is gfx10.1's
    (0x1100, &[0xbfb6_0007], "reserved message 0x7 on gfx1100"),         // MSG_ORDERED_PS_DONE is gfx9's and gfx10's
    (0x1100, &[0xbfb6_0083], "reserved message 0x83 on gfx1100"),        // MSG_RTN_GET_REALTIME of s_sendmsg
    (0x1100, &[0xbe80_4c01], "reserved message 0x1 on gfx1100"),         // MSG_INTERRUPT of s_sendmsg_rtn_b32
    (0x1030, &[0xbf90_0042], "reserved message 0x42 on gfx1030"),        // operation 4 of MSG_GS
    (0x1100, &[0xbf87_000c], "reserved delay 0xc on gfx1100"),
    (0x1100, &[0xbf87_0060], "reserved delay 0x60 on gfx1100"),
    (0x1100, &[0xf800_08af, 0x0403_0201], "reserved export target 0xa on gfx1100"),
    (0x1100, &[0xf800_089f, 0x0403_0201], "reserved export target 0x9 on gfx1100"), // null is gfx10's
    (0x90a, &[0xd801_0000, 0x0000_0100], "reserved gds 0x1 on gfx90a"),             // ds_add_u32
    (0x1100, &[0xd8d4_8100, 0x0100_0000], "reserved swizzle pattern 0x8100 on gfx1100"),
    (0x803, &[0xd87a_c020, 0x0100_0000], "reserved swizzle pattern 0xc020 on gfx803"), // rotation
    (0x900, &[0xda00_0000, 0x0000_0100], "reserved AGPR bit 0x1 on gfx900"),
    (0x900, &[0xe050_8000, 0x0101_0100], "reserved scc 0x1 on gfx900"), // buffer_load_dword
    (0x1200, &[0xee05_007c, 0x0070_0001, 2], "reserved th 0x7 on gfx1200"), // global_load_b32
    (0x1200, &[0xee0d_407c, 0x00c0_0000, 2], "reserved th 0x4 on gfx1200"), // global_atomic_add_u32: cascading needs a scope
    (0x1100, &[0xdc50_1fff, 0x017c_0002], "reserved flat offset 0x1fff on gfx1100"),
    (0x803, &[0xdc50_0004, 0x0100_0002], "reserved flat offset 0x4 on gfx803"),
    (0x1100, &[0xea00_0000, 0x0101_0100], "reserved format 0x40 on gfx1100"), // tbuffer_load_format_x
    (0x900, &[0xeb78_0000, 0x0101_0100], "reserved format 0x6f on gfx900"),   // RESERVED_15, RESERVED_6
    (0x1100, &[0xe068_0000, 0x0121_0100], "reserved tfe 0x1 on gfx1100"),     // buffer_store_b32
    (0x1100, &[0xf018_0f04, 0x0042_0004], "reserved lwe 0x1 on gfx1100"),     // image_store
    (0x1100, &[0xf0bc_0304, 0x0402_0004], "reserved dmask 0x3 on gfx1100"),   // image_gather4
    (0x1100, &[0xf030_0504, 0x0002_0004], "reserved dmask 0x5 on gfx1100"),   // image_atomic_add
    (0x1100, &[0xf06c_0f18, 0x0402_0004], "reserved dim 0x6 on gfx1100"),     // image_sample dim:SQ_RSRC_IMG_2D_MSAA
    (0x1100, &[0xf060_0104, 0x0002_0004], "reserved dim 0x1 on gfx1100"),     // image_msaa_load dim:SQ_RSRC_IMG_2D
    (0x1100, &[0xd801_0000, 0x0000_0100], "reserved bits of dword 0 0x10000 on gfx1100"), // ds_add_u32
    (0x1100, &[0xe051_0000, 0x0101_0100], "reserved bits of dword 0 0x10000 on gfx1100"), // lds of buffer_load_b32 ended with gfx10
    (0x1100, &[0xf800_1c0f, 0x0403_0201], "reserved bits of dword 0 0x1400 on gfx1100"), // compr and vm of exp too
    (0x600, &[0xd206_1000, 0x0002_0501], "reserved bits of dword 0 0x1000 on gfx600"), // v_add_f32_e64
    (0x1100, &[0x7e00_02fa, 0xff02_e401], "reserved bits after dword 0 0x20000 on gfx1100"), // DPP
    (0x900, &[0x7e00_02fa, 0xff04_e401], "reserved bits after dword 0 0x40000 on gfx900"), // fi
    (0x1100, &[0xd503_0005, 0x0002_04fa, 0xff10_e401], "reserved bits after dword 0 0x100000 on gfx1100"), // VOP3 has its own neg
];

fn message((target, words, _): &Case) -> Option<String> {
    let target = Gfx(*target);
    let inst = decode(words, target, target.default_wave_size()).unwrap_or_else(|e| panic!("{target} {words:08x?}: {e}"));
    assert_eq!(usize::from(inst.len), words.len(), "{inst:?}");
    reserved(&inst).map(|value| value.to_string())
}

#[test]
fn values_that_a_processor_lacks_are_named() {
    for case in CASES {
        assert_eq!(message(case).as_deref(), Some(case.2), "{:08x?}", case.1);
    }
}

#[test]
fn every_rule_has_a_case() {
    let seen: BTreeSet<&str> = CASES.iter().map(|c| c.2).collect();
    for rule in &RULES {
        assert!(seen.iter().any(|m| m.starts_with(&format!("reserved {} 0x", rule.field))), "{}", rule.field);
        assert!(!rule.why.is_empty());
    }
}

/// The same fields with values that the processor has.
#[test]
fn values_that_a_processor_has_are_not_reserved() {
    let fine: &[(u16, &[u32])] = &[
        (0x900, &[0x7e00_02fa, 0xff01_4201]),  // row_bcast:15
        (0x803, &[0x7e00_02fa, 0xff01_3001]),  // wave_shl:1
        (0x1100, &[0x7e00_02fa, 0xff05_5f01]), // row_share:15 fi:1
        (0x90a, &[0x7e04_2efa, 0xff01_5004]),  // v_trunc_f64_dpp row_newbcast:0
        (0x1100, &[0xd503_0005, 0x0002_04fa, 0xff01_4001]),
        (0x1150, &[0xd503_0005, 0x0000_04fa, 0xff01_4001]),
        // v_add_f32_e64_dpp v8, |v4|, |v7| div:2: Mesa 25's ACO repeats abs in the DPP dword.
        (0x1100, &[0xd503_0308, 0x1802_0efa, 0xffac_5504]),
        (0x1100, &[0xd503_0101, 0x6002_0501]),    // v_add_f32_e64 v1, -|v1|, -v2
        (0x1100, &[0xd71c_0001, 0x2002_0501]),    // v_ldexp_f32 v1, -v1, v2
        (0x1100, &[0xd532_5801, 0x0002_0501]),    // v_add_f16_e64 op_sel:[1,1,1]
        (0x1100, &[0xd641_7801, 0x040e_0501]),    // v_mad_u16 op_sel:[1,1,1,1]
        (0x1100, &[0xcc16_4001, 0x7c12_0702]),    // v_dot4_i32_iu8 neg_lo:[1,1,0]
        (0x1100, &[0xcc0f_4301, 0x7802_0702]),    // v_pk_add_f16 neg_lo:[1,1] neg_hi:[1,1]
        (0x1100, &[0xd65c_4902, 0x2201_0101]),    // v_permlanex16_b32 v2, v1, 0, 0 op_sel:[1,0], as LLVM 15 encodes it
        (0x1030, &[0x7e02_02fb]),                 // src_vccz
        (0x1100, &[0x7e02_02fd]),                 // src_scc
        (0x1100, &[0x7e02_02eb]),                 // src_shared_base
        (0x1100, &[0xb880_f801]),                 // hwreg(HW_REG_MODE)
        (0x1100, &[0xbfb6_0003]),                 // MSG_DEALLOC_VGPRS
        (0x1030, &[0xbf90_0122]),                 // sendmsg(MSG_GS, GS_OP_EMIT, 1)
        (0x1100, &[0xbf87_0513]),                 // a dependency after a few
        (0x1100, &[0xf800_08cf, 0x0403_0201]),    // exp pos0
        (0x900, &[0xd87a_c020, 0x0100_0000]),     // rotation
        (0x1200, &[0xee0d_407c, 0x00c8_0000, 2]), // TH_ATOMIC_CASCADE_RT scope:SCOPE_DEV
        (0x1100, &[0xdc50_0fff, 0x017c_0002]),
        (0x1100, &[0xf0bc_0804, 0x0402_0004]), // image_gather4 dmask:0x8
        (0x1100, &[0xbf89_fc0f]),              // s_waitcnt with a bit that no counter has
        (0x1100, &[0x7e00_02fa, 0xff04_e401]), // fi
    ];
    for (target, words) in fine {
        assert_eq!(message(&(*target, words, "")), None, "gfx{target:x} {words:08x?}");
    }
}
