// Textures, surfaces and arrays: copies in and out, formats, address modes, filters, layers, levels, cubes; compared with plain C++.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <hip/hip_runtime.h>
#include <vector>

static int failures = 0;
#define CHECK(call)                                                                                                                          \
  do {                                                                                                                                       \
    hipError_t status = (call);                                                                                                              \
    if (status != hipSuccess) {                                                                                                              \
      std::printf("line %d: %s\n", __LINE__, hipGetErrorString(status));                                                                     \
      std::exit(1);                                                                                                                          \
    }                                                                                                                                        \
  } while (0)

static void expect(const char *what, double found, double wanted, double tolerance, int i) {
  if (!(std::fabs(found - wanted) <= tolerance) && failures++ < 20)
    std::printf("%s, %d: %.9g instead of %.9g\n", what, i, found, wanted);
}

// ---- kernels -----------------------------------------------------------------------------------------------------------------------------------------

__device__ static int index() { return blockIdx.x * blockDim.x + threadIdx.x; }

template <typename T> __global__ void fetch1(hipTextureObject_t t, T *out, int n) {
  if (int i = index(); i < n)
    out[i] = tex1Dfetch<T>(t, i);
}
template <typename T> __global__ void sample1(hipTextureObject_t t, T *out, const float *x, int n) {
  if (int i = index(); i < n)
    out[i] = tex1D<T>(t, x[i]);
}
template <typename T> __global__ void sample2(hipTextureObject_t t, T *out, const float *x, const float *y, int n) {
  if (int i = index(); i < n)
    out[i] = tex2D<T>(t, x[i], y[i]);
}
__global__ void sample3(hipTextureObject_t t, float *out, const float *x, const float *y, const float *z, int n) {
  if (int i = index(); i < n)
    out[i] = tex3D<float>(t, x[i], y[i], z[i]);
}
__global__ void layers2(hipTextureObject_t t, float *out, const float *x, const float *y, const int *layer, int n) {
  if (int i = index(); i < n)
    out[i] = tex2DLayered<float>(t, x[i], y[i], layer[i]);
}
__global__ void layers1(hipTextureObject_t t, float *out, const float *x, const int *layer, int n) {
  if (int i = index(); i < n)
    out[i] = tex1DLayered<float>(t, x[i], layer[i]);
}
__global__ void levels2(hipTextureObject_t t, float *out, const float *x, const float *y, const float *level, int n) {
  if (int i = index(); i < n)
    out[i] = tex2DLod<float>(t, x[i], y[i], level[i]);
}
__global__ void cube(hipTextureObject_t t, float *out, const float *x, const float *y, const float *z, int n) {
  if (int i = index(); i < n)
    out[i] = texCubemap<float>(t, x[i], y[i], z[i]);
}
__global__ void gather(hipTextureObject_t t, float4 *out, const float *x, const float *y, int n) {
  if (int i = index(); i < n)
    out[i] = tex2Dgather<float4>(t, x[i], y[i]);
}
template <typename T> __global__ void turn(hipSurfaceObject_t from, hipSurfaceObject_t to, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  T value;
  surf2Dread(&value, from, x * (int)sizeof(T), y);
  surf2Dwrite(value, to, y * (int)sizeof(T), x);
}
__global__ void fill3(hipSurfaceObject_t s, int width, int height, int depth) {
  int i = index(), x = i % width, y = i / width % height, z = i / width / height;
  if (z < depth)
    surf3Dwrite((unsigned)(x + 100 * y + 10000 * z), s, x * 4, y, z);
}

// ---- memory of the device, with contents ----------------------------------------------------------------------------------------------------------------

template <typename T> struct Device {
  T *p;
  int count;
  explicit Device(int n) : count(n) {
    CHECK(hipMalloc(&p, n * sizeof(T)));
    CHECK(hipMemset(p, 0, n * sizeof(T)));
  }
  explicit Device(const std::vector<T> &v) : Device((int)v.size()) { CHECK(hipMemcpy(p, v.data(), v.size() * sizeof(T), hipMemcpyHostToDevice)); }
  Device(const Device &) = delete;
  ~Device() { CHECK(hipFree(p)); }
  std::vector<T> host() {
    std::vector<T> v(count);
    CHECK(hipMemcpy(v.data(), p, count * sizeof(T), hipMemcpyDeviceToHost));
    return v;
  }
};
static dim3 groups(int n) { return dim3((n + 63) / 64); }

static float number() { return (float)std::rand() / (float)RAND_MAX; }
static std::vector<float> numbers(int n, float from, float to) {
  std::vector<float> v(n);
  for (float &f : v)
    f = from + (to - from) * number();
  return v;
}

static hipTextureObject_t texture(hipResourceDesc resource, hipTextureAddressMode mode, hipTextureFilterMode filter, bool normalized,
                                  hipTextureReadMode read = hipReadModeElementType, bool srgb = false) {
  hipTextureDesc desc = {};
  for (auto &m : desc.addressMode)
    m = mode;
  desc.filterMode = desc.mipmapFilterMode = filter;
  desc.normalizedCoords = normalized;
  desc.readMode = read;
  desc.sRGB = srgb;
  desc.maxMipmapLevelClamp = 10;
  hipTextureObject_t object;
  CHECK(hipCreateTextureObject(&object, &resource, &desc, nullptr));
  hipTextureDesc back;
  CHECK(hipGetTextureObjectTextureDesc(&back, object));
  if (std::memcmp(&desc, &back, sizeof desc) != 0)
    std::printf("another texture descriptor comes back\n"), failures++;
  return object;
}
static hipResourceDesc of(hipArray_t array) {
  hipResourceDesc desc = {};
  desc.resType = hipResourceTypeArray;
  desc.res.array.array = array;
  return desc;
}

// ---- the same on the host --------------------------------------------------------------------------------------------------------------------------------

// The texel that a coordinate outside means; -1: the border.
static int wrap(int i, int n, hipTextureAddressMode mode) {
  switch (mode) {
  case hipAddressModeWrap:
    return (i % n + n) % n;
  case hipAddressModeMirror: {
    int m = (i % (2 * n) + 2 * n) % (2 * n);
    return m < n ? m : 2 * n - 1 - m;
  }
  case hipAddressModeBorder:
    return i < 0 || i >= n ? -1 : i;
  default:
    return i < 0 ? 0 : i >= n ? n - 1 : i;
  }
}
// Texels of a volume as HIP's documentation samples them; coordinates are in texels.
static double sampled(const float *texels, const int *size, const double *at, hipTextureAddressMode mode, bool linear) {
  auto texel = [&](int x, int y, int z) -> double {
    int i[3] = {wrap(x, size[0], mode), wrap(y, size[1], mode), wrap(z, size[2], mode)};
    return i[0] < 0 || i[1] < 0 || i[2] < 0 ? 0 : texels[(i[2] * size[1] + i[1]) * size[0] + i[0]];
  };
  if (!linear)
    return texel((int)std::floor(at[0]), (int)std::floor(at[1]), (int)std::floor(at[2]));
  double sum = 0;
  int base[3];
  double part[3];
  for (int d = 0; d < 3; d++) {
    double c = size[d] == 1 ? 0 : at[d] - 0.5;
    base[d] = (int)std::floor(c);
    part[d] = c - base[d];
  }
  for (int corner = 0; corner < 8; corner++) {
    double weight = 1;
    int i[3];
    for (int d = 0; d < 3; d++) {
      int one = corner >> d & 1;
      i[d] = base[d] + one;
      weight *= one ? part[d] : 1 - part[d];
    }
    if (weight != 0)
      sum += weight * texel(i[0], i[1], i[2]);
  }
  return sum;
}

// ---- tests ------------------------------------------------------------------------------------------------------------------------------------------------

static void linear_memory() {
  std::vector<float4> texels(1000);
  for (auto &t : texels)
    t = {number(), number(), number(), number()};
  Device<float4> memory(texels), out(1000);
  hipResourceDesc resource = {};
  resource.resType = hipResourceTypeLinear;
  resource.res.linear = {memory.p, hipCreateChannelDesc<float4>(), 1000 * sizeof(float4)};
  hipTextureObject_t t = texture(resource, hipAddressModeClamp, hipFilterModePoint, false);
  fetch1<<<groups(1000), 64>>>(t, out.p, 1000);
  auto found = out.host();
  if (std::memcmp(found.data(), texels.data(), 16000) != 0)
    std::printf("linear memory of float4\n"), failures++;
  CHECK(hipDestroyTextureObject(t));
  // Signed bytes, and the same as fractions; what is beyond reads 0.
  std::vector<signed char> bytes(256);
  for (int i = 0; i < 256; i++)
    bytes[i] = (signed char)(i - 128);
  Device<signed char> small(bytes);
  Device<int> ints(300);
  Device<float> fractions(300);
  resource.res.linear = {small.p, hipCreateChannelDesc<signed char>(), 256};
  t = texture(resource, hipAddressModeClamp, hipFilterModePoint, false);
  hipTextureObject_t f = texture(resource, hipAddressModeClamp, hipFilterModePoint, false, hipReadModeNormalizedFloat);
  fetch1<<<groups(300), 64>>>(t, ints.p, 300);
  fetch1<<<groups(300), 64>>>(f, fractions.p, 300);
  auto whole = ints.host();
  auto part = fractions.host();
  for (int i = 0; i < 300; i++) {
    expect("signed bytes", whole[i], i < 256 ? i - 128 : 0, 0, i);
    expect("fractions of bytes", part[i], i < 256 ? std::fmax((i - 128) / 127.0, -1.0) : 0, 1e-6, i);
  }
  CHECK(hipDestroyTextureObject(t));
  CHECK(hipDestroyTextureObject(f));
}

static void flat() {
  const int width = 37, height = 21, n = 2000;
  auto texels = numbers(width * height, -1, 1);
  auto desc = hipCreateChannelDesc<float>();
  hipArray_t array;
  CHECK(hipMallocArray(&array, &desc, width, height));
  CHECK(hipMemcpy2DToArray(array, 0, 0, texels.data(), width * 4, width * 4, height, hipMemcpyHostToDevice));
  float *pitched;
  size_t pitch;
  CHECK(hipMallocPitch(&pitched, &pitch, width * 4, height));
  CHECK(hipMemcpy2D(pitched, pitch, texels.data(), width * 4, width * 4, height, hipMemcpyHostToDevice));
  hipResourceDesc rows = {};
  rows.resType = hipResourceTypePitch2D;
  rows.res.pitch2D = {pitched, desc, (size_t)width, (size_t)height, pitch};
  const int size[3] = {width, height, 1};
  Device<float> out(n);
  for (hipResourceDesc resource : {of(array), rows})
    for (auto mode : {hipAddressModeWrap, hipAddressModeClamp, hipAddressModeMirror, hipAddressModeBorder})
      for (auto filter : {hipFilterModePoint, hipFilterModeLinear})
        for (bool normalized : {false, true}) {
          auto x = numbers(n, -1.5f * width, 2.5f * width), y = numbers(n, -1.5f * height, 2.5f * height);
          // Away from the edges between texels, where the last bit of a coordinate decides.
          for (int i = 0; i < n; i++)
            if (filter == hipFilterModePoint)
              x[i] = std::floor(x[i]) + 0.25f + 0.5f * number(), y[i] = std::floor(y[i]) + 0.25f + 0.5f * number();
          auto gx = x, gy = y;
          for (int i = 0; i < n && normalized; i++)
            gx[i] /= width, gy[i] /= height;
          Device<float> dx(gx), dy(gy);
          hipTextureObject_t t = texture(resource, mode, filter, normalized);
          sample2<<<groups(n), 64>>>(t, out.p, dx.p, dy.p, n);
          auto found = out.host();
          // Coordinates that are not normalized do not repeat.
          auto real = normalized || mode == hipAddressModeBorder ? mode : hipAddressModeClamp;
          for (int i = 0; i < n; i++) {
            double at[3] = {x[i], y[i], 0};
            expect("2D", found[i], sampled(texels.data(), size, at, real, filter), filter ? 0.01 : 0, i);
          }
          CHECK(hipDestroyTextureObject(t));
        }
  CHECK(hipFree(pitched));
  // Four texels around a point.
  auto x = numbers(64, 1, width - 1), y = numbers(64, 1, height - 1);
  for (int i = 0; i < 64; i++)
    x[i] = std::floor(x[i]), y[i] = std::floor(y[i]);
  Device<float> dx(x), dy(y);
  Device<float4> four(64);
  hipTextureObject_t t = texture(of(array), hipAddressModeClamp, hipFilterModePoint, false);
  gather<<<1, 64>>>(t, four.p, dx.p, dy.p, 64);
  auto found = four.host();
  for (int i = 0; i < 64; i++) {
    auto at = [&](int dx, int dy) { return texels[((int)y[i] + dy) * width + (int)x[i] + dx]; };
    expect("gather x", found[i].x, at(-1, 0), 0, i);
    expect("gather y", found[i].y, at(0, 0), 0, i);
    expect("gather z", found[i].z, at(0, -1), 0, i);
    expect("gather w", found[i].w, at(-1, -1), 0, i);
  }
  CHECK(hipDestroyTextureObject(t));
  CHECK(hipFreeArray(array));
}

static void formats() {
  // Colors of four bytes: as they are, as fractions, as sRGB.
  const int n = 256;
  std::vector<uchar4> texels(n);
  for (int i = 0; i < n; i++)
    texels[i] = make_uchar4(i, 255 - i, i ^ 0x55, i / 2);
  auto desc = hipCreateChannelDesc<uchar4>();
  hipArray_t array;
  CHECK(hipMallocArray(&array, &desc, n));
  CHECK(hipMemcpyToArray(array, 0, 0, texels.data(), n * 4, hipMemcpyHostToDevice));
  std::vector<float> x(n);
  for (int i = 0; i < n; i++)
    x[i] = i + 0.5f;
  Device<float> dx(x);
  Device<uchar4> plain(n);
  Device<float4> parts(n), colors(n);
  hipTextureObject_t a = texture(of(array), hipAddressModeClamp, hipFilterModePoint, false);
  hipTextureObject_t b = texture(of(array), hipAddressModeClamp, hipFilterModePoint, false, hipReadModeNormalizedFloat);
  hipTextureObject_t c = texture(of(array), hipAddressModeClamp, hipFilterModePoint, false, hipReadModeNormalizedFloat, true);
  sample1<<<groups(n), 64>>>(a, plain.p, dx.p, n);
  sample1<<<groups(n), 64>>>(b, parts.p, dx.p, n);
  sample1<<<groups(n), 64>>>(c, colors.p, dx.p, n);
  auto p = plain.host();
  auto f = parts.host(), s = colors.host();
  auto to_linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  for (int i = 0; i < n; i++) {
    expect("uchar4", p[i].x + 1000 * p[i].w, texels[i].x + 1000 * texels[i].w, 0, i);
    expect("fraction", f[i].y, texels[i].y / 255.0, 1e-6, i);
    expect("sRGB", s[i].z, to_linear(texels[i].z / 255.0), 1e-5, i);
    expect("alpha of sRGB", s[i].w, texels[i].w / 255.0, 1e-6, i);
  }
  for (auto t : {a, b, c})
    CHECK(hipDestroyTextureObject(t));
  CHECK(hipFreeArray(array));
}

static void volume() {
  const int size[3] = {13, 9, 7}, n = 1000;
  auto texels = numbers(size[0] * size[1] * size[2], 0, 1);
  auto desc = hipCreateChannelDesc<float>();
  hipArray_t array;
  CHECK(hipMalloc3DArray(&array, &desc, make_hipExtent(size[0], size[1], size[2])));
  hipMemcpy3DParms copy = {};
  copy.srcPtr = make_hipPitchedPtr(texels.data(), size[0] * 4, size[0], size[1]);
  copy.dstArray = array;
  copy.extent = make_hipExtent(size[0], size[1], size[2]);
  copy.kind = hipMemcpyHostToDevice;
  CHECK(hipMemcpy3D(&copy));
  auto x = numbers(n, -3, 16), y = numbers(n, -3, 12), z = numbers(n, -3, 10);
  Device<float> dx(x), dy(y), dz(z), out(n);
  hipTextureObject_t t = texture(of(array), hipAddressModeBorder, hipFilterModeLinear, false);
  sample3<<<groups(n), 64>>>(t, out.p, dx.p, dy.p, dz.p, n);
  auto found = out.host();
  for (int i = 0; i < n; i++) {
    double at[3] = {x[i], y[i], z[i]};
    expect("3D", found[i], sampled(texels.data(), size, at, hipAddressModeBorder, true), 0.01, i);
  }
  CHECK(hipDestroyTextureObject(t));
  CHECK(hipFreeArray(array));
}

static void layers() {
  const int width = 11, height = 6, count = 5, n = 500;
  auto texels = numbers(width * height * count, 0, 1);
  auto desc = hipCreateChannelDesc<float>();
  hipArray_t array, rows;
  CHECK(hipMalloc3DArray(&array, &desc, make_hipExtent(width, height, count), hipArrayLayered));
  CHECK(hipMalloc3DArray(&rows, &desc, make_hipExtent(width, 0, count), hipArrayLayered));
  hipMemcpy3DParms copy = {};
  copy.kind = hipMemcpyHostToDevice;
  copy.srcPtr = make_hipPitchedPtr(texels.data(), width * 4, width, height);
  copy.dstArray = array;
  copy.extent = make_hipExtent(width, height, count);
  CHECK(hipMemcpy3D(&copy));
  copy.srcPtr = make_hipPitchedPtr(texels.data(), width * 4, width, 1);
  copy.dstArray = rows;
  copy.extent = make_hipExtent(width, 1, count);
  CHECK(hipMemcpy3D(&copy));
  auto x = numbers(n, 0, width), y = numbers(n, 0, height);
  std::vector<int> layer(n);
  for (int i = 0; i < n; i++)
    layer[i] = std::rand() % count;
  Device<float> dx(x), dy(y), out(n);
  Device<int> dl(layer);
  hipTextureObject_t t = texture(of(array), hipAddressModeClamp, hipFilterModeLinear, false);
  hipTextureObject_t r = texture(of(rows), hipAddressModeClamp, hipFilterModeLinear, false);
  const int flat[3] = {width, height, 1}, line[3] = {width, 1, 1};
  layers2<<<groups(n), 64>>>(t, out.p, dx.p, dy.p, dl.p, n);
  auto found = out.host();
  for (int i = 0; i < n; i++) {
    double at[3] = {x[i], y[i], 0};
    expect("layers", found[i], sampled(&texels[layer[i] * width * height], flat, at, hipAddressModeClamp, true), 0.01, i);
  }
  layers1<<<groups(n), 64>>>(r, out.p, dx.p, dl.p, n);
  found = out.host();
  for (int i = 0; i < n; i++) {
    double at[3] = {x[i], 0, 0};
    expect("layers of rows", found[i], sampled(&texels[layer[i] * width], line, at, hipAddressModeClamp, true), 0.01, i);
  }
  CHECK(hipDestroyTextureObject(t));
  CHECK(hipDestroyTextureObject(r));
  CHECK(hipFreeArray(array));
  CHECK(hipFreeArray(rows));
}

static void cubes() {
  // Each face has a value; a ray along an axis meets the middle of its face.
  auto desc = hipCreateChannelDesc<float>();
  hipArray_t array;
  CHECK(hipMalloc3DArray(&array, &desc, make_hipExtent(4, 4, 6), hipArrayCubemap));
  std::vector<float> texels(96);
  for (int i = 0; i < 96; i++)
    texels[i] = (float)(i / 16);
  hipMemcpy3DParms copy = {};
  copy.kind = hipMemcpyHostToDevice;
  copy.srcPtr = make_hipPitchedPtr(texels.data(), 16, 4, 4);
  copy.dstArray = array;
  copy.extent = make_hipExtent(4, 4, 6);
  CHECK(hipMemcpy3D(&copy));
  std::vector<float> x = {1, -1, 0.2f, 0.1f, 0.3f, -0.2f}, y = {0.1f, 0.3f, 1, -1, 0.1f, 0.4f}, z = {0.2f, -0.1f, 0.1f, 0.3f, 1, -1};
  Device<float> dx(x), dy(y), dz(z), out(6);
  hipTextureObject_t t = texture(of(array), hipAddressModeClamp, hipFilterModePoint, true);
  cube<<<1, 64>>>(t, out.p, dx.p, dy.p, dz.p, 6);
  auto found = out.host();
  for (int i = 0; i < 6; i++)
    expect("face of a cube", found[i], i, 0, i);
  CHECK(hipDestroyTextureObject(t));
  CHECK(hipFreeArray(array));
}

static void levels() {
  const int width = 32, height = 16, n = 400;
  auto desc = hipCreateChannelDesc<float>();
  hipMipmappedArray_t array;
  CHECK(hipMallocMipmappedArray(&array, &desc, make_hipExtent(width, height, 0), 4));
  for (int level = 0; level < 4; level++) {
    hipArray_t one;
    CHECK(hipGetMipmappedArrayLevel(&one, array, level));
    hipExtent extent;
    CHECK(hipArrayGetInfo(nullptr, &extent, nullptr, one));
    expect("width of a level", extent.width, width >> level, 0, level);
    std::vector<float> same((width >> level) * (height >> level), (float)(10 * level));
    CHECK(hipMemcpy2DToArray(one, 0, 0, same.data(), extent.width * 4, extent.width * 4, extent.height, hipMemcpyHostToDevice));
  }
  hipResourceDesc resource = {};
  resource.resType = hipResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = array;
  auto x = numbers(n, 0, 1), y = numbers(n, 0, 1), level = numbers(n, -1, 5);
  Device<float> dx(x), dy(y), dl(level), out(n);
  hipTextureObject_t t = texture(resource, hipAddressModeClamp, hipFilterModeLinear, true);
  levels2<<<groups(n), 64>>>(t, out.p, dx.p, dy.p, dl.p, n);
  auto found = out.host();
  for (int i = 0; i < n; i++)
    expect("level", found[i], 10 * std::fmin(std::fmax(level[i], 0), 3), 0.05, i);
  CHECK(hipDestroyTextureObject(t));
  CHECK(hipFreeMipmappedArray(array));
}

template <typename T> static void surface(const char *what) {
  const int width = 19, height = 30;
  auto desc = hipCreateChannelDesc<T>();
  hipArray_t from, to;
  CHECK(hipMallocArray(&from, &desc, width, height, hipArraySurfaceLoadStore));
  CHECK(hipMallocArray(&to, &desc, height, width, hipArraySurfaceLoadStore));
  std::vector<T> texels(width * height), turned(width * height);
  for (char *p = (char *)texels.data(); p < (char *)(texels.data() + texels.size()); p++)
    *p = (char)(std::rand() & 0x3f); // no NaNs
  CHECK(hipMemcpy2DToArrayAsync(from, 0, 0, texels.data(), width * sizeof(T), width * sizeof(T), height, hipMemcpyHostToDevice));
  hipSurfaceObject_t a, b;
  hipResourceDesc ra = of(from), rb = of(to);
  CHECK(hipCreateSurfaceObject(&a, &ra));
  CHECK(hipCreateSurfaceObject(&b, &rb));
  turn<T><<<dim3(3, 4), dim3(8, 8)>>>(a, b, width, height);
  CHECK(hipMemcpy2DFromArray(turned.data(), height * sizeof(T), to, 0, 0, height * sizeof(T), width, hipMemcpyDeviceToHost));
  for (int i = 0; i < width * height; i++)
    if (std::memcmp(&turned[i % width * height + i / width], &texels[i], sizeof(T)) != 0 && failures++ < 20)
      std::printf("surface of %s: texel %d\n", what, i);
  CHECK(hipDestroySurfaceObject(a));
  CHECK(hipDestroySurfaceObject(b));
  CHECK(hipFreeArray(from));
  CHECK(hipFreeArray(to));
}

static void solid() {
  const int w = 6, h = 5, d = 4;
  auto desc = hipCreateChannelDesc<unsigned>();
  hipArray_t array;
  CHECK(hipMalloc3DArray(&array, &desc, make_hipExtent(w, h, d), hipArraySurfaceLoadStore));
  hipSurfaceObject_t s;
  hipResourceDesc resource = of(array);
  CHECK(hipCreateSurfaceObject(&s, &resource));
  fill3<<<groups(w * h * d), 64>>>(s, w, h, d);
  // A box from the middle.
  std::vector<unsigned> box(3 * 2 * 2);
  hipMemcpy3DParms copy = {};
  copy.srcArray = array;
  copy.srcPos = make_hipPos(2, 1, 2);
  copy.dstPtr = make_hipPitchedPtr(box.data(), 12, 3, 2);
  copy.extent = make_hipExtent(3, 2, 2);
  copy.kind = hipMemcpyDeviceToHost;
  CHECK(hipMemcpy3D(&copy));
  for (int i = 0; i < 12; i++)
    expect("box", box[i], 2 + i % 3 + 100 * (1 + i / 3 % 2) + 10000 * (2 + i / 6), 0, i);
  CHECK(hipDestroySurfaceObject(s));
  CHECK(hipFreeArray(array));
}

static void refused() {
  auto desc = hipCreateChannelDesc<float>();
  hipArray_t array;
  expect("three channels", hipMallocArray(&array, new hipChannelFormatDesc{8, 8, 8, 0, hipChannelFormatKindUnsigned}, 8, 8), hipErrorInvalidValue, 0, 0);
  CHECK(hipMallocArray(&array, &desc, 8, 8));
  char text[400] = {};
  expect("too many rows", hipMemcpy2DToArray(array, 0, 1, text, 32, 32, 8, hipMemcpyHostToDevice), hipErrorInvalidValue, 0, 0);
  expect("too many bytes", hipMemcpyToArray(array, 4, 7, text, 32, hipMemcpyHostToDevice), hipErrorInvalidValue, 0, 0);
  CHECK(hipMemcpyToArray(array, 4, 3, text, 100, hipMemcpyHostToDevice));
  CHECK(hipFreeArray(array));
  hipTextureObject_t t;
  hipTextureDesc texture = {};
  hipResourceDesc resource = of(array);
  expect("a freed array", hipCreateTextureObject(&t, &resource, &texture, nullptr) != hipSuccess, 1, 0, 0);
  (void)hipGetLastError();
}

int main() {
  std::srand(7);
  linear_memory();
  flat();
  formats();
  volume();
  layers();
  cubes();
  levels();
  surface<float>("float");
  surface<float4>("float4");
  surface<uchar4>("uchar4");
  surface<short2>("short2");
  surface<unsigned>("unsigned");
  solid();
  refused();
  CHECK(hipDeviceSynchronize());
  std::printf(failures ? "%d differences\n" : "ok\n", failures);
  return failures != 0;
}
