//! Surfaces: arrays that kernels write. An object is the image descriptor of a texture object, without a sampler.

use super::resource::{ARRAY, Resource};
use crate::abi::{In, Out, ResourceDesc, given, zeroed};
use crate::gpu;
use crate::status::{Status, hip};
use std::ffi::c_void;

hip! {
    fn hipCreateSurfaceObject(object: Out<*mut c_void>, resource: In<ResourceDesc>) {
        let out = object.ok_or(Status::INVALID_VALUE)?;
        let desc = given(resource)?;
        if desc.kind != ARRAY { return Err(Status::INVALID_VALUE); }
        let (gpu, resource) = (gpu::current()?, Resource::of(&desc)?);
        let words = resource.image(gpu, &zeroed(), None)?;
        out.write(super::put(gpu, &words, desc, zeroed(), None, resource)? as *mut c_void);
        Ok(())
    }
    fn hipDestroySurfaceObject(object: *mut c_void) {
        if object.is_null() { Ok(()) } else { super::remove(object as usize) }
    }
}
