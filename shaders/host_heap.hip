// malloc and free by all lanes at once, of pieces of many sizes: the device library's heap.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

extern "C" __device__ __attribute__((address_space(1))) void *__ockl_dm_alloc(unsigned long bytes);
extern "C" __device__ void __ockl_dm_dealloc(unsigned long address);

struct Node {
  Node *next;
  int value;
};

// Each work-item makes a list of `n` nodes of differing sizes, adds them up, and gives back every other one.
extern "C" __global__ void host_heap(long *sum, Node **kept, int n) {
  unsigned i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x();
  Node *list = nullptr;
  for (int k = 0; k < n; k++) {
    Node *node = (Node *)__ockl_dm_alloc(sizeof(Node) + (i * 7 + k * 13) % 200);
    if (!node) {
      sum[i] = -1;
      return;
    }
    node->next = list;
    node->value = (int)(i + 1) * (k + 1);
    list = node;
  }
  long total = 0;
  Node *rest = nullptr;
  while (list) {
    Node *next = list->next;
    total += list->value;
    if (list->value / (int)(i + 1) & 1) {
      list->next = rest;
      rest = list;
    } else {
      __ockl_dm_dealloc((unsigned long)list);
    }
    list = next;
  }
  sum[i] = total;
  kept[i] = rest;
}
