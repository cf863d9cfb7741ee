// Steps until z = z^2 + c leaves a circle: arithmetic only, lanes leave the loop at different times.
#pragma OPENCL FP_CONTRACT OFF
kernel void fractal(global int *restrict steps, float left, float top, float pixel, int w, int h, int limit) {
  int px = get_global_id(0), py = get_global_id(1);
  if (px >= w || py >= h)
    return;
  float cx = fma((float)px, pixel, left), cy = fma((float)py, pixel, top), x = 0.0f, y = 0.0f;
  int k = 0;
  for (; k < limit; k++) {
    float xx = x * x, yy = y * y;
    if (xx + yy > 4.0f)
      break;
    y = fma(2.0f * x, y, cy);
    x = (xx - yy) + cx;
  }
  steps[py * w + px] = k;
}
