//! Tests of single operations: values from numerics.md, and independent computations (host arithmetic, apfloat) over random operands.

use super::{FpMode, PureOp, eval};
use PureOp::*;

mod accuracy;
mod division;
mod floats;
mod integers;
mod rounding;
mod scaled;

const HSA: FpMode = FpMode::HSA;
/// Nearest even, nothing flushed, IEEE off.
const GRAPHICS: FpMode = FpMode(0x1f0);

fn op1(op: PureOp, mode: FpMode, a: impl Into<u64>) -> u64 {
    eval(op, mode, a.into(), 0, 0)
}
fn op2(op: PureOp, mode: FpMode, a: impl Into<u64>, b: impl Into<u64>) -> u64 {
    eval(op, mode, a.into(), b.into(), 0)
}
fn op3(op: PureOp, mode: FpMode, a: impl Into<u64>, b: impl Into<u64>, c: impl Into<u64>) -> u64 {
    eval(op, mode, a.into(), b.into(), c.into())
}
fn bits(x: f32) -> u32 {
    x.to_bits()
}
fn bits64(x: f64) -> u64 {
    x.to_bits()
}

pub(crate) use wavejit_random::Random;

/// Bit patterns of floats: any bits, often near the ends of the range or special.
pub(crate) trait FloatBits {
    fn f32_bits(&mut self) -> u32;
    fn f64_bits(&mut self) -> u64;
}

impl FloatBits for Random {
    fn f32_bits(&mut self) -> u32 {
        const SPECIAL: [u32; 16] = [
            0,
            1,
            0x7f_ffff,
            0x80_0000,
            0x3f80_0000,
            0x3f00_0000,
            0x4b80_0000,
            0x7f7f_ffff,
            0x7f80_0000,
            0x7f80_0001,
            0x7fc0_1234,
            0x477f_f000,
            0x3380_0000,
            0x4f00_0000,
            0x5f80_0000,
            0x3fff_ffff,
        ];
        let r = self.u64();
        let sign = (r >> 32) as u32 & 0x8000_0000;
        match r & 7 {
            0 => SPECIAL[(r >> 8) as usize % 16] | sign,
            1 => (r >> 8) as u32 & 0xff_ffff | sign,
            2 => (((r >> 8) as u32 & 0x7f_ffff) + 0x3f00_0000) | sign,
            _ => (r >> 8) as u32,
        }
    }
    fn f64_bits(&mut self) -> u64 {
        const SPECIAL: [u64; 12] = [
            0,
            1,
            0xf_ffff_ffff_ffff,
            0x10_0000_0000_0000,
            0x3ff0 << 48,
            0x3fe0 << 48,
            0x7fef_ffff_ffff_ffff,
            0x7ff0 << 48,
            (0x7ff0 << 48) + 1,
            0x7ff8_0000_0000_1234,
            0x43e0 << 48,
            0x41e0 << 48,
        ];
        let r = self.u64();
        match r & 7 {
            0 => SPECIAL[(r >> 8) as usize % 12] | r & 1 << 63,
            1 => self.u64() & 0x801f_ffff_ffff_ffff,
            2 => self.u64() & 0x803f_ffff_ffff_ffff | 0x3fc0 << 48,
            _ => self.u64(),
        }
    }
}
