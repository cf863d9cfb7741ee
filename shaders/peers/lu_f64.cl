// LU decomposition of one 6x6 f64 matrix per lane, in registers: divisions and long chains of fused multiply-adds. Element e of matrix i is at [e * count + i].
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#define N 6
kernel void lu_f64(global const double *restrict in, global double *restrict out, int count) {
  int me = get_global_id(0);
  double a[N][N];
#pragma unroll
  for (int e = 0; e < N * N; e++)
    a[e / N][e % N] = in[e * count + me];
#pragma unroll
  for (int k = 0; k < N; k++) {
#pragma unroll
    for (int r = k + 1; r < N; r++) {
      a[r][k] = a[r][k] / a[k][k];
#pragma unroll
      for (int c = k + 1; c < N; c++)
        a[r][c] = fma(-a[r][k], a[k][c], a[r][c]);
    }
  }
#pragma unroll
  for (int e = 0; e < N * N; e++)
    out[e * count + me] = a[e / N][e % N];
}
