// AES-128, one block per lane, counter mode: a table of 256 words in local memory, gathered 16 times a round.
#define WG 256
kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void aes_lds(global const uint *restrict table, constant uint *keys, global uint4 *restrict out, uint nonce) {
  local uint t[256];
  t[get_local_id(0)] = table[get_local_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  uint me = get_global_id(0);
  uint a = nonce ^ keys[0], b = keys[1], c = keys[2], d = me ^ keys[3]; // big-endian words
#define COLUMN(p, q, r, s, k) \
  (t[(p) >> 24] ^ rotate(t[((q) >> 16) & 255], 24u) ^ rotate(t[((r) >> 8) & 255], 16u) ^ rotate(t[(s) & 255], 8u) ^ keys[k])
  for (int round = 1; round < 10; round++) {
    uint e = COLUMN(a, b, c, d, 4 * round), f = COLUMN(b, c, d, a, 4 * round + 1);
    uint g = COLUMN(c, d, a, b, 4 * round + 2), h = COLUMN(d, a, b, c, 4 * round + 3);
    a = e, b = f, c = g, d = h;
  }
  // the S-box is in the table's middle bytes
#define S(x) ((t[(x) & 255] >> 8) & 255)
#define LAST(p, q, r, s, k) ((S((p) >> 24) << 24 | S((q) >> 16) << 16 | S((r) >> 8) << 8 | S(s)) ^ keys[k])
  out[me] = (uint4)(LAST(a, b, c, d, 40), LAST(b, c, d, a, 41), LAST(c, d, a, b, 42), LAST(d, a, b, c, 43));
}
