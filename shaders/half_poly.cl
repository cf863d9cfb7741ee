// f16 scalars: conversions from and to f32, polynomial by fused multiply-adds, comparison, min and max.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF
__kernel void half_poly(__global const float *in, __global half *out, __global float *wide) {
  size_t i = get_global_id(0);
  half x = (half)in[i];
  half p = fma(fma(x, (half)0.125h, (half)-0.75h), x, (half)1.5h);
  half q = x * x - p;
  half r = p > q ? fmax(p, x) : fmin(q, x);
  out[i] = r + (half)0.5h;
  wide[i] = (float)r * 2.0f;
}
