// Sums: every lane adds many numbers, a grid apart, then a workgroup's sums meet in local memory.
#define WG 256
kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void sum_lds(global const float *restrict in, global float *restrict sums, int n) {
  local float t[WG];
  int me = get_local_id(0);
  float sum = 0.0f;
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    sum += in[i];
  t[me] = sum;
  for (int d = WG / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < d)
      t[me] += t[me + d];
  }
  if (me == 0)
    sums[get_group_id(0)] = t[0];
}
