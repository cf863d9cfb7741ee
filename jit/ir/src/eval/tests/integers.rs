//! Integer operations, numerics.md section 8.

use super::*;

fn int2(op: PureOp, a: u64, b: u64) -> u64 {
    op2(op, FpMode(0), a, b)
}
fn int3(op: PureOp, a: u64, b: u64, c: u64) -> u64 {
    op3(op, FpMode(0), a, b, c)
}

#[test]
fn bit_fields() {
    assert_eq!(int3(BfeU32, 0xdead_beef, 8, 12), 0xdbe);
    assert_eq!(int3(BfeU32, 0xdead_beef, 8, 0), 0);
    assert_eq!(int3(BfeU32, 0xdead_beef, 40, 44), 0xdbe, "offset and width are taken modulo 32");
    assert_eq!(int3(BfeI32, 0xdead_beef, 8, 12), 0xffff_fdbe);
    assert_eq!(int3(BfeI32, 0xdead_beef, 8, 0), 0);
    assert_eq!(int3(BfeI32, 0x8000_0000, 28, 16), 0xffff_fff8, "a field past the top is filled with the sign");
    assert_eq!(int3(Bfi32, 0x00ff_00ff, 0x1234_5678, 0x9abc_def0), 0x9a34_de78);
    assert_eq!(int2(Bfm32, 4, 8), 0xf00);
    assert_eq!(int2(Bfm32, 0, 8), 0);
    assert_eq!(int3(AlignBit32, 0x1234_5678, 0x9abc_def0, 36), 0x89ab_cdef);
}

#[test]
fn byte_permutation_selectors() {
    let (s0, s1) = (0x87_65_43_21u64, 0x0f_8d_7b_89u64);
    assert_eq!(int3(Perm32, s0, s1, 0x0706_0504), s0);
    assert_eq!(int3(Perm32, s0, s1, 0x0302_0100), s1);
    // 8: sign of s1 byte 1, 9: of s1 byte 3, 10: of s0 byte 1, 11: of s0 byte 3
    assert_eq!(int3(Perm32, s0, s1, 0x0b0a_0908), 0xff00_0000);
    assert_eq!(int3(Perm32, s0, 0x8000_8000, 0x0909_0808), 0xffff_ffff);
    assert_eq!(int3(Perm32, s0, s1, 0x0cff_0d0e), 0x00ff_ffff);
}

#[test]
fn searches_give_minus_one_when_nothing_is_found() {
    for (op, x, want) in [
        (FfbhU32, 0u64, 0xffff_ffff),
        (FfbhU32, 0x0000_ffff, 16),
        (FfblB32, 0, 0xffff_ffff),
        (FfblB32, 0x50, 4),
        (FfbhI32, 0, 0xffff_ffff),
        (FfbhI32, 0xffff_ffff, 0xffff_ffff),
        (FfbhI32, 0x4000_0000, 1),
        (FfbhI32, 0xfff0_0000, 12),
        (FfbhU64, 0, 0xffff_ffff),
        (FfbhU64, 1, 63),
        (FfbhI64, !0, 0xffff_ffff),
        (FfblB64, 1u64 << 40, 40),
    ] {
        assert_eq!(op1(op, FpMode(0), x), want, "{op} {x:#x}");
    }
}

#[test]
fn sums_of_differences() {
    let (a, b) = (0x10_20_30_40, 0x20_10_00_41);
    assert_eq!(int3(SadU8, a, b, 100), 100 + 0x10 + 0x10 + 0x30 + 1);
    assert_eq!(int3(MsadU8, a, b, 100), 100 + 0x10 + 0x10 + 1, "byte 1 of the reference is 0");
    assert_eq!(int3(SadU16, 0x0001_ffff, 0x0003_0000, 5), 5 + 2 + 0xffff);
    assert_eq!(int3(SadU32, 3, 10, 0xffff_ffff), 6);
    assert_eq!(int3(LerpU8, 0xff_00_03_03, 0xff_01_04_04, 0x00_01_00_01), 0xff_01_03_04);
}

#[test]
fn dot_products_of_small_fields() {
    assert_eq!(int2(Dot4SS, 0x80_7f_ff_01, 0x80_02_03_04) as u32 as i32, 128 * 128 + 127 * 2 - 3 + 4);
    assert_eq!(int2(Dot4UU, 0xffff_ffff, 0xffff_ffff), 4 * 255 * 255);
    assert_eq!(int2(Dot4SU, 0xff, 0xff) as u32 as i32, -255);
    assert_eq!(int2(Dot4US, 0xff, 0xff) as u32 as i32, -255);
    assert_eq!(int2(Dot8SS, 0x8888_8888, 0x8888_8888), 8 * 64);
    assert_eq!(int2(Dot8UU, 0xf, 0xf), 225);
    assert_eq!(int2(Dot8SU, 0xf, 0xf) as u32 as i32, -15);
    assert_eq!(int2(Dot8US, 0xf0, 0xf0) as u32 as i32, -15);
}

#[test]
fn saturation_and_shift_amounts() {
    assert_eq!(int2(UAddSat32, 0xffff_fff0, 0x20), 0xffff_ffff);
    assert_eq!(int2(SAddSat32, 0x7fff_ffff, 1), 0x7fff_ffff);
    assert_eq!(int2(SSubSat32, 0x8000_0000, 1), 0x8000_0000);
    assert_eq!(int2(SAddSat16, 0x8000, 0xffff), 0x8000);
    assert_eq!(int2(PkUAddSat16, 0xffff_0001, 0x0001_0001), 0xffff_0002);
    assert_eq!(int2(Shl32, 1, 33), 2);
    assert_eq!(int2(Shl16, 1, 17), 2);
    assert_eq!(int2(AShr16, 0xffff_8000, 15), 0xffff);
    assert_eq!(int2(PkAShr16, 0x8000_4000, 0x000f_000e), 0xffff_0001);
    assert_eq!(int2(LShr64, 1 << 63, 127), 1);
    assert_eq!(int2(AShr64, 1 << 63, 60), 0xffff_ffff_ffff_fff8);
    assert_eq!(op1(SatPkU8I16, FpMode(0), 0x0100_ffffu64), 0xff00);
}

#[test]
fn mask_words() {
    assert_eq!(op1(Wqm64, FpMode(0), 0x8000_0000_0000_0012u64), 0xf000_0000_0000_00ff);
    assert_eq!(op1(QuadMask64, FpMode(0), 0x8000_0000_0100_0012u64), 0x8043);
    assert_eq!(op1(BitReplicate, FpMode(0), 0x8000_0005u64), 0xc000_0000_0000_0033);
    for i in 0..64 {
        assert_eq!(op1(QuadMask64, FpMode(0), 1u64 << i), 1 << (i / 4));
        assert_eq!(op1(Wqm64, FpMode(0), 1u64 << i), 15 << (i & !3));
    }
}

#[test]
fn wide_products() {
    assert_eq!(int2(UMulWide32, 0xffff_ffff, 0xffff_ffff), 0xffff_fffe_0000_0001);
    assert_eq!(int2(SMulWide32, 0xffff_ffff, 2), (-2i64) as u64);
    assert_eq!(int2(UMulHi32, 0x8000_0000, 4), 2);
    assert_eq!(int2(SMulHi32, 0x8000_0000, 4), 0xffff_fffe);
}
