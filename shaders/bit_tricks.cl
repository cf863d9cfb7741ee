// Bit tricks: bit reversal, field extract and insert, funnel shift, byte permute, population counts, first set bits, 24-bit multiplies, SAD.
__kernel void bit_tricks(__global const uint *in, __global uint *out) {
  size_t i = get_global_id(0);
  uint a = in[i * 2], b = in[i * 2 + 1];
  uint k = 0;
#define PUT(x) out[i * 14 + k++] = (x)
  PUT(__builtin_bitreverse32(a));
  PUT(__builtin_amdgcn_ubfe(a, b & 31, (b >> 8) & 31));
  PUT((uint)__builtin_amdgcn_sbfe((int)a, b & 31, (b >> 8) & 31));
  PUT((a & 0x00ff0ff0u) | (b & ~0x00ff0ff0u));
  PUT(__builtin_amdgcn_alignbit(a, b, a & 31));
  PUT(__builtin_amdgcn_alignbyte(a, b, b & 3));
  PUT(__builtin_amdgcn_perm(a, b, 0x0c010706u));
  PUT(popcount(a) + 64 * popcount(~b));
  PUT(clz(a) | ctz(b | 0x80000000u) << 8);
  PUT(__builtin_bswap32(a) ^ rotate(b, 11u));
  PUT(mul24(a & 0xffffff, b & 0xffffff) + (uint)mad24((int)a >> 8, (int)b >> 8, 77));
  PUT(__builtin_amdgcn_sad_u8(a, b, 1000));
  PUT(__builtin_amdgcn_lerp(a, b, 0x01000100));
  PUT(((a ^ b) << 3) + (a | b | 5u) + (a & (b << 2)));
}
