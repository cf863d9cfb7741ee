// An American put by a binomial tree of 255 steps per workgroup: values in local memory, two barriers a step.
#pragma OPENCL FP_CONTRACT OFF
#define N 256
kernel __attribute__((reqd_work_group_size(N, 1, 1)))
void binomial_lds(global const float *restrict spot, global float *restrict price, float strike, float rise, float up, float down) {
  local float value[N];
  int me = get_local_id(0);
  float s = spot[get_group_id(0)] * exp((2 * me - (N - 1)) * rise); // after N - 1 steps, `me` of them up
  float v = fmax(strike - s, 0.0f), back = exp(rise);
  value[me] = v;
  for (int step = N - 1; step > 0; step--) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < step) {
      s *= back;
      v = fmax(fma(up, value[me + 1], down * v), strike - s);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < step)
      value[me] = v;
  }
  if (me == 0)
    price[get_group_id(0)] = v;
}
