// Products of rows of signed bytes, four at a time, summed in 32 bits (v_dot4): C = A transposed(B). `k4` is the length of a row in fours.
kernel void gemm_bytes(global const char4 *restrict a, global const char4 *restrict b, global int *restrict c, int n, int k4) {
  int column = get_global_id(0), row = get_global_id(1), sum = 0;
  for (int k = 0; k < k4; k++) {
    char4 x = a[row * k4 + k], y = b[column * k4 + k];
    sum += x.s0 * y.s0 + x.s1 * y.s1 + x.s2 * y.s2 + x.s3 * y.s3;
  }
  c[row * n + column] = sum;
}
