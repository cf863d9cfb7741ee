//! Guest memory of launches: arguments, dispatch packet, queue. Kept for reuse ([`Blocks`]).

use crate::Error;
use crate::args::kernarg::{self, HiddenPointers};
use crate::host::sync::Mutex;
use crate::memory::address_space::AddressSpace;
use std::sync::Arc;

/// Bytes of a launch's own block, unless its arguments are many: argument segment, then packet, queue and empty hidden buffers.
const BLOCK_BYTES: u64 = 2048;
/// Where the parts after the argument segment begin, from the block's end.
const BLOCK_TAIL: u64 = 768;
/// Queue and empty buffer, behind the packet.
const QUEUE: u64 = 256;
const ZEROS: u64 = 512;

/// Blocks for launches.
pub(crate) struct Blocks {
    space: Arc<AddressSpace>,
    /// Addresses of those that wait for the next launch, all zero.
    kept: Mutex<Vec<u64>>,
}

impl Blocks {
    /// Blocks in this memory; none so far.
    pub(crate) fn new(space: Arc<AddressSpace>) -> Blocks {
        Blocks { space, kept: Mutex::default() }
    }

    /// A block with room for so many bytes of arguments.
    pub(crate) fn take(&self, segment_bytes: u64) -> Result<LaunchBlock<'_>, Error> {
        let bytes = BLOCK_BYTES.max(segment_bytes.next_multiple_of(256) + BLOCK_TAIL);
        let kept = if bytes == BLOCK_BYTES { self.kept.lock().pop() } else { None };
        let address = match kept {
            Some(address) => address,
            None => self.space.alloc(bytes, 0)?,
        };
        Ok(LaunchBlock { blocks: self, address, bytes })
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        for address in self.kept.get_mut().drain(..) {
            self.space.free(address);
        }
    }
}

/// Guest memory of one launch: argument segment; then, `BLOCK_TAIL` from the end, packet, queue and a zeroed buffer.
pub(crate) struct LaunchBlock<'a> {
    blocks: &'a Blocks,
    /// Guest address, where the arguments begin.
    pub address: u64,
    bytes: u64,
}

impl LaunchBlock<'_> {
    /// Writes the launch's data.
    pub(crate) fn fill(&mut self, arguments: &[u8], packet: &[u8; 64]) -> Result<(), Error> {
        let space = &self.blocks.space;
        space.write(self.address, arguments)?;
        let mut tail = [0; BLOCK_TAIL as usize];
        tail[..64].copy_from_slice(packet);
        tail[QUEUE as usize..][..256].copy_from_slice(&kernarg::queue_bytes());
        space.write(self.packet(), &tail)
    }

    /// Guest address of the dispatch packet.
    pub(crate) fn packet(&self) -> u64 {
        self.address + self.bytes - BLOCK_TAIL
    }
    /// Guest address of the queue.
    pub(crate) fn queue(&self) -> u64 {
        self.packet() + QUEUE
    }
    fn zeros(&self) -> u64 {
        self.packet() + ZEROS
    }
    /// What hidden arguments point to.
    pub(crate) fn hidden(&self) -> HiddenPointers {
        HiddenPointers { printf_buffer: self.zeros(), queue: self.queue(), ..Default::default() }
    }
}

impl Drop for LaunchBlock<'_> {
    fn drop(&mut self) {
        // The next launch finds neither these arguments nor what the kernel wrote beside them.
        if self.bytes == BLOCK_BYTES && self.blocks.space.write(self.address, &[0; BLOCK_BYTES as usize]).is_ok() {
            self.blocks.kept.lock().push(self.address);
        } else {
            self.blocks.space.free(self.address);
        }
    }
}
