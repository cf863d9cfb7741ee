// True recursion: each level has its own frame in scratch (Ackermann's function with a small first argument, depth differs per lane).
__attribute__((noinline)) static uint ackermann(uint m, uint n) {
  if (m == 0)
    return n + 1;
  if (n == 0)
    return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
__kernel void recursion(__global const uint *in, __global uint *out) {
  size_t i = get_global_id(0);
  out[i] = ackermann(in[i] & 1, (in[i] >> 1) & 7);
}
