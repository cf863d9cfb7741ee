// A tiled floor to the horizon. `image_plane` gives the derivatives of the texture coordinates itself (image_sample_d); `image_plane_quads` leaves
// them to the hardware, which takes differences within each 2 x 2 lanes (image_sample), so its lanes are laid out in such quads.
// What the sampler says decides the picture: a point filter glitters, trilinear blurs far tiles, anisotropic keeps them.
float4 __ockl_image_sample_grad_2D(constant uint *image, constant uint *how, float2 at, float2 dx, float2 dy);

#define SKY ((float4)(0.55f, 0.70f, 0.90f, 1.0f))

// Where the ray of a pixel meets the floor, in units of the image. The camera is 1 above it and looks level.
static float2 floor_at(float2 pixel, float2 size) {
  float2 d = (pixel - 0.5f * size) / size.y;
  float far = 1.0f / (d.y + 0.12f);                             // the horizon is a little above the middle
  return (float2)(d.x * far, far) * 0.6f;
}

static float4 haze(float4 color, float distance) {
  return mix(color, SKY, clamp(distance * 0.02f - 0.1f, 0.0f, 0.9f));
}

kernel void image_plane(read_only image2d_t tiles, sampler_t how, write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), get_global_id(1)), dim = get_image_dim(out);
  float2 size = convert_float2(dim), pixel = convert_float2(p) + 0.5f;
  float4 color = SKY;
  if ((pixel.y - 0.5f * size.y) / size.y > -0.115f) {
    float2 at = floor_at(pixel, size);
    float2 dx = floor_at(pixel + (float2)(1, 0), size) - at, dy = floor_at(pixel + (float2)(0, 1), size) - at;
    color = haze(__ockl_image_sample_grad_2D(__builtin_astype(tiles, constant uint *), __builtin_astype(how, constant uint *), at, dx, dy), at.y);
  }
  write_imagef(out, p, color);
}

// A workgroup is 64 x 1 work-items and makes 8 x 8 pixels; the grid is width * 8 by height / 8.
kernel void image_plane_quads(read_only image2d_t tiles, sampler_t how, write_only image2d_t out) {
  uint lane = get_local_id(0);
  int x = (lane & 1) | (lane >> 1 & 2) | (lane >> 2 & 4), y = (lane >> 1 & 1) | (lane >> 2 & 2) | (lane >> 3 & 4);
  int2 p = (int2)(get_group_id(0) * 8 + x, get_group_id(1) * 8 + y);
  float2 size = convert_float2(get_image_dim(out)), pixel = convert_float2(p) + 0.5f;
  float2 at = floor_at(pixel, size);
  // No lane may be off here: the differences need its coordinates.
  uint8 t = *(constant uint8 *)__builtin_astype(tiles, constant uint *);
  uint4 s = *(constant uint4 *)__builtin_astype(how, constant uint *);
  float4 sampled;
  __asm volatile("image_sample %0, %1, %2, %3 dmask:0xf dim:SQ_RSRC_IMG_2D\n\ts_waitcnt vmcnt(0)" : "=v"(sampled) : "v"(at), "s"(t), "s"(s));
  bool sky = (pixel.y - 0.5f * size.y) / size.y <= -0.115f;
  write_imagef(out, p, sky ? SKY : haze(sampled, at.y));
}
