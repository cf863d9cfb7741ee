//! Structures of HIP's public header as they lie in memory, and what pointers of C become in signatures.

use crate::status::{Result, Status};
use std::ffi::c_void;
use std::mem::MaybeUninit;

/// Where C wants a result; null is `None`.
pub type Out<'a, T> = Option<&'a mut MaybeUninit<T>>;
/// What C gives by pointer; null is `None`.
pub type In<'a, T> = Option<&'a T>;

/// Writes a result; null is refused.
pub fn put<T>(out: Out<T>, value: T) -> Result {
    out.ok_or(Status::INVALID_VALUE)?.write(value);
    Ok(())
}

/// Writes a result that the caller may leave out.
pub fn put_if<T>(out: Out<T>, value: T) {
    if let Some(out) = out {
        out.write(value);
    }
}

/// What C gives by pointer; null is refused.
pub fn given<T: Copy>(value: In<T>) -> Result<T> {
    value.copied().ok_or(Status::INVALID_VALUE)
}

/// Zeros.
pub fn zeroed<T: Plain>() -> T {
    // SAFETY: all zeros is a value of plain types.
    unsafe { std::mem::zeroed() }
}

/// A structure of C's that may be all zeros.
///
/// # Safety
/// It may.
pub unsafe trait Plain: Copy {}

macro_rules! structs {
    ($($(#[$meta:meta])* $name:ident { $($field:ident: $ty:ty),* $(,)? } = $bytes:literal;)*) => { $(
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        #[allow(missing_docs)]
        pub struct $name { $(pub $field: $ty),* }
        // SAFETY: numbers and raw pointers.
        unsafe impl Plain for $name {}
        const _: () = assert!(size_of::<$name>() == $bytes);
    )* };
}

structs! {
    /// `dim3`.
    Dim3 { x: u32, y: u32, z: u32 } = 12;
    /// `hipExtent`: the width in elements of arrays, in bytes otherwise.
    Extent { width: usize, height: usize, depth: usize } = 24;
    /// `hipPos`.
    Pos { x: usize, y: usize, z: usize } = 24;
    /// `hipPitchedPtr`.
    PitchedPtr { ptr: *mut c_void, pitch: usize, width: usize, height: usize } = 32;
    /// `hipMemcpy3DParms`.
    Memcpy3D {
        from_array: *mut c_void, from_pos: Pos, from: PitchedPtr, to_array: *mut c_void, to_pos: Pos, to: PitchedPtr, extent: Extent, kind: i32,
    } = 160;
    /// `hipMemcpy3DPeerParms`.
    PeerCopy {
        from_array: *mut c_void, from_pos: Pos, from: PitchedPtr, from_device: i32, to_array: *mut c_void, to_pos: Pos, to: PitchedPtr,
        to_device: i32, extent: Extent,
    } = 168;
    /// A side of a copy of the driver interface in two dimensions.
    DrvSide2D { x_bytes: usize, y: usize, memory: i32, host: *mut c_void, device: *mut c_void, array: *mut c_void, pitch: usize } = 56;
    /// `hip_Memcpy2D`.
    DrvMemcpy2D { from: DrvSide2D, to: DrvSide2D, width_bytes: usize, height: usize } = 128;
    /// A side of a copy of the driver interface in three dimensions.
    DrvSide3D {
        x_bytes: usize, y: usize, z: usize, level: usize, memory: i32, host: *mut c_void, device: *mut c_void, array: *mut c_void,
        pitch: usize, height: usize,
    } = 80;
    /// `HIP_MEMCPY3D`.
    DrvMemcpy3D { from: DrvSide3D, to: DrvSide3D, width_bytes: usize, height: usize, depth: usize } = 184;
    /// `hipPointerAttribute_t`.
    PointerAttributes { memory: i32, device: i32, device_pointer: *mut c_void, host_pointer: *mut c_void, is_managed: i32, flags: u32 } = 32;
    /// `hipFuncAttributes`.
    FunctionAttributes {
        binary_version: i32, cache_mode: i32, const_bytes: usize, local_bytes: usize, max_dynamic_shared_bytes: i32, max_threads: i32,
        registers: i32, carveout: i32, ptx_version: i32, shared_bytes: usize,
    } = 56;
    /// `hipLaunchParams`.
    LaunchParams { function: *const c_void, grid: Dim3, block: Dim3, args: *mut *mut c_void, shared_bytes: usize, stream: *mut c_void } = 56;
    /// `hipFunctionLaunchParams`.
    FunctionLaunchParams { function: *const c_void, grid: Dim3, block: Dim3, shared_bytes: u32, stream: *mut c_void, args: *mut *mut c_void } = 56;
    /// `hipChannelFormatDesc`.
    ChannelDesc { x: i32, y: i32, z: i32, w: i32, kind: i32 } = 20;
    /// `HIP_ARRAY_DESCRIPTOR`.
    ArrayDesc { width: usize, height: usize, format: i32, channels: u32 } = 24;
    /// `HIP_ARRAY3D_DESCRIPTOR`.
    ArrayDesc3D { width: usize, height: usize, depth: usize, format: i32, channels: u32, flags: u32, reserved: u32 } = 40;
    /// `hipResourceDesc`: a kind, and what `crate::texture::resource` makes of the rest.
    ResourceDesc { kind: i32, words: [u64; 7] } = 64;
    /// `HIP_RESOURCE_DESC`.
    DrvResourceDesc { kind: i32, words: [u64; 16], flags: u32 } = 144;
    /// `hipTextureDesc`.
    TextureDesc {
        address: [i32; 3], filter: i32, read: i32, srgb: i32, border: [f32; 4], normalized: i32, anisotropy: u32, mip_filter: i32, bias: f32,
        min_level: f32, max_level: f32,
    } = 64;
    /// `HIP_TEXTURE_DESC`.
    DrvTextureDesc {
        address: [i32; 3], filter: i32, flags: u32, anisotropy: u32, mip_filter: i32, bias: f32, min_level: f32, max_level: f32,
        border: [f32; 4], reserved: [i32; 12],
    } = 104;
    /// `hipResourceViewDesc`.
    ViewDesc {
        format: i32, width: usize, height: usize, depth: usize, first_level: u32, last_level: u32, first_layer: u32, last_layer: u32,
    } = 48;
    /// `HIP_RESOURCE_VIEW_DESC`.
    DrvViewDesc { view: ViewDesc, reserved: [u32; 16] } = 112;
    /// `textureReference`.
    TextureReference {
        normalized: i32, read: i32, filter: i32, address: [i32; 3], desc: ChannelDesc, srgb: i32, anisotropy: u32, mip_filter: i32, bias: f32,
        min_level: f32, max_level: f32, object: *mut c_void, channels: i32, format: i32,
    } = 88;
    /// `hipUUID`.
    Uuid { bytes: [u8; 16] } = 16;
    /// `hipMemLocation`.
    MemLocation { kind: i32, id: i32 } = 8;
    /// `hipMemPoolProps`.
    MemPoolProps { kind: i32, handles: i32, location: MemLocation, security: *mut c_void, max_bytes: usize, reserved: [u8; 56] } = 88;
    /// `hipMemAccessDesc`.
    MemAccessDesc { location: MemLocation, flags: i32 } = 12;
}

/// `hipMemcpyKind`: which sides of a copy are the host's.
#[allow(missing_docs)]
pub mod copy_kind {
    pub const HOST_TO_HOST: i32 = 0;
    pub const HOST_TO_DEVICE: i32 = 1;
    pub const DEVICE_TO_HOST: i32 = 2;
    pub const DEVICE_TO_DEVICE: i32 = 3;
    pub const DEFAULT: i32 = 4;
    pub const DEVICE_TO_DEVICE_NO_CU: i32 = 1024;
}
