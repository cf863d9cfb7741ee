// Transpose through a padded LDS tile, four rows per work-item, both sizes odd.
__kernel __attribute__((reqd_work_group_size(32, 8, 1)))
void transpose_pad(__global const uint *in, __global uint *out, int w, int h) {
  __local uint tile[32][33];
  int lx = get_local_id(0), ly = get_local_id(1);
  int x = get_group_id(0) * 32 + lx, y0 = get_group_id(1) * 32;
  for (int r = ly; r < 32; r += 8)
    if (x < w && y0 + r < h)
      tile[r][lx] = in[(y0 + r) * w + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  int ox = y0 + lx, oy0 = get_group_id(0) * 32;
  for (int r = ly; r < 32; r += 8)
    if (ox < h && oy0 + r < w)
      out[(oy0 + r) * h + ox] = tile[lx][r];
}
