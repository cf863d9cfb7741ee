//! Vector buffer instructions (MUBUF, MTBUF) of every family, one call per wave.
//!
//! A [`BufferOp`] is what the instruction word fixes, made once; [`execute`] runs it on the rows of a wave with a V# that may differ from
//! call to call. What it does stands on the instruction's row in `wavejit-isa`; `address` where each lane's access goes and whether it is in range, `access` moves the
//! bytes, `typed` converts formats. References: RDNA3 ISA, chapter 9; requirements BUF-01 to BUF-27; descriptors.md sections 1 to 3.
//!
//! Results are computed for the whole wave before the first register is written, because destinations may be address registers too.

mod access;
mod address;
#[cfg(test)]
mod tests;
mod typed;

pub use wavejit_isa::memory::buffer::{D16, Opcode, Part};

use crate::descriptor::{BufferDescriptor, BufferFormat};
use crate::{Generation, Memory, Wave};
use wavejit_isa::MemoryKind;

/// What the alignment field of SH_MEM_CONFIG asks of unformatted accesses (BUF-24).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Alignment {
    /// Addresses are rounded down to the lesser of the size and 4.
    Dword,
    /// Addresses must be multiples of the lesser of the size and 4.
    DwordStrict,
    /// Addresses must be multiples of the size.
    Strict,
    /// Any address will do. What HSA and Vulkan drivers choose.
    #[default]
    Unaligned,
}

/// A buffer instruction, without its registers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BufferOp {
    /// Whose rules hold.
    pub generation: Generation,
    /// What it does.
    pub opcode: Opcode,
    /// MTBUF: the format in the instruction.
    pub format: Option<BufferFormat>,
    /// Byte offset of the instruction.
    pub offset: u32,
    /// A register has an offset (BUF-02).
    pub offen: bool,
    /// A register has an index.
    pub idxen: bool,
    /// Two registers have a 64-bit address (gfx6).
    pub addr64: bool,
    /// Atomics: the old value is returned.
    pub returns: bool,
    /// A status dword follows the results (BUF-26).
    pub tfe: bool,
    /// Loads go to LDS, not to registers.
    pub lds: bool,
    /// D16 values of format accesses take a register each: the first gfx8 chips.
    pub unpacked_d16: bool,
    /// Alignment mode.
    pub alignment: Alignment,
}

impl BufferOp {
    /// An access to registers, or always to LDS, with all modifiers off.
    pub fn of(opcode: Opcode, lds: bool, generation: Generation) -> BufferOp {
        BufferOp {
            generation,
            opcode,
            format: None,
            offset: 0,
            offen: false,
            idxen: false,
            addr64: false,
            returns: false,
            tfe: false,
            lds,
            unpacked_d16: false,
            alignment: Alignment::Unaligned,
        }
    }

    /// The operation of a mnemonic of any family, with all modifiers off, from its row. `None`: no such buffer access.
    pub fn new(name: &str, generation: Generation) -> Option<BufferOp> {
        match MemoryKind::named(name)? {
            MemoryKind::Buffer { opcode, to_lds } => Some(BufferOp::of(opcode, to_lds, generation)),
            _ => None,
        }
    }

    /// Registers of data it reads: stores and atomics.
    pub fn data_dwords(&self) -> usize {
        match self.opcode {
            Opcode::Store { bytes, .. } => usize::from(bytes).div_ceil(4),
            Opcode::StoreFormat { components, d16 } => d16.dwords(components, self.unpacked_d16),
            Opcode::Atomic { op, wide } => op.operands() * if wide { 2 } else { 1 },
            _ => 0,
        }
    }

    /// Registers it writes, without the status.
    pub fn result_dwords(&self) -> usize {
        match self.opcode {
            _ if self.lds => 0,
            Opcode::Load { bytes, .. } => usize::from(bytes).div_ceil(4),
            Opcode::LoadFormat { components, d16 } => d16.dwords(components, self.unpacked_d16),
            Opcode::Atomic { wide, .. } if self.returns => 1 + usize::from(wide),
            _ => 0,
        }
    }

    /// Registers of address it reads.
    pub fn address_dwords(&self) -> usize {
        if self.addr64 { 2 } else { usize::from(self.offen) + usize::from(self.idxen) }
    }

    /// Does it write only one half of result register `i`, and which (BUF-05, BUF-08)? The other half keeps its value.
    pub fn half_written(&self, i: usize) -> Part {
        match self.opcode {
            Opcode::Load { part, .. } => part,
            Opcode::LoadFormat { d16: D16::High, .. } => Part::High,
            Opcode::LoadFormat { components, d16: D16::Low } if self.unpacked_d16 || i == usize::from(components) / 2 => Part::Low,
            _ => Part::Whole,
        }
    }
}

/// Row numbers of the registers of a buffer instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rows {
    /// Index, offset (whichever there are, in this order), or the two dwords of a 64-bit address.
    pub address: [u16; 2],
    /// Data of stores and atomics: operand, then comparand.
    pub data: [u16; 4],
    /// Results, then the status.
    pub dst: [u16; 5],
}

/// Scalar operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Scalars {
    /// Byte offset from an SGPR.
    pub soffset: u32,
    /// M0: where in LDS (low 16 bits).
    pub m0: u32,
}

/// Why an access was refused. Lanes before the one named, and those after it for [`BufferError::Misaligned`], may have been done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BufferError {
    /// No such memory, though the descriptor allows it.
    #[error("lane {lane}: buffer access to unmapped address {address:#x}")]
    Unmapped {
        /// First lane.
        lane: usize,
        /// Its address.
        address: u64,
    },
    /// Not aligned as the instruction or the mode demands: a memory violation. Loads have returned 0, stores have done nothing.
    #[error("lane {lane}: buffer access to {address:#x} must be aligned to {alignment} bytes")]
    Misaligned {
        /// First lane.
        lane: usize,
        /// Its address.
        address: u64,
        /// What it should be a multiple of.
        alignment: u32,
    },
    /// The format has no meaning in a buffer.
    #[error("buffer access with format {0:?}, which this generation has not for buffers")]
    Format(BufferFormat),
}

/// Runs a buffer instruction for the active lanes of `wave`. `lds` is the workgroup's LDS, for accesses that go there.
pub fn execute<M: Memory + ?Sized>(
    op: &BufferOp,
    descriptor: &BufferDescriptor,
    scalars: Scalars,
    wave: &mut Wave,
    rows: &Rows,
    lds: &mut [u8],
    memory: &M,
) -> Result<(), BufferError> {
    if wave.exec == 0 {
        return Ok(());
    }
    let mut run = access::Run { op, descriptor, scalars, rows, lds, memory };
    run.execute(wave)
}
