//! What a decoder reads from ([`Input`]) and writes to ([`Window`]), both with their ends in sight.

/// Why a frame is not one.
pub(crate) type Damage = &'static str;

/// What is left to read.
pub(super) struct Input<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Input<'a> {
    pub(super) fn take(&mut self, n: usize) -> Result<&'a [u8], Damage> {
        let taken = self.at.checked_add(n).and_then(|end| self.bytes.get(self.at..end)).ok_or("the data ends too early")?;
        self.at += n;
        Ok(taken)
    }

    /// A little-endian number of up to eight bytes.
    pub(super) fn le(&mut self, n: usize) -> Result<u64, Damage> {
        Ok(self.take(n)?.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b)))
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }
}

/// The output: what has been decoded, which matches refer back to, and how much may follow.
pub(super) struct Window<'a> {
    pub out: &'a mut Vec<u8>,
    /// Where the frame starts in `out`.
    pub start: usize,
    /// Where it ends at the latest.
    pub end: usize,
    /// Most bytes of a block.
    pub block_bytes: usize,
    /// Where the block ends at the latest.
    pub block_end: usize,
}

impl Window<'_> {
    pub(super) fn begin_block(&mut self) {
        self.block_end = self.out.len().saturating_add(self.block_bytes);
    }

    /// May `n` bytes follow?
    pub(super) fn check(&self, n: usize) -> Result<(), Damage> {
        let len = self.out.len();
        if n > self.end - len {
            return Err("the frame has more bytes than its container says");
        }
        if n > self.block_end - len {
            return Err("a block of more bytes than 128 KiB or the window");
        }
        Ok(())
    }

    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), Damage> {
        self.check(bytes.len())?;
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    pub(super) fn fill(&mut self, byte: u8, n: usize) -> Result<(), Damage> {
        self.check(n)?;
        self.out.resize(self.out.len() + n, byte);
        Ok(())
    }

    /// Repeats what was written `offset` bytes ago; what is written now counts, too.
    pub(super) fn repeat(&mut self, offset: usize, n: usize) -> Result<(), Damage> {
        self.check(n)?;
        if offset == 0 || offset > self.out.len() - self.start {
            return Err("a match from before the start of the frame");
        }
        let from = self.out.len() - offset;
        let mut left = n;
        while left > 0 {
            // All from `from` on repeats every `offset` bytes, so ever longer pieces can be taken.
            let piece = left.min(self.out.len() - from);
            self.out.extend_from_within(from..from + piece);
            left -= piece;
        }
        Ok(())
    }
}
