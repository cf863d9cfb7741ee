// Transcendental functions: the precise ones of the OpenCL library and the native instructions behind them.
__kernel void transcend(__global const float *in, __global float *out) {
  size_t i = get_global_id(0), n = get_global_size(0);
  float x = in[i], y = fabs(x) + 0.125f;
  out[i + 0 * n] = sin(x);
  out[i + 1 * n] = cos(x);
  out[i + 2 * n] = exp(x * 0.25f);
  out[i + 3 * n] = log(y);
  out[i + 4 * n] = pow(y, 1.7f);
  out[i + 5 * n] = sqrt(y);
  out[i + 6 * n] = rsqrt(y);
  out[i + 7 * n] = tanh(x);
  out[i + 8 * n] = atan2(x, y);
  out[i + 9 * n] = x / y;
  out[i + 10 * n] = native_exp2(x);
  out[i + 11 * n] = native_log2(y);
  out[i + 12 * n] = native_sin(x);
  out[i + 13 * n] = native_recip(y);
}
