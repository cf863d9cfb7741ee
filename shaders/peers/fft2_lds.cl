// Fourier transforms of 512 points, radix 2, 256 lanes each: nine stages with a barrier each, sine and cosine computed.
#pragma OPENCL FP_CONTRACT OFF
#define N 512
kernel __attribute__((reqd_work_group_size(N / 2, 1, 1)))
void fft2_lds(global const float2 *restrict in, global float2 *restrict out) {
  local float2 data[2][N];
  int me = get_local_id(0), from = 0;
  size_t base = get_group_id(0) * N;
  data[0][me] = in[base + me];
  data[0][me + N / 2] = in[base + me + N / 2];
  for (int span = 1; span < N; span *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int k = me & (span - 1), at = (me - k) * 2 + k;
    float angle = -3.14159265f * k / span;
    float c = cos(angle), s = sin(angle);
    float2 a = data[from][me], b = data[from][me + N / 2];
    float2 t = (float2)(fma(b.x, c, -(b.y * s)), fma(b.x, s, b.y * c));
    from ^= 1;
    data[from][at] = a + t;
    data[from][at + span] = a - t;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[base + me] = data[from][me];
  out[base + me + N / 2] = data[from][me + N / 2];
}
