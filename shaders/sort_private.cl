// Insertion sort of a private array with divergent indices: the array lives in scratch.
#define N 24
__kernel void sort_private(__global const uint *in, __global uint *out) {
  size_t i = get_global_id(0);
  uint v[N];
  for (int k = 0; k < N; k++)
    v[k] = in[i * N + k];
#pragma nounroll
  for (int k = 1; k < N; k++) {
    uint x = v[k];
    int j = k - 1;
    while (j >= 0 && v[j] > x) {
      v[j + 1] = v[j];
      j--;
    }
    v[j + 1] = x;
  }
  for (int k = 0; k < N; k++)
    out[i * N + k] = v[k];
}
