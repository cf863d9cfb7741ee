// Model kernel K1: mandelbrot steps in a loop. Lanes whose bit of `lanes` is clear leave at once, so EXEC is full or divergent by choice.
__kernel void model_k1(__global float2 *z, float cr, float ci, uint steps, uint lanes) {
  uint i = get_global_id(0);
  float x = z[i].x, y = z[i].y;
  if (lanes >> (i & 31) & 1) {
    uint n = 0;
    while (n < steps) {
      float yy = y * y;
      if (fma(x, x, yy) > 1e30f)
        break;
      float t = fma(x, x, cr - yy);
      y = fma(x + x, y, ci);
      x = t;
      n++;
    }
  }
  z[i] = (float2)(x, y);
}
