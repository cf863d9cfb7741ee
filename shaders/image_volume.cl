// A tilted slice through a volume: marble veins in a ball. `image_volume_paint` writes the 3D image, `image_volume` samples it trilinearly.
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable

kernel void image_volume_paint(write_only image3d_t out) {
  int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
  float3 at = (convert_float3(p.xyz) + 0.5f) / convert_float3(get_image_dim(out).xyz) * 2 - 1;
  float vein = 0.5f + 0.5f * native_sin(9 * at.x + 4 * native_sin(5 * at.y + 2 * at.z) + 3 * at.z);
  float inside = dot(at, at) < 0.9f ? 1.0f : 0.0f;
  write_imagef(out, p, (float4)(0.3f + 0.6f * vein, 0.25f + 0.45f * vein * vein, 0.35f + 0.3f * (1 - vein), 1.0f) * inside);
}

kernel void image_volume(read_only image3d_t volume, sampler_t how, write_only image2d_t out, float tilt) {
  int2 p = (int2)(get_global_id(0), get_global_id(1)), dim = get_image_dim(out);
  float2 at = ((convert_float2(p) + 0.5f) * 2 - convert_float2(dim)) / (float)dim.y;
  float3 in = (float3)(at.x, at.y * native_cos(tilt), at.y * native_sin(tilt)) * 0.5f + 0.5f;
  float4 texel = read_imagef(volume, how, (float4)(in, 0));
  write_imagef(out, p, (float4)(texel.xyz + (1 - texel.w) * (float3)(0.93f, 0.93f, 0.95f), 1.0f));
}
