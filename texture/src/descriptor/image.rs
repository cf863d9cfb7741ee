//! Image descriptors (T#): eight dwords, or four where the instruction says R128 (GCN-05).
//!
//! [`ImageDescriptor`] is the descriptor with everything resolved that differs between generations; `image_fields.rs` says where the bits are.
//! Hints that change no result (cache policy, page size, filter quality, counters) are in the table but not in the struct.
//!
//! Reference: RDNA3.5 guide, table 50; RDNA4 guide, table 60; for gfx6 to gfx8 the CLRX documentation; what drivers write from Mesa 25.0.7.

use super::DstSel;
use super::field::{EncodeError, from_fixed, in_units, to_fixed};
use super::image_fields as at;
use crate::Generation;
use crate::format::{Format, FormatNumber};

/// TYPE: the dimensions of an image.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // the shapes are the names
pub enum ImageType {
    Dim1,
    Dim2,
    Dim3,
    Cube,
    Dim1Array,
    Dim2Array,
    Msaa,
    MsaaArray,
    /// 0 to 7: a buffer or reserved. Instructions read 0 and write nothing (IMG-29).
    Other(u8),
}

impl ImageType {
    /// The type of a TYPE field.
    pub fn from_field(n: u8) -> ImageType {
        use ImageType::*;
        [Dim1, Dim2, Dim3, Cube, Dim1Array, Dim2Array, Msaa, MsaaArray]
            .get(usize::from(n & 15).wrapping_sub(8))
            .copied()
            .unwrap_or(Other(n & 7))
    }

    /// The TYPE field: 8 to 15 for images.
    pub fn field(self) -> u8 {
        match self {
            ImageType::Dim1 => 8,
            ImageType::Dim2 => 9,
            ImageType::Dim3 => 10,
            ImageType::Cube => 11,
            ImageType::Dim1Array => 12,
            ImageType::Dim2Array => 13,
            ImageType::Msaa => 14,
            ImageType::MsaaArray => 15,
            ImageType::Other(n) => n & 7,
        }
    }

    /// Are there slices? A cube's are its faces.
    pub fn is_array(self) -> bool {
        matches!(self, ImageType::Cube | ImageType::Dim1Array | ImageType::Dim2Array | ImageType::MsaaArray)
    }

    /// Are there several samples to a texel?
    pub fn is_msaa(self) -> bool {
        matches!(self, ImageType::Msaa | ImageType::MsaaArray)
    }

    /// Does the T# describe an image at all?
    pub fn is_image(self) -> bool {
        !matches!(self, ImageType::Other(_))
    }
}

/// Metadata of compressed images.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Compression {
    /// COMPRESSION_EN: the texels are compressed, unless the metadata says otherwise.
    pub enabled: bool,
    /// Stores compress.
    pub write: bool,
    /// How gfx12 reads compressed texels; 0: as usual.
    pub access_mode: u8,
    /// Address of the metadata.
    pub address: u64,
}

/// A T#, decoded.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ImageDescriptor {
    /// Whose layout the dwords have.
    pub generation: Generation,
    /// Four dwords instead of eight (R128).
    pub is_short: bool,
    /// Nothing is bound: all bits are 0, RESOURCE_LEVEL apart. Loads read 0 without touching memory (IMG-27).
    pub is_unbound: bool,
    /// Shape.
    pub kind: ImageType,
    /// Byte address, a multiple of 256. The low bits may be a pipe and bank XOR of the swizzle mode.
    pub base: u64,
    /// Number of the format; [`ImageDescriptor::format`] looks it up.
    pub format: FormatNumber,
    /// Texels of level 0.
    pub width: u32,
    /// Texels of level 0; 1D: what the field says, which is 1.
    pub height: u32,
    /// Texels of level 0 of a 3D image, else 1. Of a view of slices, one more than the last slice.
    pub depth: u32,
    /// Texels from a row to the next, where the descriptor says so: always on gfx6 to gfx9; on gfx10.3 and later for linear 1D, 2D and MSAA images
    /// with a pitch of their own.
    pub pitch: Option<u32>,
    /// First level of the view.
    pub base_level: u8,
    /// Last level of the view.
    pub last_level: u8,
    /// Levels of the whole image, which its layout needs.
    pub levels: u8,
    /// Log2 of samples of a texel: 0 to 4.
    pub samples_log2: u8,
    /// First slice of the view. 3D: 0, unless it is a view of slices.
    pub first_layer: u32,
    /// Last slice of the view; images without slices: the first. 3D: the last of level 0, or of the view of slices.
    pub last_layer: u32,
    /// 3D: the view is slices `first_layer` to `last_layer` of the bound level (gfx10+, storage images).
    pub is_sliced: bool,
    /// Swizzle mode; gfx6 to gfx8: entry of the tile mode table.
    pub mode: u8,
    /// Sources of the four components.
    pub dst_sel: [DstSel; 4],
    /// Channel order of the border color; [`ImageDescriptor::border_order`] says what it means.
    pub bc_swizzle: u8,
    /// Smallest level that sampling may use, counted from level 0 of the image.
    pub min_lod: f32,
    /// Level below which sampling warns; anything but 0 makes the image partially resident (IMG-04, IMG-06).
    pub min_lod_warn: f32,
    /// gfx9: slice pitch code.
    pub array_pitch: u8,
    /// Levels are padded to powers of two (gfx6 to gfx8).
    pub pow2_pad: bool,
    /// Interlaced (gfx6 to gfx8).
    pub is_interlaced: bool,
    /// Texel centers are at whole coordinates.
    pub corner_samples: bool,
    /// Absent texels read the default instead of failing.
    pub prt_default: bool,
    /// Coordinates are not clamped at a level's edge (gfx12).
    pub no_edge_clamp: bool,
    /// Offset into the table of sample positions.
    pub sample_pattern: u8,
    /// Compression.
    pub compression: Compression,
}

/// No image has more samples than 16, whatever the field says.
const MAX_SAMPLES_LOG2: u8 = 4;

impl ImageDescriptor {
    /// A 2D image (or another kind of its size) with one level, one slice and all components: what a builder starts from.
    pub fn new(generation: Generation, kind: ImageType, format: FormatNumber, width: u32, height: u32) -> ImageDescriptor {
        ImageDescriptor {
            generation,
            is_short: false,
            is_unbound: false,
            kind,
            base: 0,
            format,
            width,
            height,
            depth: 1,
            pitch: (generation <= Generation::Gfx9).then_some(width),
            base_level: 0,
            last_level: 0,
            levels: 1,
            samples_log2: 0,
            first_layer: 0,
            last_layer: 0,
            is_sliced: false,
            mode: 0,
            dst_sel: [0, 1, 2, 3].map(DstSel::Component),
            bc_swizzle: 0,
            min_lod: 0.0,
            min_lod_warn: 0.0,
            array_pitch: 0,
            pow2_pad: false,
            is_interlaced: false,
            corner_samples: false,
            prt_default: false,
            no_edge_clamp: false,
            sample_pattern: 0,
            compression: Compression::default(),
        }
    }

    /// Slices of an image without depth, as far as its layout needs them: on gfx6 to gfx8, where a level has all its slices before the next
    /// level follows, all; else those up to the view's last. `words` are those that `self` was decoded from.
    pub fn layers(&self, words: &[u32; 8]) -> u32 {
        let seen = self.last_layer.max(self.first_layer) + 1;
        if self.generation > Generation::Gfx8 || self.is_short || !self.kind.is_array() {
            return seen;
        }
        let faces = if self.kind == ImageType::Cube { 6 } else { 1 };
        seen.max((at::DEPTH.get(words, self.generation) as u32 + 1) * faces)
    }

    /// Decodes a T#, of which `r128` takes the first four dwords. Every bit pattern is one.
    pub fn decode(words: &[u32; 8], generation: Generation, r128: bool) -> ImageDescriptor {
        let words = if r128 { &words[..4] } else { &words[..] };
        let get = |field: &super::Field| field.get(words, generation) as u32;
        let flag = |field: &super::Field| get(field) != 0;
        let wide = |field: &super::Field| field.get(words, generation);

        let kind = ImageType::from_field(get(&at::TYPE) as u8);
        let format = if generation <= Generation::Gfx9 {
            FormatNumber::Split { data: get(&at::DATA_FORMAT) as u8, number: get(&at::NUM_FORMAT) as u8 }
        } else {
            FormatNumber::Unified(get(&at::FORMAT) as u16)
        };
        let (base_level, last_level, samples_log2) = match get(&at::LAST_LEVEL) as u8 {
            samples if kind.is_msaa() => (0, 0, samples.min(MAX_SAMPLES_LOG2)),
            last => (get(&at::BASE_LEVEL) as u8, last, 0),
        };
        let levels = if kind.is_msaa() { 1 } else { last_level.max(get(&at::MAX_MIP) as u8) + 1 };

        let is_sliced = kind == ImageType::Dim3
            && match generation {
                Generation::Gfx10 | Generation::Gfx103 | Generation::Gfx11 => get(&at::ARRAY_PITCH) & 1 != 0,
                _ => flag(&at::UAV3D),
            };
        let last_field = if generation <= Generation::Gfx8 { &at::LAST_ARRAY } else { &at::DEPTH };
        let (first_layer, last_layer) = match kind {
            ImageType::Dim3 if is_sliced => (get(&at::BASE_ARRAY), get(&at::DEPTH)),
            ImageType::Dim3 => (0, get(&at::DEPTH)),
            _ if kind.is_array() => (get(&at::BASE_ARRAY), get(last_field)),
            _ => (get(&at::BASE_ARRAY), get(&at::BASE_ARRAY)),
        };

        ImageDescriptor {
            generation,
            is_short: r128,
            is_unbound: words.iter().enumerate().all(|(n, &w)| w & !resource_level(n, generation) == 0),
            kind,
            base: wide(&at::BASE_ADDRESS) << 8,
            format,
            width: get(&at::WIDTH) + 1,
            height: get(&at::HEIGHT) + 1,
            depth: if kind == ImageType::Dim3 { get(&at::DEPTH) + 1 } else { 1 },
            pitch: pitch(words, generation, kind, r128),
            base_level,
            last_level,
            levels,
            samples_log2,
            first_layer,
            last_layer,
            is_sliced,
            mode: get(if generation <= Generation::Gfx8 { &at::TILING_INDEX } else { &at::SW_MODE }) as u8,
            dst_sel: [&at::DST_SEL_X, &at::DST_SEL_Y, &at::DST_SEL_Z, &at::DST_SEL_W].map(|f| DstSel::from_field(get(f))),
            bc_swizzle: get(&at::BC_SWIZZLE) as u8,
            min_lod: from_fixed(wide(&at::MIN_LOD), 8),
            min_lod_warn: from_fixed(wide(&at::MIN_LOD_WARN), 8),
            array_pitch: if generation == Generation::Gfx9 { get(&at::ARRAY_PITCH) as u8 } else { 0 },
            pow2_pad: flag(&at::POW2_PAD),
            is_interlaced: flag(&at::INTERLACED),
            corner_samples: flag(&at::CORNER_SAMPLES),
            prt_default: flag(&at::PRT_DEFAULT),
            no_edge_clamp: flag(&at::NO_EDGE_CLAMP),
            sample_pattern: get(&at::SAMPLE_PATTERN_OFFSET) as u8,
            compression: Compression {
                enabled: flag(&at::COMPRESSION_EN),
                write: flag(&at::WRITE_COMPRESS_ENABLE),
                access_mode: get(&at::COMPRESSION_ACCESS_MODE) as u8,
                address: (wide(&at::META_DATA_ADDRESS) | wide(&at::META_DATA_ADDRESS_HI) << 32) << 8,
            },
        }
    }

    /// The dwords of this descriptor; of a short one the last four are 0. Hints get the values drivers write.
    pub fn encode(&self) -> Result<[u32; 8], EncodeError> {
        use Generation::*;
        let generation = self.generation;
        let mut words = [0; 8];
        if self.is_unbound {
            return Ok(words);
        }
        let length = if self.is_short { 4 } else { 8 };
        let mut put = |field: &super::Field, value: u64| field.put(&mut words[..length], generation, value);

        put(&at::BASE_ADDRESS, in_units(&at::BASE_ADDRESS, self.base, 256)?)?;
        match self.format {
            FormatNumber::Split { data, number } => {
                put(&at::DATA_FORMAT, data.into())?;
                put(&at::NUM_FORMAT, number.into())?;
            }
            FormatNumber::Unified(number) => put(&at::FORMAT, number.into())?,
        }
        put(&at::TYPE, self.kind.field().into())?;
        put(&at::WIDTH, u64::from(self.width).wrapping_sub(1))?;
        put(&at::HEIGHT, u64::from(self.height).wrapping_sub(1))?;
        if matches!(generation, Gfx10 | Gfx103) {
            put(&at::RESOURCE_LEVEL, 1)?;
        }
        for (field, sel) in [&at::DST_SEL_X, &at::DST_SEL_Y, &at::DST_SEL_Z, &at::DST_SEL_W].into_iter().zip(self.dst_sel) {
            put(field, sel.field().into())?;
        }

        let samples = self.samples_log2.into();
        put(&at::BASE_LEVEL, self.base_level.into())?;
        put(&at::LAST_LEVEL, if self.kind.is_msaa() { samples } else { self.last_level.into() })?;
        if at::MAX_MIP.place(generation).is_some_and(|(hi, _)| usize::from(hi / 32) < length) {
            put(&at::MAX_MIP, if self.kind.is_msaa() { samples } else { u64::from(self.levels).wrapping_sub(1) })?;
        }
        put(if generation <= Gfx8 { &at::TILING_INDEX } else { &at::SW_MODE }, self.mode.into())?;

        if !self.is_short || self.kind == ImageType::Dim3 || self.kind.is_array() {
            let (first, last) = (u64::from(self.first_layer), u64::from(self.last_layer));
            if self.kind == ImageType::Dim3 && !self.is_sliced {
                put(&at::DEPTH, u64::from(self.depth).wrapping_sub(1))?;
            } else {
                put(&at::BASE_ARRAY, first)?;
                put(&at::LAST_ARRAY, if generation <= Gfx8 { last } else { 0 })?;
                if self.kind == ImageType::Cube && generation <= Gfx8 {
                    put(&at::DEPTH, last / 6)?; // of cubes, not of faces
                } else if self.kind == ImageType::Dim3 || self.kind.is_array() {
                    put(&at::DEPTH, last)?;
                }
            }
        }
        if self.is_sliced {
            put(if generation == Gfx12 { &at::UAV3D } else { &at::ARRAY_PITCH }, 1)?;
        } else {
            put(&at::ARRAY_PITCH, self.array_pitch.into())?;
        }
        if let Some(pitch) = self.pitch {
            let less_1 = u64::from(pitch).wrapping_sub(1);
            if generation <= Gfx9 {
                put(&at::PITCH, less_1)?;
            } else {
                let low = at::DEPTH.width(generation);
                put(&at::DEPTH, less_1 & ((1 << low) - 1))?;
                put(&at::PITCH_MSB, less_1 >> low)?;
            }
        }

        put(&at::BC_SWIZZLE, self.bc_swizzle.into())?;
        put(&at::MIN_LOD, to_fixed(self.min_lod, 8))?;
        put(&at::MIN_LOD_WARN, to_fixed(self.min_lod_warn, 8))?;
        put(&at::POW2_PAD, self.pow2_pad.into())?;
        put(&at::INTERLACED, self.is_interlaced.into())?;
        put(&at::CORNER_SAMPLES, self.corner_samples.into())?;
        put(&at::PRT_DEFAULT, self.prt_default.into())?;
        put(&at::NO_EDGE_CLAMP, self.no_edge_clamp.into())?;
        put(&at::SAMPLE_PATTERN_OFFSET, self.sample_pattern.into())?;
        put(&at::COMPRESSION_EN, self.compression.enabled.into())?;
        put(&at::WRITE_COMPRESS_ENABLE, self.compression.write.into())?;
        put(&at::COMPRESSION_ACCESS_MODE, self.compression.access_mode.into())?;
        let meta = in_units(&at::META_DATA_ADDRESS, self.compression.address, 256)?;
        let low = at::META_DATA_ADDRESS.width(generation).max(1);
        put(&at::META_DATA_ADDRESS, meta & ((1 << low) - 1))?;
        put(&at::META_DATA_ADDRESS_HI, meta >> low)?;
        Ok(words)
    }

    /// The format of the texels; `None`: the number is reserved, or 0.
    pub fn format(&self) -> Option<&'static Format> {
        Format::find(self.generation, self.format)
    }

    /// For each channel of a border color as it is kept, R, G, B, A, the output of an identity view it belongs to (BC_SWIZZLE).
    pub fn border_order(&self) -> [u8; 4] {
        // xyzw xwyz wzyx wxyz zyxw yxwz, reserved numbers as the first
        const ORDERS: [[u8; 4]; 8] =
            [[0, 1, 2, 3], [0, 3, 1, 2], [3, 2, 1, 0], [3, 0, 1, 2], [2, 1, 0, 3], [1, 0, 3, 2], [0, 1, 2, 3], [0, 1, 2, 3]];
        ORDERS[usize::from(self.bc_swizzle & 7)]
    }

    /// May texels be absent (IMG-06)?
    pub fn is_partially_resident(&self) -> bool {
        self.min_lod_warn != 0.0
    }
}

/// The bit of word `n` that does not count as bound.
fn resource_level(n: usize, generation: Generation) -> u32 {
    at::RESOURCE_LEVEL.place(generation).filter(|&(bit, _)| usize::from(bit / 32) == n).map_or(0, |(bit, _)| 1 << (bit % 32))
}

/// gfx6 to gfx9 always say a pitch; gfx10.3 and later put one that is not the usual one where shapes without slices need no DEPTH.
fn pitch(words: &[u32], generation: Generation, kind: ImageType, r128: bool) -> Option<u32> {
    let get = |field: &super::Field| field.get(words, generation) as u32;
    if generation <= Generation::Gfx9 {
        return (!r128).then(|| get(&at::PITCH) + 1);
    }
    let has_pitch = generation >= Generation::Gfx103 && matches!(kind, ImageType::Dim1 | ImageType::Dim2 | ImageType::Msaa);
    let less_1 = get(&at::DEPTH) | get(&at::PITCH_MSB) << at::DEPTH.width(generation);
    (has_pitch && less_1 != 0).then_some(less_1 + 1)
}
