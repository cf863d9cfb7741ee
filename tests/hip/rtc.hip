// Kernels compiled while the program runs: options, headers, templates by their names, errors.
#include <cstdio>
#include <cstring>
#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>
#include <string>
#include <vector>

static const char *source = R"(
#include "shape.h"
template <typename T, int N> __global__ void fold(const T *in, T *out) {
  __shared__ T part[N];
  int i = threadIdx.x;
  part[i] = in[blockIdx.x * N + i];
  __syncthreads();
  for (int half = N / 2; half > 0; half /= 2) {
    if (i < half)
      part[i] = combine(part[i], part[i + half]);
    __syncthreads();
  }
  if (i == 0)
    out[blockIdx.x] = part[0];
}
)";

int main() {
  const char *header = "template <typename T> __device__ T combine(T a, T b) { return OPERATION; }\n", *name = "shape.h";
  hiprtcProgram program;
  if (hiprtcCreateProgram(&program, source, "fold.hip", 1, &header, &name) != HIPRTC_SUCCESS)
    return 1;
  hiprtcAddNameExpression(program, "fold<int, 64>");
  hiprtcAddNameExpression(program, "fold<double, 64>");
  const char *options[] = {"--gpu-architecture=gfx1100", "-DOPERATION=a > b ? a : b", "-O3"};
  hiprtcResult result = hiprtcCompileProgram(program, 3, options);
  size_t bytes;
  hiprtcGetProgramLogSize(program, &bytes);
  std::string log(bytes, 0);
  hiprtcGetProgramLog(program, &log[0]);
  if (result != HIPRTC_SUCCESS) {
    std::printf("%s: %s\n", hiprtcGetErrorString(result), log.c_str());
    return 1;
  }
  hiprtcGetCodeSize(program, &bytes);
  std::vector<char> code(bytes);
  hiprtcGetCode(program, code.data());
  hipModule_t module;
  hipFunction_t ints, doubles;
  const char *lowered;
  hipModuleLoadData(&module, code.data());
  hiprtcGetLoweredName(program, "fold<int, 64>", &lowered);
  hipModuleGetFunction(&ints, module, lowered);
  hiprtcGetLoweredName(program, "fold<double, 64>", &lowered);
  if (hipModuleGetFunction(&doubles, module, lowered) != hipSuccess)
    return 1;
  const int n = 640;
  std::vector<int> host(n), out(10);
  for (int i = 0; i < n; i++)
    host[i] = i * 7919 % 1000;
  int *in, *result_of;
  hipMalloc(&in, n * 4);
  hipMalloc(&result_of, 40);
  hipMemcpy(in, host.data(), n * 4, hipMemcpyHostToDevice);
  void *args[] = {&in, &result_of};
  hipModuleLaunchKernel(ints, 10, 1, 1, 64, 1, 1, 0, nullptr, args, nullptr);
  if (hipMemcpy(out.data(), result_of, 40, hipMemcpyDeviceToHost) != hipSuccess)
    return 1;
  for (int g = 0; g < 10; g++) {
    int most = 0;
    for (int i = 0; i < 64; i++)
      most = host[g * 64 + i] > most ? host[g * 64 + i] : most;
    if (out[g] != most) {
      std::printf("group %d: %d instead of %d\n", g, out[g], most);
      return 1;
    }
  }
  hiprtcDestroyProgram(&program);
  std::printf("ok\n");
}
