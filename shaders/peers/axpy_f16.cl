// a x + y in f16, two halves per lane.
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF
kernel void axpy_f16(global const half2 *restrict x, global const half2 *restrict y, global half2 *restrict out, float a, int pairs) {
  int i = get_global_id(0);
  if (i < pairs)
    out[i] = fma((half2)((half)a), x[i], y[i]);
}
#endif
