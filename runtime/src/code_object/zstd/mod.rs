//! Zstandard frames, for compressed offload bundles. Decodes into memory that the caller has set aside, and never a byte more.
//!
//! Reference: RFC 8878, whose section numbers and names are used here. A bundle is hostile input, and a few bytes of Zstandard can stand
//! for gigabytes: a sequence of 16 bits repeats 128 KiB. So every byte written is counted against the caller's limit and against the
//! 128 KiB that a block may hold, tables have fixed sizes, and the output is the only window.
//!
//! Files: `bits` bit streams, `fse` finite state entropy tables, `huffman` literals, `sequences` matches, `stream` where bytes come from and go to, `xxh64` the checksum.

mod bits;
mod fse;
mod huffman;
mod sequences;
mod stream;
mod xxh64;

use huffman::Huffman;
use sequences::Sequences;
use stream::{Input, Window};

pub(super) use stream::Damage;

/// Most bytes that a block may hold (3.1.1.2.4).
const MAX_BLOCK_BYTES: usize = 128 << 10;
const MAGIC: u32 = 0xfd2f_b528;

/// Appends the contents of the frame that `packed` starts with to `out`, at most `limit` bytes; returns the bytes the frame takes packed.
/// `out` does not grow if it has room for `limit` more.
pub(super) fn decode(packed: &[u8], out: &mut Vec<u8>, limit: usize) -> Result<usize, Damage> {
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
