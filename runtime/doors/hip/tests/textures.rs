//! Arrays, texture objects and surfaces: what kernels read through them, and what copies put into arrays and take out.

mod common;

use amdhip64::abi::{
    ArrayDesc, ArrayDesc3D, ChannelDesc, Extent, Memcpy3D, PitchedPtr, Pos, ResourceDesc, TextureDesc, TextureReference, zeroed,
};
use amdhip64::array::{copy as array_copy, create as array};
use amdhip64::status::Status;
use amdhip64::texture::{driver, object, reference, surface};
use amdhip64::{copy, launch, memory, module};
use common::{DEVICE_TO_HOST, HOST_TO_DEVICE, NULL, download, get, ok, upload};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::OnceLock;

static CODE: &[u8] = include_bytes!("data/textures.gfx1100.hsaco");

const FLOAT4: ChannelDesc = ChannelDesc { x: 32, y: 32, z: 32, w: 32, kind: 2 };
const FLOAT: ChannelDesc = ChannelDesc { x: 32, y: 0, z: 0, w: 0, kind: 2 };
const BYTES: ChannelDesc = ChannelDesc { x: 8, y: 8, z: 8, w: 8, kind: 1 };

/// Launches a kernel of the module: arguments of 8 bytes, the last ones of 4.
fn run(name: &std::ffi::CStr, pointers: &[u64], numbers: &[i32]) {
    static MODULE: OnceLock<usize> = OnceLock::new();
    let module = *MODULE.get_or_init(|| get(|out| module::hipModuleLoadData(out, CODE.as_ptr().cast())) as usize);
    let kernel = get(|out| module::hipModuleGetFunction(out, module as *mut c_void, name.as_ptr()));
    let mut args: Vec<*mut c_void> = pointers.iter().map(|p| std::ptr::from_ref(p).cast_mut().cast()).collect();
    args.extend(numbers.iter().map(|n| std::ptr::from_ref(n).cast_mut().cast::<c_void>()));
    ok(launch::hipModuleLaunchKernel(kernel, 16, 1, 1, 64, 1, 1, 0, NULL, args.as_ptr(), null_mut()));
    ok(amdhip64::device::hipDeviceSynchronize());
}

fn of_array(array: *mut c_void) -> ResourceDesc {
    ResourceDesc { kind: 0, words: [array as u64, 0, 0, 0, 0, 0, 0] }
}

fn of_memory(kind: i32, address: *mut c_void, d: ChannelDesc, sizes: [u64; 3]) -> ResourceDesc {
    let pair = |a: i32, b: i32| u64::from(a as u32) | u64::from(b as u32) << 32;
    ResourceDesc { kind, words: [address as u64, pair(d.x, d.y), pair(d.z, d.w), pair(d.kind, 0), sizes[0], sizes[1], sizes[2]] }
}

/// What four floats a point reads of a texture, in texels.
fn sample(texture: *mut c_void, at: &[[f32; 2]]) -> Vec<f32> {
    let (points, out) = (upload(at.as_flattened()), upload(&vec![0.0; 4 * at.len()]));
    run(c"sample", &[texture as u64, out as u64, points as u64], &[at.len() as i32]);
    let found = download(out, 4 * at.len());
    [points, out].into_iter().for_each(|p| ok(memory::hipFree(p)));
    found
}

fn texture(resource: &ResourceDesc, desc: &TextureDesc) -> *mut c_void {
    get(|out| object::hipCreateTextureObject(out, Some(resource), Some(desc), None))
}

#[test]
fn linear_memory_is_read_by_number() {
    let texels: Vec<f32> = (0..400).map(|i| i as f32).collect();
    let (from, out) = (upload(&texels), upload(&[-1.0; 480]));
    let t = texture(&of_memory(2, from, FLOAT4, [1600, 0, 0]), &zeroed());
    run(c"fetch", &[t as u64, out as u64], &[120]);
    let found = download(out, 480);
    assert_eq!(found[..400], texels[..]);
    // Beyond the end there is nothing: 0.
    assert_eq!(found[400..], [0.0; 80]);
    ok(object::hipDestroyTextureObject(t));
    assert_eq!(object::hipDestroyTextureObject(t), Status::INVALID_VALUE);
    let one_off = of_memory(2, (from as usize + 4) as *mut c_void, FLOAT4, [1596, 0, 0]);
    let mut place = std::mem::MaybeUninit::uninit();
    assert_eq!(object::hipCreateTextureObject(Some(&mut place), Some(&one_off), Some(&zeroed()), None), Status::INVALID_VALUE);
}

#[test]
fn arrays_are_sampled_with_every_address_mode() {
    let (width, height) = (5, 3);
    let texels: Vec<f32> = (0..width * height).map(|i| i as f32).collect();
    let array = get(|out| array::hipMallocArray(out, Some(&FLOAT), width, height, 0));
    let bytes = 4 * width;
    ok(array_copy::hipMemcpy2DToArray(array, 0, 0, texels.as_ptr().cast(), bytes, bytes, height, HOST_TO_DEVICE));
    // A column left of the first and right of the last, in the second row: wrap, clamp, mirror, border.
    let expected = [[9.0, 5.0], [5.0, 9.0], [5.0, 9.0], [0.0, 0.0]];
    for (mode, [left, right]) in (0..4).zip(expected) {
        let desc = TextureDesc { address: [mode; 3], normalized: 1, ..zeroed() };
        let t = texture(&of_array(array), &desc);
        let found = sample(t, &[[-0.1, 0.5], [0.5, 0.5], [1.1, 0.5]]);
        // A missing color is 0, missing alpha 1, and the border has neither.
        assert_eq!(found[..4], [left, 0.0, 0.0, 1.0], "mode {mode}");
        assert_eq!([found[4], found[8]], [7.0, right], "mode {mode}");
        assert_eq!(get(|out| object::hipGetTextureObjectTextureDesc(out, t)).address, [mode; 3]);
        ok(object::hipDestroyTextureObject(t));
    }
    // Linear filter between four texels; the driver interface.
    let desc = amdhip64::abi::DrvTextureDesc { address: [1; 3], filter: 1, flags: 0, ..zeroed() };
    let resource = amdhip64::abi::DrvResourceDesc { kind: 0, words: [array as u64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], flags: 0 };
    let t = get(|out| driver::hipTexObjectCreate(out, Some(&resource), Some(&desc), None));
    assert_eq!(sample(t, &[[2.0, 1.0]])[0], (1.0 + 2.0 + 6.0 + 7.0) / 4.0);
    assert_eq!(get(|out| driver::hipTexObjectGetTextureDesc(out, t)).filter, 1);
    ok(driver::hipTexObjectDestroy(t));
    ok(array::hipFreeArray(array));
    assert_eq!(array::hipFreeArray(array), Status::CONTEXT_IS_DESTROYED);
}

#[test]
fn pitched_memory_has_rows_of_its_own_length() {
    let rows: Vec<f32> = (0..128 * 3).map(|i| i as f32).collect();
    let memory = upload(&rows);
    let t = texture(&of_memory(3, memory, FLOAT, [10, 3, 512]), &TextureDesc { address: [1; 3], ..zeroed() });
    let found = sample(t, &[[0.5, 0.5], [9.5, 1.5], [50.5, 2.5]]);
    assert_eq!([found[0], found[4], found[8]], [0.0, 128.0 + 9.0, 256.0 + 9.0]);
    ok(object::hipDestroyTextureObject(t));
}

#[test]
fn colors_are_read_as_fractions_and_as_srgb() {
    let array = get(|out| array::hipMallocArray(out, Some(&BYTES), 2, 1, 0));
    let texels = [[0u8, 51, 255, 102], [128, 10, 1, 255]];
    ok(array_copy::hipMemcpyToArray(array, 0, 0, texels.as_ptr().cast(), 8, HOST_TO_DEVICE));
    for (srgb, blue_of_second) in [(0, 1.0 / 255.0), (1, 1.0 / 255.0 / 12.92)] {
        let t = texture(&of_array(array), &TextureDesc { address: [1; 3], read: 1, srgb, ..zeroed() });
        let found = sample(t, &[[0.5, 0.5], [1.5, 0.5]]);
        assert_eq!((found[0], found[2]), (0.0, 1.0));
        assert!((found[3] - 0.4).abs() < 1e-6 && (found[6] - blue_of_second).abs() < 1e-7, "{found:?}");
        ok(object::hipDestroyTextureObject(t));
    }
    ok(array::hipFreeArray(array));
}

#[test]
fn surfaces_are_written() {
    let (width, height) = (9, 7);
    let (from, to) = (
        get(|out| array::hipMallocArray(out, Some(&BYTES), width, height, 2)),
        get(|out| array::hipMallocArray(out, Some(&BYTES), width, height, 2)),
    );
    let texels: Vec<u8> = (0..width * height * 4).map(|i| (i % 100) as u8).collect();
    ok(array_copy::hipMemcpy2DToArray(from, 0, 0, texels.as_ptr().cast(), 4 * width, 4 * width, height, HOST_TO_DEVICE));
    let [a, b] = [from, to].map(|x| get(|out| surface::hipCreateSurfaceObject(out, Some(&of_array(x)))));
    run(c"change", &[a as u64, b as u64], &[width as i32, height as i32]);
    let mut found = vec![0u8; texels.len()];
    ok(array_copy::hipMemcpyFromArray(found.as_mut_ptr().cast(), to, 0, 0, found.len(), DEVICE_TO_HOST));
    // Unsigned bytes are type 11 of order 8 (HSA's image extension), which the kernel adds to red; stores clamp to a byte.
    let expected: Vec<u8> = texels.iter().enumerate().map(|(i, v)| if i % 4 == 0 { 255 } else { *v }).collect();
    assert_eq!(found, expected);
    [a, b].into_iter().for_each(|s| ok(surface::hipDestroySurfaceObject(s)));
    [from, to].into_iter().for_each(|a| ok(array::hipFreeArray(a)));
}

#[test]
fn copies_reach_every_part_of_a_volume() {
    let [w, h, d] = [6, 5, 4];
    let shape = ArrayDesc3D { width: w, height: h, depth: d, format: 0x20, channels: 1, flags: 0, reserved: 0 };
    let volume = get(|out| array::hipArray3DCreate(out, Some(&shape)));
    assert_eq!(get(|out| array::hipArray3DGetDescriptor(out, volume)).depth, d);
    let texels: Vec<f32> = (0..w * h * d).map(|i| i as f32).collect();
    let whole = PitchedPtr { ptr: texels.as_ptr().cast_mut().cast(), pitch: 4 * w, width: w, height: h };
    let extent = Extent { width: w, height: h, depth: d };
    let to_array = Memcpy3D { from: whole, to_array: volume, extent, kind: HOST_TO_DEVICE, ..zeroed() };
    ok(copy::hipMemcpy3D(Some(&to_array)));
    // A box from the middle into the middle of other memory.
    let mut place = vec![-1.0f32; 8 * 4 * 3];
    let there = PitchedPtr { ptr: place.as_mut_ptr().cast(), pitch: 32, width: 8, height: 4 };
    let some = Memcpy3D {
        from_array: volume,
        from_pos: Pos { x: 3, y: 2, z: 1 },
        to: there,
        to_pos: Pos { x: 4, y: 1, z: 1 },
        extent: Extent { width: 2, height: 3, depth: 2 },
        kind: DEVICE_TO_HOST,
        ..zeroed()
    };
    ok(copy::hipMemcpy3D(Some(&some)));
    for (i, found) in place.iter().enumerate() {
        let [x, y, z] = [i % 8, i / 8 % 4, i / 32];
        let inside = (1..3).contains(&x) && (1..4).contains(&y) && z >= 1;
        let expected = if inside { texels[((z - 1 + 1) * h + (y - 1 + 2)) * w + x - 1 + 3] } else { -1.0 };
        assert_eq!(*found, expected, "{x} {y} {z}");
    }
    let outside = Memcpy3D { from_pos: Pos { x: 5, y: 2, z: 1 }, ..some };
    assert_eq!(copy::hipMemcpy3D(Some(&outside)), Status::INVALID_VALUE);
    ok(array::hipArrayDestroy(volume));
}

#[test]
fn linear_copies_go_on_from_row_to_row() {
    let flat = get(|out| array::hipArrayCreate(out, Some(&ArrayDesc { width: 10, height: 8, format: 0x01, channels: 1 })));
    let bytes: Vec<u8> = (1..=80).collect();
    // Into the middle of a row, over whole rows, into the middle of another.
    ok(array_copy::hipMemcpyToArray(flat, 7, 1, bytes.as_ptr().cast(), 50, HOST_TO_DEVICE));
    let mut found = vec![0u8; 80];
    ok(array_copy::hipMemcpyFromArray(found.as_mut_ptr().cast(), flat, 0, 0, 80, DEVICE_TO_HOST));
    assert_eq!((&found[..17], &found[17..67], &found[67..]), (&[0; 17][..], &bytes[..50], &[0; 13][..]));
    let mut part = vec![0u8; 20];
    ok(array_copy::hipMemcpyAtoH(part.as_mut_ptr().cast(), flat, 5, 20));
    assert_eq!(part, found[5..25]);
    assert_eq!(array_copy::hipMemcpyToArray(flat, 1, 7, bytes.as_ptr().cast(), 10, HOST_TO_DEVICE), Status::INVALID_VALUE);
    ok(array::hipFreeArray(flat));
}

#[test]
fn levels_are_arrays() {
    let extent = Extent { width: 16, height: 8, depth: 0 };
    let mipmapped = get(|out| array::hipMallocMipmappedArray(out, Some(&FLOAT), extent, 9, 0));
    for level in 0..5 {
        let one = get(|out| array::hipGetMipmappedArrayLevel(out, mipmapped, level));
        let extent = get(|out| array::hipArrayGetInfo(None, out, None, one));
        assert_eq!([extent.width, extent.height], [16 >> level, (8 >> level).max(1)]);
        let texels = vec![level as f32; extent.width * extent.height];
        let row = 4 * extent.width;
        ok(array_copy::hipMemcpy2DToArray(one, 0, 0, texels.as_ptr().cast(), row, row, extent.height, HOST_TO_DEVICE));
        assert_eq!(array::hipFreeArray(one), Status::CONTEXT_IS_DESTROYED, "a level belongs to its array");
        let t = texture(&of_array(one), &TextureDesc { address: [1; 3], ..zeroed() });
        assert_eq!(sample(t, &[[0.5, 0.5]])[0], level as f32);
        ok(object::hipDestroyTextureObject(t));
    }
    let mut place = std::mem::MaybeUninit::uninit();
    assert_eq!(array::hipGetMipmappedArrayLevel(Some(&mut place), mipmapped, 5), Status::INVALID_VALUE);
    ok(array::hipFreeMipmappedArray(mipmapped));
}

#[test]
fn references_keep_what_they_are_told() {
    let mut fields: TextureReference = zeroed();
    let r = &raw mut fields;
    ok(reference::hipTexRefSetFormat(r, 0x10, 2));
    ok(reference::hipTexRefSetAddressMode(r, 1, 3));
    ok(reference::hipTexRefSetFlags(r, 2));
    ok(reference::hipTexRefSetBorderColor(r, Some(&[1.0, 2.0, 3.0, 4.0])));
    assert_eq!(get(|out| reference::hipTexRefGetAddressMode(out, r, 1)), 3);
    assert_eq!(get(|out| reference::hipTexRefGetFlags(out, r)), 2);
    assert_eq!(get(|out| reference::hipTexRefGetBorderColor(out, r)), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(get(|out| reference::hipTexRefGetFormat(out, None, r)), 0x10);
    assert_eq!(reference::hipTexRefSetAddressMode(r, 3, 0), Status::INVALID_VALUE);
    // It is no variable of the program's.
    let array = get(|out| array::hipMallocArray(out, Some(&FLOAT), 4, 4, 0));
    assert_eq!(reference::hipBindTextureToArray(r, array, None), Status::INVALID_SYMBOL);
    ok(array::hipFreeArray(array));
}
