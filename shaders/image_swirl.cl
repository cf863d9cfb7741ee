// Reads an image at coordinates turned about its middle, the more the nearer, and writes another: the plainest use of read_imagef.
kernel void image_swirl(read_only image2d_t in, sampler_t how, write_only image2d_t out, float turn) {
  int2 p = (int2)(get_global_id(0), get_global_id(1)), size = get_image_dim(out);
  if (p.x >= size.x || p.y >= size.y) return;
  float2 at = (convert_float2(p) + 0.5f) / convert_float2(size) - 0.5f;
  float angle = turn * fmax(0.0f, 1.0f - 2.0f * length(at));
  float c = native_cos(angle), s = native_sin(angle);
  write_imagef(out, p, read_imagef(in, how, (float2)(c * at.x - s * at.y, s * at.x + c * at.y) + 0.5f));
}
