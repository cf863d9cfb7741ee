// One generation of the game of life on a torus, one byte per cell. Width and height are powers of two.
kernel void life_bytes(global const uchar *restrict in, global uchar *restrict out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  int left = (x - 1) & (w - 1), right = (x + 1) & (w - 1), up = ((y - 1) & (h - 1)) * w, down = ((y + 1) & (h - 1)) * w, row = y * w;
  int alive = in[up + left] + in[up + x] + in[up + right] + in[row + left] + in[row + right] + in[down + left] + in[down + x] + in[down + right];
  out[row + x] = alive == 3 || (alive == 2 && in[row + x]);
}
