// Wave state, requirement by requirement: each kernel stores one row of dwords per result, a dword per lane, at s[2:3].
// What the rows must hold is in tests/tests/state.rs.
  .amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
  .text

.macro prologue name
  .globl \name
  .p2align 8
  .type \name,@function
\name:
  v_mov_b32_e32 v31, s2          // workgroup ids, before the pointer takes their place
  v_mov_b32_e32 v30, s3
  v_mov_b32_e32 v29, s4
  v_mov_b32_e32 v28, v0
  v_mov_b32_e32 v27, exec_lo
  s_load_b64 s[2:3], s[0:1], 0x0
  s_mov_b32 s33, exec_lo
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
    .amdhsa_system_sgpr_workgroup_id_y 1
    .amdhsa_system_sgpr_workgroup_id_z 1
    .amdhsa_system_vgpr_workitem_id 2
    .amdhsa_next_free_vgpr 32
    .amdhsa_next_free_sgpr 40
    .amdhsa_wavefront_size32 1
    .amdhsa_float_denorm_mode_32 3
  .end_amdhsa_kernel
  .text
.endm
// Row \k: the vector register.
.macro put k, v
  s_mov_b32 exec_lo, s33
  global_store_b32 v1, \v, s[2:3] offset:\k*128
.endm
// Row \k: the scalar in every lane.
.macro puts k, s
  s_mov_b32 exec_lo, s33
  v_mov_b32_e32 v26, \s
  global_store_b32 v1, v26, s[2:3] offset:\k*128
.endm
// Row \k: SCC.
.macro putscc k
  s_cselect_b32 s32, 1, 0
  puts \k, s32
.endm

// STATE-03, STATE-04: getpc and swappc give the address of the next instruction, branches count from it.
prologue program_counter
  s_getpc_b64 s[4:5]
.Lpc1:
  s_mov_b32 s10, 0
  s_getpc_b64 s[6:7]
  s_sub_u32 s8, s6, s4
  s_branch .Lpc2
  s_mov_b32 s10, 1
.Lpc2:
  s_getpc_b64 s[12:13]
.Lpc3:
  s_add_u32 s12, s12, .Lpc_callee-.Lpc3
  s_addc_u32 s13, s13, 0
  s_swappc_b64 s[14:15], s[12:13]
.Lpc4:
  s_sub_u32 s16, s12, s14
  s_sub_u32 s16, s16, .Lpc_callee-.Lpc4
  puts 0, s8
  puts 1, s10
  puts 2, s16
  puts 3, s17
  s_endpgm
.Lpc_callee:
  s_mov_b32 s17, 77
  s_setpc_b64 s[14:15]
  epilogue program_counter

// STATE-06, STATE-08, STATE-09, STATE-12, STATE-13, STATE-24, STATE-36: what EXEC gates and what it does not.
prologue exec
  v_mov_b32_e32 v3, 1
  s_mov_b32 exec_lo, 0x0f0f
  v_mov_b32_e32 v3, 5
  put 0, v3                      // vector writes: active lanes only
  v_add_nc_u32_e32 v4, 100, v0
  v_mov_b32_e32 v5, 3
  s_mov_b32 s6, 0
  s_mov_b32 s7, -1
  s_mov_b32 exec_lo, 0
  s_mov_b32 exec_hi, -1          // means nothing in wave32
  s_mov_b32 s5, 9                // scalar instructions run
  s_cbranch_execz 1f
  s_mov_b32 s6, 1
1:
  v_cmp_eq_u32_e64 s7, v0, v0    // no active lane: a mask of zeros
  v_readfirstlane_b32 s8, v4     // no active lane: lane 0
  v_readlane_b32 s9, v4, 35      // lane number modulo 32
  v_writelane_b32 v5, 7, 33
  puts 1, s5
  puts 2, s6
  puts 3, s7
  puts 4, s8
  puts 5, s9
  put 6, v5
  s_mov_b32 exec_lo, 0x00ff00ff
  v_cmp_le_u32_e64 s10, 4, v0    // 0 for inactive lanes
  puts 7, s10
  v_cmpx_gt_u32_e32 6, v0        // lanes 0..5
  s_mov_b32 s11, exec_lo
  puts 8, s11
  s_mov_b32 s12, 0xff
  s_and_saveexec_b32 s13, s12
  s_mov_b32 s14, exec_lo
  puts 9, s13
  puts 10, s14
  s_mov_b32 s12, 0x3c
  s_and_saveexec_b32 ttmp3, s12  // a destination that may not be written: EXEC changes all the same
  s_mov_b32 s14, exec_lo
  puts 11, s14
  epilogue exec

// STATE-35: SCC by class of instruction; NULL drops the result but not SCC.
prologue scc
  s_mov_b32 s4, -1
  s_add_u32 s5, s4, 1            // carry
  putscc 0
  s_add_i32 s5, s4, 1            // no signed overflow
  putscc 1
  s_mov_b32 s6, 0x7fffffff
  s_add_i32 s5, s6, 1            // signed overflow
  putscc 2
  s_sub_u32 s5, 3, 4             // borrow
  putscc 3
  s_and_b32 s5, s6, 0x80000000   // zero
  putscc 4
  s_lshl_b32 s5, s6, 1           // not zero
  putscc 5
  s_cmp_lg_u32 s4, s4            // false
  s_mov_b32 s5, s6               // moves leave it alone
  putscc 6
  s_cmp_lg_u32 s4, s6            // true
  s_movk_i32 s5, 0x0
  putscc 7
  s_add_u32 null, s4, s4
  putscc 8
  s_mov_b32 s5, null
  puts 9, s5
  s_add_u32 s5, s4, 2            // 1, carry
  s_addc_u32 s5, s5, 5           // 7
  puts 10, s5
  s_absdiff_i32 s5, s4, 4        // 5, not zero
  putscc 11
  puts 12, s5
  epilogue scc

// STATE-17, STATE-37: VCC as the condition of branches and selects, and as an ordinary register pair.
prologue vcc
  s_mov_b32 s4, 0
  s_mov_b32 vcc_lo, 0
  s_cbranch_vccnz 1f
  s_add_i32 s4, s4, 1
1:
  v_cmp_eq_u32_e32 vcc_lo, 3, v0
  s_cbranch_vccz 2f
  s_add_i32 s4, s4, 2
2:
  v_mov_b32_e32 v3, 11
  v_cndmask_b32_e32 v4, 22, v3, vcc_lo
  s_mov_b32 s5, vcc_lo
  s_mov_b32 vcc_hi, 0x1234
  s_add_u32 s6, vcc_hi, vcc_lo
  v_mov_b32_e32 v5, -1
  v_add_co_u32 v6, vcc_lo, v5, v0 // carry out of every lane but 0
  v_add_co_ci_u32_e32 v7, vcc_lo, 0, v0, vcc_lo
  puts 0, s4
  put 1, v4
  puts 2, s5
  puts 3, s6
  put 4, v7
  epilogue vcc

// STATE-22, STATE-23: trap registers are not for user code: writes vanish together with their SCC, reads give 0.
prologue trap_registers
  s_mov_b32 s4, -1
  s_mov_b32 ttmp3, 5
  s_mov_b32 s5, ttmp3
  s_cmp_eq_u32 s4, s4
  s_add_u32 ttmp3, 1, 1          // would clear SCC
  putscc 0
  puts 1, s5
  epilogue trap_registers

// STATE-40: fields of MODE through getreg and setreg, and what they do to arithmetic.
prologue mode
  s_getreg_b32 s4, hwreg(HW_REG_MODE, 4, 4)
  v_mov_b32_e32 v3, 1.0
  v_mov_b32_e32 v4, 0x33c00000   // 1.5 * 2^-24
  v_add_f32_e32 v5, v3, v4       // to nearest: up
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3
  v_add_f32_e32 v6, v3, v4       // to zero: 1
  s_getreg_b32 s5, hwreg(HW_REG_MODE, 0, 4)
  s_round_mode 0x1
  v_mov_b32_e32 v4, 0x33000000   // 2^-25
  v_add_f32_e32 v7, v3, v4       // up
  s_round_mode 0x0
  v_mov_b32_e32 v8, 0x00400000   // denormal
  v_add_f32_e32 v9, v8, v8       // kept: 0x00800000
  s_denorm_mode 0xc              // f32 flushes
  v_add_f32_e32 v10, v8, v8
  v_mov_b32_e32 v11, v8          // moves never flush
  s_denorm_mode 0xf
  puts 0, s4
  put 1, v5
  put 2, v6
  puts 3, s5
  put 4, v7
  put 5, v9
  put 6, v10
  put 7, v11
  epilogue mode

// STATE-27: relative register access, in range and out of it.
prologue relative
  s_mov_b32 s20, 200
  s_mov_b32 s21, 201
  s_mov_b32 s22, 202
  v_mov_b32_e32 v20, 20
  v_add_nc_u32_e32 v21, 500, v0
  v_mov_b32_e32 v22, 22
  v_mov_b32_e32 v2, 2
  s_mov_b32 m0, 2
  s_movrels_b32 s4, s20
  v_movrels_b32_e32 v3, v20
  s_mov_b32 m0, 1
  v_movrels_b32_e32 v4, v20
  s_mov_b32 s5, 555
  s_movreld_b32 s20, s5          // s21
  v_movreld_b32_e32 v20, v2      // v21
  s_mov_b32 m0, 300
  v_movrels_b32_e32 v5, v20      // out of range: v0
  v_movreld_b32_e32 v20, v2      // out of range: dropped
  s_movrels_b32 s6, s20          // out of range: s0
  s_sub_u32 s6, s6, s0
  s_movreld_b32 s20, s5          // out of range: dropped
  puts 0, s4
  put 1, v3
  put 2, v4
  puts 3, s21
  put 4, v21
  put 5, v5
  puts 6, s6
  put 7, v20
  puts 8, s20
  epilogue relative

// INIT-01, INIT-12, INIT-13: what a compute wave starts with.
prologue start
  v_mov_b32_e32 v25, s20
  put 0, v31                     // workgroup id x, y, z right behind the one user pair
  put 1, v30
  put 2, v29
  put 3, v28                     // work-item ids, packed
  put 4, v27                     // EXEC: live lanes
  put 5, v25                     // not initialized: 0
  put 6, v24
  epilogue start

// LDS-03, LDS-04: widths and the two-address forms, whose offsets count elements (or 64 of them).
prologue lds_addresses
  v_mov_b32_e32 v2, 0
  v_lshlrev_b32_e32 v3, 2, v0
  v_mul_lo_u32 v4, 0x01010101, v0
  ds_store_b32 v3, v4            // dword i = i in each byte
  s_waitcnt lgkmcnt(0)
  ds_load_u8 v5, v2 offset:41    // byte of dword 10
  ds_load_u16 v6, v2 offset:46   // half of dword 11
  ds_load_2addr_b32 v[7:8], v2 offset0:3 offset1:5
  s_waitcnt lgkmcnt(0)
  v_add_nc_u32_e32 v7, v7, v8
  ds_load_2addr_b64 v[8:11], v2 offset0:1 offset1:4
  s_waitcnt lgkmcnt(0)
  v_add_nc_u32_e32 v8, v8, v9    // dwords 2, 3
  v_add_nc_u32_e32 v10, v10, v11 // dwords 8, 9
  v_mov_b32_e32 v12, 77
  v_mov_b32_e32 v13, 88
  ds_store_2addr_stride64_b32 v2, v12, v13 offset0:1 offset1:2
  s_waitcnt lgkmcnt(0)
  ds_load_b32 v14, v2 offset:256
  ds_load_b32 v15, v2 offset:512
  ds_load_b128 v[16:19], v2 offset:16
  s_waitcnt lgkmcnt(0)
  v_add3_u32 v16, v16, v17, v18
  v_add_nc_u32_e32 v16, v16, v19 // dwords 4 to 7
  put 0, v5
  put 1, v6
  put 2, v7
  put 3, v8
  put 4, v10
  put 5, v14
  put 6, v15
  put 7, v16
  epilogue lds_addresses

  .amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - {.name: program_counter, .symbol: program_counter.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 40, .vgpr_count: 32, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: exec, .symbol: exec.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 40, .vgpr_count: 32, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: scc, .symbol: scc.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 40, .vgpr_count: 32, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: vcc, .symbol: vcc.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 40, .vgpr_count: 32, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: trap_registers, .symbol: trap_registers.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 40, .vgpr_count: 32, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: mode, .symbol: mode.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 40, .vgpr_count: 32, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: relative, .symbol: relative.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 40, .vgpr_count: 32, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: start, .symbol: start.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 40, .vgpr_count: 32, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  - {.name: lds_addresses, .symbol: lds_addresses.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 1024, .private_segment_fixed_size: 0,
     .wavefront_size: 32, .sgpr_count: 40, .vgpr_count: 32, .max_flat_workgroup_size: 1024,
     .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
  .end_amdgpu_metadata
