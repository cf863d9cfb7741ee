//! Read-modify-write operations on a dword or a quadword: what the new value is (numerics.md section 14).
//!
//! Used by every instruction that has them: buffer, image, flat, global and LDS atomics.

use half::{bf16, f16};
pub use wavejit_isa::memory::AtomicOp;

/// How float operations treat denormals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FloatRules {
    /// Denormal inputs of f32 are kept.
    pub denorm_in: bool,
    /// Denormal results of f32 are kept.
    pub denorm_out: bool,
}

fn flush(x: f32, keep: bool) -> f32 {
    if !keep && x.is_subnormal() { 0f32.copysign(x) } else { x }
}

fn add32(old: u32, data: u32, rules: FloatRules) -> u32 {
    let (a, b) = (f32::from_bits(old), f32::from_bits(data));
    if a.is_nan() {
        return old | 0x40_0000;
    }
    if b.is_nan() {
        return data | 0x40_0000;
    }
    let sum = flush(flush(a, rules.denorm_in) + flush(b, rules.denorm_in), rules.denorm_out);
    if sum.is_nan() { 0xffc0_0000 } else { sum.to_bits() }
}

fn add64(old: u64, data: u64) -> u64 {
    let (a, b) = (f64::from_bits(old), f64::from_bits(data));
    if a.is_nan() {
        return old | 1 << 51;
    }
    if b.is_nan() {
        return data | 1 << 51;
    }
    let sum = a + b;
    if sum.is_nan() { 0xfff8 << 48 } else { sum.to_bits() }
}

/// Is the new value the data (else the old one stays)? `a` = data, `b` = memory, already flushed as the mode says.
fn takes_data<T: PartialOrd + Copy>(a: T, b: T, is_max: bool, min_num: bool, nan: fn(T) -> bool) -> bool {
    if min_num && nan(b) {
        return !nan(a);
    }
    if is_max { a > b } else { a < b }
}

fn pk_add(old: u32, data: u32, add: fn(u16, u16) -> u16) -> u32 {
    u32::from(add(old as u16, data as u16)) | u32::from(add((old >> 16) as u16, (data >> 16) as u16)) << 16
}

/// The operations on integers, one definition for both widths. Floats, packed halves and the exchange of halves stand below, by width.
macro_rules! integer_operations {
    ($name:ident, $unsigned:ty, $signed:ty) => {
        #[inline(always)]
        fn $name(op: AtomicOp, old: $unsigned, d: $unsigned, d1: $unsigned) -> $unsigned {
            match op {
                AtomicOp::Swap => d,
                AtomicOp::CmpSwap => {
                    if old == d1 {
                        d
                    } else {
                        old
                    }
                }
                AtomicOp::Add => old.wrapping_add(d),
                AtomicOp::Sub => old.wrapping_sub(d),
                AtomicOp::RSub => d.wrapping_sub(old),
                AtomicOp::SMin => (old as $signed).min(d as $signed) as $unsigned,
                AtomicOp::UMin => old.min(d),
                AtomicOp::SMax => (old as $signed).max(d as $signed) as $unsigned,
                AtomicOp::UMax => old.max(d),
                AtomicOp::And => old & d,
                AtomicOp::Or => old | d,
                AtomicOp::Xor => old ^ d,
                AtomicOp::Inc => {
                    if old >= d {
                        0
                    } else {
                        old + 1
                    }
                }
                AtomicOp::Dec => {
                    if old == 0 || old > d {
                        d
                    } else {
                        old - 1
                    }
                }
                AtomicOp::CSub => old.saturating_sub(d),
                AtomicOp::CondSub => {
                    if old >= d {
                        old - d
                    } else {
                        old
                    }
                }
                AtomicOp::MskOr => old & !d | d1,
                AtomicOp::Wrap => {
                    if old >= d {
                        old - d
                    } else {
                        old.wrapping_add(d1)
                    }
                }
                // Not integers: the callers have taken them.
                AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax | AtomicOp::FMinNum | AtomicOp::FMaxNum | AtomicOp::FCmpSwap => old,
                AtomicOp::PkAddF16 | AtomicOp::PkAddBf16 | AtomicOp::CondXchg => old,
            }
        }
    };
}

integer_operations!(integer32, u32, i32);
integer_operations!(integer64, u64, i64);

/// New value of a dword; `data` = operand, comparand.
#[inline(always)]
pub fn apply32(op: AtomicOp, old: u32, data: [u32; 2], rules: FloatRules) -> u32 {
    let [d, d1] = data;
    let float = |x| flush(f32::from_bits(x), rules.denorm_in);
    let min_max = |is_max, min_num| if takes_data(float(d), float(old), is_max, min_num, f32::is_nan) { d } else { old };
    match op {
        AtomicOp::FAdd => add32(old, d, rules),
        AtomicOp::FMin => min_max(false, false),
        AtomicOp::FMax => min_max(true, false),
        AtomicOp::FMinNum => min_max(false, true),
        AtomicOp::FMaxNum => min_max(true, true),
        AtomicOp::FCmpSwap => {
            if float(old) == float(d1) {
                d
            } else {
                old
            }
        }
        AtomicOp::PkAddF16 => pk_add(old, d, |a, b| f16::from_f32(f16::from_bits(a).to_f32() + f16::from_bits(b).to_f32()).to_bits()),
        AtomicOp::PkAddBf16 => pk_add(old, d, |a, b| bf16::from_f32(bf16::from_bits(a).to_f32() + bf16::from_bits(b).to_f32()).to_bits()),
        AtomicOp::CondXchg => {
            if d >> 31 != 0 {
                d & 0x7fff_ffff
            } else {
                old
            }
        }
        _ => integer32(op, old, d, d1),
    }
}

/// New value of a quadword. Denormals of f64 are kept everywhere.
#[inline(always)]
pub fn apply64(op: AtomicOp, old: u64, data: [u64; 2], _: FloatRules) -> u64 {
    let [d, d1] = data;
    let float = f64::from_bits;
    let min_max = |is_max, min_num| if takes_data(float(d), float(old), is_max, min_num, f64::is_nan) { d } else { old };
    let halves = |f: fn(u32, u32) -> u32| u64::from(f(old as u32, d as u32)) | u64::from(f((old >> 32) as u32, (d >> 32) as u32)) << 32;
    match op {
        AtomicOp::FAdd => add64(old, d),
        AtomicOp::FMin => min_max(false, false),
        AtomicOp::FMax => min_max(true, false),
        AtomicOp::FMinNum => min_max(false, true),
        AtomicOp::FMaxNum => min_max(true, true),
        AtomicOp::FCmpSwap => {
            if float(old) == float(d1) {
                d
            } else {
                old
            }
        }
        AtomicOp::PkAddF16 | AtomicOp::PkAddBf16 => old,
        // ds_condxchg32_rtn_b64: each dword on its own.
        AtomicOp::CondXchg => halves(|old, d| if d >> 31 != 0 { d & 0x7fff_ffff } else { old }),
        _ => integer64(op, old, d, d1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: FloatRules = FloatRules { denorm_in: false, denorm_out: true };

    #[test]
    fn operations_by_number_are_in_order() {
        for (i, op) in AtomicOp::ALL.iter().enumerate() {
            assert_eq!(*op as usize, i);
        }
    }

    #[test]
    fn inc_and_dec_wrap_at_the_operand() {
        let f = |op, old, d| apply32(op, old, [d, 0], RULES);
        assert_eq!([f(AtomicOp::Inc, 3, 5), f(AtomicOp::Inc, 5, 5), f(AtomicOp::Inc, 9, 5)], [4, 0, 0]);
        assert_eq!([f(AtomicOp::Dec, 3, 5), f(AtomicOp::Dec, 0, 5), f(AtomicOp::Dec, 9, 5)], [2, 5, 5]);
    }

    #[test]
    fn float_min_keeps_memory_on_nan_before_gfx12() {
        let nan = 0x7fc0_0001;
        let one = 1f32.to_bits();
        assert_eq!(apply32(AtomicOp::FMin, nan, [one, 0], RULES), nan);
        assert_eq!(apply32(AtomicOp::FMin, one, [nan, 0], RULES), one);
        assert_eq!(apply32(AtomicOp::FMinNum, nan, [one, 0], RULES), one);
        assert_eq!(apply32(AtomicOp::FMinNum, one, [nan, 0], RULES), one);
    }

    #[test]
    fn float_add_flushes_inputs_and_keeps_nans() {
        let f = |a, b| apply32(AtomicOp::FAdd, a, [b, 0], RULES);
        assert_eq!(f(1, 0x0080_0000), 0x0080_0000);
        assert_eq!(f(0x7f80_0001, 0), 0x7fc0_0001);
        assert_eq!(f(0x7f80_0000, 0xff80_0000), 0xffc0_0000);
        assert_eq!(f(1.5f32.to_bits(), 2.25f32.to_bits()), 3.75f32.to_bits());
    }

    #[test]
    fn compare_swap_of_floats_takes_zeros_as_equal() {
        let f = |old, d, cmp| apply32(AtomicOp::FCmpSwap, old, [d, cmp], RULES);
        assert_eq!(f(0x8000_0000, 7, 0), 7);
        assert_eq!(f(0x7fc0_0000, 7, 0x7fc0_0000), 0x7fc0_0000);
    }
}
