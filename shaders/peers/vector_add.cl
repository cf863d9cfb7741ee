// Sums of two vectors: two streams in, one out.
kernel void vector_add(global const float *restrict a, global const float *restrict b, global float *restrict c, int n) {
  int i = get_global_id(0);
  if (i < n)
    c[i] = a[i] + b[i];
}
