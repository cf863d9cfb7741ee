//! Divisions and square roots, as LLVM writes them for gfx11, become one operation each; what only looks like them stays.

use wavejit_ir::{FpMode, Func, Op, PureOp};
use wavejit_isa::Gfx;
use wavejit_jit::{lift, opt};

const F64_DIVISION: &str = "\
v_div_scale_f64 v[4:5], null, v[2:3], v[2:3], v[0:1]
v_div_scale_f64 v[10:11], vcc_lo, v[0:1], v[2:3], v[0:1]
v_rcp_f64_e32 v[6:7], v[4:5]
v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0
v_fma_f64 v[6:7], v[6:7], v[8:9], v[6:7]
v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0
v_fma_f64 v[6:7], v[6:7], v[8:9], v[6:7]
v_mul_f64 v[8:9], v[10:11], v[6:7]
v_fma_f64 v[4:5], -v[4:5], v[8:9], v[10:11]
v_div_fmas_f64 v[4:5], v[4:5], v[6:7], v[8:9]
v_div_fixup_f64 v[0:1], v[4:5], v[2:3], v[0:1]";

const F32_DIVISION: &str = "\
v_div_scale_f32 v2, null, v1, v1, v0
v_div_scale_f32 v5, vcc_lo, v0, v1, v0
v_rcp_f32_e32 v3, v2
v_fma_f32 v4, -v2, v3, 1.0
v_fmac_f32_e32 v3, v4, v3
v_mul_f32_e32 v4, v5, v3
v_fma_f32 v6, -v2, v4, v5
v_fmac_f32_e32 v4, v6, v3
v_fma_f32 v2, -v2, v4, v5
v_div_fmas_f32 v2, v2, v3, v4
v_div_fixup_f32 v0, v2, v1, v0";

const F64_ROOT: &str = "\
v_cmp_gt_f64_e32 vcc_lo, 0x10000000, v[0:1]
v_cndmask_b32_e64 v2, 0, 1, vcc_lo
v_lshlrev_b32_e32 v2, 8, v2
v_ldexp_f64 v[0:1], v[0:1], v2
v_rsq_f64_e32 v[2:3], v[0:1]
v_mul_f64 v[4:5], v[0:1], v[2:3]
v_mul_f64 v[2:3], v[2:3], 0.5
v_fma_f64 v[6:7], -v[2:3], v[4:5], 0.5
v_fma_f64 v[4:5], v[4:5], v[6:7], v[4:5]
v_fma_f64 v[2:3], v[2:3], v[6:7], v[2:3]
v_fma_f64 v[6:7], -v[4:5], v[4:5], v[0:1]
v_fma_f64 v[4:5], v[6:7], v[2:3], v[4:5]
v_fma_f64 v[6:7], -v[4:5], v[4:5], v[0:1]
v_fma_f64 v[2:3], v[6:7], v[2:3], v[4:5]
v_cndmask_b32_e64 v4, 0, 0xffffff80, vcc_lo
v_cmp_class_f64_e64 vcc_lo, v[0:1], 0x260
v_ldexp_f64 v[2:3], v[2:3], v4
v_dual_cndmask_b32 v1, v3, v1 :: v_dual_cndmask_b32 v0, v2, v0";

const F32_ROOT: &str = "\
v_mul_f32_e32 v1, 0x4f800000, v0
v_cmp_gt_f32_e32 vcc_lo, 0xf800000, v0
v_cndmask_b32_e32 v0, v0, v1, vcc_lo
v_sqrt_f32_e32 v1, v0
v_add_nc_u32_e32 v2, -1, v1
v_add_nc_u32_e32 v3, 1, v1
v_fma_f32 v4, -v2, v1, v0
v_fma_f32 v5, -v3, v1, v0
v_cmp_ge_f32_e64 s0, 0, v4
v_cndmask_b32_e64 v1, v1, v2, s0
v_cmp_lt_f32_e64 s0, 0, v5
v_cndmask_b32_e64 v1, v1, v3, s0
v_mul_f32_e32 v2, 0x37800000, v1
v_cndmask_b32_e32 v1, v1, v2, vcc_lo
v_cmp_class_f32_e64 vcc_lo, v0, 0x260
v_cndmask_b32_e32 v0, v1, v0, vcc_lo";

// What follows takes denormals along by scaling them.

const RECIPROCAL_ROOT: &str = "\
v_cmp_gt_f32_e32 vcc_lo, 0xd800000, v0
v_cndmask_b32_e64 v4, 1.0, 0x71800000, vcc_lo
v_cndmask_b32_e64 v3, 1.0, 0x58800000, vcc_lo
v_mul_f32_e32 v2, v0, v4
v_rsq_f32_e32 v2, v2
v_mul_f32_e32 v0, v3, v2";

const POWER: &str = "\
v_cmp_gt_f32_e32 vcc_lo, 0xc2fc0000, v0
v_cndmask_b32_e64 v4, 0, 0x42800000, vcc_lo
v_add_f32_e32 v2, v0, v4
v_cndmask_b32_e64 v4, 1.0, 0x1f800000, vcc_lo
v_exp_f32_e32 v2, v2
v_mul_f32_e32 v0, v2, v4";

/// The library's and the compiler's.
const POWER_TWICE: &str = "\
v_cmp_gt_f32_e32 vcc_lo, 0xc2fc0000, v0
v_cndmask_b32_e64 v4, 0, 0x42800000, vcc_lo
v_cndmask_b32_e64 v3, 1.0, 0x1f800000, vcc_lo
v_add_f32_e32 v2, v0, v4
v_cmp_gt_f32_e32 vcc_lo, 0xc2fc0000, v2
v_cndmask_b32_e64 v4, 0, 0x42800000, vcc_lo
v_add_f32_e32 v2, v2, v4
v_cndmask_b32_e64 v4, 1.0, 0x1f800000, vcc_lo
v_exp_f32_e32 v2, v2
v_mul_f32_e32 v2, v2, v4
v_mul_f32_e32 v0, v3, v2";

const LOGARITHM: &str = "\
v_cmp_gt_f32_e32 vcc_lo, 0x800000, v0
v_cndmask_b32_e64 v3, 1.0, 0x4f800000, vcc_lo
v_mul_f32_e32 v2, v0, v3
v_cndmask_b32_e64 v3, 0, 0x42000000, vcc_lo
v_log_f32_e32 v2, v2
v_sub_f32_e32 v0, v2, v3";

const LOGARITHM_TWICE: &str = "\
v_cmp_class_f32_e64 s0, v0, 0x90
v_cndmask_b32_e64 v3, 1.0, 0x4f800000, s0
v_mul_f32_e32 v2, v0, v3
v_cmp_gt_f32_e32 vcc_lo, 0x800000, v2
v_cndmask_b32_e64 v3, 1.0, 0x4f800000, vcc_lo
v_mul_f32_e32 v2, v2, v3
v_cndmask_b32_e64 v3, 0, 0x42000000, vcc_lo
v_log_f32_e32 v2, v2
v_sub_f32_e32 v2, v2, v3
v_cndmask_b32_e64 v3, 0, 0x42000000, s0
v_sub_f32_e32 v0, v2, v3";

const SCALED_ROOT: &str = "\
v_cmp_gt_f32_e32 vcc_lo, 0x800000, v0
v_cndmask_b32_e64 v3, 0, 1, vcc_lo
v_lshlrev_b32_e32 v3, 5, v3
v_ldexp_f32 v2, v0, v3
v_cndmask_b32_e64 v3, 0, -16, vcc_lo
v_sqrt_f32_e32 v2, v2
v_ldexp_f32 v0, v2, v3";

const QUOTIENT: &str = "\
v_frexp_mant_f32_e32 v4, v1
v_frexp_exp_i32_f32_e32 v2, v1
v_rcp_f32_e32 v4, v4
v_frexp_exp_i32_f32_e32 v5, v0
v_frexp_mant_f32_e32 v3, v0
v_sub_nc_u32_e32 v2, v5, v2
v_mul_f32_e32 v3, v3, v4
v_ldexp_f32 v0, v3, v2";

/// -|v0| / v1
const QUOTIENT_WITH_SIGN: &str = "\
v_frexp_mant_f32_e32 v4, v1
v_frexp_exp_i32_f32_e32 v2, v1
v_rcp_f32_e32 v4, v4
v_frexp_exp_i32_f32_e32 v5, v0
v_frexp_mant_f32_e64 v3, -|v0|
v_sub_nc_u32_e32 v2, v5, v2
v_mul_f32_e32 v3, v3, v4
v_ldexp_f32 v0, v3, v2";

const RECIPROCAL: &str = "\
v_frexp_mant_f32_e32 v3, v0
v_frexp_exp_i32_f32_e32 v2, v0
v_rcp_f32_e32 v3, v3
v_sub_nc_u32_e32 v2, 0, v2
v_ldexp_f32 v0, v3, v2";

/// 3 / v0
const QUOTIENT_OF_CONSTANT: &str = "\
v_frexp_mant_f32_e32 v3, v0
v_frexp_exp_i32_f32_e32 v2, v0
v_rcp_f32_e32 v3, v3
v_sub_nc_u32_e32 v2, 2, v2
v_mul_f32_e32 v3, 0x3f400000, v3
v_ldexp_f32 v0, v3, v2";

/// The text, lifted and optimized. Registers are not kept at the end but for a store of the result.
fn optimized(text: &str, mode: FpMode) -> Func {
    let mut func = lifted(text, mode);
    opt::run(&mut func, opt::OptOptions { keep_final_state: false, is_wide: true, is_avx512: true });
    func
}

/// The text, lifted.
fn lifted(text: &str, mode: FpMode) -> Func {
    let mut words = vec![];
    let store = if text.contains("f64") { "global_store_b64 v[20:21], v[0:1], off" } else { "global_store_b32 v[20:21], v0, off" };
    for line in text.lines().chain([store, "s_endpgm"]) {
        words.extend_from_slice(wavejit_isa::asm::assemble_instruction(line, Gfx::GFX1100, 32).expect("assembles").dwords());
    }
    let read = |pc: u64| words.get(pc as usize / 4).copied();
    let func = lift::lift(&lift::LiftSource { name: "f", entry: 0, target: Gfx::GFX1100, wave_size: 32, mode, vgprs: 32, read: &read });
    assert!(func.failures.is_empty(), "{:?}", func.failures);
    func
}

/// The arithmetic that is left.
fn arithmetic(func: &Func) -> Vec<PureOp> {
    use PureOp::*;
    let pure = func.blocks.iter().flat_map(|b| &b.insts).filter_map(|i| match i.op {
        Op::Pure { op, .. } => Some(op),
        _ => None,
    });
    pure.filter(|op| !matches!(op, Pack64 | Lo64 | Hi64 | Xor64 | Xor32 | And32 | Or32)).collect()
}

fn all() -> [(&'static str, PureOp); 14] {
    [
        (F64_DIVISION, PureOp::FDiv64),
        (F32_DIVISION, PureOp::FDiv32),
        (F64_ROOT, PureOp::FSqrt64),
        (F32_ROOT, PureOp::FSqrtDenorm32),
        (RECIPROCAL_ROOT, PureOp::FRsqDenorm32),
        (POWER, PureOp::FExp2Denorm32),
        (POWER_TWICE, PureOp::FExp2Denorm32),
        (LOGARITHM, PureOp::FLog2Denorm32),
        (LOGARITHM_TWICE, PureOp::FLog2Denorm32),
        (SCALED_ROOT, PureOp::FSqrtDenorm32),
        (QUOTIENT, PureOp::FDivMant32),
        (QUOTIENT_WITH_SIGN, PureOp::FDivMant32),
        (RECIPROCAL, PureOp::FDivMant32),
        (QUOTIENT_OF_CONSTANT, PureOp::FDivMant32),
    ]
}

#[test]
fn what_compilers_spell_out_is_one_operation() {
    for (text, op) in all() {
        assert_eq!(arithmetic(&optimized(text, FpMode::HSA)), [op], "{text}");
    }
}

/// What exp ends in: x * 2^n, and infinity or zero for arguments beyond what has a result.
const END_OF_EXP: &str = "\
v_cmp_nlt_f64_e32 vcc_lo, 0x40900000, v[2:3]
v_rndne_f64_e32 v[4:5], v[6:7]
v_cmp_ngt_f64_e64 s0, 0xc090cc00, v[2:3]
v_cvt_i32_f64_e32 v8, v[4:5]
v_ldexp_f64 v[0:1], v[0:1], v8
v_cndmask_b32_e32 v1, 0x7ff00000, v1, vcc_lo
s_and_b32 vcc_lo, s0, vcc_lo
v_cndmask_b32_e32 v0, 0, v0, vcc_lo
v_cndmask_b32_e64 v1, 0, v1, s0";

#[test]
fn dwords_that_two_masks_select_are_qwords() {
    use PureOp::*;
    let lanes = |text: &str| -> Vec<PureOp> {
        arithmetic(&optimized(text, FpMode::HSA)).into_iter().filter(|op| !matches!(op, BAnd | FCmpNlt64 | FCmpNgt64)).collect()
    };
    assert_eq!(lanes(END_OF_EXP), [FRndne64, FScale64, Sel64, Sel64]);
    // The other half selected by both masks; either mask; a power that is no integer.
    let high = END_OF_EXP.replace("v_cndmask_b32_e32 v1, 0x7ff00000, v1, vcc_lo", "v_cndmask_b32_e32 v0, 0, v0, vcc_lo").replace(
        "v_cndmask_b32_e32 v0, 0, v0, vcc_lo\nv_cndmask_b32_e64 v1, 0, v1, s0",
        "v_cndmask_b32_e32 v1, 0, v1, vcc_lo\nv_cndmask_b32_e64 v0, 0, v0, s0",
    );
    assert_eq!(lanes(&high), [FRndne64, FScale64, Sel64, Sel64], "{high}");
    let either = END_OF_EXP
        .replace("v_cndmask_b32_e32 v1, 0x7ff00000, v1, vcc_lo", "v_cndmask_b32_e64 v1, v1, 0, vcc_lo")
        .replace("s_and_b32", "s_or_b32")
        .replace("v_cndmask_b32_e32 v0, 0, v0, vcc_lo", "v_cndmask_b32_e64 v0, v0, 0, vcc_lo")
        .replace("v_cndmask_b32_e64 v1, 0, v1, s0", "v_cndmask_b32_e64 v1, v1, 0, s0");
    let either = lanes(&either);
    assert!(either.ends_with(&[Sel64, Sel64]) && !either.contains(&Sel32), "{either:?}");
    let fraction = END_OF_EXP.replace("v_rndne_f64_e32 v[4:5], v[6:7]", "v_mul_f64 v[4:5], v[6:7], v[6:7]");
    assert_eq!(lanes(&fraction), [FMul64, CvtI32F64, FLdexp64, Sel64, Sel64]);
    // Another mask for the other half.
    let other = END_OF_EXP.replace("s_and_b32 vcc_lo, s0, vcc_lo", "v_cmp_nlt_f64_e32 vcc_lo, v[4:5], v[2:3]");
    assert!(!lanes(&other).contains(&Sel64), "{other}");
}

/// Before the other passes reciprocal roots may have become near ones.
#[test]
fn a_near_root_of_what_is_scaled_is_one_operation() {
    let mut func = lifted(RECIPROCAL_ROOT, FpMode::HSA);
    opt::one_ulp::one_ulp(&mut func);
    opt::run(&mut func, opt::OptOptions { keep_final_state: false, is_wide: true, is_avx512: true });
    assert_eq!(arithmetic(&func), [PureOp::FRsqNearDenorm32]);
}

#[test]
fn other_rounding_and_flushing_stay_as_they_are() {
    for (text, op) in all() {
        for mode in [FpMode(FpMode::HSA.0 | 5), FpMode(FpMode::HSA.0 & !0xf0)] {
            assert!(!arithmetic(&optimized(text, mode)).contains(&op), "{mode:?}: {text}");
        }
    }
}

/// Every line changed: another source, another constant, no sign.
#[test]
fn a_step_that_differs_stays_as_it_is() {
    let mut tried = 0;
    for (text, op) in all() {
        let lines: Vec<&str> = text.lines().collect();
        for i in 0..lines.len() {
            let changes = [("-v[", "v["), ("-v", "v"), ("1.0", "2.0"), ("0.5", "4.0"), ("0x260", "0x264"), ("0xffffff80", "0xffffff81")];
            let changes =
                changes.into_iter().chain([("0x10000000", "0x10100000"), ("0x4f800000", "0x50000000"), ("0x37800000", "0x37000000")]);
            let changes = changes.chain([
                ("0xf800000", "0xf000000"),
                ("_ge_", "_gt_"),
                ("_lt_", "_le_"),
                (" -1,", " -2,"),
                ("_e32 v3, 1,", "_e32 v3, 2,"),
            ]);
            let changes = changes.chain([
                ("v_rsq_", "v_rcp_"),
                ("v_rcp_", "v_rsq_"),
                ("v_mul_", "v_add_"),
                (", vcc_lo, v0, v1, v0", ", vcc_lo, v0, v1, v1"),
            ]);
            let changes = changes.chain([
                ("0xd800000", "0xd000000"),
                ("0x71800000", "0x71000000"),
                ("0x58800000", "0x58000000"),
                ("0xc2fc0000", "0xc2fe0000"),
                ("0x42800000", "0x42840000"),
                ("0x1f800000", "0x1f000000"),
                (" 0x800000", " 0x1000000"),
                ("0x42000000", "0x42040000"),
                (" 0x90", " 0x80"),
            ]);
            let changes = changes.chain([
                (" -16,", " -15,"),
                (" 5,", " 4,"),
                ("0x3f400000", "0x3f800000"),
                ("v_sub_nc_u32_e32 v2, 0,", "v_sub_nc_u32_e32 v2, 1,"),
                ("v_frexp_exp_i32_f32_e32 v2, v1", "v_frexp_exp_i32_f32_e32 v2, v0"),
                ("v_frexp_exp_i32_f32_e32 v5, v0", "v_frexp_exp_i32_f32_e32 v5, v1"),
                ("v_frexp_mant_f32_e32 v3, v0", "v_frexp_mant_f32_e32 v3, v4"),
                ("v_sub_f32_e32 v0, v2, v3", "v_sub_f32_e32 v0, v3, v2"),
                ("v_mul_f32_e32 v3, v3, v4", "v_mul_f32_e32 v3, v4, v3"),
                ("v_exp_", "v_log_"),
                ("v_log_", "v_exp_"),
            ]);
            for (from, to) in changes {
                let changed = lines[i].replacen(from, to, 1);
                if changed == lines[i] {
                    continue;
                }
                let mut other = lines.clone();
                other[i] = &changed;
                assert_ne!(arithmetic(&optimized(&other.join("\n"), FpMode::HSA)), [op], "`{changed}` in\n{text}");
                tried += 1;
            }
        }
    }
    assert!(tried > 40, "{tried}");
}

/// VCC of other lanes than those that divide: the flag of lanes that were off when it was made is no flag of theirs.
#[test]
fn lanes_added_in_between_keep_the_operations() {
    for text in [F64_DIVISION, F32_DIVISION] {
        let lines: Vec<&str> = text.lines().collect();
        let at = lines.iter().position(|l| l.contains("v_div_fmas")).expect("there is one");
        let mut other = lines.clone();
        other.insert(at, "s_mov_b32 exec_lo, -1");
        let left = arithmetic(&optimized(&other.join("\n"), FpMode::HSA));
        assert!(!left.contains(&PureOp::FDiv64) && !left.contains(&PureOp::FDiv32), "{text}");
    }
}
