//! Programs' calls of memory, kernels and modules.

mod common;

use amdhip64::abi::{Dim3, Extent, PitchedPtr};
use amdhip64::status::Status;
use amdhip64::{
    abi, advice, attributes, copy, device, event, fill, function, launch, memory, module, occupancy, pool, properties, register, stream,
    unsupported,
};
use common::{BUNDLE, DEVICE_TO_HOST, HOST_TO_DEVICE, NULL, download, get, ok, saxpy, saxpy_expected, saxpy_stub, try_get, upload};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Some tests free what is freed already: in another's hands by then, if they ran beside each other.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn numbers(n: usize) -> (Vec<f32>, Vec<f32>) {
    ((0..n).map(|i| i as f32 * 0.5).collect(), (0..n).map(|i| 1.0 / (i + 1) as f32).collect())
}

#[test]
fn a_registered_kernel_runs() {
    let _alone = alone();
    let (x, y) = numbers(1000);
    let (dx, dy) = (upload(&x), upload(&y));
    ok(saxpy(dy, dx, 2.0, 1000, NULL));
    assert_eq!(download(dy, 1000), saxpy_expected(&y, &x, 2.0));
    // As a triple chevron does it.
    let (grid, block) = (abi::Dim3 { x: 8, y: 1, z: 1 }, abi::Dim3 { x: 128, y: 1, z: 1 });
    ok(register::__hipPushCallConfiguration(grid, block, 16, NULL));
    let mut shared = std::mem::MaybeUninit::uninit();
    let popped = get(|g| {
        register::__hipPopCallConfiguration(
            g,
            Some(&mut std::mem::MaybeUninit::uninit()),
            Some(&mut shared),
            Some(&mut std::mem::MaybeUninit::uninit()),
        )
    });
    assert_eq!(popped.x, 8);
    // SAFETY: popped with the rest.
    assert_eq!(unsafe { shared.assume_init() }, 16usize);
    ok(memory::hipFree(dx));
    ok(memory::hipFree(dy));
    assert_eq!(memory::hipFree(dx), Status::INVALID_VALUE, "it was freed before");
}

#[test]
fn a_module_has_functions_that_take_packed_arguments() {
    let _alone = alone();
    let module = get(|out| module::hipModuleLoadData(out, BUNDLE.as_ptr().cast()));
    let missing = try_get(|out: abi::Out<usize>| {
        module::hipModuleGetFunction(
            out.map(|p| {
                // SAFETY: a pointer has the size of a number.
                unsafe { &mut *std::ptr::from_mut(p).cast() }
            }),
            module,
            c"no_such_kernel".as_ptr(),
        )
    });
    assert_eq!(missing, Err(Status::NOT_FOUND));
    let kernel = get(|out| module::hipModuleGetFunction(out, module, c"hip_saxpy".as_ptr()));
    let (x, y) = numbers(300);
    let (dx, dy) = (upload(&x), upload(&y));
    let mut packed = Vec::new();
    packed.extend((dy as u64).to_le_bytes());
    packed.extend((dx as u64).to_le_bytes());
    packed.extend(3.0f32.to_le_bytes());
    packed.extend(300i32.to_le_bytes());
    let mut bytes = packed.len();
    let [buffer, size, end] = [1, 2, 3].map(std::ptr::without_provenance_mut::<c_void>);
    let extra = [buffer, packed.as_mut_ptr().cast(), size, (&raw mut bytes).cast(), end];
    ok(launch::hipModuleLaunchKernel(kernel, 3, 1, 1, 128, 1, 1, 0, NULL, null_mut(), extra.as_ptr()));
    let once = saxpy_expected(&y, &x, 3.0);
    assert_eq!(download(dy, 300), once);
    // Work-items instead of workgroups, the last one partial.
    ok(launch::hipExtModuleLaunchKernel(kernel, 300, 1, 1, 128, 1, 1, 0, NULL, null_mut(), extra.as_ptr(), NULL, NULL, 0));
    assert_eq!(download(dy, 256), saxpy_expected(&once, &x, 3.0)[..256]);
    let attributes = get(|out| function::hipFuncGetAttributes(out, kernel));
    assert_eq!((attributes.max_threads, attributes.shared_bytes), (128, 512));
    let refused = launch::hipModuleLaunchKernel(kernel, 1, 1, 1, 256, 1, 1, 0, NULL, null_mut(), extra.as_ptr());
    assert_eq!(refused, Status::INVALID_CONFIGURATION, "it was compiled for 128 work-items");
    ok(module::hipModuleUnload(module));
    assert_eq!(module::hipModuleUnload(module), Status::INVALID_HANDLE);
}

#[test]
fn copies_and_fills_of_rows_and_slices() {
    let _alone = alone();
    let mut pitch = std::mem::MaybeUninit::uninit();
    let p = get(|out| memory::hipMallocPitch(out, Some(&mut pitch), 100, 7));
    // SAFETY: the call succeeded.
    let pitch = unsafe { pitch.assume_init() };
    assert!(pitch >= 100 && pitch.is_multiple_of(256));
    let from: Vec<u8> = (0..700).map(|i| (i % 251) as u8).collect();
    ok(copy::hipMemcpy2D(p, pitch, from.as_ptr().cast(), 100, 100, 7, HOST_TO_DEVICE));
    ok(fill::hipMemset2D(p.wrapping_byte_add(2 * pitch + 10), pitch, 0xee, 5, 2));
    let mut to = vec![0u8; 700];
    ok(copy::hipMemcpy2D(to.as_mut_ptr().cast(), 100, p, pitch, 100, 7, DEVICE_TO_HOST));
    let mut expected = from.clone();
    for row in [2, 3] {
        expected[100 * row + 10..][..5].fill(0xee);
    }
    assert_eq!(to, expected);
    assert_eq!(copy::hipMemcpy2D(p, 50, from.as_ptr().cast(), 100, 100, 7, HOST_TO_DEVICE), Status::INVALID_PITCH);
    assert_eq!(copy::hipMemcpy(p, from.as_ptr().cast(), 7 * pitch + 1, HOST_TO_DEVICE), Status::INVALID_VALUE, "beyond its end");
    assert_eq!(copy::hipMemcpy(p, from.as_ptr().cast(), 1, 77), Status::INVALID_DIRECTION);

    let extent = Extent { width: 20, height: 3, depth: 2 };
    let volume: PitchedPtr = get(|out| memory::hipMalloc3D(out, extent));
    ok(fill::hipMemset3D(volume, 9, extent));
    let host = PitchedPtr { ptr: to.as_mut_ptr().cast(), pitch: 20, width: 20, height: 3 };
    let parameters = abi::Memcpy3D { from: volume, to: host, extent, kind: DEVICE_TO_HOST, ..abi::zeroed() };
    ok(copy::hipMemcpy3D(Some(&parameters)));
    assert_eq!((to[119], to[120]), (9, expected[120]));

    ok(fill::hipMemsetD32(p, 0x0403_0201, 3));
    ok(fill::hipMemsetD16(p.wrapping_byte_add(4), 0x0605, 1));
    ok(copy::hipMemcpyDtoH(to.as_mut_ptr().cast(), p, 12));
    assert_eq!(to[..12], [1, 2, 3, 4, 5, 6, 3, 4, 1, 2, 3, 4]);
    assert_eq!(fill::hipMemsetD32(p.wrapping_byte_add(2), 0, 1), Status::INVALID_VALUE, "not aligned");
    ok(memory::hipFree(p));
    ok(memory::hipFree(volume.ptr));
}

#[test]
fn pointers_know_what_they_are() {
    let _alone = alone();
    let device = get(|out| memory::hipMalloc(out, 1000));
    let host = get(|out| memory::hipHostMalloc(out, 1000, 0));
    let managed = get(|out| memory::hipMallocManaged(out, 1000, 1));
    let mut own = vec![0u8; 64];
    let own_address: *mut c_void = own.as_mut_ptr().cast();
    let kind = |p: *mut c_void| get(|out| memory::hipPointerGetAttributes(out, p)).memory;
    assert_eq!([kind(device.wrapping_byte_add(999)), kind(host), kind(managed), kind(own_address)], [2, 1, 3, 0]);
    ok(memory::hipHostRegister(own_address, 64, 0));
    assert_eq!(kind(own_address), 1);
    assert_eq!(memory::hipHostRegister(own_address, 8, 0), Status::HOST_MEMORY_ALREADY_REGISTERED);
    assert_eq!(get(|out| memory::hipHostGetDevicePointer(out, own_address, 0)), own_address);
    ok(memory::hipHostUnregister(own_address));
    assert_eq!(memory::hipHostUnregister(own_address), Status::HOST_MEMORY_NOT_REGISTERED);
    let mut bytes = std::mem::MaybeUninit::uninit();
    let base = get(|out| memory::hipMemGetAddressRange(out, Some(&mut bytes), device.wrapping_byte_add(500)));
    // SAFETY: the call succeeded.
    assert_eq!((base, unsafe { bytes.assume_init() }), (device, 1000usize));
    assert_eq!(memory::hipHostFree(device), Status::INVALID_VALUE);
    ok(memory::hipHostFree(host));
    ok(memory::hipFree(managed));
    ok(memory::hipFree(device));
    ok(memory::hipFree(null_mut()));
    let huge = try_get(|out: abi::Out<usize>| {
        memory::hipMalloc(
            out.map(|p| {
                // SAFETY: a pointer has the size of a number.
                unsafe { &mut *std::ptr::from_mut(p).cast() }
            }),
            1 << 50,
        )
    });
    assert_eq!(huge, Err(Status::OUT_OF_MEMORY));
}

#[test]
fn a_pool_allocates_in_the_order_of_a_stream() {
    let _alone = alone();
    let pool = get(|out| pool::hipDeviceGetDefaultMemPool(out, 0));
    let p = get(|out| pool::hipMallocFromPoolAsync(out, 400, pool, NULL));
    ok(fill::hipMemsetAsync(p, 1, 400, NULL));
    let q = get(|out| pool::hipMallocAsync(out, 400, NULL));
    ok(copy::hipMemcpyAsync(q, p, 400, 3, NULL));
    ok(pool::hipFreeAsync(p, NULL));
    assert_eq!(download(q, 100), [f32::from_bits(0x0101_0101); 100]);
    assert_eq!(pool::hipFreeAsync(p, NULL), Status::INVALID_VALUE);
    let mut threshold = 7u64;
    ok(pool::hipMemPoolSetAttribute(pool, 4, (&raw const threshold).cast()));
    threshold = 0;
    ok(pool::hipMemPoolGetAttribute(pool, 4, (&raw mut threshold).cast()));
    assert_eq!(threshold, 7);
}

// Offsets from the public header's structures, by a C++ compiler.
#[test]
fn both_layouts_of_properties_say_the_same() {
    let _alone = alone();
    let new = get(|out| properties::hipGetDevicePropertiesR0600(out, 0)).0;
    let old = get(|out| properties::hipGetDevicePropertiesR0000(out, 0)).0;
    let int = |p: &[u8], at: usize| i32::from_le_bytes(p[at..at + 4].try_into().expect("four bytes"));
    let text = |p: &[u8], at: usize| String::from_utf8_lossy(&p[at..at + 256]).trim_end_matches('\0').to_string();
    assert_eq!((text(&new, 1160), text(&old, 396)), ("gfx1100".to_string(), "gfx1100".to_string()));
    assert_eq!(text(&new, 0), text(&old, 0));
    assert_eq!([int(&new, 308), int(&old, 276)], [32; 2], "wave size");
    assert_eq!([int(&new, 388), int(&old, 336)], [get(|out| attributes::hipDeviceGetAttribute(out, 63, 0)); 2], "processors");
    assert_eq!([int(&new, 320), int(&old, 280)], [1024; 2], "work-items of a workgroup");
    assert_eq!([int(&new, 360), int(&new, 364), int(&old, 328), int(&old, 332)], [11, 0, 11, 0]);
    assert_eq!([int(&new, 600), int(&new, 608), int(&new, 624)], [8, int(&old, 312), int(&old, 344)]);
    assert_eq!([int(&new, 1424), int(&old, 352)], [100_000; 2], "clock");
    assert_eq!(get(|out| device::hipGetDeviceCount(out)), 1);
    assert_eq!(device::hipSetDevice(1), Status::INVALID_DEVICE);
}

#[test]
fn occupancy_agrees_with_what_a_cooperative_launch_takes() {
    let _alone = alone();
    let blocks = get(|out| occupancy::hipOccupancyMaxActiveBlocksPerMultiprocessor(out, saxpy_stub(), 128, 0));
    let processors = get(|out| attributes::hipDeviceGetAttribute(out, 63, 0));
    let (x, y) = (upload(&[0.0; 128]), upload(&[0.0; 128]));
    let (a, n) = (1.0f32, 0i32);
    let args: [*mut c_void; 4] = [
        (&raw const y).cast_mut().cast(),
        (&raw const x).cast_mut().cast(),
        (&raw const a).cast_mut().cast(),
        (&raw const n).cast_mut().cast(),
    ];
    let run = |blocks: i32| {
        let (grid, block) = (abi::Dim3 { x: blocks.unsigned_abs(), y: 1, z: 1 }, abi::Dim3 { x: 128, y: 1, z: 1 });
        launch::hipLaunchCooperativeKernel(saxpy_stub(), grid, block, args.as_ptr(), 0, NULL)
    };
    ok(run(blocks * processors));
    assert_eq!(run(blocks * processors + 1), Status::COOPERATIVE_LAUNCH_TOO_LARGE);
    assert_eq!(get(|out| occupancy::hipOccupancyMaxActiveBlocksPerMultiprocessor(out, saxpy_stub(), 128, 60 << 10)), 1, "LDS for one");
    ok(device::hipDeviceSynchronize());
}

#[test]
fn functions_go_with_their_module() {
    let _alone = alone();
    let cycle = || {
        let module = get(|out| module::hipModuleLoadData(out, BUNDLE.as_ptr().cast()));
        let find = || get(|out| module::hipModuleGetFunction(out, module, c"hip_saxpy".as_ptr()));
        let kernel = find();
        assert_eq!(find(), kernel, "one handle for each function");
        ok(module::hipModuleUnload(module));
        assert!(try_get(|out| function::hipFuncGetAttribute(out, 0, kernel)).is_err());
    };
    let mappings = || std::fs::read_to_string("/proc/self/maps").expect("Linux has it").lines().count();
    (0..50).for_each(|_| cycle());
    let before = mappings();
    (0..500).for_each(|_| cycle());
    assert!(mappings() < before + 50, "{before} mappings before, {} after", mappings());
}

#[test]
fn advice_is_given_back() {
    let _alone = alone();
    const BYTES: usize = 8192;
    let memory = get(|out| memory::hipMallocManaged(out, BYTES, 1));
    let number = |attribute: i32| {
        let mut value = 77_i32;
        ok(advice::hipMemRangeGetAttribute((&raw mut value).cast(), 4, attribute, memory, BYTES));
        value
    };
    assert_eq!([1, 2, 3, 4, 100].map(number), [0, -2, -2, -2, 0], "nothing was said: -2 is nowhere");
    for (said, attribute, value) in [(1, 1, 1), (2, 1, 0), (3, 2, 0), (4, 2, -2), (5, 3, 0), (6, 3, -2), (100, 100, 1), (101, 100, 0)] {
        ok(advice::hipMemAdvise(memory, BYTES, said, 0));
        assert_eq!(number(attribute), value, "advice {said}");
    }
    ok(advice::hipMemPrefetchAsync(memory, BYTES, 0, NULL));
    assert_eq!(number(4), 0);
    ok(advice::hipMemPrefetchAsync(memory, BYTES, -1, NULL));
    assert_eq!(number(4), -1, "the host");

    // Devices that access it: as many as there is room for.
    ok(advice::hipMemAdvise(memory, BYTES, 5, 0));
    ok(advice::hipMemAdvise(memory, BYTES, 5, -1));
    let (mut devices, mut mostly) = ([0_i32; 3], 0_i32);
    let ask = |data: &[*mut c_void], bytes: &[usize], count: usize, range: usize| {
        advice::hipMemRangeGetAttributes(data.as_ptr(), bytes.as_ptr(), [3, 1].as_ptr(), count, memory, range)
    };
    let data = [devices.as_mut_ptr().cast(), (&raw mut mostly).cast()];
    ok(ask(&data, &[12, 4], 2, BYTES));
    assert_eq!((devices, mostly), ([-1, 0, -2], 0));

    for (bytes, count, range) in
        [([12, 4], 0, BYTES), ([12, 0], 2, BYTES), ([12, 2], 2, BYTES), ([7, 4], 2, BYTES), ([12, 8], 2, BYTES), ([12, 4], 2, 0)]
    {
        assert_eq!(ask(&data, &bytes, count, range), Status::INVALID_VALUE, "{bytes:?}, {count} of them, {range} bytes");
    }
    assert_eq!(ask(&data, &[12, 4], 2, BYTES + 1), Status::INVALID_VALUE, "beyond the allocation");
    assert_eq!(advice::hipMemAdvise(memory, BYTES, 7, 0), Status::INVALID_VALUE);
    assert_eq!(advice::hipMemAdvise(memory, BYTES, 3, 99), Status::INVALID_DEVICE);
    assert_eq!(advice::hipMemPrefetchAsync(memory, BYTES + 1, 0, NULL), Status::INVALID_VALUE);
    ok(memory::hipFree(memory));
}

#[test]
fn all_multiprocessors_are_in_the_mask_of_a_stream() {
    let _alone = alone();
    let mut mask = [7_u32; 2];
    ok(stream::hipExtStreamGetCUMask(NULL, 2, mask.as_mut_ptr()));
    assert_eq!(mask, [0xffff, 0], "16 of them");
}

#[test]
fn functions_without_support_say_so() {
    let _alone = alone();
    assert!(unsupported::NAMES.contains(&"hipIpcGetMemHandle"));
    assert_eq!(unsupported::hipIpcGetMemHandle(), Status::NOT_SUPPORTED);
    assert_eq!(amdhip64::status::hipGetLastError(), Status::NOT_SUPPORTED);
    assert_eq!(amdhip64::status::hipGetLastError(), Status::SUCCESS);
}

#[test]
fn rows_of_wide_values_are_filled() {
    let _alone = alone();
    let p = upload(&[0.0; 64]);
    // Three values of four bytes in each of two rows of 32.
    ok(fill::hipMemsetD2D32(p, 32, 0x3f80_0000, 3, 2));
    let row = |values: &[f32]| values[..4].to_vec();
    let found = download(p, 64);
    assert_eq!((row(&found[..8]), row(&found[8..16]), found[16]), (vec![1.0, 1.0, 1.0, 0.0], vec![1.0, 1.0, 1.0, 0.0], 0.0));
    ok(fill::hipMemsetD2D16(p, 32, 0x3f80, 1, 1));
    assert_eq!(download(p, 1)[0].to_bits(), 0x3f80_3f80);
    assert_eq!(fill::hipMemsetD2D32(p, 8, 0, 3, 2), Status::INVALID_VALUE);
}

#[test]
fn arguments_are_set_one_by_one_for_a_launch_of_old() {
    let _alone = alone();
    let (y, x) = (upload(&[1.0; 128]), upload(&[2.0; 128]));
    let (a, n) = (3.0f32, 128i32);
    ok(launch::hipConfigureCall(Dim3 { x: 1, y: 1, z: 1 }, Dim3 { x: 128, y: 1, z: 1 }, 0, NULL));
    ok(launch::hipSetupArgument((&raw const y).cast(), 8, 0));
    ok(launch::hipSetupArgument((&raw const x).cast(), 8, 8));
    ok(launch::hipSetupArgument((&raw const a).cast(), 4, 16));
    ok(launch::hipSetupArgument((&raw const n).cast(), 4, 20));
    ok(launch::hipLaunchByPtr(saxpy_stub()));
    assert_eq!(download(y, 128), saxpy_expected(&[1.0; 128], &[2.0; 128], a));
}

#[test]
fn a_compressed_bundle_of_the_first_version_says_not_how_long_it_is() {
    let _alone = alone();
    let second = include_bytes!("../../../../shaders/bin/hip_saxpy-compress.hipfb");
    assert_eq!(second[..6], *b"CCOB\x02\0");
    // Without the total size, which the second version has.
    let first = [b"CCOB\x01\0".as_slice(), &second[6..8], &second[12..]].concat();
    let module = get(|out| module::hipModuleLoadData(out, first.as_ptr().cast()));
    assert_eq!(get(|out| module::hipModuleGetFunctionCount(out, module)), 3);
    ok(module::hipModuleUnload(module));
}

#[test]
fn settings_take_the_values_they_have() {
    let _alone = alone();
    for (value, then) in [(0, 0), (-1, 0), (3, 3), (4, 3)] {
        ok(device::hipDeviceSetCacheConfig(value));
        assert_eq!(get(|out| device::hipDeviceGetCacheConfig(out)), then, "{value}");
    }
    ok(device::hipDeviceSetCacheConfig(0));
    for (value, status) in [(-1, Status::INVALID_VALUE), (2, Status::SUCCESS), (3, Status::INVALID_VALUE)] {
        assert_eq!(device::hipDeviceSetSharedMemConfig(value), status, "{value}");
    }
    for flags in [4, 5, 0xc000_0000, 0x0800_0000] {
        assert_eq!(try_get(|out| event::hipEventCreateWithFlags(out, flags)).err(), Some(Status::INVALID_VALUE), "{flags:#x}");
    }
    for flags in [1, 2, 6, 0x4000_0000, 0x8000_0000] {
        ok(event::hipEventDestroy(get(|out| event::hipEventCreateWithFlags(out, flags))));
    }
    // "0000:01:00.0" and its end are 13 bytes.
    let mut id = [0; 13];
    assert_eq!(device::hipDeviceGetPCIBusId(id.as_mut_ptr(), 12, 0), Status::INVALID_VALUE);
    // As much as fits is there all the same.
    assert!(id[..11].iter().all(|c| *c != 0) && id[11] == 0);
    ok(device::hipDeviceGetPCIBusId(id.as_mut_ptr(), 13, 0));
    let with =
        |flags| try_get(|out| occupancy::hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, saxpy_stub(), 128, 0, flags)).err();
    assert_eq!([with(0), with(1), with(2)], [None, None, Some(Status::INVALID_VALUE)]);
    let managed = get(|out| memory::hipMallocManaged(out, 64, 1));
    assert_eq!(stream::hipStreamAttachMemAsync(NULL, managed, 0, 4), Status::SUCCESS);
    assert_eq!(stream::hipStreamAttachMemAsync(NULL, managed, 0, 3), Status::INVALID_VALUE);
    assert_eq!([63, 64].map(|bytes| stream::hipStreamAttachMemAsync(NULL, managed, bytes, 4)), [Status::INVALID_VALUE, Status::SUCCESS]);
    ok(memory::hipFree(managed));
    let stack = get(|out| device::hipDeviceGetLimit(out, 0));
    ok(device::hipDeviceSetLimit(0, stack + 8));
    assert_eq!(get(|out| device::hipDeviceGetLimit(out, 0)), stack + 16);
    assert_eq!(device::hipDeviceSetLimit(0, 128 << 10), Status::INVALID_VALUE);
    assert_eq!([99, -1].map(|which| device::hipDeviceSetLimit(which, 1)), [Status::INVALID_VALUE, Status::UNSUPPORTED_LIMIT]);
    let semaphores = unsupported::hipWaitExternalSemaphoresAsync(NULL, (&raw const stack).cast(), 1, NULL);
    assert_eq!(semaphores, Status::INVALID_VALUE);
    assert_eq!(advice::hipMemPrefetchAsync(NULL, 1024, 99, NULL), Status::INVALID_VALUE);
    let from: *const c_void = (&raw const stack).cast();
    assert_eq!(amdhip64::array::copy::hipMemcpy2DToArrayAsync(NULL, 0, 0, from, 8, 8, 1, 1, NULL), Status::INVALID_HANDLE);
    assert_eq!(stream::hipStreamAttachMemAsync(NULL, managed, 0, 4), Status::INVALID_VALUE);
}
