//! Pure operations of the wave IR: one enum, one signature per operation.
//!
//! A pure operation maps up to three operands of 1, 32 or 64 bits to one result. It has no shape of its own: applied to scalars it
//! runs once per wave, applied to lane values once per lane (EXEC never matters to it). What bits mean (integer, f16, f32, f64) is
//! part of the operation's name. 16-bit operations read the low 16 bits of their operands and return zero-extended results; `Pk`
//! operations work on both halves.
//!
//! [`super::eval`] gives the meaning of every operation in plain Rust; that is the truth for the interpreter and for the compiled
//! code. Floating-point operations also read the [`super::FpMode`] of their instruction.

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

macro_rules! pure_ops {
    ($($(#[$doc:meta])* $name:ident $text:literal ($($arg:ident)*) $ret:ident;)*) => {
        /// A pure operation. See the module header.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        #[repr(u16)]
        #[allow(missing_docs)] // the names and texts are the documentation; eval.rs has the meaning
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
        }
    };
}

pure_ops! {
    // conditions and masks
    BAnd "and.1" (B B) B; BOr "or.1" (B B) B; BXor "xor.1" (B B) B; BNot "not.1" (B) B;
    /// a & !b
    BAndNot "andn.1" (B B) B;
    /// b ? x : y
    Sel32 "sel.32" (B W W) W; Sel64 "sel.64" (B D D) D;
    /// 0 or 1
    BToInt "b2i.32" (B) W;
    // 32-bit integers; shift amounts are taken modulo 32
    IAdd32 "iadd.32" (W W) W; ISub32 "isub.32" (W W) W; IMul32 "imul.32" (W W) W;
    UMulHi32 "umulhi.32" (W W) W; SMulHi32 "smulhi.32" (W W) W;
    And32 "and.32" (W W) W; Or32 "or.32" (W W) W; Xor32 "xor.32" (W W) W; Not32 "not.32" (W) W;
    Shl32 "shl.32" (W W) W; LShr32 "lshr.32" (W W) W; AShr32 "ashr.32" (W W) W;
    /// ({a,b} >> c\[4:0\]) low 32
    AlignBit32 "alignbit.32" (W W W) W;
    /// v_perm_b32(s0, s1, selector)
    Perm32 "perm.32" (W W W) W;
    /// (x >> off\[4:0\]) & (2^width\[4:0\]-1)
    BfeU32 "bfeu.32" (W W W) W; BfeI32 "bfei.32" (W W W) W;
    /// (a & b) | (!a & c)
    Bfi32 "bfi.32" (W W W) W;
    /// ((1 << a\[4:0\]) - 1) << b\[4:0\]
    Bfm32 "bfm.32" (W W) W;
    BitRev32 "bitrev.32" (W) W; Popcnt32 "popcnt.32" (W) W;
    /// leading zeros, -1 if none set
    FfbhU32 "ffbhu.32" (W) W;
    /// leading bits equal to the sign bit after it, -1 if all equal
    FfbhI32 "ffbhi.32" (W) W;
    /// trailing zeros, -1 if none set
    FfblB32 "ffblb.32" (W) W;
    SMin32 "smin.32" (W W) W; SMax32 "smax.32" (W W) W; UMin32 "umin.32" (W W) W; UMax32 "umax.32" (W W) W;
    UAddSat32 "uaddsat.32" (W W) W; USubSat32 "usubsat.32" (W W) W; SAddSat32 "saddsat.32" (W W) W; SSubSat32 "ssubsat.32" (W W) W;
    SadU8 "sad.u8" (W W W) W; MsadU8 "msad.u8" (W W W) W; SadU16 "sad.u16" (W W W) W; SadU32 "sad.u32" (W W W) W;
    LerpU8 "lerp.u8" (W W W) W;
    /// exact sum of four products of signed (S) or unsigned (U) bytes, no accumulator
    Dot4SS "dot4.ss" (W W) W; Dot4SU "dot4.su" (W W) W; Dot4US "dot4.us" (W W) W; Dot4UU "dot4.uu" (W W) W;
    Dot8SS "dot8.ss" (W W) W; Dot8SU "dot8.su" (W W) W; Dot8US "dot8.us" (W W) W; Dot8UU "dot8.uu" (W W) W;
    ICmpEq32 "eq.32" (W W) B; ICmpNe32 "ne.32" (W W) B;
    ICmpSlt32 "slt.32" (W W) B; ICmpSle32 "sle.32" (W W) B; ICmpSgt32 "sgt.32" (W W) B; ICmpSge32 "sge.32" (W W) B;
    ICmpUlt32 "ult.32" (W W) B; ICmpUle32 "ule.32" (W W) B; ICmpUgt32 "ugt.32" (W W) B; ICmpUge32 "uge.32" (W W) B;
    // width changes
    /// {hi: b, lo: a}
    Pack64 "pack.64" (W W) D; Lo64 "lo.64" (D) W; Hi64 "hi.64" (D) W; ZExt64 "zext.64" (W) D; SExt64 "sext.64" (W) D;
    UMulWide32 "umulw.32" (W W) D; SMulWide32 "smulw.32" (W W) D;
    // 64-bit integers; shift amounts (32-bit operand) are taken modulo 64
    IAdd64 "iadd.64" (D D) D; ISub64 "isub.64" (D D) D; IMul64 "imul.64" (D D) D;
    And64 "and.64" (D D) D; Or64 "or.64" (D D) D; Xor64 "xor.64" (D D) D; Not64 "not.64" (D) D;
    Shl64 "shl.64" (D W) D; LShr64 "lshr.64" (D W) D; AShr64 "ashr.64" (D W) D;
    BitRev64 "bitrev.64" (D) D; Popcnt64 "popcnt.64" (D) W;
    FfbhU64 "ffbhu.64" (D) W; FfbhI64 "ffbhi.64" (D) W; FfblB64 "ffblb.64" (D) W;
    /// whole quad mode: every group of 4 bits becomes all ones if any is set
    Wqm64 "wqm.64" (D) D;
    /// bit i = any of bits 4i..4i+3
    QuadMask64 "quadmask.64" (D) D;
    /// every bit twice
    BitReplicate "bitreplicate" (W) D;
    ICmpEq64 "eq.64" (D D) B; ICmpNe64 "ne.64" (D D) B;
    ICmpSlt64 "slt.64" (D D) B; ICmpSle64 "sle.64" (D D) B; ICmpSgt64 "sgt.64" (D D) B; ICmpSge64 "sge.64" (D D) B;
    ICmpUlt64 "ult.64" (D D) B; ICmpUle64 "ule.64" (D D) B; ICmpUgt64 "ugt.64" (D D) B; ICmpUge64 "uge.64" (D D) B;
    // 16-bit integers; shift amounts modulo 16
    IAdd16 "iadd.16" (W W) W; ISub16 "isub.16" (W W) W; IMul16 "imul.16" (W W) W;
    Shl16 "shl.16" (W W) W; LShr16 "lshr.16" (W W) W; AShr16 "ashr.16" (W W) W;
    SMin16 "smin.16" (W W) W; SMax16 "smax.16" (W W) W; UMin16 "umin.16" (W W) W; UMax16 "umax.16" (W W) W;
    UAddSat16 "uaddsat.16" (W W) W; USubSat16 "usubsat.16" (W W) W; SAddSat16 "saddsat.16" (W W) W; SSubSat16 "ssubsat.16" (W W) W;
    ICmpEq16 "eq.16" (W W) B; ICmpNe16 "ne.16" (W W) B;
    ICmpSlt16 "slt.16" (W W) B; ICmpSle16 "sle.16" (W W) B; ICmpSgt16 "sgt.16" (W W) B; ICmpSge16 "sge.16" (W W) B;
    ICmpUlt16 "ult.16" (W W) B; ICmpUle16 "ule.16" (W W) B; ICmpUgt16 "ugt.16" (W W) B; ICmpUge16 "uge.16" (W W) B;
    // packed 16-bit integers, both halves
    PkIAdd16 "iadd.pk16" (W W) W; PkISub16 "isub.pk16" (W W) W; PkIMul16 "imul.pk16" (W W) W;
    PkShl16 "shl.pk16" (W W) W; PkLShr16 "lshr.pk16" (W W) W; PkAShr16 "ashr.pk16" (W W) W;
    PkSMin16 "smin.pk16" (W W) W; PkSMax16 "smax.pk16" (W W) W; PkUMin16 "umin.pk16" (W W) W; PkUMax16 "umax.pk16" (W W) W;
    PkUAddSat16 "uaddsat.pk16" (W W) W; PkUSubSat16 "usubsat.pk16" (W W) W; PkSAddSat16 "saddsat.pk16" (W W) W; PkSSubSat16 "ssubsat.pk16" (W W) W;
    // f32 (numerics.md sections 2 to 6)
    FAdd32 "fadd.32" (W W) W; FSub32 "fsub.32" (W W) W; FMul32 "fmul.32" (W W) W; FFma32 "ffma.32" (W W W) W;
    /// product rounded, then sum rounded; denormals flushed (v_mad_f32)
    FMad32 "fmad.32" (W W W) W;
    /// 0 * x = +0 whatever x is
    FMulDx932 "fmuldx9.32" (W W) W; FFmaDx932 "ffmadx9.32" (W W W) W; FMullit32 "fmullit.32" (W W W) W;
    /// v_min_f32 / v_max_f32 up to gfx11, by MODE.IEEE
    FMin32 "fmin.32" (W W) W; FMax32 "fmax.32" (W W) W; FMed332 "fmed3.32" (W W W) W;
    /// gfx12 min_num/max_num and IEEE-2019 minimum/maximum
    FMinNum32 "fminnum.32" (W W) W; FMaxNum32 "fmaxnum.32" (W W) W; FMinimum32 "fminimum.32" (W W) W; FMaximum32 "fmaximum.32" (W W) W;
    FRcp32 "frcp.32" (W) W; FRsq32 "frsq.32" (W) W; FSqrt32 "fsqrt.32" (W) W; FExp232 "fexp2.32" (W) W; FLog232 "flog2.32" (W) W;
    FSin32 "fsin.32" (W) W; FCos32 "fcos.32" (W) W; FFract32 "ffract.32" (W) W; FFloor32 "ffloor.32" (W) W; FCeil32 "fceil.32" (W) W;
    FTrunc32 "ftrunc.32" (W) W; FRndne32 "frndne.32" (W) W; FFrexpMant32 "ffrexpm.32" (W) W; FFrexpExp32 "ffrexpe.32" (W) W;
    FLdexp32 "fldexp.32" (W W) W;
    DivScale32 "divscale.32" (W W W) W; DivScaleFlag32 "divscaleflag.32" (W W W) B;
    /// fma, then scaled by 2^64 or 2^-64 (the form v_div_fmas takes when the lane's VCC bit is set)
    DivFmasScaled32 "divfmas.32" (W W W) W; DivFixup32 "divfixup.32" (W W W) W;
    /// output modifiers: clamp to \[0,1\] (NaN by DX10_CLAMP), omod times 2, times 4, divided by 2
    FClamp32 "fclamp.32" (W) W; FOmod2x32 "fomod2.32" (W) W; FOmod4x32 "fomod4.32" (W) W; FOmodHalf32 "fomodh.32" (W) W;
    CubeId "cubeid" (W W W) W; CubeSc "cubesc" (W W W) W; CubeTc "cubetc" (W W W) W; CubeMa "cubema" (W W W) W;
    FCmpLt32 "flt.32" (W W) B; FCmpEq32 "feq.32" (W W) B; FCmpLe32 "fle.32" (W W) B; FCmpGt32 "fgt.32" (W W) B;
    FCmpLg32 "flg.32" (W W) B; FCmpGe32 "fge.32" (W W) B; FCmpO32 "fo.32" (W W) B; FCmpU32 "fu.32" (W W) B;
    FCmpNge32 "fnge.32" (W W) B; FCmpNlg32 "fnlg.32" (W W) B; FCmpNgt32 "fngt.32" (W W) B; FCmpNle32 "fnle.32" (W W) B;
    FCmpNeq32 "fneq.32" (W W) B; FCmpNlt32 "fnlt.32" (W W) B; FClass32 "fclass.32" (W W) B;
    // f64
    FAdd64 "fadd.64" (D D) D; FSub64 "fsub.64" (D D) D; FMul64 "fmul.64" (D D) D; FFma64 "ffma.64" (D D D) D;
    FMin64 "fmin.64" (D D) D; FMax64 "fmax.64" (D D) D;
    FMinNum64 "fminnum.64" (D D) D; FMaxNum64 "fmaxnum.64" (D D) D; FMinimum64 "fminimum.64" (D D) D; FMaximum64 "fmaximum.64" (D D) D;
    FRcp64 "frcp.64" (D) D; FRsq64 "frsq.64" (D) D; FSqrt64 "fsqrt.64" (D) D; FFract64 "ffract.64" (D) D; FFloor64 "ffloor.64" (D) D;
    FCeil64 "fceil.64" (D) D; FTrunc64 "ftrunc.64" (D) D; FRndne64 "frndne.64" (D) D; FFrexpMant64 "ffrexpm.64" (D) D;
    FFrexpExp64 "ffrexpe.64" (D) W; FLdexp64 "fldexp.64" (D W) D; TrigPreop64 "trigpreop.64" (D W) D;
    DivScale64 "divscale.64" (D D D) D; DivScaleFlag64 "divscaleflag.64" (D D D) B;
    DivFmasScaled64 "divfmas.64" (D D D) D; DivFixup64 "divfixup.64" (D D D) D;
    FClamp64 "fclamp.64" (D) D; FOmod2x64 "fomod2.64" (D) D; FOmod4x64 "fomod4.64" (D) D; FOmodHalf64 "fomodh.64" (D) D;
    FCmpLt64 "flt.64" (D D) B; FCmpEq64 "feq.64" (D D) B; FCmpLe64 "fle.64" (D D) B; FCmpGt64 "fgt.64" (D D) B;
    FCmpLg64 "flg.64" (D D) B; FCmpGe64 "fge.64" (D D) B; FCmpO64 "fo.64" (D D) B; FCmpU64 "fu.64" (D D) B;
    FCmpNge64 "fnge.64" (D D) B; FCmpNlg64 "fnlg.64" (D D) B; FCmpNgt64 "fngt.64" (D D) B; FCmpNle64 "fnle.64" (D D) B;
    FCmpNeq64 "fneq.64" (D D) B; FCmpNlt64 "fnlt.64" (D D) B; FClass64 "fclass.64" (D W) B;
    // f16 (low half; result zero-extended)
    FAdd16 "fadd.16" (W W) W; FSub16 "fsub.16" (W W) W; FMul16 "fmul.16" (W W) W; FFma16 "ffma.16" (W W W) W;
    FMin16 "fmin.16" (W W) W; FMax16 "fmax.16" (W W) W; FMed316 "fmed3.16" (W W W) W;
    FMinNum16 "fminnum.16" (W W) W; FMaxNum16 "fmaxnum.16" (W W) W; FMinimum16 "fminimum.16" (W W) W; FMaximum16 "fmaximum.16" (W W) W;
    FRcp16 "frcp.16" (W) W; FRsq16 "frsq.16" (W) W; FSqrt16 "fsqrt.16" (W) W; FExp216 "fexp2.16" (W) W; FLog216 "flog2.16" (W) W;
    FSin16 "fsin.16" (W) W; FCos16 "fcos.16" (W) W; FFract16 "ffract.16" (W) W; FFloor16 "ffloor.16" (W) W; FCeil16 "fceil.16" (W) W;
    FTrunc16 "ftrunc.16" (W) W; FRndne16 "frndne.16" (W) W; FFrexpMant16 "ffrexpm.16" (W) W; FFrexpExp16 "ffrexpe.16" (W) W;
    FLdexp16 "fldexp.16" (W W) W; DivFixup16 "divfixup.16" (W W W) W;
    FClamp16 "fclamp.16" (W) W; FOmod2x16 "fomod2.16" (W) W; FOmod4x16 "fomod4.16" (W) W; FOmodHalf16 "fomodh.16" (W) W;
    FCmpLt16 "flt.16" (W W) B; FCmpEq16 "feq.16" (W W) B; FCmpLe16 "fle.16" (W W) B; FCmpGt16 "fgt.16" (W W) B;
    FCmpLg16 "flg.16" (W W) B; FCmpGe16 "fge.16" (W W) B; FCmpO16 "fo.16" (W W) B; FCmpU16 "fu.16" (W W) B;
    FCmpNge16 "fnge.16" (W W) B; FCmpNlg16 "fnlg.16" (W W) B; FCmpNgt16 "fngt.16" (W W) B; FCmpNle16 "fnle.16" (W W) B;
    FCmpNeq16 "fneq.16" (W W) B; FCmpNlt16 "fnlt.16" (W W) B; FClass16 "fclass.16" (W W) B;
    // packed f16, both halves
    PkFAdd16 "fadd.pk16" (W W) W; PkFMul16 "fmul.pk16" (W W) W; PkFFma16 "ffma.pk16" (W W W) W;
    PkFMin16 "fmin.pk16" (W W) W; PkFMax16 "fmax.pk16" (W W) W;
    PkFClamp16 "fclamp.pk16" (W) W;
    // dot products with float accumulation
    Dot2F32F16 "dot2.f32f16" (W W W) W; Dot2F32Bf16 "dot2.f32bf16" (W W W) W; Dot2F16F16 "dot2.f16f16" (W W W) W; Dot2Bf16Bf16 "dot2.bf16bf16" (W W W) W;
    // conversions (numerics.md section 7)
    CvtF32I32 "cvt.f32.i32" (W) W; CvtF32U32 "cvt.f32.u32" (W) W; CvtI32F32 "cvt.i32.f32" (W) W; CvtU32F32 "cvt.u32.f32" (W) W;
    CvtNearestI32F32 "cvtn.i32.f32" (W) W; CvtFloorI32F32 "cvtf.i32.f32" (W) W;
    CvtF16F32 "cvt.f16.f32" (W) W; CvtF32F16 "cvt.f32.f16" (W) W; CvtF64F32 "cvt.f64.f32" (W) D; CvtF32F64 "cvt.f32.f64" (D) W;
    CvtI32F64 "cvt.i32.f64" (D) W; CvtU32F64 "cvt.u32.f64" (D) W; CvtF64I32 "cvt.f64.i32" (W) D; CvtF64U32 "cvt.f64.u32" (W) D;
    CvtF16I16 "cvt.f16.i16" (W) W; CvtF16U16 "cvt.f16.u16" (W) W; CvtI16F16 "cvt.i16.f16" (W) W; CvtU16F16 "cvt.u16.f16" (W) W;
    /// two operands to {hi: b, lo: a}
    CvtPkRtzF16F32 "cvtpk.rtz.f16.f32" (W W) W; CvtPkNormI16F32 "cvtpk.norm.i16.f32" (W W) W; CvtPkNormU16F32 "cvtpk.norm.u16.f32" (W W) W;
    CvtPkNormI16F16 "cvtpk.norm.i16.f16" (W W) W; CvtPkNormU16F16 "cvtpk.norm.u16.f16" (W W) W;
    CvtPkI16I32 "cvtpk.i16.i32" (W W) W; CvtPkU16U32 "cvtpk.u16.u32" (W W) W; CvtPkI16F32 "cvtpk.i16.f32" (W W) W; CvtPkU16F32 "cvtpk.u16.f32" (W W) W;
    /// (value, byte number, old dword)
    CvtPkU8F32 "cvtpk.u8.f32" (W W W) W;
    CvtNormI16F16 "cvt.norm.i16.f16" (W) W; CvtNormU16F16 "cvt.norm.u16.f16" (W) W;
    CvtOffF32I4 "cvt.off.f32.i4" (W) W; SatPkU8I16 "satpk.u8.i16" (W) W;
}

impl PureOp {
    /// Does the result depend on the wave's floating-point mode?
    pub fn reads_mode(self) -> bool {
        let t = self.text();
        let float = ["f", "div", "cvt", "dot2", "trig", "cube"].iter().any(|p| t.starts_with(p));
        float && !t.starts_with("ffb") && !t.starts_with("fclass")
    }
}

impl fmt::Display for PureOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
