// Softmax of rows, one workgroup each: maximum and sum by trees in local memory, f32 exponentials.
#pragma OPENCL FP_CONTRACT OFF
#define WG 128
kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void softmax_rows(global const float *restrict in, global float *restrict out, int width) {
  local float t[WG];
  int me = get_local_id(0);
  global const float *row = in + get_group_id(0) * (size_t)width;
  float peak = -FLT_MAX, sum = 0.0f;
  for (int k = me; k < width; k += WG)
    peak = fmax(peak, row[k]);
  t[me] = peak;
  for (int d = WG / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < d)
      t[me] = fmax(t[me], t[me + d]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  peak = t[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = me; k < width; k += WG)
    sum += exp(row[k] - peak);
  t[me] = sum;
  for (int d = WG / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < d)
      t[me] += t[me + d];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float scale = 1.0f / t[0];
  for (int k = me; k < width; k += WG)
    out[get_group_id(0) * (size_t)width + k] = exp(row[k] - peak) * scale;
}
