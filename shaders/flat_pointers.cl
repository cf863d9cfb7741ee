// Generic pointers: one load and one store instruction reach global memory, LDS or scratch, different from lane to lane.
__attribute__((noinline)) static void bump(int *p, int by) { *p += by; }
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void flat_pointers(__global int *data, __global int *out) {
  __local int shared[64];
  size_t i = get_global_id(0);
  int l = get_local_id(0), mine[2] = {l * 10, l * 20};
  shared[l] = l * 100;
  barrier(CLK_LOCAL_MEM_FENCE);
  int *p;
  switch (data[i] & 3) {
  case 0: p = &shared[63 - l]; break;
  case 1: p = &mine[l & 1]; break;
  default: p = (int *)&data[i]; break;
  }
  bump(p, 7);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  out[i] = shared[l] + 1000000 * mine[0] + mine[1] + data[i];
}
