// Divergent loop: escape times of the Mandelbrot set as a byte image. Lanes leave the loop one by one.
__kernel void mandelbrot(__global uchar *image, float left, float top, float step, int w, int h, int limit) {
  int px = get_global_id(0), py = get_global_id(1);
  if (px >= w || py >= h)
    return;
  float cr = fma((float)px, step, left), ci = fma((float)py, step, top);
  float zr = 0.0f, zi = 0.0f;
  int n = 0;
  while (n < limit) {
    float i2 = zi * zi;
    if (fma(zr, zr, i2) > 4.0f)
      break;
    float r = fma(zr, zr, cr - i2);
    zi = fma(zr + zr, zi, ci);
    zr = r;
    n++;
  }
  image[py * w + px] = n == limit ? 0 : (uchar)(255 - (n * 5) % 256);
}
