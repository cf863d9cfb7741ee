// What kernels ask the host for: printf with all conversions, an assertion that fails, memory.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

extern "C" __device__ int printf(const char *format, ...);
extern "C" __device__ unsigned long __ockl_fprintf_stderr_begin();
extern "C" __device__ unsigned long __ockl_fprintf_append_args(unsigned long, unsigned, unsigned long, unsigned long, unsigned long, unsigned long,
                                                               unsigned long, unsigned long, unsigned long, unsigned);
extern "C" __device__ unsigned long __ockl_fprintf_append_string_n(unsigned long, const char *, unsigned long, unsigned);
extern "C" __device__ __attribute__((address_space(1))) void *__ockl_dm_alloc(unsigned long bytes);
extern "C" __device__ void __ockl_dm_dealloc(unsigned long address);

__device__ static unsigned index() {
  return __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x();
}

// One line a work-item; out[i] is what printf returned.
extern "C" __global__ void say(int *out, const char *name, int n) {
  int i = (int)index();
  if (i < n)
    out[i] = printf("%s %d: %5.2f %x|%-4c|%lld %s %p %%\n", name, i, i * 1.25, i + 250, 'a' + i, -1ll - i, i & 1 ? "odd" : "even", (void *)(0x1000ul * i));
}

// Fails in the lanes whose value is not below the limit.
extern "C" __global__ void check(const int *value, int limit) {
  int i = (int)index();
  if (value[i] >= limit) {
    const char text[] = "check: Assertion `value[i] < limit' failed.\n";
    unsigned long message = __ockl_fprintf_stderr_begin();
    __ockl_fprintf_append_string_n(message, text, sizeof text, 1);
    __builtin_trap();
  }
}

// More than a slab has: from the host each time.
extern "C" __global__ void large(unsigned long *out, unsigned long bytes) {
  unsigned i = index();
  int *p = (int *)__ockl_dm_alloc(bytes);
  p[0] = (int)i;
  p[bytes / 4 - 1] = (int)i * 3;
  out[i] = (unsigned long)(p[0] + p[bytes / 4 - 1]);
  __ockl_dm_dealloc((unsigned long)p);
}
