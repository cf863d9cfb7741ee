// 32-bit division and remainder, signed and unsigned: the compiler's expansion by reciprocal estimates must be exact.
__kernel void int32_divide(__global const uint *in, __global uint *out) {
  size_t i = get_global_id(0);
  uint a = in[i * 2], b = in[i * 2 + 1];
  b = b ? b : 1;
  int sa = (int)a, sb = (int)b == -1 ? 1 : (int)b;
  out[i * 5] = a / b;
  out[i * 5 + 1] = a % b;
  out[i * 5 + 2] = (uint)(sa / sb);
  out[i * 5 + 3] = (uint)(sa % sb);
  out[i * 5 + 4] = a / 641u + mul_hi(a, b);
}
