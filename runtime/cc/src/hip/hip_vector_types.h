// Vector types of HIP: float4 and its like, with make_float4 and component-wise operators.
#pragma once

// Sizes and alignments are CUDA's: vectors of two and four are aligned to their size (at most 16 bytes), vectors of three to a component.
#define WAVEJIT_ALIGN2(T) (2 * sizeof(T))
#define WAVEJIT_ALIGN4(T) (4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16)

#define WAVEJIT_VECTORS(T, NAME)                                                                                                             \
  struct NAME##1 {                                                                                                                           \
    T x;                                                                                                                                     \
  };                                                                                                                                         \
  struct alignas(WAVEJIT_ALIGN2(T)) NAME##2 {                                                                                                \
    T x, y;                                                                                                                                  \
  };                                                                                                                                         \
  struct NAME##3 {                                                                                                                           \
    T x, y, z;                                                                                                                               \
  };                                                                                                                                         \
  struct alignas(WAVEJIT_ALIGN4(T)) NAME##4 {                                                                                                \
    T x, y, z, w;                                                                                                                            \
  };                                                                                                                                         \
  __host__ __device__ constexpr inline NAME##1 make_##NAME##1(T x) { return NAME##1{x}; }                                                    \
  __host__ __device__ constexpr inline NAME##2 make_##NAME##2(T x, T y) { return NAME##2{x, y}; }                                            \
  __host__ __device__ constexpr inline NAME##3 make_##NAME##3(T x, T y, T z) { return NAME##3{x, y, z}; }                                    \
  __host__ __device__ constexpr inline NAME##4 make_##NAME##4(T x, T y, T z, T w) { return NAME##4{x, y, z, w}; }                            \
  WAVEJIT_OPERATOR(T, NAME, +)                                                                                                               \
  WAVEJIT_OPERATOR(T, NAME, -)                                                                                                               \
  WAVEJIT_OPERATOR(T, NAME, *)                                                                                                               \
  WAVEJIT_OPERATOR(T, NAME, /)                                                                                                               \
  WAVEJIT_COMPARE(NAME)

#define WAVEJIT_OPERATOR(T, NAME, OP)                                                                                                        \
  WAVEJIT_OPERATOR_OF(T, NAME##1, OP, a.x OP b.x)                                                                                            \
  WAVEJIT_OPERATOR_OF(T, NAME##2, OP, a.x OP b.x, a.y OP b.y)                                                                                \
  WAVEJIT_OPERATOR_OF(T, NAME##3, OP, a.x OP b.x, a.y OP b.y, a.z OP b.z)                                                                    \
  WAVEJIT_OPERATOR_OF(T, NAME##4, OP, a.x OP b.x, a.y OP b.y, a.z OP b.z, a.w OP b.w)                                                        \
  WAVEJIT_SCALED_BY(T, NAME##1, OP, {s})                                                                                                     \
  WAVEJIT_SCALED_BY(T, NAME##2, OP, {s, s})                                                                                                  \
  WAVEJIT_SCALED_BY(T, NAME##3, OP, {s, s, s})                                                                                               \
  WAVEJIT_SCALED_BY(T, NAME##4, OP, {s, s, s, s})

// The casts undo the promotion of small integers to int.
#define WAVEJIT_OPERATOR_OF(T, V, OP, ...)                                                                                                   \
  __host__ __device__ constexpr inline V operator OP(V a, V b) { return wavejit_vector<V, T>(__VA_ARGS__); }                                 \
  __host__ __device__ constexpr inline V &operator OP##=(V & a, V b) { return a = a OP b; }
#define WAVEJIT_SCALED_BY(T, V, OP, ...)                                                                                                     \
  __host__ __device__ constexpr inline V operator OP(V a, T s) { return a OP V __VA_ARGS__; }                                                \
  __host__ __device__ constexpr inline V operator OP(T s, V a) { return V __VA_ARGS__ OP a; }                                                \
  __host__ __device__ constexpr inline V &operator OP##=(V & a, T s) { return a = a OP s; }

#define WAVEJIT_COMPARE(NAME)                                                                                                                \
  WAVEJIT_COMPARE_OF(NAME##1, a.x == b.x)                                                                                                    \
  WAVEJIT_COMPARE_OF(NAME##2, a.x == b.x && a.y == b.y)                                                                                      \
  WAVEJIT_COMPARE_OF(NAME##3, a.x == b.x && a.y == b.y && a.z == b.z)                                                                        \
  WAVEJIT_COMPARE_OF(NAME##4, a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w)
#define WAVEJIT_COMPARE_OF(V, EQUAL)                                                                                                         \
  __host__ __device__ constexpr inline bool operator==(V a, V b) { return EQUAL; }                                                           \
  __host__ __device__ constexpr inline bool operator!=(V a, V b) { return !(a == b); }

template <typename V, typename T, typename... P> __host__ __device__ constexpr inline V wavejit_vector(P... parts) { return V{static_cast<T>(parts)...}; }

#define WAVEJIT_NEGATE(NAME)                                                                                                                 \
  __host__ __device__ constexpr inline NAME##1 operator-(NAME##1 a) { return {-a.x}; }                                                       \
  __host__ __device__ constexpr inline NAME##2 operator-(NAME##2 a) { return {-a.x, -a.y}; }                                                 \
  __host__ __device__ constexpr inline NAME##3 operator-(NAME##3 a) { return {-a.x, -a.y, -a.z}; }                                           \
  __host__ __device__ constexpr inline NAME##4 operator-(NAME##4 a) { return {-a.x, -a.y, -a.z, -a.w}; }

WAVEJIT_VECTORS(signed char, char)
WAVEJIT_VECTORS(unsigned char, uchar)
WAVEJIT_VECTORS(short, short)
WAVEJIT_VECTORS(unsigned short, ushort)
WAVEJIT_VECTORS(int, int)
WAVEJIT_VECTORS(unsigned int, uint)
WAVEJIT_VECTORS(long, long)
WAVEJIT_VECTORS(unsigned long, ulong)
WAVEJIT_VECTORS(long long, longlong)
WAVEJIT_VECTORS(unsigned long long, ulonglong)
WAVEJIT_VECTORS(float, float)
WAVEJIT_VECTORS(double, double)
WAVEJIT_NEGATE(int)
WAVEJIT_NEGATE(long)
WAVEJIT_NEGATE(longlong)
WAVEJIT_NEGATE(float)
WAVEJIT_NEGATE(double)

#undef WAVEJIT_ALIGN2
#undef WAVEJIT_ALIGN4
#undef WAVEJIT_VECTORS
#undef WAVEJIT_OPERATOR
#undef WAVEJIT_OPERATOR_OF
#undef WAVEJIT_SCALED_BY
#undef WAVEJIT_COMPARE
#undef WAVEJIT_COMPARE_OF
#undef WAVEJIT_NEGATE

// Grid and workgroup sizes.
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
