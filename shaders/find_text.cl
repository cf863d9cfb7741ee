// Early exits: each work-item compares a pattern at its place byte by byte; the first match is kept by an atomic minimum.
__kernel void find_text(__global const char *text, uint n, __constant char *pattern, uint m, __global uint *first, __global uint *count) {
  uint i = get_global_id(0);
  if (i + m > n)
    return;
  for (uint k = 0; k < m; k++)
    if (text[i + k] != pattern[k])
      return;
  atomic_min(first, i);
  atomic_inc(count);
}
