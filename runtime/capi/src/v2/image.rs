//! Images.

use super::super::{bad, bytes, string};
use super::call;
use super::device::device;
use super::handles::{Handle, Handles};
use super::structs::{self, c_struct};
use std::ffi::{c_char, c_void};
use std::sync::Arc;
use wavejit::{Error, Image, ImageDesc, ImageFormat, ImageKind, ImageTiling};

c_struct! {
    /// `wavejit2_image_desc`.
    CImageDesc = "wavejit2_image_desc" {
        size: u32,
        kind: u32,
        format: *const c_char,
        width: u32,
        height: u32,
        depth: u32,
        levels: u32,
        samples: u32,
        tiling: u32,
    }
}

static IMAGES: Handles<Image> = Handles::new("image");

/// By `WAVEJIT2_IMAGE_*`.
const KINDS: [ImageKind; 6] =
    [ImageKind::OneD, ImageKind::OneDArray, ImageKind::TwoD, ImageKind::TwoDArray, ImageKind::ThreeD, ImageKind::Cube];

/// The image of a handle.
pub(super) fn image(handle: Handle) -> Result<Arc<Image>, Error> {
    IMAGES.get(handle)
}

/// # Safety
/// `format` is null or a string.
unsafe fn described(desc: &CImageDesc) -> Result<ImageDesc, Error> {
    // SAFETY: the caller vouches for the string.
    let name = unsafe { string(desc.format, "wavejit2_image_desc.format")? };
    let format = ImageFormat::parse(name).ok_or_else(|| {
        let names: Vec<&str> = ImageFormat::names().collect();
        bad(&format!("image format `{name}`: expected one of {}", names.join(", ")))
    })?;
    let kind = *KINDS.get(desc.kind as usize).ok_or_else(|| bad(&format!("image kind {}", desc.kind)))?;
    let tiling = match desc.tiling {
        0 => ImageTiling::Optimal,
        1 => ImageTiling::Linear,
        other => return Err(bad(&format!("image tiling {other}"))),
    };
    let one = |n: u32| n.max(1);
    Ok(ImageDesc {
        kind,
        format,
        width: desc.width,
        height: one(desc.height),
        depth: one(desc.depth),
        levels: desc.levels,
        samples: one(desc.samples),
        tiling,
        ..Default::default()
    })
}

/// `int32_t wavejit2_image_open(wavejit2_device device, const wavejit2_image_desc *desc, wavejit2_image *out)`
///
/// # Safety
/// `desc` is null or a structure of the size that it says; `out` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_image_open(handle: Handle, desc: *const CImageDesc, out: *mut Handle) -> i32 {
    call(|| {
        // SAFETY: the caller vouches for the place and the structure, and for the string in it.
        let desc = unsafe {
            structs::place(out)?;
            described(&structs::read(desc)?)?
        };
        let image = device(handle)?.device.image(&desc)?;
        // SAFETY: as above.
        unsafe { structs::put(out, IMAGES.add(image))? };
        Ok(())
    })
}

/// `int32_t wavejit2_image_close(wavejit2_image image)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_image_close(handle: Handle) -> i32 {
    call(|| {
        IMAGES.close(handle)?;
        Ok(())
    })
}

/// `int32_t wavejit2_image_level(wavejit2_image image, uint32_t level, uint32_t elements[3], uint64_t *bytes)`
///
/// # Safety
/// `elements` is null or has three writable numbers; `out` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_image_level(handle: Handle, level: u32, elements: *mut [u32; 3], out: *mut u64) -> i32 {
    call(|| {
        let image = image(handle)?;
        let (Some(size), Some(len)) = (image.elements(level), image.level_bytes(level)) else {
            return Err(bad(&format!("the image has no level {level}")).into());
        };
        // SAFETY: the caller vouches for both places.
        unsafe {
            structs::put(elements, size)?;
            structs::put(out, len as u64)?;
        }
        Ok(())
    })
}

/// `int32_t wavejit2_image_write(wavejit2_image image, uint32_t level, const void *rows, size_t bytes)`
///
/// # Safety
/// `rows` is null or has `len` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_image_write(handle: Handle, level: u32, rows: *const c_void, len: usize) -> i32 {
    call(|| {
        // SAFETY: the caller vouches for the bytes.
        image(handle)?.write(level, unsafe { bytes(rows, len, "rows")? })?;
        Ok(())
    })
}

/// `int32_t wavejit2_image_read(wavejit2_image image, uint32_t level, void *rows, size_t bytes)`
///
/// # Safety
/// `rows` is null or has `len` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_image_read(handle: Handle, level: u32, rows: *mut c_void, len: usize) -> i32 {
    call(|| {
        let read = image(handle)?.read(level)?;
        if rows.is_null() || read.len() != len {
            return Err(bad(&format!("level {level} of the image has {} bytes as rows; {len} to {rows:?}", read.len())).into());
        }
        // SAFETY: not null; the caller vouches for `len` writable bytes.
        unsafe { std::ptr::copy_nonoverlapping(read.as_ptr(), rows.cast::<u8>(), len) };
        Ok(())
    })
}

/// `int32_t wavejit2_image_make_levels(wavejit2_image image)`
#[unsafe(no_mangle)]
pub extern "C" fn wavejit2_image_make_levels(handle: Handle) -> i32 {
    call(|| {
        image(handle)?.make_levels()?;
        Ok(())
    })
}

/// `int32_t wavejit2_image_descriptor(wavejit2_image image, uint32_t words[8], uint64_t *address)`
///
/// # Safety
/// `words` is null or has eight writable numbers; `address` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavejit2_image_descriptor(handle: Handle, words: *mut [u32; 8], address: *mut u64) -> i32 {
    call(|| {
        let image = image(handle)?;
        // SAFETY: the caller vouches for both places.
        unsafe {
            structs::put(words, image.descriptor())?;
            structs::put(address, image.descriptor_address())?;
        }
        Ok(())
    })
}
