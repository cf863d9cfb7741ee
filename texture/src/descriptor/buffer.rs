//! Buffer descriptors (V#, four dwords).
//!
//! ```text
//! word 0        base[31:0]
//! word 1        base[47:32] | stride[13:0] << 16 | swizzle in [31:30] (gfx6-10: [31], gfx11+: two bits)
//! word 2        num_records
//! word 3        dst_sel 4 x 3 bits | format from bit 12 | ... | index_stride [22:21] | add_tid [23] | ... | OOB_SELECT [29:28], gfx10+ | type [31:30]
//! ```
//!
//! Reference: the RDNA ISA guides, "buffer resource", and Mesa's register database for the older ones.

use crate::Generation;
use crate::format::FormatNumber;

/// Where a component of a format access comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DstSel {
    /// Constant 0.
    Zero,
    /// Constant 1 (1.0 or integer 1, by format).
    One,
    /// Component 0 to 3 of the data.
    Component(u8),
    /// Codes 2 and 3.
    Reserved,
}

impl DstSel {
    /// The source of a field of three bits.
    pub fn from_field(n: u32) -> DstSel {
        match n & 7 {
            0 => DstSel::Zero,
            1 => DstSel::One,
            2 | 3 => DstSel::Reserved,
            n => DstSel::Component(n as u8 - 4),
        }
    }

    /// The field of three bits.
    pub fn field(self) -> u8 {
        match self {
            DstSel::Zero => 0,
            DstSel::One => 1,
            DstSel::Reserved => 2,
            DstSel::Component(n) => 4 + (n & 3),
        }
    }
}

/// Number of the data's layout in memory.
pub type BufferFormat = FormatNumber;

/// A V#, decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferDescriptor {
    /// Byte address, 48 bits.
    pub base: u64,
    /// Bytes of a record, scaled where the generation scales (gfx12).
    pub stride: u32,
    /// Size: records, or bytes where there is no stride (gfx8: always bytes).
    pub num_records: u32,
    /// Bytes of a swizzle element; 0: not swizzled (BUF-21).
    pub swizzle_bytes: u32,
    /// Records of a swizzle group: 8, 16, 32 or 64.
    pub index_stride: u32,
    /// The lane number is added to the index.
    pub add_tid: bool,
    /// Range check (BUF-15); 0 before gfx10.
    pub oob_select: u8,
    /// Sources of the four components (BUF-03).
    pub dst_sel: [DstSel; 4],
    /// Format of typed access.
    pub format: BufferFormat,
    /// TYPE; anything but 0 is not a buffer.
    pub kind: u8,
    generation: Generation,
}

impl BufferDescriptor {
    /// Decodes the four dwords of a V#. Every bit pattern is one.
    pub fn decode(words: [u32; 4], generation: Generation) -> BufferDescriptor {
        let [w0, w1, w2, w3] = words;
        let field = |word: u32, at: u32, bits: u32| word >> at & ((1 << bits) - 1);
        let sel = |at| DstSel::from_field(field(w3, at, 3));
        let scale = if generation == Generation::Gfx12 { [1, 4, 8, 32][field(w3, 18, 2) as usize] } else { 1 };
        let swizzle_bytes = match generation {
            Generation::Gfx11 | Generation::Gfx12 => [0, 4, 0, 16][field(w1, 30, 2) as usize],
            Generation::Gfx9 | Generation::Gfx10 | Generation::Gfx103 => field(w1, 31, 1) * 4,
            Generation::Gfx6 | Generation::Gfx8 => field(w1, 31, 1) * (2 << field(w3, 19, 2)),
        };
        let format = match generation {
            Generation::Gfx6 | Generation::Gfx8 | Generation::Gfx9 => {
                BufferFormat::Split { data: field(w3, 15, 4) as u8, number: field(w3, 12, 3) as u8 }
            }
            Generation::Gfx10 | Generation::Gfx103 => BufferFormat::Unified(field(w3, 12, 7) as u16),
            Generation::Gfx11 | Generation::Gfx12 => BufferFormat::Unified(field(w3, 12, 6) as u16),
        };
        BufferDescriptor {
            base: u64::from(w0) | u64::from(w1 & 0xffff) << 32,
            stride: field(w1, 16, 14) * scale,
            num_records: w2,
            swizzle_bytes,
            index_stride: 8 << field(w3, 21, 2),
            add_tid: field(w3, 23, 1) != 0,
            oob_select: if generation >= Generation::Gfx10 { field(w3, 28, 2) as u8 } else { 0 },
            dst_sel: [sel(0), sel(3), sel(6), sel(9)],
            format,
            kind: field(w3, 30, 2) as u8,
            generation,
        }
    }

    /// Bytes a scalar buffer load may read (BUF-18): dwords at offsets from here on read 0.
    pub fn scalar_limit(&self) -> u64 {
        let unit = if self.generation == Generation::Gfx8 { 1 } else { self.stride.max(1) };
        u64::from(unit) * u64::from(self.num_records)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_where_the_manual_has_them() {
        // base 0x1234_89abcdef, stride 16, swizzle 3; 100 records; sel XYZW, format 22, index stride 32, add_tid, OOB 3
        let words = [0x89ab_cdef, 0x1234 | 16 << 16 | 3 << 30, 100, 0o7654 | 22 << 12 | 2 << 21 | 1 << 23 | 3 << 28];
        let d = BufferDescriptor::decode(words, Generation::Gfx11);
        assert_eq!((d.base, d.stride, d.num_records, d.swizzle_bytes), (0x1234_89ab_cdef, 16, 100, 16));
        assert_eq!((d.index_stride, d.add_tid, d.oob_select, d.kind), (32, true, 3, 0));
        assert_eq!(d.dst_sel, [0, 1, 2, 3].map(DstSel::Component));
        assert_eq!(d.format, BufferFormat::Unified(22));
    }

    #[test]
    fn older_generations_swizzle_with_one_bit() {
        let words = [0, 1 << 31, 0, 3 << 19];
        assert_eq!(BufferDescriptor::decode(words, Generation::Gfx8).swizzle_bytes, 16);
        assert_eq!(BufferDescriptor::decode(words, Generation::Gfx10).swizzle_bytes, 4);
        assert_eq!(BufferDescriptor::decode(words, Generation::Gfx11).swizzle_bytes, 0); // code 2
    }

    #[test]
    fn scalar_loads_count_records_but_bytes_on_gfx8() {
        let words = [0, 12 << 16, 10, 0];
        assert_eq!(BufferDescriptor::decode(words, Generation::Gfx11).scalar_limit(), 120);
        assert_eq!(BufferDescriptor::decode(words, Generation::Gfx8).scalar_limit(), 10);
        assert_eq!(BufferDescriptor::decode([0, 0, 10, 0], Generation::Gfx11).scalar_limit(), 10);
    }

    #[test]
    fn gfx12_scales_the_stride() {
        let words = [0, 12 << 16, 10, 3 << 18];
        assert_eq!(BufferDescriptor::decode(words, Generation::Gfx12).stride, 384);
    }
}
