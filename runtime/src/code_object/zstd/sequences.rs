//! Sequences: so many literals, then so many bytes from so far back (RFC 8878, 3.1.1.3.2 and 3.1.1.4).

use super::bits::Backward;
use super::fse::{Decoder, Table};
use super::stream::{Damage, Input, Window};

/// Base and extra bits of a code.
type Codes = &'static [(u32, u8)];

/// One of the three kinds of numbers that a sequence has.
struct Kind {
    /// Symbols, and most bits of a state (3.1.1.3.2.1).
    symbols: usize,
    max_log: u32,
    /// Default distribution (3.1.1.3.2.2), and its bits.
    default: &'static [i16],
    default_log: u32,
}

const LITERAL_LENGTH: Kind = Kind {
    symbols: 36,
    max_log: 9,
    default: &[4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1],
    default_log: 6,
};
const OFFSET: Kind = Kind {
    symbols: 32,
    max_log: 8,
    default: &[1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
    default_log: 5,
};
#[rustfmt::skip]
const MATCH_LENGTH: Kind = Kind {
    symbols: 53,
    max_log: 9,
    default: &[
        1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
    ],
    default_log: 6,
};

/// Literal lengths from code 16 on; those below are the code (3.1.1.3.2.1.1).
#[rustfmt::skip]
const LITERAL_LENGTHS: Codes = &[
    (16, 1), (18, 1), (20, 1), (22, 1), (24, 2), (28, 2), (32, 3), (40, 3), (48, 4), (64, 6), (128, 7), (256, 8), (512, 9),
    (1024, 10), (2048, 11), (4096, 12), (8192, 13), (16384, 14), (32768, 15), (65536, 16),
];
/// Match lengths from code 32 on; those below are the code and 3.
#[rustfmt::skip]
const MATCH_LENGTHS: Codes = &[
    (35, 1), (37, 1), (39, 1), (41, 1), (43, 2), (47, 2), (51, 3), (59, 3), (67, 4), (83, 4), (99, 5), (131, 7), (259, 8), (515, 9),
    (1027, 10), (2051, 11), (4099, 12), (8195, 13), (16387, 14), (32771, 15), (65539, 16),
];

/// What blocks leave to the next: tables that may be used again, and the last three offsets.
pub(super) struct Sequences {
    literal_lengths: Option<Table>,
    offsets: Option<Table>,
    match_lengths: Option<Table>,
    recent: [u32; 3],
}

impl Default for Sequences {
    fn default() -> Sequences {
        Sequences { literal_lengths: None, offsets: None, match_lengths: None, recent: [1, 4, 8] }
    }
}

impl Sequences {
    /// Decodes the sequences section of a block, and does what it says.
    pub(super) fn decode(&mut self, section: &[u8], literals: &[u8], window: &mut Window) -> Result<(), Damage> {
        let mut input = Input { bytes: section, at: 0 };
        let count = match input.le(1)? {
            0 if input.rest().is_empty() => return window.push(literals),
            0 => return Err("bytes after a block's literals"),
            few @ 1..128 => few,
            more @ 128..255 => (more - 128) << 8 | input.le(1)?,
            _ => input.le(2)? + 0x7f00,
        };
        let modes = input.le(1)?;
        if modes & 3 != 0 {
            return Err("the reserved bits of the sequences are set");
        }
        let literal_lengths = table(&mut self.literal_lengths, &LITERAL_LENGTH, modes >> 6, &mut input)?;
        let offsets = table(&mut self.offsets, &OFFSET, modes >> 4 & 3, &mut input)?;
        let match_lengths = table(&mut self.match_lengths, &MATCH_LENGTH, modes >> 2 & 3, &mut input)?;

        let mut bits = Backward::new(input.rest())?;
        let mut literal_lengths = Decoder::new(literal_lengths, &mut bits);
        let mut offsets = Decoder::new(offsets, &mut bits);
        let mut match_lengths = Decoder::new(match_lengths, &mut bits);
        let mut literals = Input { bytes: literals, at: 0 };
        for i in 0..count {
            let offset_bits = u32::from(offsets.symbol());
            let offset = (1u32 << offset_bits) + bits.read(offset_bits) as u32;
            let match_length = length(match_lengths.symbol(), 3, MATCH_LENGTHS, &mut bits);
            let literal_length = length(literal_lengths.symbol(), 0, LITERAL_LENGTHS, &mut bits);
            if bits.left() < 0 {
                break;
            }
            window.push(literals.take(literal_length)?)?;
            let offset = recent_offset(&mut self.recent, offset, literal_length == 0)?;
            window.repeat(offset as usize, match_length)?;
            if i + 1 < count {
                literal_lengths.advance(&mut bits);
                match_lengths.advance(&mut bits);
                offsets.advance(&mut bits);
            }
        }
        if bits.left() != 0 {
            return Err("a stream of sequences of the wrong length");
        }
        window.push(literals.rest())
    }
}

/// The table of a mode: default, of one symbol, described here, or the last one (3.1.1.3.2.1).
fn table<'t>(kept: &'t mut Option<Table>, kind: &Kind, mode: u64, input: &mut Input) -> Result<&'t Table, Damage> {
    let new = match mode {
        0 => Table::new(kind.default, kind.default_log),
        1 => {
            let symbol = input.le(1)? as u8;
            if usize::from(symbol) >= kind.symbols {
                return Err("a table with unknown symbols");
            }
            Table::of_one(symbol)
        }
        2 => {
            let (table, used) = Table::read(input.rest(), kind.symbols, kind.max_log)?;
            input.take(used)?;
            table
        }
        _ => return kept.as_ref().ok_or("sequences that use the table of a block before, which has none"),
    };
    Ok(kept.insert(new))
}

/// The length of a code: itself and `base` before the table begins, else what the table and the next bits say.
fn length(code: u8, base: usize, table: Codes, bits: &mut Backward) -> usize {
    let first = table[0].0 as usize - base;
    match usize::from(code).checked_sub(first) {
        None => usize::from(code) + base,
        Some(row) => {
            let (base, extra) = table[row];
            base as usize + bits.read(u32::from(extra)) as usize
        }
    }
}

/// The offset that a number stands for: 1 to 3 are those of sequences before (3.1.1.5).
fn recent_offset(recent: &mut [u32; 3], value: u32, no_literals: bool) -> Result<u32, Damage> {
    let [first, second, third] = *recent;
    let offset = match value - 1 + u32::from(no_literals && value <= 3) {
        0 => return Ok(first),
        1 => {
            *recent = [second, first, third];
            return Ok(second);
        }
        2 => third,
        3 if value <= 3 => first - 1,
        _ => value - 3,
    };
    if offset == 0 {
        return Err("an offset of 0");
    }
    *recent = [offset, first, second];
    Ok(offset)
}
