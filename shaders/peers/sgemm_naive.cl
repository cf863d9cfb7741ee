// C = A B with f32, one element per lane, straight from global memory.
#pragma OPENCL FP_CONTRACT OFF
kernel void sgemm_naive(global const float *restrict a, global const float *restrict b, global float *restrict c, int m, int n, int k) {
  int column = get_global_id(0), row = get_global_id(1);
  if (row >= m || column >= n)
    return;
  float sum = 0.0f;
  for (int i = 0; i < k; i++)
    sum = fma(a[row * k + i], b[i * n + column], sum);
  c[row * n + column] = sum;
}
