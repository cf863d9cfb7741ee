// HIP C++ without the HIP headers: templates, a lambda, a class with a destructor, __syncthreads as its two builtins. Mangled and plain names.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

__device__ static unsigned index() {
  return __builtin_amdgcn_workgroup_id_x() * 128u + __builtin_amdgcn_workitem_id_x();
}
template <typename T> struct Span {
  T *data;
  int size;
  __device__ T &operator[](int i) const { return data[i < size ? i : size - 1]; }
};
template <typename T, typename F> __device__ static void each(Span<T> s, F f) {
  unsigned i = index();
  if (i < (unsigned)s.size)
    f(i);
}
template <typename T> __global__ void axpy(T *y, const T *x, T a, int n) {
  each(Span<T>{y, n}, [=](unsigned i) { y[i] = __builtin_elementwise_fma(a, x[i], y[i]); });
}
template __global__ void axpy<float>(float *, const float *, float, int);
template __global__ void axpy<double>(double *, const double *, double, int);

extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(128, 128))) void hip_saxpy(float *y, const float *x, float a, int n) {
  __shared__ float tile[128];
  unsigned i = index(), l = __builtin_amdgcn_workitem_id_x();
  tile[l] = i < (unsigned)n ? x[i] : 0.0f;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  if (i < (unsigned)n)
    y[i] = __builtin_fmaf(a, tile[l], y[i] + tile[127 - l]);
}
