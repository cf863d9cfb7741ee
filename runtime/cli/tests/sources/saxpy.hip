// A whole HIP program, as textbooks have it: only its kernels are compiled.
#include <cstdio>
#include <hip/hip_runtime.h>
#include <vector>

// y = a * x + y, and for each wave the sum of its x.
__global__ __launch_bounds__(128) void saxpy(float *y, const float *x, float a, int n, float *sums) {
  __shared__ float tile[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  float mine = tile[blockDim.x - 1 - threadIdx.x], sum = mine;
  for (int d = warpSize / 2; d > 0; d /= 2)
    sum += __shfl_down(sum, d);
  if (i % warpSize == 0)
    sums[i / warpSize] = sum;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

int main() {
  std::vector<float> x(1000, 1.0f);
  float *dx = nullptr, *dy = nullptr, *sums = nullptr;
  if (hipMalloc(&dx, 4000) != hipSuccess || hipMalloc(&dy, 4000) != hipSuccess || hipMalloc(&sums, 4000) != hipSuccess)
    return 1;
  hipMemcpy(dx, x.data(), 4000, hipMemcpyHostToDevice);
  saxpy<<<dim3(8), dim3(128)>>>(dy, dx, 2.0f, 1000, sums);
  hipLaunchKernelGGL(saxpy, dim3(8), dim3(128), 0, 0, dy, dx, 2.0f, 1000, sums);
  hipError_t e = hipDeviceSynchronize();
  std::printf("%s\n", hipGetErrorString(e));
  return hipFree(dx) != hipSuccess;
}
