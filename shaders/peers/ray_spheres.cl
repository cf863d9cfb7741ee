// Rays among mirror spheres above a floor, up to six bounces: square roots, divisions, and lanes that leave the loop at different times.
#pragma OPENCL FP_CONTRACT OFF
float dot3(float4 a, float4 b) { return fma(a.x, b.x, fma(a.y, b.y, a.z * b.z)); }

kernel void ray_spheres(global float *restrict out, constant float4 *spheres, int count, int w, int h) {
  int px = get_global_id(0), py = get_global_id(1);
  float4 from = (float4)(0.1f, 1.03f, -4.07f, 0.0f);
  float4 way = (float4)((2.0f * px - w) / h, (h - 2.0f * py) / h, 1.5f, 0.0f);
  way /= sqrt(dot3(way, way));
  float light = 0.0f, strength = 1.0f;
  for (int bounce = 0; bounce < 6; bounce++) {
    float near = 1e30f;
    int hit = -1;
    for (int k = 0; k < count; k++) {
      float4 apart = spheres[k] - from;
      float along = dot3(apart, way);
      float inside = fma(along, along, fma(spheres[k].w, spheres[k].w, -dot3(apart, apart)));
      if (inside > 0.0f) {
        float t = along - sqrt(inside);
        if (t > 1e-3f && t < near) {
          near = t;
          hit = k;
        }
      }
    }
    if (hit < 0) {
      if (way.y < 0.0f) { // the floor: a checkerboard
        float t = -from.y / way.y;
        int squares = (int)floor(fma(way.x, t, from.x)) + (int)floor(fma(way.z, t, from.z));
        light = fma(strength, (squares & 1) ? 0.75f : 0.25f, light);
      } else {
        light = fma(strength, fma(0.5f, way.y, 0.5f), light);
      }
      break;
    }
    float4 place = way * near + from;
    float4 normal = (place - spheres[hit]) / spheres[hit].w;
    way -= normal * (2.0f * dot3(way, normal));
    from = place;
    light = fma(strength, 0.0625f, light);
    strength *= 0.75f;
  }
  out[py * w + px] = light;
}
