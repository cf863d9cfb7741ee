//! INFO: what programs may ask about the device. Whatever is not known is refused, as the kernel does: zeros would be answers.

use crate::door::{Door, GB_ADDR_CONFIG, RENDER_BACKENDS};
use crate::errno::{Errno, Result};
use crate::raw::{Plain, write_bytes, write_short};
use crate::uapi::{Cap, DeviceInfo, HeapInfo, HwIp, Info, MemoryInfo, Version, ip};
use wavejit_gpu::timestamp;

/// Version of the driver that this is: 3.49 has what RADV asks for.
const VERSION: [i32; 3] = [3, 49, 0];
/// PCI device and revision: a Radeon RX 7900 XTX.
pub(crate) const DEVICE_ID: u32 = 0x744c;
pub(crate) const PCI_REVISION: u32 = 0xc8;
/// Memory of each kind that programs may use, and as much of it as one buffer may have.
const HEAP_BYTES: u64 = 8 << 30;
const MOST_BYTES: u64 = 6 << 30;
/// Rings of an engine.
pub(crate) fn rings(ip_type: u32) -> u32 {
    match ip_type {
        ip::GFX | ip::DMA => 1,
        ip::COMPUTE => 4,
        _ => 0,
    }
}

/// Queries.
mod query {
    pub(super) const ACCEL_WORKING: u32 = 0;
    pub(super) const HW_IP_INFO: u32 = 2;
    pub(super) const HW_IP_COUNT: u32 = 3;
    pub(super) const TIMESTAMP: u32 = 5;
    pub(super) const FW_VERSION: u32 = 0x0e;
    pub(super) const NUM_BYTES_MOVED: u32 = 0x0f;
    pub(super) const VRAM_USAGE: u32 = 0x10;
    pub(super) const GTT_USAGE: u32 = 0x11;
    pub(super) const VRAM_GTT: u32 = 0x14;
    pub(super) const READ_MMR_REG: u32 = 0x15;
    pub(super) const DEV_INFO: u32 = 0x16;
    pub(super) const VIS_VRAM_USAGE: u32 = 0x17;
    pub(super) const NUM_EVICTIONS: u32 = 0x18;
    pub(super) const MEMORY: u32 = 0x19;
    pub(super) const VRAM_LOST_COUNTER: u32 = 0x1f;
    pub(super) const VIDEO_CAPS: u32 = 0x21;
}

/// INFO.
pub(crate) fn info(door: &Door, args: &mut Info) -> Result {
    let long = |value: u64| put(args, &value);
    let dword = |value: u32| put(args, &value);
    match args.query {
        query::ACCEL_WORKING => dword(1),
        query::HW_IP_INFO => put(args, &hw_ip(args.of[0], args.of[1])?),
        query::HW_IP_COUNT => dword(u32::from(rings(args.of[0]) != 0)),
        query::TIMESTAMP => long(timestamp()),
        // Version and feature: new enough for every packet.
        query::FW_VERSION => put(args, &Pair { version: 1500, feature: 40 }),
        query::NUM_BYTES_MOVED | query::NUM_EVICTIONS => long(0),
        query::VRAM_USAGE | query::VIS_VRAM_USAGE => long(door.lock().buffers.bytes()),
        query::GTT_USAGE => long(0),
        query::VRAM_GTT => put(args, &VramGtt { vram: HEAP_BYTES, visible: HEAP_BYTES, gtt: HEAP_BYTES }),
        query::READ_MMR_REG => registers(args),
        query::DEV_INFO => put(args, &device(door)),
        query::MEMORY => put(args, &memory(door.lock().buffers.bytes())),
        query::VRAM_LOST_COUNTER => dword(0),
        // No codec of video has a level.
        query::VIDEO_CAPS => write_bytes(args.return_pointer, &vec![0; args.return_size.min(4096) as usize]),
        _ => Err(Errno::INVAL),
    }
}

crate::raw::structures! {
    /// `drm_amdgpu_info_firmware`.
    Pair { version: u32, feature: u32 }
    /// `drm_amdgpu_info_vram_gtt`.
    VramGtt { vram: u64, visible: u64, gtt: u64 }
}

/// As much of the answer as there is room for.
fn put<T: Plain>(args: &Info, answer: &T) -> Result {
    write_short(args.return_pointer, answer, args.return_size as usize)
}

/// An engine. Types that are not there have no rings.
fn hw_ip(ip_type: u32, instance: u32) -> Result<HwIp> {
    const TYPES: u32 = 9;
    if ip_type >= TYPES || instance != 0 {
        return Err(Errno::INVAL);
    }
    let (version_major, version_minor) = match ip_type {
        ip::GFX | ip::COMPUTE => (11, 0),
        ip::DMA => (6, 0),
        _ => return Ok(HwIp::ZERO),
    };
    let available_rings = (1 << rings(ip_type)) - 1;
    Ok(HwIp { version_major, version_minor, ib_start_alignment: 32, ib_size_alignment: 32, available_rings, ..HwIp::ZERO })
}

/// dword offset, count: registers that drivers read.
fn registers(args: &Info) -> Result {
    const GB_ADDR_CONFIG_OFFSET: u32 = 0x263e;
    let [offset, count, ..] = args.of;
    if count > 128 {
        return Err(Errno::INVAL);
    }
    let values = (0..count).map(|i| if offset.wrapping_add(i) == GB_ADDR_CONFIG_OFFSET { GB_ADDR_CONFIG } else { 0 });
    let bytes: Vec<u8> = values.flat_map(u32::to_le_bytes).collect();
    write_bytes(args.return_pointer, &bytes[..bytes.len().min(args.return_size as usize)])
}

/// A small chip of the family: 8 compute units in two arrays of one engine.
fn device(door: &Door) -> DeviceInfo {
    /// CHIP family of gfx11.
    const FAMILY: u32 = 0x91;
    const UNITS_PER_ARRAY: u32 = 4;
    const GDDR6: u32 = 9;
    let (low, bytes) = door.window;
    let mut cu_bitmap = [0; 16];
    cu_bitmap[..2].fill((1 << UNITS_PER_ARRAY) - 1);
    DeviceInfo {
        device_id: DEVICE_ID,
        external_rev: 1,
        pci_rev: PCI_REVISION,
        family: FAMILY,
        num_shader_engines: 1,
        num_shader_arrays_per_engine: 2,
        gpu_counter_freq: 100_000,
        max_engine_clock: 2_500_000,
        max_memory_clock: 1_250_000,
        cu_active_number: 2 * UNITS_PER_ARRAY,
        cu_bitmap,
        cu_ao_bitmap: cu_bitmap,
        enabled_rb_pipes_mask: (1 << RENDER_BACKENDS) - 1,
        num_rb_pipes: RENDER_BACKENDS,
        num_hw_gfx_contexts: 8,
        virtual_address_offset: 0x20_0000,
        // None but high ones: those are addresses of the host.
        virtual_address_max: 0x20_0000,
        virtual_address_alignment: 4096,
        pte_fragment_size: 0x20_0000,
        gart_page_size: 4096,
        vram_type: GDDR6,
        vram_bit_width: 256,
        wave_front_size: 32,
        num_shader_visible_vgprs: 1024,
        num_cu_per_sh: UNITS_PER_ARRAY,
        num_tcc_blocks: 16,
        gs_vgt_table_depth: 32,
        gs_prim_buffer_depth: 1792,
        max_gs_waves_per_vgt: 32,
        high_va_offset: low,
        high_va_max: low + bytes,
        ..DeviceInfo::ZERO
    }
}

fn memory(used: u64) -> MemoryInfo {
    let heap = |heap_usage| HeapInfo { total_heap_size: HEAP_BYTES, usable_heap_size: HEAP_BYTES, heap_usage, max_allocation: MOST_BYTES };
    MemoryInfo { vram: heap(used), cpu_accessible_vram: heap(used), gtt: heap(0) }
}

/// VERSION: lengths first, then texts as far as there is room.
pub(crate) fn version(_: &Door, args: &mut Version) -> Result {
    [args.version_major, args.version_minor, args.version_patchlevel] = VERSION;
    for (text, len, place) in
        [("amdgpu", &mut args.name_len, args.name), ("20150101", &mut args.date_len, args.date), ("AMD GPU", &mut args.desc_len, args.desc)]
    {
        let room = (*len as usize).min(text.len());
        if place != 0 {
            write_bytes(place, &text.as_bytes()[..room])?;
        }
        *len = text.len() as u64;
    }
    Ok(())
}

/// GET_CAP.
pub(crate) fn cap(_: &Door, args: &mut Cap) -> Result {
    const TIMESTAMP_MONOTONIC: u64 = 0x6;
    const SYNCOBJ: u64 = 0x13;
    const SYNCOBJ_TIMELINE: u64 = 0x14;
    /// Of displays and of shared buffers, of which there are none.
    const OTHERS: std::ops::RangeInclusive<u64> = 1..=0x15;
    args.value = match args.capability {
        SYNCOBJ | SYNCOBJ_TIMELINE | TIMESTAMP_MONOTONIC => 1,
        other if OTHERS.contains(&other) => 0,
        _ => return Err(Errno::INVAL),
    };
    Ok(())
}
