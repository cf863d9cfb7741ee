//! Registers that a wave does not have (STATE-28 to STATE-33), in every format: an instruction with a source out of range does what the same
//! instruction does with v0 there, one with a destination out of range does nothing. Single values are in `filetests/registers.txt`.

use crate::device::{Raw, run};
use wavejit::Engine;
use wavejit_ir::abi::Exit;
use wavejit_ir::{FpMode, SReg};
use wavejit_isa::{Gfx, assemble};
use wavejit_tests::filetest::differences;
use wavejit_tests::machine::{INTERPRETER, LEAVE, MEM, Machine, OTHERS, lift_limited};

const VGPRS: u32 = 48;

/// A machine whose registers are all different; v0 to v7 can be addresses in LDS and of memory at s\[4:5\], which s\[8:11\] describe.
fn machine(wave_size: u32) -> Machine {
    let mut m = Machine::new(wave_size);
    let small = |n: u32, lane: u32| 64 * n + 16 * (lane & 31);
    let large = |n: u32, lane: u32| 0x3c00_3c00u32.wrapping_add(n << 17 | n << 5 | lane << 9);
    for n in 0..256 {
        m.vgpr_mut(n as usize).iter_mut().zip(0..).for_each(|(v, lane)| *v = if n < 8 { small(n, lane) } else { large(n, lane) });
    }
    (12..90).for_each(|n| m.sregs[n] = n as u32 * 3);
    m.sregs[4..6].copy_from_slice(&[MEM as u32, 0]);
    m.sregs[8..12].copy_from_slice(&[MEM as u32, 0, 4096, 0x3001_6fac]);
    m.sregs[usize::from(SReg::EXEC_LO.0)] = 0x7fff_fff7;
    m.sregs[usize::from(SReg::EXEC_HI.0)] = 0;
    m.sregs[usize::from(SReg::VCC_LO.0)] = 0x5555_1234;
    m.lds_mut().iter_mut().zip(0..).for_each(|(v, i): (_, u32)| *v = 0x1_0001 * i);
    m.mem_mut().iter_mut().zip(0..).for_each(|(v, i): (_, u32)| *v = 0x3000_0000 + i);
    m
}

/// The machine after `text`, on an engine.
fn after(text: &str, wave_size: u32, engine: usize) -> Machine {
    let target = Gfx::GFX1100;
    // Masks are one register in the text of both sizes; the registers of matrices are half as many in wave64.
    let code = assemble(text, target, if text.contains("wmma") { wave_size } else { 32 }).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let mut words: Vec<u32> = code.bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    words.push(LEAVE);
    let func = lift_limited(&words, target, wave_size, FpMode::HSA, VGPRS);
    let (name, run) = [INTERPRETER, OTHERS[0], OTHERS[1]][engine];
    let mut m = machine(wave_size);
    let outcome = run(&func, &mut m).unwrap_or_else(|e| panic!("{text}, {name}: {e}"));
    assert_eq!(outcome.exit, Exit::NewPc, "{text}, {name}: {outcome:?} {:?}", func.failures);
    m
}

fn agree(text: &str, wave_size: u32, expected: impl Fn(usize) -> Machine) {
    for engine in 0..3 {
        let wrong = differences(&after(text, wave_size, engine), &expected(engine));
        assert!(wrong.is_empty(), "{text} (wave{wave_size}):\n{wrong}");
    }
}

#[test]
fn sources_out_of_range_read_v0() {
    // STATE-30, STATE-32
    for (beyond, same) in [
        ("v_mov_b32 v9, v48", "v_mov_b32 v9, v0"),
        ("v_add_f32 v9, v255, v10", "v_add_f32 v9, v0, v10"),
        ("v_add_f32 v9, v10, v48", "v_add_f32 v9, v10, v0"),
        ("v_fmac_f32 v9, v100, v101", "v_fmac_f32 v9, v0, v0"),
        ("v_add_f16 v9, v100, v10", "v_add_f16 v9, v0, v10"),
        ("v_bfi_b32 v9, v48, v49, v50", "v_bfi_b32 v9, v0, v0, v0"),
        ("v_add_f64 v[8:9], v[47:48], v[100:101]", "v_add_f64 v[8:9], v[0:1], v[0:1]"),
        ("v_cvt_f32_f64 v9, v[47:48]", "v_cvt_f32_f64 v9, v[0:1]"),
        ("v_mad_u64_u32 v[8:9], s6, v48, v49, v[254:255]", "v_mad_u64_u32 v[8:9], s6, v0, v0, v[0:1]"),
        ("v_cndmask_b32 v9, v48, v10, vcc_lo", "v_cndmask_b32 v9, v0, v10, vcc_lo"),
        ("v_cmp_gt_f32 s20, |v48|, v9", "v_cmp_gt_f32 s20, |v0|, v9"),
        ("v_cmp_eq_u64 vcc_lo, v[47:48], v[8:9]", "v_cmp_eq_u64 vcc_lo, v[0:1], v[8:9]"),
        ("v_cmpx_lt_u32 v48, v3", "v_cmpx_lt_u32 v0, v3"),
        ("v_sub_co_u32 v9, s20, v48, v10", "v_sub_co_u32 v9, s20, v0, v10"),
        ("v_pk_fma_f16 v9, v48, v10, v49", "v_pk_fma_f16 v9, v0, v10, v0"),
        ("v_fma_mix_f32 v9, v48, v10, v49 op_sel_hi:[1,0,1]", "v_fma_mix_f32 v9, v0, v10, v0 op_sel_hi:[1,0,1]"),
        ("v_dot4_u32_u8 v9, v48, v10, v49", "v_dot4_u32_u8 v9, v0, v10, v0"),
        ("v_dot2_f32_f16 v9, v48, v10, v49", "v_dot2_f32_f16 v9, v0, v10, v0"),
        ("v_qsad_pk_u16_u8 v[8:9], v[47:48], v10, v[48:49]", "v_qsad_pk_u16_u8 v[8:9], v[0:1], v10, v[0:1]"),
        ("v_mqsad_u32_u8 v[8:11], v[12:13], v14, v[45:48]", "v_mqsad_u32_u8 v[8:11], v[12:13], v14, v[0:3]"),
        ("v_div_fmas_f64 v[8:9], v[47:48], v[10:11], v[100:101]", "v_div_fmas_f64 v[8:9], v[0:1], v[10:11], v[0:1]"),
        ("v_permlane16_b32 v9, v48, s14, s15", "v_permlane16_b32 v9, v0, s14, s15"),
        ("v_readlane_b32 s20, v48, 3", "v_readlane_b32 s20, v0, 3"),
        ("v_mov_b32_dpp v9, v48 row_ror:3 row_mask:0xf bank_mask:0xf", "v_mov_b32_dpp v9, v0 row_ror:3 row_mask:0xf bank_mask:0xf"),
        (
            "v_add_f32_e64_dpp v9, v48, v49 row_mirror row_mask:0xf bank_mask:0xf",
            "v_add_f32_e64_dpp v9, v0, v0 row_mirror row_mask:0xf bank_mask:0xf",
        ),
        ("v_mov_b32_dpp v9, v48 dpp8:[7,6,5,4,3,2,1,0]", "v_mov_b32_dpp v9, v0 dpp8:[7,6,5,4,3,2,1,0]"),
        ("ds_swizzle_b32 v9, v48 offset:swizzle(SWAP,4)", "ds_swizzle_b32 v9, v0 offset:swizzle(SWAP,4)"),
        ("ds_permute_b32 v9, v48, v49", "ds_permute_b32 v9, v0, v0"),
        ("ds_store_b128 v3, v[46:49]", "ds_store_b64 v3, v[46:47]\nds_store_2addr_b32 v3, v0, v0 offset0:2 offset1:3"),
        (
            "ds_store_2addr_b64 v3, v[47:48], v[100:101] offset1:20",
            "ds_store_2addr_b32 v3, v47, v0 offset1:1\nds_store_2addr_b32 v3, v0, v0 offset0:40 offset1:41",
        ),
        ("ds_cmpstore_b32 v3, v48, v49", "ds_cmpstore_b32 v3, v0, v0"),
        ("ds_mskor_rtn_b32 v9, v48, v10, v49", "ds_mskor_rtn_b32 v9, v0, v10, v0"),
        ("ds_storexchg_2addr_rtn_b32 v[8:9], v3, v48, v10 offset1:1", "ds_storexchg_2addr_rtn_b32 v[8:9], v3, v0, v10 offset1:1"),
        ("global_load_b64 v[8:9], v255, s[4:5]", "global_load_b64 v[8:9], v0, s[4:5]"),
        ("global_store_b96 v3, v[46:48], s[4:5]", "global_store_b64 v3, v[46:47], s[4:5]\nglobal_store_b32 v3, v0, s[4:5] offset:8"),
        ("global_store_d16_hi_b16 v3, v48, s[4:5]", "global_store_d16_hi_b16 v3, v0, s[4:5]"),
        ("global_atomic_add_u32 v9, v3, v48, s[4:5] glc", "global_atomic_add_u32 v9, v3, v0, s[4:5] glc"),
        (
            "buffer_store_b96 v[46:48], v3, s[8:11], 0 offen",
            "buffer_store_b64 v[46:47], v3, s[8:11], 0 offen\nbuffer_store_b32 v0, v3, s[8:11], 0 offen offset:8",
        ),
        ("buffer_load_format_xy v[8:9], v48, s[8:11], 0 offen", "buffer_load_format_xy v[8:9], v0, s[8:11], 0 offen"),
        (
            "tbuffer_store_format_x v48, v3, s[8:11], 0 format:[BUF_FMT_32_UINT] offen",
            "tbuffer_store_format_x v0, v3, s[8:11], 0 format:[BUF_FMT_32_UINT] offen",
        ),
    ] {
        for wave_size in [32, 64] {
            agree(beyond, wave_size, |engine| after(same, wave_size, engine));
        }
    }
}

#[test]
fn instructions_with_a_destination_out_of_range_do_nothing() {
    // STATE-31, STATE-33; wherever they write or read memory, it is not there: v9 is not an address
    for text in [
        "v_mov_b32 v48, v1",
        "v_mov_b32 v255, 0",
        "v_fmac_f32 v48, v1, v2",
        "v_add_f64 v[47:48], v[2:3], v[4:5]",
        "v_cvt_f64_f32 v[47:48], v2",
        "v_add_co_u32 v48, s20, v1, v2",
        "v_sub_co_ci_u32 v48, vcc_lo, v1, v2, vcc_lo",
        "v_mad_i64_i32 v[47:48], s20, v1, v2, v[2:3]",
        "v_div_scale_f64 v[47:48], vcc_lo, v[2:3], v[2:3], v[4:5]",
        "v_add_f16 v48, v1, v2",
        "v_pk_add_f16 v48, v1, v2",
        "v_fma_mixhi_f16 v48, v1, v2, v3",
        "v_qsad_pk_u16_u8 v[47:48], v[2:3], v4, v[6:7]",
        "v_mqsad_u32_u8 v[45:48], v[2:3], v4, v[12:15]",
        "v_mov_b32_dpp v48, v1 row_ror:3 row_mask:0xf bank_mask:0xf",
        "v_permlane16_b32 v48, v1, s14, s15",
        "v_writelane_b32 v48, s14, 3",
        "v_swap_b32 v48, v1",
        "v_swap_b32 v1, v48",
        "v_movreld_b32 v48, v1",
        "v_movrels_b32 v48, v1",
        "v_swaprel_b32 v48, v1",
        "ds_load_u8 v48, v1",
        "ds_load_u16_d16_hi v48, v1",
        "ds_load_b128 v[45:48], v1",
        "ds_load_2addr_stride64_b64 v[45:48], v1",
        "ds_max_rtn_u64 v[47:48], v1, v[2:3]",
        "ds_storexchg_2addr_rtn_b32 v[47:48], v1, v2, v3",
        "ds_storexchg_rtn_b32 v48, v1, v2",
        "ds_swizzle_b32 v48, v1 offset:swizzle(SWAP,4)",
        "ds_permute_b32 v48, v1, v2",
        "global_load_u8 v48, v9, s[14:15]",
        "global_load_b96 v[46:48], v9, s[14:15]",
        "global_load_d16_hi_b16 v48, v[8:9], off",
        "flat_load_b64 v[47:48], v[8:9]",
        "global_atomic_or_b32 v48, v9, v2, s[14:15] glc",
        "global_atomic_cmpswap_b64 v[47:48], v1, v[2:5], s[4:5] glc",
        "flat_atomic_add_u32 v48, v[8:9], v2 glc",
        "buffer_load_b128 v[45:48], v1, s[8:11], 0 offen",
        "buffer_load_format_xyzw v[45:48], v1, s[8:11], 0 offen",
        "buffer_load_d16_u8 v48, v1, s[8:11], 0 offen",
        "buffer_load_b128 v[44:48], v1, s[8:11], 0 offen tfe",
        "tbuffer_load_format_xy v[47:48], v1, s[8:11], 0 format:[BUF_FMT_32_32_UINT] offen",
        "buffer_atomic_add_u64 v[47:48], v1, s[8:11], 0 offen glc",
        "buffer_atomic_cmpswap_b32 v[48:49], v1, s[8:11], 0 offen glc",
    ] {
        for wave_size in [32, 64] {
            agree(text, wave_size, |_| machine(wave_size));
        }
    }
    agree("v_dual_mov_b32 v4, v1 :: v_dual_mov_b32 v49, v2", 32, |_| machine(32));
    agree("v_wmma_f32_16x16x16_f16 v[41:48], v[8:15], v[16:23], v[24:31]", 32, |_| machine(32));
    agree("v_wmma_i32_16x16x16_iu4 v[45:48], v[8:9], v[16:17], v[24:27]", 64, |_| machine(64));
}

#[test]
fn matrices_out_of_range_are_those_from_v0_on() {
    // STATE-32: one register of an operand out of range, and all of it is v0 and up
    agree("v_wmma_f32_16x16x16_f16 v[8:15], v[41:48], v[16:23], v[24:31]", 32, |engine| {
        after("v_wmma_f32_16x16x16_f16 v[8:15], v[0:7], v[16:23], v[24:31]", 32, engine)
    });
    agree("v_wmma_i32_16x16x16_iu8 v[8:15], v[12:15], v[45:48], v[47:54]", 32, |engine| {
        after("v_wmma_i32_16x16x16_iu8 v[8:15], v[12:15], v[0:3], v[0:7]", 32, engine)
    });
}

#[test]
fn a_descriptor_says_how_many_registers_there_are() {
    // STATE-28: 32 asked for are 48 in wave32, 16 are 24 in wave64. The code after the jump is translated on its own. STATE-02: the low
    // bits of its address do not count.
    for engine in [Engine::Jit, Engine::Interp, Engine::Tiered] {
        for (wave_size, field, last) in [(32, 3, 47), (32, 0, 23), (64, 3, 23), (64, 31, 131)] {
            let text = format!(
                "v_mov_b32 v0, 5
                 v_mov_b32 v1, 0
                 v_mov_b32 v{last}, 7
                 v_mov_b32 v{0}, 9
                 v_mov_b32 v2, v{last}
                 v_mov_b32 v3, v{0}
                 s_getpc_b64 s[4:5]
                 s_mov_b32 s6, exec_hi
                 s_and_b32 s6, s6, 0
                 s_add_u32 s6, s6, 31
                 s_add_u32 s4, s4, s6
                 s_addc_u32 s5, s5, 0
                 s_setpc_b64 s[4:5]
                 s_endpgm
                 v_mov_b32 v{0}, 9
                 v_mov_b32 v4, v{0}
                 v_mov_b32 v5, v{last}
                 global_store_b128 v1, v[2:5], s[0:1]
                 s_endpgm",
                last + 1
            );
            let got = run(engine, &Raw { wave_size, vgpr_field: field, dwords: 4, ..Raw::default() }, &text).unwrap();
            assert_eq!(got, [7, 5, 5, 7], "{engine:?}, wave{wave_size}, count {field}");
        }
    }
}
