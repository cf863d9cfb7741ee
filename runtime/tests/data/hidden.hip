// Kernels that use hidden arguments which no launch provides, and some that only could: one word of the implicit arguments each, by the numbers of
// LLVM AMDGPUUsage (64-bit words of version 5: 9 printf buffer, 10 hostcall buffer, 11 multigrid, 12 heap, 13 default queue, 14 completion action).
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
typedef unsigned long Word;

__device__ static inline const Word *word(int i) {
  return (const Word *)((const __attribute__((address_space(4))) Word *)__builtin_amdgcn_implicitarg_ptr())[i];
}

extern "C" {
__global__ void hostcall(Word *out) { out[0] = *word(10); }
__global__ void multigrid(Word *out) { out[0] = *word(11); }
__global__ void queue(Word *out) { out[0] = word(13)[2]; }
__global__ void completion(Word *out) { out[0] = *word(14); }

// Behind a call, and a branch that depends on data.
__attribute__((noinline)) __device__ Word from_heap(int i) { return word(12)[i]; }
__global__ void heap(Word *out, int n) {
  for (int i = 0; i < n; i++)
    if (out[i] > 5)
      out[i] += from_heap(i);
}

// Asks for them, and uses none.
__global__ void asks(Word *out) { out[0] = (word(11) != 0) + 2 * (word(10) != 0); }

// Has implicit arguments, and nothing of the kind.
__global__ void sizes(unsigned *out) { out[0] = __builtin_amdgcn_workgroup_size_x(); }

// Could use anything, as far as the compiler knows.
__global__ void unknown(void (*f)(Word *), Word *out) {
  if (out[0] == 1)
    f(out);
  out[1] = __builtin_amdgcn_workgroup_size_x();
}
}
