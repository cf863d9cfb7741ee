// Model kernel K3: a stream with two loads and one store per iteration, a grid-stride loop over an int index.
__kernel void model_k3(__global const float *restrict a, __global const float *restrict b, __global float *restrict c, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    c[i] = a[i] + b[i];
}
