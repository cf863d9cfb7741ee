// C = A B with f32, 4x4 elements per lane in registers, tiles of 64x16 and 16x64 in local memory. m and n are multiples of 64, k of 16.
#pragma OPENCL FP_CONTRACT OFF
#define TILE 64
#define DEEP 16
#define EACH 4
#define SIDE (TILE / EACH)
kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void sgemm_reg(global const float *restrict a, global const float *restrict b, global float *restrict c, int m, int n, int k) {
  local float as[DEEP][TILE + 1], bs[DEEP][TILE];
  int lx = get_local_id(0), ly = get_local_id(1), me = ly * SIDE + lx;
  int row0 = get_group_id(1) * TILE, column0 = get_group_id(0) * TILE;
  float sums[EACH][EACH];
#pragma unroll
  for (int e = 0; e < EACH * EACH; e++)
    sums[e / EACH][e % EACH] = 0.0f;
  for (int base = 0; base < k; base += DEEP) {
#pragma unroll
    for (int e = 0; e < TILE * DEEP / (SIDE * SIDE); e++) {
      int at = me + e * SIDE * SIDE;
      as[at % DEEP][at / DEEP] = a[(row0 + at / DEEP) * k + base + at % DEEP];
      bs[at / TILE][at % TILE] = b[(base + at / TILE) * n + column0 + at % TILE];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < DEEP; i++) {
      float left[EACH], right[EACH];
#pragma unroll
      for (int e = 0; e < EACH; e++) {
        left[e] = as[i][ly + e * SIDE];
        right[e] = bs[i][lx + e * SIDE];
      }
#pragma unroll
      for (int e = 0; e < EACH * EACH; e++)
        sums[e / EACH][e % EACH] = fma(left[e / EACH], right[e % EACH], sums[e / EACH][e % EACH]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (int e = 0; e < EACH * EACH; e++)
    c[(row0 + ly + e / EACH * SIDE) * n + column0 + lx + e % EACH * SIDE] = sums[e / EACH][e % EACH];
}
