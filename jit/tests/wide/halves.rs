//! Operations on f16: those of one on all operands, those of several on all pairs of special ones.

use super::bench::{Bench, function, levels};
use wavejit_ir::{FpMode, PureOp, Width, eval::eval};
use wavejit_random::Random;

/// f16 of each kind, with both signs.
pub(crate) const SPECIAL_HALVES: [u16; 15] =
    [0, 1, 0x3ff, 0x400, 0x3555, 0x3bff, 0x3c00, 0x4000, 0x7bff, 0x7c00, 0x7c01, 0x7d55, 0x7e00, 0x7e01, 0x7fff];

/// An operation of one f16 is looked at for all operands, with something in the upper half of the register.
#[test]
fn functions_of_one_half_equal_their_definition_everywhere() {
    use PureOp::*;
    let functions = [
        FRcp16,
        FRsq16,
        FSqrt16,
        FExp216,
        FLog216,
        FSin16,
        FCos16,
        FFract16,
        FFloor16,
        FCeil16,
        FTrunc16,
        FRndne16,
        FFrexpMant16,
        FFrexpExp16,
        FClamp16,
        PkFClamp16,
        FOmod2x16,
        CvtF32F16,
        CvtI16F16,
        CvtU16F16,
        CvtF16I16,
        CvtF16U16,
        CvtNormI16F16,
        CvtNormU16F16,
        SatPkU8I16,
    ];
    for (isa, op) in levels().flat_map(|isa| functions.map(|op| (isa, op))) {
        let mut bench = Bench::new(&function(op, FpMode::HSA, 32), isa);
        for first in (0..=u16::MAX).step_by(bench.lanes) {
            let above = u32::from(first).wrapping_mul(0x9e37_79b1) & 0xffff_0000;
            let operand = |lane: usize| above | (u32::from(first) + lane as u32);
            (0..bench.lanes).for_each(|lane| bench.row(0)[lane] = operand(lane));
            bench.run();
            for lane in 0..bench.lanes {
                let (x, got) = (operand(lane), bench.row(10)[lane]);
                let want = eval(op, FpMode::HSA, x.into(), 0, 0);
                assert_eq!(u64::from(got), want, "{op} of {x:#x}, {isa:?}: {got:#x} for {want:#x}");
            }
        }
    }
}

/// All pairs of special values meet in an operation of several f16, and beside them in each half.
#[test]
fn special_halves_meet_in_operations_of_several() {
    let is_of_halves = |op: &PureOp| {
        let name = op.to_string();
        let is_float = name.starts_with('f') || name.starts_with("div") || name.starts_with("dot2.f");
        is_float && (name.ends_with("16")) && op.args().len() > 1 && op.args().iter().all(|w| *w == Width::B32)
    };
    let halves = || SPECIAL_HALVES.into_iter().flat_map(|x| [x, x | 0x8000]).map(u32::from);
    let pairs: Vec<[u32; 2]> = halves().flat_map(|x| halves().map(move |y| [x, y])).collect();
    let ops: Vec<PureOp> = PureOp::ALL.iter().copied().filter(is_of_halves).collect();
    assert!(ops.len() > 30, "minima, comparisons and others: {ops:?}");
    let mut random = Random(31);
    for (isa, mode) in levels().flat_map(|isa| [FpMode::HSA, FpMode(0x1f0)].map(|mode| (isa, mode))) {
        for op in &ops {
            let mut bench = Bench::new(&function(*op, mode, 64), isa);
            for some in pairs.chunks(bench.lanes) {
                let lanes: Vec<[u32; 3]> = some
                    .iter()
                    .map(|[x, y]| {
                        let mut other = || random.pick(&SPECIAL_HALVES);
                        let upper = [other(), other(), other()].map(|x| u32::from(x) << 16);
                        [x | upper[0], y | upper[1], u32::from(other()) | upper[2]]
                    })
                    .collect();
                for (lane, operands) in lanes.iter().enumerate() {
                    operands.iter().enumerate().for_each(|(i, x)| bench.row(2 * i)[lane] = *x);
                }
                bench.run();
                for (lane, operands) in lanes.iter().enumerate() {
                    let [x, y, z] = operands.map(u64::from);
                    let (want, got) = (eval(*op, mode, x, y, z), bench.row(10)[lane]);
                    assert_eq!(u64::from(got), want, "{op} of {operands:x?} in {mode:?}, {isa:?}: {got:#x} for {want:#x}");
                }
            }
        }
    }
}
