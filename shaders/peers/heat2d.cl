// One step of heat in the plane: a 5-point stencil with clamped borders, straight from global memory.
#pragma OPENCL FP_CONTRACT OFF
kernel void heat2d(global const float *restrict in, global float *restrict out, int w, int h, float rate) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h)
    return;
  int left = max(x - 1, 0), right = min(x + 1, w - 1), up = max(y - 1, 0), down = min(y + 1, h - 1);
  float c = in[y * w + x];
  float around = (in[y * w + left] + in[y * w + right]) + (in[up * w + x] + in[down * w + x]);
  out[y * w + x] = fma(rate, fma(-4.0f, c, around), c);
}
