// Tiled matrix product: two tiles in LDS, barriers around each step, a 2 x 2 block of results per work-item, sizes that no tile divides.
#define T 32
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void sgemm_block(__global const float *a, __global const float *b, __global float *c, int m, int n, int k) {
  __local float ta[T][T + 1], tb[T][T + 1];
  int lx = get_local_id(0), ly = get_local_id(1);
  int row0 = get_group_id(1) * T, col0 = get_group_id(0) * T;
  float s[2][2] = {{0, 0}, {0, 0}};
  for (int k0 = 0; k0 < k; k0 += T) {
    for (int dy = 0; dy < T; dy += 16)
      for (int dx = 0; dx < T; dx += 16) {
        int r = ly + dy, q = lx + dx;
        ta[r][q] = row0 + r < m && k0 + q < k ? a[(row0 + r) * k + k0 + q] : 0.0f;
        tb[r][q] = k0 + r < k && col0 + q < n ? b[(k0 + r) * n + col0 + q] : 0.0f;
      }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < T; i++)
      for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++)
          s[y][x] = fma(ta[ly + 16 * y][i], tb[i][lx + 16 * x], s[y][x]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int y = 0; y < 2; y++)
    for (int x = 0; x < 2; x++) {
      int r = row0 + ly + 16 * y, q = col0 + lx + 16 * x;
      if (r < m && q < n)
        c[r * n + q] = s[y][x];
    }
}
