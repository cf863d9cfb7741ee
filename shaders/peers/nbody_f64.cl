// All-pairs gravity in f64: square root and division in the inner loop, the other body the same in all lanes.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
kernel void nbody_f64(global const double4 *restrict bodies, global double4 *restrict pulls, int n, double softening) {
  int me = get_global_id(0);
  double4 p = bodies[me];
  double x = 0.0, y = 0.0, z = 0.0;
  for (int k = 0; k < n; k++) {
    double4 q = bodies[k];
    double dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
    double squared = fma(dx, dx, fma(dy, dy, fma(dz, dz, softening)));
    double force = q.w / (squared * sqrt(squared));
    x = fma(dx, force, x);
    y = fma(dy, force, y);
    z = fma(dz, force, z);
  }
  pulls[me] = (double4)(x, y, z, 0.0);
}
