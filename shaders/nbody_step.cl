// N bodies: positions by tiles through LDS, inverse square roots, one leapfrog step; the number of bodies is not a multiple of the tile.
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void nbody_step(__global const float4 *pos, __global float4 *next, __global float4 *vel, int n, float dt, float soft) {
  __local float4 tile[64];
  int i = get_global_id(0), l = get_local_id(0);
  float4 me = pos[min(i, n - 1)];
  float ax = 0, ay = 0, az = 0;
  for (int base = 0; base < n; base += 64) {
    tile[l] = base + l < n ? pos[base + l] : (float4)(0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 64; j++) {
      float4 p = tile[j];
      float dx = p.x - me.x, dy = p.y - me.y, dz = p.z - me.z;
      float inv = rsqrt(fma(dx, dx, fma(dy, dy, fma(dz, dz, soft))));
      float f = p.w * inv * inv * inv;
      ax = fma(f, dx, ax);
      ay = fma(f, dy, ay);
      az = fma(f, dz, az);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < n) {
    float4 v = vel[i] + dt * (float4)(ax, ay, az, 0.0f);
    vel[i] = v;
    next[i] = me + dt * v;
  }
}
