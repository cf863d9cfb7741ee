// Value noise of six octaves: integer hashes, floor, conversions and interpolation for every pixel.
#pragma OPENCL FP_CONTRACT OFF
float corner(int x, int y) {
  uint h = (uint)x * 0x9e3779b1u ^ (uint)y * 0x85ebca77u;
  h = (h ^ (h >> 15)) * 0x2c1b3c6du;
  h = (h ^ (h >> 12)) * 0x297a2d39u;
  return (float)((h ^ (h >> 15)) >> 8) * 0x1p-24f;
}

kernel void noise(global float *restrict out, int w, float scale) {
  int px = get_global_id(0), py = get_global_id(1);
  float x = px * scale, y = py * scale, sum = 0.0f, strength = 0.5f;
  for (int octave = 0; octave < 6; octave++) {
    float fx = floor(x), fy = floor(y), tx = x - fx, ty = y - fy;
    int ix = (int)fx, iy = (int)fy;
    float sx = tx * tx * fma(-2.0f, tx, 3.0f), sy = ty * ty * fma(-2.0f, ty, 3.0f);
    float a = corner(ix, iy), b = corner(ix + 1, iy), c = corner(ix, iy + 1), d = corner(ix + 1, iy + 1);
    float upper = fma(sx, b - a, a), lower = fma(sx, d - c, c);
    sum = fma(strength, fma(sy, lower - upper, upper), sum);
    strength *= 0.5f;
    x *= 2.0f;
    y *= 2.0f;
  }
  out[py * w + px] = sum;
}
