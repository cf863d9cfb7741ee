// Several devices (WAVEJIT_DEVICES says which): each has its own variables and memory, copies between them, streams and events across them, one launch
// on all.
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>
#include <vector>

#define CHECK(call)                                                                                                                          \
  do {                                                                                                                                       \
    hipError_t status = (call);                                                                                                              \
    if (status != hipSuccess) {                                                                                                              \
      std::printf("line %d: %s\n", __LINE__, hipGetErrorString(status));                                                                     \
      std::exit(1);                                                                                                                          \
    }                                                                                                                                        \
  } while (0)
#define EXPECT(condition)                                                                                                                    \
  do {                                                                                                                                       \
    if (!(condition)) {                                                                                                                      \
      std::printf("line %d: %s\n", __LINE__, #condition);                                                                                    \
      std::exit(1);                                                                                                                          \
    }                                                                                                                                        \
  } while (0)

__device__ int number;
__global__ void set(int value) { number = value; }
__global__ void scale(float *x, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)
    x[i] *= (float)number;
}

int main() {
  setenv("WAVEJIT_DEVICES", "gfx1100,gfx1100,gfx1100", 1);
  int devices;
  CHECK(hipGetDeviceCount(&devices));
  EXPECT(devices == 3);
  const int n = 5000;
  std::vector<float> host(n);
  for (int i = 0; i < n; i++)
    host[i] = (float)i;
  std::vector<float *> memory(devices);
  std::vector<hipStream_t> streams(devices);
  std::vector<hipEvent_t> done(devices);
  for (int d = 0; d < devices; d++) {
    CHECK(hipSetDevice(d));
    CHECK(hipMalloc(&memory[d], n * 4));
    CHECK(hipStreamCreate(&streams[d]));
    CHECK(hipEventCreate(&done[d]));
    set<<<1, 1, 0, streams[d]>>>(d + 2);
    hipPointerAttribute_t attributes;
    CHECK(hipPointerGetAttributes(&attributes, memory[d]));
    EXPECT(attributes.device == d);
  }
  // From device to device, multiplied on each.
  CHECK(hipMemcpyAsync(memory[0], host.data(), n * 4, hipMemcpyHostToDevice, streams[0]));
  for (int d = 0; d < devices; d++) {
    CHECK(hipSetDevice(d));
    if (d > 0) {
      CHECK(hipStreamWaitEvent(streams[d], done[d - 1]));
      CHECK(hipMemcpyPeerAsync(memory[d], d, memory[d - 1], d - 1, n * 4, streams[d]));
    }
    scale<<<(n + 63) / 64, 64, 0, streams[d]>>>(memory[d], n);
    CHECK(hipEventRecord(done[d], streams[d]));
  }
  std::vector<float> found(n);
  CHECK(hipStreamSynchronize(streams[devices - 1]));
  CHECK(hipMemcpy(found.data(), memory[devices - 1], n * 4, hipMemcpyDeviceToHost));
  for (int i = 0; i < n; i++)
    EXPECT(found[i] == (float)i * 2 * 3 * 4);
  int there;
  CHECK(hipSetDevice(1));
  CHECK(hipMemcpyFromSymbol(&there, number, 4));
  EXPECT(there == 3);
  // One call that launches on all.
  std::vector<hipLaunchParams> launches(devices);
  std::vector<std::vector<void *>> args(devices);
  int count = n;
  for (int d = 0; d < devices; d++) {
    args[d] = {&memory[d], &count};
    launches[d] = {(void *)scale, dim3((n + 1023) / 1024), dim3(1024), args[d].data(), 0, streams[d]};
  }
  CHECK(hipLaunchCooperativeKernelMultiDevice(launches.data(), devices, 0));
  for (int d = 0; d < devices; d++) {
    CHECK(hipSetDevice(d));
    CHECK(hipDeviceSynchronize());
    CHECK(hipMemcpy(found.data(), memory[d], n * 4, hipMemcpyDeviceToHost));
    const float before[] = {2, 6, 24};
    for (int i = 0; i < n; i++)
      EXPECT(found[i] == (float)i * before[d] * (float)(d + 2));
    CHECK(hipFree(memory[d]));
    CHECK(hipStreamDestroy(streams[d]));
  }
  std::printf("ok\n");
}
