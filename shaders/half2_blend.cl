// Packed f16: v_pk_fma, v_pk_add, v_pk_mul, v_pk_min and v_pk_max on pairs, two pairs per work-item.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF
__kernel void half2_blend(__global const half4 *a, __global const half4 *b, __global half4 *out, float amount) {
  size_t i = get_global_id(0);
  half4 x = a[i], y = b[i], t = (half4)((half)amount);
  half4 mixed = fma(t, y - x, x);
  half4 product = x * y.wzyx;
  out[i] = fmin(fmax(mixed, product), (half4)(6.0h)) + (half4)(-0.5h, 0.25h, 1.0h, 0.0h);
}
