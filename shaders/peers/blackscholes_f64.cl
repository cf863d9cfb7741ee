// European calls and puts in f64: logarithm, exponential, square root, error function, divisions.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
double below(double x) { return 0.5 * erfc(-0.70710678118654752 * x); }

kernel void blackscholes_f64(global const double *restrict spot, global const double *restrict strike, global const double *restrict years,
                             global double *restrict calls, global double *restrict puts, double rate, double volatility) {
  int i = get_global_id(0);
  double s = spot[i], k = strike[i], t = years[i];
  double spread = volatility * sqrt(t);
  double high = (log(s / k) + (rate + 0.5 * volatility * volatility) * t) / spread;
  double low = high - spread;
  double discounted = k * exp(-rate * t);
  calls[i] = s * below(high) - discounted * below(low);
  puts[i] = discounted * below(-low) - s * below(-high);
}
