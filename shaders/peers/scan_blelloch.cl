// Sums before each of every 512 numbers after Blelloch: up and down a tree in local memory with fewer and fewer lanes, padded against bank conflicts.
#define N 512
#define AT(k) ((k) + ((k) >> 5))
kernel __attribute__((reqd_work_group_size(N / 2, 1, 1)))
void scan_blelloch(global const uint *restrict in, global uint *restrict out, global uint *restrict totals) {
  local uint t[AT(N)];
  int me = get_local_id(0), step = 1;
  size_t base = get_group_id(0) * N;
  t[AT(me)] = in[base + me];
  t[AT(me + N / 2)] = in[base + me + N / 2];
  for (int d = N / 2; d > 0; d /= 2, step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < d)
      t[AT(step * (2 * me + 2) - 1)] += t[AT(step * (2 * me + 1) - 1)];
  }
  if (me == 0) {
    totals[get_group_id(0)] = t[AT(N - 1)];
    t[AT(N - 1)] = 0;
  }
  for (int d = 1; d < N; d *= 2) {
    step /= 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < d) {
      int a = AT(step * (2 * me + 1) - 1), b = AT(step * (2 * me + 2) - 1);
      uint left = t[a];
      t[a] = t[b];
      t[b] += left;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[base + me] = t[AT(me)];
  out[base + me + N / 2] = t[AT(me + N / 2)];
}
