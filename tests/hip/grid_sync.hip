// Cooperative groups: a grid whose workgroups wait for each other, twice. Ends with "ok", or says what is wrong.
#include <cstdio>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>
#include <vector>

// Each work-item adds the number of the round, waits for all, and takes over what the last workgroup has.
__global__ void rounds(int *data, int n, int *valid) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item == 0)
    *valid = grid.is_valid();
  for (int round = 1; round <= 3; round++) {
    data[item] += round + blockIdx.x;
    grid.sync();
    int last = data[n - blockDim.x + threadIdx.x];
    grid.sync();
    data[item] = last;
  }
}

int main() {
  const int groups = 24, size = 128, n = groups * size;
  int *data, *valid;
  if (hipMallocManaged(&data, n * sizeof(int)) || hipMallocManaged(&valid, sizeof(int)) || hipMemset(data, 0, n * sizeof(int)))
    return printf("no memory\n");
  int count = n;
  void *args[] = {&data, &count, &valid};
  if (hipError_t e = hipLaunchCooperativeKernel((void *)rounds, dim3(groups), dim3(size), args, 0, nullptr))
    return printf("launch: %s\n", hipGetErrorString(e));
  if (hipError_t e = hipDeviceSynchronize())
    return printf("kernel: %s\n", hipGetErrorString(e));
  // The last workgroup adds round + 23 each time.
  for (int i = 0; i < n; i++)
    if (data[i] != 1 + 2 + 3 + 3 * (groups - 1))
      return printf("item %d: %d\n", i, data[i]);
  printf("ok\n");
}
