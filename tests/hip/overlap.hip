// Streams that overlap, events, calls of the host, symbols, managed memory, errors: a program as a user writes it. Ends with "ok", or says what is wrong.
#include <cstdio>
#include <hip/hip_runtime.h>
#include <vector>

#define CHECK(call)                                                                                                                          \
  do {                                                                                                                                       \
    hipError_t e = (call);                                                                                                                   \
    if (e != hipSuccess) {                                                                                                                   \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(e));                                                       \
      return 1;                                                                                                                              \
    }                                                                                                                                        \
  } while (0)
#define EXPECT(condition)                                                                                                                    \
  do {                                                                                                                                       \
    if (!(condition)) {                                                                                                                      \
      std::printf("%s:%d: expected %s\n", __FILE__, __LINE__, #condition);                                                                   \
      return 1;                                                                                                                              \
    }                                                                                                                                        \
  } while (0)

__constant__ float factors[4];
__device__ unsigned launches;
__managed__ int total = 5;

__global__ void scale(float *data, int n, int which) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0)
    atomicAdd(&launches, 1u);
  if (i < n)
    data[i] *= factors[which];
}

__global__ void sum(const float *data, int n) {
  __shared__ int part;
  if (threadIdx.x == 0)
    part = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    atomicAdd(&part, (int)data[i]);
  __syncthreads();
  if (threadIdx.x == 0)
    total += part;
}

// Ends when the host, or another stream, says so.
__global__ void wait_for(volatile int *flag) {
  while (!*flag)
    __builtin_amdgcn_s_sleep(1);
}
__global__ void raise(int *flag) { atomicExch(flag, 1); }

static void note(void *p) { ++*(int *)p; }

int main() {
  const int n = 1 << 16;
  float values[4] = {1, 2, 3, 4};
  CHECK(hipMemcpyToSymbol(HIP_SYMBOL(factors), values, sizeof values));
  std::vector<hipStream_t> streams(4);
  std::vector<float *> parts(4);
  std::vector<float> ones(n, 1.0f);
  int calls = 0;
  for (int s = 0; s < 4; s++) {
    CHECK(hipStreamCreateWithFlags(&streams[s], hipStreamNonBlocking));
    CHECK(hipMalloc(&parts[s], n * sizeof(float)));
    CHECK(hipMemcpyAsync(parts[s], ones.data(), n * sizeof(float), hipMemcpyHostToDevice, streams[s]));
  }
  // One stream waits in a kernel for what another one writes.
  int *flag;
  CHECK(hipMalloc(&flag, sizeof(int)));
  CHECK(hipMemset(flag, 0, sizeof(int)));
  wait_for<<<1, 32, 0, streams[0]>>>(flag);
  for (int s = 0; s < 4; s++)
    scale<<<(n + 255) / 256, 256, 0, streams[s]>>>(parts[s], n, s);
  raise<<<1, 1, 0, streams[3]>>>(flag);
  hipEvent_t begin, end;
  CHECK(hipEventCreate(&begin));
  CHECK(hipEventCreate(&end));
  CHECK(hipEventRecord(begin, streams[1]));
  for (int s = 0; s < 3; s++) {
    hipEvent_t done;
    CHECK(hipEventCreateWithFlags(&done, hipEventDisableTiming));
    CHECK(hipEventRecord(done, streams[s]));
    CHECK(hipStreamWaitEvent(streams[3], done));
    CHECK(hipEventDestroy(done));
  }
  for (int s = 0; s < 4; s++)
    sum<<<1, 256, 0, streams[3]>>>(parts[s], n);
  CHECK(hipLaunchHostFunc(streams[3], note, &calls));
  CHECK(hipEventRecord(end, streams[3]));
  CHECK(hipEventSynchronize(end));
  float ms = -1;
  CHECK(hipEventElapsedTime(&ms, begin, end));
  EXPECT(ms > 0 && calls == 1);
  EXPECT(total == 5 + n * (1 + 2 + 3 + 4));
  unsigned count;
  CHECK(hipMemcpyFromSymbol(&count, HIP_SYMBOL(launches), sizeof count));
  EXPECT(count == 4);

  // Rows of pitched memory.
  float *rows;
  size_t pitch;
  CHECK(hipMallocPitch(&rows, &pitch, 30 * sizeof(float), 5));
  CHECK(hipMemcpy2D(rows, pitch, ones.data(), 30 * sizeof(float), 30 * sizeof(float), 5, hipMemcpyHostToDevice));
  scale<<<1, 256>>>(rows, 30, 2);
  std::vector<float> back(150);
  CHECK(hipMemcpy2D(back.data(), 30 * sizeof(float), rows, pitch, 30 * sizeof(float), 5, hipMemcpyDeviceToHost));
  EXPECT(back[0] == 3 && back[29] == 3 && back[30] == 1 && back[149] == 1);

  // Errors: of a launch, and of a kernel.
  scale<<<1, 2048>>>(rows, 30, 0);
  EXPECT(hipGetLastError() == hipErrorInvalidConfiguration && hipGetLastError() == hipSuccess);
  scale<<<1, 32>>>((float *)0x123456780000, 32, 0);
  EXPECT(hipDeviceSynchronize() == hipErrorIllegalAddress);
  EXPECT(hipMalloc(&rows, ~0ull >> 8) == hipErrorOutOfMemory);
  std::printf("ok\n");
  return 0;
}
