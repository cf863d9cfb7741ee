// What device code does with textures and surfaces. An object is a pointer to an image descriptor and, 12 dwords on, a sampler descriptor, which the
// functions of the device library take. What they give is four dwords: floats, or integers of any size as 32 bits.
#pragma once

#include "hip_texture_types.h"

typedef float wavejit_texel __attribute__((ext_vector_type(4)));
typedef float wavejit_float2 __attribute__((ext_vector_type(2)));
typedef float wavejit_float4 __attribute__((ext_vector_type(4)));
typedef int wavejit_int2 __attribute__((ext_vector_type(2)));
typedef int wavejit_int4 __attribute__((ext_vector_type(4)));
#define WAVEJIT_DESC __attribute__((address_space(4))) unsigned *

extern "C" {
__device__ wavejit_texel __ockl_image_load_1Db(const WAVEJIT_DESC, int);
__device__ wavejit_texel __ockl_image_load_1D(const WAVEJIT_DESC, int);
__device__ wavejit_texel __ockl_image_load_2D(const WAVEJIT_DESC, wavejit_int2);
__device__ wavejit_texel __ockl_image_load_3D(const WAVEJIT_DESC, wavejit_int4);
__device__ wavejit_texel __ockl_image_load_2Da(const WAVEJIT_DESC, wavejit_int4);
__device__ void __ockl_image_store_1D(const WAVEJIT_DESC, int, wavejit_texel);
__device__ void __ockl_image_store_2D(const WAVEJIT_DESC, wavejit_int2, wavejit_texel);
__device__ void __ockl_image_store_3D(const WAVEJIT_DESC, wavejit_int4, wavejit_texel);
__device__ void __ockl_image_store_2Da(const WAVEJIT_DESC, wavejit_int4, wavejit_texel);
__device__ wavejit_texel __ockl_image_sample_1D(const WAVEJIT_DESC, const WAVEJIT_DESC, float);
__device__ wavejit_texel __ockl_image_sample_2D(const WAVEJIT_DESC, const WAVEJIT_DESC, wavejit_float2);
__device__ wavejit_texel __ockl_image_sample_3D(const WAVEJIT_DESC, const WAVEJIT_DESC, wavejit_float4);
__device__ wavejit_texel __ockl_image_sample_1Da(const WAVEJIT_DESC, const WAVEJIT_DESC, wavejit_float2);
__device__ wavejit_texel __ockl_image_sample_2Da(const WAVEJIT_DESC, const WAVEJIT_DESC, wavejit_float4);
__device__ wavejit_texel __ockl_image_sample_CM(const WAVEJIT_DESC, const WAVEJIT_DESC, wavejit_float4);
__device__ wavejit_texel __ockl_image_sample_lod_1D(const WAVEJIT_DESC, const WAVEJIT_DESC, float, float);
__device__ wavejit_texel __ockl_image_sample_lod_2D(const WAVEJIT_DESC, const WAVEJIT_DESC, wavejit_float2, float);
__device__ wavejit_texel __ockl_image_sample_lod_3D(const WAVEJIT_DESC, const WAVEJIT_DESC, wavejit_float4, float);
__device__ wavejit_texel __ockl_image_gather4r_2D(const WAVEJIT_DESC, const WAVEJIT_DESC, wavejit_float2);
}

// A texel as a type: its first channels.
template <typename T> WAVEJIT_DEVICE T wavejit_from_texel(wavejit_texel texel) {
  using C = typename wavejit_channels<T>::type;
  C channels[sizeof(T) / sizeof(C)];
  for (unsigned i = 0; i < sizeof(T) / sizeof(C); i++) {
    float value = texel[i];
    if constexpr (sizeof(C) == 4)
      __builtin_memcpy(&channels[i], &value, 4);
    else
      channels[i] = (C)__builtin_bit_cast(int, value);
  }
  T result;
  __builtin_memcpy(&result, channels, sizeof result);
  return result;
}
template <typename T> WAVEJIT_DEVICE wavejit_texel wavejit_to_texel(T value) {
  using C = typename wavejit_channels<T>::type;
  C channels[sizeof(T) / sizeof(C)];
  __builtin_memcpy(channels, &value, sizeof value);
  wavejit_texel texel = 0;
  for (unsigned i = 0; i < sizeof(T) / sizeof(C); i++) {
    if constexpr (sizeof(C) == 4)
      texel[i] = __builtin_bit_cast(float, channels[i]);
    else
      texel[i] = __builtin_bit_cast(float, (int)channels[i]);
  }
  return texel;
}
template <typename O> WAVEJIT_DEVICE const WAVEJIT_DESC wavejit_image(O object) { return (const WAVEJIT_DESC)(unsigned long)object; }
WAVEJIT_DEVICE const WAVEJIT_DESC wavejit_sampler(hipTextureObject_t object) { return wavejit_image(object) + 12; }

#define WAVEJIT_TEX(NAME, PARAMETERS, FUNCTION, ...)                                                                                         \
  template <typename T> WAVEJIT_DEVICE T NAME PARAMETERS {                                                                                   \
    return wavejit_from_texel<T>(FUNCTION(wavejit_image(t), wavejit_sampler(t), __VA_ARGS__));                                               \
  }
template <typename T> WAVEJIT_DEVICE T tex1Dfetch(hipTextureObject_t t, int x) { return wavejit_from_texel<T>(__ockl_image_load_1Db(wavejit_image(t), x)); }
WAVEJIT_TEX(tex1D, (hipTextureObject_t t, float x), __ockl_image_sample_1D, x)
WAVEJIT_TEX(tex2D, (hipTextureObject_t t, float x, float y), __ockl_image_sample_2D, (wavejit_float2{x, y}))
WAVEJIT_TEX(tex3D, (hipTextureObject_t t, float x, float y, float z), __ockl_image_sample_3D, (wavejit_float4{x, y, z, 0}))
WAVEJIT_TEX(tex1DLayered, (hipTextureObject_t t, float x, int layer), __ockl_image_sample_1Da, (wavejit_float2{x, (float)layer}))
WAVEJIT_TEX(tex2DLayered, (hipTextureObject_t t, float x, float y, int layer), __ockl_image_sample_2Da, (wavejit_float4{x, y, (float)layer, 0}))
WAVEJIT_TEX(texCubemap, (hipTextureObject_t t, float x, float y, float z), __ockl_image_sample_CM, (wavejit_float4{x, y, z, 0}))
WAVEJIT_TEX(tex1DLod, (hipTextureObject_t t, float x, float level), __ockl_image_sample_lod_1D, x, level)
WAVEJIT_TEX(tex2DLod, (hipTextureObject_t t, float x, float y, float level), __ockl_image_sample_lod_2D, (wavejit_float2{x, y}), level)
WAVEJIT_TEX(tex3DLod, (hipTextureObject_t t, float x, float y, float z, float level), __ockl_image_sample_lod_3D, (wavejit_float4{x, y, z, 0}), level)
WAVEJIT_TEX(tex2Dgather, (hipTextureObject_t t, float x, float y), __ockl_image_gather4r_2D, (wavejit_float2{x, y}))
#undef WAVEJIT_TEX

// Surfaces count x in bytes.
#define WAVEJIT_SURF(NAME, COORDINATES, SUFFIX, ...)                                                                                         \
  template <typename T> WAVEJIT_DEVICE void NAME##read(T *value, hipSurfaceObject_t s, COORDINATES) {                                        \
    *value = wavejit_from_texel<T>(__ockl_image_load_##SUFFIX(wavejit_image(s), __VA_ARGS__));                                               \
  }                                                                                                                                          \
  template <typename T> WAVEJIT_DEVICE void NAME##write(T value, hipSurfaceObject_t s, COORDINATES) {                                        \
    __ockl_image_store_##SUFFIX(wavejit_image(s), __VA_ARGS__, wavejit_to_texel(value));                                                     \
  }
#define WAVEJIT_COMMA ,
#define WAVEJIT_X (x / (int)sizeof(T))
WAVEJIT_SURF(surf1D, int x, 1D, WAVEJIT_X)
WAVEJIT_SURF(surf2D, int x WAVEJIT_COMMA int y, 2D, (wavejit_int2{WAVEJIT_X, y}))
WAVEJIT_SURF(surf3D, int x WAVEJIT_COMMA int y WAVEJIT_COMMA int z, 3D, (wavejit_int4{WAVEJIT_X, y, z, 0}))
WAVEJIT_SURF(surf2DLayered, int x WAVEJIT_COMMA int y WAVEJIT_COMMA int layer, 2Da, (wavejit_int4{WAVEJIT_X, y, layer, 0}))
#undef WAVEJIT_SURF
#undef WAVEJIT_COMMA
#undef WAVEJIT_X
#undef WAVEJIT_DESC
