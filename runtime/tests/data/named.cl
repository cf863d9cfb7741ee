// A kernel whose arguments have names (-cl-kernel-arg-info), and a variable beside it: out[i] = factor * i below n, through LDS.
__constant uint table[4] = {3, 5, 7, 9};

kernel void named(global float *out, float factor, uint n, local float *room) {
  uint l = __builtin_amdgcn_workitem_id_x(), i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + l;
  room[l] = factor * i;
  if (i < n)
    out[i] = table[i & 3] > 2 ? room[l] : 0;
}
