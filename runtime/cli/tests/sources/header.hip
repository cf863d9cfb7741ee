// What our hip_runtime.h adds to clang's own headers. One workgroup of 128; each result is a word.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

__global__ void indices(unsigned *out) {
  unsigned i = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x, n = blockDim.x * blockDim.y * blockDim.z;
  dim3 t = threadIdx;
  uint3 b = blockDim;
  out[i * n + (t.z * b.y + t.y) * b.x + t.x] = gridDim.x << 24 | blockIdx.y << 16 | threadIdx.y << 8 | threadIdx.x;
}

// Parts of 32 lanes, so that waves of 32 and of 64 agree.
__global__ void shuffles(int *out) {
  int i = threadIdx.x, n = blockDim.x;
  out[i] = __shfl(i, 3, 32);
  out[n + i] = __shfl_up(i, 2, 16);
  out[2 * n + i] = __shfl_down(i, 5, 16);
  out[3 * n + i] = __shfl_xor(i, 9, 32);
  out[4 * n + i] = (int)(__shfl_xor(i * 10000000000ll, 1) / 10000000000ll);
  out[5 * n + i] = (int)__shfl(i * 0.5, 6, 8);
  unsigned long long odd = __ballot(i & 1) >> (i & 32 & (warpSize - 1));
  out[6 * n + i] = (int)(unsigned)odd;
  out[7 * n + i] = __syncthreads_count(i % 3 == 0);
  out[8 * n + i] = __syncthreads_and(i < 1000) | __syncthreads_or(i > 1000) << 1;
}

// What a wave agrees on.
__global__ void votes(int *out) {
  int i = threadIdx.x;
  out[i] = __any(i == 40) | __all(i >= 0) << 1 | __all(i < 64) << 2;
}

__global__ void atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d) {
  int t = threadIdx.x;
  atomicAdd(&i[0], t);
  atomicSub(&i[1], t);
  atomicMin(&i[2], -t);
  atomicMax(&i[3], t);
  atomicOr(&i[4], 1 << (t & 31));
  atomicXor(&i[5], t);
  atomicAnd(&i[6], t);
  if (atomicCAS(&i[7], 0, t + 1) == 0)
    atomicExch(&i[8], 77);
  atomicInc(&u[0], 9);
  atomicDec(&u[1], 9);
  atomicAdd_block(&u[2], 2u);
  atomicAdd_system(&u[3], 3u);
  atomicAdd(&l[0], 1ull << 32);
  atomicAdd(&f[0], 0.5f);
  atomicMax(&f[1], (float)t);
  atomicAdd(&d[0], 0.25);
}

__global__ void bits(unsigned *out, unsigned v, int s, float f) {
  unsigned n = 0;
  out[n++] = __popc(v);
  out[n++] = __popcll((unsigned long long)v << 20 | 1);
  out[n++] = __clz((int)v);
  out[n++] = __clz(0);
  out[n++] = __ffs((int)v);
  out[n++] = __ffsll(0);
  out[n++] = __brev(v);
  out[n++] = __umulhi(v, v);
  out[n++] = (unsigned)__mulhi(s, 1 << 30);
  out[n++] = (unsigned)__mul24(s, 3);
  out[n++] = __funnelshift_l(v, 0x12345678, 8);
  out[n++] = __funnelshift_r(v, 0x12345678, 8);
  out[n++] = __float_as_uint(f);
  out[n++] = (unsigned)__float2int_rn(f);
  out[n++] = (unsigned)__float2int_rz(f);
  out[n++] = (unsigned)__float2int_ru(f);
  out[n++] = (unsigned)__float2int_rd(f);
  out[n++] = (unsigned)max(s, -3) + (unsigned)min(v, 2u);
  out[n++] = __half_as_ushort(__float2half(f));
  out[n++] = (unsigned)(sizeof(float3) << 16 | alignof(float4) << 8 | sizeof(short2));
}

__global__ void vectors(float4 *v, float3 *w, uchar4 *c, half2 *h, float s) {
  int i = threadIdx.x;
  float4 a = v[i];
  a = (a + make_float4(1, 2, 3, 4)) * s - 0.5f;
  a /= 2.0f;
  v[i] = a == a ? -a : a;
  w[i] = w[i] * make_float3(1, 2, 3) + 1.0f;
  c[i] = c[i] + make_uchar4(250, 1, 2, 3);
  h[i] = __hfma2(h[i], __float2half2_rn(2.0f), __halves2half2(__float2half(1.0f), __float2half(-1.0f)));
}

__global__ void mathematics(float *f, double *d) {
  int i = threadIdx.x;
  float x = f[i];
  f[i] = sinf(x) + std::exp(-x) + powf(x, 1.5f) + fabsf(x);
  d[i] = pow(d[i], 2.5) + std::log(d[i]);
}

// LDS by the launch.
__global__ void rotated(int *data) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[(threadIdx.x + 1) % blockDim.x];
}
