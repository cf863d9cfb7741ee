//! Buffer descriptors (V#, four dwords).
//!
//! `buffer_fields.rs` says where the bits are. Reference: the RDNA ISA guides, "buffer resource", and Mesa's register database for the older
//! ones.

use super::buffer_fields as at;
use super::field::{EncodeError, in_units};
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

/// Factors of STRIDE_SCALE (gfx12).
const STRIDE_SCALES: [u32; 4] = [1, 4, 8, 32];

/// A V#, decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferDescriptor {
    /// Whose layout the dwords have.
    pub generation: Generation,
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
}

impl BufferDescriptor {
    /// A buffer of bytes without a stride, all components in order: what a builder starts from.
    pub fn new(generation: Generation, base: u64, num_records: u32, format: BufferFormat) -> BufferDescriptor {
        let dst_sel = [0, 1, 2, 3].map(DstSel::Component);
        BufferDescriptor { base, num_records, dst_sel, format, ..BufferDescriptor::decode([0; 4], generation) }
    }

    /// Decodes the four dwords of a V#. Every bit pattern is one.
    pub fn decode(words: [u32; 4], generation: Generation) -> BufferDescriptor {
        let get = |field: &super::Field| field.get(&words, generation) as u32;
        let element = match generation {
            Generation::Gfx6 | Generation::Gfx8 => 2 << get(&at::ELEMENT_SIZE),
            _ => 4,
        };
        let format = if generation <= Generation::Gfx9 {
            FormatNumber::Split { data: get(&at::DATA_FORMAT) as u8, number: get(&at::NUM_FORMAT) as u8 }
        } else {
            FormatNumber::Unified(get(&at::FORMAT) as u16)
        };
        BufferDescriptor {
            base: at::BASE_ADDRESS.get(&words, generation),
            stride: get(&at::STRIDE) * STRIDE_SCALES[get(&at::STRIDE_SCALE) as usize & 3],
            num_records: get(&at::NUM_RECORDS),
            swizzle_bytes: [0, element, 0, 16][get(&at::SWIZZLE_ENABLE) as usize & 3],
            index_stride: 8 << get(&at::INDEX_STRIDE),
            add_tid: get(&at::ADD_TID_ENABLE) != 0,
            oob_select: get(&at::OOB_SELECT) as u8,
            dst_sel: [&at::DST_SEL_X, &at::DST_SEL_Y, &at::DST_SEL_Z, &at::DST_SEL_W].map(|field| DstSel::from_field(get(field))),
            format,
            kind: get(&at::TYPE) as u8,
            generation,
        }
    }

    /// The dwords of this descriptor. Sizes of swizzling that the generation does not have are refused.
    pub fn encode(&self) -> Result<[u32; 4], EncodeError> {
        let generation = self.generation;
        let mut words = [0; 4];
        let mut put = |field: &super::Field, value: u64| field.put(&mut words, generation, value);
        put(&at::BASE_ADDRESS, self.base)?;
        // The smallest factor with which the stride fits.
        let fits = |scale: u32| self.stride.is_multiple_of(scale) && self.stride / scale < 1 << 14;
        let scale = if generation == Generation::Gfx12 { (0..4).find(|&n| fits(STRIDE_SCALES[n])).unwrap_or(0) } else { 0 };
        put(&at::STRIDE, (self.stride / STRIDE_SCALES[scale]).into())?;
        put(&at::STRIDE_SCALE, scale as u64)?;
        put(&at::NUM_RECORDS, self.num_records.into())?;
        match (self.swizzle_bytes, generation) {
            (0, _) => {}
            (bytes @ (2 | 4 | 8 | 16), Generation::Gfx6 | Generation::Gfx8) => {
                put(&at::SWIZZLE_ENABLE, 1)?;
                put(&at::ELEMENT_SIZE, u64::from(bytes.trailing_zeros()) - 1)?;
            }
            (4, _) => put(&at::SWIZZLE_ENABLE, 1)?,
            (16, Generation::Gfx11 | Generation::Gfx12) => put(&at::SWIZZLE_ENABLE, 3)?,
            (bytes, _) => return Err(EncodeError::Absent { field: "ELEMENT_SIZE", value: bytes.into(), generation }),
        }
        let group = in_units(&at::INDEX_STRIDE, self.index_stride.into(), 8)?;
        put(&at::INDEX_STRIDE, group.checked_ilog2().filter(|_| group.is_power_of_two()).map_or(u64::MAX, u64::from))?;
        put(&at::ADD_TID_ENABLE, self.add_tid.into())?;
        put(&at::OOB_SELECT, self.oob_select.into())?;
        for (field, sel) in [&at::DST_SEL_X, &at::DST_SEL_Y, &at::DST_SEL_Z, &at::DST_SEL_W].into_iter().zip(self.dst_sel) {
            put(field, sel.field().into())?;
        }
        match self.format {
            FormatNumber::Split { data, number } => {
                put(&at::DATA_FORMAT, data.into())?;
                put(&at::NUM_FORMAT, number.into())?;
            }
            FormatNumber::Unified(number) => put(&at::FORMAT, number.into())?,
        }
        if matches!(generation, Generation::Gfx10 | Generation::Gfx103) {
            put(&at::RESOURCE_LEVEL, 1)?;
        }
        put(&at::TYPE, self.kind.into())?;
        Ok(words)
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
