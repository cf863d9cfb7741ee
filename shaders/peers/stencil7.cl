// A 7-point stencil in space: six neighbors and the cell, borders copied.
#pragma OPENCL FP_CONTRACT OFF
kernel void stencil7(global const float *restrict in, global float *restrict out, int nx, int ny, int nz, float c0, float c1) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  int at = (z * ny + y) * nx + x;
  float v = in[at];
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
    float sum = (in[at - 1] + in[at + 1]) + (in[at - nx] + in[at + nx]) + (in[at - nx * ny] + in[at + nx * ny]);
    v = fma(c1, sum, -(v * c0));
  }
  out[at] = v;
}
