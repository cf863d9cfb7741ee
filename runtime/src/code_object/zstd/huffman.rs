//! The Huffman code of literals (RFC 8878, 4.2).

use super::bits::Backward;
use super::fse::{Decoder, Table};
use super::stream::{Damage, Input};

/// Longest code (4.2.1).
const MAX_BITS: u32 = 11;
/// Most states of the table that weights are packed with (4.2.1.2).
const MAX_WEIGHT_LOG: u32 = 6;

/// What the next bits stand for.
#[derive(Clone, Copy, Default)]
struct Code {
    symbol: u8,
    bits: u8,
}

/// A code, by the next `max_bits` bits.
pub(super) struct Huffman {
    codes: Box<[Code]>,
    max_bits: u32,
}

impl Huffman {
    /// Reads a Huffman tree description (4.2.1).
    pub(super) fn read(input: &mut Input) -> Result<Huffman, Damage> {
        let header = input.le(1)? as usize;
        let mut weights = [0u8; 256];
        let count = match header.checked_sub(127) {
            Some(count) => {
                let packed = input.take(count.div_ceil(2))?;
                for (i, weight) in weights[..count].iter_mut().enumerate() {
                    *weight = packed[i / 2] >> (4 - i % 2 * 4) & 15;
                }
                count
            }
            None => packed_weights(input.take(header)?, &mut weights)?,
        };
        Huffman::new(&mut weights, count)
    }

    /// From the weights of the first `count` symbols; that of the next one follows from them.
    fn new(weights: &mut [u8; 256], count: usize) -> Result<Huffman, Damage> {
        if weights[..count].iter().any(|w| u32::from(*w) > MAX_BITS) {
            return Err("a Huffman code of more than 11 bits");
        }
        // A symbol of weight w takes 2^(w - 1) of the 2^max_bits values.
        let taken: u32 = weights[..count].iter().map(|w| (1 << w) >> 1).sum();
        let max_bits = taken.checked_ilog2().ok_or("a Huffman code without symbols")? + 1;
        let left = (1 << max_bits) - taken;
        if max_bits > MAX_BITS || !left.is_power_of_two() {
            return Err("a Huffman code that is not complete");
        }
        weights[count] = left.ilog2() as u8 + 1;
        let mut codes = Vec::with_capacity(1 << max_bits);
        for weight in 1..=max_bits as u8 {
            let bits = max_bits as u8 + 1 - weight;
            for symbol in (0..=count).filter(|s| weights[*s] == weight) {
                codes.resize(codes.len() + (1 << (weight - 1)), Code { symbol: symbol as u8, bits });
            }
        }
        Ok(Huffman { codes: codes.into(), max_bits })
    }

    /// Appends the `n` symbols of a stream.
    pub(super) fn decode(&self, stream: &[u8], n: usize, out: &mut Vec<u8>) -> Result<(), Damage> {
        let mut input = Backward::new(stream)?;
        for _ in 0..n {
            let code = self.codes[input.peek(self.max_bits) as usize];
            input.skip(u32::from(code.bits));
            out.push(code.symbol);
        }
        if input.left() != 0 { Err("a stream of literals of the wrong length") } else { Ok(()) }
    }

    /// Appends the `n` symbols of four streams, whose lengths come first (3.1.1.3.1.6).
    pub(super) fn decode_four(&self, input: &mut Input, n: usize, out: &mut Vec<u8>) -> Result<(), Damage> {
        let lengths = [input.le(2)?, input.le(2)?, input.le(2)?];
        let each = n.div_ceil(4);
        let last = n.checked_sub(3 * each).ok_or("four streams of too few literals")?;
        for length in lengths {
            self.decode(input.take(length as usize)?, each, out)?;
        }
        self.decode(input.rest(), last, out)
    }
}

/// Weights packed with an FSE table and two states in turn (4.2.1.2); gives their number.
fn packed_weights(bytes: &[u8], weights: &mut [u8; 256]) -> Result<usize, Damage> {
    let (table, used) = Table::read(bytes, MAX_BITS as usize + 1, MAX_WEIGHT_LOG)?;
    let mut input = Backward::new(&bytes[used..])?;
    let mut states = [Decoder::new(&table, &mut input), Decoder::new(&table, &mut input)];
    let mut count = 0;
    let mut push = |weight: u8| {
        // The last symbol has no weight here.
        *weights[..255].get_mut(count).ok_or("weights of more than 256 symbols")? = weight;
        count += 1;
        Ok::<(), Damage>(())
    };
    for turn in 0.. {
        push(states[turn % 2].symbol())?;
        states[turn % 2].advance(&mut input);
        if input.left() < 0 {
            // The stream is used up: the other state has one more symbol.
            push(states[(turn + 1) % 2].symbol())?;
            break;
        }
    }
    Ok(count)
}
