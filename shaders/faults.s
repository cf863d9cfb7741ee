// Kernels that do what a kernel must not do, one each. All but `trapping` take one buffer pointer at s[0:1].
  .amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
  .text

// Loads the buffer address to s[2:3] and the item's byte offset to v1; v0 keeps the item's number.
.macro prologue name
  .globl \name
  .p2align 8
  .type \name,@function
\name:
  s_load_b64 s[2:3], s[0:1], 0x0
  v_and_b32_e32 v0, 0x3ff, v0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
.endm
.macro epilogue name
  s_endpgm
.Lend_\name:
  .size \name, .Lend_\name-\name
  .rodata
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_kernarg_size 8
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 16
    .amdhsa_wavefront_size32 1
  .end_amdhsa_kernel
  .text
.endm

// A dword that is not an instruction, reached by the second wave of a workgroup only.
prologue unknown_instruction
  v_readfirstlane_b32 s4, v0
  s_cmp_lt_u32 s4, 32
  s_cbranch_scc1 1f
  .long 0xfe000001
1:
  epilogue unknown_instruction

// A store far outside any memory, by lane 5 only.
prologue wild_store
  v_cmp_eq_u32_e32 vcc_lo, 5, v0
  v_cndmask_b32_e64 v3, 0, 1, vcc_lo
  v_lshlrev_b32_e32 v3, 20, v3
  v_mov_b32_e32 v2, s2
  v_add_nc_u32_e32 v3, s3, v3
  global_store_b32 v[2:3], v0, off
  epilogue wild_store

// A scalar load from the second page of the address space.
prologue wild_scalar_load
  s_mov_b64 s[4:5], 0x1000
  s_load_b32 s6, s[4:5], 0x0
  s_waitcnt lgkmcnt(0)
  epilogue wild_scalar_load

// An atomic at an odd address.
prologue misaligned_atomic
  global_atomic_add_u32 v1, v0, s[2:3] offset:2
  epilogue misaligned_atomic

// The same in LDS (LDS-06).
prologue misaligned_lds_atomic
  ds_add_u32 v1, v0 offset:1
  s_waitcnt lgkmcnt(0)
  epilogue misaligned_lds_atomic

// Never ends.
prologue endless_loop
1:
  s_add_u32 s4, s4, 1
  s_branch 1b
  epilogue endless_loop

// The first wave waits for a word in LDS that the second writes behind a barrier, to which the first never comes.
prologue barrier_deadlock
  v_mov_b32_e32 v2, 0
  v_readfirstlane_b32 s4, v0
  s_cmp_lt_u32 s4, 32
  s_cbranch_scc0 2f
1:
  s_sleep 1
  ds_load_b32 v3, v2
  s_waitcnt lgkmcnt(0)
  v_readfirstlane_b32 s5, v3
  s_cmp_eq_u32 s5, 0
  s_cbranch_scc1 1b
  s_endpgm
2:
  s_barrier
  v_mov_b32_e32 v3, 1
  ds_store_b32 v2, v3
  s_waitcnt lgkmcnt(0)
  epilogue barrier_deadlock

// Jumps into the buffer, which holds no code.
prologue wild_jump
  s_mov_b64 s[4:5], 0x10
  s_setpc_b64 s[4:5]
  epilogue wild_jump

// A trap that nobody handles.
prologue trapping
  s_trap 2
  epilogue trapping

// An instruction that exists but has no meaning here: a counter of streamout.
prologue shading
  ds_add_gs_reg_rtn v[4:5], v1 offset:0 gds
  epilogue shading

// A V# of 64 KiB for the buffer of 1 KiB, and lane 5 far behind its end: the descriptor allows it, the memory is not there.
prologue wild_buffer_load
  s_mov_b32 s4, s2
  s_mov_b32 s5, s3
  s_mov_b32 s6, 0x10000
  s_mov_b32 s7, 0x30016fac
  v_cmp_eq_u32_e32 vcc_lo, 5, v0
  v_cndmask_b32_e64 v3, 0, 0x8000, vcc_lo
  buffer_load_b32 v4, v3, s[4:7], 0 offen
  s_waitcnt vmcnt(0)
  epilogue wild_buffer_load

// An atomic of a buffer at an odd address (BUF-23).
prologue misaligned_buffer_atomic
  s_mov_b32 s4, s2
  s_mov_b32 s5, s3
  s_mov_b32 s6, 0x400
  s_mov_b32 s7, 0x30016fac
  buffer_atomic_add_u32 v0, v1, s[4:7], 0 offen offset:2
  epilogue misaligned_buffer_atomic

// A format that buffers do not have: BC1.
prologue buffer_of_blocks
  s_mov_b32 s4, s2
  s_mov_b32 s5, s3
  s_mov_b32 s6, 0x400
  s_mov_b32 s7, 0x30016fac
  tbuffer_load_format_x v4, v1, s[4:7], 0 format:109 offen
  s_waitcnt vmcnt(0)
  epilogue buffer_of_blocks

// Not a fault: LDS out of range. Stores are dropped, loads give 0 (LDS-01, LDS-02).
prologue lds_out_of_range
  v_mov_b32_e32 v2, 0x3fc
  v_mov_b32_e32 v3, 0x11223344
  v_mov_b32_e32 v4, 0x55667788
  ds_store_b32 v2, v3
  ds_store_b32 v2, v4 offset:4
  ds_load_b32 v5, v2
  ds_load_b32 v6, v2 offset:4
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v3, -1
  v_mov_b32_e32 v4, -1
  v_mov_b32_e32 v2, 0x3f8
  ds_load_b64 v[3:4], v2 offset:8
  s_waitcnt lgkmcnt(0)
  v_or_b32_e32 v6, v6, v3
  v_or_b32_e32 v6, v6, v4
  v_add_nc_u32_e32 v5, v5, v6
  global_store_b32 v1, v5, s[2:3]
  epilogue lds_out_of_range

  .amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - {.name: unknown_instruction, .symbol: unknown_instruction.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: wild_store, .symbol: wild_store.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: wild_scalar_load, .symbol: wild_scalar_load.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: misaligned_atomic, .symbol: misaligned_atomic.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: misaligned_lds_atomic, .symbol: misaligned_lds_atomic.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: endless_loop, .symbol: endless_loop.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: barrier_deadlock, .symbol: barrier_deadlock.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: wild_jump, .symbol: wild_jump.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: trapping, .symbol: trapping.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: shading, .symbol: shading.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: wild_buffer_load, .symbol: wild_buffer_load.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: misaligned_buffer_atomic, .symbol: misaligned_buffer_atomic.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: buffer_of_blocks, .symbol: buffer_of_blocks.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: lds_out_of_range, .symbol: lds_out_of_range.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  .end_amdgpu_metadata
