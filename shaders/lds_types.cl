// LDS accesses of every width (1 to 16 bytes, pairs), signed and unsigned, and LDS atomics that return the old value.
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void lds_types(__global const uint4 *in, __global uint4 *out, __global uint *extra) {
  __local uint4 wide[64];
  __local uchar bytes[128];
  __local short halves[64];
  __local ulong pairs[128];
  __local uint counters[4];
  uint l = get_local_id(0), i = get_global_id(0);
  uint4 v = in[i];
  wide[l] = v;
  bytes[l] = (uchar)v.x;
  bytes[127 - l] = (uchar)v.y;
  halves[l] = (short)v.z;
  pairs[l] = (ulong)v.w << 32 | v.x;
  pairs[l + 64] = v.y;
  if (l < 4)
    counters[l] = l == 1 ? 0xffffffff : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint4 far = wide[l ^ 21];
  uint b = bytes[(l * 3) & 127], sb = (uint)(int)(char)bytes[(l * 5) & 127];
  ulong p = pairs[63 - l] + pairs[l + 64];
  atomic_max(&counters[0], v.x);
  atomic_min(&counters[1], v.y);
  uint ticket = atomic_inc(&counters[2]);
  atomic_xor(&counters[3], v.z);
  barrier(CLK_LOCAL_MEM_FENCE);
  wide[l].y = ticket;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = (uint4)(far.x + b, far.y ^ sb, (uint)p, (uint)(p >> 32) + (uint)(int)halves[(l + 9) & 63]);
  // tickets are a permutation of 0..63: only their order depends on the schedule
  atomic_add(&extra[get_group_id(0) * 5 + 4], wide[l].y);
  if (l < 4)
    extra[get_group_id(0) * 5 + l] = counters[l];
}
