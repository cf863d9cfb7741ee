// Black-Scholes prices of European options: log, exp, sqrt and erfc, branch-free.
__kernel void option_price(__global const float4 *in, __global float2 *out, float rate, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  float spot = in[i].x, strike = in[i].y, years = in[i].z, vol = in[i].w;
  float spread = vol * sqrt(years);
  float d1 = (log(spot / strike) + (rate + 0.5f * vol * vol) * years) / spread, d2 = d1 - spread;
  float c1 = 0.5f * erfc(-0.70710678f * d1), c2 = 0.5f * erfc(-0.70710678f * d2);
  float paid = strike * exp(-rate * years);
  float call = spot * c1 - paid * c2;
  out[i] = (float2)(call, call - spot + paid);
}
