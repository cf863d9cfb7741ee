// Each lane sorts 64 numbers of its own by a heap in private memory: scratch, indexed at run time and differently in every lane.
#define N 64
void sift(uint *a, int root, int end) {
  uint v = a[root];
  for (int child = 2 * root + 1; child < end; child = 2 * root + 1) {
    if (child + 1 < end && a[child + 1] > a[child])
      child++;
    if (a[child] <= v)
      break;
    a[root] = a[child];
    root = child;
  }
  a[root] = v;
}

kernel void scratch_heap(global const uint *restrict in, global uint *restrict out, int count) {
  int me = get_global_id(0);
  uint a[N];
  for (int k = 0; k < N; k++)
    a[k] = in[k * count + me];
  for (int k = N / 2 - 1; k >= 0; k--)
    sift(a, k, N);
  for (int end = N - 1; end > 0; end--) {
    uint top = a[0];
    a[0] = a[end];
    a[end] = top;
    sift(a, 0, end);
  }
  for (int k = 0; k < N; k++)
    out[k * count + me] = a[k];
}
