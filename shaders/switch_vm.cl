// Switch-heavy divergence: each lane interprets its own little byte-code program with branches.
__kernel void switch_vm(__global const uchar *programs, __global const int *input, __global int *out, int length) {
  size_t i = get_global_id(0);
  __global const uchar *code = programs + i * length;
  int acc = input[i], x = 1, y = 0;
  for (int pc = 0, fuel = 200; pc < length && fuel > 0; pc++, fuel--) {
    switch (code[pc] % 12) {
    case 0: acc += x; break;
    case 1: acc -= 3 * y; break;
    case 2: acc ^= x << 3; break;
    case 3: x = acc & 0xff; break;
    case 4: y = acc >> 4; break;
    case 5: { int t = x; x = y; y = t; break; }
    case 6: acc *= 7; break;
    case 7: if (acc & 1) pc++; break;
    case 8: if (acc > 0) pc = max(pc - 5, -1), acc = -acc; break;
    case 9: acc = popcount(acc) + x; break;
    case 10: acc = acc / (abs(y % 17) + 1); break;
    default: acc = rotate(acc, 9); break;
    }
  }
  out[i] = acc + 31 * x + 17 * y;
}
