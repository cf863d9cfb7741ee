// Fourier transforms of 256 points, radix 4, 64 lanes each: strided local memory, a table of factors, two barriers a stage.
#pragma OPENCL FP_CONTRACT OFF
#define N 256
kernel __attribute__((reqd_work_group_size(N / 4, 1, 1)))
void fft4_lds(global const float2 *restrict in, global float2 *restrict out, global const float2 *restrict factors) {
  local float2 data[N];
  int me = get_local_id(0);
  size_t base = get_group_id(0) * N;
  float2 v[4];
#pragma unroll
  for (int r = 0; r < 4; r++)
    v[r] = in[base + me + r * (N / 4)];
  for (int span = 1; span < N; span *= 4) {
    int k = me & (span - 1);
#pragma unroll
    for (int r = 1; r < 4; r++) {
      float2 f = factors[r * k * (N / 4 / span)];
      v[r] = (float2)(fma(v[r].x, f.x, -(v[r].y * f.y)), fma(v[r].x, f.y, v[r].y * f.x));
    }
    float2 a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3];
    float2 turned = (float2)(d.y, -d.x);
    int at = (me - k) * 4 + k;
    data[at] = a + c;
    data[at + span] = b + turned;
    data[at + 2 * span] = a - c;
    data[at + 3 * span] = b - turned;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int r = 0; r < 4; r++)
      v[r] = data[me + r * (N / 4)];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (int r = 0; r < 4; r++)
    out[base + me + r * (N / 4)] = v[r];
}
