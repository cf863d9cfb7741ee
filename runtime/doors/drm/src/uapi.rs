//! Structures and numbers of the kernel's interface. Reference: Linux, `include/uapi/drm/drm.h` and `amdgpu_drm.h`, whose names the fields have.
//!
//! Unions of what goes in and what comes out are two structures; the larger one decides how many bytes a call has.

use crate::raw::structures;

structures! {
    /// `drm_version`; pointers and lengths as numbers of 64 bits.
    Version { version_major: i32, version_minor: i32, version_patchlevel: i32, _pad: u32, name_len: u64, name: u64, date_len: u64, date: u64, desc_len: u64, desc: u64 }
    /// `drm_get_cap`, `drm_set_client_cap`.
    Cap { capability: u64, value: u64 }
    /// `drm_gem_close`, `drm_syncobj_create`, `drm_syncobj_destroy`: a handle and flags.
    Handle { handle: u32, flags: u32 }
    /// `drm_prime_handle`.
    PrimeHandle { handle: u32, flags: u32, fd: i32 }
    /// `drm_syncobj_handle`.
    SyncobjHandle { handle: u32, flags: u32, fd: i32, _pad: u32 }
    /// `drm_syncobj_transfer`.
    SyncobjTransfer { src_handle: u32, dst_handle: u32, src_point: u64, dst_point: u64, flags: u32, _pad: u32 }
    /// `drm_syncobj_wait`, without what later kernels have added.
    SyncobjWait { handles: u64, timeout_nsec: u64, count_handles: u32, flags: u32, first_signaled: u32, _pad: u32 }
    /// `drm_syncobj_timeline_wait`, without what later kernels have added.
    SyncobjTimelineWait { handles: u64, points: u64, timeout_nsec: u64, count_handles: u32, flags: u32, first_signaled: u32, _pad: u32 }
    /// `drm_syncobj_array`.
    SyncobjArray { handles: u64, count_handles: u32, _pad: u32 }
    /// `drm_syncobj_timeline_array`.
    SyncobjTimelineArray { handles: u64, points: u64, count_handles: u32, flags: u32 }

    /// `drm_amdgpu_gem_create`; the handle comes out in the low half of `bo_size`.
    GemCreate { bo_size: u64, alignment: u64, domains: u64, domain_flags: u64 }
    /// `drm_amdgpu_gem_mmap`: a handle, and then an offset.
    GemMmap { addr_ptr: u64 }
    /// `drm_amdgpu_gem_wait_idle_in`.
    GemWaitIdle { handle: u32, flags: u32, timeout: u64 }
    /// `drm_amdgpu_gem_metadata`.
    GemMetadata { handle: u32, op: u32, flags: u64, tiling_info: u64, data_size_bytes: u32, data: [u32; 64], _tail: u32 }
    /// `drm_amdgpu_gem_op`.
    GemOp { handle: u32, op: u32, value: u64 }
    /// `drm_amdgpu_gem_userptr`.
    GemUserptr { addr: u64, size: u64, flags: u32, handle: u32 }
    /// `drm_amdgpu_gem_va`.
    GemVa { handle: u32, _pad: u32, operation: u32, flags: u32, va_address: u64, offset_in_bo: u64, map_size: u64 }
    /// `drm_amdgpu_ctx_in`; 16 bytes come out.
    Ctx { op: u32, flags: u32, ctx_id: u32, priority: i32 }
    /// `drm_amdgpu_vm_in`.
    Vm { op: u32, flags: u32 }
    /// `drm_amdgpu_cs_in`; the sequence number comes out in the first 8 bytes.
    Cs { ctx_id: u32, bo_list_handle: u32, num_chunks: u32, flags: u32, chunks: u64 }
    /// `drm_amdgpu_cs_chunk`.
    CsChunk { chunk_id: u32, length_dw: u32, chunk_data: u64 }
    /// `drm_amdgpu_cs_chunk_ib`.
    CsIb { _pad: u32, flags: u32, va_start: u64, ib_bytes: u32, ip_type: u32, ip_instance: u32, ring: u32 }
    /// `drm_amdgpu_cs_chunk_dep`.
    CsDep { ip_type: u32, ip_instance: u32, ring: u32, ctx_id: u32, handle: u64 }
    /// `drm_amdgpu_cs_chunk_fence`.
    CsFence { handle: u32, offset: u32 }
    /// `drm_amdgpu_cs_chunk_syncobj`.
    CsSyncobj { handle: u32, flags: u32, point: u64 }
    /// `drm_amdgpu_bo_list_in`.
    BoList { operation: u32, list_handle: u32, bo_number: u32, bo_info_size: u32, bo_info_ptr: u64 }
    /// `drm_amdgpu_bo_list_entry`.
    BoListEntry { bo_handle: u32, bo_priority: u32 }
    /// `drm_amdgpu_wait_cs_in`; the status comes out in the first 8 bytes.
    WaitCs { handle: u64, timeout: u64, ip_type: u32, ip_instance: u32, ring: u32, ctx_id: u32 }
    /// `drm_amdgpu_fence`.
    Fence { ctx_id: u32, ip_type: u32, ip_instance: u32, ring: u32, seq_no: u64 }
    /// `drm_amdgpu_wait_fences_in`; status and the first that is done come out in the first 8 bytes.
    WaitFences { fences: u64, fence_count: u32, wait_all: u32, timeout_ns: u64 }
    /// `drm_amdgpu_fence_to_handle`; the handle comes out in the first 4 bytes.
    FenceToHandle { ctx_id: u32, ip_type: u32, ip_instance: u32, ring: u32, seq_no: u64, what: u32, _pad: u32 }
    /// `drm_amdgpu_info`: the query's own fields as four dwords.
    Info { return_pointer: u64, return_size: u32, query: u32, of: [u32; 4] }

    /// `drm_amdgpu_info_hw_ip`, without what later kernels have added.
    HwIp { version_major: u32, version_minor: u32, capabilities_flags: u64, ib_start_alignment: u32, ib_size_alignment: u32, available_rings: u32, _pad: u32 }
    /// `drm_amdgpu_heap_info`.
    HeapInfo { total_heap_size: u64, usable_heap_size: u64, heap_usage: u64, max_allocation: u64 }
    /// `drm_amdgpu_memory_info`.
    MemoryInfo { vram: HeapInfo, cpu_accessible_vram: HeapInfo, gtt: HeapInfo }
    /// `drm_amdgpu_info_device`.
    DeviceInfo {
        device_id: u32, chip_rev: u32, external_rev: u32, pci_rev: u32, family: u32, num_shader_engines: u32, num_shader_arrays_per_engine: u32,
        gpu_counter_freq: u32, max_engine_clock: u64, max_memory_clock: u64, cu_active_number: u32, cu_ao_mask: u32, cu_bitmap: [u32; 16],
        enabled_rb_pipes_mask: u32, num_rb_pipes: u32, num_hw_gfx_contexts: u32, _pad: u32, ids_flags: u64, virtual_address_offset: u64,
        virtual_address_max: u64, virtual_address_alignment: u32, pte_fragment_size: u32, gart_page_size: u32, ce_ram_size: u32, vram_type: u32,
        vram_bit_width: u32, vce_harvest_config: u32, gc_double_offchip_lds_buf: u32, prim_buf_gpu_addr: u64, pos_buf_gpu_addr: u64,
        cntl_sb_buf_gpu_addr: u64, param_buf_gpu_addr: u64, prim_buf_size: u32, pos_buf_size: u32, cntl_sb_buf_size: u32, param_buf_size: u32,
        wave_front_size: u32, num_shader_visible_vgprs: u32, num_cu_per_sh: u32, num_tcc_blocks: u32, gs_vgt_table_depth: u32,
        gs_prim_buffer_depth: u32, max_gs_waves_per_vgt: u32, _pad1: u32, cu_ao_bitmap: [u32; 16], high_va_offset: u64, high_va_max: u64,
        pa_sc_tile_steering_override: u32, _pad2: u32, tcc_disabled_mask: u64,
    }
}

/// Types of engines: `AMDGPU_HW_IP_*`.
pub(crate) mod ip {
    pub(crate) const GFX: u32 = 0;
    pub(crate) const COMPUTE: u32 = 1;
    pub(crate) const DMA: u32 = 2;
}

#[cfg(test)]
mod tests {
    use super::*;

    // Sizes that the C compiler gives for Linux 6.1's headers.
    #[test]
    fn structures_are_as_long_as_the_kernels() {
        assert_eq!(size_of::<Version>(), 64);
        assert_eq!(size_of::<GemCreate>(), 32);
        assert_eq!(size_of::<GemMetadata>(), 288);
        assert_eq!(size_of::<GemVa>(), 40);
        assert_eq!(size_of::<Cs>(), 24);
        assert_eq!(size_of::<CsIb>(), 32);
        assert_eq!(size_of::<Info>(), 32);
        assert_eq!(size_of::<HwIp>(), 32);
        assert_eq!(size_of::<SyncobjWait>(), 32);
        assert_eq!(size_of::<SyncobjTimelineWait>(), 40);
        assert_eq!(size_of::<FenceToHandle>(), 32);
        assert_eq!(size_of::<DeviceInfo>(), 368);
    }
}
