//! Where the choices of a case come from: the sequence of a seed, or the bytes of a fuzzer.

use wavejit_random::Random;

/// Choices, one after the other. The same start gives the same choices, on every machine.
#[derive(Clone)]
pub struct Source<'a>(From<'a>);

#[derive(Clone)]
enum From<'a> {
    Seed(Random),
    /// What is left; zeros follow.
    Bytes(&'a [u8]),
}

/// Values that are often the first or last of something.
#[rustfmt::skip]
const EDGES: [u32; 24] = [
    0, 1, 2, 3, 4, 7, 8, 0xf, 0x10, 0x1f, 0x20, 0x3f, 0x40, 0xff, 0x100, 0xfff, 0x1000, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000,
    0xffff_fff0, 0xffff_fffd, 0xffff_ffff,
];

impl<'a> Source<'a> {
    /// The choices of a seed.
    pub fn of_seed(seed: u64) -> Source<'static> {
        Source(From::Seed(Random(seed)))
    }

    /// Choices by a fuzzer.
    pub fn of_bytes(bytes: &'a [u8]) -> Source<'a> {
        Source(From::Bytes(bytes))
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        match &mut self.0 {
            From::Seed(rng) => rng.u64(),
            From::Bytes(_) => self.number(8),
        }
    }

    /// 32 bits.
    pub fn dword(&mut self) -> u32 {
        match &mut self.0 {
            From::Seed(rng) => (rng.u64() >> 32) as u32,
            From::Bytes(_) => self.number(4) as u32,
        }
    }

    /// A little-endian number of the fuzzer's next bytes.
    fn number(&mut self, bytes: usize) -> u64 {
        let From::Bytes(left) = &mut self.0 else { return 0 };
        let (taken, rest) = left.split_at(bytes.min(left.len()));
        *left = rest;
        taken.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b))
    }

    /// `0..n`; 0 if there is nothing below `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        let bits = match &mut self.0 {
            From::Seed(rng) => return rng.below(n),
            // Few bytes for few choices, so that a fuzzer has little to search.
            From::Bytes(_) if n <= 0x100 => self.number(1) << 24,
            From::Bytes(_) if n <= 0x1_0000 => self.number(2) << 16,
            From::Bytes(_) => self.number(4),
        };
        ((bits * u64::from(n)) >> 32) as u32
    }

    /// `low..high`.
    pub fn range(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high.saturating_sub(low))
    }

    /// True once in `n`.
    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// One of a list.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u32) as usize]
    }

    /// A place in something that long; 0 if it is empty.
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len.try_into().unwrap_or(u32::MAX)) as usize
    }

    /// A number that breaks things more often than others do.
    pub fn hostile(&mut self) -> u32 {
        match self.below(4) {
            0 => self.dword(),
            1 => 1 << self.below(32),
            2 => self.pick(&EDGES),
            _ => self.below(2048),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_a_fuzzer_end_in_zeros() {
        let mut source = Source::of_bytes(&[0x80, 1, 2, 3, 4, 5]);
        assert_eq!(source.below(16), 8);
        assert_eq!(source.dword(), 0x0403_0201);
        assert_eq!(source.dword(), 5);
        assert_eq!((source.bits(), source.below(7), source.one_in(2)), (0, 0, true));
    }
}
