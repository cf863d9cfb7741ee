// How many texels per second does one core read through an OpenCL driver? The pattern of benches/texture.rs: images of 1024x1024 (3D: 128^3), 256x128
// work-items in groups of 8x4, each reading a slightly turned picture's texels, and again a little farther on, so that the sum is all that is stored.
//
//   cc -O2 -o opencl opencl.c -l:libOpenCL.so.1 -lm      (opencl-c-headers, ocl-icd-libopencl1)
//   ./opencl libpocl.so.2                                 any driver library
//
// Prints "case<TAB>Mtexel/s" for the cases the driver has. The process stays on the core it starts on.
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { W = 256, H = 128, REPEATS = 16, ROUNDS = 60 };

static const char *source =
    "#define AT(K) float2 p = (float2)((float)get_global_id(0), (float)get_global_id(1)) * STEP;\\\n"
    "  float4 sum = 0; for (int k = 0; k < REPEATS; k++) {\\\n"
    "    float2 t = (float2)(p.x * 0.99500417f + p.y * 0.09983342f + 3.3f, p.y * 0.99500417f + p.x * 0.09983342f + 5.7f) + (float2)(k, k) * 0.37f;\n"
    "#define END } out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;\n"
    "kernel void sample2(read_only image2d_t i, sampler_t s, global float4 *out) { AT() sum += read_imagef(i, s, t / 1024.0f); END }\n"
    "kernel void sample3(read_only image3d_t i, sampler_t s, global float4 *out)\n"
    "  { AT() sum += read_imagef(i, s, (float4)(t / 128.0f, (t.x + t.y) / 512.0f, 0)); END }\n"
    "kernel void load2(read_only image2d_t i, sampler_t s, global float4 *out) { AT() sum += read_imagef(i, convert_int2(t)); END }\n"
    "kernel void store2(write_only image2d_t i, sampler_t s, global float4 *out) { AT() write_imagef(i, convert_int2(t), sum); sum += 0.01f; END }\n";

struct Case {
  const char *name, *kernel;
  cl_channel_order order;
  cl_channel_type type;
  cl_addressing_mode mode;
  cl_filter_mode filter;
  const char *step;
};

static const struct Case cases[] = {
    {"bilinear 8_8_8_8_UNORM", "sample2", CL_RGBA, CL_UNORM_INT8, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, "0.9f"},
    {"bilinear 16_16_16_16_FLOAT", "sample2", CL_RGBA, CL_HALF_FLOAT, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, "0.9f"},
    {"bilinear 32_32_32_32_FLOAT", "sample2", CL_RGBA, CL_FLOAT, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, "0.9f"},
    {"bilinear 32_FLOAT", "sample2", CL_R, CL_FLOAT, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, "0.9f"},
    {"bilinear 16_16_16_16_UNORM", "sample2", CL_RGBA, CL_UNORM_INT16, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, "0.9f"},
    {"border 8_8_8_8_UNORM", "sample2", CL_RGBA, CL_UNORM_INT8, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, "0.9f"},
    {"point 8_8_8_8_UNORM", "sample2", CL_RGBA, CL_UNORM_INT8, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, "0.9f"},
    {"3D 8_8_8_8_UNORM", "sample3", CL_RGBA, CL_UNORM_INT8, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, "0.9f"},
    {"load 8_8_8_8_UNORM", "load2", CL_RGBA, CL_UNORM_INT8, CL_ADDRESS_NONE, CL_FILTER_NEAREST, "1.0f"},
    {"load 32_32_32_32_FLOAT", "load2", CL_RGBA, CL_FLOAT, CL_ADDRESS_NONE, CL_FILTER_NEAREST, "1.0f"},
    {"store 8_8_8_8_UNORM", "store2", CL_RGBA, CL_UNORM_INT8, CL_ADDRESS_NONE, CL_FILTER_NEAREST, "1.0f"},
};

// Of all threads: what one core would need.
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

// Mtexel/s, or 0 where the driver refuses.
static double run(const struct Case *c, cl_context context, cl_device_id device, cl_command_queue queue) {
  int is_volume = !strcmp(c->kernel, "sample3");
  size_t n = is_volume ? 128 : 1024, local[2] = {8, 4}, global[2] = {W, H};
  cl_image_format format = {c->order, c->type};
  cl_image_desc desc = {0};
  desc.image_type = is_volume ? CL_MEM_OBJECT_IMAGE3D : CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = desc.image_height = n;
  desc.image_depth = is_volume ? n : 0;
  size_t bytes = n * n * (is_volume ? n : 1) * 16;
  unsigned char *texels = malloc(bytes);
  for (size_t k = 0; k < bytes; k++) texels[k] = ((unsigned)k * 0x9e3779b9u >> 16) & 0x3b;
  cl_int e;
  cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &desc, texels, &e);
  free(texels);
  if (e) return 0;
  cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, W * H * 16, NULL, &e);
  cl_bool normalized = c->mode != CL_ADDRESS_NONE;
  cl_sampler sampler = clCreateSampler(context, normalized, c->mode, c->filter, &e);
  if (e) return 0;
  char options[128];
  snprintf(options, sizeof options, "-cl-std=CL1.2 -DREPEATS=%d -DSTEP=%s", REPEATS, c->step);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &e);
  if (clBuildProgram(program, 1, &device, options, NULL, NULL)) {
    static char log[4096];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    fprintf(stderr, "%s: %s\n", c->name, log);
    return 0;
  }
  cl_kernel kernel = clCreateKernel(program, c->kernel, &e);
  clSetKernelArg(kernel, 0, sizeof image, &image);
  clSetKernelArg(kernel, 1, sizeof sampler, &sampler);
  clSetKernelArg(kernel, 2, sizeof out, &out);
  double best = 1e9;
  for (int round = 0; round <= ROUNDS; round++) {
    double start = now();
    if (clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL) || clFinish(queue)) return 0;
    double took = now() - start;
    if (round && took < best) best = took;
  }
  clReleaseKernel(kernel), clReleaseProgram(program), clReleaseMemObject(image), clReleaseMemObject(out), clReleaseSampler(sampler);
  return (double)W * H * REPEATS / best / 1e6;
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: %s DRIVER_LIBRARY\n", argv[0]), 2;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);

  // The loader takes drivers from a folder of files that name them.
  char folder[] = "/tmp/opencl-peer-XXXXXX", path[64];
  if (!mkdtemp(folder)) return perror(folder), 1;
  snprintf(path, sizeof path, "%s/one.icd", folder);
  FILE *icd = fopen(path, "w");
  if (!icd) return perror(path), 1;
  fprintf(icd, "%s\n", argv[1]);
  fclose(icd);
  setenv("OCL_ICD_VENDORS", folder, 1);

  cl_platform_id platform;
  cl_device_id device;
  cl_int e = clGetPlatformIDs(1, &platform, NULL);
  unlink(path), rmdir(folder);
  if (e || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return fprintf(stderr, "%s: no device\n", argv[1]), 1;
  char name[256] = "", version[256] = "";
  clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof name, name, NULL);
  clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
  printf("# %s, driver %s\n", name, version);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  if (e) return fprintf(stderr, "%s: no queue\n", argv[1]), 1;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    double rate = run(&cases[k], context, device, queue);
    if (rate > 0) printf("%s\t%.1f\n", cases[k].name, rate);
    fflush(stdout);
  }
}
