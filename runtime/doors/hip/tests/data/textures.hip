// Texture and surface objects as HIP's headers use them: the object is a pointer to an image descriptor and, 12 dwords on, a sampler descriptor.
// textures.gfx1100.hsaco is this file, compiled as shaders/build.sh compiles host_calls.hip.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
typedef float float4 __attribute__((ext_vector_type(4)));
typedef float float2 __attribute__((ext_vector_type(2)));
typedef int int2 __attribute__((ext_vector_type(2)));
typedef const __attribute__((address_space(4))) unsigned *Words;

extern "C" __device__ float4 __ockl_image_load_1Db(Words, int);
extern "C" __device__ float4 __ockl_image_sample_2D(Words, Words, float2);
extern "C" __device__ float4 __ockl_image_load_2D(Words, int2);
extern "C" __device__ void __ockl_image_store_2D(Words, int2, float4);
extern "C" __device__ int __ockl_image_channel_data_type_2D(Words);
extern "C" __device__ int __ockl_image_channel_order_2D(Words);

__device__ static int index() { return (int)(__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x()); }

// Linear memory, an element a work-item.
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 64))) void fetch(unsigned long texture, float4 *out, int n) {
  int i = index();
  if (i < n)
    out[i] = __ockl_image_load_1Db((Words)texture, i);
}

// A flat image at points.
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 64))) void sample(unsigned long texture, float4 *out, const float2 *at, int n) {
  int i = index();
  if (i < n)
    out[i] = __ockl_image_sample_2D((Words)texture, (Words)texture + 12, at[i]);
}

// Adds channel type and order to the bits of each texel, and writes it to the same place of another surface.
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 64))) void change(unsigned long from, unsigned long to, int width, int height) {
  int i = index();
  int2 at = {i % width, i / width};
  if (at.y < height) {
    float4 texel = __ockl_image_load_2D((Words)from, at);
    int extra = __ockl_image_channel_data_type_2D((Words)from) * 100 + __ockl_image_channel_order_2D((Words)from);
    texel.x = __builtin_bit_cast(float, __builtin_bit_cast(int, texel.x) + extra);
    __ockl_image_store_2D((Words)to, at, texel);
  }
}
