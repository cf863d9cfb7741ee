//! What textures and surfaces read: arrays, or memory that HIP has allocated.

use crate::abi::{ResourceDesc, TextureDesc, ViewDesc};
use crate::allocations;
use crate::array::{self, Array, Mipmapped};
use crate::gpu::Gpu;
use crate::properties::TEXTURE_ALIGN;
use crate::status::{Result, Status};
use crate::texel::{Read, Texel};
use std::ffi::c_void;
use std::sync::Arc;
use wavejit_texture::descriptor::{BufferDescriptor, ImageDescriptor, ImageType};

/// `hipResourceTypeArray` and its like.
pub(super) const ARRAY: i32 = 0;
pub(super) const MIPMAPPED: i32 = 1;
pub(super) const LINEAR: i32 = 2;
pub(super) const PITCHED: i32 = 3;

/// Most texels of a side of a flat image.
const MAX_SIDE: u64 = 16384;

/// What is read.
pub(super) enum Resource {
    Array(Arc<Array>),
    Mipmapped(Arc<Mipmapped>),
    /// Texels one after the other.
    Linear {
        address: u64,
        texel: Texel,
        bytes: u64,
    },
    /// Rows.
    Pitched {
        address: u64,
        texel: Texel,
        size: [u64; 2],
        pitch: u64,
    },
}

impl Resource {
    /// Of what C describes. The words behind the kind: a handle; or an address, a channel descriptor of five numbers, and sizes.
    pub(super) fn of(desc: &ResourceDesc) -> Result<Resource> {
        let words = desc.words;
        match desc.kind {
            ARRAY => Ok(Resource::Array(array::get(words[0] as *const c_void)?)),
            MIPMAPPED => Ok(Resource::Mipmapped(array::get_mipmapped(words[0] as *const c_void)?)),
            LINEAR => Resource::linear(words[0], channels_of(desc)?, words[4]),
            PITCHED => Resource::pitched(words[0], channels_of(desc)?, [words[4], words[5]], words[6]),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    fn linear(address: u64, texel: Texel, bytes: u64) -> Result<Resource> {
        check_memory(address, bytes)?;
        if bytes / u64::from(texel.bytes()) > i32::MAX as u64 {
            Err(Status::INVALID_VALUE)
        } else {
            Ok(Resource::Linear { address, texel, bytes })
        }
    }

    fn pitched(address: u64, texel: Texel, size: [u64; 2], pitch: u64) -> Result<Resource> {
        let texel_bytes = u64::from(texel.bytes());
        let sides = 1..=MAX_SIDE;
        let is_wrong = !sides.contains(&size[0])
            || !sides.contains(&size[1])
            || pitch < size[0] * texel_bytes
            || pitch > MAX_SIDE * 16
            || !pitch.is_multiple_of(TEXTURE_ALIGN as u64);
        if is_wrong {
            return Err(Status::INVALID_VALUE);
        }
        check_memory(address, pitch * (size[1] - 1) + size[0] * texel_bytes)?;
        Ok(Resource::Pitched { address, texel, size, pitch })
    }

    /// The first twelve dwords of a texture object.
    pub(super) fn image(&self, gpu: &Gpu, desc: &TextureDesc, view: Option<&ViewDesc>) -> Result<[u32; 12]> {
        let read = match (desc.read, desc.srgb) {
            (0, _) => Read::Plain,
            (1, 0) => Read::Fraction,
            (1, _) => Read::Srgb,
            _ => return Err(Status::INVALID_VALUE),
        };
        let generation = gpu.target.processor.descriptors();
        match self {
            Resource::Array(array) => {
                let (mut image, texel) = viewed(&array.storage, read, view)?;
                (image.base_level, image.last_level) = (array.level as u8, array.level as u8);
                finish(&image, texel, read)
            }
            Resource::Mipmapped(array) => {
                let (mut image, texel) = viewed(&array.storage, read, view)?;
                if let Some(view) = view.filter(|v| v.last_level != 0 || v.first_level != 0) {
                    if view.first_level > view.last_level || view.last_level >= array.storage.levels() {
                        return Err(Status::INVALID_VALUE);
                    }
                    (image.base_level, image.last_level) = (view.first_level as u8, view.last_level as u8);
                }
                finish(&image, texel, read)
            }
            Resource::Linear { address, texel, bytes } => {
                let count = (bytes / u64::from(texel.bytes())) as u32;
                let buffer = BufferDescriptor {
                    stride: texel.bytes(),
                    dst_sel: texel.components(),
                    ..BufferDescriptor::new(generation, *address, count, texel.number(generation, read)?)
                };
                let mut words = [0; 12];
                words[..4].copy_from_slice(&buffer.encode().map_err(|_| Status::INVALID_VALUE)?);
                words[8..11].copy_from_slice(&described(*texel, read, count));
                Ok(words)
            }
            Resource::Pitched { address, texel, size, pitch } => {
                let number = texel.number(generation, read)?;
                let image = ImageDescriptor {
                    base: *address,
                    pitch: Some((pitch / u64::from(texel.bytes())) as u32),
                    dst_sel: texel.components(),
                    ..ImageDescriptor::new(generation, ImageType::Dim2, number, size[0] as u32, size[1] as u32)
                };
                finish(&image, *texel, read)
            }
        }
    }
}

/// The channel descriptor behind an address.
pub(super) fn channels_of(desc: &ResourceDesc) -> Result<Texel> {
    let words = desc.words;
    let [x, y] = [words[1] as i32, (words[1] >> 32) as i32];
    let [z, w] = [words[2] as i32, (words[2] >> 32) as i32];
    Texel::of_desc(&crate::abi::ChannelDesc { x, y, z, w, kind: words[3] as i32 })
}

/// Refuses memory that textures cannot read: unknown, too small, not aligned.
fn check_memory(address: u64, bytes: u64) -> Result {
    if address == 0 || bytes == 0 || !address.is_multiple_of(TEXTURE_ALIGN as u64) {
        return Err(Status::INVALID_VALUE);
    }
    allocations::check_range(address, bytes)?.map(|_| ()).ok_or(Status::INVALID_VALUE)
}

/// The descriptor of an array, as a view shows it.
fn viewed(storage: &array::Storage, read: Read, view: Option<&ViewDesc>) -> Result<(ImageDescriptor, Texel)> {
    let own = storage.shape.texel;
    let texel = match view {
        Some(view) => Texel::of_view(view.format, own)?,
        None => own,
    };
    if texel.bytes() != own.bytes() {
        return Err(Status::INVALID_VALUE);
    }
    let mut image = storage.descriptor(texel, read)?;
    if let Some(view) = view.filter(|v| image.kind.is_array() && v.last_layer != 0) {
        if view.first_layer > view.last_layer || view.last_layer > image.last_layer {
            return Err(Status::INVALID_VALUE);
        }
        (image.first_layer, image.last_layer) = (view.first_layer, view.last_layer);
    }
    Ok((image, texel))
}

/// What device code asks for behind a descriptor.
fn described(texel: Texel, read: Read, width: u32) -> [u32; 3] {
    let [kind, order] = texel.hsa(read);
    [kind, order, width]
}

fn finish(image: &ImageDescriptor, texel: Texel, read: Read) -> Result<[u32; 12]> {
    let mut words = [0; 12];
    words[..8].copy_from_slice(&image.encode().map_err(|_| Status::INVALID_VALUE)?);
    words[8..11].copy_from_slice(&described(texel, read, (image.width >> image.base_level).max(1)));
    Ok(words)
}
