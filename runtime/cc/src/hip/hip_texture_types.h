// Arrays, textures and surfaces: what a program sees of them. Device functions are in hip_texture.h.
#pragma once

enum hipChannelFormatKind { hipChannelFormatKindSigned, hipChannelFormatKindUnsigned, hipChannelFormatKindFloat, hipChannelFormatKindNone };
enum hipTextureAddressMode { hipAddressModeWrap, hipAddressModeClamp, hipAddressModeMirror, hipAddressModeBorder };
enum hipTextureFilterMode { hipFilterModePoint, hipFilterModeLinear };
enum hipTextureReadMode { hipReadModeElementType, hipReadModeNormalizedFloat };
enum hipResourceType { hipResourceTypeArray, hipResourceTypeMipmappedArray, hipResourceTypeLinear, hipResourceTypePitch2D };
enum { hipArrayDefault = 0, hipArrayLayered = 1, hipArraySurfaceLoadStore = 2, hipArrayCubemap = 4, hipArrayTextureGather = 8 };

typedef struct hipArray *hipArray_t;
typedef const struct hipArray *hipArray_const_t;
typedef struct hipMipmappedArray *hipMipmappedArray_t;
typedef struct __hip_texture *hipTextureObject_t;
typedef struct __hip_surface *hipSurfaceObject_t;

struct hipChannelFormatDesc {
  int x, y, z, w;
  hipChannelFormatKind f;
};
struct hipResourceDesc {
  hipResourceType resType;
  union {
    struct {
      hipArray_t array;
    } array;
    struct {
      hipMipmappedArray_t mipmap;
    } mipmap;
    struct {
      void *devPtr;
      hipChannelFormatDesc desc;
      __SIZE_TYPE__ sizeInBytes;
    } linear;
    struct {
      void *devPtr;
      hipChannelFormatDesc desc;
      __SIZE_TYPE__ width, height, pitchInBytes;
    } pitch2D;
  } res;
};
struct hipTextureDesc {
  hipTextureAddressMode addressMode[3];
  hipTextureFilterMode filterMode;
  hipTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  hipTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
};
// A format of 0 is the array's own; the numbers of others are those of HIP.
struct hipResourceViewDesc {
  int format;
  __SIZE_TYPE__ width, height, depth;
  unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
};
static_assert(sizeof(hipResourceDesc) == 64 && sizeof(hipTextureDesc) == 64 && sizeof(hipResourceViewDesc) == 48, "HIP's layouts");

extern "C" {
hipChannelFormatDesc hipCreateChannelDesc(int, int, int, int, hipChannelFormatKind);
hipError_t hipMallocArray(hipArray_t *, const hipChannelFormatDesc *, __SIZE_TYPE__, __SIZE_TYPE__ = 0, unsigned = hipArrayDefault);
hipError_t hipMalloc3DArray(hipArray_t *, const hipChannelFormatDesc *, hipExtent, unsigned = hipArrayDefault);
hipError_t hipMallocMipmappedArray(hipMipmappedArray_t *, const hipChannelFormatDesc *, hipExtent, unsigned, unsigned = 0);
hipError_t hipGetMipmappedArrayLevel(hipArray_t *, hipMipmappedArray_t, unsigned);
hipError_t hipArrayGetInfo(hipChannelFormatDesc *, hipExtent *, unsigned *, hipArray_t);
hipError_t hipFreeArray(hipArray_t);
hipError_t hipFreeMipmappedArray(hipMipmappedArray_t);
hipError_t hipMemcpyToArray(hipArray_t, __SIZE_TYPE__, __SIZE_TYPE__, const void *, __SIZE_TYPE__, hipMemcpyKind);
hipError_t hipMemcpyFromArray(void *, hipArray_const_t, __SIZE_TYPE__, __SIZE_TYPE__, __SIZE_TYPE__, hipMemcpyKind);
hipError_t hipMemcpy2DToArray(hipArray_t, __SIZE_TYPE__, __SIZE_TYPE__, const void *, __SIZE_TYPE__, __SIZE_TYPE__, __SIZE_TYPE__, hipMemcpyKind);
hipError_t hipMemcpy2DToArrayAsync(hipArray_t, __SIZE_TYPE__, __SIZE_TYPE__, const void *, __SIZE_TYPE__, __SIZE_TYPE__, __SIZE_TYPE__, hipMemcpyKind,
                                   hipStream_t = nullptr);
hipError_t hipMemcpy2DFromArray(void *, __SIZE_TYPE__, hipArray_const_t, __SIZE_TYPE__, __SIZE_TYPE__, __SIZE_TYPE__, __SIZE_TYPE__, hipMemcpyKind);
hipError_t hipMemcpy2DFromArrayAsync(void *, __SIZE_TYPE__, hipArray_const_t, __SIZE_TYPE__, __SIZE_TYPE__, __SIZE_TYPE__, __SIZE_TYPE__,
                                     hipMemcpyKind, hipStream_t = nullptr);
hipError_t hipMemcpy2DArrayToArray(hipArray_t, __SIZE_TYPE__, __SIZE_TYPE__, hipArray_const_t, __SIZE_TYPE__, __SIZE_TYPE__, __SIZE_TYPE__,
                                   __SIZE_TYPE__, hipMemcpyKind);
hipError_t hipCreateTextureObject(hipTextureObject_t *, const hipResourceDesc *, const hipTextureDesc *, const hipResourceViewDesc *);
hipError_t hipDestroyTextureObject(hipTextureObject_t);
hipError_t hipGetTextureObjectResourceDesc(hipResourceDesc *, hipTextureObject_t);
hipError_t hipGetTextureObjectTextureDesc(hipTextureDesc *, hipTextureObject_t);
hipError_t hipCreateSurfaceObject(hipSurfaceObject_t *, const hipResourceDesc *);
hipError_t hipDestroySurfaceObject(hipSurfaceObject_t);
}

// The channels of a type: one of its own, or the members of a vector.
template <typename T, typename = void> struct wavejit_channels {
  using type = T;
};
template <typename T> struct wavejit_channels<T, decltype((void)T::x)> {
  using type = decltype(T::x);
};
template <typename T> inline hipChannelFormatDesc hipCreateChannelDesc() {
  using C = typename wavejit_channels<T>::type;
  int bits = 8 * (int)sizeof(C), count = (int)(sizeof(T) / sizeof(C));
  hipChannelFormatKind kind = C(0.5) != C(0) ? hipChannelFormatKindFloat : C(-1) < C(0) ? hipChannelFormatKindSigned : hipChannelFormatKindUnsigned;
  return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, kind};
}
