// Global atomics: float add (instruction), float maximum by compare-and-swap, 64-bit add, integer and, or, xor, min, max.
__kernel void global_atomics(__global const float *in, __global float *sums, __global uint *ints, __global ulong *wide, uint n) {
  uint i = get_global_id(0);
  if (i >= n)
    return;
  float v = in[i];
  __builtin_amdgcn_global_atomic_fadd_f32(&sums[i & 3], v);
  __global volatile uint *top = (__global volatile uint *)&sums[4];
  uint seen = *top;
  while (as_float(seen) < v) {
    uint was = atomic_cmpxchg(top, seen, as_uint(v));
    if (was == seen)
      break;
    seen = was;
  }
  uint bits = (uint)v;
  atomic_or(&ints[0], 1u << (bits & 31));
  atomic_and(&ints[1], ~(1u << (bits % 29)));
  atomic_xor(&ints[2], bits * 2654435761u);
  atomic_max(&ints[3], bits);
  atomic_min((__global int *)&ints[4], -(int)bits);
  atomic_sub(&ints[5], bits);
  atom_add(&wide[0], (ulong)bits << 20);
  atom_max(&wide[1], (ulong)bits * bits);
}
