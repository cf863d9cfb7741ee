// LDS whose size the launch chooses: two __local pointer arguments beside a static array; the workgroup's items reversed.
__kernel void dynamic_lds(__global const uint *in, __global uint *out, __local uint *a, __local ushort *b) {
  __local uint total;
  uint l = get_local_id(0), n = get_local_size(0), i = get_global_id(0);
  if (l == 0)
    total = 0;
  a[n - 1 - l] = in[i];
  b[l] = (ushort)(in[i] >> 16);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&total, a[l] & 0xff);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = a[l] ^ b[(l + 1) % n] ^ total << 8;
}
