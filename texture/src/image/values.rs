//! Between texels and VGPRs: component selection, DMASK, 16-bit data, the status dword.

use half::f16;

use super::address::Operands;
use super::op::ImageOp;
use crate::Wave;
use crate::descriptor::DstSel;

/// How 32-bit components become 16-bit ones (IMG-07).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Narrow {
    /// The low half of an integer.
    Integer,
    /// f32 to f16, to nearest even.
    #[default]
    Nearest,
    /// f32 to f16, toward zero: loads of data that is f32 in memory (BUF-07).
    Truncate,
}

/// f32 to f16 toward zero.
fn truncate(x: f32) -> u16 {
    let nearest = f16::from_f32(x);
    let too_far = nearest.to_f32().abs() > x.abs();
    nearest.to_bits() - u16::from(too_far)
}

impl Narrow {
    /// The 16 bits of a component.
    pub fn apply(self, value: u32) -> u16 {
        match self {
            Narrow::Integer => value as u16,
            Narrow::Nearest => f16::from_f32(f32::from_bits(value)).to_bits(),
            Narrow::Truncate => truncate(f32::from_bits(value)),
        }
    }
}

/// Memory channels to output components (IMG-20).
pub fn select(sel: &[DstSel; 4], channels: [u32; 4], is_integer: bool) -> [u32; 4] {
    sel.map(|s| match s {
        DstSel::Zero | DstSel::Reserved => 0,
        DstSel::One if is_integer => 1,
        DstSel::One => 1.0_f32.to_bits(),
        DstSel::Component(c) => channels[usize::from(c & 3)],
    })
}

/// Output components to memory channels, for stores: the first component that is selected from a channel goes there, 0 without one.
pub fn unselect<T: Copy>(sel: &[DstSel; 4], components: [T; 4], zero: T) -> [T; 4] {
    std::array::from_fn(|c| {
        let from = sel.iter().position(|&s| s == DstSel::Component(c as u8));
        from.map_or(zero, |k| components[k])
    })
}

/// The components of DMASK, first ones first; a mask of 0 takes one component that is 0 (IMG-21).
pub fn masked(dmask: u8, components: [u32; 4]) -> ([u32; 4], usize) {
    let mut out = [0; 4];
    let mut n = 0;
    for (k, &value) in components.iter().enumerate() {
        if dmask >> k & 1 != 0 {
            out[n] = value;
            n += 1;
        }
    }
    (out, n.max(1))
}

/// Writes components to result VGPRs; returns how many VGPRs that were. With packed 16-bit data a last odd one leaves the high half (IMG-08).
pub fn put(
    op: &ImageOp,
    unpacked_d16: bool,
    operands: &Operands,
    wave: &mut Wave,
    lane: usize,
    components: &[u32],
    narrow: Narrow,
) -> usize {
    if !op.d16 {
        for (n, &value) in components.iter().enumerate() {
            operands.set_result(wave, n, lane, value);
        }
        return components.len();
    }
    if unpacked_d16 {
        for (n, &value) in components.iter().enumerate() {
            operands.set_result(wave, n, lane, narrow.apply(value).into());
        }
        return components.len();
    }
    for (n, pair) in components.chunks(2).enumerate() {
        let low = u32::from(narrow.apply(pair[0]));
        let high = match pair.get(1) {
            Some(&value) => u32::from(narrow.apply(value)) << 16,
            None => operands.result.get(n).map_or(0, |&row| wave.get(row, lane)) & 0xffff_0000,
        };
        operands.set_result(wave, n, lane, low | high);
    }
    components.len().div_ceil(2)
}

/// Component number `n` of the data of a store, 16-bit data widened.
pub fn take(op: &ImageOp, unpacked_d16: bool, operands: &Operands, wave: &Wave, lane: usize, n: usize, widen: Widen) -> u32 {
    if !op.d16 {
        return operands.source(wave, n, lane);
    }
    let half = if unpacked_d16 { operands.source(wave, n, lane) } else { operands.source(wave, n / 2, lane) >> (n % 2 * 16) } as u16;
    match widen {
        Widen::Float => f16::from_bits(half).to_f32().to_bits(),
        Widen::Signed => half as i16 as u32,
        Widen::Unsigned => half.into(),
    }
}

/// How 16-bit components become 32-bit ones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Widen {
    /// f16 to f32.
    Float,
    /// Sign-extended.
    Signed,
    /// Zero-extended.
    Unsigned,
}

/// What the status dword of a lane says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Status {
    /// Level of an access that was not resident.
    pub failed: Option<u32>,
    /// Level below the T#'s warning level.
    pub warned: Option<u32>,
}

impl Status {
    /// The dword (IMG-01, IMG-04): TEXEL_FAIL | LOD_WARNING << 1 | LOD << 16, never both bits.
    pub fn word(self, op: &ImageOp) -> u32 {
        match (self.failed.filter(|_| op.tfe), self.warned.filter(|_| op.lwe)) {
            (Some(level), _) => 1 | level << 16,
            (None, Some(level)) => 2 | level << 16,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Generation;
    use crate::image::{Dim, Kind, Packing};

    fn load(dmask: u8) -> ImageOp {
        let kind = Kind::Load { mip: false, packing: Packing::Converted };
        ImageOp { dmask, tfe: true, ..ImageOp::new(kind, Generation::Gfx11, Dim::D2) }
    }

    // IMG-20, IMG-21
    #[test]
    fn dmask_takes_components_to_consecutive_registers() {
        let sel = [DstSel::Component(2), DstSel::Component(1), DstSel::Zero, DstSel::One];
        let out = select(&sel, [1, 2, 3, 4], true);
        assert_eq!(out, [3, 2, 0, 1]);
        assert_eq!(select(&sel, [0; 4], false)[3], 0x3f80_0000);
        assert_eq!(masked(0b1010, out), ([2, 1, 0, 0], 2));
        assert_eq!(masked(0, out), ([0; 4], 1));
        assert_eq!(unselect(&sel, [7, 8, 9, 10], 0), [0, 8, 7, 0]);
    }

    // IMG-07, IMG-08
    #[test]
    fn sixteen_bit_results_are_packed_low_half_first() {
        let mut rows = vec![0xaaaa_bbbb_u32; 4 * 32];
        let mut wave = Wave::new(&mut rows, 32, !0);
        let operands = Operands { result: &[3, 1], ..Default::default() };
        let op = ImageOp { d16: true, ..load(7) };
        let values = [1.0_f32, -2.0, 0.5].map(f32::to_bits);
        assert_eq!(put(&op, false, &operands, &mut wave, 4, &values, Narrow::Nearest), 2);
        assert_eq!((wave.get(3, 4), wave.get(1, 4)), (0xc000_3c00, 0xaaaa_3800));
        assert_eq!(put(&op, true, &operands, &mut wave, 4, &values[..2], Narrow::Nearest), 2);
        assert_eq!((wave.get(3, 4), wave.get(1, 4)), (0x3c00, 0xc000));
        let source = Operands { source: &[3, 1], ..Default::default() };
        wave.set(3, 4, 0xffff_3c00);
        assert_eq!(take(&op, false, &source, &wave, 4, 0, Widen::Float), 0x3f80_0000);
        assert_eq!(take(&op, false, &source, &wave, 4, 1, Widen::Signed), 0xffff_ffff);
        assert_eq!(take(&op, false, &source, &wave, 4, 1, Widen::Unsigned), 0xffff);
    }

    // BUF-07: toward zero from 32-bit floats
    #[test]
    fn truncation_goes_toward_zero() {
        let t = |x: f32| Narrow::Truncate.apply(x.to_bits());
        assert_eq!([t(1.000_976), t(-1.000_9), t(65520.0), t(f32::INFINITY), t(1e-9)], [0x3c00, 0xbc00, 0x7bff, 0x7c00, 0]);
        assert_eq!(Narrow::Nearest.apply(65520.0_f32.to_bits()), 0x7c00);
    }

    // IMG-01, IMG-02, IMG-04
    #[test]
    fn failing_takes_precedence_over_the_warning() {
        let op = ImageOp { lwe: true, ..load(15) };
        let status = Status { failed: Some(3), warned: Some(2) };
        assert_eq!(status.word(&op), 1 | 3 << 16);
        assert_eq!(Status { failed: None, ..status }.word(&op), 2 | 2 << 16);
        assert_eq!(status.word(&ImageOp { tfe: false, ..op }), 2 | 2 << 16);
        assert_eq!(Status::default().word(&op), 0);
    }
}
