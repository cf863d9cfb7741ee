// hip/hip_runtime.h of wavejit: the device side of HIP C++ for machines without ROCm's headers.
//
// clang's own __clang_hip_runtime_wrapper.h, which `wavejit cc` includes first, has __global__, __device__ and their like and the mathematics (sinf,
// std::pow, __expf, ...). Here is what HIP adds: indices, barriers, shuffles and votes, atomics, bit functions, vector types. Functions of the
// host are in hip_runtime_api.h, for whole programs (`wavejit cc FILE.hip -o PROGRAM`) and so that files which hold both sides compile.
#pragma once

#include "hip_version.h"
#include "hip_vector_types.h"

#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define WAVEJIT_DEVICE static __device__ __forceinline__

// __launch_bounds__(most work-items of a workgroup [, waves on a SIMD])
#define WAVEJIT_BOUNDS1(n) __attribute__((amdgpu_flat_work_group_size(1, n)))
#define WAVEJIT_BOUNDS2(n, waves) __attribute__((amdgpu_flat_work_group_size(1, n), amdgpu_waves_per_eu(waves)))
#define WAVEJIT_THIRD(a, b, c, ...) c
#define __launch_bounds__(...) WAVEJIT_THIRD(__VA_ARGS__, WAVEJIT_BOUNDS2, WAVEJIT_BOUNDS1, )(__VA_ARGS__)

// LDS whose size the launch gives (`wavejit run --lds`).
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];

// ---- indices ----------------------------------------------------------------------------------------------------------------------------------------

extern "C" __device__ __attribute__((const)) __SIZE_TYPE__ __ockl_get_num_groups(unsigned);

#define WAVEJIT_INDEX(NAME, X, Y, Z)                                                                                                         \
  struct wavejit_##NAME {                                                                                                                    \
    WAVEJIT_DEVICE unsigned get_x() { return X; }                                                                                            \
    WAVEJIT_DEVICE unsigned get_y() { return Y; }                                                                                            \
    WAVEJIT_DEVICE unsigned get_z() { return Z; }                                                                                            \
    __declspec(property(get = get_x)) unsigned x;                                                                                            \
    __declspec(property(get = get_y)) unsigned y;                                                                                            \
    __declspec(property(get = get_z)) unsigned z;                                                                                            \
    __device__ operator dim3() const { return dim3(get_x(), get_y(), get_z()); }                                                             \
    __device__ operator uint3() const { return uint3{get_x(), get_y(), get_z()}; }                                                           \
  };                                                                                                                                         \
  extern const __device__ __attribute__((weak)) wavejit_##NAME NAME;

WAVEJIT_INDEX(threadIdx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z())
WAVEJIT_INDEX(blockIdx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z())
WAVEJIT_INDEX(blockDim, __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(), __builtin_amdgcn_workgroup_size_z())
WAVEJIT_INDEX(gridDim, (unsigned)__ockl_get_num_groups(0), (unsigned)__ockl_get_num_groups(1), (unsigned)__ockl_get_num_groups(2))
#undef WAVEJIT_INDEX

#define hipThreadIdx_x (threadIdx.x)
#define hipThreadIdx_y (threadIdx.y)
#define hipThreadIdx_z (threadIdx.z)
#define hipBlockIdx_x (blockIdx.x)
#define hipBlockIdx_y (blockIdx.y)
#define hipBlockIdx_z (blockIdx.z)
#define hipBlockDim_x (blockDim.x)
#define hipBlockDim_y (blockDim.y)
#define hipBlockDim_z (blockDim.z)
#define hipGridDim_x (gridDim.x)
#define hipGridDim_y (gridDim.y)
#define hipGridDim_z (gridDim.z)

// Work-items of a wave. Host code sees the size of the default target.
#ifdef __AMDGCN_WAVEFRONT_SIZE
static constexpr int warpSize = __AMDGCN_WAVEFRONT_SIZE;
#else
#define warpSize ((int)__builtin_amdgcn_wavefrontsize())
#endif
WAVEJIT_DEVICE unsigned __lane_id() { return __builtin_amdgcn_mbcnt_hi(-1, __builtin_amdgcn_mbcnt_lo(-1, 0)); }

// ---- barriers and fences ----------------------------------------------------------------------------------------------------------------------------

WAVEJIT_DEVICE void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
WAVEJIT_DEVICE void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
WAVEJIT_DEVICE void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }
__device__ __forceinline__ __attribute__((convergent)) void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
WAVEJIT_DEVICE void __syncwarp(unsigned long long = ~0ull) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
WAVEJIT_DEVICE long long clock64() { return (long long)__builtin_readcyclecounter(); }
WAVEJIT_DEVICE int clock() { return (int)__builtin_readcyclecounter(); }

// ---- votes and shuffles -----------------------------------------------------------------------------------------------------------------------------
//
// A mask of the `_sync` forms is not looked at: the lanes that are active take part.

WAVEJIT_DEVICE unsigned long long __ballot(int predicate) {
  if (__builtin_amdgcn_wavefrontsize() == 64)
    return __builtin_amdgcn_uicmpl((unsigned long long)(predicate != 0), 0, 33);
  return __builtin_amdgcn_uicmp((unsigned)(predicate != 0), 0, 33);
}
WAVEJIT_DEVICE unsigned long long __activemask() { return __ballot(1); }
WAVEJIT_DEVICE int __any(int predicate) { return __ballot(predicate) != 0; }
WAVEJIT_DEVICE int __all(int predicate) { return __ballot(!predicate) == 0; }
WAVEJIT_DEVICE unsigned long long __ballot_sync(unsigned long long, int predicate) { return __ballot(predicate); }
WAVEJIT_DEVICE int __any_sync(unsigned long long, int predicate) { return __any(predicate); }
WAVEJIT_DEVICE int __all_sync(unsigned long long, int predicate) { return __all(predicate); }

// The value of another lane, dword by dword.
template <typename T> WAVEJIT_DEVICE T wavejit_from_lane(T value, int lane) {
  static_assert(sizeof(T) <= 16, "shuffled values have at most 16 bytes");
  int words[(sizeof(T) + 3) / 4] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (int &word : words)
    word = __builtin_amdgcn_ds_bpermute(lane << 2, word);
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}
// `width` (a power of two) cuts the wave into parts that shuffle among themselves.
template <typename T> WAVEJIT_DEVICE T __shfl(T value, int lane, int width = warpSize) {
  int self = __lane_id();
  return wavejit_from_lane(value, (lane & (width - 1)) + (self & ~(width - 1)));
}
template <typename T> WAVEJIT_DEVICE T __shfl_up(T value, unsigned delta, int width = warpSize) {
  int self = __lane_id(), from = self - (int)delta;
  return wavejit_from_lane(value, from < (self & ~(width - 1)) ? self : from);
}
template <typename T> WAVEJIT_DEVICE T __shfl_down(T value, unsigned delta, int width = warpSize) {
  int self = __lane_id();
  return wavejit_from_lane(value, (int)((self & (width - 1)) + delta) >= width ? self : self + (int)delta);
}
template <typename T> WAVEJIT_DEVICE T __shfl_xor(T value, int mask, int width = warpSize) {
  int self = __lane_id(), from = self ^ mask;
  return wavejit_from_lane(value, from >= ((self + width) & ~(width - 1)) ? self : from);
}
template <typename T> WAVEJIT_DEVICE T __shfl_sync(unsigned long long, T v, int lane, int width = warpSize) { return __shfl(v, lane, width); }
template <typename T> WAVEJIT_DEVICE T __shfl_up_sync(unsigned long long, T v, unsigned d, int width = warpSize) { return __shfl_up(v, d, width); }
template <typename T> WAVEJIT_DEVICE T __shfl_down_sync(unsigned long long, T v, unsigned d, int width = warpSize) { return __shfl_down(v, d, width); }
template <typename T> WAVEJIT_DEVICE T __shfl_xor_sync(unsigned long long, T v, int mask, int width = warpSize) { return __shfl_xor(v, mask, width); }

// Barriers that also count. LDS for one number of a workgroup, used between two barriers.
WAVEJIT_DEVICE int __syncthreads_count(int predicate) {
  static __shared__ int count;
  if ((threadIdx.x | threadIdx.y | threadIdx.z) == 0)
    count = 0;
  __syncthreads();
  if (predicate)
    __hip_atomic_fetch_add(&count, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  __syncthreads();
  int all = count;
  __syncthreads();
  return all;
}
WAVEJIT_DEVICE int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
WAVEJIT_DEVICE int __syncthreads_and(int predicate) { return __syncthreads_count(!predicate) == 0; }

// ---- atomics ----------------------------------------------------------------------------------------------------------------------------------------
//
// Relaxed; atomicAdd is of the device, atomicAdd_block of the workgroup, atomicAdd_system of everything.

#define WAVEJIT_ATOMIC(T, NAME, BUILTIN)                                                                                                     \
  WAVEJIT_DEVICE T NAME(T *p, T v) { return BUILTIN(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }                                     \
  WAVEJIT_DEVICE T NAME##_block(T *p, T v) { return BUILTIN(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP); }                         \
  WAVEJIT_DEVICE T NAME##_system(T *p, T v) { return BUILTIN(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM); }
#define WAVEJIT_ATOMIC_CAS(T, SUFFIX, SCOPE)                                                                                                 \
  WAVEJIT_DEVICE T atomicCAS##SUFFIX(T *p, T expected, T v) {                                                                                \
    __hip_atomic_compare_exchange_strong(p, &expected, v, __ATOMIC_RELAXED, __ATOMIC_RELAXED, SCOPE);                                        \
    return expected;                                                                                                                         \
  }
#define WAVEJIT_ATOMICS_OF_NUMBERS(T)                                                                                                        \
  WAVEJIT_ATOMIC(T, atomicAdd, __hip_atomic_fetch_add)                                                                                       \
  WAVEJIT_ATOMIC(T, atomicExch, __hip_atomic_exchange)                                                                                       \
  WAVEJIT_ATOMIC(T, atomicMin, __hip_atomic_fetch_min)                                                                                       \
  WAVEJIT_ATOMIC(T, atomicMax, __hip_atomic_fetch_max)                                                                                       \
  WAVEJIT_DEVICE T atomicSub(T *p, T v) { return atomicAdd(p, (T)-v); }
#define WAVEJIT_ATOMICS_OF_INTEGERS(T)                                                                                                       \
  WAVEJIT_ATOMICS_OF_NUMBERS(T)                                                                                                              \
  WAVEJIT_ATOMIC(T, atomicAnd, __hip_atomic_fetch_and)                                                                                       \
  WAVEJIT_ATOMIC(T, atomicOr, __hip_atomic_fetch_or)                                                                                         \
  WAVEJIT_ATOMIC(T, atomicXor, __hip_atomic_fetch_xor)                                                                                       \
  WAVEJIT_ATOMIC_CAS(T, , __HIP_MEMORY_SCOPE_AGENT)                                                                                          \
  WAVEJIT_ATOMIC_CAS(T, _block, __HIP_MEMORY_SCOPE_WORKGROUP)                                                                                \
  WAVEJIT_ATOMIC_CAS(T, _system, __HIP_MEMORY_SCOPE_SYSTEM)
WAVEJIT_ATOMICS_OF_INTEGERS(int)
WAVEJIT_ATOMICS_OF_INTEGERS(unsigned int)
WAVEJIT_ATOMICS_OF_INTEGERS(long)
WAVEJIT_ATOMICS_OF_INTEGERS(unsigned long)
WAVEJIT_ATOMICS_OF_INTEGERS(long long)
WAVEJIT_ATOMICS_OF_INTEGERS(unsigned long long)
WAVEJIT_ATOMICS_OF_NUMBERS(float)
WAVEJIT_ATOMICS_OF_NUMBERS(double)
#undef WAVEJIT_ATOMIC
#undef WAVEJIT_ATOMIC_CAS
#undef WAVEJIT_ATOMICS_OF_NUMBERS
#undef WAVEJIT_ATOMICS_OF_INTEGERS

// Up to `limit`, then 0; and down from it.
WAVEJIT_DEVICE unsigned atomicInc(unsigned *p, unsigned limit) { return __builtin_amdgcn_atomic_inc32(p, limit, __ATOMIC_RELAXED, "agent"); }
WAVEJIT_DEVICE unsigned atomicDec(unsigned *p, unsigned limit) { return __builtin_amdgcn_atomic_dec32(p, limit, __ATOMIC_RELAXED, "agent"); }

// ---- integers and bits ------------------------------------------------------------------------------------------------------------------------------

WAVEJIT_DEVICE int __popc(unsigned v) { return __builtin_popcount(v); }
WAVEJIT_DEVICE int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
WAVEJIT_DEVICE int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
WAVEJIT_DEVICE int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
WAVEJIT_DEVICE int __ffs(int v) { return __builtin_ffs(v); }
WAVEJIT_DEVICE int __ffsll(long long v) { return __builtin_ffsll(v); }
WAVEJIT_DEVICE unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
WAVEJIT_DEVICE unsigned long long __brevll(unsigned long long v) { return __builtin_bitreverse64(v); }
WAVEJIT_DEVICE int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
WAVEJIT_DEVICE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
WAVEJIT_DEVICE int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
WAVEJIT_DEVICE unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
WAVEJIT_DEVICE long long __mul64hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
WAVEJIT_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned long long)(((unsigned __int128)a * b) >> 64); }
WAVEJIT_DEVICE unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) { return (unsigned)(((((unsigned long long)hi << 32) | lo) << (n & 31)) >> 32); }
WAVEJIT_DEVICE unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) { return (unsigned)((((unsigned long long)hi << 32) | lo) >> (n & 31)); }

template <typename To, typename From> WAVEJIT_DEVICE To wavejit_bits(From v) {
  static_assert(sizeof(To) == sizeof(From), "the same bits");
  To to;
  __builtin_memcpy(&to, &v, sizeof(To));
  return to;
}
WAVEJIT_DEVICE int __float_as_int(float v) { return wavejit_bits<int>(v); }
WAVEJIT_DEVICE unsigned __float_as_uint(float v) { return wavejit_bits<unsigned>(v); }
WAVEJIT_DEVICE float __int_as_float(int v) { return wavejit_bits<float>(v); }
WAVEJIT_DEVICE float __uint_as_float(unsigned v) { return wavejit_bits<float>(v); }
WAVEJIT_DEVICE long long __double_as_longlong(double v) { return wavejit_bits<long long>(v); }
WAVEJIT_DEVICE double __longlong_as_double(long long v) { return wavejit_bits<double>(v); }

// Conversions: to nearest even, toward zero, up, down.
#define WAVEJIT_TO_INTEGER(FROM, F, TO, T, SUFFIX)                                                                                           \
  WAVEJIT_DEVICE T __##FROM##2##TO##_rn(F v) { return (T)__builtin_rint##SUFFIX(v); }                                                        \
  WAVEJIT_DEVICE T __##FROM##2##TO##_rz(F v) { return (T)v; }                                                                                \
  WAVEJIT_DEVICE T __##FROM##2##TO##_ru(F v) { return (T)__builtin_ceil##SUFFIX(v); }                                                        \
  WAVEJIT_DEVICE T __##FROM##2##TO##_rd(F v) { return (T)__builtin_floor##SUFFIX(v); }
WAVEJIT_TO_INTEGER(float, float, int, int, f)
WAVEJIT_TO_INTEGER(float, float, uint, unsigned, f)
WAVEJIT_TO_INTEGER(float, float, ll, long long, f)
WAVEJIT_TO_INTEGER(float, float, ull, unsigned long long, f)
WAVEJIT_TO_INTEGER(double, double, int, int, )
WAVEJIT_TO_INTEGER(double, double, uint, unsigned, )
WAVEJIT_TO_INTEGER(double, double, ll, long long, )
WAVEJIT_TO_INTEGER(double, double, ull, unsigned long long, )
#undef WAVEJIT_TO_INTEGER
WAVEJIT_DEVICE float __int2float_rn(int v) { return (float)v; }
WAVEJIT_DEVICE float __uint2float_rn(unsigned v) { return (float)v; }
WAVEJIT_DEVICE double __int2double_rn(int v) { return (double)v; }
WAVEJIT_DEVICE double __uint2double_rn(unsigned v) { return (double)v; }
WAVEJIT_DEVICE float __double2float_rn(double v) { return (float)v; }

// Through the read-only cache, which is memory here.
template <typename T> WAVEJIT_DEVICE T __ldg(const T *p) { return *p; }

// ---- what the host does for a kernel ------------------------------------------------------------------------------------------------------------

// Calls of the host, by functions of the device library.
extern "C" __device__ int printf(const char *format, ...);
extern "C" __device__ unsigned long __ockl_fprintf_stderr_begin();
extern "C" __device__ unsigned long __ockl_fprintf_append_args(unsigned long message, unsigned count, unsigned long, unsigned long, unsigned long,
                                                               unsigned long, unsigned long, unsigned long, unsigned long, unsigned is_last);
extern "C" __device__ unsigned long __ockl_fprintf_append_string_n(unsigned long message, const char *, unsigned long bytes, unsigned is_last);
extern "C" __device__ unsigned long __ockl_devmem_request(unsigned long address, unsigned long bytes);

WAVEJIT_DEVICE void abort() { __builtin_trap(); }

// What assert() calls where it fails: a line on the standard error, then a trap.
extern "C" __device__ inline __noinline__ void __assert_fail(const char *expression, const char *file, unsigned line, const char *function) {
  auto bytes = [](const char *text) {
    unsigned long n = 1;
    while (text[n - 1])
      n++;
    return n;
  };
  const char format[] = "%s:%u: %s: Device-side assertion `%s' failed.\n";
  unsigned long message = __ockl_fprintf_stderr_begin();
  message = __ockl_fprintf_append_string_n(message, format, sizeof format, 0);
  message = __ockl_fprintf_append_string_n(message, file, bytes(file), 0);
  message = __ockl_fprintf_append_args(message, 1, line, 0, 0, 0, 0, 0, 0, 0);
  message = __ockl_fprintf_append_string_n(message, function, bytes(function), 0);
  __ockl_fprintf_append_string_n(message, expression, bytes(expression), 1);
  __builtin_trap();
}

// Of malloc, free, new and delete. Each piece comes from the host: the heap of device libraries before ROCm 5.7 waits for a clock that gfx11 does not have.
extern "C" __device__ inline unsigned long long __ockl_dm_alloc(unsigned long long bytes) { return bytes ? __ockl_devmem_request(0, bytes) : 0; }
extern "C" __device__ inline void __ockl_dm_dealloc(unsigned long long address) {
  if (address)
    __ockl_devmem_request(address, 0);
}

// new and delete, as the standard library of the host has them. (The pieces have no length here, so that deletes with one are the same.)
__device__ inline void *operator new(__SIZE_TYPE__ bytes) { return (void *)__ockl_dm_alloc(bytes); }
__device__ inline void *operator new[](__SIZE_TYPE__ bytes) { return (void *)__ockl_dm_alloc(bytes); }
__device__ inline void operator delete(void *p) noexcept { __ockl_dm_dealloc((unsigned long long)p); }
__device__ inline void operator delete[](void *p) noexcept { __ockl_dm_dealloc((unsigned long long)p); }
__device__ inline void operator delete(void *p, __SIZE_TYPE__) noexcept { __ockl_dm_dealloc((unsigned long long)p); }
__device__ inline void operator delete[](void *p, __SIZE_TYPE__) noexcept { __ockl_dm_dealloc((unsigned long long)p); }

// ---- the host's side ----------------------------------------------------------------------------------------------------------------------------------

#include "hip_runtime_api.h"

// ---- textures and surfaces ----------------------------------------------------------------------------------------------------------------------------

#include "hip_texture.h"
