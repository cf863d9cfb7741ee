// Edges in a picture of bytes: two 3x3 filters, absolute values, saturation. The border is black.
kernel void sobel_bytes(global const uchar *restrict in, global uchar *restrict out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1), edge = 0;
  if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
    global const uchar *p = in + (y - 1) * w + x - 1, *q = p + w, *r = q + w;
    int across = (p[2] + 2 * q[2] + r[2]) - (p[0] + 2 * q[0] + r[0]);
    int along = (r[0] + 2 * r[1] + r[2]) - (p[0] + 2 * p[1] + p[2]);
    edge = (abs(across) + abs(along)) >> 1;
  }
  out[y * w + x] = convert_uchar_sat(edge);
}
