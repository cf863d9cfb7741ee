// Histogram: LDS atomics per workgroup, then global atomics into the result; 4 bytes of input per load.
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void histogram(__global const uchar4 *in, __global uint *bins, uint n4) {
  __local uint part[256];
  uint l = get_local_id(0);
  part[l] = 0;
  part[l + 128] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < n4; i += get_global_size(0)) {
    uchar4 v = in[i];
    atomic_inc(&part[v.x]);
    atomic_inc(&part[v.y]);
    atomic_inc(&part[v.z]);
    atomic_inc(&part[v.w]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[l], part[l]);
  atomic_add(&bins[l + 128], part[l + 128]);
}
