// What README's "Compile your own" shows.
kernel void vecadd(global float *sum, global const float *a, global const float *b, uint n) {
  uint i = get_global_id(0);
  if (i < n)
    sum[i] = a[i] + b[i];
}
