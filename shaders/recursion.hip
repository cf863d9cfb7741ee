// True recursion, which OpenCL C does not have: each level has its own frame in scratch, and the metadata says that the stack is not bounded.
// Ackermann's function with a small first argument; the depth differs from lane to lane.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

__attribute__((noinline)) __device__ static unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0)
    return n + 1;
  if (n == 0)
    return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
extern "C" __global__ void recursion(const unsigned *in, unsigned *out) {
  unsigned i = __builtin_amdgcn_workgroup_id_x() * 64u + __builtin_amdgcn_workitem_id_x();
  out[i] = ackermann(in[i] & 1, (in[i] >> 1) & 7);
}
