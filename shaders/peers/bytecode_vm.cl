// An interpreter: every lane runs one of several programs for a machine of eight registers, so that lanes go apart at the switch.
// An instruction is opcode | a << 8 | b << 16 | c << 24.
kernel void bytecode_vm(global const uint *restrict code, global const int *restrict entries, int programs, global const uint *restrict in,
                        global uint *restrict out, int budget) {
  int me = get_global_id(0);
  uint r[8] = {in[me], me, 1, 0, 0, 0, 0, 0};
  int pc = entries[(in[me] >> 7) % programs];
  for (int k = 0; k < budget; k++) {
    uint word = code[pc++];
    uint a = (word >> 8) & 7, b = (word >> 16) & 7, c = word >> 24;
    switch (word & 255) {
    case 0: k = budget; break;
    case 1: r[a] = r[b] + r[c & 7]; break;
    case 2: r[a] = r[b] - r[c & 7]; break;
    case 3: r[a] = r[b] * r[c & 7]; break;
    case 4: r[a] = r[b] ^ r[c & 7]; break;
    case 5: r[a] = r[b] >> (c & 31); break;
    case 6: r[a] = r[b] << (c & 31); break;
    case 7: r[a] = r[b] + c; break;
    case 8: r[a] = rotate(r[b], r[c & 7] & 31u); break;
    case 9: if (r[a] != 0) pc -= c; break;
    case 10: if ((r[a] & 1) != 0) pc += c; break;
    default: r[a] = ~r[b] & r[c & 7]; break;
    }
  }
  out[me] = r[0] ^ r[3];
}
