// hip/hip_runtime_api.h of wavejit: the host side of HIP, as far as libamdhip64.so of wavejit has it. Numbers and layouts are those of release 6.
#pragma once

#include "hip_version.h"
#include "hip_vector_types.h"

#define HIP_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define HIP_LAUNCH_PARAM_BUFFER_SIZE ((void *)2)
#define HIP_LAUNCH_PARAM_END ((void *)3)
#define HIP_SYMBOL(x) x
#define HIP_KERNEL_NAME(...) __VA_ARGS__

enum hipError_t {
  hipSuccess = 0, hipErrorInvalidValue = 1, hipErrorOutOfMemory = 2, hipErrorNotInitialized = 3, hipErrorDeinitialized = 4,
  hipErrorProfilerDisabled = 5, hipErrorProfilerNotInitialized = 6, hipErrorProfilerAlreadyStarted = 7, hipErrorProfilerAlreadyStopped = 8,
  hipErrorInvalidConfiguration = 9, hipErrorInvalidPitchValue = 12, hipErrorInvalidSymbol = 13, hipErrorInvalidDevicePointer = 17,
  hipErrorInvalidMemcpyDirection = 21, hipErrorInsufficientDriver = 35, hipErrorMissingConfiguration = 52, hipErrorPriorLaunchFailure = 53,
  hipErrorInvalidDeviceFunction = 98, hipErrorNoDevice = 100, hipErrorInvalidDevice = 101, hipErrorInvalidImage = 200, hipErrorInvalidContext = 201,
  hipErrorContextAlreadyCurrent = 202, hipErrorMapFailed = 205, hipErrorUnmapFailed = 206, hipErrorArrayIsMapped = 207, hipErrorAlreadyMapped = 208,
  hipErrorNoBinaryForGpu = 209, hipErrorAlreadyAcquired = 210, hipErrorNotMapped = 211, hipErrorNotMappedAsArray = 212,
  hipErrorNotMappedAsPointer = 213, hipErrorECCNotCorrectable = 214, hipErrorUnsupportedLimit = 215, hipErrorContextAlreadyInUse = 216,
  hipErrorPeerAccessUnsupported = 217, hipErrorInvalidKernelFile = 218, hipErrorInvalidGraphicsContext = 219, hipErrorInvalidSource = 300,
  hipErrorFileNotFound = 301, hipErrorSharedObjectSymbolNotFound = 302, hipErrorSharedObjectInitFailed = 303, hipErrorOperatingSystem = 304,
  hipErrorInvalidHandle = 400, hipErrorIllegalState = 401, hipErrorNotFound = 500, hipErrorNotReady = 600, hipErrorIllegalAddress = 700,
  hipErrorLaunchOutOfResources = 701, hipErrorLaunchTimeOut = 702, hipErrorPeerAccessAlreadyEnabled = 704, hipErrorPeerAccessNotEnabled = 705,
  hipErrorSetOnActiveProcess = 708, hipErrorContextIsDestroyed = 709, hipErrorAssert = 710, hipErrorHostMemoryAlreadyRegistered = 712,
  hipErrorHostMemoryNotRegistered = 713, hipErrorLaunchFailure = 719, hipErrorCooperativeLaunchTooLarge = 720, hipErrorNotSupported = 801,
  hipErrorStreamCaptureUnsupported = 900, hipErrorStreamCaptureInvalidated = 901, hipErrorStreamCaptureMerge = 902,
  hipErrorStreamCaptureUnmatched = 903, hipErrorStreamCaptureUnjoined = 904, hipErrorStreamCaptureIsolation = 905,
  hipErrorStreamCaptureImplicit = 906, hipErrorCapturedEvent = 907, hipErrorStreamCaptureWrongThread = 908, hipErrorGraphExecUpdateFailure = 910,
  hipErrorInvalidChannelDescriptor = 911, hipErrorInvalidTexture = 912, hipErrorUnknown = 999, hipErrorRuntimeMemory = 1052,
  hipErrorRuntimeOther = 1053,
};
#define hipErrorMemoryAllocation hipErrorOutOfMemory
#define hipErrorInitializationError hipErrorNotInitialized
#define hipErrorInvalidResourceHandle hipErrorInvalidHandle
enum hipDeviceAttribute_t {
  hipDeviceAttributeEccEnabled = 0, hipDeviceAttributeAccessPolicyMaxWindowSize = 1, hipDeviceAttributeAsyncEngineCount = 2,
  hipDeviceAttributeCanMapHostMemory = 3, hipDeviceAttributeCanUseHostPointerForRegisteredMem = 4, hipDeviceAttributeClockRate = 5,
  hipDeviceAttributeComputeMode = 6, hipDeviceAttributeComputePreemptionSupported = 7, hipDeviceAttributeConcurrentKernels = 8,
  hipDeviceAttributeConcurrentManagedAccess = 9, hipDeviceAttributeCooperativeLaunch = 10, hipDeviceAttributeCooperativeMultiDeviceLaunch = 11,
  hipDeviceAttributeDeviceOverlap = 12, hipDeviceAttributeDirectManagedMemAccessFromHost = 13, hipDeviceAttributeGlobalL1CacheSupported = 14,
  hipDeviceAttributeHostNativeAtomicSupported = 15, hipDeviceAttributeIntegrated = 16, hipDeviceAttributeIsMultiGpuBoard = 17,
  hipDeviceAttributeKernelExecTimeout = 18, hipDeviceAttributeL2CacheSize = 19, hipDeviceAttributeLocalL1CacheSupported = 20,
  hipDeviceAttributeLuid = 21, hipDeviceAttributeLuidDeviceNodeMask = 22, hipDeviceAttributeComputeCapabilityMajor = 23,
  hipDeviceAttributeManagedMemory = 24, hipDeviceAttributeMaxBlocksPerMultiProcessor = 25, hipDeviceAttributeMaxBlockDimX = 26,
  hipDeviceAttributeMaxBlockDimY = 27, hipDeviceAttributeMaxBlockDimZ = 28, hipDeviceAttributeMaxGridDimX = 29, hipDeviceAttributeMaxGridDimY = 30,
  hipDeviceAttributeMaxGridDimZ = 31, hipDeviceAttributeMaxSurface1D = 32, hipDeviceAttributeMaxSurface1DLayered = 33,
  hipDeviceAttributeMaxSurface2D = 34, hipDeviceAttributeMaxSurface2DLayered = 35, hipDeviceAttributeMaxSurface3D = 36,
  hipDeviceAttributeMaxSurfaceCubemap = 37, hipDeviceAttributeMaxSurfaceCubemapLayered = 38, hipDeviceAttributeMaxTexture1DWidth = 39,
  hipDeviceAttributeMaxTexture1DLayered = 40, hipDeviceAttributeMaxTexture1DLinear = 41, hipDeviceAttributeMaxTexture1DMipmap = 42,
  hipDeviceAttributeMaxTexture2DWidth = 43, hipDeviceAttributeMaxTexture2DHeight = 44, hipDeviceAttributeMaxTexture2DGather = 45,
  hipDeviceAttributeMaxTexture2DLayered = 46, hipDeviceAttributeMaxTexture2DLinear = 47, hipDeviceAttributeMaxTexture2DMipmap = 48,
  hipDeviceAttributeMaxTexture3DWidth = 49, hipDeviceAttributeMaxTexture3DHeight = 50, hipDeviceAttributeMaxTexture3DDepth = 51,
  hipDeviceAttributeMaxTexture3DAlt = 52, hipDeviceAttributeMaxTextureCubemap = 53, hipDeviceAttributeMaxTextureCubemapLayered = 54,
  hipDeviceAttributeMaxThreadsDim = 55, hipDeviceAttributeMaxThreadsPerBlock = 56, hipDeviceAttributeMaxThreadsPerMultiProcessor = 57,
  hipDeviceAttributeMaxPitch = 58, hipDeviceAttributeMemoryBusWidth = 59, hipDeviceAttributeMemoryClockRate = 60,
  hipDeviceAttributeComputeCapabilityMinor = 61, hipDeviceAttributeMultiGpuBoardGroupID = 62, hipDeviceAttributeMultiprocessorCount = 63,
  hipDeviceAttributePageableMemoryAccess = 65, hipDeviceAttributePageableMemoryAccessUsesHostPageTables = 66, hipDeviceAttributePciBusId = 67,
  hipDeviceAttributePciDeviceId = 68, hipDeviceAttributePciDomainID = 69, hipDeviceAttributePersistingL2CacheMaxSize = 70,
  hipDeviceAttributeMaxRegistersPerBlock = 71, hipDeviceAttributeMaxRegistersPerMultiprocessor = 72,
  hipDeviceAttributeReservedSharedMemPerBlock = 73, hipDeviceAttributeMaxSharedMemoryPerBlock = 74, hipDeviceAttributeSharedMemPerBlockOptin = 75,
  hipDeviceAttributeSharedMemPerMultiprocessor = 76, hipDeviceAttributeSingleToDoublePrecisionPerfRatio = 77,
  hipDeviceAttributeStreamPrioritiesSupported = 78, hipDeviceAttributeSurfaceAlignment = 79, hipDeviceAttributeTccDriver = 80,
  hipDeviceAttributeTextureAlignment = 81, hipDeviceAttributeTexturePitchAlignment = 82, hipDeviceAttributeTotalConstantMemory = 83,
  hipDeviceAttributeTotalGlobalMem = 84, hipDeviceAttributeUnifiedAddressing = 85, hipDeviceAttributeWarpSize = 87,
  hipDeviceAttributeMemoryPoolsSupported = 88, hipDeviceAttributeVirtualMemoryManagementSupported = 89, hipDeviceAttributeHostRegisterSupported = 90,
  hipDeviceAttributeMemoryPoolSupportedHandleTypes = 91, hipDeviceAttributeClockInstructionRate = 10000,
  hipDeviceAttributeMaxSharedMemoryPerMultiprocessor = 10002, hipDeviceAttributeHdpMemFlushCntl = 10005, hipDeviceAttributeHdpRegFlushCntl = 10006,
  hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc = 10007, hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim = 10008,
  hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim = 10009, hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem = 10010,
  hipDeviceAttributeIsLargeBar = 10011, hipDeviceAttributeAsicRevision = 10012, hipDeviceAttributeCanUseStreamWaitValue = 10013,
  hipDeviceAttributeImageSupport = 10014, hipDeviceAttributePhysicalMultiProcessorCount = 10015, hipDeviceAttributeFineGrainSupport = 10016,
  hipDeviceAttributeWallClockRate = 10017,
};
enum hipMemcpyKind { hipMemcpyHostToHost, hipMemcpyHostToDevice, hipMemcpyDeviceToHost, hipMemcpyDeviceToDevice, hipMemcpyDefault };
enum hipMemoryType { hipMemoryTypeUnregistered, hipMemoryTypeHost, hipMemoryTypeDevice, hipMemoryTypeManaged };
enum hipFuncAttribute { hipFuncAttributeMaxDynamicSharedMemorySize = 8, hipFuncAttributePreferredSharedMemoryCarveout = 9 };
enum hipFuncCache_t { hipFuncCachePreferNone, hipFuncCachePreferShared, hipFuncCachePreferL1, hipFuncCachePreferEqual };
enum hipMemoryAdvise {
  hipMemAdviseSetReadMostly = 1, hipMemAdviseUnsetReadMostly, hipMemAdviseSetPreferredLocation, hipMemAdviseUnsetPreferredLocation,
  hipMemAdviseSetAccessedBy, hipMemAdviseUnsetAccessedBy,
};
enum { hipStreamDefault = 0, hipStreamNonBlocking = 1 };
enum { hipEventDefault = 0, hipEventBlockingSync = 1, hipEventDisableTiming = 2, hipEventInterprocess = 4 };
enum { hipHostMallocDefault = 0, hipHostMallocPortable = 1, hipHostMallocMapped = 2, hipHostMallocWriteCombined = 4 };
enum { hipHostRegisterDefault = 0, hipHostRegisterPortable = 1, hipHostRegisterMapped = 2 };
enum { hipMemAttachGlobal = 1, hipMemAttachHost = 2, hipMemAttachSingle = 4 };
enum { hipStreamWaitValueGte, hipStreamWaitValueEq, hipStreamWaitValueAnd, hipStreamWaitValueNor };
enum { hipDeviceScheduleAuto, hipDeviceScheduleSpin, hipDeviceScheduleYield, hipDeviceScheduleBlockingSync = 4, hipDeviceMapHost = 8 };
#define hipCpuDeviceId (-1)

typedef int hipDevice_t;
typedef void *hipDeviceptr_t;
typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct ihipCtx_t *hipCtx_t;
typedef struct ihipMemPoolHandle_t *hipMemPool_t;
typedef void (*hipStreamCallback_t)(hipStream_t, hipError_t, void *);
typedef void (*hipHostFn_t)(void *);
typedef struct ihipGraph *hipGraph_t;
typedef struct hipGraphNode *hipGraphNode_t;
typedef struct hipGraphExec *hipGraphExec_t;
#define hipStreamPerThread ((hipStream_t)2)

struct hipExtent {
  __SIZE_TYPE__ width, height, depth;
};
struct hipPos {
  __SIZE_TYPE__ x, y, z;
};
struct hipPitchedPtr {
  void *ptr;
  __SIZE_TYPE__ pitch, xsize, ysize;
};
struct hipMemcpy3DParms {
  struct hipArray *srcArray;
  hipPos srcPos;
  hipPitchedPtr srcPtr;
  struct hipArray *dstArray;
  hipPos dstPos;
  hipPitchedPtr dstPtr;
  hipExtent extent;
  hipMemcpyKind kind;
};
static inline hipExtent make_hipExtent(__SIZE_TYPE__ w, __SIZE_TYPE__ h, __SIZE_TYPE__ d) { return hipExtent{w, h, d}; }
static inline hipPos make_hipPos(__SIZE_TYPE__ x, __SIZE_TYPE__ y, __SIZE_TYPE__ z) { return hipPos{x, y, z}; }
static inline hipPitchedPtr make_hipPitchedPtr(void *p, __SIZE_TYPE__ pitch, __SIZE_TYPE__ x, __SIZE_TYPE__ y) { return hipPitchedPtr{p, pitch, x, y}; }
struct hipKernelNodeParams {
  dim3 blockDim;
  void **extra;
  void *func;
  dim3 gridDim;
  void **kernelParams;
  unsigned sharedMemBytes;
};
struct hipMemsetParams {
  void *dst;
  unsigned elementSize;
  __SIZE_TYPE__ height, pitch;
  unsigned value;
  __SIZE_TYPE__ width;
};
struct hipHostNodeParams {
  hipHostFn_t fn;
  void *userData;
};
struct hipLaunchParams {
  void *func;
  dim3 gridDim, blockDim;
  void **args;
  __SIZE_TYPE__ sharedMem;
  hipStream_t stream;
};
enum hipStreamCaptureMode { hipStreamCaptureModeGlobal, hipStreamCaptureModeThreadLocal, hipStreamCaptureModeRelaxed };
enum hipStreamCaptureStatus { hipStreamCaptureStatusNone, hipStreamCaptureStatusActive, hipStreamCaptureStatusInvalidated };
enum hipGraphExecUpdateResult { hipGraphExecUpdateSuccess, hipGraphExecUpdateError, hipGraphExecUpdateErrorTopologyChanged };
struct hipPointerAttribute_t {
  hipMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
  int isManaged;
  unsigned allocationFlags;
};
struct hipFuncAttributes {
  int binaryVersion, cacheModeCA;
  __SIZE_TYPE__ constSizeBytes, localSizeBytes;
  int maxDynamicSharedSizeBytes, maxThreadsPerBlock, numRegs, preferredShmemCarveout, ptxVersion;
  __SIZE_TYPE__ sharedSizeBytes;
};
struct hipUUID {
  char bytes[16];
};
struct hipDeviceProp_t {
  char name[256];
  hipUUID uuid;
  char luid[8];
  unsigned luidDeviceNodeMask;
  __SIZE_TYPE__ totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  __SIZE_TYPE__ memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  __SIZE_TYPE__ totalConstMem;
  int major, minor;
  __SIZE_TYPE__ textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
  int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2];
  int maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
  int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
  __SIZE_TYPE__ surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount, unifiedAddressing, memoryClockRate, memoryBusWidth;
  int l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  __SIZE_TYPE__ sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio;
  int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch;
  int cooperativeMultiDeviceLaunch;
  __SIZE_TYPE__ sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
  __SIZE_TYPE__ reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseHipArraySupported, hostRegisterReadOnlySupported, timelineSemaphoreInteropSupported, memoryPoolsSupported;
  int gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingHipArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers, reserved[63], hipReserved[32];
  char gcnArchName[256];
  __SIZE_TYPE__ maxSharedMemoryPerMultiProcessor;
  int clockInstructionRate;
  unsigned arch;
  unsigned *hdpMemFlushCntl, *hdpRegFlushCntl;
  int cooperativeMultiDeviceUnmatchedFunc, cooperativeMultiDeviceUnmatchedGridDim, cooperativeMultiDeviceUnmatchedBlockDim;
  int cooperativeMultiDeviceUnmatchedSharedMem, isLargeBar, asicRevision;
};
static_assert(sizeof(hipDeviceProp_t) == 1472, "the layout of release 6");
#define hipGetDeviceProperties hipGetDevicePropertiesR0600

extern "C" {
// Devices.
hipError_t hipInit(unsigned);
hipError_t hipDriverGetVersion(int *);
hipError_t hipRuntimeGetVersion(int *);
hipError_t hipSetDevice(int);
hipError_t hipGetDevice(int *);
hipError_t hipGetDeviceCount(int *);
hipError_t hipDeviceGet(hipDevice_t *, int);
hipError_t hipDeviceGetName(char *, int, hipDevice_t);
hipError_t hipDeviceTotalMem(__SIZE_TYPE__ *, hipDevice_t);
hipError_t hipDeviceGetAttribute(int *, hipDeviceAttribute_t, int);
hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_t *, int);
hipError_t hipSetDeviceFlags(unsigned);
hipError_t hipDeviceSynchronize();
hipError_t hipDeviceReset();
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t);
hipError_t hipDeviceCanAccessPeer(int *, int, int);
hipError_t hipDeviceEnablePeerAccess(int, unsigned);
hipError_t hipDeviceDisablePeerAccess(int);
hipError_t hipDeviceGetStreamPriorityRange(int *, int *);
// Errors.
hipError_t hipGetLastError();
hipError_t hipPeekAtLastError();
const char *hipGetErrorName(hipError_t);
const char *hipGetErrorString(hipError_t);
// Memory.
hipError_t hipMalloc(void **, __SIZE_TYPE__);
hipError_t hipFree(void *);
hipError_t hipHostMalloc(void **, __SIZE_TYPE__, unsigned);
hipError_t hipHostFree(void *);
hipError_t hipMallocHost(void **, __SIZE_TYPE__);
hipError_t hipFreeHost(void *);
hipError_t hipMallocManaged(void **, __SIZE_TYPE__, unsigned);
hipError_t hipMallocPitch(void **, __SIZE_TYPE__ *, __SIZE_TYPE__, __SIZE_TYPE__);
hipError_t hipMalloc3D(hipPitchedPtr *, hipExtent);
hipError_t hipMallocAsync(void **, __SIZE_TYPE__, hipStream_t);
hipError_t hipFreeAsync(void *, hipStream_t);
hipError_t hipHostRegister(void *, __SIZE_TYPE__, unsigned);
hipError_t hipHostUnregister(void *);
hipError_t hipHostGetDevicePointer(void **, void *, unsigned);
hipError_t hipMemGetInfo(__SIZE_TYPE__ *, __SIZE_TYPE__ *);
hipError_t hipPointerGetAttributes(hipPointerAttribute_t *, const void *);
hipError_t hipMemAdvise(const void *, __SIZE_TYPE__, hipMemoryAdvise, int);
hipError_t hipMemPrefetchAsync(const void *, __SIZE_TYPE__, int, hipStream_t = nullptr);
// Copies and fills.
hipError_t hipMemcpy(void *, const void *, __SIZE_TYPE__, hipMemcpyKind);
hipError_t hipMemcpyAsync(void *, const void *, __SIZE_TYPE__, hipMemcpyKind, hipStream_t = nullptr);
hipError_t hipMemcpyHtoD(hipDeviceptr_t, void *, __SIZE_TYPE__);
hipError_t hipMemcpyDtoH(void *, hipDeviceptr_t, __SIZE_TYPE__);
hipError_t hipMemcpyDtoD(hipDeviceptr_t, hipDeviceptr_t, __SIZE_TYPE__);
hipError_t hipMemcpyPeer(void *, int, const void *, int, __SIZE_TYPE__);
hipError_t hipMemcpyPeerAsync(void *, int, const void *, int, __SIZE_TYPE__, hipStream_t = nullptr);
hipError_t hipMemcpy2D(void *, __SIZE_TYPE__, const void *, __SIZE_TYPE__, __SIZE_TYPE__, __SIZE_TYPE__, hipMemcpyKind);
hipError_t hipMemcpy2DAsync(void *, __SIZE_TYPE__, const void *, __SIZE_TYPE__, __SIZE_TYPE__, __SIZE_TYPE__, hipMemcpyKind, hipStream_t = nullptr);
hipError_t hipMemcpy3D(const hipMemcpy3DParms *);
hipError_t hipMemset(void *, int, __SIZE_TYPE__);
hipError_t hipMemsetAsync(void *, int, __SIZE_TYPE__, hipStream_t = nullptr);
hipError_t hipMemsetD32(hipDeviceptr_t, int, __SIZE_TYPE__);
hipError_t hipMemsetD32Async(hipDeviceptr_t, int, __SIZE_TYPE__, hipStream_t = nullptr);
hipError_t hipMemset2D(void *, __SIZE_TYPE__, int, __SIZE_TYPE__, __SIZE_TYPE__);
hipError_t hipMemcpyToSymbol(const void *, const void *, __SIZE_TYPE__, __SIZE_TYPE__ = 0, hipMemcpyKind = hipMemcpyHostToDevice);
hipError_t hipMemcpyFromSymbol(void *, const void *, __SIZE_TYPE__, __SIZE_TYPE__ = 0, hipMemcpyKind = hipMemcpyDeviceToHost);
hipError_t hipGetSymbolAddress(void **, const void *);
hipError_t hipGetSymbolSize(__SIZE_TYPE__ *, const void *);
// Streams and events.
hipError_t hipStreamCreate(hipStream_t *);
hipError_t hipStreamCreateWithFlags(hipStream_t *, unsigned);
hipError_t hipStreamCreateWithPriority(hipStream_t *, unsigned, int);
hipError_t hipStreamDestroy(hipStream_t);
hipError_t hipStreamQuery(hipStream_t);
hipError_t hipStreamSynchronize(hipStream_t);
hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned = 0);
hipError_t hipStreamAddCallback(hipStream_t, hipStreamCallback_t, void *, unsigned);
hipError_t hipLaunchHostFunc(hipStream_t, hipHostFn_t, void *);
hipError_t hipStreamWaitValue32(hipStream_t, void *, unsigned, unsigned, unsigned = ~0u);
hipError_t hipStreamWriteValue32(hipStream_t, void *, unsigned, unsigned);
hipError_t hipEventCreate(hipEvent_t *);
hipError_t hipEventCreateWithFlags(hipEvent_t *, unsigned);
hipError_t hipEventDestroy(hipEvent_t);
hipError_t hipEventRecord(hipEvent_t, hipStream_t = nullptr);
hipError_t hipEventSynchronize(hipEvent_t);
hipError_t hipEventQuery(hipEvent_t);
hipError_t hipEventElapsedTime(float *, hipEvent_t, hipEvent_t);
// Graphs.
hipError_t hipStreamBeginCapture(hipStream_t, hipStreamCaptureMode);
hipError_t hipStreamEndCapture(hipStream_t, hipGraph_t *);
hipError_t hipStreamIsCapturing(hipStream_t, hipStreamCaptureStatus *);
hipError_t hipGraphCreate(hipGraph_t *, unsigned);
hipError_t hipGraphDestroy(hipGraph_t);
hipError_t hipGraphClone(hipGraph_t *, hipGraph_t);
hipError_t hipGraphInstantiate(hipGraphExec_t *, hipGraph_t, hipGraphNode_t *, char *, __SIZE_TYPE__);
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *, hipGraph_t, unsigned long long);
hipError_t hipGraphExecDestroy(hipGraphExec_t);
hipError_t hipGraphLaunch(hipGraphExec_t, hipStream_t);
hipError_t hipGraphUpload(hipGraphExec_t, hipStream_t);
hipError_t hipGraphExecUpdate(hipGraphExec_t, hipGraph_t, hipGraphNode_t *, hipGraphExecUpdateResult *);
hipError_t hipGraphGetNodes(hipGraph_t, hipGraphNode_t *, __SIZE_TYPE__ *);
hipError_t hipGraphAddDependencies(hipGraph_t, const hipGraphNode_t *, const hipGraphNode_t *, __SIZE_TYPE__);
hipError_t hipGraphAddEmptyNode(hipGraphNode_t *, hipGraph_t, const hipGraphNode_t *, __SIZE_TYPE__);
hipError_t hipGraphAddKernelNode(hipGraphNode_t *, hipGraph_t, const hipGraphNode_t *, __SIZE_TYPE__, const hipKernelNodeParams *);
hipError_t hipGraphAddMemsetNode(hipGraphNode_t *, hipGraph_t, const hipGraphNode_t *, __SIZE_TYPE__, const hipMemsetParams *);
hipError_t hipGraphAddMemcpyNode(hipGraphNode_t *, hipGraph_t, const hipGraphNode_t *, __SIZE_TYPE__, const hipMemcpy3DParms *);
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *, hipGraph_t, const hipGraphNode_t *, __SIZE_TYPE__, void *, const void *, __SIZE_TYPE__,
                                   hipMemcpyKind);
hipError_t hipGraphAddHostNode(hipGraphNode_t *, hipGraph_t, const hipGraphNode_t *, __SIZE_TYPE__, const hipHostNodeParams *);
hipError_t hipGraphAddChildGraphNode(hipGraphNode_t *, hipGraph_t, const hipGraphNode_t *, __SIZE_TYPE__, hipGraph_t);
hipError_t hipGraphAddEventRecordNode(hipGraphNode_t *, hipGraph_t, const hipGraphNode_t *, __SIZE_TYPE__, hipEvent_t);
hipError_t hipGraphAddEventWaitNode(hipGraphNode_t *, hipGraph_t, const hipGraphNode_t *, __SIZE_TYPE__, hipEvent_t);
hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t, hipGraph_t *);
hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t, hipKernelNodeParams *);
hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t, const hipKernelNodeParams *);
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t, hipGraphNode_t, const hipKernelNodeParams *);
hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t, hipGraphNode_t, const hipMemsetParams *);
hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t, hipGraphNode_t, hipGraph_t);
// Kernels and modules.
hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams *, int, unsigned);
hipError_t hipLaunchKernel(const void *, dim3, dim3, void **, __SIZE_TYPE__, hipStream_t);
hipError_t hipLaunchCooperativeKernel(const void *, dim3, dim3, void **, unsigned, hipStream_t);
hipError_t hipModuleLoad(hipModule_t *, const char *);
hipError_t hipModuleLoadData(hipModule_t *, const void *);
hipError_t hipModuleUnload(hipModule_t);
hipError_t hipModuleGetFunction(hipFunction_t *, hipModule_t, const char *);
hipError_t hipModuleGetGlobal(hipDeviceptr_t *, __SIZE_TYPE__ *, hipModule_t, const char *);
hipError_t hipModuleLaunchKernel(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, hipStream_t, void **, void **);
hipError_t hipFuncGetAttributes(hipFuncAttributes *, const void *);
hipError_t hipFuncSetAttribute(const void *, hipFuncAttribute, int);
hipError_t hipFuncSetCacheConfig(const void *, hipFuncCache_t);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, __SIZE_TYPE__);
hipError_t hipOccupancyMaxPotentialBlockSize(int *, int *, const void *, __SIZE_TYPE__, int);
// What <<<...>>> calls.
hipError_t __hipPushCallConfiguration(dim3, dim3, __SIZE_TYPE__ = 0, hipStream_t = nullptr);
hipError_t __hipPopCallConfiguration(dim3 *, dim3 *, __SIZE_TYPE__ *, hipStream_t *);
}

#include "hip_texture_types.h"

// Pointers and symbols of any type.
template <typename T> inline hipError_t hipMalloc(T **p, __SIZE_TYPE__ bytes) { return hipMalloc((void **)p, bytes); }
template <typename T> inline hipError_t hipHostMalloc(T **p, __SIZE_TYPE__ bytes, unsigned flags = 0) { return hipHostMalloc((void **)p, bytes, flags); }
template <typename T> inline hipError_t hipMallocManaged(T **p, __SIZE_TYPE__ bytes, unsigned flags = hipMemAttachGlobal) {
  return hipMallocManaged((void **)p, bytes, flags);
}
template <typename T> inline hipError_t hipMallocPitch(T **p, __SIZE_TYPE__ *pitch, __SIZE_TYPE__ width, __SIZE_TYPE__ height) {
  return hipMallocPitch((void **)p, pitch, width, height);
}
template <typename T> inline hipError_t hipMallocAsync(T **p, __SIZE_TYPE__ bytes, hipStream_t stream) { return hipMallocAsync((void **)p, bytes, stream); }
template <typename T>
inline hipError_t hipMemcpyToSymbol(const T &symbol, const void *from, __SIZE_TYPE__ bytes, __SIZE_TYPE__ offset = 0, hipMemcpyKind kind = hipMemcpyHostToDevice) {
  return hipMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <typename T>
inline hipError_t hipMemcpyFromSymbol(void *to, const T &symbol, __SIZE_TYPE__ bytes, __SIZE_TYPE__ offset = 0, hipMemcpyKind kind = hipMemcpyDeviceToHost) {
  return hipMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <typename T> inline hipError_t hipGetSymbolAddress(void **address, const T &symbol) { return hipGetSymbolAddress(address, (const void *)&symbol); }
template <typename F> inline hipError_t hipLaunchCooperativeKernel(F kernel, dim3 grid, dim3 group, void **args, unsigned lds, hipStream_t stream) {
  return hipLaunchCooperativeKernel((const void *)kernel, grid, group, args, lds, stream);
}
template <typename F> inline hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F kernel, int threads, __SIZE_TYPE__ lds) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads, lds);
}
template <typename F> inline hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *block, F kernel, __SIZE_TYPE__ lds = 0, int limit = 0) {
  return hipOccupancyMaxPotentialBlockSize(grid, block, (const void *)kernel, lds, limit);
}
#define hipLaunchKernelGGL(kernel, grid, group, lds, stream, ...) (kernel)<<<(grid), (group), (lds), (stream)>>>(__VA_ARGS__)
