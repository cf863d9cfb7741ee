// Divergent loop on 64-bit integers with a nested one (runs of even steps), trip counts from 0 to hundreds.
__kernel void collatz(__global const uint *start, __global uint *steps, __global ulong *peak, uint n) {
  uint i = get_global_id(0);
  if (i >= n)
    return;
  ulong v = start[i], top = v;
  uint count = 0;
  while (v > 1) {
    while (!(v & 1)) {
      v >>= 1;
      count++;
    }
    if (v == 1)
      break;
    v = 3 * v + 1;
    count++;
    top = max(top, v);
  }
  steps[i] = count;
  peak[i] = top;
}
