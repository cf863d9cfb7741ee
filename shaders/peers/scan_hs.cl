// Running sums of every 256 numbers after Hillis and Steele: two buffers in local memory, a barrier a step.
#define WG 256
kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void scan_hs(global const uint *restrict in, global uint *restrict out) {
  local uint sums[2][WG];
  int me = get_local_id(0), from = 0;
  uint sum = in[get_global_id(0)];
  sums[0][me] = sum;
  for (int d = 1; d < WG; d *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me >= d)
      sum += sums[from][me - d];
    from ^= 1;
    sums[from][me] = sum;
  }
  out[get_global_id(0)] = sum;
}
