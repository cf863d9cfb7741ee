//! Pure operations of the wave IR: one row per operation, everything that is known of it.
//!
//! A pure operation maps up to three operands of 1, 32 or 64 bits to one result. It has no shape of its own: applied to scalars it
//! runs once per wave, applied to lane values once per lane (EXEC never matters to it). What bits mean (integer, f16, f32, f64) is
//! part of the operation's name. 16-bit operations read the low 16 bits of their operands and return zero-extended results; `pk`
//! operations work on both halves.
//!
//! The rows are expanded here (names, operand widths, whether the float mode is read), in [`super::super::eval`] (one element) and in
//! [`super::super::rowfn`] (whole rows), so that an operation cannot be known to one and not to another.

use std::fmt;

/// Width of a value in bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Width {
    /// One bit: a condition (scalar) or a lane mask (one bit a lane).
    B1,
    /// 32 bits.
    B32,
    /// 64 bits.
    B64,
}
use Width::{B1 as B, B32 as W, B64 as D};

impl fmt::Debug for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            B => "1",
            W => "32",
            D => "64",
        })
    }
}

/// A region back end: a column of the rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BackEnd {
    /// Four lanes at a time, compiled by Cranelift.
    Lanes,
}

/// When a region back end takes an operation. *Plain* is a float mode that rounds to nearest even and keeps denormals, for the operation's width, on
/// a host whose arithmetic gives the guest's NaNs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Support {
    /// It does not.
    Never,
    /// Whatever operands and mode are.
    Always,
    /// The operands from the second on are the same in every lane.
    UniformFrom1,
    /// The operands from the second on are constants.
    ConstantFrom1,
    /// The operands from the third on are constants.
    ConstantFrom2,
    /// The mode is plain.
    Plain,
    /// Plain, and the host has a fused multiply-add whose NaNs can be made the guest's.
    PlainFma,
    /// Plain with IEEE set.
    PlainIeee,
    /// Plain with DX10_CLAMP set.
    PlainClamp,
}

/// Passes the rows to macro `$use`. A row: operation, name in the text form, operand widths (B 1, W 32, D 64 bits), result width, kind,
/// scalar function (of `eval`). The kind says which fields of the float mode the operation reads and how loops over whole rows are compiled:
///
/// | kind | reads | rows are compiled |
/// |---|---|---|
/// | `int` | no mode | for every host level |
/// | `f32` | the f32 fields | for every host level, with and without flushing; other rounding calls `eval` |
/// | `f64` | the f16/f64 fields | for every host level in the plain mode, else calls `eval` |
/// | `mix` | all fields | as `f64`, plain meaning all fields |
/// | `any` | none of the fields, or only IEEE and the like | for every host level |
/// | `pk` | no mode | as `int`; the 16-bit function is applied to both halves |
/// | `pkf` | the f16/f64 fields | as `f64`; the 16-bit function is applied to both halves |
/// | `slow` | no mode | calls `eval` |
/// | `slowf` | any fields | calls `eval` |
///
/// Last, where a region back end takes the operation, `[back end: when, ...]`: a [`BackEnd`] and a [`Support`]. What a back end does not take
/// runs on whole rows.
macro_rules! pure_rows {
    ($use:ident) => {
        $use! {
            // conditions and masks
            BAnd             "and.1"              (B B)   B  int   int::and1         [Lanes: Always];
            BOr              "or.1"               (B B)   B  int   int::or1          [Lanes: Always];
            BXor             "xor.1"              (B B)   B  int   int::xor1         [Lanes: Always];
            BNot             "not.1"              (B)     B  int   int::not1         [Lanes: Always];
            /// a & !b
            BAndNot          "andn.1"             (B B)   B  int   int::andn1        [Lanes: Always];
            /// b ? x : y
            Sel32            "sel.32"             (B W W) W  int   int::sel32        [Lanes: Always];
            Sel64            "sel.64"             (B D D) D  int   int::sel64        [Lanes: Always];
            /// 0 or 1
            BToInt           "b2i.32"             (B)     W  int   int::b2i          [Lanes: Always];
            // 32-bit integers; shift amounts are taken modulo 32
            IAdd32           "iadd.32"            (W W)   W  int   int::i32::add     [Lanes: Always];
            ISub32           "isub.32"            (W W)   W  int   int::i32::sub     [Lanes: Always];
            IMul32           "imul.32"            (W W)   W  int   int::i32::mul     [Lanes: Always];
            UMulHi32         "umulhi.32"          (W W)   W  int   int::umulhi32     [Lanes: Always];
            SMulHi32         "smulhi.32"          (W W)   W  int   int::smulhi32;
            And32            "and.32"             (W W)   W  int   int::i32::and     [Lanes: Always];
            Or32             "or.32"              (W W)   W  int   int::i32::or      [Lanes: Always];
            Xor32            "xor.32"             (W W)   W  int   int::i32::xor     [Lanes: Always];
            Not32            "not.32"             (W)     W  int   int::i32::not     [Lanes: Always];
            Shl32            "shl.32"             (W W)   W  int   int::i32::shl     [Lanes: UniformFrom1];
            LShr32           "lshr.32"            (W W)   W  int   int::i32::lshr    [Lanes: UniformFrom1];
            AShr32           "ashr.32"            (W W)   W  int   int::i32::ashr    [Lanes: UniformFrom1];
            /// ({a,b} >> c\[4:0\]) low 32
            AlignBit32       "alignbit.32"        (W W W) W  int   int::alignbit     [Lanes: ConstantFrom2];
            /// v_perm_b32(s0, s1, selector)
            Perm32           "perm.32"            (W W W) W  int   int::perm;
            /// (x >> off\[4:0\]) & (2^width\[4:0\]-1)
            BfeU32           "bfeu.32"            (W W W) W  int   int::bfeu         [Lanes: ConstantFrom1];
            BfeI32           "bfei.32"            (W W W) W  int   int::bfei         [Lanes: ConstantFrom1];
            /// (a & b) | (!a & c)
            Bfi32            "bfi.32"             (W W W) W  int   int::bfi          [Lanes: Always];
            /// logic of three operands, put together from that of two (`opt/logic.rs`)
            Xor3x32          "xor3.32"            (W W W) W  int   int::xor3;
            And3x32          "and3.32"            (W W W) W  int   int::and3;
            Or3x32           "or3.32"             (W W W) W  int   int::or3;
            /// two or three of them
            Majority32       "majority.32"        (W W W) W  int   int::majority;
            /// (a & b) | c; (a & !b) | c; (a | b) & c; (a | !b) & c
            AndOr32          "andor.32"           (W W W) W  int   int::andor;
            AndnOr32         "andnor.32"          (W W W) W  int   int::andnor;
            OrAnd32          "orand.32"           (W W W) W  int   int::orand;
            OrnAnd32         "ornand.32"          (W W W) W  int   int::ornand;
            /// (a & b) ^ c; (a & !b) ^ c; (a | b) ^ c; (a | !b) ^ c
            AndXor32         "andxor.32"          (W W W) W  int   int::andxor;
            AndnXor32        "andnxor.32"         (W W W) W  int   int::andnxor;
            OrXor32          "orxor.32"           (W W W) W  int   int::orxor;
            OrnXor32         "ornxor.32"          (W W W) W  int   int::ornxor;
            /// (a ^ b) & c; (a ^ b) & !c; (a ^ b) | c
            XorAnd32         "xorand.32"          (W W W) W  int   int::xorand;
            XorAndn32        "xorandn.32"         (W W W) W  int   int::xorandn;
            XorOr32          "xoror.32"           (W W W) W  int   int::xoror;
            /// a & b & !c; a & !b & !c
            AndAndn32        "andandn.32"         (W W W) W  int   int::andandn;
            AndnAndn32       "andnandn.32"        (W W W) W  int   int::andnandn;
            /// ((1 << a\[4:0\]) - 1) << b\[4:0\]
            Bfm32            "bfm.32"             (W W)   W  int   int::bfm;
            BitRev32         "bitrev.32"          (W)     W  int   int::bitrev32;
            Popcnt32         "popcnt.32"          (W)     W  int   int::popcnt32;
            /// leading zeros, -1 if none set
            FfbhU32          "ffbhu.32"           (W)     W  int   int::ffbhu32;
            /// leading bits equal to the sign bit after it, -1 if all equal
            FfbhI32          "ffbhi.32"           (W)     W  int   int::ffbhi32;
            /// trailing zeros, -1 if none set
            FfblB32          "ffblb.32"           (W)     W  int   int::ffblb32;
            SMin32           "smin.32"            (W W)   W  int   int::i32::smin    [Lanes: Always];
            SMax32           "smax.32"            (W W)   W  int   int::i32::smax    [Lanes: Always];
            UMin32           "umin.32"            (W W)   W  int   int::i32::umin    [Lanes: Always];
            UMax32           "umax.32"            (W W)   W  int   int::i32::umax    [Lanes: Always];
            UAddSat32        "uaddsat.32"         (W W)   W  int   int::i32::uaddsat;
            USubSat32        "usubsat.32"         (W W)   W  int   int::i32::usubsat;
            SAddSat32        "saddsat.32"         (W W)   W  int   int::i32::saddsat;
            SSubSat32        "ssubsat.32"         (W W)   W  int   int::i32::ssubsat;
            SadU8            "sad.u8"             (W W W) W  int   int::sadu8;
            MsadU8           "msad.u8"            (W W W) W  int   int::msadu8;
            SadU16           "sad.u16"            (W W W) W  int   int::sadu16;
            SadU32           "sad.u32"            (W W W) W  int   int::sadu32;
            LerpU8           "lerp.u8"            (W W W) W  int   int::lerpu8;
            /// exact sum of four products of signed (S) or unsigned (U) bytes, no accumulator
            Dot4SS           "dot4.ss"            (W W)   W  int   int::dot4ss;
            Dot4SU           "dot4.su"            (W W)   W  int   int::dot4su;
            Dot4US           "dot4.us"            (W W)   W  int   int::dot4us;
            Dot4UU           "dot4.uu"            (W W)   W  int   int::dot4uu;
            Dot8SS           "dot8.ss"            (W W)   W  int   int::dot8ss;
            Dot8SU           "dot8.su"            (W W)   W  int   int::dot8su;
            Dot8US           "dot8.us"            (W W)   W  int   int::dot8us;
            Dot8UU           "dot8.uu"            (W W)   W  int   int::dot8uu;
            ICmpEq32         "eq.32"              (W W)   B  int   int::i32::eq      [Lanes: Always];
            ICmpNe32         "ne.32"              (W W)   B  int   int::i32::ne      [Lanes: Always];
            ICmpSlt32        "slt.32"             (W W)   B  int   int::i32::slt     [Lanes: Always];
            ICmpSle32        "sle.32"             (W W)   B  int   int::i32::sle     [Lanes: Always];
            ICmpSgt32        "sgt.32"             (W W)   B  int   int::i32::sgt     [Lanes: Always];
            ICmpSge32        "sge.32"             (W W)   B  int   int::i32::sge     [Lanes: Always];
            ICmpUlt32        "ult.32"             (W W)   B  int   int::i32::ult     [Lanes: Always];
            ICmpUle32        "ule.32"             (W W)   B  int   int::i32::ule     [Lanes: Always];
            ICmpUgt32        "ugt.32"             (W W)   B  int   int::i32::ugt     [Lanes: Always];
            ICmpUge32        "uge.32"             (W W)   B  int   int::i32::uge     [Lanes: Always];
            // width changes
            /// {hi: b, lo: a}
            Pack64           "pack.64"            (W W)   D  int   int::pack64       [Lanes: Always];
            Lo64             "lo.64"              (D)     W  int   int::lo64         [Lanes: Always];
            Hi64             "hi.64"              (D)     W  int   int::hi64         [Lanes: Always];
            ZExt64           "zext.64"            (W)     D  int   int::zext64       [Lanes: Always];
            SExt64           "sext.64"            (W)     D  int   int::sext64       [Lanes: Always];
            UMulWide32       "umulw.32"           (W W)   D  int   int::umulw        [Lanes: Always];
            SMulWide32       "smulw.32"           (W W)   D  int   int::smulw;
            // 64-bit integers; shift amounts (32-bit operand) are taken modulo 64
            IAdd64           "iadd.64"            (D D)   D  int   int::i64::add     [Lanes: Always];
            ISub64           "isub.64"            (D D)   D  int   int::i64::sub     [Lanes: Always];
            IMul64           "imul.64"            (D D)   D  int   int::i64::mul;
            And64            "and.64"             (D D)   D  int   int::i64::and     [Lanes: Always];
            Or64             "or.64"              (D D)   D  int   int::i64::or      [Lanes: Always];
            Xor64            "xor.64"             (D D)   D  int   int::i64::xor     [Lanes: Always];
            Not64            "not.64"             (D)     D  int   int::i64::not     [Lanes: Always];
            Shl64            "shl.64"             (D W)   D  int   int::shl64        [Lanes: UniformFrom1];
            LShr64           "lshr.64"            (D W)   D  int   int::lshr64       [Lanes: UniformFrom1];
            AShr64           "ashr.64"            (D W)   D  int   int::ashr64       [Lanes: UniformFrom1];
            RotL64           "rotl.64"            (D W)   D  int   int::rotl64;
            BitRev64         "bitrev.64"          (D)     D  int   int::bitrev64;
            Popcnt64         "popcnt.64"          (D)     W  int   int::popcnt64;
            FfbhU64          "ffbhu.64"           (D)     W  int   int::ffbhu64;
            FfbhI64          "ffbhi.64"           (D)     W  int   int::ffbhi64;
            FfblB64          "ffblb.64"           (D)     W  int   int::ffblb64;
            /// whole quad mode: every group of 4 bits becomes all ones if any is set
            Wqm64            "wqm.64"             (D)     D  slow  int::wqm64;
            /// bit i = any of bits 4i..4i+3
            QuadMask64       "quadmask.64"        (D)     D  slow  int::quadmask64;
            /// every bit twice
            BitReplicate     "bitreplicate"       (W)     D  slow  int::bitreplicate;
            ICmpEq64         "eq.64"              (D D)   B  int   int::i64::eq      [Lanes: Always];
            ICmpNe64         "ne.64"              (D D)   B  int   int::i64::ne      [Lanes: Always];
            ICmpSlt64        "slt.64"             (D D)   B  int   int::i64::slt     [Lanes: Always];
            ICmpSle64        "sle.64"             (D D)   B  int   int::i64::sle     [Lanes: Always];
            ICmpSgt64        "sgt.64"             (D D)   B  int   int::i64::sgt     [Lanes: Always];
            ICmpSge64        "sge.64"             (D D)   B  int   int::i64::sge     [Lanes: Always];
            ICmpUlt64        "ult.64"             (D D)   B  int   int::i64::ult     [Lanes: Always];
            ICmpUle64        "ule.64"             (D D)   B  int   int::i64::ule     [Lanes: Always];
            ICmpUgt64        "ugt.64"             (D D)   B  int   int::i64::ugt     [Lanes: Always];
            ICmpUge64        "uge.64"             (D D)   B  int   int::i64::uge     [Lanes: Always];
            // 16-bit integers; shift amounts modulo 16
            IAdd16           "iadd.16"            (W W)   W  int   int::i16::add     [Lanes: Always];
            ISub16           "isub.16"            (W W)   W  int   int::i16::sub     [Lanes: Always];
            IMul16           "imul.16"            (W W)   W  int   int::i16::mul     [Lanes: Always];
            Shl16            "shl.16"             (W W)   W  int   int::i16::shl;
            LShr16           "lshr.16"            (W W)   W  int   int::i16::lshr;
            AShr16           "ashr.16"            (W W)   W  int   int::i16::ashr;
            SMin16           "smin.16"            (W W)   W  int   int::i16::smin;
            SMax16           "smax.16"            (W W)   W  int   int::i16::smax;
            UMin16           "umin.16"            (W W)   W  int   int::i16::umin;
            UMax16           "umax.16"            (W W)   W  int   int::i16::umax;
            UAddSat16        "uaddsat.16"         (W W)   W  int   int::i16::uaddsat;
            USubSat16        "usubsat.16"         (W W)   W  int   int::i16::usubsat;
            SAddSat16        "saddsat.16"         (W W)   W  int   int::i16::saddsat;
            SSubSat16        "ssubsat.16"         (W W)   W  int   int::i16::ssubsat;
            ICmpEq16         "eq.16"              (W W)   B  int   int::i16::eq;
            ICmpNe16         "ne.16"              (W W)   B  int   int::i16::ne;
            ICmpSlt16        "slt.16"             (W W)   B  int   int::i16::slt;
            ICmpSle16        "sle.16"             (W W)   B  int   int::i16::sle;
            ICmpSgt16        "sgt.16"             (W W)   B  int   int::i16::sgt;
            ICmpSge16        "sge.16"             (W W)   B  int   int::i16::sge;
            ICmpUlt16        "ult.16"             (W W)   B  int   int::i16::ult;
            ICmpUle16        "ule.16"             (W W)   B  int   int::i16::ule;
            ICmpUgt16        "ugt.16"             (W W)   B  int   int::i16::ugt;
            ICmpUge16        "uge.16"             (W W)   B  int   int::i16::uge;
            // packed 16-bit integers, both halves
            PkIAdd16         "iadd.pk16"          (W W)   W  pk    int::i16::add     [Lanes: Always];
            PkISub16         "isub.pk16"          (W W)   W  pk    int::i16::sub     [Lanes: Always];
            PkIMul16         "imul.pk16"          (W W)   W  pk    int::i16::mul     [Lanes: Always];
            PkShl16          "shl.pk16"           (W W)   W  pk    int::i16::shl;
            PkLShr16         "lshr.pk16"          (W W)   W  pk    int::i16::lshr;
            PkAShr16         "ashr.pk16"          (W W)   W  pk    int::i16::ashr;
            PkSMin16         "smin.pk16"          (W W)   W  pk    int::i16::smin    [Lanes: Always];
            PkSMax16         "smax.pk16"          (W W)   W  pk    int::i16::smax    [Lanes: Always];
            PkUMin16         "umin.pk16"          (W W)   W  pk    int::i16::umin    [Lanes: Always];
            PkUMax16         "umax.pk16"          (W W)   W  pk    int::i16::umax    [Lanes: Always];
            PkUAddSat16      "uaddsat.pk16"       (W W)   W  pk    int::i16::uaddsat [Lanes: Always];
            PkUSubSat16      "usubsat.pk16"       (W W)   W  pk    int::i16::usubsat [Lanes: Always];
            PkSAddSat16      "saddsat.pk16"       (W W)   W  pk    int::i16::saddsat [Lanes: Always];
            PkSSubSat16      "ssubsat.pk16"       (W W)   W  pk    int::i16::ssubsat [Lanes: Always];
            // f32 (numerics.md sections 2 to 6)
            FAdd32           "fadd.32"            (W W)   W  f32   f32::add          [Lanes: Plain];
            FSub32           "fsub.32"            (W W)   W  f32   f32::sub          [Lanes: Plain];
            FMul32           "fmul.32"            (W W)   W  f32   f32::mul          [Lanes: Plain];
            FFma32           "ffma.32"            (W W W) W  f32   f32::fma          [Lanes: PlainFma];
            /// the correctly rounded quotient, which no instruction computes but compilers spell out
            FDiv32           "fdiv.32"            (W W)   W  f32   div::of32::quotient [Lanes: Plain];
            /// product rounded, then sum rounded; denormals flushed (v_mad_f32)
            FMad32           "fmad.32"            (W W W) W  f32   f32::mad;
            /// 0 * x = +0 whatever x is
            FMulDx932        "fmuldx9.32"         (W W)   W  f32   f32::mul_dx9;
            FFmaDx932        "ffmadx9.32"         (W W W) W  f32   f32::fma_dx9;
            FMullit32        "fmullit.32"         (W W W) W  slowf f32::mullit;
            /// v_min_f32 / v_max_f32 up to gfx11, by MODE.IEEE
            FMin32           "fmin.32"            (W W)   W  f32   f32::min          [Lanes: PlainIeee];
            FMax32           "fmax.32"            (W W)   W  f32   f32::max          [Lanes: PlainIeee];
            FMed332          "fmed3.32"           (W W W) W  f32   f32::med3;
            /// gfx12 min_num/max_num and IEEE-2019 minimum/maximum
            FMinNum32        "fminnum.32"         (W W)   W  f32   f32::min_num;
            FMaxNum32        "fmaxnum.32"         (W W)   W  f32   f32::max_num;
            FMed3Num32       "fmed3num.32"        (W W W) W  f32   f32::med3_num;
            FMinimum32       "fminimum.32"        (W W)   W  f32   f32::minimum;
            FMaximum32       "fmaximum.32"        (W W)   W  f32   f32::maximum;
            FRcp32           "frcp.32"            (W)     W  any   trans::rcp32;
            FRsq32           "frsq.32"            (W)     W  any   trans::rsq32;
            /// 1/sqrt(x) within 1 ulp, by an estimate of this host's: other hosts have other bits (`eval/near.rs`)
            FRsqNear32       "frsqnear.32"        (W)     W  any   near::rsq32;
            FSqrt32          "fsqrt.32"           (W)     W  any   trans::sqrt32;
            /// the square root of denormals, too, which v_sqrt_f32 takes for zeros
            FSqrtDenorm32    "fsqrtdenorm.32"     (W)     W  any   trans::sqrt_denorm32;
            /// what compilers make of reciprocal roots (and of near ones), powers and logarithms with operands or results scaled by powers of two: denormals are numbers
            FRsqDenorm32     "frsqdenorm.32"      (W)     W  any   trans::rsq_denorm32;
            FRsqNearDenorm32 "frsqneardenorm.32"  (W)     W  any   near::rsq_denorm32;
            FExp2Denorm32    "fexp2denorm.32"     (W)     W  any   trans::exp_denorm32;
            FLog2Denorm32    "flog2denorm.32"     (W)     W  any   trans::log_denorm32;
            /// the quotient that OpenCL asks of compilers: of mantissas, by a reciprocal, with the difference of the exponents
            FDivMant32       "fdivmant.32"        (W W)   W  f32   trans::div_mant32;
            FExp232          "fexp2.32"           (W)     W  any   trans::exp32;
            FLog232          "flog2.32"           (W)     W  any   trans::log32;
            FSin32           "fsin.32"            (W)     W  any   trans::sin32;
            FCos32           "fcos.32"            (W)     W  any   trans::cos32;
            FFract32         "ffract.32"          (W)     W  f32   f32::fract;
            FFloor32         "ffloor.32"          (W)     W  f32   f32::floor        [Lanes: Plain];
            FCeil32          "fceil.32"           (W)     W  f32   f32::ceil         [Lanes: Plain];
            FTrunc32         "ftrunc.32"          (W)     W  f32   f32::trunc        [Lanes: Plain];
            FRndne32         "frndne.32"          (W)     W  f32   f32::rndne        [Lanes: Plain];
            FFrexpMant32     "ffrexpm.32"         (W)     W  f32   f32::frexp_mant;
            FFrexpExp32      "ffrexpe.32"         (W)     W  f32   f32::frexp_exp;
            FLdexp32         "fldexp.32"          (W W)   W  f32   f32::ldexp;
            DivScale32       "divscale.32"        (W W W) W  f32   div::of32::scaled;
            DivScaleFlag32   "divscaleflag.32"    (W W W) B  f32   div::of32::flag;
            /// fma, then scaled by 2^64 or 2^-64 (the form v_div_fmas takes when the lane's VCC bit is set)
            DivFmasScaled32  "divfmas.32"         (W W W) W  f32   div::fmas32;
            DivFixup32       "divfixup.32"        (W W W) W  f32   div::of32::fixup;
            /// output modifiers: clamp to \[0,1\] (NaN by DX10_CLAMP), omod times 2, times 4, divided by 2
            FClamp32         "fclamp.32"          (W)     W  any   f32::clamp        [Lanes: PlainClamp];
            FOmod2x32        "fomod2.32"          (W)     W  f32   f32::omod2;
            FOmod4x32        "fomod4.32"          (W)     W  f32   f32::omod4;
            FOmodHalf32      "fomodh.32"          (W)     W  f32   f32::omod_half;
            CubeId           "cubeid"             (W W W) W  any   f32::cube_id;
            CubeSc           "cubesc"             (W W W) W  any   f32::cube_sc;
            CubeTc           "cubetc"             (W W W) W  any   f32::cube_tc;
            CubeMa           "cubema"             (W W W) W  f32   f32::cube_ma;
            FCmpLt32         "flt.32"             (W W)   B  f32   f32::cmp_lt       [Lanes: Plain];
            FCmpEq32         "feq.32"             (W W)   B  f32   f32::cmp_eq       [Lanes: Plain];
            FCmpLe32         "fle.32"             (W W)   B  f32   f32::cmp_le       [Lanes: Plain];
            FCmpGt32         "fgt.32"             (W W)   B  f32   f32::cmp_gt       [Lanes: Plain];
            FCmpLg32         "flg.32"             (W W)   B  f32   f32::cmp_lg       [Lanes: Plain];
            FCmpGe32         "fge.32"             (W W)   B  f32   f32::cmp_ge       [Lanes: Plain];
            FCmpO32          "fo.32"              (W W)   B  f32   f32::cmp_o        [Lanes: Plain];
            FCmpU32          "fu.32"              (W W)   B  f32   f32::cmp_u        [Lanes: Plain];
            FCmpNge32        "fnge.32"            (W W)   B  f32   f32::cmp_nge      [Lanes: Plain];
            FCmpNlg32        "fnlg.32"            (W W)   B  f32   f32::cmp_nlg      [Lanes: Plain];
            FCmpNgt32        "fngt.32"            (W W)   B  f32   f32::cmp_ngt      [Lanes: Plain];
            FCmpNle32        "fnle.32"            (W W)   B  f32   f32::cmp_nle      [Lanes: Plain];
            FCmpNeq32        "fneq.32"            (W W)   B  f32   f32::cmp_neq      [Lanes: Plain];
            FCmpNlt32        "fnlt.32"            (W W)   B  f32   f32::cmp_nlt      [Lanes: Plain];
            FClass32         "fclass.32"          (W W)   B  int   f32::class;
            // f64
            FAdd64           "fadd.64"            (D D)   D  f64   f64::add          [Lanes: Plain];
            FSub64           "fsub.64"            (D D)   D  f64   f64::sub          [Lanes: Plain];
            FMul64           "fmul.64"            (D D)   D  f64   f64::mul          [Lanes: Plain];
            FFma64           "ffma.64"            (D D D) D  f64   f64::fma          [Lanes: PlainFma];
            FDiv64           "fdiv.64"            (D D)   D  f64   div::of64::quotient [Lanes: Plain];
            FMin64           "fmin.64"            (D D)   D  f64   f64::min;
            FMax64           "fmax.64"            (D D)   D  f64   f64::max;
            FMinNum64        "fminnum.64"         (D D)   D  f64   f64::min_num;
            FMaxNum64        "fmaxnum.64"         (D D)   D  f64   f64::max_num;
            FMinimum64       "fminimum.64"        (D D)   D  f64   f64::minimum;
            FMaximum64       "fmaximum.64"        (D D)   D  f64   f64::maximum;
            FRcp64           "frcp.64"            (D)     D  any   trans::rcp64;
            FRsq64           "frsq.64"            (D)     D  any   trans::rsq64;
            FSqrt64          "fsqrt.64"           (D)     D  any   trans::sqrt64;
            FFract64         "ffract.64"          (D)     D  f64   f64::fract;
            FFloor64         "ffloor.64"          (D)     D  f64   f64::floor;
            FCeil64          "fceil.64"           (D)     D  f64   f64::ceil;
            FTrunc64         "ftrunc.64"          (D)     D  f64   f64::trunc;
            FRndne64         "frndne.64"          (D)     D  f64   f64::rndne;
            FFrexpMant64     "ffrexpm.64"         (D)     D  f64   f64::frexp_mant;
            FFrexpExp64      "ffrexpe.64"         (D)     W  f64   f64::frexp_exp;
            FLdexp64         "fldexp.64"          (D W)   D  f64   f64::ldexp;
            /// x * 2^n of a double n that is rounded down, and 0 if it is a NaN (AVX-512 has it)
            FScale64         "fscale.64"          (D D)   D  f64   f64::scale;
            TrigPreop64      "trigpreop.64"       (D W)   D  any   trans::trig_preop;
            DivScale64       "divscale.64"        (D D D) D  f64   div::of64::scaled;
            DivScaleFlag64   "divscaleflag.64"    (D D D) B  f64   div::of64::flag;
            DivFmasScaled64  "divfmas.64"         (D D D) D  f64   div::fmas64;
            DivFixup64       "divfixup.64"        (D D D) D  f64   div::of64::fixup;
            FClamp64         "fclamp.64"          (D)     D  any   f64::clamp;
            FOmod2x64        "fomod2.64"          (D)     D  slowf f64::omod2;
            FOmod4x64        "fomod4.64"          (D)     D  slowf f64::omod4;
            FOmodHalf64      "fomodh.64"          (D)     D  slowf f64::omod_half;
            FCmpLt64         "flt.64"             (D D)   B  f64   f64::cmp_lt       [Lanes: Plain];
            FCmpEq64         "feq.64"             (D D)   B  f64   f64::cmp_eq       [Lanes: Plain];
            FCmpLe64         "fle.64"             (D D)   B  f64   f64::cmp_le       [Lanes: Plain];
            FCmpGt64         "fgt.64"             (D D)   B  f64   f64::cmp_gt       [Lanes: Plain];
            FCmpLg64         "flg.64"             (D D)   B  f64   f64::cmp_lg       [Lanes: Plain];
            FCmpGe64         "fge.64"             (D D)   B  f64   f64::cmp_ge       [Lanes: Plain];
            FCmpO64          "fo.64"              (D D)   B  f64   f64::cmp_o        [Lanes: Plain];
            FCmpU64          "fu.64"              (D D)   B  f64   f64::cmp_u        [Lanes: Plain];
            FCmpNge64        "fnge.64"            (D D)   B  f64   f64::cmp_nge      [Lanes: Plain];
            FCmpNlg64        "fnlg.64"            (D D)   B  f64   f64::cmp_nlg      [Lanes: Plain];
            FCmpNgt64        "fngt.64"            (D D)   B  f64   f64::cmp_ngt      [Lanes: Plain];
            FCmpNle64        "fnle.64"            (D D)   B  f64   f64::cmp_nle      [Lanes: Plain];
            FCmpNeq64        "fneq.64"            (D D)   B  f64   f64::cmp_neq      [Lanes: Plain];
            FCmpNlt64        "fnlt.64"            (D D)   B  f64   f64::cmp_nlt      [Lanes: Plain];
            FClass64         "fclass.64"          (D W)   B  int   f64::class;
            // f16 (low half; result zero-extended)
            FAdd16           "fadd.16"            (W W)   W  f64   f16::add;
            FSub16           "fsub.16"            (W W)   W  f64   f16::sub;
            FMul16           "fmul.16"            (W W)   W  f64   f16::mul;
            FFma16           "ffma.16"            (W W W) W  f64   f16::fma;
            FMin16           "fmin.16"            (W W)   W  f64   f16::min;
            FMax16           "fmax.16"            (W W)   W  f64   f16::max;
            FMed316          "fmed3.16"           (W W W) W  f64   f16::med3;
            FMinNum16        "fminnum.16"         (W W)   W  f64   f16::min_num;
            FMaxNum16        "fmaxnum.16"         (W W)   W  f64   f16::max_num;
            FMed3Num16       "fmed3num.16"        (W W W) W  f64   f16::med3_num;
            FMinimum16       "fminimum.16"        (W W)   W  f64   f16::minimum;
            FMaximum16       "fmaximum.16"        (W W)   W  f64   f16::maximum;
            FRcp16           "frcp.16"            (W)     W  any   trans::rcp16;
            FRsq16           "frsq.16"            (W)     W  any   trans::rsq16;
            FSqrt16          "fsqrt.16"           (W)     W  any   trans::sqrt16;
            FExp216          "fexp2.16"           (W)     W  any   trans::exp16;
            FLog216          "flog2.16"           (W)     W  any   trans::log16;
            FSin16           "fsin.16"            (W)     W  any   trans::sin16;
            FCos16           "fcos.16"            (W)     W  any   trans::cos16;
            FFract16         "ffract.16"          (W)     W  f64   f16::fract;
            FFloor16         "ffloor.16"          (W)     W  f64   f16::floor;
            FCeil16          "fceil.16"           (W)     W  f64   f16::ceil;
            FTrunc16         "ftrunc.16"          (W)     W  f64   f16::trunc;
            FRndne16         "frndne.16"          (W)     W  f64   f16::rndne;
            FFrexpMant16     "ffrexpm.16"         (W)     W  f64   f16::frexp_mant;
            FFrexpExp16      "ffrexpe.16"         (W)     W  f64   f16::frexp_exp;
            FLdexp16         "fldexp.16"          (W W)   W  f64   f16::ldexp;
            DivFixup16       "divfixup.16"        (W W W) W  f64   div::fixup16;
            FClamp16         "fclamp.16"          (W)     W  any   f16::clamp;
            FOmod2x16        "fomod2.16"          (W)     W  slowf f16::omod2;
            FOmod4x16        "fomod4.16"          (W)     W  slowf f16::omod4;
            FOmodHalf16      "fomodh.16"          (W)     W  slowf f16::omod_half;
            FCmpLt16         "flt.16"             (W W)   B  f64   f16::cmp_lt;
            FCmpEq16         "feq.16"             (W W)   B  f64   f16::cmp_eq;
            FCmpLe16         "fle.16"             (W W)   B  f64   f16::cmp_le;
            FCmpGt16         "fgt.16"             (W W)   B  f64   f16::cmp_gt;
            FCmpLg16         "flg.16"             (W W)   B  f64   f16::cmp_lg;
            FCmpGe16         "fge.16"             (W W)   B  f64   f16::cmp_ge;
            FCmpO16          "fo.16"              (W W)   B  f64   f16::cmp_o;
            FCmpU16          "fu.16"              (W W)   B  f64   f16::cmp_u;
            FCmpNge16        "fnge.16"            (W W)   B  f64   f16::cmp_nge;
            FCmpNlg16        "fnlg.16"            (W W)   B  f64   f16::cmp_nlg;
            FCmpNgt16        "fngt.16"            (W W)   B  f64   f16::cmp_ngt;
            FCmpNle16        "fnle.16"            (W W)   B  f64   f16::cmp_nle;
            FCmpNeq16        "fneq.16"            (W W)   B  f64   f16::cmp_neq;
            FCmpNlt16        "fnlt.16"            (W W)   B  f64   f16::cmp_nlt;
            FClass16         "fclass.16"          (W W)   B  int   f16::class;
            // packed f16, both halves
            PkFAdd16         "fadd.pk16"          (W W)   W  pkf   f16::add;
            PkFMul16         "fmul.pk16"          (W W)   W  pkf   f16::mul;
            PkFFma16         "ffma.pk16"          (W W W) W  pkf   f16::fma;
            PkFMin16         "fmin.pk16"          (W W)   W  pkf   f16::min;
            PkFMax16         "fmax.pk16"          (W W)   W  pkf   f16::max;
            PkFMinNum16      "fminnum.pk16"       (W W)   W  pkf   f16::min_num;
            PkFMaxNum16      "fmaxnum.pk16"       (W W)   W  pkf   f16::max_num;
            PkFClamp16       "fclamp.pk16"        (W)     W  pkf   f16::clamp;
            // dot products with float accumulation
            Dot2F32F16       "dot2.f32f16"        (W W W) W  mix   dot::f32_f16;
            Dot2F32Bf16      "dot2.f32bf16"       (W W W) W  f32   dot::f32_bf16;
            Dot2F16F16       "dot2.f16f16"        (W W W) W  f64   dot::f16_f16;
            Dot2Bf16Bf16     "dot2.bf16bf16"      (W W W) W  any   dot::bf16_bf16;
            // conversions (numerics.md section 7)
            CvtF32I32        "cvt.f32.i32"        (W)     W  f32   cvt::f32_i32      [Lanes: Plain];
            CvtF32U32        "cvt.f32.u32"        (W)     W  f32   cvt::f32_u32      [Lanes: Plain];
            CvtI32F32        "cvt.i32.f32"        (W)     W  any   cvt::i32_f32      [Lanes: Plain];
            CvtU32F32        "cvt.u32.f32"        (W)     W  any   cvt::u32_f32      [Lanes: Plain];
            CvtNearestI32F32 "cvtn.i32.f32"       (W)     W  f32   cvt::nearest_i32_f32;
            CvtFloorI32F32   "cvtf.i32.f32"       (W)     W  f32   cvt::floor_i32_f32;
            CvtF16F32        "cvt.f16.f32"        (W)     W  mix   cvt::f16_f32;
            CvtF32F16        "cvt.f32.f16"        (W)     W  f64   cvt::f32_f16;
            CvtF64F32        "cvt.f64.f32"        (W)     D  f32   cvt::f64_f32;
            CvtF32F64        "cvt.f32.f64"        (D)     W  mix   cvt::f32_f64;
            CvtI32F64        "cvt.i32.f64"        (D)     W  any   cvt::i32_f64;
            CvtU32F64        "cvt.u32.f64"        (D)     W  any   cvt::u32_f64;
            CvtF64I32        "cvt.f64.i32"        (W)     D  any   cvt::f64_i32;
            CvtF64U32        "cvt.f64.u32"        (W)     D  any   cvt::f64_u32;
            CvtF64I64        "cvt.f64.i64"        (D)     D  f64   cvt::f64_i64;
            CvtF64U64        "cvt.f64.u64"        (D)     D  f64   cvt::f64_u64;
            CvtF16I16        "cvt.f16.i16"        (W)     W  f64   cvt::f16_i16;
            CvtF16U16        "cvt.f16.u16"        (W)     W  f64   cvt::f16_u16;
            CvtI16F16        "cvt.i16.f16"        (W)     W  any   cvt::i16_f16;
            CvtU16F16        "cvt.u16.f16"        (W)     W  any   cvt::u16_f16;
            /// two operands to {hi: b, lo: a}
            CvtPkRtzF16F32   "cvtpk.rtz.f16.f32"  (W W)   W  f64   cvt::pk_rtz_f16_f32;
            CvtPkNormI16F32  "cvtpk.norm.i16.f32" (W W)   W  any   cvt::pk_norm_i16_f32;
            CvtPkNormU16F32  "cvtpk.norm.u16.f32" (W W)   W  any   cvt::pk_norm_u16_f32;
            CvtPkNormI16F16  "cvtpk.norm.i16.f16" (W W)   W  any   cvt::pk_norm_i16_f16;
            CvtPkNormU16F16  "cvtpk.norm.u16.f16" (W W)   W  any   cvt::pk_norm_u16_f16;
            CvtPkI16I32      "cvtpk.i16.i32"      (W W)   W  any   cvt::pk_i16_i32;
            CvtPkU16U32      "cvtpk.u16.u32"      (W W)   W  any   cvt::pk_u16_u32;
            CvtPkI16F32      "cvtpk.i16.f32"      (W W)   W  any   cvt::pk_i16_f32;
            CvtPkU16F32      "cvtpk.u16.f32"      (W W)   W  any   cvt::pk_u16_f32;
            /// (value, byte number, old dword)
            CvtPkU8F32       "cvtpk.u8.f32"       (W W W) W  any   cvt::pk_u8_f32;
            CvtNormI16F16    "cvt.norm.i16.f16"   (W)     W  any   cvt::norm_i16_f16;
            CvtNormU16F16    "cvt.norm.u16.f16"   (W)     W  any   cvt::norm_u16_f16;
            CvtOffF32I4      "cvt.off.f32.i4"     (W)     W  any   cvt::off_f32_i4;
            SatPkU8I16       "satpk.u8.i16"       (W)     W  int   int::satpku8;
        }
    };
}
pub(crate) use pure_rows;

macro_rules! reads_mode {
    (int) => {
        false
    };
    (pk) => {
        false
    };
    (slow) => {
        false
    };
    ($float:ident) => {
        true
    };
}

macro_rules! define_pure_op {
    ($($(#[$doc:meta])* $name:ident $text:literal ($($arg:ident)*) $ret:ident $kind:ident $f:path $([$($back_end:ident: $support:ident),*])?;)*) => {
        /// A pure operation. See the module header.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        #[repr(u16)]
        #[allow(missing_docs)] // the names and texts are the documentation; the scalar functions have the meaning
        pub enum PureOp { $($(#[$doc])* $name,)* }

        impl PureOp {
            /// Every operation, in declaration order.
            pub const ALL: &'static [PureOp] = &[$(PureOp::$name,)*];
            /// Name in the text form.
            pub fn text(self) -> &'static str { match self { $(PureOp::$name => $text,)* } }
            /// Operand widths.
            pub fn args(self) -> &'static [Width] { match self { $(PureOp::$name => &[$($arg),*],)* } }
            /// Result width.
            pub fn ret(self) -> Width { match self { $(PureOp::$name => $ret,)* } }
            /// The operation of a text-form name.
            pub fn from_text(s: &str) -> Option<PureOp> { match s { $($text => Some(PureOp::$name),)* _ => None } }
            /// When a region back end takes it.
            pub fn support(self, back_end: BackEnd) -> Support {
                match self {
                    $(PureOp::$name => {
                        $($(if back_end == BackEnd::$back_end { return Support::$support })*)?
                        Support::Never
                    })*
                }
            }
            /// Does the result depend on the wave's floating-point mode?
            pub fn reads_mode(self) -> bool { match self { $(PureOp::$name => reads_mode!($kind),)* } }
        }
    };
}
pure_rows!(define_pure_op);

impl PureOp {
    /// Is an estimate of the host's part of its result? Then the last bit depends on the processor and on the level in use.
    pub fn takes_estimate(self) -> bool {
        matches!(self, PureOp::FRsqNear32 | PureOp::FRsqNearDenorm32)
    }

    /// Comparisons of which one holds where the other does not.
    pub(crate) const COMPLEMENTS: &[(PureOp, PureOp)] = &[
        (PureOp::ICmpEq32, PureOp::ICmpNe32),
        (PureOp::ICmpSlt32, PureOp::ICmpSge32),
        (PureOp::ICmpSle32, PureOp::ICmpSgt32),
        (PureOp::ICmpUlt32, PureOp::ICmpUge32),
        (PureOp::ICmpUle32, PureOp::ICmpUgt32),
        (PureOp::ICmpEq64, PureOp::ICmpNe64),
        (PureOp::ICmpSlt64, PureOp::ICmpSge64),
        (PureOp::ICmpSle64, PureOp::ICmpSgt64),
        (PureOp::ICmpUlt64, PureOp::ICmpUge64),
        (PureOp::ICmpUle64, PureOp::ICmpUgt64),
        (PureOp::FCmpLt16, PureOp::FCmpNlt16),
        (PureOp::FCmpEq16, PureOp::FCmpNeq16),
        (PureOp::FCmpLe16, PureOp::FCmpNle16),
        (PureOp::FCmpGt16, PureOp::FCmpNgt16),
        (PureOp::FCmpLg16, PureOp::FCmpNlg16),
        (PureOp::FCmpGe16, PureOp::FCmpNge16),
        (PureOp::FCmpO16, PureOp::FCmpU16),
        (PureOp::FCmpLt32, PureOp::FCmpNlt32),
        (PureOp::FCmpEq32, PureOp::FCmpNeq32),
        (PureOp::FCmpLe32, PureOp::FCmpNle32),
        (PureOp::FCmpGt32, PureOp::FCmpNgt32),
        (PureOp::FCmpLg32, PureOp::FCmpNlg32),
        (PureOp::FCmpGe32, PureOp::FCmpNge32),
        (PureOp::FCmpO32, PureOp::FCmpU32),
        (PureOp::FCmpLt64, PureOp::FCmpNlt64),
        (PureOp::FCmpEq64, PureOp::FCmpNeq64),
        (PureOp::FCmpLe64, PureOp::FCmpNle64),
        (PureOp::FCmpGt64, PureOp::FCmpNgt64),
        (PureOp::FCmpLg64, PureOp::FCmpNlg64),
        (PureOp::FCmpGe64, PureOp::FCmpNge64),
        (PureOp::FCmpO64, PureOp::FCmpU64),
    ];

    /// The comparison that holds where this one does not.
    pub fn complement(self) -> Option<PureOp> {
        PureOp::COMPLEMENTS.iter().find_map(|&(a, b)| match self {
            x if x == a => Some(b),
            x if x == b => Some(a),
            _ => None,
        })
    }
}

impl fmt::Display for PureOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
