//! Texts whose code needs a rule of its own. Code: as LLVM 19's disassembler reads it to the text.

use super::assemble_instruction;
use crate::{DisasmOptions, Gfx, decode, disasm};

/// Text assembles to `words`, and they read as the text.
fn both_ways(target: u16, text: &str, words: &[u32]) {
    let target = Gfx(target);
    let wave_size = target.default_wave_size();
    let code = assemble_instruction(text, target, wave_size).unwrap_or_else(|e| panic!("{target} {text}: {e}"));
    assert_eq!(code.dwords(), words, "{target} {text}");
    let inst = decode(words, target, wave_size).unwrap_or_else(|e| panic!("{target} {text}: {e}"));
    assert_eq!(disasm(&inst, target, &DisasmOptions { wave_size, ..Default::default() }), text);
}

fn refused(target: u16, text: &str) {
    let target = Gfx(target);
    assert!(assemble_instruction(text, target, target.default_wave_size()).is_err(), "{target} {text}");
}

#[test]
fn null_is_as_wide_as_its_place() {
    both_ways(0x900, "global_atomic_smin_x2 v190, v[17:18], null offset:4032", &[0xdd90_8fc0, 0x007d_11be]);
    both_ways(0x1100, "buffer_atomic_and_b64 v[143:144], v2, null, s64 offen glc", &[0xe124_4000, 0x405f_8f02]);
}

/// Text assembles to `words`, which read as another text.
fn assembles(target: u16, text: &str, words: &[u32]) {
    let target = Gfx(target);
    let code = assemble_instruction(text, target, target.default_wave_size()).unwrap_or_else(|e| panic!("{target} {text}: {e}"));
    assert_eq!(code.dwords(), words, "{target} {text}");
}

#[test]
fn null_may_stand_for_nothing() {
    // LLVM test lines; they read back with `off` and with the offset alone.
    assembles(0x1200, "scratch_load_b128 v[5:8], off, null", &[0xed05_c07c, 0x0000_0005, 0]);
    assembles(0x1200, "global_store_addtid_b32 v1, null offset:4095", &[0xee0a_407c, 0x0080_0000, 0x000f_ff00]);
    assembles(0x1200, "s_load_b64 s[10:11], s[2:3], null offset:0x0", &[0xf400_2281, 0xf800_0000]);
    assembles(0x1200, "s_load_b64 s[10:11], s[2:3], null", &[0xf400_2281, 0xf800_0000]);
    assembles(0x1010, "s_atomic_add s5, s[2:3], 0x0", &[0xf608_0141, 0xfa00_0000]);
    assembles(0x1010, "s_load_dword s5, s[2:3], 0", &[0xf400_0141, 0xfa00_0000]);
    assembles(0x1100, "s_load_b64 s[10:11], s[2:3], null offset:0x0", &[0xf404_0281, 0xf800_0000]);
}

#[test]
fn source_lines_of_llvm_tests() {
    assembles(0x1200, "s_load_b32 s5, s[2:3], s0", &[0xf400_0141, 0]);
    assembles(0x1100, "v_mov_b32 v0, v0 quad_perm:[1,3,0,1] bank_mask:0x1 bound_ctrl:0", &[0x7e00_02fa, 0xf100_4d00]);
    assembles(0x900, "v_mov_b32 v0, v0 quad_perm:[1,3,0,1] bank_mask:0x1 bound_ctrl:0", &[0x7e00_02fa, 0xf108_4d00]);
    assembles(0x1100, "v_add_f16 v1, 0.0, v2", &[0x6402_0480]);
    assembles(0x900, "v_cmpx_f_f16 -1, v2", &[0x7c60_04c1]);
    refused(0x900, "v_cmpx_f_f16_e64 -1, v2");
    assembles(0x900, "s_mov_b32 s0, scc", &[0xbe80_00fd]);
}

#[test]
fn without_room_for_a_literal_bits_of_a_float_constant_are_the_constant() {
    both_ways(0x900, "v_max3_i16 v9, 0xb800, -1, -12", &[0xd1f8_0009, 0x0331_82f1]);
    both_ways(0x1100, "v_max3_u16 v96, 0xb800, 0x7ba6, 0x4400", &[0xd64e_0060, 0x03d9_fef1, 0x0000_7ba6]);
}

#[test]
fn literals_keep_all_their_bits() {
    both_ways(0x900, "v_madak_f16 v28, 0x255e, v40, 0x602255e", &[0x4a38_50ff, 0x0602_255e]);
    both_ways(0x1100, "v_dot2_f16_f16 v118, v230, 0xff48a560, 0xa560", &[0xd666_0076, 0x03fd_ffe6, 0xff48_a560]);
    refused(0x1100, "v_fma_f32 v0, v1, 0xff48a560, 0xa560");
    let text = "v_dual_fmaak_f32 v149, v181, v154, 0x4000 :: v_dual_dot2acc_f32_f16 v20, 0x4000, v59";
    both_ways(0x1100, text, &[0xc859_35b5, 0x9514_76ff, 0x0000_4000]);
    both_ways(0x1010, "v_cmp_class_f16_e64 s46, |v163|, 0x677dbb08", &[0xd48f_012e, 0x0001_ffa3, 0x677d_bb08]);
    both_ways(0x1100, "v_dot2_bf16_bf16 v15, v241, s0, 0x3a3de8de", &[0xd667_000f, 0x03fc_01f1, 0x3a3d_e8de]);
}

#[test]
fn a_small_hexadecimal_double_is_the_high_half() {
    both_ways(0x900, "v_fract_f64_e32 v[0:1], 0x2f", &[0x7e00_64ff, 0x0000_002f]);
    both_ways(0x900, "v_fract_f64_e32 v[0:1], 47", &[0x7e00_64af]);
}

#[test]
fn the_operands_say_whether_an_atomic_returns() {
    let text = "global_atomic_swap_b32 v216, v0, v53, s[54:55] offset:5607120 th:TH_ATOMIC_CASCADE_NT scope:SCOPE_SYS";
    both_ways(0x1200, text, &[0xee0c_c036, 0x1afc_00d8, 0x558e_d000]);
    let text = "global_atomic_swap_b32 v0, v53, s[54:55] offset:5607120 th:TH_ATOMIC_CASCADE_NT scope:SCOPE_SYS";
    both_ways(0x1200, text, &[0xee0c_c036, 0x1aec_0000, 0x558e_d000]);
}

#[test]
fn what_llvm_prints_by_mistake_is_understood() {
    let text = "v_cndmask_b32_dpp v5, v1, |v2, vcc_lo| quad_perm:[0,1,2,3] row_mask:0x0 bank_mask:0x0";
    both_ways(0x1200, text, &[0x020a_04fa, 0x0080_e401]);
    both_ways(0x900, "v_interp_mov_f32_e32 v194, invalid_param_67, attr27.z", &[0xd70a_6e43]);
}

#[test]
fn a_modifier_without_a_place_is_an_error() {
    refused(0x1100, "v_add_f32 v0, v1, v2 glc");
    refused(0x1100, "s_mov_b32 s0, s1 clamp");
    refused(0x1100, "ds_store_b32 v0, v1 dmask:0x1");
    refused(0x803, "v_mov_b32_sdwa v0, v1 src1_sel:WORD_1");
}

#[test]
fn a_parameter_from_lds_is_source_0_and_not_reversed() {
    refused(0x600, "v_lshlrev_b32 v0, src_lds_direct, v1");
    refused(0x600, "v_min3_f32 v108, v192, src_lds_direct, s0");
    both_ways(0x600, "v_lshl_b32_e32 v0, src_lds_direct, v1", &[0x3200_02fe]);
}

/// Text as LLVM 19 prints it with +real-true16, both ways.
fn halves_both_ways(target: u16, text: &str, words: &[u32]) {
    let target = Gfx(target);
    let code = assemble_instruction(text, target, 32).unwrap_or_else(|e| panic!("{target} {text}: {e}"));
    assert_eq!(code.dwords(), words, "{target} {text}");
    let inst = decode(words, target, 32).unwrap_or_else(|e| panic!("{target} {text}: {e}"));
    assert_eq!(disasm(&inst, target, &DisasmOptions { true16: true, ..Default::default() }), text);
}

#[test]
fn long_forms_with_dpp_keep_the_halves_that_op_sel_chooses() {
    let unary = [("ceil", 0xdc), ("floor", 0xdb), ("exp", 0xd8), ("log", 0xd7), ("rsq", 0xd6), ("sqrt", 0xd5), ("rcp", 0xd4)];
    for target in [0x1100, 0x1151, 0x1201] {
        for (name, op) in unary {
            for (halves, bits) in [
                ("v5.l, v1.l", 0),
                ("v5.l, v1.h op_sel:[1,0]", 0x0800),
                ("v5.h, v1.l op_sel:[0,1]", 0x4000),
                ("v5.h, v1.h op_sel:[1,1]", 0x4800),
            ] {
                let first = 0xd500_0005 | op << 16 | bits;
                let text = format!("v_{name}_f16_e64_dpp {halves}");
                let dpp16 = format!("{text} quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf");
                halves_both_ways(target, &dpp16, &[first, 0x0000_00fa, 0xff00_1b01]);
                halves_both_ways(target, &format!("{text} dpp8:[7,6,5,4,3,2,1,0]"), &[first, 0x0000_00e9, 0x0539_7701]);
            }
        }
        let dpp = "quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf";
        let add = format!("v_add_f16_e64_dpp v5.h, v1.l, v2 op_sel:[0,1,1] {dpp}");
        halves_both_ways(target, &add, &[0xd532_5005, 0x0002_04fa, 0xff00_1b01]);
    }
    // Without DPP LLVM 19 leaves the halves to op_sel.
    halves_both_ways(0x1100, "v_ceil_f16_e64 v5.l, v1.l op_sel:[1,1]", &[0xd5dc_4805, 0x0000_0101]);
    halves_both_ways(0x1100, "v_mov_b16_e64 v48.l, v134.l op_sel:[0,1]", &[0xd59c_4030, 0x0000_0186]);
}

#[test]
fn long_forms_take_halves_by_name_alone() {
    for text in ["v_ceil_f16_e64_dpp v5.h, v1.h quad_perm:[3,2,1,0]", "v_ceil_f16_e64_dpp v5.h, v1.h op_sel:[1,1] quad_perm:[3,2,1,0]"] {
        assembles(0x1100, text, &[0xd5dc_4805, 0x0000_00fa, 0xff00_1b01]);
    }
    assembles(0x1100, "v_mov_b16_e64 v48.h, v134.l", &[0xd59c_4030, 0x0000_0186]);
    // Instructions whose halves LLVM 19 has no names for print as LLVM 20 does.
    halves_both_ways(0x1100, "v_trunc_f16_e64 v5.h, v200.l op_sel:[0,1]", &[0xd5dd_4005, 0x0000_01c8]);
    halves_both_ways(0x1100, "v_mad_u16 v5.h, v1.l, v2.h, v3.l op_sel:[0,1,0,1]", &[0xd641_5005, 0x040e_0501]);
    halves_both_ways(0x1100, "v_add_nc_u16 v5.l, v1.h, v2.l op_sel:[1,0,0]", &[0xd703_0805, 0x0002_0501]);
}

#[test]
fn clamp_of_v_div_scale_is_left_out_where_it_has_no_room() {
    for target in [0x600, 0x700] {
        assembles(target, "v_div_scale_f32 v0, vcc, v1, v2, v3 clamp", &[0xd2da_6a00, 0x040e_0501]);
        assembles(target, "v_div_scale_f64 v[0:1], vcc, v[1:2], v[2:3], v[3:4] clamp", &[0xd2dc_6a00, 0x040e_0501]);
        refused(target, "v_add_i32_e64 v0, vcc, v1, v2 clamp");
    }
    refused(0x700, "v_mad_u64_u32 v[0:1], vcc, v1, v2, v[3:4] clamp");
    both_ways(0x900, "v_div_scale_f32 v0, vcc, v1, v2, v3 clamp", &[0xd1e0_ea00, 0x040e_0501]);
}
