// Calls that stay calls: functions of several arguments, a nested call, callee-saved registers, a pointer to a caller's private variable.
__attribute__((noinline)) static uint mix(uint a, uint b) {
  a ^= b * 0x9e3779b9u;
  return a ^ (a >> 15);
}
__attribute__((noinline)) static uint fold(uint a, uint b, uint c, uint *carry) {
  uint x = mix(a, b), y = mix(b, c);
  *carry += x < y;
  return x + 3 * y;
}
__attribute__((noinline)) static float weigh(float a, uint n) {
  return n & 1 ? a * 0.5f : a + (float)n;
}
__kernel void calls(__global const uint *in, __global uint *out, uint rounds) {
  size_t i = get_global_id(0);
  uint a = in[i], carry = 0;
  float f = 1.0f;
  for (uint r = 0; r < rounds; r++) {
    a = fold(a, r, (uint)i, &carry);
    if (a & 4)
      f = weigh(f, a & 15);
  }
  out[i * 3] = a;
  out[i * 3 + 1] = carry;
  out[i * 3 + 2] = as_uint(f);
}
