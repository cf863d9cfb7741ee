// Coupled oscillators, all pairs: f64 sine and cosine of every difference of two phases.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
kernel void kuramoto_f64(global const double *restrict phase, global double *restrict drift, int n, double second) {
  int me = get_global_id(0);
  double mine = phase[me], sum = 0.0;
  for (int k = 0; k < n; k++) {
    double d = phase[k] - mine;
    sum = fma(sin(d), fma(second, cos(d), 1.0), sum);
  }
  drift[me] = sum / n;
}
