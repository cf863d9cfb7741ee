// Workgroups that wait for each other twice, in the two ways of device libraries: by the record that hidden word 11 points to, where it has a counter
// of arrivals and epochs at byte 32 and the number of workgroups at 40; and by global wave sync, resource 0. Numbers: LLVM AMDGPUUsage.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
typedef unsigned long Word;

__device__ static inline unsigned char *record() {
  return *(unsigned char **)((const __attribute__((address_space(4))) Word *)__builtin_amdgcn_implicitarg_ptr() + 11);
}

// Each work-item stores, waits, and adds what the last workgroup's have stored; twice.
template <typename Wait> __device__ static inline void rounds(unsigned *data, unsigned groups, Wait wait) {
  unsigned item = __builtin_amdgcn_workgroup_id_x() * 32 + __builtin_amdgcn_workitem_id_x(), last = (groups - 1) * 32;
  for (unsigned round = 1; round <= 2; round++) {
    data[item] += round;
    wait();
    unsigned sum = data[item] + data[last + __builtin_amdgcn_workitem_id_x()];
    wait();
    data[item] = sum;
  }
}

extern "C" {
__global__ void by_record(unsigned *data) {
  unsigned char *r = record();
  unsigned *counter = (unsigned *)(r + 32), groups = *(unsigned *)(r + 40);
  rounds(data, groups, [=] {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
    __builtin_amdgcn_s_barrier();
    if (__builtin_amdgcn_workitem_id_x() == 0) {
      unsigned seen = __hip_atomic_fetch_add(counter, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
      if ((seen & 0xffff) == groups - 1)
        __hip_atomic_fetch_add(counter, 0x10000 - groups, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
      else
        while (((__hip_atomic_load(counter, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) ^ seen) & ~0xffffu) == 0)
          __builtin_amdgcn_s_sleep(1);
    }
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
  });
}

__global__ void by_gws(unsigned *data, unsigned groups) {
  rounds(data, groups, [=] {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
    __builtin_amdgcn_ds_gws_barrier(groups - 1, 0);
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
  });
}

// What the record says: numbers of this grid and of grids, items before it and of all.
__global__ void record_says(Word *out) {
  unsigned char *r = record();
  out[0] = *(unsigned *)(r + 8);
  out[1] = *(unsigned *)(r + 12);
  out[2] = *(Word *)(r + 16);
  out[3] = *(Word *)(r + 24);
  out[4] = *(Word *)r;
}
}
