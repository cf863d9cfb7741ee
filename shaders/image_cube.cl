// A mirroring ball in a room painted on a cube map. `image_cube_paint` paints the faces: image_store with dim CUBE, whose third coordinate is the
// face; `image_cube` looks from the middle: v_cubeid and its kin, then image_sample_lz with coordinates from 1 to 2 on the face.

kernel void image_cube_paint(constant uint *cube, int side) {
  int i = get_global_id(0), j = get_global_id(1), face = get_global_id(2);
  float s = (i + 0.5f) / side * 2 - 1, t = (j + 0.5f) / side * 2 - 1;
  float3 d = face == 0 ? (float3)(1, -t, -s) : face == 1 ? (float3)(-1, -t, s) : face == 2 ? (float3)(s, 1, t)
           : face == 3 ? (float3)(s, -1, -t) : face == 4 ? (float3)(s, -t, 1) : (float3)(-s, -t, -1);
  d = normalize(d);
  // Walls in the colors of their axis with a grid of lines, a bright ceiling lamp, a dark floor.
  float3 wall = 0.35f + 0.5f * fabs(d) + 0.1f * d;
  float line = fmin(fabs(s * 2 - rint(s * 2)), fabs(t * 2 - rint(t * 2)));
  float3 color = line < 0.08f ? wall * 0.45f : wall;
  if (face == 3) color *= 0.5f;
  if (face == 2 && s * s + t * t < 0.3f) color = (float3)(1.0f, 0.98f, 0.85f);
  uint8 image = *(constant uint8 *)cube;
  int4 at = (int4)(i, j, face, 0);
  __asm volatile("image_store %0, %1, %2 dmask:0xf dim:SQ_RSRC_IMG_CUBE unorm" : : "v"((float4)(color, 1.0f)), "v"(at.xyz), "s"(image));
}

kernel void image_cube(constant uint *cube, sampler_t how, write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), get_global_id(1)), dim = get_image_dim(out);
  float2 at = ((convert_float2(p) + 0.5f) * 2 - convert_float2(dim)) / (float)dim.y;
  float3 ray = normalize((float3)(at.x * 0.9f + 0.35f, -at.y * 0.9f + 0.1f, 1.0f)), look = ray;
  float r2 = dot(at, at);
  float shade = 1;
  if (r2 < 0.36f) { // the ball, seen from afar: reflect about its normal
    float3 normal = (float3)(at.x, -at.y, -sqrt(0.36f - r2)) / 0.6f;
    look = ray - 2 * dot(ray, normal) * normal;
    shade = 0.9f;
  }
  float major = 1.0f / fabs(__builtin_amdgcn_cubema(look.x, look.y, look.z)); // of twice the length
  float4 on = (float4)(fma(__builtin_amdgcn_cubesc(look.x, look.y, look.z), major, 1.5f), fma(__builtin_amdgcn_cubetc(look.x, look.y, look.z), major, 1.5f),
                       __builtin_amdgcn_cubeid(look.x, look.y, look.z), 0);
  uint8 image = *(constant uint8 *)cube;
  uint4 s = *(constant uint4 *)__builtin_astype(how, constant uint *);
  float4 color;
  __asm volatile("image_sample_lz %0, %1, %2, %3 dmask:0xf dim:SQ_RSRC_IMG_CUBE\n\ts_waitcnt vmcnt(0)" : "=v"(color) : "v"(on.xyz), "s"(image), "s"(s));
  write_imagef(out, p, (float4)(color.xyz * shade, 1.0f));
}
