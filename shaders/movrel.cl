// A 16-element vector in registers, indexed by a uniform value (v_movrels, v_movreld) and by a divergent one (a loop over the indices).
__kernel void movrel(__global const uint *in, __global uint *out, uint where, uint rounds) {
  size_t i = get_global_id(0);
  uint16 v;
  for (int k = 0; k < 16; k++)
    v[k] = in[i] * (2 * k + 1) + k;
  for (uint r = 0; r < rounds; r++) {
    uint t = v[(where + r) & 15];
    v[(where + 3 * r + 1) & 15] = t + r;
  }
  uint d = v[in[i] & 15];
  v[(d >> 3) & 15] = where;
  out[i * 2] = d;
  out[i * 2 + 1] = v.s0 ^ v.s1 ^ v.s2 ^ v.s3 ^ v.s4 ^ v.s5 ^ v.s6 ^ v.s7 ^ v.s8 ^ v.s9 ^ v.sa ^ v.sb ^ v.sc ^ v.sd ^ v.se ^ v.sf;
}
