//! Functions that make arrays, free them, and answer questions about them.

use super::{ARRAYS, Array, MIPMAPPED, Mipmapped, Shape, Storage};
use crate::abi::{ArrayDesc, ArrayDesc3D, ChannelDesc, Extent, In, Out, given, put, put_if};
use crate::gpu::{self, Gpu};
use crate::status::{Result, Status, hip};
use crate::stream;
use crate::texel::Texel;
use std::ffi::c_void;
use std::sync::Arc;

/// What C calls an array.
type Handle = *mut c_void;

fn create(out: Out<Handle>, shape: Result<Shape>) -> Result {
    let out = out.ok_or(Status::INVALID_VALUE)?;
    let storage = Arc::new(Storage::new(gpu::current()?, shape?, 1)?);
    out.write(ARRAYS.add(Arc::new(Array { storage, level: 0 })));
    Ok(())
}

fn create_mipmapped(out: Out<Handle>, shape: Result<Shape>, levels: u32) -> Result {
    let out = out.ok_or(Status::INVALID_VALUE)?;
    let shape = shape?;
    let levels = if levels == 0 { 1 } else { levels.min(shape.most_levels()) };
    let storage = Arc::new(Storage::new(gpu::current()?, shape, levels)?);
    let handles = (0..levels).map(|level| ARRAYS.add(Arc::new(Array { storage: storage.clone(), level })) as usize).collect();
    out.write(MIPMAPPED.add(Arc::new(Mipmapped { storage, levels: handles })));
    Ok(())
}

/// Waits for what the device has to do, which may use what is freed.
fn wait(gpu: &'static Gpu) {
    for stream in stream::all_of(gpu) {
        stream.queue.last().wait();
    }
}

fn free(array: Handle, wrong: Status) -> Result {
    // Levels are freed with what they are levels of.
    let found = ARRAYS.get(array).map_err(|_| wrong)?;
    if found.storage.levels() > 1 {
        return Err(wrong);
    }
    wait(found.storage.gpu);
    ARRAYS.remove(array).map(|_| ()).map_err(|_| wrong)
}

fn free_mipmapped(array: Handle) -> Result {
    let found = super::get_mipmapped(array)?;
    wait(found.storage.gpu);
    for level in &found.levels {
        let _ = ARRAYS.remove(*level as Handle);
    }
    MIPMAPPED.remove(array).map(|_| ())
}

fn level(out: Out<Handle>, of: Handle, level: u32) -> Result {
    let found = super::get_mipmapped(of)?;
    put(out, *found.levels.get(level as usize).ok_or(Status::INVALID_VALUE)? as Handle)
}

fn of_desc(desc: In<ChannelDesc>, extent: [usize; 3], flags: u32) -> Result<Shape> {
    Ok(Shape { texel: Texel::of_desc(&given(desc)?)?, extent, flags })
}

fn of_driver_desc(desc: In<ArrayDesc3D>) -> Result<Shape> {
    let desc = given(desc)?;
    let texel = Texel::of_array(desc.format, desc.channels)?;
    Ok(Shape { texel, extent: [desc.width, desc.height, desc.depth], flags: desc.flags })
}

hip! {
    fn hipMallocArray(array: Out<Handle>, desc: In<ChannelDesc>, width: usize, height: usize, flags: u32) {
        create(array, of_desc(desc, [width, height, 0], flags))
    }
    fn hipMalloc3DArray(array: Out<Handle>, desc: In<ChannelDesc>, extent: Extent, flags: u32) {
        create(array, of_desc(desc, [extent.width, extent.height, extent.depth], flags))
    }
    fn hipArrayCreate(array: Out<Handle>, desc: In<ArrayDesc>) {
        let shape = given(desc).and_then(|d| {
            Ok(Shape { texel: Texel::of_array(d.format, d.channels)?, extent: [d.width, d.height, 0], flags: 0 })
        });
        create(array, shape)
    }
    fn hipArray3DCreate(array: Out<Handle>, desc: In<ArrayDesc3D>) {
        create(array, of_driver_desc(desc))
    }
    fn hipMallocMipmappedArray(array: Out<Handle>, desc: In<ChannelDesc>, extent: Extent, levels: u32, flags: u32) {
        create_mipmapped(array, of_desc(desc, [extent.width, extent.height, extent.depth], flags), levels)
    }
    fn hipMipmappedArrayCreate(array: Out<Handle>, desc: In<ArrayDesc3D>, levels: u32) {
        create_mipmapped(array, of_driver_desc(desc), levels)
    }
    fn hipFreeArray(array: Handle) {
        if array.is_null() { return Err(Status::INVALID_VALUE); }
        free(array, Status::CONTEXT_IS_DESTROYED)
    }
    fn hipArrayDestroy(array: Handle) {
        if array.is_null() { return Err(Status::INVALID_VALUE); }
        free(array, Status::CONTEXT_IS_DESTROYED)
    }
    fn hipFreeMipmappedArray(array: Handle) {
        free_mipmapped(array)
    }
    fn hipMipmappedArrayDestroy(array: Handle) {
        free_mipmapped(array)
    }
    fn hipGetMipmappedArrayLevel(array: Out<Handle>, of: Handle, number: u32) {
        level(array, of, number)
    }
    fn hipMipmappedArrayGetLevel(array: Out<Handle>, of: Handle, number: u32) {
        level(array, of, number)
    }
    fn hipGetChannelDesc(desc: Out<ChannelDesc>, array: *const c_void) {
        put(desc, super::get(array)?.storage.shape.texel.desc())
    }
    fn hipArrayGetInfo(desc: Out<ChannelDesc>, extent: Out<Extent>, flags: Out<u32>, array: Handle) {
        let array = super::get(array)?;
        let [width, height, depth] = array.extent();
        put_if(desc, array.storage.shape.texel.desc());
        put_if(extent, Extent { width, height, depth });
        put_if(flags, array.storage.shape.flags);
        Ok(())
    }
    fn hipArrayGetDescriptor(desc: Out<ArrayDesc>, array: Handle) {
        let array = super::get(array)?;
        let ([width, height, _], texel) = (array.extent(), array.storage.shape.texel);
        put(desc, ArrayDesc { width, height, format: texel.array_format(), channels: texel.channels() })
    }
    fn hipArray3DGetDescriptor(desc: Out<ArrayDesc3D>, array: Handle) {
        let array = super::get(array)?;
        let ([width, height, depth], shape) = (array.extent(), array.storage.shape);
        put(desc, ArrayDesc3D {
            width, height, depth, format: shape.texel.array_format(), channels: shape.texel.channels(), flags: shape.flags, reserved: 0,
        })
    }
}
