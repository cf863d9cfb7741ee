// Streaming of bytes: 8-bit loads and stores, saturating adds, a grid-stride loop with a size_t index.
__kernel void brighten(__global uchar *pixels, char delta, ulong n) {
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) {
    int v = (int)pixels[i] + delta;
    pixels[i] = (uchar)clamp(v, 0, 255);
  }
}
