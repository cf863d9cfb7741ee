//! A field of an instruction word. Positions are written once, in the layout tables of `decode/`, and serve the decoder and the encoder.

/// Longest instruction in dwords.
pub(crate) const MAX_DWORDS: usize = 5;

/// `width` bits from bit `shift` of the code, dword 0 lowest (bit 32 is bit 0 of the second dword). A field does not cross a dword.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bits {
    /// Lowest bit.
    pub shift: u8,
    /// Number of bits; 0 for a field the layout lacks, which reads as 0.
    pub width: u8,
}

impl Bits {
    /// A field the layout lacks.
    pub(crate) const NONE: Bits = Bits { shift: 0, width: 0 };

    /// Bits `high` down to `low`, as manuals write them.
    pub(crate) const fn at(high: u8, low: u8) -> Bits {
        assert!(high >= low && high / 32 == low / 32, "a field stands in one dword, high bit first");
        Bits { shift: low, width: high - low + 1 }
    }

    /// One bit.
    pub(crate) const fn bit(n: u8) -> Bits {
        Bits::at(n, n)
    }

    /// Largest value.
    pub(crate) const fn max(self) -> u32 {
        if self.width == 32 { u32::MAX } else { (1 << self.width) - 1 }
    }

    /// The field's value.
    pub(crate) fn get(self, words: &[u32; MAX_DWORDS]) -> u32 {
        (words[usize::from(self.shift / 32)] >> (self.shift % 32)) & self.max()
    }

    /// A value of this field as a two's complement number.
    pub(crate) const fn signed(self, value: u32) -> i32 {
        let unused = 32 - self.width as u32;
        if self.width == 0 { 0 } else { ((value << unused) as i32) >> unused }
    }

    /// Is any bit set?
    pub(crate) fn is_set(self, words: &[u32; MAX_DWORDS]) -> bool {
        self.get(words) != 0
    }

    /// Or-s `value` into the field; false when it does not fit.
    #[must_use]
    pub(crate) fn set(self, words: &mut [u32; MAX_DWORDS], value: u32) -> bool {
        if value > self.max() {
            return false;
        }
        words[usize::from(self.shift / 32)] |= value << (self.shift % 32);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_the_second_dword_reads_back() {
        let f = Bits::at(44, 41);
        let mut words = [0; MAX_DWORDS];
        assert!(f.set(&mut words, 0b1011));
        assert_eq!((words[1], f.get(&words)), (0b1011 << 9, 0b1011));
        assert!(!f.set(&mut words, 16), "five bits do not fit into four");
        assert!(!Bits::NONE.set(&mut words, 1));
        assert!(Bits::NONE.set(&mut words, 0));
    }
}
