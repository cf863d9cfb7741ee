//! Texture objects of the run-time interface.

use crate::abi::{In, Out, ResourceDesc, TextureDesc, ViewDesc, given, put, zeroed};
use crate::status::{Status, hip};
use std::ffi::c_void;

hip! {
    fn hipCreateTextureObject(object: Out<*mut c_void>, resource: In<ResourceDesc>, texture: In<TextureDesc>, view: In<ViewDesc>) {
        let out = object.ok_or(Status::INVALID_VALUE)?;
        out.write(super::create(given(resource)?, given(texture)?, view.copied())? as *mut c_void);
        Ok(())
    }
    fn hipDestroyTextureObject(object: *mut c_void) {
        if object.is_null() { Ok(()) } else { super::remove(object as usize) }
    }
    fn hipGetTextureObjectResourceDesc(resource: Out<ResourceDesc>, object: *mut c_void) {
        put(resource, super::get(object as usize)?.resource_desc)
    }
    fn hipGetTextureObjectTextureDesc(texture: Out<TextureDesc>, object: *mut c_void) {
        put(texture, super::get(object as usize)?.texture_desc)
    }
    fn hipGetTextureObjectResourceViewDesc(view: Out<ViewDesc>, object: *mut c_void) {
        put(view, super::get(object as usize)?.view_desc.unwrap_or_else(zeroed))
    }
}
