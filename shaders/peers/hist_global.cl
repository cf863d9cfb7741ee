// A histogram of 4096 bins by atomic additions to global memory.
kernel void hist_global(global const uint *restrict data, global uint *restrict bins, int count) {
  for (int i = get_global_id(0); i < count; i += get_global_size(0))
    atomic_inc(&bins[data[i] >> 20]);
}
