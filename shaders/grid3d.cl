// 3D grid, partial workgroups in every dimension: all work-item functions (hidden arguments of the kernel).
__kernel void grid3d(__global uint *out, uint w, uint h) {
  uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  __global uint *o = out + (x + w * (y + h * z)) * 8;
  o[0] = x | y << 10 | z << 20;
  o[1] = get_local_id(0) | get_local_id(1) << 10 | get_local_id(2) << 20;
  o[2] = get_group_id(0) | get_group_id(1) << 10 | get_group_id(2) << 20;
  o[3] = get_local_size(0) | get_local_size(1) << 10 | get_local_size(2) << 20;
  o[4] = get_num_groups(0) | get_num_groups(1) << 10 | get_num_groups(2) << 20;
  o[5] = get_global_size(0) | get_global_size(1) << 10 | get_global_size(2) << 20;
  o[6] = get_enqueued_local_size(0) | get_enqueued_local_size(1) << 10 | get_enqueued_local_size(2) << 20;
  o[7] = get_work_dim() | get_global_linear_id() << 4;
}
