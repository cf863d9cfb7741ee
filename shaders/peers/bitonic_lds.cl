// Sorts every 512 keys in local memory: 45 exchange steps with a barrier each.
#define N 512
kernel __attribute__((reqd_work_group_size(N / 2, 1, 1)))
void bitonic_lds(global const uint *restrict in, global uint *restrict out) {
  local uint keys[N];
  int me = get_local_id(0);
  size_t base = get_group_id(0) * N;
  keys[me] = in[base + me];
  keys[me + N / 2] = in[base + me + N / 2];
  for (int size = 2; size <= N; size *= 2)
    for (int apart = size / 2; apart > 0; apart /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      int low = 2 * me - (me & (apart - 1)), high = low + apart;
      uint a = keys[low], b = keys[high];
      if ((a > b) == ((low & size) == 0)) {
        keys[low] = b;
        keys[high] = a;
      }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[base + me] = keys[me];
  out[base + me + N / 2] = keys[me + N / 2];
}
