// Running sum and maximum of every 32 numbers: across the lanes of a wave32 where there are waves (DPP), through local memory elsewhere.
#define WG 256
#ifdef __AMDGCN__
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void subgroup_stats(global const uint *restrict in, global uint *restrict sums, global uint *restrict peaks, int rounds) {
  int me = get_local_id(0);
  size_t at = get_global_id(0);
  uint v = in[at], sum = 0, peak = 0;
#ifndef __AMDGCN__
  local uint a[WG], b[WG];
  int lane = me & 31;
#endif
  for (int k = 0; k < rounds; k++) {
#ifdef __AMDGCN__
    sum = sub_group_scan_inclusive_add(v);
    peak = sub_group_reduce_max(v);
#else
    a[me] = v;
    b[me] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < 32; d <<= 1) {
      uint s = lane >= d ? a[me - d] : 0, m = b[me ^ d];
      barrier(CLK_LOCAL_MEM_FENCE);
      a[me] += s;
      b[me] = max(b[me], m);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    sum = a[me];
    peak = b[me];
#endif
    v = (v ^ sum) + peak * 3;
  }
  sums[at] = sum;
  if ((me & 31) == 0)
    peaks[at / 32] = peak;
}
