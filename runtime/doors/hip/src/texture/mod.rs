//! Textures: descriptors in memory that kernels read by the pointer which is the texture object.
//!
//! As device code expects, an object is 20 dwords: an image descriptor (T#) of eight or a buffer descriptor (V#) of four, HSA's channel type and
//! order and the width from dword 8 on, and a sampler descriptor (S#) from dword 12 on.
//!
//! `resource.rs` says what textures read, `object.rs` and `driver.rs` have the functions of the two interfaces, `reference.rs` those for texture
//! references, `surface.rs` surfaces.

pub mod driver;
pub mod object;
pub mod reference;
mod resource;
pub mod surface;

use crate::abi::{ResourceDesc, TextureDesc, ViewDesc};
use crate::gpu::{self, Gpu};
use crate::status::{Result, Status, status_of};
use resource::Resource;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use wavejit::fork::RwLock;
use wavejit::{BorderColor, Buffer, Clamp, Filter, MipFilter, SamplerDesc};
use wavejit_texture::descriptor::SamplerDescriptor;

/// Dwords of the part that says what is read, and of all.
const IMAGE_DWORDS: usize = 12;
const DWORDS: usize = IMAGE_DWORDS + 8;
/// `hipAddressModeWrap` and its like.
const WRAP: i32 = 0;
const MIRROR: i32 = 2;
const BORDER: i32 = 3;
const LINEAR: i32 = 1;

/// A texture or surface object.
struct Object {
    resource_desc: ResourceDesc,
    texture_desc: TextureDesc,
    view_desc: Option<ViewDesc>,
    /// What it reads, which stays as long as the object.
    _resource: Resource,
    memory: Buffer,
}

/// Live objects by their address.
static OBJECTS: RwLock<Option<FxHashMap<usize, Arc<Object>>>> = RwLock::new(None);

fn add(object: Object) -> usize {
    let address = object.memory.address() as usize;
    OBJECTS.write().get_or_insert_default().insert(address, Arc::new(object));
    address
}

fn get(address: usize) -> Result<Arc<Object>> {
    OBJECTS.read().as_ref().and_then(|all| all.get(&address).cloned()).ok_or(Status::INVALID_VALUE)
}

fn remove(address: usize) -> Result {
    let found = OBJECTS.write().as_mut().and_then(|all| all.remove(&address));
    found.map(|_| ()).ok_or(Status::INVALID_VALUE)
}

/// Makes an object on this thread's device; its address.
fn create(resource_desc: ResourceDesc, texture_desc: TextureDesc, view_desc: Option<ViewDesc>) -> Result<usize> {
    let gpu = gpu::current()?;
    let resource = Resource::of(&resource_desc)?;
    let is_array = matches!(resource, Resource::Array(_) | Resource::Mipmapped(_));
    if view_desc.is_some() && !is_array {
        return Err(Status::INVALID_VALUE);
    }
    if matches!(resource, Resource::Mipmapped(_)) && texture_desc.normalized == 0 {
        return Err(Status::INVALID_VALUE);
    }
    let mut words = [0; DWORDS];
    let image = resource.image(gpu, &texture_desc, view_desc.as_ref())?;
    words[..IMAGE_DWORDS].copy_from_slice(&image);
    words[IMAGE_DWORDS..IMAGE_DWORDS + 4].copy_from_slice(&sampler(gpu, &texture_desc)?);
    put(gpu, &words, resource_desc, texture_desc, view_desc, resource)
}

/// Writes an object to memory.
fn put(
    gpu: &Gpu,
    words: &[u32],
    resource_desc: ResourceDesc,
    texture_desc: TextureDesc,
    view_desc: Option<ViewDesc>,
    resource: Resource,
) -> Result<usize> {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let memory = gpu.device.upload(&bytes).map_err(|e| status_of(&e))?;
    Ok(add(Object { resource_desc, texture_desc, view_desc, _resource: resource, memory }))
}

/// The sampler descriptor. As on AMD's devices the address mode of x is that of all coordinates, and what is not normalized does not repeat.
fn sampler(gpu: &Gpu, desc: &TextureDesc) -> Result<[u32; 4]> {
    let is_normalized = desc.normalized != 0;
    let clamp = match desc.address[0] {
        WRAP if is_normalized => Clamp::Wrap,
        MIRROR if is_normalized => Clamp::Mirror,
        BORDER => Clamp::Border,
        WRAP..=BORDER => Clamp::Edge,
        _ => return Err(Status::INVALID_VALUE),
    };
    if desc.anisotropy > 16 || !(0..=LINEAR).contains(&desc.filter) || !(0..=LINEAR).contains(&desc.mip_filter) {
        return Err(Status::INVALID_VALUE);
    }
    let filter = if desc.filter == LINEAR { Filter::Linear } else { Filter::Point };
    let border = match desc.border {
        [0.0, 0.0, 0.0, 0.0] => BorderColor::TransparentBlack,
        color => gpu.device.border_color(color).map_err(|e| status_of(&e))?,
    };
    let first = desc.min_level.clamp(0.0, 15.0);
    let sampler = SamplerDesc {
        generation: gpu.target.processor.descriptors(),
        mag: filter,
        min: filter,
        mip: if desc.mip_filter == LINEAR { MipFilter::Linear } else { MipFilter::Point },
        clamp: [clamp; 3],
        border,
        lod: (first, desc.max_level.clamp(first, 15.0)),
        bias: desc.bias,
        // The largest power of two that is not more.
        max_anisotropy: 1 << desc.anisotropy.max(1).ilog2(),
        unnormalized: !is_normalized,
        ..Default::default()
    };
    let words = sampler.encode().map_err(|_| Status::INVALID_VALUE)?;
    // As ROCm's samplers: AMD's device library moves points to the edge of their texel, from where rounding to 1/256 finds it, but not truncation.
    let plain = SamplerDescriptor { trunc_coord: false, ..SamplerDescriptor::decode(&words, sampler.generation) };
    plain.encode().map_err(|_| Status::INVALID_VALUE)
}
