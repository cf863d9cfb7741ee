// Kernel arguments of every size and alignment: char, short, three-element vector, structure, double, pointer, 16 ints.
typedef struct { uchar tag; uint3 v; short tail; } record;
__kernel void arguments(__global ulong *out, char c, short s, int3 v3, record r, double d, uint16 many, uchar last) {
  size_t i = get_global_id(0);
  ulong x = (ulong)(long)c + ((ulong)(long)s << 8) + (ulong)(v3.x + v3.y * 3 + v3.z * 5);
  x = x * 31 + r.tag + r.v.x + 7ul * r.v.y + 11ul * r.v.z + (ulong)(long)r.tail;
  x = x * 31 + as_ulong(d);
  x = x * 31 + many.s0 + 2ul * many.s7 + 3ul * many.sf + last;
  out[i] = x + i;
}
