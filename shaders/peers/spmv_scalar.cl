// Sparse matrix times vector, CSR, one row per lane: loops of different lengths, values and columns gathered.
#pragma OPENCL FP_CONTRACT OFF
kernel void spmv_scalar(global const int *restrict starts, global const int *restrict columns, global const float *restrict values,
                        global const float *restrict x, global float *restrict y, int rows) {
  int row = get_global_id(0);
  if (row >= rows)
    return;
  float sum = 0.0f;
  for (int k = starts[row]; k < starts[row + 1]; k++)
    sum = fma(values[k], x[columns[k]], sum);
  y[row] = sum;
}
