// ChaCha20, one block of key stream per lane (RFC 8439): additions, xors and rotations of 32 bits.
#define QUARTER(a, b, c, d) \
  a += b, d = rotate(d ^ a, 16u), c += d, b = rotate(b ^ c, 12u), a += b, d = rotate(d ^ a, 8u), c += d, b = rotate(b ^ c, 7u)
kernel void chacha20(constant uint *input, global uint *restrict out) {
  uint me = get_global_id(0), first[16], s[16];
#pragma unroll
  for (int k = 0; k < 16; k++)
    first[k] = input[k];
  first[12] += me;
#pragma unroll
  for (int k = 0; k < 16; k++)
    s[k] = first[k];
  for (int round = 0; round < 10; round++) {
    QUARTER(s[0], s[4], s[8], s[12]);
    QUARTER(s[1], s[5], s[9], s[13]);
    QUARTER(s[2], s[6], s[10], s[14]);
    QUARTER(s[3], s[7], s[11], s[15]);
    QUARTER(s[0], s[5], s[10], s[15]);
    QUARTER(s[1], s[6], s[11], s[12]);
    QUARTER(s[2], s[7], s[8], s[13]);
    QUARTER(s[3], s[4], s[9], s[14]);
  }
#pragma unroll
  for (int k = 0; k < 16; k++)
    out[16 * me + k] = s[k] + first[k];
}
