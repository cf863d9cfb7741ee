//! The address operands of one lane, gathered from the rows that [`Layout`] names.

use super::op::{Layout, Slot};
use crate::Wave;

/// Address operands of sampler instructions, all as f32.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SampleAddress {
    /// Texel offsets.
    pub offset: [i32; 3],
    /// Bias of the level.
    pub bias: f32,
    /// Reference of the comparison.
    pub reference: f32,
    /// Derivatives along the screen's x.
    pub dh: [f32; 3],
    /// Derivatives along the screen's y.
    pub dv: [f32; 3],
    /// s, t, and r or layer or face.
    pub body: [f32; 3],
    /// Level, or its lower bound.
    pub level: f32,
}

/// Address operands of other instructions, all as unsigned integers (IMG-13).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TexelAddress {
    /// x, y, and z or layer or face.
    pub body: [u32; 3],
    /// Fragment.
    pub fragment: u32,
    /// Level.
    pub level: u32,
}

/// A wave and the rows of an instruction's operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Operands<'a> {
    /// Rows of the address VGPRs in the order of the encoding, consecutive or not (NSA, IMG-11).
    pub address: &'a [u16],
    /// Rows of the data that a store or an atomic takes; an atomic's comparand follows its operand.
    pub source: &'a [u16],
    /// Rows of the result; the status dword, if there is one, last.
    pub result: &'a [u16],
}

impl Operands<'_> {
    fn bits(&self, wave: &Wave, slot: Slot, lane: usize) -> u32 {
        let register = |n: u8| self.address.get(usize::from(n)).map_or(0, |&row| wave.get(row, lane));
        match slot {
            Slot::Whole(n) => register(n),
            Slot::Low(n) => register(n) & 0xffff,
            Slot::High(n) => register(n) >> 16,
        }
    }

    fn float(&self, wave: &Wave, slot: Option<Slot>, lane: usize) -> f32 {
        match slot {
            None => 0.0,
            Some(slot @ Slot::Whole(_)) => f32::from_bits(self.bits(wave, slot, lane)),
            Some(slot) => half::f16::from_bits(self.bits(wave, slot, lane) as u16).to_f32(),
        }
    }

    /// Address of a lane of a sampler instruction.
    pub fn sample(&self, wave: &Wave, layout: &Layout, lane: usize) -> SampleAddress {
        let float = |slot| self.float(wave, slot, lane);
        SampleAddress {
            offset: layout.offset.map_or([0; 3], |slot| super::coord::offsets(self.bits(wave, slot, lane))),
            bias: float(layout.bias),
            reference: float(layout.compare),
            dh: layout.dh.map(float),
            dv: layout.dv.map(float),
            body: layout.body.map(float),
            level: float(layout.level),
        }
    }

    /// The coordinates alone, which implicit derivatives take from neighbors.
    pub fn body(&self, wave: &Wave, layout: &Layout, lane: usize) -> [f32; 3] {
        layout.body.map(|slot| self.float(wave, slot, lane))
    }

    /// Address of a lane of an instruction without sampler.
    pub fn texel(&self, wave: &Wave, layout: &Layout, lane: usize) -> TexelAddress {
        let bits = |slot: Option<Slot>| slot.map_or(0, |slot| self.bits(wave, slot, lane));
        TexelAddress { body: layout.body.map(bits), fragment: bits(layout.fragment), level: bits(layout.level) }
    }

    /// Data VGPR number `n` of a lane; 0 if the instruction has none of that number.
    pub fn source(&self, wave: &Wave, n: usize, lane: usize) -> u32 {
        self.source.get(n).map_or(0, |&row| wave.get(row, lane))
    }

    /// Writes result VGPR number `n` of a lane, if there is one of that number.
    pub fn set_result(&self, wave: &mut Wave, n: usize, lane: usize, value: u32) {
        if let Some(&row) = self.result.get(n) {
            wave.set(row, lane, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Generation;
    use crate::image::{Dim, ImageOp, Kind};

    // IMG-09, IMG-11, IMG-15: halves are f16 of any rows, the offset word is not a float
    #[test]
    fn halves_of_any_rows_become_floats() {
        let mut rows = vec![0_u32; 8 * 32];
        rows[7 * 32 + 3] = 0x3f; // offset -1, 0, 0
        rows[2 * 32 + 3] = 0x4000_3c00; // s = 1, t = 2
        rows[5 * 32 + 3] = 0xffff_b800; // level -0.5, and nothing
        let wave = Wave::new(&mut rows, 32, !0);
        let (kind, _) = Kind::named("image_sample_l_o").unwrap();
        let op = ImageOp { a16: true, ..ImageOp::new(kind, Generation::Gfx11, Dim::D2) };
        let operands = Operands { address: &[7, 2, 5], ..Default::default() };
        let a = operands.sample(&wave, &op.layout(Dim::D2), 3);
        assert_eq!((a.offset, a.body, a.level), ([-1, 0, 0], [1.0, 2.0, 0.0], -0.5));
    }

    // IMG-13: 16-bit integers are unsigned
    #[test]
    fn halves_of_loads_are_unsigned_integers() {
        let mut rows = vec![0xffff_0001_u32; 2 * 32];
        let wave = Wave::new(&mut rows, 32, !0);
        let op = ImageOp { a16: true, ..ImageOp::new(Kind::named("image_load_mip").unwrap().0, Generation::Gfx11, Dim::D2) };
        let a = Operands { address: &[0, 1], ..Default::default() }.texel(&wave, &op.layout(Dim::D2), 0);
        assert_eq!((a.body, a.level), ([1, 0xffff, 0], 1));
    }
}
