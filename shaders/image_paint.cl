// Writes an image: glazed tiles with dark joints, each of its own color. Shows image_store with integer coordinates.
kernel void image_paint(write_only image2d_t out, int tiles) {
  int2 p = (int2)(get_global_id(0), get_global_id(1)), size = get_image_dim(out);
  float2 at = (convert_float2(p) + 0.5f) / convert_float2(size) * (float)tiles;
  int2 tile = convert_int2(at);
  float2 in = at - convert_float2(tile);                        // place in the tile, 0 to 1
  float edge = fmin(fmin(in.x, 1.0f - in.x), fmin(in.y, 1.0f - in.y));
  uint h = (uint)(tile.x * 73 + tile.y * 151 + 7) * 2654435761u; // a number of the tile's own
  float3 glaze = (float3)((h >> 8) & 255, (h >> 16) & 255, (h >> 24) & 255) / 255.0f * 0.75f + 0.2f;
  float shine = 1.0f - 0.35f * (in.x + in.y) * 0.5f;            // lighter at the upper left
  float3 color = edge < 0.06f ? (float3)(0.12f, 0.12f, 0.14f) : glaze * shine;
  write_imagef(out, p, (float4)(color, 1.0f));
}
