// Indirect calls through a table of functions, the index different from lane to lane.
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
typedef uint (*step)(uint, uint);
__attribute__((noinline)) static uint add(uint a, uint b) { return a + b; }
__attribute__((noinline)) static uint spin(uint a, uint b) { return rotate(a, b); }
__attribute__((noinline)) static uint mul(uint a, uint b) { return a * (b | 1); }
__attribute__((noinline)) static uint flip(uint a, uint b) { return ~a ^ b; }
__constant step table[4] = {add, spin, mul, flip};
__kernel void call_table(__global const uint *in, __global uint *out, uint rounds) {
  size_t i = get_global_id(0);
  uint a = in[i];
  for (uint r = 0; r < rounds; r++)
    a = table[(a >> 7) & 3](a, r + 1);
  out[i] = a;
}
