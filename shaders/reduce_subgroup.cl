// Integer reductions and scans over the wave with OpenCL sub-group functions (DPP and permlane in the code object).
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
__kernel void reduce_subgroup(__global const int *in, __global int *out) {
  size_t i = get_global_id(0);
  int v = in[i];
  int sum = sub_group_reduce_add(v), lo = sub_group_reduce_min(v), hi = sub_group_reduce_max(v);
  int scan = sub_group_scan_inclusive_add(v), first = sub_group_broadcast(v, 3);
  out[i * 4 + 0] = sum;
  out[i * 4 + 1] = lo ^ hi;
  out[i * 4 + 2] = scan;
  out[i * 4 + 3] = first + sub_group_all(v > -1000) * 2 + sub_group_any(v == 7);
}
