// a x + y: two streams in, one out.
#pragma OPENCL FP_CONTRACT OFF
kernel void axpy(global const float *restrict x, global const float *restrict y, global float *restrict out, float a, int n) {
  int i = get_global_id(0);
  if (i < n)
    out[i] = fma(a, x[i], y[i]);
}
