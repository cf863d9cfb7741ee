// Bitonic sort of 1024 keys in LDS by 256 work-items: 55 steps with a barrier each, compare and swap without branches.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void bitonic(__global uint *data) {
  __local uint key[1024];
  uint l = get_local_id(0);
  __global uint *block = data + get_group_id(0) * 1024;
  for (uint i = l; i < 1024; i += 256)
    key[i] = block[i];
  for (uint size = 2; size <= 1024; size <<= 1)
    for (uint stride = size >> 1; stride > 0; stride >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      for (uint t = l; t < 512; t += 256) {
        uint lo = 2 * t - (t & (stride - 1)), hi = lo + stride;
        uint a = key[lo], b = key[hi];
        bool up = (lo & size) == 0;
        key[lo] = up ? min(a, b) : max(a, b);
        key[hi] = up ? max(a, b) : min(a, b);
      }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = l; i < 1024; i += 256)
    block[i] = key[i];
}
