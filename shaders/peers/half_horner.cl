// f16: a polynomial by packed fused multiply-adds, then minimum, maximum, products and conversions, two halves per lane.
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF
kernel void half_horner(global const half2 *restrict in, global half2 *restrict out, int rounds) {
  int i = get_global_id(0);
  half2 x = in[i], y = x;
  for (int k = 0; k < rounds; k++) {
    half2 p = fma(y, (half2)(0.0625h), (half2)(-0.25h));
    p = fma(p, y, (half2)(0.5h));
    p = fma(p, y, (half2)(-0.75h));
    p = fma(p, y, (half2)(0.875h));
    y = fmin(fmax(p * x + (half2)(0.125h), (half2)(-1.0h)), (half2)(1.0h));
  }
  float2 wide = convert_float2(y);
  out[i] = convert_half2(wide * wide.yx);
}
#endif
