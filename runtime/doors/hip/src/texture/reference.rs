//! Texture references: variables of a program that device code reads by a copy of their own.
//!
//! Binding makes a texture object of the reference's fields and what it is bound to, notes the object in the reference, and copies the reference to
//! the device's variable.

use super::resource::{ARRAY, LINEAR, MIPMAPPED, PITCHED};
use crate::abi::{ArrayDesc, ChannelDesc, In, Out, ResourceDesc, TextureDesc, TextureReference, given, put, put_if, zeroed};
use crate::gpu;
use crate::module;
use crate::raw;
use crate::status::{Result, Status, hip, told};
use crate::symbol;
use crate::texel::Texel;
use rustc_hash::FxHashMap;
use std::ffi::{c_char, c_void};
use wavejit::fork::Mutex;

/// `HIP_TRSF_READ_AS_INTEGER` and its like.
const READ_AS_INTEGER: u32 = 0x01;
const NORMALIZED: u32 = 0x02;
const SRGB: u32 = 0x10;

/// What C calls a reference.
type Handle = *mut TextureReference;

/// What the reference's fields do not hold: the device's variable of a module's, and a border color.
#[derive(Clone, Copy, Default)]
struct Extra {
    device_variable: u64,
    border: [f32; 4],
}

static EXTRAS: Mutex<Option<FxHashMap<usize, Extra>>> = Mutex::new(None);

fn extra(of: Handle) -> Extra {
    EXTRAS.lock().as_ref().and_then(|all| all.get(&(of as usize)).copied()).unwrap_or_default()
}

fn change_extra(of: Handle, change: impl FnOnce(&mut Extra)) {
    change(EXTRAS.lock().get_or_insert_default().entry(of as usize).or_default());
}

fn get<'a>(reference: *const TextureReference) -> Result<&'a mut TextureReference> {
    raw::slice_mut(reference.cast_mut(), 1)?.first_mut().ok_or(Status::INVALID_VALUE)
}

fn texture_desc(of: &TextureReference, border: [f32; 4]) -> TextureDesc {
    TextureDesc {
        address: of.address,
        filter: of.filter,
        read: of.read,
        srgb: of.srgb,
        border,
        normalized: of.normalized,
        anisotropy: of.anisotropy,
        mip_filter: of.mip_filter,
        bias: of.bias,
        min_level: of.min_level,
        max_level: of.max_level,
    }
}

/// Binds a reference in place of what it was bound to.
fn bind(reference: *const TextureReference, resource: ResourceDesc) -> Result {
    let fields = get(reference)?;
    let extra = extra(reference.cast_mut());
    unbind(reference)?;
    fields.object = super::create(resource, texture_desc(fields, extra.border), None)? as *mut c_void;
    let variable = match extra.device_variable {
        0 => symbol::part(reference.cast(), 0, size_of::<TextureReference>())?,
        address => address,
    };
    let bytes = raw::slice(reference.cast::<u8>(), size_of::<TextureReference>())?;
    gpu::current()?.device.memory().write(variable, bytes).map_err(|e| told(&e))
}

fn unbind(reference: *const TextureReference) -> Result {
    let fields = get(reference)?;
    if !fields.object.is_null() {
        // One that was destroyed as an object is no reason not to bind anew.
        let _ = super::remove(fields.object as usize);
        fields.object = std::ptr::null_mut();
    }
    Ok(())
}

fn of_array(kind: i32, handle: *const c_void) -> ResourceDesc {
    ResourceDesc { kind, words: [handle as u64, 0, 0, 0, 0, 0, 0] }
}

fn of_memory(kind: i32, address: *const c_void, desc: &ChannelDesc, sizes: [usize; 3]) -> ResourceDesc {
    let pair = |low: i32, high: i32| u64::from(low as u32) | u64::from(high as u32) << 32;
    let [a, b, c] = sizes.map(|n| n as u64);
    ResourceDesc { kind, words: [address as u64, pair(desc.x, desc.y), pair(desc.z, desc.w), pair(desc.kind, 0), a, b, c] }
}

/// What a reference is bound to.
fn bound(reference: *const TextureReference, kind: i32) -> Result<ResourceDesc> {
    let found = super::get(get(reference)?.object as usize)?.resource_desc;
    if found.kind == kind { Ok(found) } else { Err(Status::INVALID_VALUE) }
}

/// The format that the driver interface has given a reference.
fn driver_texel(of: &TextureReference) -> Result<Texel> {
    Texel::of_array(of.format, u32::try_from(of.channels).map_err(|_| Status::INVALID_VALUE)?)
}

/// The reference of a variable of a module's, made when it is asked for first.
fn of_module(of: *mut c_void, name: *const c_char) -> Result<Handle> {
    static MADE: Mutex<Option<FxHashMap<u64, usize>>> = Mutex::new(None);
    let (address, bytes) = module::variable(of, name)?;
    if bytes < size_of::<TextureReference>() as u64 {
        return Err(Status::NOT_FOUND);
    }
    let mut made = MADE.lock();
    let made = made.get_or_insert_default();
    let found = *made.entry(address).or_insert_with(|| {
        // As the constructor of a texture reference leaves it. It stays for ever: the program has its address.
        let fresh = TextureReference { address: [1; 3], ..zeroed() };
        Box::into_raw(Box::new(fresh)) as usize
    });
    change_extra(found as Handle, |e| e.device_variable = address);
    Ok(found as Handle)
}

hip! {
    fn hipBindTexture(offset: Out<usize>, reference: Handle, address: *const c_void, desc: In<ChannelDesc>, bytes: usize) {
        let desc = given(desc)?;
        // Programs may say that they do not know, and mean all there is.
        let known = crate::allocations::find(address as u64).ok_or(Status::INVALID_VALUE)?;
        let rest = known.address + known.bytes - address as u64;
        bind(reference, of_memory(LINEAR, address, &desc, [bytes.min(rest as usize), 0, 0]))?;
        put_if(offset, 0);
        Ok(())
    }
    fn hipBindTexture2D(
        offset: Out<usize>, reference: Handle, address: *const c_void, desc: In<ChannelDesc>, width: usize, height: usize, pitch: usize,
    ) {
        let desc = given(desc)?;
        bind(reference, of_memory(PITCHED, address, &desc, [width, height, pitch]))?;
        put_if(offset, 0);
        Ok(())
    }
    fn hipBindTextureToArray(reference: Handle, array: *const c_void, _desc: In<ChannelDesc>) {
        bind(reference, of_array(ARRAY, array))
    }
    fn hipBindTextureToMipmappedArray(reference: Handle, array: *const c_void, _desc: In<ChannelDesc>) {
        bind(reference, of_array(MIPMAPPED, array))
    }
    fn hipUnbindTexture(reference: Handle) {
        unbind(reference)
    }
    fn hipGetTextureReference(reference: Out<*const c_void>, shadow: *const c_void) {
        symbol::part(shadow, 0, 0)?;
        put(reference, shadow)
    }
    fn hipModuleGetTexRef(reference: Out<Handle>, module: *mut c_void, name: *const c_char) {
        put(reference, of_module(module, name)?)
    }
    fn hipTexRefSetFormat(reference: Handle, format: i32, channels: i32) {
        let fields = get(reference)?;
        (fields.format, fields.channels) = (format, channels);
        fields.desc = driver_texel(fields)?.desc();
        Ok(())
    }
    fn hipTexRefGetFormat(format: Out<i32>, channels: Out<i32>, reference: Handle) {
        let fields = get(reference)?;
        put_if(format, fields.format);
        put_if(channels, fields.channels);
        Ok(())
    }
    fn hipTexRefSetFlags(reference: Handle, flags: u32) {
        let fields = get(reference)?;
        fields.read = i32::from(flags & READ_AS_INTEGER == 0);
        fields.normalized = i32::from(flags & NORMALIZED != 0);
        fields.srgb = i32::from(flags & SRGB != 0);
        Ok(())
    }
    fn hipTexRefGetFlags(flags: Out<u32>, reference: Handle) {
        let fields = get(reference)?;
        let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
        put(flags, flag(fields.read == 0, READ_AS_INTEGER) | flag(fields.normalized != 0, NORMALIZED) | flag(fields.srgb != 0, SRGB))
    }
    fn hipTexRefSetFilterMode(reference: Handle, mode: i32) {
        get(reference)?.filter = mode;
        Ok(())
    }
    fn hipTexRefGetFilterMode(mode: Out<i32>, reference: Handle) {
        put(mode, get(reference)?.filter)
    }
    fn hipTexRefSetAddressMode(reference: Handle, dimension: i32, mode: i32) {
        *get(reference)?.address.get_mut(dimension as usize).ok_or(Status::INVALID_VALUE)? = mode;
        Ok(())
    }
    fn hipTexRefGetAddressMode(mode: Out<i32>, reference: Handle, dimension: i32) {
        put(mode, *get(reference)?.address.get(dimension as usize).ok_or(Status::INVALID_VALUE)?)
    }
    fn hipTexRefSetMipmapFilterMode(reference: Handle, mode: i32) {
        get(reference)?.mip_filter = mode;
        Ok(())
    }
    fn hipTexRefGetMipmapFilterMode(mode: Out<i32>, reference: Handle) {
        put(mode, get(reference)?.mip_filter)
    }
    fn hipTexRefSetMipmapLevelBias(reference: Handle, bias: f32) {
        get(reference)?.bias = bias;
        Ok(())
    }
    fn hipTexRefGetMipmapLevelBias(bias: Out<f32>, reference: Handle) {
        put(bias, get(reference)?.bias)
    }
    fn hipTexRefSetMipmapLevelClamp(reference: Handle, least: f32, most: f32) {
        let fields = get(reference)?;
        (fields.min_level, fields.max_level) = (least, most);
        Ok(())
    }
    fn hipTexRefGetMipmapLevelClamp(least: Out<f32>, most: Out<f32>, reference: Handle) {
        let fields = get(reference)?;
        put_if(least, fields.min_level);
        put_if(most, fields.max_level);
        Ok(())
    }
    fn hipTexRefSetMaxAnisotropy(reference: Handle, most: u32) {
        get(reference)?.anisotropy = most;
        Ok(())
    }
    fn hipTexRefGetMaxAnisotropy(most: Out<i32>, reference: Handle) {
        put(most, get(reference)?.anisotropy as i32)
    }
    fn hipTexRefSetBorderColor(reference: Handle, color: In<[f32; 4]>) {
        let color = given(color)?;
        get(reference)?;
        change_extra(reference, |e| e.border = color);
        Ok(())
    }
    fn hipTexRefGetBorderColor(color: Out<[f32; 4]>, reference: Handle) {
        get(reference)?;
        put(color, extra(reference).border)
    }
    fn hipTexRefSetArray(reference: Handle, array: *const c_void, _flags: u32) {
        bind(reference, of_array(ARRAY, array))
    }
    fn hipTexRefGetArray(array: Out<*mut c_void>, reference: Handle) {
        put(array, bound(reference, ARRAY)?.words[0] as *mut c_void)
    }
    fn hipTexRefSetMipmappedArray(reference: Handle, array: *mut c_void, _flags: u32) {
        bind(reference, of_array(MIPMAPPED, array))
    }
    fn hipTexRefGetMipMappedArray(array: Out<*mut c_void>, reference: Handle) {
        put(array, bound(reference, MIPMAPPED)?.words[0] as *mut c_void)
    }
    fn hipTexRefSetAddress(offset: Out<usize>, reference: Handle, address: *mut c_void, bytes: usize) {
        let desc = driver_texel(get(reference)?)?.desc();
        bind(reference, of_memory(LINEAR, address, &desc, [bytes, 0, 0]))?;
        put_if(offset, 0);
        Ok(())
    }
    fn hipTexRefGetAddress(address: Out<*mut c_void>, reference: Handle) {
        let found = bound(reference, LINEAR).or_else(|_| bound(reference, PITCHED))?;
        put(address, found.words[0] as *mut c_void)
    }
    fn hipTexRefSetAddress2D(reference: Handle, desc: In<ArrayDesc>, address: *mut c_void, pitch: usize) {
        let desc = given(desc)?;
        let channels = Texel::of_array(desc.format, desc.channels)?.desc();
        bind(reference, of_memory(PITCHED, address, &channels, [desc.width, desc.height, pitch]))
    }
}
