// European calls and puts in f32: logarithm, exponentials, square root, divisions, a polynomial for the normal distribution.
#pragma OPENCL FP_CONTRACT OFF
float below(float x) { // Abramowitz and Stegun, 26.2.17
  float t = 1.0f / fma(0.2316419f, fabs(x), 1.0f);
  float p = t * fma(t, fma(t, fma(t, fma(t, 1.330274429f, -1.821255978f), 1.781477937f), -0.356563782f), 0.319381530f);
  float tail = 0.39894228f * exp(-0.5f * x * x) * p;
  return x < 0.0f ? tail : 1.0f - tail;
}

kernel void blackscholes_f32(global const float *restrict spot, global const float *restrict strike, global const float *restrict years,
                             global float *restrict calls, global float *restrict puts, float rate, float volatility) {
  int i = get_global_id(0);
  float s = spot[i], k = strike[i], t = years[i];
  float spread = volatility * sqrt(t);
  float high = (log(s / k) + fma(0.5f * volatility, volatility, rate) * t) / spread;
  float low = high - spread;
  float discounted = k * exp(-rate * t);
  calls[i] = s * below(high) - discounted * below(low);
  puts[i] = discounted * below(-low) - s * below(-high);
}
