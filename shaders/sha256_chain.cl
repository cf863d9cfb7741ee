// SHA-256: each work-item hashes a counter block, then the digest again and again (one block each time). Rounds fully unrolled.
#define ROT(x, n) rotate((x), (uint)(32 - (n)))
__constant uint K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
static void digest(uint w[16], uint out[8]) {
  uint s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint h[8];
#pragma unroll
  for (int i = 0; i < 8; i++)
    h[i] = s[i];
#pragma unroll
  for (int t = 0; t < 64; t++) {
    uint x = w[t & 15];
    if (t >= 16) {
      uint a = w[(t + 1) & 15], b = w[(t + 14) & 15];
      x += (ROT(a, 7) ^ ROT(a, 18) ^ a >> 3) + w[(t + 9) & 15] + (ROT(b, 17) ^ ROT(b, 19) ^ b >> 10);
      w[t & 15] = x;
    }
    uint e = h[4], a = h[0];
    uint t1 = h[7] + (ROT(e, 6) ^ ROT(e, 11) ^ ROT(e, 25)) + bitselect(h[6], h[5], e) + K[t] + x;
    uint t2 = (ROT(a, 2) ^ ROT(a, 13) ^ ROT(a, 22)) + ((a & h[1]) | (h[2] & (a | h[1])));
    h[7] = h[6]; h[6] = h[5]; h[5] = e; h[4] = h[3] + t1;
    h[3] = h[2]; h[2] = h[1]; h[1] = a; h[0] = t1 + t2;
  }
#pragma unroll
  for (int i = 0; i < 8; i++)
    out[i] = s[i] + h[i];
}
__kernel void sha256_chain(__global uint *out, uint first, uint rounds) {
  uint i = get_global_id(0);
  uint d[8] = {first + i, 0, 0, 0, 0, 0, 0, 0};
  for (uint r = 0; r < rounds; r++) {
    uint w[16] = {d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], 0x80000000, 0, 0, 0, 0, 0, 0, 256};
    digest(w, d);
  }
  for (int k = 0; k < 8; k++)
    out[i * 8 + k] = d[k];
}
