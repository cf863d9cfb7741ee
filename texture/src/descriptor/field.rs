//! Tables of descriptor fields: where each one is in each generation.
//!
//! A place is written `hi:lo`, bit numbers counted over the whole descriptor as the manuals print them, so that a field which crosses a dword
//! is one range. `_` stands for a generation without the field.

use crate::Generation;

/// A field of a descriptor.
#[derive(Debug)]
pub struct Field {
    /// Name in AMD's register database, parts of one value joined.
    pub name: &'static str,
    /// What it holds.
    pub meaning: &'static str,
    /// High and low bit by [`Generation`].
    pub(super) places: [Option<(u16, u16)>; 7],
}

/// A value that a descriptor of this generation cannot hold.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EncodeError {
    /// Too large.
    #[error("{field} = {value:#x} does not fit the {bits} bits it has on {generation:?}")]
    TooLarge {
        /// Name of the field.
        field: &'static str,
        /// What it should hold.
        value: u64,
        /// Its width.
        bits: u32,
        /// Of the descriptor.
        generation: Generation,
    },
    /// Not one of the values that it counts in.
    #[error("{field} = {value:#x} is not a multiple of {unit}")]
    Uneven {
        /// Name of the field.
        field: &'static str,
        /// What it should hold.
        value: u64,
        /// What its values are multiples of.
        unit: u64,
    },
    /// No place for it.
    #[error("descriptors of {generation:?} have no {field}, which should be {value:#x}")]
    Absent {
        /// Name of the field.
        field: &'static str,
        /// What it should hold.
        value: u64,
        /// Of the descriptor.
        generation: Generation,
    },
}

impl Field {
    /// High and low bit, where the generation has the field.
    #[inline(always)]
    pub fn place(&self, generation: Generation) -> Option<(u16, u16)> {
        self.places[generation as usize]
    }

    /// Bits of the field; 0: the generation does not have it.
    pub fn width(&self, generation: Generation) -> u32 {
        self.place(generation).map_or(0, |(hi, lo)| u32::from(hi - lo) + 1)
    }

    /// The field's value in `words`; 0 where the generation lacks the field or the descriptor ends before it.
    #[inline(always)]
    pub fn get(&self, words: &[u32], generation: Generation) -> u64 {
        let Some((hi, lo)) = self.place(generation) else { return 0 };
        let word = |n: usize| words.get(usize::from(lo / 32) + n).copied().unwrap_or(0);
        let bits = match hi / 32 - lo / 32 {
            0 => u64::from(word(0) >> (lo % 32)),
            1 => (u64::from(word(0)) | u64::from(word(1)) << 32) >> (lo % 32),
            _ => ((u128::from(word(0)) | u128::from(word(1)) << 32 | u128::from(word(2)) << 64) >> (lo % 32)) as u64,
        };
        bits & u64::MAX >> (63 - (hi - lo))
    }

    /// Puts `value` into `words`, whose bits there are 0. Where the generation lacks the field, the value must be 0.
    pub fn put(&self, words: &mut [u32], generation: Generation, value: u64) -> Result<(), EncodeError> {
        let Some((hi, lo)) = self.place(generation).filter(|&(hi, _)| usize::from(hi / 32) < words.len()) else {
            let absent = EncodeError::Absent { field: self.name, value, generation };
            return if value == 0 { Ok(()) } else { Err(absent) };
        };
        if value > u64::MAX >> (63 - (hi - lo)) {
            return Err(EncodeError::TooLarge { field: self.name, value, bits: u32::from(hi - lo) + 1, generation });
        }
        let bits = u128::from(value) << (lo % 32);
        for (n, word) in words[usize::from(lo / 32)..].iter_mut().take(3).enumerate() {
            *word |= (bits >> (32 * n)) as u32;
        }
        Ok(())
    }
}

/// `value` in units, of which it must be a whole number.
pub(super) fn in_units(field: &Field, value: u64, unit: u64) -> Result<u64, EncodeError> {
    if value.is_multiple_of(unit) { Ok(value / unit) } else { Err(EncodeError::Uneven { field: field.name, value, unit }) }
}

/// Makes a constant of each row, and a list of them all.
macro_rules! fields {
    ($list:ident; $($name:ident [$($($hi:literal : $lo:literal)? $(_)?),*] $meaning:literal)*) => {
        $(pub(super) const $name: $crate::descriptor::field::Field = $crate::descriptor::field::Field {
            name: stringify!($name),
            meaning: $meaning,
            places: [$($crate::descriptor::field::place(&[$($hi, $lo)?])),*],
        };)*
        /// All fields, for listings.
        #[allow(unreachable_pub)] // some lists are part of the interface
        pub static $list: &[$crate::descriptor::field::Field] = &[$($name),*];
    };
}
pub(super) use fields;

/// `hi, lo`, or nothing.
pub(super) const fn place(bits: &[u16]) -> Option<(u16, u16)> {
    match *bits {
        [hi, lo] => {
            assert!(lo <= hi && hi - lo < 64);
            Some((hi, lo))
        }
        _ => None,
    }
}

/// Unsigned fixed point with `fraction` bits to a float; exact.
pub(super) fn from_fixed(value: u64, fraction: u32) -> f32 {
    value as f32 / (1 << fraction) as f32
}

/// Two's complement fixed point of `bits` with `fraction` bits to a float; exact.
pub(super) fn from_signed_fixed(value: u64, bits: u32, fraction: u32) -> f32 {
    let value = (value << (64 - bits)) as i64 >> (64 - bits);
    value as f32 / (1 << fraction) as f32
}

/// A float to fixed point, to nearest; what is negative or no number becomes 0.
pub(super) fn to_fixed(value: f32, fraction: u32) -> u64 {
    (value * (1 << fraction) as f32).round_ties_even() as u64
}

/// A float to two's complement fixed point of `bits`, saturated.
pub(super) fn to_signed_fixed(value: f32, bits: u32, fraction: u32) -> u64 {
    let limit = 1_i64 << (bits - 1);
    let value = (value * (1 << fraction) as f32).round_ties_even() as i64;
    value.clamp(-limit, limit - 1) as u64 & ((1 << bits) - 1)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) const GENERATIONS: [Generation; 7] = {
        use Generation::*;
        [Gfx6, Gfx8, Gfx9, Gfx10, Gfx103, Gfx11, Gfx12]
    };

    /// No two fields of a generation share a bit.
    pub(crate) fn assert_disjoint(list: &[Field]) {
        for generation in GENERATIONS {
            let mut used = [None; 256];
            for field in list {
                let Some((hi, lo)) = field.place(generation) else { continue };
                for owner in &mut used[usize::from(lo)..=usize::from(hi)] {
                    assert_eq!(*owner, None, "{generation:?}: {}", field.name);
                    *owner = Some(field.name);
                }
            }
        }
    }

    fields! { LIST;
        LOW  [ 7:0,   7:0,   7:0,   7:0,   7:0,   7:0,   _ ]     "a byte"
        WIDE [ 70:31, 70:31, 70:31, 70:31, 70:31, 70:31, 70:31 ] "over three dwords"
    }

    #[test]
    fn a_field_may_cross_dwords() {
        let mut words = [0; 4];
        WIDE.put(&mut words, Generation::Gfx9, 0xff_ffff_ffff).unwrap();
        assert_eq!(words, [0x8000_0000, 0xffff_ffff, 0x7f, 0]);
        assert_eq!(WIDE.get(&words, Generation::Gfx9), 0xff_ffff_ffff);
        assert_eq!(WIDE.get(&words[..1], Generation::Gfx9), 1); // what is missing reads 0
        assert_disjoint(LIST);
    }

    #[test]
    fn values_that_have_no_place_are_refused_by_name() {
        let mut words = [0; 4];
        assert!(matches!(LOW.put(&mut words, Generation::Gfx6, 256), Err(EncodeError::TooLarge { field: "LOW", bits: 8, .. })));
        assert!(matches!(LOW.put(&mut words, Generation::Gfx12, 1), Err(EncodeError::Absent { field: "LOW", .. })));
        assert_eq!(LOW.put(&mut words, Generation::Gfx12, 0), Ok(()));
        assert!(matches!(WIDE.put(&mut words[..2], Generation::Gfx12, 1), Err(EncodeError::Absent { .. })));
    }

    #[test]
    fn signed_fixed_point_saturates() {
        assert_eq!(from_signed_fixed(0x3f00, 14, 8), -1.0);
        assert_eq!(to_signed_fixed(-1.0, 14, 8), 0x3f00);
        assert_eq!(to_signed_fixed(-1e9, 14, 8), 0x2000);
        assert_eq!(to_signed_fixed(1e9, 14, 8), 0x1fff);
    }
}
