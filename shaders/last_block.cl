// Workgroups that meet through global memory: each adds up its part, the last to arrive (an atomic ticket) adds up the parts.
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void last_block(__global const uint *in, __global volatile uint *parts, __global volatile uint *ticket, __global ulong *out, uint n) {
  __local uint sum, is_last;
  uint l = get_local_id(0);
  if (l == 0)
    sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint mine = 0;
  for (uint i = get_global_id(0); i < n; i += get_global_size(0))
    mine += in[i];
  atomic_add(&sum, mine);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) {
    parts[get_group_id(0)] = sum;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
    is_last = atomic_inc(ticket) == get_num_groups(0) - 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (is_last && l == 0) {
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
    ulong all = 0;
    for (uint g = 0; g < get_num_groups(0); g++)
      all += parts[g];
    *out = all;
  }
}
