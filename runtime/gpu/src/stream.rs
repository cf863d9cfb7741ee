//! Indirect buffers: where a ring reads packets.
//!
//! ```text
//! start ---> IB 0: packets, call ---> IB 1: packets, chain ---> IB 2: packets, end
//!                     ^                                                   |
//!                     +---------------------------------------------------+
//! ```

use crate::error::Refusal;
use std::collections::VecDeque;
use wavejit::AddressSpace;

/// Most calls, one in the other: hardware has two levels, and a driver's mistake many.
const MAX_DEPTH: usize = 4;
/// Most chains from one start: an IB that chains to itself is a loop without an end.
const MAX_CHAINS: u32 = 1 << 20;

/// An indirect buffer that is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ib {
    /// Guest address of its first dword.
    pub base: u64,
    /// Guest address of the next packet.
    pub at: u64,
    end: u64,
}

impl Ib {
    /// A buffer of so many dwords.
    pub(crate) fn new(base: u64, dwords: u32) -> Ib {
        Ib { base, at: base, end: base.wrapping_add(4 * u64::from(dwords)) }
    }

    /// Dwords that are left.
    fn left(&self) -> u64 {
        self.end.wrapping_sub(self.at) / 4
    }
}

/// What is to be read: buffers one after the other, and the calls that the present one is in.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    waiting: VecDeque<Ib>,
    /// The innermost last.
    calls: Vec<Ib>,
    chains: u32,
}

impl Stream {
    /// Adds a buffer behind all others.
    pub(crate) fn start(&mut self, ib: Ib) {
        self.waiting.push_back(ib);
    }

    /// The buffer of the next packet; none if there is no more.
    pub(crate) fn current(&mut self) -> Option<Ib> {
        loop {
            match self.calls.last() {
                Some(ib) if ib.left() != 0 => return Some(*ib),
                Some(_) => {
                    self.calls.pop();
                }
                None => {
                    self.chains = 0;
                    let next = self.waiting.pop_front()?;
                    self.calls.push(next);
                }
            }
        }
    }

    /// Goes on so many dwords further in the present buffer.
    pub(crate) fn advance(&mut self, dwords: u64) -> Result<(), Refusal> {
        let Some(ib) = self.calls.last_mut() else { return Ok(()) };
        if dwords > ib.left() {
            return Err(Refusal::new(format!("{dwords} dwords, but its buffer ends after {}", ib.left())));
        }
        ib.at += 4 * dwords;
        Ok(())
    }

    /// Goes back to where the present buffer was.
    pub(crate) fn rewind(&mut self, ib: &Ib) {
        if let Some(current) = self.calls.last_mut() {
            *current = *ib;
        }
    }

    /// Reads another buffer, and then goes on in this one.
    pub(crate) fn call(&mut self, ib: Ib) -> Result<(), Refusal> {
        if self.calls.len() >= MAX_DEPTH {
            return Err(Refusal::new(format!("calls {MAX_DEPTH} deep: expected fewer")));
        }
        self.calls.push(ib);
        Ok(())
    }

    /// Reads another buffer instead of the rest of this one.
    pub(crate) fn chain(&mut self, ib: Ib) -> Result<(), Refusal> {
        self.chains += 1;
        if self.chains > MAX_CHAINS {
            return Err(Refusal::new(format!("more than {MAX_CHAINS} chains: is it a loop?")));
        }
        self.calls.pop();
        self.calls.push(ib);
        Ok(())
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Stream::default();
    }
}

/// Reads dwords of guest memory.
pub(crate) fn read_dwords(memory: &AddressSpace, address: u64, count: usize, to: &mut Vec<u32>) -> Result<(), Refusal> {
    let mut bytes = [0; 256];
    to.clear();
    to.reserve(count);
    let mut at = address;
    let mut left = 4 * count;
    while left != 0 {
        let part = &mut bytes[..left.min(256)];
        memory.read(at, part)?;
        to.extend(part.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])));
        (at, left) = (at + part.len() as u64, left - part.len());
    }
    Ok(())
}
