// hip/hip_fp16.h of wavejit: __half and __half2 as clang's _Float16, with the functions that HIP names. Operators are those of the types.
#pragma once

#include "hip_runtime.h"

typedef _Float16 __half;
typedef _Float16 half;
typedef _Float16 __half2 __attribute__((ext_vector_type(2)));
typedef __half2 half2;

WAVEJIT_DEVICE __half __float2half(float v) { return (__half)v; }
WAVEJIT_DEVICE __half __float2half_rn(float v) { return (__half)v; }
WAVEJIT_DEVICE float __half2float(__half v) { return (float)v; }
WAVEJIT_DEVICE __half __int2half_rn(int v) { return (__half)v; }
WAVEJIT_DEVICE int __half2int_rz(__half v) { return (int)v; }
WAVEJIT_DEVICE unsigned short __half_as_ushort(__half v) { return wavejit_bits<unsigned short>(v); }
WAVEJIT_DEVICE __half __ushort_as_half(unsigned short v) { return wavejit_bits<__half>(v); }

WAVEJIT_DEVICE __half2 __halves2half2(__half a, __half b) { return __half2{a, b}; }
WAVEJIT_DEVICE __half2 __half2half2(__half a) { return __half2{a, a}; }
WAVEJIT_DEVICE __half2 __float2half2_rn(float v) { return __half2{(__half)v, (__half)v}; }
WAVEJIT_DEVICE __half2 __floats2half2_rn(float a, float b) { return __half2{(__half)a, (__half)b}; }
WAVEJIT_DEVICE float2 __half22float2(__half2 v) { return float2{(float)v.x, (float)v.y}; }
WAVEJIT_DEVICE __half __low2half(__half2 v) { return v.x; }
WAVEJIT_DEVICE __half __high2half(__half2 v) { return v.y; }
WAVEJIT_DEVICE float __low2float(__half2 v) { return (float)v.x; }
WAVEJIT_DEVICE float __high2float(__half2 v) { return (float)v.y; }

#define WAVEJIT_HALF(T, SUFFIX)                                                                                                              \
  WAVEJIT_DEVICE T __hadd##SUFFIX(T a, T b) { return a + b; }                                                                                \
  WAVEJIT_DEVICE T __hsub##SUFFIX(T a, T b) { return a - b; }                                                                                \
  WAVEJIT_DEVICE T __hmul##SUFFIX(T a, T b) { return a * b; }                                                                                \
  WAVEJIT_DEVICE T __hneg##SUFFIX(T a) { return -a; }                                                                                        \
  WAVEJIT_DEVICE T __habs##SUFFIX(T a) { return __builtin_elementwise_abs(a); }                                                              \
  WAVEJIT_DEVICE T __hmax##SUFFIX(T a, T b) { return __builtin_elementwise_max(a, b); }                                                      \
  WAVEJIT_DEVICE T __hmin##SUFFIX(T a, T b) { return __builtin_elementwise_min(a, b); }                                                      \
  WAVEJIT_DEVICE T __hfma##SUFFIX(T a, T b, T c) { return __builtin_elementwise_fma(a, b, c); }
WAVEJIT_HALF(__half, )
WAVEJIT_HALF(__half2, 2)
#undef WAVEJIT_HALF
WAVEJIT_DEVICE __half __hdiv(__half a, __half b) { return a / b; }
WAVEJIT_DEVICE __half2 __h2div(__half2 a, __half2 b) { return a / b; }
WAVEJIT_DEVICE bool __heq(__half a, __half b) { return a == b; }
WAVEJIT_DEVICE bool __hne(__half a, __half b) { return a != b; }
WAVEJIT_DEVICE bool __hlt(__half a, __half b) { return a < b; }
WAVEJIT_DEVICE bool __hle(__half a, __half b) { return a <= b; }
WAVEJIT_DEVICE bool __hgt(__half a, __half b) { return a > b; }
WAVEJIT_DEVICE bool __hge(__half a, __half b) { return a >= b; }
WAVEJIT_DEVICE bool __hisnan(__half a) { return a != a; }
WAVEJIT_DEVICE __half hsqrt(__half a) { return (__half)__builtin_sqrtf((float)a); }
WAVEJIT_DEVICE __half hexp(__half a) { return (__half)expf((float)a); }
WAVEJIT_DEVICE __half hlog(__half a) { return (__half)logf((float)a); }
