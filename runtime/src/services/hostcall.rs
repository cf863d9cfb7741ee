//! Calls to the host: packets in guest memory that waves fill in and wait for, as AMD's device library does it.
//!
//! ```text
//! buffer:  qwords: headers, payloads, doorbell, free stack, ready stack, mask of packet numbers, 0, 0; then the doorbell's signal
//! header:  qwords: next, lanes (a mask); dwords: service, control (bit 0: waits for an answer)
//! payload: slots[lane][8] qwords: what the lane says; the host answers in the first two
//! ```
//!
//! A wave takes a packet from the free stack, fills it in, puts it on the ready stack, rings, and looks at `control` again and again, with
//! s_sleep between. No thread listens: whichever thread finds a wave asking for time looks here first, so that the answer is there when the wave has its
//! next turn. Stacks hold packet numbers, with a count above the mask that makes old ones differ.
//!
//! All of this is memory that kernels may write, so nothing read from it is an address here: numbers are cut by the mask, and a round ends after
//! as many packets as there are.

use super::{Print, messages::Messages};
use crate::Error;
use crate::host::sync::Mutex;
use crate::memory::access::{self, Failed};
use crate::memory::address_space::AddressSpace;
use std::collections::HashSet;
use std::sync::Arc;

/// Packets for each thread: a wave holds one at most, and gives it back before its workgroup is put aside for another one.
const PACKETS_PER_THREAD: usize = 64;
const HEADERS: u64 = 256;
const HEADER_BYTES: u64 = 24;
const PAYLOAD_BYTES: u64 = 64 * 64;
const DOORBELL: u64 = 64;
const READY: u64 = 32;

/// What a wave may ask for.
const FUNCTION_CALL: u32 = 1;
const PRINTF: u32 = 2;
const MEMORY: u32 = 3;
const SANITIZER: u32 = 4;

/// Memory for a kernel's heap comes in pieces of this size, at multiples of it.
const SLAB_BYTES: u64 = 2 << 20;

/// The packets of a device.
pub(super) struct Hostcall {
    space: Arc<AddressSpace>,
    /// Guest address of the buffer.
    pub address: u64,
    /// Its host address.
    host: u64,
    packets: u64,
    /// Where in it the payloads are.
    payloads: u64,
    state: Mutex<State>,
}

/// What is under way.
#[derive(Default)]
struct State {
    messages: Messages,
    /// Addresses of memory that kernels have asked for, and may give back.
    memory: HashSet<u64>,
}

impl Hostcall {
    pub(super) fn new(space: &Arc<AddressSpace>, threads: usize) -> Result<Hostcall, Error> {
        let packets = (PACKETS_PER_THREAD * threads.clamp(2, 1 << 12)).next_power_of_two() as u64;
        let payloads = (HEADERS + packets * HEADER_BYTES).next_multiple_of(4096);
        let bytes = payloads + packets * PAYLOAD_BYTES;
        let address = space.alloc(bytes, 4096)?;
        let host = space.host(address, bytes).ok_or_else(|| Error::OutOfMemory("no memory for calls to the host".into()))?;
        let mut head = [0u64; 8];
        head[..6].copy_from_slice(&[address + HEADERS, address + payloads, address + DOORBELL, packets - 1, 0, packets - 1]);
        let words = |w: &[u64]| w.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
        space.write(address, &words(&head))?;
        // The free stack: each packet's next is the one before; that of the second has a count, for 0 alone would be the end.
        let next = |i: u64| match i {
            0 => 0,
            1 => packets,
            i => i - 1,
        };
        let headers: Vec<u8> = (0..packets).flat_map(|i| words(&[next(i), 0, 0])).collect();
        space.write(address + HEADERS, &headers)?;
        Ok(Hostcall { space: space.clone(), address, host, packets, payloads, state: Mutex::default() })
    }

    /// Does what waves have asked for; false if they have not.
    pub(super) fn serve(&self, print: &Mutex<Print>) -> Result<bool, Error> {
        let mut failed = Failed::no();
        let ready = self.host + READY;
        if access::load64(ready, &mut failed) == 0 {
            return Ok(false);
        }
        // One thread at a time, so that what one wave says after another comes out so.
        let mut state = self.state.lock();
        // SAFETY: aligned guest memory of this buffer, which lives as long as the device.
        let mut packet = unsafe { access::swap64(ready, 0, &mut failed) };
        let mut left = self.packets;
        while packet != 0 && left != 0 {
            left -= 1;
            packet = self.answer(packet & (self.packets - 1), &mut state, print)?;
        }
        Ok(true)
    }

    /// Answers a packet; the next one on its stack.
    fn answer(&self, number: u64, state: &mut State, print: &Mutex<Print>) -> Result<u64, Error> {
        let header = self.address + HEADERS + HEADER_BYTES * number;
        let mut bytes = [0; HEADER_BYTES as usize];
        self.space.read(header, &mut bytes)?;
        let qword = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let (next, mut lanes, service) = (qword(0), qword(8), qword(16) as u32);
        while lanes != 0 {
            let lane = u64::from(lanes.trailing_zeros());
            lanes &= lanes - 1;
            let at = self.address + self.payloads + PAYLOAD_BYTES * number + 64 * lane;
            let mut slot = [0; 64];
            self.space.read(at, &mut slot)?;
            let mut words: [u64; 8] = std::array::from_fn(|i| u64::from_le_bytes(std::array::from_fn(|k| slot[8 * i + k])));
            self.one(service, &mut words, state, print)?;
            let answer = [words[0].to_le_bytes(), words[1].to_le_bytes()];
            self.space.write(at, answer.as_flattened())?;
        }
        let mut failed = Failed::no();
        let control = self.host + HEADERS + HEADER_BYTES * number + 20;
        // SAFETY: as in `serve`.
        unsafe { access::swap32(control, 0, &mut failed) };
        Ok(next)
    }

    fn one(&self, service: u32, words: &mut [u64; 8], state: &mut State, print: &Mutex<Print>) -> Result<(), Error> {
        let refused = |what: String| Err(Error::Unsupported(format!("a kernel called the host: {what}")));
        match service {
            PRINTF => match state.messages.take(words, &mut print.lock()) {
                Ok(()) => Ok(()),
                Err(why) => refused(format!("printf: {why}")),
            },
            MEMORY => {
                words[0] = match *words {
                    [0, bytes, ..] => {
                        let found = self.space.alloc(bytes, if bytes >= SLAB_BYTES { SLAB_BYTES } else { 4096 });
                        found.inspect(|address| _ = state.memory.insert(*address)).unwrap_or(0)
                    }
                    [address, ..] => {
                        if state.memory.remove(&address) {
                            self.space.free(address);
                        }
                        0
                    }
                };
                Ok(())
            }
            FUNCTION_CALL => refused(format!("function at {:#x} of the host, which kernels cannot call here", words[0])),
            SANITIZER => refused("a report of AddressSanitizer, which is not supported".into()),
            other => refused(format!("service {other}, which does not exist")),
        }
    }
}

impl Drop for Hostcall {
    fn drop(&mut self) {
        for address in self.state.get_mut().memory.iter().chain([&self.address]) {
            self.space.free(*address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::address_space::AddressMode;
    use wavejit_random::Random;

    /// Kernels can write every byte of the buffer.
    #[test]
    fn any_contents_end_in_an_answer_or_an_error() {
        for mode in [AddressMode::Isolated, AddressMode::Shared] {
            let space = Arc::new(AddressSpace::new(mode, 1 << 32).expect("memory"));
            let hostcall = Hostcall::new(&space, 2).expect("memory");
            let print: Mutex<Print> = Mutex::new(Box::new(|_, _| {}));
            let mut random = Random(5);
            let (mut answered, mut refused) = (0, 0);
            let other = space.alloc(4096, 4096).expect("memory");
            for _ in 0..200 {
                for _ in 0..40 {
                    let place = match random.u64() % 4 {
                        0 => FREE_TO_MASK + random.u64() % 24,
                        1 | 2 => HEADERS + random.u64() % (HEADER_BYTES * 8),
                        _ => hostcall.payloads + random.u64() % (PAYLOAD_BYTES * 8),
                    };
                    let value = match random.u64() % 8 {
                        0..2 => random.u64(),
                        2 => other,
                        3 => hostcall.address,
                        4..6 => random.u64() % 8,
                        _ => 1 << (random.u64() % 64),
                    };
                    space.write(hostcall.address + place / 8 * 8, &value.to_le_bytes()).expect("its own memory");
                }
                match hostcall.serve(&print) {
                    Ok(_) => answered += 1,
                    Err(_) => refused += 1,
                }
            }
            assert_eq!(space.find(other), Some((other, 4096)), "what no kernel has asked for is not given back");
            assert!(answered > 10 && refused > 10, "{mode:?}: {answered} answered, {refused} refused");
        }
    }

    const FREE_TO_MASK: u64 = 24;
}
