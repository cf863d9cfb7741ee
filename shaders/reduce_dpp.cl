// Float sum over a wave by DPP row shifts, permlanex16 and readlane; the tree has a fixed order, so that the sum is exact to the bit.
#pragma OPENCL FP_CONTRACT OFF
#define SHIFTED(v, ctrl) as_float(__builtin_amdgcn_update_dpp(0, as_int(v), ctrl, 0xf, 0xf, true))
__kernel void reduce_dpp(__global const float *in, __global float *out) {
  size_t i = get_global_id(0);
  float v = in[i];
  v += SHIFTED(v, 0x111); // row_shr:1
  v += SHIFTED(v, 0x112); // row_shr:2
  v += SHIFTED(v, 0x114); // row_shr:4
  v += SHIFTED(v, 0x118); // row_shr:8, lane 15 of each row has the row's sum
  float other = as_float(__builtin_amdgcn_permlanex16(as_int(v), as_int(v), 0xffffffff, 0xffffffff, false, true));
  float pair = v + other; // lane 15 of the first row: both rows
  float sum = as_float(__builtin_amdgcn_readlane(as_int(pair), 15));
  if (__builtin_amdgcn_wavefrontsize() == 64)
    sum += as_float(__builtin_amdgcn_readlane(as_int(pair), 47));
  out[i] = sum;
}
