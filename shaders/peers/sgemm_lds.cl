// C = A B with f32 by tiles of 16x16 in local memory, one element per lane. All sizes are multiples of 16.
#pragma OPENCL FP_CONTRACT OFF
#define T 16
kernel __attribute__((reqd_work_group_size(T, T, 1)))
void sgemm_lds(global const float *restrict a, global const float *restrict b, global float *restrict c, int m, int n, int k) {
  local float as[T][T], bs[T][T];
  int lx = get_local_id(0), ly = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
  float sum = 0.0f;
  for (int base = 0; base < k; base += T) {
    as[ly][lx] = a[row * k + base + lx];
    bs[ly][lx] = b[(base + ly) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int i = 0; i < T; i++)
      sum = fma(as[ly][i], bs[i][lx], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
