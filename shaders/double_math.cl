// f64: add, multiply, fused multiply-add, division and square root (both expanded by the compiler, both correctly rounded), conversions.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
__kernel void double_math(__global const double *in, __global double *out, __global long *ints) {
  size_t i = get_global_id(0);
  double x = in[i * 2], y = in[i * 2 + 1];
  double s = x + y, p = x * y;
  out[i * 4] = fma(s, p, -x);
  out[i * 4 + 1] = x / y;
  out[i * 4 + 2] = sqrt(fabs(p));
  out[i * 4 + 3] = floor(s) - trunc(x) + fmin(x, y);
  ints[i] = (long)(s * 1000.0) + (int)x + (uint)fabs(y);
}
