// hip/hip_cooperative_groups.h of wavejit: groups of work-items that wait for each other, in the namespace of HIP's header. Grids, and grids of several devices,
// meet by the device library, and need hipLaunchCooperativeKernel, and hipLaunchCooperativeKernelMultiDevice. Tiles and coalesced groups are lanes of one wave,
// which execute together: to wait for each other they only order their accesses to memory.
#pragma once

#include "hip_runtime.h"

#define WAVEJIT_GROUPS extern "C" __device__ __attribute__((convergent))
WAVEJIT_GROUPS void __ockl_grid_sync();
WAVEJIT_GROUPS int __ockl_grid_is_valid();
WAVEJIT_GROUPS void __ockl_multi_grid_sync();
WAVEJIT_GROUPS int __ockl_multi_grid_is_valid();
WAVEJIT_GROUPS unsigned __ockl_multi_grid_num_grids();
WAVEJIT_GROUPS unsigned __ockl_multi_grid_grid_rank();
WAVEJIT_GROUPS unsigned __ockl_multi_grid_size();
WAVEJIT_GROUPS unsigned __ockl_multi_grid_thread_rank();
#undef WAVEJIT_GROUPS

namespace cooperative_groups {

#define WAVEJIT_MEMBER __device__ __forceinline__ __attribute__((convergent))

// All work-items of a workgroup.
class thread_block {
public:
  WAVEJIT_MEMBER static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  WAVEJIT_MEMBER static unsigned num_threads() { return size(); }
  WAVEJIT_MEMBER static unsigned thread_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
  WAVEJIT_MEMBER static dim3 group_index() { return blockIdx; }
  WAVEJIT_MEMBER static dim3 thread_index() { return threadIdx; }
  WAVEJIT_MEMBER static dim3 group_dim() { return blockDim; }
  WAVEJIT_MEMBER static dim3 dim_threads() { return blockDim; }
  WAVEJIT_MEMBER static bool is_valid() { return true; }
  WAVEJIT_MEMBER static void sync() { __syncthreads(); }
};

// All work-items of a cooperative launch.
class grid_group {
public:
  WAVEJIT_MEMBER static unsigned long long size() {
    return (unsigned long long)thread_block::size() * gridDim.x * gridDim.y * gridDim.z;
  }
  WAVEJIT_MEMBER static unsigned long long num_threads() { return size(); }
  WAVEJIT_MEMBER static unsigned long long thread_rank() {
    unsigned long long group = ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    return group * thread_block::size() + thread_block::thread_rank();
  }
  WAVEJIT_MEMBER static dim3 group_dim() { return gridDim; }
  WAVEJIT_MEMBER static dim3 dim_blocks() { return gridDim; }
  WAVEJIT_MEMBER static dim3 block_index() { return blockIdx; }
  WAVEJIT_MEMBER static bool is_valid() { return __ockl_grid_is_valid() != 0; }
  WAVEJIT_MEMBER static void sync() { __ockl_grid_sync(); }
};

// All work-items of a cooperative launch on several devices.
class multi_grid_group {
public:
  WAVEJIT_MEMBER static unsigned num_grids() { return __ockl_multi_grid_num_grids(); }
  WAVEJIT_MEMBER static unsigned grid_rank() { return __ockl_multi_grid_grid_rank(); }
  WAVEJIT_MEMBER static unsigned size() { return __ockl_multi_grid_size(); }
  WAVEJIT_MEMBER static unsigned num_threads() { return size(); }
  WAVEJIT_MEMBER static unsigned thread_rank() { return __ockl_multi_grid_thread_rank(); }
  WAVEJIT_MEMBER static bool is_valid() { return __ockl_multi_grid_is_valid() != 0; }
  WAVEJIT_MEMBER static void sync() { __ockl_multi_grid_sync(); }
};

// `Size` neighbors of a wave, a power of two; `Parent` is what they are a part of.
template <unsigned Size, typename Parent = void> class thread_block_tile {
  static_assert(Size != 0 && (Size & (Size - 1)) == 0 && Size <= 64, "a tile is a power of two of lanes, of one wave");

public:
  thread_block_tile() = default;
  // Of no particular parent.
  template <typename Other> WAVEJIT_MEMBER thread_block_tile(const thread_block_tile<Size, Other> &) {}
  WAVEJIT_MEMBER static constexpr unsigned size() { return Size; }
  WAVEJIT_MEMBER static constexpr unsigned num_threads() { return Size; }
  WAVEJIT_MEMBER static unsigned thread_rank() { return thread_block::thread_rank() & (Size - 1); }
  WAVEJIT_MEMBER static unsigned meta_group_rank() { return thread_block::thread_rank() / Size; }
  WAVEJIT_MEMBER static unsigned meta_group_size() { return (thread_block::size() + Size - 1) / Size; }
  WAVEJIT_MEMBER static bool is_valid() { return true; }
  WAVEJIT_MEMBER static void sync() { __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront"); }
  template <typename T> WAVEJIT_MEMBER T shfl(T value, int rank) const { return __shfl(value, rank, Size); }
  template <typename T> WAVEJIT_MEMBER T shfl_up(T value, unsigned delta) const { return __shfl_up(value, delta, Size); }
  template <typename T> WAVEJIT_MEMBER T shfl_down(T value, unsigned delta) const { return __shfl_down(value, delta, Size); }
  template <typename T> WAVEJIT_MEMBER T shfl_xor(T value, unsigned mask) const { return __shfl_xor(value, (int)mask, Size); }
  // Bit 0 is rank 0.
  WAVEJIT_MEMBER unsigned long long ballot(int predicate) const {
    unsigned long long lanes = __ballot(predicate) >> (__lane_id() & ~(Size - 1));
    return Size == 64 ? lanes : lanes & ((1ull << (Size & 63)) - 1);
  }
  WAVEJIT_MEMBER int any(int predicate) const { return ballot(predicate) != 0; }
  WAVEJIT_MEMBER int all(int predicate) const { return ballot(!predicate) == 0; }
};

// The lanes of a wave that were active together.
class coalesced_group {
  unsigned long long lanes;

  // The lane of a rank.
  WAVEJIT_MEMBER int lane(unsigned rank) const {
    unsigned long long rest = lanes;
    for (unsigned i = 0; i < rank; i++)
      rest &= rest - 1;
    return rest ? __builtin_ctzll(rest) : (int)__lane_id();
  }

public:
  WAVEJIT_MEMBER explicit coalesced_group(unsigned long long mask) : lanes(mask) {}
  WAVEJIT_MEMBER unsigned size() const { return __builtin_popcountll(lanes); }
  WAVEJIT_MEMBER unsigned num_threads() const { return size(); }
  WAVEJIT_MEMBER unsigned thread_rank() const { return __builtin_popcountll(lanes & ((1ull << __lane_id()) - 1)); }
  WAVEJIT_MEMBER bool is_valid() const { return true; }
  WAVEJIT_MEMBER void sync() const { __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront"); }
  template <typename T> WAVEJIT_MEMBER T shfl(T value, unsigned rank) const { return __shfl(value, lane(rank % size())); }
  template <typename T> WAVEJIT_MEMBER T shfl_up(T value, unsigned delta) const {
    unsigned rank = thread_rank();
    return __shfl(value, lane(rank < delta ? rank : rank - delta));
  }
  template <typename T> WAVEJIT_MEMBER T shfl_down(T value, unsigned delta) const {
    unsigned rank = thread_rank();
    return __shfl(value, lane(rank + delta < size() ? rank + delta : rank));
  }
  // Bit 0 is rank 0.
  WAVEJIT_MEMBER unsigned long long ballot(int predicate) const {
    unsigned long long votes = __ballot(predicate), packed = 0, rest = lanes;
    for (unsigned rank = 0; rest; rank++, rest &= rest - 1)
      packed |= (votes >> __builtin_ctzll(rest) & 1) << rank;
    return packed;
  }
  WAVEJIT_MEMBER int any(int predicate) const { return (__ballot(predicate) & lanes) != 0; }
  WAVEJIT_MEMBER int all(int predicate) const { return (__ballot(!predicate) & lanes) == 0; }
};

WAVEJIT_MEMBER thread_block this_thread_block() { return {}; }
WAVEJIT_MEMBER grid_group this_grid() { return {}; }
WAVEJIT_MEMBER multi_grid_group this_multi_grid() { return {}; }
WAVEJIT_MEMBER coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
template <unsigned Size, typename Parent> WAVEJIT_MEMBER thread_block_tile<Size, Parent> tiled_partition(const Parent &) { return {}; }
template <typename Group> WAVEJIT_MEMBER void sync(const Group &group) { group.sync(); }

#undef WAVEJIT_MEMBER

} // namespace cooperative_groups
