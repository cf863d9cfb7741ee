// How often each byte occurs: atomic additions in local memory, then one to global memory per bin and workgroup.
#define WG 256
kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void hist_lds(global const uint *restrict data, global uint *restrict bins, int words) {
  local uint mine[256];
  int me = get_local_id(0);
  mine[me] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < words; i += get_global_size(0)) {
    uint word = data[i];
#pragma unroll
    for (int k = 0; k < 32; k += 8)
      atomic_inc(&mine[(word >> k) & 255]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[me], mine[me]);
}
