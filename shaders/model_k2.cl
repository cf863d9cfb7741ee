// Model kernel K2: 64 fused multiply-adds and 4 ds_load_b128 per iteration, the inner loop of a blocked matrix product.
__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void model_k2(__global const float4 *in, __global float *out, int steps) {
  __local float4 a[256], b[256];
  int l = get_local_id(0);
#pragma nounroll
  for (int k = l; k < 256; k += 32) {
    a[k] = in[k];
    b[k] = in[k + 256];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float s[8][8] = {};
  int pa = l & 6, pb = (l >> 1) & 6;
  for (int k = 0; k < steps; k++) {
    float4 a0 = a[pa], a1 = a[pa + 1], b0 = b[pb], b1 = b[pb + 1];
    float u[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w}, v[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
    for (int y = 0; y < 8; y++)
#pragma unroll
      for (int x = 0; x < 8; x++)
        s[y][x] = fma(u[y], v[x], s[y][x]);
    pa = (pa + 8) & 255;
    pb = (pb + 8) & 255;
  }
  float sum = 0.0f;
#pragma unroll
  for (int y = 0; y < 8; y++)
#pragma unroll
    for (int x = 0; x < 8; x++)
      sum += s[y][x] * (float)(y * 8 + x + 1);
  out[get_global_id(0)] = sum;
}
