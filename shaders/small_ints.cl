// 8- and 16-bit integers: packed 16-bit arithmetic, saturating forms, sign extension, conversions of floats with rounding and saturation.
__kernel void small_ints(__global const short2 *in, __global short2 *out, __global uint *conv, __global const float *f) {
  size_t i = get_global_id(0);
  short2 a = in[i * 2], b = in[i * 2 + 1];
  out[i * 6] = a + b;
  out[i * 6 + 1] = add_sat(a, b);
  out[i * 6 + 2] = a * b - (short2)(3, 5);
  out[i * 6 + 3] = max(min(a, b), a >> (short2)2);
  out[i * 6 + 4] = as_short2(as_ushort2(a) >> (as_ushort2(b) & (ushort2)15));
  out[i * 6 + 5] = convert_short2(convert_char2_sat(a)) - sub_sat(a, b);
  float x = f[i];
  conv[i * 5] = (uint)convert_int_rte(x);
  conv[i * 5 + 1] = convert_uint_sat(x);
  conv[i * 5 + 2] = convert_uchar_sat_rte(x) | (uint)(ushort)convert_short_sat(x) << 16;
  conv[i * 5 + 3] = as_uint((float)(int)(a.x * 60001));
  conv[i * 5 + 4] = as_uint((float)as_uint(b) + (float)(uchar)a.y);
}
