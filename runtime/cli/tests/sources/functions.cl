// Library functions, halves, local memory and images.
kernel void mathematics(global float4 *out, global const float *in) {
  uint i = get_global_id(0);
  float x = in[i];
  out[i] = (float4)(sin(x), exp(x), pow(x, 2.5f), sqrt(x));
}

kernel void doubles(global double *out, global const double *in) {
  uint i = get_global_id(0);
  out[i] = pow(in[i], 1.5) + log(in[i]);
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void halves(global half *out, global const half *in, half scale) {
  uint i = get_global_id(0);
  out[i] = fma(in[i], scale, in[i]);
}

kernel void reversed(global int *data, local int *tile) {
  uint l = get_local_id(0), n = get_local_size(0);
  tile[l] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = tile[n - 1 - l];
}

kernel void mirrored(read_only image2d_t from, write_only image2d_t to) {
  const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(to, p, read_imagef(from, nearest, (int2)(get_image_width(from) - 1 - p.x, p.y)));
}

kernel void vectors(global float *out, float3 v, int2 n, constant float *weights) {
  out[get_global_id(0)] = dot(v, (float3)(weights[0], weights[1], weights[2])) + n.x * n.y;
}
