//! Finite state entropy: tables of states, each of which stands for a symbol (RFC 8878, 4.1).

use super::bits::{Backward, Forward};
use super::stream::Damage;

/// States of the largest table.
const MAX_STATES: usize = 1 << 9;
/// Symbols of the largest alphabet: Huffman weights, as far as a byte can name them.
const MAX_SYMBOLS: usize = 256;

/// What a state means, and how to get to the next one.
#[derive(Clone, Copy, Default)]
struct State {
    symbol: u8,
    bits: u8,
    base: u16,
}

/// A decoding table.
#[derive(Clone)]
pub(super) struct Table {
    states: Box<[State]>,
    /// Bits of a state's number.
    log: u32,
}

impl Table {
    /// From the probabilities of all symbols, in units of 1/2^log; -1 is "less than one" (4.1.1). They add up to 2^log.
    pub(super) fn new(probabilities: &[i16], log: u32) -> Table {
        let size = 1usize << log;
        let mut states = vec![State::default(); size];
        let mut next = [0u16; MAX_SYMBOLS];
        let mut high = size;
        for (symbol, p) in probabilities.iter().enumerate() {
            next[symbol] = p.unsigned_abs();
            if *p == -1 {
                high -= 1;
                states[high].symbol = symbol as u8;
            }
        }
        let (step, mut at) = ((size >> 1) + (size >> 3) + 3, 0);
        for (symbol, p) in probabilities.iter().enumerate() {
            for _ in 0..*p {
                states[at].symbol = symbol as u8;
                loop {
                    at = (at + step) & (size - 1);
                    if at < high {
                        break;
                    }
                }
            }
        }
        for state in &mut states {
            let n = &mut next[usize::from(state.symbol)];
            let bits = log - n.ilog2();
            (state.bits, state.base) = (bits as u8, ((u32::from(*n) << bits) - size as u32) as u16);
            *n += 1;
        }
        Table { states: states.into(), log }
    }

    /// Of one symbol, which takes no bits.
    pub(super) fn of_one(symbol: u8) -> Table {
        Table { states: Box::new([State { symbol, bits: 0, base: 0 }]), log: 0 }
    }

    /// Reads a table description (4.1.1) of symbols below `symbols` and at most 2^`max_log` states; also gives the bytes it takes.
    pub(super) fn read(bytes: &[u8], symbols: usize, max_log: u32) -> Result<(Table, usize), Damage> {
        debug_assert!(symbols <= MAX_SYMBOLS && 1 << max_log <= MAX_STATES);
        let mut input = Forward::new(bytes);
        let log = input.read(4)? + 5;
        if log > max_log {
            return Err("a table of more states than are allowed");
        }
        let mut probabilities = [0i16; MAX_SYMBOLS];
        let mut left = 1i32 << log;
        let mut symbol = 0;
        while left > 0 {
            // Values from 0 to left + 1; the lowest ones have a bit less.
            let bits = (left + 1).ilog2() + 1;
            let short = (1i32 << bits) - 1 - (left + 1);
            let low_mask = (1i32 << (bits - 1)) - 1;
            let mut value = input.read(bits)? as i32;
            if value & low_mask < short {
                input.back_one();
                value &= low_mask;
            } else if value > low_mask {
                value -= short;
            }
            let p = value - 1;
            left -= p.abs();
            *probabilities[..symbols].get_mut(symbol).ok_or("a table with unknown symbols")? = p as i16;
            symbol += 1;
            // How many more have none; 3: and more follow.
            let mut zeros = if p == 0 { 3 } else { 0 };
            while zeros == 3 {
                zeros = input.read(2)?;
                symbol += zeros as usize;
            }
        }
        Ok((Table::new(&probabilities[..symbols], log), input.bytes_used()))
    }
}

/// A place in a table.
pub(super) struct Decoder<'a> {
    table: &'a Table,
    state: usize,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(table: &'a Table, input: &mut Backward) -> Decoder<'a> {
        Decoder { table, state: input.read(table.log) as usize }
    }

    pub(super) fn symbol(&self) -> u8 {
        self.table.states[self.state].symbol
    }

    /// On to the next state.
    pub(super) fn advance(&mut self, input: &mut Backward) {
        let state = self.table.states[self.state];
        self.state = usize::from(state.base) + input.read(u32::from(state.bits)) as usize;
    }
}
