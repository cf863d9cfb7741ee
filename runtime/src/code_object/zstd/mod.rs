//! Zstandard frames, for compressed offload bundles. Decodes into memory that the caller has set aside, and never a byte more.
//!
//! Reference: RFC 8878, whose section numbers and names are used here. A bundle is hostile input, and a few bytes of Zstandard can stand
//! for gigabytes: a sequence of 16 bits repeats 128 KiB. So every byte written is counted against the caller's limit and against the
//! 128 KiB that a block may hold, tables have fixed sizes, and the output is the only window.
//!
//! Files: `bits` bit streams, `fse` finite state entropy tables, `huffman` literals, `sequences` matches, `xxh64` the checksum.

mod bits;
mod fse;
mod huffman;
mod sequences;
mod xxh64;

use huffman::Huffman;
use sequences::Sequences;

/// Why a frame is not one.
pub type Damage = &'static str;

/// Most bytes that a block may hold (3.1.1.2.4).
const MAX_BLOCK_BYTES: usize = 128 << 10;
const MAGIC: u32 = 0xfd2f_b528;

/// Appends the contents of the frame that `packed` starts with to `out`, at most `limit` bytes; returns the bytes the frame takes packed.
/// `out` does not grow if it has room for `limit` more.
pub fn decode(packed: &[u8], out: &mut Vec<u8>, limit: usize) -> Result<usize, Damage> {
    let mut input = Input { bytes: packed, at: 0 };
    let frame = header(&mut input)?;
    if frame.content_bytes.is_some_and(|n| n > limit as u64) {
        return Err("the frame has more bytes than its container says");
    }
    let start = out.len();
    let mut window = Window { out, start, end: start.saturating_add(limit), block_bytes: frame.block_bytes, block_end: start };
    let mut state = BlockState::default();
    loop {
        let header = input.le(3)? as usize;
        let (last, kind, bytes) = (header & 1 != 0, header >> 1 & 3, header >> 3);
        window.begin_block();
        match kind {
            0 => window.push(input.take(bytes)?)?,
            1 => window.fill(input.take(1)?[0], bytes)?,
            2 if bytes > MAX_BLOCK_BYTES => return Err("a compressed block of more than 128 KiB"),
            2 => state.decode(input.take(bytes)?, &mut window)?,
            _ => return Err("a block of the reserved kind"),
        }
        if last {
            break;
        }
    }
    let contents = &window.out[start..];
    if frame.content_bytes.is_some_and(|n| n != contents.len() as u64) {
        return Err("the frame does not have as many bytes as its header says");
    }
    if frame.has_checksum && input.le(4)? != u64::from(xxh64::xxh64(contents) as u32) {
        return Err("the checksum is wrong");
    }
    Ok(input.at)
}

/// What is left to read.
struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], Damage> {
        let taken = self.at.checked_add(n).and_then(|end| self.bytes.get(self.at..end)).ok_or("the data ends too early")?;
        self.at += n;
        Ok(taken)
    }

    /// A little-endian number of up to eight bytes.
    fn le(&mut self, n: usize) -> Result<u64, Damage> {
        Ok(self.take(n)?.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b)))
    }

    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }
}

/// A frame's header (3.1.1.1).
struct Frame {
    content_bytes: Option<u64>,
    /// Most bytes of a block.
    block_bytes: usize,
    has_checksum: bool,
}

fn header(input: &mut Input) -> Result<Frame, Damage> {
    if input.le(4)? != u64::from(MAGIC) {
        return Err("expected a Zstandard frame to start with 28 b5 2f fd");
    }
    let descriptor = input.le(1)?;
    let single_segment = descriptor >> 5 & 1 != 0;
    if descriptor >> 3 & 1 != 0 {
        return Err("the reserved bit of the frame header is set");
    }
    let window = match single_segment {
        true => None,
        false => {
            let byte = input.le(1)?;
            let base = 1u64 << (10 + (byte >> 3));
            Some(base + base / 8 * (byte & 7))
        }
    };
    if input.le([0, 1, 2, 4][(descriptor & 3) as usize])? != 0 {
        return Err("the frame needs a dictionary");
    }
    let content_bytes = match (descriptor >> 6, single_segment) {
        (0, false) => None,
        (0, true) => Some(input.le(1)?),
        (1, _) => Some(input.le(2)? + 256),
        (2, _) => Some(input.le(4)?),
        _ => Some(input.le(8)?),
    };
    let window = window.or(content_bytes).unwrap_or(0);
    let block_bytes = window.min(MAX_BLOCK_BYTES as u64) as usize;
    Ok(Frame { content_bytes, block_bytes, has_checksum: descriptor >> 2 & 1 != 0 })
}

/// The output: what has been decoded, which matches refer back to, and how much may follow.
struct Window<'a> {
    out: &'a mut Vec<u8>,
    /// Where the frame starts in `out`.
    start: usize,
    /// Where it ends at the latest.
    end: usize,
    /// Most bytes of a block.
    block_bytes: usize,
    /// Where the block ends at the latest.
    block_end: usize,
}

impl Window<'_> {
    fn begin_block(&mut self) {
        self.block_end = self.out.len().saturating_add(self.block_bytes);
    }

    /// May `n` bytes follow?
    fn check(&self, n: usize) -> Result<(), Damage> {
        let len = self.out.len();
        if n > self.end - len {
            return Err("the frame has more bytes than its container says");
        }
        if n > self.block_end - len {
            return Err("a block of more bytes than 128 KiB or the window");
        }
        Ok(())
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), Damage> {
        self.check(bytes.len())?;
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    fn fill(&mut self, byte: u8, n: usize) -> Result<(), Damage> {
        self.check(n)?;
        self.out.resize(self.out.len() + n, byte);
        Ok(())
    }

    /// Repeats what was written `offset` bytes ago; what is written now counts, too.
    fn repeat(&mut self, offset: usize, n: usize) -> Result<(), Damage> {
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

/// What a block leaves to the next: its tables and offsets.
#[derive(Default)]
struct BlockState {
    huffman: Option<Huffman>,
    sequences: Sequences,
    /// Of one block, kept for its memory.
    literals: Vec<u8>,
}

impl BlockState {
    /// A compressed block (3.1.1.3): literals, then the sequences that copy them and earlier bytes.
    fn decode(&mut self, block: &[u8], window: &mut Window) -> Result<(), Damage> {
        let mut input = Input { bytes: block, at: 0 };
        self.literals.clear();
        self.literals(&mut input)?;
        self.sequences.decode(input.rest(), &self.literals, window)
    }

    /// The literals section (3.1.1.3.1).
    fn literals(&mut self, input: &mut Input) -> Result<(), Damage> {
        let first = *input.rest().first().ok_or("a block without literals section")?;
        let (kind, format) = (first & 3, first >> 2 & 3);
        if kind < 2 {
            let (header_bytes, shift) = [(1, 3), (2, 4), (1, 3), (3, 4)][usize::from(format)];
            let bytes = (input.le(header_bytes)? >> shift) as usize;
            if bytes > MAX_BLOCK_BYTES {
                return Err("more than 128 KiB of literals");
            }
            match kind {
                0 => self.literals.extend_from_slice(input.take(bytes)?),
                _ => self.literals.resize(bytes, input.take(1)?[0]),
            }
            return Ok(());
        }
        let (header_bytes, bits, streams) = [(3, 10, 1), (3, 10, 4), (4, 14, 4), (5, 18, 4)][usize::from(format)];
        let header = input.le(header_bytes)? >> 4;
        let size = |shift: u32| (header >> shift & ((1 << bits) - 1)) as usize;
        let (bytes, packed_bytes) = (size(0), size(bits));
        if bytes > MAX_BLOCK_BYTES {
            return Err("more than 128 KiB of literals");
        }
        let mut packed = Input { bytes: input.take(packed_bytes)?, at: 0 };
        if kind == 2 {
            self.huffman = Some(Huffman::read(&mut packed)?);
        }
        let huffman = self.huffman.as_ref().ok_or("literals that use the code of a block before, which has none")?;
        match streams {
            1 => huffman.decode(packed.rest(), bytes, &mut self.literals),
            _ => huffman.decode_four(&mut packed, bytes, &mut self.literals),
        }
    }
}

#[cfg(test)]
mod tests;
