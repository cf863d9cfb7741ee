// What a kernel asks of the host: printf between what the program prints, malloc and free, new and delete, an assertion that fails. Ends with "ok", or
// says what is wrong. Output goes through a file, which the program reads back.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <hip/hip_runtime.h>
#include <string>
#include <unistd.h>

__global__ void say(const double *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    printf("item %d of %s has %.3g and %s%c\n", i, "the list", x[i], i % 2 ? "is odd" : "is even", i + 1 == n ? '.' : ',');
}

__global__ void pieces(long *sum) {
  int i = threadIdx.x;
  int *list = (int *)malloc(sizeof(int) * (i + 1));
  long *one = new long[2];
  for (int k = 0; k <= i; k++)
    list[k] = k;
  one[1] = 0;
  for (int k = 0; k <= i; k++)
    one[1] += list[k];
  sum[i] = one[1];
  free(list);
  delete[] one;
}

__global__ void check(const double *x, double limit) { assert(x[threadIdx.x] < limit); }

#define CHECK(call, wanted)                                                                                                                  \
  do {                                                                                                                                       \
    hipError_t e = (call);                                                                                                                   \
    if (e != wanted) {                                                                                                                       \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(e));                                              \
      return 1;                                                                                                                              \
    }                                                                                                                                        \
  } while (0)

int main() {
  const int n = 6;
  double x[n];
  for (int i = 0; i < n; i++)
    x[i] = i / 3.0;
  double *device;
  CHECK(hipMalloc(&device, sizeof x), hipSuccess);
  CHECK(hipMemcpy(device, x, sizeof x, hipMemcpyHostToDevice), hipSuccess);

  char name[] = "/tmp/host_calls.XXXXXX";
  int file = mkstemp(name), kept = dup(1);
  dup2(file, 1);
  std::printf("before\n");
  say<<<1, 32>>>(device, n);
  CHECK(hipDeviceSynchronize(), hipSuccess);
  std::printf("after\n");
  std::fflush(stdout);
  dup2(kept, 1);
  std::string want = "before\n", found(4096, 0);
  for (int i = 0; i < n; i++) {
    char line[100];
    std::snprintf(line, sizeof line, "item %d of the list has %.3g and is %s%c\n", i, x[i], i % 2 ? "odd" : "even", i + 1 == n ? '.' : ',');
    want += line;
  }
  want += "after\n";
  found.resize(pread(file, &found[0], found.size(), 0));
  unlink(name);
  if (found != want) {
    std::printf("printed:\n%sinstead of:\n%s", found.c_str(), want.c_str());
    return 1;
  }

  long *sums, sum[64];
  CHECK(hipMalloc(&sums, sizeof sum), hipSuccess);
  pieces<<<1, 64>>>(sums);
  CHECK(hipMemcpy(sum, sums, sizeof sum, hipMemcpyDeviceToHost), hipSuccess);
  for (int i = 0; i < 64; i++)
    if (sum[i] != i * (i + 1) / 2) {
      std::printf("sum %d is %ld\n", i, sum[i]);
      return 1;
    }

  check<<<1, n>>>(device, 2.0);
  CHECK(hipDeviceSynchronize(), hipSuccess);
  check<<<1, n>>>(device, 1.5);
  if (hipDeviceSynchronize() == hipSuccess) {
    std::printf("an assertion that fails is no error\n");
    return 1;
  }
  std::printf("ok\n");
}
