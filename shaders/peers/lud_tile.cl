// LU decomposition of a 16x16 matrix per workgroup in local memory, two barriers per pivot and fewer lanes each time.
#pragma OPENCL FP_CONTRACT OFF
#define N 16
kernel __attribute__((reqd_work_group_size(N, N, 1)))
void lud_tile(global const float *restrict in, global float *restrict out) {
  local float a[N][N + 1];
  int c = get_local_id(0), r = get_local_id(1);
  size_t at = get_group_id(0) * (N * N) + r * N + c;
  a[r][c] = in[at];
  for (int k = 0; k < N - 1; k++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (c == k && r > k)
      a[r][k] /= a[k][k];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (c > k && r > k)
      a[r][c] = fma(-a[r][k], a[k][c], a[r][c]);
  }
  out[at] = a[r][c];
}
