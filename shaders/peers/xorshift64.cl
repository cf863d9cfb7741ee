// One stream of xorshift64* and one of a 64-bit LCG per lane, mixed: shifts, xors, multiplications and rotations of 64 bits.
kernel void xorshift64(global ulong *restrict out, ulong seed, int steps) {
  ulong i = get_global_id(0);
  ulong z = seed + (i + 1) * 0x9e3779b97f4a7c15ul; // splitmix64 spreads the seeds
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ul;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebul;
  ulong x = (z ^ (z >> 31)) | 1, linear = z, sum = 0;
  for (int k = 0; k < steps; k++) {
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    linear = linear * 6364136223846793005ul + 1442695040888963407ul;
    sum = rotate(sum, 7ul) + ((x * 0x2545f4914f6cdd1dul) ^ (linear >> 17));
  }
  out[i] = sum;
}
