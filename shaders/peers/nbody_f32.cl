// All-pairs gravity in f32: reciprocal square roots; the other body is the same in all lanes.
#pragma OPENCL FP_CONTRACT OFF
kernel void nbody_f32(global const float4 *restrict bodies, global float4 *restrict pulls, int n, float softening) {
  int me = get_global_id(0);
  float4 p = bodies[me];
  float x = 0.0f, y = 0.0f, z = 0.0f;
  for (int k = 0; k < n; k++) {
    float4 q = bodies[k];
    float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
    float inverse = rsqrt(fma(dx, dx, fma(dy, dy, fma(dz, dz, softening))));
    float force = q.w * (inverse * inverse * inverse);
    x = fma(dx, force, x);
    y = fma(dy, force, y);
    z = fma(dz, force, z);
  }
  pulls[me] = (float4)(x, y, z, 0.0f);
}
