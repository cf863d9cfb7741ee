//! Where a lane's access goes, and whether it is in range (BUF-12 to BUF-21; descriptors.md sections 2 and 3).
//!
//! Arithmetic is in 64 bits, so nothing wraps that does not wrap on the hardware.

use super::{BufferOp, Scalars};
use crate::Generation;
use crate::descriptor::{BufferDescriptor, BufferFormat};

/// Index and offset of a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Coordinates {
    /// Record.
    pub index: u64,
    /// Byte in the record, without the SGPR's part; the address of a 64-bit access.
    pub offset: u64,
}

/// What must hold for an access to be in range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Range {
    /// Nothing.
    Always,
    /// Cannot.
    Never,
    /// The record exists.
    Record { records: u64 },
    /// The record exists and the offset is below the stride, with or without the bytes of the access counted.
    InRecord { records: u64, stride: u64, whole: bool },
    /// A byte position is below the limit, with or without the bytes of the access counted.
    Bytes { limit: u64, of: Position, whole: bool },
}

/// Which position a byte limit applies to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Position {
    /// Offset alone: the stride does not count.
    Offset,
    /// Position in the buffer as addressed, swizzled or not.
    Buffer,
    /// Position in the buffer were it not swizzled.
    Linear,
}

/// Addressing of one wave's access: all that does not depend on the lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Addressing {
    base: u64,
    /// Added to the offset modulo 2^32 (gfx12, BUF-20), else part of `base`.
    inner_offset: u64,
    stride: u64,
    /// Log2 of the bytes of a swizzle element and of the records of a group; `None`: linear.
    swizzle: Option<[u32; 2]>,
    is_gfx12: bool,
    add_tid: bool,
    range: Range,
}

impl Addressing {
    /// For one instruction and V#.
    pub(super) fn new(op: &BufferOp, v: &BufferDescriptor, scalars: Scalars) -> Addressing {
        let generation = op.generation;
        let soffset = u64::from(scalars.soffset);
        let is_gfx12 = generation >= Generation::Gfx12;
        let mut stride = u64::from(v.stride);
        if let (Generation::Gfx8, true, None, BufferFormat::Split { data, .. }) = (generation, v.add_tid, op.format, v.format) {
            // The data format's bits are the stride's high ones then.
            stride |= u64::from(data) << 14;
        }
        let is_indexed = op.idxen || v.add_tid;
        let base = v.base.wrapping_add(if is_gfx12 { 0 } else { soffset });
        let a = Addressing {
            base,
            inner_offset: if is_gfx12 { soffset } else { 0 },
            stride,
            swizzle: v.swizzle_bytes.checked_ilog2().zip(v.index_stride.checked_ilog2()).map(|(element, group)| [element, group]),
            is_gfx12,
            add_tid: v.add_tid,
            range: Range::Always,
        };
        if op.addr64 {
            // Neither stride nor size count.
            return Addressing { stride: 0, swizzle: None, add_tid: false, ..a };
        }
        let records = u64::from(v.num_records);
        Addressing { range: range(generation, v, stride, records, records.saturating_sub(soffset), is_indexed), ..a }
    }

    /// Is the buffer addressed linearly, so that bytes next to each other in a record are so in memory?
    pub(super) fn is_linear(&self) -> bool {
        self.swizzle.is_none()
    }
    /// Are so many bytes at the coordinates next to each other in memory?
    pub(super) fn is_one_piece(&self, at: Coordinates, bytes: u64) -> bool {
        let in_element = |[element_log2, _]: [u32; 2]| {
            let byte = at.offset.wrapping_add(self.inner_offset) & ((1 << element_log2) - 1);
            byte + bytes <= 1 << element_log2
        };
        bytes <= 4 || self.swizzle.is_none_or(in_element)
    }
    /// Bytes of a record.
    pub(super) fn stride(&self) -> u64 {
        self.stride
    }
    /// Is the lane number part of the index?
    pub(super) fn adds_lane(&self) -> bool {
        self.add_tid
    }

    /// Would `offset + more` wrap around (gfx12)?
    pub(super) fn wraps(&self, offset: u64, more: u64) -> bool {
        self.is_gfx12 && (offset + self.inner_offset) >> 32 != (offset + self.inner_offset + more) >> 32
    }

    /// Position in the buffer, from its base.
    fn position(&self, at: Coordinates) -> u64 {
        let offset = if self.is_gfx12 { (at.offset + self.inner_offset) & 0xffff_ffff } else { at.offset };
        let Some([element_log2, group_log2]) = self.swizzle else {
            return self.stride.wrapping_mul(at.index).wrapping_add(offset);
        };
        let (lane, byte) = (at.index & ((1 << group_log2) - 1), offset & ((1 << element_log2) - 1));
        let group = (at.index >> group_log2).wrapping_mul(self.stride).wrapping_add(offset - byte);
        (group << group_log2).wrapping_add((lane << element_log2) + byte)
    }

    /// Guest address.
    pub(super) fn address(&self, at: Coordinates) -> u64 {
        self.base.wrapping_add(self.position(at))
    }

    /// Address of the dword `bytes` behind the first of an access. In a swizzled buffer it is found on its own, except that the 16-byte
    /// elements of gfx12 hold an access that begins in them together.
    pub(super) fn address_behind(&self, at: Coordinates, bytes: u64) -> u64 {
        if self.is_linear() || self.is_gfx12 && self.swizzle.is_some_and(|[element_log2, _]| element_log2 == 4) {
            self.address(at).wrapping_add(bytes)
        } else {
            self.address(Coordinates { offset: at.offset + bytes, ..at })
        }
    }

    /// May `bytes` bytes at the coordinates be accessed?
    pub(super) fn is_in_range(&self, at: Coordinates, bytes: u64) -> bool {
        let end = |position: u64, whole: bool| if whole { position.saturating_add(bytes).saturating_sub(1) } else { position };
        match self.range {
            Range::Always => true,
            Range::Never => false,
            Range::Record { records } => at.index < records,
            Range::InRecord { records, stride, whole } => at.index < records && end(at.offset, whole) < stride,
            Range::Bytes { limit, of, whole } => {
                let position = match of {
                    Position::Offset => at.offset,
                    Position::Buffer => self.position(at),
                    Position::Linear => self.stride.wrapping_mul(at.index).wrapping_add(at.offset),
                };
                end(position, whole) < limit
            }
        }
    }
}

/// The rule of a generation. `left`: bytes behind the SGPR offset.
fn range(generation: Generation, v: &BufferDescriptor, stride: u64, records: u64, left: u64, is_indexed: bool) -> Range {
    let is_swizzled = v.swizzle_bytes != 0;
    match generation {
        Generation::Gfx8 => Range::Bytes { limit: left, of: Position::Linear, whole: true },
        g if g < Generation::Gfx10 => match (stride != 0 && is_indexed, is_swizzled) {
            (true, true) => Range::InRecord { records, stride, whole: false },
            (true, false) => Range::Record { records },
            (false, _) => Range::Bytes { limit: left, of: Position::Buffer, whole: false },
        },
        g => {
            // From gfx11 on the bytes of the access count.
            let whole = g >= Generation::Gfx11;
            match v.oob_select {
                0 => Range::InRecord { records, stride, whole },
                1 => Range::Record { records },
                2 if records == 0 => Range::Never,
                2 => Range::Always,
                _ if whole && is_swizzled && stride != 0 => Range::InRecord { records, stride, whole },
                _ if !whole && is_swizzled => Range::Bytes { limit: left, of: Position::Buffer, whole },
                _ => Range::Bytes { limit: left, of: Position::Offset, whole },
            }
        }
    }
}
