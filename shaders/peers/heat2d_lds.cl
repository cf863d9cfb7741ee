// Four steps of heat in the plane in tiles: 16x16 cells in local memory of which the inner 8x8 are right at the end. Two barriers a step.
#pragma OPENCL FP_CONTRACT OFF
#define T 16
#define STEPS 4
#define INNER (T - 2 * STEPS)
kernel __attribute__((reqd_work_group_size(T, T, 1)))
void heat2d_lds(global const float *restrict in, global float *restrict out, int w, int h, float rate) {
  local float tile[T][T];
  int lx = get_local_id(0), ly = get_local_id(1);
  int x = get_group_id(0) * INNER + lx - STEPS, y = get_group_id(1) * INNER + ly - STEPS;
  bool inside = x >= 0 && x < w && y >= 0 && y < h;
  float c = in[clamp(y, 0, h - 1) * w + clamp(x, 0, w - 1)];
  int left = x > 0 ? lx - 1 : lx, right = x < w - 1 ? lx + 1 : lx, up = y > 0 ? ly - 1 : ly, down = y < h - 1 ? ly + 1 : ly;
  for (int k = 1; k <= STEPS; k++) {
    tile[ly][lx] = c;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (inside && lx >= k && lx < T - k && ly >= k && ly < T - k) {
      float around = (tile[ly][left] + tile[ly][right]) + (tile[up][lx] + tile[down][lx]);
      c = fma(rate, fma(-4.0f, c, around), c);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (inside && lx >= STEPS && lx < T - STEPS && ly >= STEPS && ly < T - STEPS)
    out[y * w + x] = c;
}
