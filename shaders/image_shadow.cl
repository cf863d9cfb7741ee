// Shadows by comparing depths. `image_shadow_depth` writes what a lamp sees, straight down: the height at which light stops. `image_shadow` compares
// each point of the ground with it (image_sample_c_lz); a linear filter blends the four outcomes, which softens the edge.

// Three discs above the ground (x, y, radius), their depths from the lamp.
constant float3 disc[3] = {(float3)(0.30f, 0.35f, 0.16f), (float3)(0.62f, 0.55f, 0.22f), (float3)(0.40f, 0.76f, 0.12f)};
constant float depth_of[3] = {0.3f, 0.5f, 0.7f};

kernel void image_shadow_depth(write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float2 at = (convert_float2(p) + 0.5f) / convert_float2(get_image_dim(out));
  float depth = 1;
  for (int i = 0; i < 3; i++) {
    float2 d = at - disc[i].xy;
    if (dot(d, d) < disc[i].z * disc[i].z) depth = fmin(depth, depth_of[i]);
  }
  write_imagef(out, p, (float4)(depth, 0, 0, 1));
}

kernel void image_shadow(read_only image2d_t depths, sampler_t compare, write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float2 at = (convert_float2(p) + 0.5f) / convert_float2(get_image_dim(out));
  uint8 t = *(constant uint8 *)__builtin_astype(depths, constant uint *);
  uint4 s = *(constant uint4 *)__builtin_astype(compare, constant uint *);
  // The ground rises from 0.8 at the left to 0.4 at the right: discs below it cast no shadow.
  float ground = 0.8f - 0.4f * at.x;
  float4 address = (float4)(ground - 0.01f, at.x, at.y, 0);
  float lit;
  __asm volatile("image_sample_c_lz %0, %1, %2, %3 dmask:0x1 dim:SQ_RSRC_IMG_2D\n\ts_waitcnt vmcnt(0)" : "=v"(lit) : "v"(address.xyz), "s"(t), "s"(s));
  float stripes = ((int)(at.x * 8) + (int)(at.y * 8)) & 1 ? 0.9f : 1.0f;
  float3 color = (float3)(0.85f, 0.78f, 0.60f) * stripes * (0.35f + 0.65f * lit);
  write_imagef(out, p, (float4)(color, 1.0f));
}
