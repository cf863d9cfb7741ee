// Inclusive prefix sum of a block in LDS (Hillis and Steele): two barriers per doubling step, 16 waves of 32 per workgroup.
__kernel __attribute__((reqd_work_group_size(512, 1, 1)))
void scan_block(__global const uint *in, __global uint *out, __global uint *totals, uint n) {
  __local uint row[512];
  uint l = get_local_id(0), i = get_global_id(0);
  row[l] = i < n ? in[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 1; d < 512; d <<= 1) {
    uint left = l >= d ? row[l - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    row[l] += left;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < n)
    out[i] = row[l];
  if (l == 511)
    totals[get_group_id(0)] = row[511];
}
