//! Texture objects of the driver interface: the same in other structures.

use super::resource::{ARRAY, LINEAR, MIPMAPPED, PITCHED};
use crate::abi::{DrvResourceDesc, DrvTextureDesc, DrvViewDesc, In, Out, ResourceDesc, TextureDesc, given, put, zeroed};
use crate::status::{Result, Status, hip};
use crate::texel::Texel;
use std::ffi::c_void;

/// `HIP_TRSF_READ_AS_INTEGER` and its like.
const READ_AS_INTEGER: u32 = 0x01;
const NORMALIZED: u32 = 0x02;
const SRGB: u32 = 0x10;

/// Memory is described by an array format and a number of channels, where the run-time interface has a channel descriptor of five numbers.
fn resource_of(desc: &DrvResourceDesc) -> Result<ResourceDesc> {
    let from = desc.words;
    let mut words = [0; 7];
    words[0] = from[0];
    if desc.kind == LINEAR || desc.kind == PITCHED {
        let channels = Texel::of_array(from[1] as i32, (from[1] >> 32) as u32)?.desc();
        let pair = |low: i32, high: i32| u64::from(low as u32) | u64::from(high as u32) << 32;
        words[1..4].copy_from_slice(&[pair(channels.x, channels.y), pair(channels.z, channels.w), pair(channels.kind, 0)]);
        words[4..7].copy_from_slice(&from[2..5]);
    }
    Ok(ResourceDesc { kind: desc.kind, words })
}

fn driver_resource_of(desc: &ResourceDesc) -> Result<DrvResourceDesc> {
    let mut to: DrvResourceDesc = zeroed();
    (to.kind, to.words[0]) = (desc.kind, desc.words[0]);
    if !matches!(desc.kind, ARRAY | MIPMAPPED) {
        let texel = super::resource::channels_of(desc)?;
        to.words[1] = u64::from(texel.array_format() as u32) | u64::from(texel.channels()) << 32;
        to.words[2..5].copy_from_slice(&desc.words[4..7]);
    }
    Ok(to)
}

fn texture_of(desc: &DrvTextureDesc) -> TextureDesc {
    TextureDesc {
        address: desc.address,
        filter: desc.filter,
        read: i32::from(desc.flags & READ_AS_INTEGER == 0),
        srgb: i32::from(desc.flags & SRGB != 0),
        border: desc.border,
        normalized: i32::from(desc.flags & NORMALIZED != 0),
        anisotropy: desc.anisotropy,
        mip_filter: desc.mip_filter,
        bias: desc.bias,
        min_level: desc.min_level,
        max_level: desc.max_level,
    }
}

fn driver_texture_of(desc: &TextureDesc) -> DrvTextureDesc {
    let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
    DrvTextureDesc {
        address: desc.address,
        filter: desc.filter,
        flags: flag(desc.read == 0, READ_AS_INTEGER) | flag(desc.normalized != 0, NORMALIZED) | flag(desc.srgb != 0, SRGB),
        anisotropy: desc.anisotropy,
        mip_filter: desc.mip_filter,
        bias: desc.bias,
        min_level: desc.min_level,
        max_level: desc.max_level,
        border: desc.border,
        reserved: [0; 12],
    }
}

hip! {
    fn hipTexObjectCreate(object: Out<*mut c_void>, resource: In<DrvResourceDesc>, texture: In<DrvTextureDesc>, view: In<DrvViewDesc>) {
        let out = object.ok_or(Status::INVALID_VALUE)?;
        let (resource, texture) = (resource_of(&given(resource)?)?, texture_of(&given(texture)?));
        out.write(super::create(resource, texture, view.map(|v| v.view))? as *mut c_void);
        Ok(())
    }
    fn hipTexObjectDestroy(object: *mut c_void) {
        super::remove(object as usize)
    }
    fn hipTexObjectGetResourceDesc(resource: Out<DrvResourceDesc>, object: *mut c_void) {
        put(resource, driver_resource_of(&super::get(object as usize)?.resource_desc)?)
    }
    fn hipTexObjectGetTextureDesc(texture: Out<DrvTextureDesc>, object: *mut c_void) {
        put(texture, driver_texture_of(&super::get(object as usize)?.texture_desc))
    }
    fn hipTexObjectGetResourceViewDesc(view: Out<DrvViewDesc>, object: *mut c_void) {
        let found = super::get(object as usize)?.view_desc.unwrap_or_else(zeroed);
        put(view, DrvViewDesc { view: found, reserved: [0; 16] })
    }
}
