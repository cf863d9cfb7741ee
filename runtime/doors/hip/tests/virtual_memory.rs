//! Addresses and memory apart: a range that grows piece by piece, memory at two addresses, and what is refused.

mod common;

use amdhip64::abi::{MemAccessDesc, MemLocation};
use amdhip64::status::Status;
use amdhip64::virtual_memory::{self as vm, AllocationProperties};
use amdhip64::{copy, fill, memory};
use common::{NULL, download, get, ok, saxpy};
use std::ptr::null_mut;

const HERE: MemLocation = MemLocation { kind: 1, id: 0 };
const PROPERTIES: AllocationProperties = AllocationProperties { kind: 1, handles: 0, location: HERE, metadata: null_mut(), flags: 0 };
const BOTH: MemAccessDesc = MemAccessDesc { location: HERE, flags: 3 };

#[test]
fn a_range_grows_where_it_is() {
    let piece = get(|out| vm::hipMemGetAllocationGranularity(out, Some(&PROPERTIES), 0));
    let range = get(|out| vm::hipMemAddressReserve(out, 3 * piece, 1 << 21, null_mut(), 0));
    assert_eq!(range as usize % (1 << 21), 0);
    let pieces = [(); 2].map(|()| get(|out| vm::hipMemCreate(out, piece, Some(&PROPERTIES), 0)));
    for (i, handle) in pieces.iter().enumerate() {
        ok(vm::hipMemMap(range.wrapping_byte_add(i * piece), piece, 0, *handle, 0));
        // The memory stays where it is mapped.
        ok(vm::hipMemRelease(*handle));
    }
    let flags = || get(|out| vm::hipMemGetAccess(out, Some(&HERE), range));
    assert_eq!(flags(), 0);
    ok(vm::hipMemSetAccess(range, 2 * piece, &BOTH, 1));
    assert_eq!(flags(), 3);
    // A kernel goes over the edge between the pieces.
    let n = 2 * piece / 4;
    ok(fill::hipMemsetD32(range, 1.0f32.to_bits() as i32, n / 2));
    ok(fill::hipMemsetD32(range.wrapping_byte_add(piece), 2.0f32.to_bits() as i32, n / 2));
    ok(saxpy(range, range, 0.0, n as i32, NULL));
    ok(amdhip64::device::hipDeviceSynchronize());
    let all = download(range, n / 2);
    assert_eq!((all[0], download(range.wrapping_byte_add(piece), 1)[0]), (2.0, 4.0));
    assert_eq!(get(|out| memory::hipPointerGetAttributes(out, range)).memory, 2);
    // The first piece once more, at the end.
    let again = get(|out| vm::hipMemRetainAllocationHandle(out, range));
    let end = range.wrapping_byte_add(2 * piece);
    ok(vm::hipMemMap(end, piece, 0, again, 0));
    ok(vm::hipMemSetAccess(end, piece, &BOTH, 1));
    assert_eq!(download(end, 1), [2.0]);
    assert_eq!(get(|out| vm::hipMemGetAllocationPropertiesFromHandle(out, again)).location.id, 0);

    assert_eq!(vm::hipMemMap(end, piece, 0, again, 0), Status::INVALID_VALUE, "taken");
    assert_eq!(vm::hipMemAddressFree(range, 3 * piece), Status::INVALID_VALUE, "in use");
    assert_eq!(vm::hipMemUnmap(range, 2 * piece), Status::INVALID_VALUE, "two mappings");
    for i in 0..3 {
        ok(vm::hipMemUnmap(range.wrapping_byte_add(i * piece), piece));
    }
    let mut value = 0f32;
    let status = copy::hipMemcpy((&raw mut value).cast(), range, 4, common::DEVICE_TO_HOST);
    assert_eq!(status, Status::ILLEGAL_ADDRESS, "nothing is there");
    ok(vm::hipMemRelease(again));
    assert_eq!(vm::hipMemRelease(again), Status::INVALID_VALUE);
    ok(vm::hipMemAddressFree(range, 3 * piece));
}
