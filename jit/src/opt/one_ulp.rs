//! Reciprocal roots, powers and logarithms of f32 within 1 ulp, as the ISA allows, in place of correctly rounded ones.
//!
//! Only where it is asked for. Powers and logarithms are then made of operations of the IR that round correctly: the same with every back end and on every
//! processor. Reciprocal roots are an operation of their own, [`PureOp::FRsqNear32`], which takes an estimate of the host's: the same with every engine of one
//! process, but other hosts, and other levels of one (`WAVEJIT_ISA`), have other last bits. Roots, reciprocals, sine and cosine stay: they gain nothing, or have
//! no bound.
//!
//! ```text
//! %2 = frsq.32 %1       %2 = frsqnear.32 %1
//! ```
//!
//! Before and after: lifted code. Scalar forms (gfx12) stay exact.
//!
//! # How far off
//!
//! - 1/sqrt(x) as y + y e/2 with e = 1 - x y^2, y being the estimate: what the step leaves out is 3/8 e^2, less than 2^-27 (with the estimate of AVX2
//!   a further term, and 2^-33). y^2 is rounded, which moves the result by 0.36 ulp at most, and so is the result: less than 1 ulp. (With x y, that is rounded
//!   in place of y^2, it would be 1.09.) Above 2^126 y^2 is a denormal, and loses one or two bits: less than 1.6 ulp.
//! - 2^x as 2^n (1 + f q(f)), with n the nearest whole number: 0.96 ulp. Results that are denormal are zero.
//! - log2(x) as e + f (c + f q(f)), x being 2^e (1 + f), -1/3 <= f < 1/3: the product f c and its sum with e keep what they round off: 0.96 ulp.
//!
//! The tests have the figures: the ignored ones look at all operands.

use std::f32::consts::{LN_2, LOG2_E};
use wavejit_ir::{FpMode, Func, Inst, Op, PureOp, Shape, Ty, Value, Width};

/// Coefficients of (2^f - 1) / f for |f| <= 1/2, from the constant one on.
const POWER: [f32; 6] = [LN_2, 0.240_226_5, 0.055_503_28, 0.009_618_004, 0.001_340_023_5, 0.000_154_762_79];
/// Coefficients of (log2(1 + f) / f - c) / f for |f| <= 1/3.
const LOGARITHM: [f32; 9] =
    [-0.721_347_6, 0.480_896_53, -0.360_666_7, 0.288_694_08, -0.240_778, 0.201_993_66, -0.174_257_3, 0.202_047_44, -0.192_025_66];
/// 1 / ln 2, and what that is off.
const LOG2: [f32; 2] = [LOG2_E, 1.925963e-8];
/// Bits of the least mantissa of 1 + f: 2/3.
const TWO_THIRDS: u32 = 0x3f2a_aaab;
/// Its sum with a number below 2^22 is rounded to a whole one, which is in the low bits.
const ROUNDER: f32 = 12_582_912.0;
const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7f80_0000;
const NAN: u32 = 0xffc0_0000;
/// Classes of v_cmp_class_f32: zeros and denormals, below zero, and what is its own logarithm.
const ZEROS: u32 = 0xf0;
const BELOW_ZERO: u32 = 3 << 2;
const OWN_LOGARITHM: u32 = 1 << 9 | 3;

/// Runs the pass.
pub fn one_ulp(func: &mut Func) {
    for b in 0..func.blocks.len() {
        if !func.blocks[b].insts.iter().any(|inst| is_meant(func, inst)) {
            continue;
        }
        let mut out = vec![];
        for inst in std::mem::take(&mut func.blocks[b].insts) {
            match inst.op {
                Op::Pure { op, args: [Some(x), ..], .. } if is_meant(func, &inst) => {
                    let mut steps = Steps { func, out: &mut out, pc: inst.pc };
                    let last = match op {
                        PureOp::FRsq32 => Steps::op(PureOp::FRsqNear32, [x]),
                        PureOp::FExp232 => steps.power(x),
                        _ => steps.logarithm(x),
                    };
                    out.push(Inst { op: last, ..inst });
                }
                _ => out.push(inst),
            }
        }
        func.blocks[b].insts = out;
    }
}

fn is_meant(func: &Func, inst: &Inst) -> bool {
    matches!(inst.op, Op::Pure { op: PureOp::FRsq32 | PureOp::FExp232 | PureOp::FLog232, .. })
        && func.ty_of_result(inst).is_some_and(|ty| ty.shape == Shape::Lane)
}

/// The operations that stand in the place of one.
struct Steps<'a> {
    func: &'a mut Func,
    out: &'a mut Vec<Inst>,
    pc: u64,
}

impl Steps<'_> {
    fn push(&mut self, op: Op, ty: Ty) -> Value {
        let first = self.func.new_values(&[ty]);
        self.out.push(Inst { op, first, results: 1, pc: self.pc });
        first
    }

    /// Nearest even, denormals kept.
    fn op<const N: usize>(op: PureOp, args: [Value; N]) -> Op {
        Op::Pure { op, mode: FpMode::HSA, args: std::array::from_fn(|i| args.get(i).copied()) }
    }

    fn lanes<const N: usize>(&mut self, op: PureOp, args: [Value; N]) -> Value {
        self.push(Self::op(op, args), Ty { shape: Shape::Lane, width: op.ret() })
    }

    fn bits(&mut self, bits: u32) -> Value {
        let scalar = self.push(Op::Const { width: Width::B32, bits: bits.into() }, Ty::S32);
        self.push(Op::Splat(scalar), Ty::L32)
    }

    fn number(&mut self, x: f32) -> Value {
        self.bits(x.to_bits())
    }

    /// `x` where `v` is of these classes, else `y`.
    fn choice(&mut self, v: Value, classes: u32, x: Value, y: Value) -> Op {
        let classes = self.bits(classes);
        let mask = self.lanes(PureOp::FClass32, [v, classes]);
        Self::op(PureOp::Sel32, [mask, x, y])
    }

    fn chosen(&mut self, v: Value, classes: u32, x: Value, y: Value) -> Value {
        let op = self.choice(v, classes, x, y);
        self.push(op, Ty::L32)
    }

    /// `c[0] + c[1] x + c[2] x^2 ...`
    fn polynomial(&mut self, x: Value, c: &[f32]) -> Value {
        let (last, rest) = c.split_last().expect("polynomials have coefficients");
        let mut sum = self.number(*last);
        for c in rest.iter().rev() {
            let c = self.number(*c);
            sum = self.lanes(PureOp::FFma32, [sum, x, c]);
        }
        sum
    }

    fn power(&mut self, x: Value) -> Op {
        let (low, high, rounder) = (self.number(-200.0), self.number(200.0), self.number(ROUNDER));
        let limited = self.lanes(PureOp::FMax32, [x, low]);
        let limited = self.lanes(PureOp::FMin32, [limited, high]);
        let sum = self.lanes(PureOp::FAdd32, [limited, rounder]);
        let whole = self.lanes(PureOp::FSub32, [sum, rounder]);
        let exponent = self.lanes(PureOp::ISub32, [sum, rounder]);
        // NaNs go through here, and what is beyond the limits overflows or is zero in the end.
        let f = self.lanes(PureOp::FSub32, [x, whole]);
        let q = self.polynomial(f, &POWER);
        let one = self.number(1.0);
        let fraction = self.lanes(PureOp::FFma32, [q, f, one]);
        let power = self.lanes(PureOp::FLdexp32, [fraction, exponent]);
        let (least, zero) = (self.number(-126.0), self.bits(0));
        let is_denormal = self.lanes(PureOp::FCmpLt32, [x, least]);
        Self::op(PureOp::Sel32, [is_denormal, zero, power])
    }

    fn logarithm(&mut self, x: Value) -> Op {
        let (start, mantissa, one) = (self.bits(TWO_THIRDS), self.bits(0x007f_ffff), self.number(1.0));
        let above = self.lanes(PureOp::ISub32, [x, start]);
        let digits = self.bits(23);
        let exponent = self.lanes(PureOp::AShr32, [above, digits]);
        let e = self.lanes(PureOp::CvtF32I32, [exponent]);
        let m = self.lanes(PureOp::And32, [above, mantissa]);
        let m = self.lanes(PureOp::IAdd32, [m, start]);
        let f = self.lanes(PureOp::FSub32, [m, one]);
        let q = self.polynomial(f, &LOGARITHM);
        // -(f c), and what that is off, with the sign of f c.
        let (minus_c, c, rest) = (self.number(-LOG2[0]), self.number(LOG2[0]), self.number(LOG2[1]));
        let product = self.lanes(PureOp::FMul32, [f, minus_c]);
        let off = self.lanes(PureOp::FFma32, [f, c, product]);
        let off = self.lanes(PureOp::FFma32, [f, rest, off]);
        let square = self.lanes(PureOp::FMul32, [f, f]);
        let off = self.lanes(PureOp::FFma32, [square, q, off]);
        // e + f c, and what that is off.
        let sum = self.lanes(PureOp::FSub32, [e, product]);
        let lost = self.lanes(PureOp::FSub32, [e, sum]);
        let lost = self.lanes(PureOp::FSub32, [lost, product]);
        let off = self.lanes(PureOp::FAdd32, [lost, off]);
        let logarithm = self.lanes(PureOp::FAdd32, [sum, off]);
        let (least, nan) = (self.bits(SIGN | INFINITY), self.bits(NAN));
        let logarithm = self.chosen(x, ZEROS, least, logarithm);
        let logarithm = self.chosen(x, BELOW_ZERO, nan, logarithm);
        // Quieted.
        let own = self.lanes(PureOp::FAdd32, [x, x]);
        self.choice(x, OWN_LOGARITHM, own, logarithm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavejit_ir::eval::eval;
    use wavejit_ir::text::parse;
    use wavejit_ir::verify::verify;

    /// `op` of one lane, as the pass has it.
    struct OneLane {
        func: Func,
        values: Vec<u64>,
    }

    impl OneLane {
        fn new(op: &str) -> OneLane {
            let text = format!(
                "func \"f\" wave32 {{\nb0 pc=0 mode=0x3f0 insts=1:\n%0: mask = exec\n%1: l32 = vget v0 demand %0\n%2: l32 = {op} %1\n\
                 vset v1, %2, exec %0\nend\n}}"
            );
            let mut func = parse(&text).unwrap();
            one_ulp(&mut func);
            verify(&func).unwrap();
            let values = vec![0; func.types.len()];
            OneLane { func, values }
        }

        fn of(&mut self, x: u32) -> u32 {
            let OneLane { func, values } = self;
            for inst in &func.blocks[0].insts {
                let to = inst.first.0 as usize;
                match inst.op {
                    Op::VGet { .. } => values[to] = x.into(),
                    Op::Const { bits, .. } => values[to] = bits,
                    Op::Splat(s) => values[to] = values[s.0 as usize],
                    Op::Pure { op, mode, args } => {
                        let [a, b, c] = args.map(|v| v.map_or(0, |v| values[v.0 as usize]));
                        values[to] = eval(op, mode, a, b, c);
                    }
                    Op::VSet { value, .. } => return values[value.0 as usize] as u32,
                    _ => {}
                }
            }
            unreachable!("the function sets v1")
        }
    }

    /// Greatest distance from the exact results, in ulp, over every `step`th operand; what is not a normal number, or has no such result, must be as it was.
    fn farthest(op: &str, pure: PureOp, exact: impl Fn(f64) -> f64, operands: std::ops::Range<f32>, step: u32) -> f64 {
        let mut lane = OneLane::new(op);
        let mut worst = 0f64;
        for bits in (0..=u32::MAX).step_by(step as usize) {
            let x = f32::from_bits(bits);
            let (got, want) = (f32::from_bits(lane.of(bits)), exact(x.into()));
            let rounded = eval(pure, FpMode::HSA, bits.into(), 0, 0) as u32;
            let is_normal = want.abs() >= f64::from(f32::MIN_POSITIVE) && want.abs() <= f32::MAX.into();
            if x.is_normal() && is_normal && f32::from_bits(rounded).is_normal() {
                if operands.contains(&x) {
                    let ulp = 2f64.powi(want.abs().log2().floor() as i32 - 23);
                    worst = worst.max((f64::from(got) - want).abs() / ulp);
                }
            } else if !is_normal || !x.is_normal() {
                assert_eq!(got.to_bits(), rounded, "{op} {bits:#010x}");
            }
        }
        worst
    }

    fn check(step: u32) {
        let all = -f32::INFINITY..f32::INFINITY;
        let root = |x: f64| 1.0 / x.sqrt();
        let large = 2f32.powi(126);
        assert!(farthest("frsq.32", PureOp::FRsq32, root, 0.0..large, step) < 1.0);
        assert!(farthest("frsq.32", PureOp::FRsq32, root, large..f32::INFINITY, step) < 1.6);
        assert!(farthest("flog2.32", PureOp::FLog232, f64::log2, all.clone(), step) < 1.0);
        assert!(farthest("fexp2.32", PureOp::FExp232, f64::exp2, all, step) < 1.0);
    }

    #[test]
    fn results_are_within_one_ulp() {
        check(40_009);
    }

    #[test]
    #[ignore = "looks at all operands: minutes"]
    fn results_of_all_operands_are_within_one_ulp() {
        check(1);
    }

    #[test]
    fn whole_powers_of_two_are_exact() {
        let (mut power, mut logarithm) = (OneLane::new("fexp2.32"), OneLane::new("flog2.32"));
        for n in -126..=127 {
            let (n, p) = ((n as f32).to_bits(), 2f32.powi(n).to_bits());
            assert_eq!((power.of(n), logarithm.of(p)), (p, n));
        }
    }

    #[test]
    fn signs_zeros_and_nans_are_what_they_were() {
        let special =
            [0, SIGN, 1, SIGN | 1, INFINITY, SIGN | INFINITY, 0x7fa0_0001, 0xffe0_0003, 0xbf80_0000, 0x3f80_0000, 0x0080_0000, 0x8080_0000];
        for (name, op) in [("frsq.32", PureOp::FRsq32), ("fexp2.32", PureOp::FExp232), ("flog2.32", PureOp::FLog232)] {
            let mut lane = OneLane::new(name);
            for x in special {
                let (got, want) = (lane.of(x), eval(op, FpMode::HSA, x.into(), 0, 0) as u32);
                let near = got.abs_diff(want) <= 1 && f32::from_bits(want).is_normal();
                assert!(got == want || near, "{name} {x:#010x}: {got:#010x}, not {want:#010x}");
            }
        }
    }
}
