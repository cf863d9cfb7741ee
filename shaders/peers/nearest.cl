// The nearest of many points in space for every query: points pass through local memory in tiles.
#pragma OPENCL FP_CONTRACT OFF
#define WG 128
kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void nearest(global const float4 *restrict points, global const float4 *restrict queries, global int *restrict found, global float *restrict squares,
             int count) {
  local float4 tile[WG];
  int me = get_local_id(0), which = -1;
  float4 q = queries[get_global_id(0)];
  float best = FLT_MAX;
  for (int base = 0; base < count; base += WG) {
    tile[me] = points[base + me];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < WG; k++) {
      float dx = tile[k].x - q.x, dy = tile[k].y - q.y, dz = tile[k].z - q.z;
      float square = fma(dx, dx, fma(dy, dy, dz * dz));
      which = square < best ? base + k : which;
      best = fmin(best, square);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  found[get_global_id(0)] = which;
  squares[get_global_id(0)] = best;
}
