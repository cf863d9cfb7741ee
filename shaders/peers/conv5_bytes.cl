// A 5x5 convolution of a picture of bytes with clamped borders: 25 byte loads, integer sums, one byte store.
kernel void conv5_bytes(global const uchar *restrict in, global uchar *restrict out, constant int *weights, int w, int h, int shift) {
  int x = get_global_id(0), y = get_global_id(1);
  int sum = 1 << (shift - 1);
  for (int dy = -2; dy <= 2; dy++) {
    int row = clamp(y + dy, 0, h - 1) * w;
    for (int dx = -2; dx <= 2; dx++)
      sum += weights[(dy + 2) * 5 + dx + 2] * in[row + clamp(x + dx, 0, w - 1)];
  }
  out[y * w + x] = convert_uchar_sat(sum >> shift);
}
