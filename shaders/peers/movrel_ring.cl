// A ring of 16 registers per lane with a head that moves in a loop: registers indexed by a uniform number (v_movrels, v_movreld).
#pragma OPENCL FP_CONTRACT OFF
#define N 16
kernel void movrel_ring(global const float *restrict in, global float *restrict out, int count, int steps) {
  int me = get_global_id(0);
  float16 ring;
#pragma unroll
  for (int k = 0; k < N; k++)
    ring[k] = in[k * count + me];
  int head = 0;
  for (int t = 0; t < steps; t++) {
    ring[head] = fma(ring[(head + 7) & (N - 1)], 0.375f, fma(ring[(head + 10) & (N - 1)], 0.25f, ring[head] * 0.375f));
    head = (head + 5) & (N - 1);
  }
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < N; k++)
    sum = fma(sum, 0.9375f, ring[k]);
  out[me] = sum;
}
