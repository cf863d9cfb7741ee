// Graphs: captured from streams that fork and join, made node by node, with graphs in nodes; launched, changed, cloned; managed memory between launches.
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

__managed__ int total = 5;
__global__ void add(int *x, int value, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)
    x[i] += value;
}
__global__ void sum(const int *a, const int *b, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)
    atomicAdd(&total, a[i] * b[i]);
}

static const int n = 1000;
static void count(void *calls) { ++*(int *)calls; }

// Two branches that meet again.
static void captured() {
  int *a, *b;
  CHECK(hipMalloc(&a, n * 4));
  CHECK(hipMalloc(&b, n * 4));
  hipStream_t first, second;
  CHECK(hipStreamCreate(&first));
  CHECK(hipStreamCreate(&second));
  hipEvent_t fork, join;
  CHECK(hipEventCreate(&fork));
  CHECK(hipEventCreate(&join));
  int calls = 0;
  CHECK(hipStreamBeginCapture(first, hipStreamCaptureModeGlobal));
  CHECK(hipMemsetAsync(a, 0, n * 4, first));
  CHECK(hipEventRecord(fork, first));
  CHECK(hipStreamWaitEvent(second, fork));
  CHECK(hipMemsetAsync(b, 0, n * 4, second));
  add<<<16, 64, 0, second>>>(b, 3, n);
  add<<<16, 64, 0, first>>>(a, 2, n);
  CHECK(hipEventRecord(join, second));
  CHECK(hipStreamWaitEvent(first, join));
  sum<<<16, 64, 0, first>>>(a, b, n);
  CHECK(hipLaunchHostFunc(first, count, &calls));
  hipGraph_t graph;
  CHECK(hipStreamEndCapture(first, &graph));
  EXPECT(total == 5);
  size_t nodes = 0;
  CHECK(hipGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 6);
  hipGraphExec_t run;
  CHECK(hipGraphInstantiate(&run, graph, nullptr, nullptr, 0));
  for (int launch = 1; launch <= 20; launch++) {
    CHECK(hipGraphLaunch(run, launch % 2 ? first : second));
    CHECK(hipDeviceSynchronize());
    EXPECT(total == 5 + launch * 6 * n && calls == launch);
  }
  CHECK(hipGraphExecDestroy(run));
  CHECK(hipGraphDestroy(graph));
  CHECK(hipFree(a));
  CHECK(hipFree(b));
}

// A graph of its own nodes, in a node of another.
static void made() {
  int *x, host[n];
  CHECK(hipMalloc(&x, n * 4));
  hipGraph_t inner, outer, clone;
  CHECK(hipGraphCreate(&inner, 0));
  CHECK(hipGraphCreate(&outer, 0));
  hipMemsetParams fill = {x, 4, 1, 0, 7, (size_t)n};
  int value = 10, count_of = n;
  void *args[] = {&x, &value, &count_of};
  hipKernelNodeParams kernel = {dim3(64), nullptr, (void *)add, dim3(16), args, 0};
  hipGraphNode_t filled, added, child, copied;
  CHECK(hipGraphAddMemsetNode(&filled, inner, nullptr, 0, &fill));
  CHECK(hipGraphAddKernelNode(&added, inner, &filled, 1, &kernel));
  CHECK(hipGraphAddChildGraphNode(&child, outer, nullptr, 0, inner));
  CHECK(hipGraphAddMemcpyNode1D(&copied, outer, &child, 1, host, x, n * 4, hipMemcpyDeviceToHost));
  CHECK(hipGraphClone(&clone, outer));
  hipGraphExec_t run;
  CHECK(hipGraphInstantiate(&run, outer, nullptr, nullptr, 0));
  CHECK(hipGraphLaunch(run, nullptr));
  CHECK(hipDeviceSynchronize());
  EXPECT(host[0] == 17 && host[n - 1] == 17);
  // Arguments are taken when a node is made, and when it is changed.
  value = 100;
  hipGraph_t changed;
  CHECK(hipGraphChildGraphNodeGetGraph(child, &changed));
  CHECK(hipGraphKernelNodeSetParams(added, &kernel));
  CHECK(hipGraphExecChildGraphNodeSetParams(run, child, inner));
  CHECK(hipGraphLaunch(run, nullptr));
  CHECK(hipDeviceSynchronize());
  EXPECT(host[0] == 107);
  hipKernelNodeParams back;
  CHECK(hipGraphKernelNodeGetParams(added, &back));
  EXPECT(back.func == (void *)add && back.gridDim.x == 16 && *(int *)back.kernelParams[1] == 100);
  // The clone is as it was.
  hipGraphExec_t other;
  CHECK(hipGraphInstantiate(&other, clone, nullptr, nullptr, 0));
  CHECK(hipGraphLaunch(other, nullptr));
  CHECK(hipDeviceSynchronize());
  EXPECT(host[0] == 17);
  for (auto exec : {run, other})
    CHECK(hipGraphExecDestroy(exec));
  for (auto graph : {inner, outer, clone})
    CHECK(hipGraphDestroy(graph));
  CHECK(hipFree(x));
}

int main() {
  captured();
  made();
  std::printf("ok\n");
}
