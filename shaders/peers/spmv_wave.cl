// Sparse matrix times vector, CSR, 32 lanes per row: values and columns lie side by side, the lanes' sums meet in local memory.
#pragma OPENCL FP_CONTRACT OFF
#define WG 128
kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void spmv_wave(global const int *restrict starts, global const int *restrict columns, global const float *restrict values,
               global const float *restrict x, global float *restrict y, int rows) {
  local float sums[WG];
  int me = get_local_id(0), lane = me & 31;
  int row = get_group_id(0) * (WG / 32) + me / 32;
  float sum = 0.0f;
  if (row < rows)
    for (int k = starts[row] + lane; k < starts[row + 1]; k += 32)
      sum = fma(values[k], x[columns[k]], sum);
  sums[me] = sum;
  for (int d = 16; d > 0; d >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < d)
      sums[me] += sums[me + d];
  }
  if (lane == 0 && row < rows)
    y[row] = sums[me];
}
