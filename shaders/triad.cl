// Streaming: two loads, one fused multiply-add, one store per work-item; the index is an int and the tail is partial.
__kernel void triad(__global float *restrict out, __global const float *restrict a, __global const float *restrict b,
                    float scale, int n) {
  int i = get_global_id(0);
  if (i < n)
    out[i] = fma(scale, b[i], a[i]);
}
