// 64-bit integers: multiply, high half, divide, remainder, shifts by lane amounts, compares, count of leading zeros.
__kernel void int64_math(__global const ulong *in, __global ulong *out) {
  size_t i = get_global_id(0);
  ulong a = in[i * 2], b = in[i * 2 + 1];
  long sa = (long)a, sb = (long)b | 1;
  out[i * 8] = a * b;
  out[i * 8 + 1] = mul_hi(a, b);
  out[i * 8 + 2] = a / (b | 1);
  out[i * 8 + 3] = (ulong)(sa % sb);
  out[i * 8 + 4] = (a << (b & 63)) | (a >> (-b & 63));
  out[i * 8 + 5] = (ulong)(sa >> (b & 63));
  out[i * 8 + 6] = clz(a) * 100 + popcount(b);
  out[i * 8 + 7] = (sa < sb ? a - b : a + b) ^ (ulong)mul_hi(sa, sb);
}
