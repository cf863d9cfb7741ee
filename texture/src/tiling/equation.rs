//! The equation of a block: byte offset inside the block as exclusive ors of coordinate bits.
//!
//! An equation is linear over bits, so it is kept as columns: what each coordinate bit exclusive-ors into the offset. The offset of an element is the
//! exclusive or of the columns of its set bits, and of one axis alone it is a table to look up ([`Equation::table`]).

/// Coordinates an equation reads, in the order of [`Equation`]'s columns.
pub(super) const AXES: [char; 4] = ['x', 'y', 'z', 's'];

/// Coordinate bits an equation can read, per axis.
const COORDINATE_BITS: usize = 16;

/// Byte offset inside a block as a function of x, y, z (slice or depth) and sample.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Equation {
    /// `columns[axis][bit]`: the offset bits that this coordinate bit toggles.
    columns: [[u32; COORDINATE_BITS]; 4],
}

impl Equation {
    /// Makes the coordinate bit toggle `offset_bits` too. Bits beyond those an equation can read are never set in a supported image.
    pub fn toggle(&mut self, axis: usize, coordinate_bit: u32, offset_bits: u32) {
        if let Some(column) = self.columns[axis].get_mut(coordinate_bit as usize) {
            *column ^= offset_bits;
        }
    }

    /// Adds the terms of one offset bit, such as `x3^y4^z0`. `None` if the text is not such terms.
    pub fn add_terms(&mut self, offset_bit: u32, terms: &str) -> Option<()> {
        for term in terms.split('^') {
            let axis = AXES.iter().position(|&a| term.starts_with(a))?;
            let bit: u32 = term[1..].parse().ok().filter(|&b| b < COORDINATE_BITS as u32)?;
            self.toggle(axis, bit, 1 << offset_bit);
        }
        Some(())
    }

    /// What one coordinate contributes.
    pub fn axis(&self, axis: usize, coordinate: u32) -> u32 {
        let mut left = coordinate & ((1 << COORDINATE_BITS) - 1);
        let mut offset_xor = 0;
        while left != 0 {
            offset_xor ^= self.columns[axis][left.trailing_zeros() as usize];
            left &= left - 1;
        }
        offset_xor
    }

    /// Byte offset inside the block of the element at x, y, z, sample.
    pub fn offset(&self, at: [u32; 4]) -> u32 {
        (0..4).fold(0, |all, axis| all ^ self.axis(axis, at[axis]))
    }

    /// Contributions of `origin`, `origin + 1`, ...: a table whose length is a power of two and which covers `extent` coordinates, either
    /// one by one or, where the equation reads only lower bits than that, by repeating.
    pub fn table(&self, axis: usize, origin: u32, extent: u32) -> Vec<u32> {
        let period = 1 << (COORDINATE_BITS - self.columns[axis].iter().rev().take_while(|&&c| c == 0).count());
        let len = extent.max(1).next_power_of_two().min(period);
        (0..len).map(|i| self.axis(axis, origin + i)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(lowest_bit: u32, text: &str) -> Equation {
        let mut e = Equation::default();
        for (i, terms) in text.split(' ').enumerate() {
            e.add_terms(lowest_bit + i as u32, terms).unwrap();
        }
        e
    }

    #[test]
    fn offset_is_the_exclusive_or_of_the_terms() {
        let e = parse(2, "x0 y0 x1^y2 z0^s0");
        assert_eq!(e.offset([1, 0, 0, 0]), 4);
        assert_eq!(e.offset([2, 4, 0, 0]), 0);
        assert_eq!(e.offset([3, 1, 1, 0]), 4 + 8 + 16 + 32);
        assert_eq!(e.offset([0, 0, 1, 1]), 0);
    }

    #[test]
    fn tables_repeat_beyond_the_highest_bit_read() {
        let e = parse(0, "x0 x1 y0 x2");
        assert_eq!(e.table(0, 0, 1000), [0, 1, 2, 3, 8, 9, 10, 11]);
        assert_eq!(e.table(0, 0, 3), [0, 1, 2, 3]);
        assert_eq!(e.table(0, 6, 4), [10, 11, 0, 1]);
        assert_eq!(e.table(2, 0, 1000), [0]);
    }

    #[test]
    fn bad_terms_are_no_equation() {
        for terms in ["", "w0", "x", "x16", "x-1", "x0^"] {
            assert_eq!(Equation::default().add_terms(0, terms), None, "{terms}");
        }
    }
}
