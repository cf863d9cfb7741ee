// Integer dot products: a matrix of signed bytes times a vector by v_dot4_i32_iu8, mixed signs, unsigned bytes, nibbles, saturation.
__kernel void int8_dot(__global const int *m, __global const int *v, __global int *out, int words) {
  int row = get_global_id(0);
  int s = 0, mixed = 0, nibbles = 0, sat = 0x7fffff00;
  uint u = 0;
  for (int k = 0; k < words; k++) {
    int a = m[row * words + k], b = v[k];
    s = __builtin_amdgcn_sudot4(true, a, true, b, s, false);
    mixed = __builtin_amdgcn_sudot4(false, a, true, b, mixed, false);
    u = __builtin_amdgcn_udot4(a, b, u, false);
    nibbles = __builtin_amdgcn_sudot8(true, a, true, b, nibbles, false);
    sat = __builtin_amdgcn_sudot4(true, a, true, a, sat, true);
  }
  out[row * 5] = s;
  out[row * 5 + 1] = mixed;
  out[row * 5 + 2] = (int)u;
  out[row * 5 + 3] = nibbles;
  out[row * 5 + 4] = sat;
}
