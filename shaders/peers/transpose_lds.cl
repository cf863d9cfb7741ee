// Transposes a matrix by tiles of 32x32 in padded local memory. Width and height are multiples of 32.
#define T 32
#define ROWS 8
kernel __attribute__((reqd_work_group_size(T, ROWS, 1)))
void transpose_lds(global const float *restrict in, global float *restrict out, int w, int h) {
  local float tile[T][T + 1];
  int lx = get_local_id(0), ly = get_local_id(1), x0 = get_group_id(0) * T, y0 = get_group_id(1) * T;
  for (int k = ly; k < T; k += ROWS)
    tile[k][lx] = in[(y0 + k) * w + x0 + lx];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = ly; k < T; k += ROWS)
    out[(x0 + k) * h + y0 + lx] = tile[lx][k];
}
