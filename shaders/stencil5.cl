// 2D grid with odd sizes: a five-point stencil with clamped edges. Plain multiplies and adds in a fixed order, no contraction.
#pragma OPENCL FP_CONTRACT OFF
__kernel void stencil5(__global const float *in, __global float *out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h)
    return;
  int xl = max(x - 1, 0), xr = min(x + 1, w - 1), yu = max(y - 1, 0), yd = min(y + 1, h - 1);
  float sum = in[y * w + xl] + in[y * w + xr] + in[yu * w + x] + in[yd * w + x];
  out[y * w + x] = 0.5f * in[y * w + x] + 0.125f * sum;
}
