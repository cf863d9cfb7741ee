// Counter-based random numbers (Philox 4x32-10) and a Monte Carlo count: high halves of products, carries, a wave-wide count by ballot.
static uint4 philox(uint4 c, uint2 k) {
  for (int r = 0; r < 10; r++) {
    uint h0 = mul_hi(0xd2511f53u, c.x), l0 = 0xd2511f53u * c.x, h1 = mul_hi(0xcd9e8d57u, c.z), l1 = 0xcd9e8d57u * c.z;
    c = (uint4)(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
    k += (uint2)(0x9e3779b9u, 0xbb67ae85u);
  }
  return c;
}
__kernel void philox_pi(__global uint *inside, uint seed, uint rounds) {
  uint i = get_global_id(0), hits = 0;
  for (uint r = 0; r < rounds; r++) {
    uint4 v = philox((uint4)(i, r, 0, 0), (uint2)(seed, 0x5eed));
    ulong x = v.x >> 8, y = v.y >> 8, z = v.z >> 8, w = v.w >> 8;
    hits += x * x + y * y < (1ul << 48);
    hits += z * z + w * w < (1ul << 48);
  }
  atomic_add(inside, hits);
}
