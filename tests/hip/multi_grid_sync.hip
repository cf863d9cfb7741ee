// Grids of several devices that wait for each other: one launch on three devices, whose workgroups meet twice a round. Ends with "ok", or says what is
// wrong.
#include <cstdio>
#include <cstdlib>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>
#include <vector>

// Work-items of all grids add 1 to one counter in each round, and see all of it when they have met.
__global__ void rounds(int *counter, int items, int *wrong, int *places) {
  cooperative_groups::multi_grid_group all = cooperative_groups::this_multi_grid();
  if (threadIdx.x == 0 && blockIdx.x == 0)
    places[all.grid_rank()] = all.num_grids() == 3 && all.is_valid() && (int)all.size() == items ? (int)all.thread_rank() : -1;
  for (int round = 1; round <= 3; round++) {
    __hip_atomic_fetch_add(counter, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
    all.sync();
    if (__hip_atomic_load(counter, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM) != round * items)
      __hip_atomic_fetch_add(wrong, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
    all.sync();
  }
}

int main() {
  setenv("WAVEJIT_DEVICES", "gfx1100,gfx1100,gfx1100", 1);
  const int devices = 3, groups[devices] = {5, 1, 8}, size = 96;
  int items = (5 + 1 + 8) * size;
  int *counter, *wrong, *places;
  if (hipMallocManaged(&counter, sizeof(int)) || hipMallocManaged(&wrong, sizeof(int)) || hipMallocManaged(&places, devices * sizeof(int)))
    return printf("no memory\n");
  *counter = *wrong = 0;
  void *args[] = {&counter, &items, &wrong, &places};
  hipLaunchParams launches[devices];
  for (int d = 0; d < devices; d++) {
    hipStream_t stream;
    if (hipSetDevice(d) || hipStreamCreate(&stream))
      return printf("no stream on device %d\n", d);
    launches[d] = {(void *)rounds, dim3(groups[d]), dim3(size), args, 0, stream};
  }
  if (hipError_t e = hipLaunchCooperativeKernelMultiDevice(launches, devices, 0))
    return printf("launch: %s\n", hipGetErrorString(e));
  for (int d = 0; d < devices; d++)
    if (hipError_t e = hipStreamSynchronize(launches[d].stream))
      return printf("kernel on device %d: %s\n", d, hipGetErrorString(e));
  if (*counter != 3 * items || *wrong)
    return printf("%d of %d, %d wrong\n", *counter, 3 * items, *wrong);
  for (int d = 0, before = 0; d < devices; before += groups[d++] * size)
    if (places[d] != before)
      return printf("grid %d begins at %d\n", d, places[d]);
  printf("ok\n");
}
