//! What every pure operation means, for one element: the truth for the interpreter and for compiled code (spec: numerics.md).
//!
//! `lane_functions!` is the table of it all: one row per operation, naming the scalar function and how its rows are to be compiled.
//! [`eval`] calls the function once; [`super::rowfn`] makes loops over lanes of the same functions.
//!
//! Files: `int` integers and masks; `common` what the float formats share, `f32`, `f64`, `f16` the formats; `div` division helpers;
//! `trans` transcendentals; `cvt` conversions; `dot` float dot products; `mode` the views of the float mode. Where a file needs the
//! modules of several formats it calls them `h`, `s` and `d` (half, single, double), so that `f32` and `f64` stay the types.

use super::{FpMode, PureOp};
use mode::{Fp, Full};

pub(super) mod common;
pub(super) mod cvt;
pub(super) mod div;
pub(super) mod dot;
pub(super) mod f16;
pub(super) mod f32;
pub(super) mod f64;
pub(super) mod int;
pub(super) mod mode;
pub(super) mod trans;

/// An operand or result as the scalar functions see it: `bool`, `u16` (low half of a register), `u32` or `u64`.
pub(super) trait Element: Copy {
    /// From the low bits.
    fn take(bits: u64) -> Self;
    /// Zero-extended.
    fn give(self) -> u64;
}
macro_rules! elements {
    ($($ty:ident)*) => { $(
        impl Element for $ty {
            #[inline(always)]
            fn take(bits: u64) -> Self {
                bits as $ty
            }
            #[inline(always)]
            fn give(self) -> u64 {
                self.into()
            }
        }
    )* };
}
elements! { u16 u32 u64 }
impl Element for bool {
    #[inline(always)]
    fn take(bits: u64) -> Self {
        bits & 1 != 0
    }
    #[inline(always)]
    fn give(self) -> u64 {
        self.into()
    }
}

/// A scalar function of elements; `S` is its signature, so that functions of one, two and three operands are told apart.
pub(super) trait Function<S>: Copy {
    /// Applies it to operands in the low bits.
    fn apply(self, a: u64, b: u64, c: u64) -> u64;
}
impl<A: Element, R: Element, F: Fn(A) -> R + Copy> Function<(A, R)> for F {
    #[inline(always)]
    fn apply(self, a: u64, _: u64, _: u64) -> u64 {
        self(A::take(a)).give()
    }
}
impl<A: Element, B: Element, R: Element, F: Fn(A, B) -> R + Copy> Function<(A, B, R)> for F {
    #[inline(always)]
    fn apply(self, a: u64, b: u64, _: u64) -> u64 {
        self(A::take(a), B::take(b)).give()
    }
}
impl<A: Element, B: Element, C: Element, R: Element, F: Fn(A, B, C) -> R + Copy> Function<(A, B, C, R)> for F {
    #[inline(always)]
    fn apply(self, a: u64, b: u64, c: u64) -> u64 {
        self(A::take(a), B::take(b), C::take(c)).give()
    }
}

/// A scalar function that reads the float mode: [`Function`] with the mode first.
pub(super) trait ModeFunction<M, S>: Copy {
    /// Applies it to operands in the low bits.
    fn apply_with(self, m: M, a: u64, b: u64, c: u64) -> u64;
}
impl<M: Fp, A: Element, R: Element, F: Fn(M, A) -> R + Copy> ModeFunction<M, (A, R)> for F {
    #[inline(always)]
    fn apply_with(self, m: M, a: u64, _: u64, _: u64) -> u64 {
        self(m, A::take(a)).give()
    }
}
impl<M: Fp, A: Element, B: Element, R: Element, F: Fn(M, A, B) -> R + Copy> ModeFunction<M, (A, B, R)> for F {
    #[inline(always)]
    fn apply_with(self, m: M, a: u64, b: u64, _: u64) -> u64 {
        self(m, A::take(a), B::take(b)).give()
    }
}
impl<M: Fp, A: Element, B: Element, C: Element, R: Element, F: Fn(M, A, B, C) -> R + Copy> ModeFunction<M, (A, B, C, R)> for F {
    #[inline(always)]
    fn apply_with(self, m: M, a: u64, b: u64, c: u64) -> u64 {
        self(m, A::take(a), B::take(b), C::take(c)).give()
    }
}

/// Passes the table to macro `$use`. A row: operation, kind, function. Kinds:
///
/// | kind | reads | rows are compiled |
/// |---|---|---|
/// | `int` | no mode | for every host level |
/// | `f32` | the f32 fields | for every host level, with and without flushing; other rounding calls [`eval`] |
/// | `f64` | the f16/f64 fields | for every host level in the plain mode, else calls [`eval`] |
/// | `mix` | all fields | as `f64`, plain meaning all fields |
/// | `any` | none of the fields, or only IEEE and the like | for every host level |
/// | `pk` | no mode | as `int`; the 16-bit function is applied to both halves |
/// | `pkf` | the f16/f64 fields | as `f64`; the 16-bit function is applied to both halves |
/// | `slow` | no mode | calls [`eval`] |
/// | `slowf` | any fields | calls [`eval`] |
macro_rules! lane_functions {
    ($use:ident) => {
        $use! {
            BAnd int int::and1; BOr int int::or1; BXor int int::xor1; BNot int int::not1; BAndNot int int::andn1;
            Sel32 int int::sel32; Sel64 int int::sel64; BToInt int int::b2i;
            IAdd32 int int::i32::add; ISub32 int int::i32::sub; IMul32 int int::i32::mul; UMulHi32 int int::umulhi32; SMulHi32 int int::smulhi32;
            And32 int int::i32::and; Or32 int int::i32::or; Xor32 int int::i32::xor; Not32 int int::i32::not;
            Shl32 int int::i32::shl; LShr32 int int::i32::lshr; AShr32 int int::i32::ashr; AlignBit32 int int::alignbit; Perm32 int int::perm;
            BfeU32 int int::bfeu; BfeI32 int int::bfei; Bfi32 int int::bfi; Bfm32 int int::bfm;
            BitRev32 int int::bitrev32; Popcnt32 int int::popcnt32; FfbhU32 int int::ffbhu32; FfbhI32 int int::ffbhi32; FfblB32 int int::ffblb32;
            SMin32 int int::i32::smin; SMax32 int int::i32::smax; UMin32 int int::i32::umin; UMax32 int int::i32::umax;
            UAddSat32 int int::i32::uaddsat; USubSat32 int int::i32::usubsat; SAddSat32 int int::i32::saddsat; SSubSat32 int int::i32::ssubsat;
            SadU8 int int::sadu8; MsadU8 int int::msadu8; SadU16 int int::sadu16; SadU32 int int::sadu32; LerpU8 int int::lerpu8;
            Dot4SS int int::dot4ss; Dot4SU int int::dot4su; Dot4US int int::dot4us; Dot4UU int int::dot4uu;
            Dot8SS int int::dot8ss; Dot8SU int int::dot8su; Dot8US int int::dot8us; Dot8UU int int::dot8uu;
            ICmpEq32 int int::i32::eq; ICmpNe32 int int::i32::ne; ICmpSlt32 int int::i32::slt; ICmpSle32 int int::i32::sle;
            ICmpSgt32 int int::i32::sgt; ICmpSge32 int int::i32::sge; ICmpUlt32 int int::i32::ult; ICmpUle32 int int::i32::ule;
            ICmpUgt32 int int::i32::ugt; ICmpUge32 int int::i32::uge;

            Pack64 int int::pack64; Lo64 int int::lo64; Hi64 int int::hi64; ZExt64 int int::zext64; SExt64 int int::sext64;
            UMulWide32 int int::umulw; SMulWide32 int int::smulw;
            IAdd64 int int::i64::add; ISub64 int int::i64::sub; IMul64 int int::i64::mul;
            And64 int int::i64::and; Or64 int int::i64::or; Xor64 int int::i64::xor; Not64 int int::i64::not;
            Shl64 int int::shl64; LShr64 int int::lshr64; AShr64 int int::ashr64; BitRev64 int int::bitrev64; Popcnt64 int int::popcnt64;
            FfbhU64 int int::ffbhu64; FfbhI64 int int::ffbhi64; FfblB64 int int::ffblb64;
            Wqm64 slow int::wqm64; QuadMask64 slow int::quadmask64; BitReplicate slow int::bitreplicate;
            ICmpEq64 int int::i64::eq; ICmpNe64 int int::i64::ne; ICmpSlt64 int int::i64::slt; ICmpSle64 int int::i64::sle;
            ICmpSgt64 int int::i64::sgt; ICmpSge64 int int::i64::sge; ICmpUlt64 int int::i64::ult; ICmpUle64 int int::i64::ule;
            ICmpUgt64 int int::i64::ugt; ICmpUge64 int int::i64::uge;

            IAdd16 int int::i16::add; ISub16 int int::i16::sub; IMul16 int int::i16::mul;
            Shl16 int int::i16::shl; LShr16 int int::i16::lshr; AShr16 int int::i16::ashr;
            SMin16 int int::i16::smin; SMax16 int int::i16::smax; UMin16 int int::i16::umin; UMax16 int int::i16::umax;
            UAddSat16 int int::i16::uaddsat; USubSat16 int int::i16::usubsat; SAddSat16 int int::i16::saddsat; SSubSat16 int int::i16::ssubsat;
            ICmpEq16 int int::i16::eq; ICmpNe16 int int::i16::ne; ICmpSlt16 int int::i16::slt; ICmpSle16 int int::i16::sle;
            ICmpSgt16 int int::i16::sgt; ICmpSge16 int int::i16::sge; ICmpUlt16 int int::i16::ult; ICmpUle16 int int::i16::ule;
            ICmpUgt16 int int::i16::ugt; ICmpUge16 int int::i16::uge;
            PkIAdd16 pk int::i16::add; PkISub16 pk int::i16::sub; PkIMul16 pk int::i16::mul;
            PkShl16 pk int::i16::shl; PkLShr16 pk int::i16::lshr; PkAShr16 pk int::i16::ashr;
            PkSMin16 pk int::i16::smin; PkSMax16 pk int::i16::smax; PkUMin16 pk int::i16::umin; PkUMax16 pk int::i16::umax;
            PkUAddSat16 pk int::i16::uaddsat; PkUSubSat16 pk int::i16::usubsat;
            PkSAddSat16 pk int::i16::saddsat; PkSSubSat16 pk int::i16::ssubsat;

            FAdd32 f32 f32::add; FSub32 f32 f32::sub; FMul32 f32 f32::mul; FFma32 f32 f32::fma; FMad32 f32 f32::mad;
            FMulDx932 f32 f32::mul_dx9; FFmaDx932 f32 f32::fma_dx9; FMullit32 slowf f32::mullit;
            FMin32 f32 f32::min; FMax32 f32 f32::max; FMed332 f32 f32::med3;
            FMinNum32 f32 f32::min_num; FMaxNum32 f32 f32::max_num; FMinimum32 f32 f32::minimum; FMaximum32 f32 f32::maximum;
            FRcp32 any trans::rcp32; FRsq32 any trans::rsq32; FSqrt32 any trans::sqrt32; FExp232 any trans::exp32; FLog232 any trans::log32;
            FSin32 any trans::sin32; FCos32 any trans::cos32;
            FFract32 f32 f32::fract; FFloor32 f32 f32::floor; FCeil32 f32 f32::ceil; FTrunc32 f32 f32::trunc; FRndne32 f32 f32::rndne;
            FFrexpMant32 f32 f32::frexp_mant; FFrexpExp32 f32 f32::frexp_exp; FLdexp32 f32 f32::ldexp;
            DivScale32 f32 div::of32::scaled; DivScaleFlag32 f32 div::of32::flag; DivFmasScaled32 f32 div::fmas32; DivFixup32 f32 div::of32::fixup;
            FClamp32 any f32::clamp; FOmod2x32 f32 f32::omod2; FOmod4x32 f32 f32::omod4; FOmodHalf32 f32 f32::omod_half;
            CubeId any f32::cube_id; CubeSc any f32::cube_sc; CubeTc any f32::cube_tc; CubeMa f32 f32::cube_ma;
            FCmpLt32 f32 f32::cmp_lt; FCmpEq32 f32 f32::cmp_eq; FCmpLe32 f32 f32::cmp_le; FCmpGt32 f32 f32::cmp_gt; FCmpLg32 f32 f32::cmp_lg;
            FCmpGe32 f32 f32::cmp_ge; FCmpO32 f32 f32::cmp_o; FCmpU32 f32 f32::cmp_u; FCmpNge32 f32 f32::cmp_nge; FCmpNlg32 f32 f32::cmp_nlg;
            FCmpNgt32 f32 f32::cmp_ngt; FCmpNle32 f32 f32::cmp_nle; FCmpNeq32 f32 f32::cmp_neq; FCmpNlt32 f32 f32::cmp_nlt;
            FClass32 int f32::class;

            FAdd64 f64 f64::add; FSub64 f64 f64::sub; FMul64 f64 f64::mul; FFma64 f64 f64::fma; FMin64 f64 f64::min; FMax64 f64 f64::max;
            FMinNum64 f64 f64::min_num; FMaxNum64 f64 f64::max_num; FMinimum64 f64 f64::minimum; FMaximum64 f64 f64::maximum;
            FRcp64 any trans::rcp64; FRsq64 any trans::rsq64; FSqrt64 any trans::sqrt64;
            FFract64 f64 f64::fract; FFloor64 f64 f64::floor; FCeil64 f64 f64::ceil; FTrunc64 f64 f64::trunc; FRndne64 f64 f64::rndne;
            FFrexpMant64 f64 f64::frexp_mant; FFrexpExp64 f64 f64::frexp_exp; FLdexp64 f64 f64::ldexp; TrigPreop64 slowf trans::trig_preop;
            DivScale64 f64 div::of64::scaled; DivScaleFlag64 f64 div::of64::flag; DivFmasScaled64 f64 div::fmas64; DivFixup64 f64 div::of64::fixup;
            FClamp64 any f64::clamp; FOmod2x64 slowf f64::omod2; FOmod4x64 slowf f64::omod4; FOmodHalf64 slowf f64::omod_half;
            FCmpLt64 f64 f64::cmp_lt; FCmpEq64 f64 f64::cmp_eq; FCmpLe64 f64 f64::cmp_le; FCmpGt64 f64 f64::cmp_gt; FCmpLg64 f64 f64::cmp_lg;
            FCmpGe64 f64 f64::cmp_ge; FCmpO64 f64 f64::cmp_o; FCmpU64 f64 f64::cmp_u; FCmpNge64 f64 f64::cmp_nge; FCmpNlg64 f64 f64::cmp_nlg;
            FCmpNgt64 f64 f64::cmp_ngt; FCmpNle64 f64 f64::cmp_nle; FCmpNeq64 f64 f64::cmp_neq; FCmpNlt64 f64 f64::cmp_nlt;
            FClass64 int f64::class;

            FAdd16 f64 f16::add; FSub16 f64 f16::sub; FMul16 f64 f16::mul; FFma16 f64 f16::fma; FMin16 f64 f16::min; FMax16 f64 f16::max;
            FMed316 f64 f16::med3; FMinNum16 f64 f16::min_num; FMaxNum16 f64 f16::max_num;
            FMinimum16 f64 f16::minimum; FMaximum16 f64 f16::maximum;
            FRcp16 any trans::rcp16; FRsq16 any trans::rsq16; FSqrt16 any trans::sqrt16; FExp216 any trans::exp16; FLog216 any trans::log16;
            FSin16 any trans::sin16; FCos16 any trans::cos16;
            FFract16 f64 f16::fract; FFloor16 f64 f16::floor; FCeil16 f64 f16::ceil; FTrunc16 f64 f16::trunc; FRndne16 f64 f16::rndne;
            FFrexpMant16 f64 f16::frexp_mant; FFrexpExp16 f64 f16::frexp_exp; FLdexp16 f64 f16::ldexp; DivFixup16 f64 div::fixup16;
            FClamp16 any f16::clamp; FOmod2x16 slowf f16::omod2; FOmod4x16 slowf f16::omod4; FOmodHalf16 slowf f16::omod_half;
            FCmpLt16 f64 f16::cmp_lt; FCmpEq16 f64 f16::cmp_eq; FCmpLe16 f64 f16::cmp_le; FCmpGt16 f64 f16::cmp_gt; FCmpLg16 f64 f16::cmp_lg;
            FCmpGe16 f64 f16::cmp_ge; FCmpO16 f64 f16::cmp_o; FCmpU16 f64 f16::cmp_u; FCmpNge16 f64 f16::cmp_nge; FCmpNlg16 f64 f16::cmp_nlg;
            FCmpNgt16 f64 f16::cmp_ngt; FCmpNle16 f64 f16::cmp_nle; FCmpNeq16 f64 f16::cmp_neq; FCmpNlt16 f64 f16::cmp_nlt;
            FClass16 int f16::class;
            PkFAdd16 pkf f16::add; PkFMul16 pkf f16::mul; PkFFma16 pkf f16::fma; PkFMin16 pkf f16::min; PkFMax16 pkf f16::max;
            PkFClamp16 pkf f16::clamp;

            Dot2F32F16 mix dot::f32_f16; Dot2F32Bf16 f32 dot::f32_bf16; Dot2F16F16 f64 dot::f16_f16; Dot2Bf16Bf16 any dot::bf16_bf16;

            CvtF32I32 f32 cvt::f32_i32; CvtF32U32 f32 cvt::f32_u32; CvtI32F32 any cvt::i32_f32; CvtU32F32 any cvt::u32_f32;
            CvtNearestI32F32 f32 cvt::nearest_i32_f32; CvtFloorI32F32 f32 cvt::floor_i32_f32;
            CvtF16F32 mix cvt::f16_f32; CvtF32F16 f64 cvt::f32_f16; CvtF64F32 f32 cvt::f64_f32; CvtF32F64 mix cvt::f32_f64;
            CvtI32F64 any cvt::i32_f64; CvtU32F64 any cvt::u32_f64; CvtF64I32 any cvt::f64_i32; CvtF64U32 any cvt::f64_u32;
            CvtF16I16 f64 cvt::f16_i16; CvtF16U16 f64 cvt::f16_u16; CvtI16F16 any cvt::i16_f16; CvtU16F16 any cvt::u16_f16;
            CvtPkRtzF16F32 f64 cvt::pk_rtz_f16_f32; CvtPkNormI16F32 any cvt::pk_norm_i16_f32; CvtPkNormU16F32 any cvt::pk_norm_u16_f32;
            CvtPkNormI16F16 any cvt::pk_norm_i16_f16; CvtPkNormU16F16 any cvt::pk_norm_u16_f16;
            CvtPkI16I32 any cvt::pk_i16_i32; CvtPkU16U32 any cvt::pk_u16_u32; CvtPkI16F32 any cvt::pk_i16_f32; CvtPkU16F32 any cvt::pk_u16_f32;
            CvtPkU8F32 any cvt::pk_u8_f32; CvtNormI16F16 any cvt::norm_i16_f16; CvtNormU16F16 any cvt::norm_u16_f16;
            CvtOffF32I4 any cvt::off_f32_i4; SatPkU8I16 int int::satpku8;
        }
    };
}
pub(super) use lane_functions;

macro_rules! apply {
    (int $f:path, $mode:ident, $a:ident $b:ident $c:ident) => {
        Function::apply($f, $a, $b, $c)
    };
    (pk $f:path, $mode:ident, $a:ident $b:ident $c:ident) => {
        Function::apply($f, $a, $b, $c) | Function::apply($f, $a >> 16, $b >> 16, $c >> 16) << 16
    };
    (pkf $f:path, $mode:ident, $a:ident $b:ident $c:ident) => {{
        let m = Full::of($mode);
        ModeFunction::apply_with($f, m, $a, $b, $c) | ModeFunction::apply_with($f, m, $a >> 16, $b >> 16, $c >> 16) << 16
    }};
    (slow $f:path, $mode:ident, $a:ident $b:ident $c:ident) => {
        Function::apply($f, $a, $b, $c)
    };
    ($kind:ident $f:path, $mode:ident, $a:ident $b:ident $c:ident) => {
        ModeFunction::apply_with($f, Full::of($mode), $a, $b, $c)
    };
}

macro_rules! define_eval {
    ($($op:ident $kind:ident $f:path;)*) => {
        /// One element of `op`. Conditions are 0 or 1, 32-bit values are zero-extended; operands the operation lacks are ignored.
        pub fn eval(op: PureOp, mode: FpMode, a: u64, b: u64, c: u64) -> u64 {
            match op {
                $(PureOp::$op => apply!($kind $f, mode, a b c),)*
            }
        }
    };
}
lane_functions!(define_eval);

#[cfg(test)]
pub(in crate::ir) mod tests;
