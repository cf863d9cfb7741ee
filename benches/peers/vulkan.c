// How many texels per second does one core read through a Vulkan driver, such as Mesa's lavapipe? The pattern and the output of opencl.c; mip levels,
// comparison, gathers and cubes besides.
//
//   for k in 1 2 3 4 5 6 7 8 9; do glslangValidator -V --quiet -DKIND=$k -o kind$k.spv vulkan.comp; done     (glslang-tools)
//   cc -O2 -o vulkan vulkan.c -lvulkan                    (libvulkan-dev, mesa-vulkan-drivers)
//   VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/lvp_icd.x86_64.json ./vulkan FOLDER_OF_SPV
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vulkan/vulkan.h>

enum { W = 256, H = 128, REPEATS = 16, ROUNDS = 60 };
#define CHECK(call)                                                     \
  do {                                                                  \
    VkResult r_ = (call);                                               \
    if (r_) fprintf(stderr, "%s: %d\n", #call, r_), exit(1);            \
  } while (0)

enum { LOD0 = 1, GRAD, VOLUME, CUBE, SHADOW, GATHER, FETCH, STORE, ANISO };
struct Case {
  const char *name;
  int kind;
  VkFormat format;
  float step;
  int levels, is_linear;
  VkSamplerAddressMode mode;
};
#define REPEAT VK_SAMPLER_ADDRESS_MODE_REPEAT
static const struct Case cases[] = {
    {"bilinear 8_8_8_8_UNORM", LOD0, VK_FORMAT_R8G8B8A8_UNORM, 0.9f, 1, 1, REPEAT},
    {"bilinear 8_8_8_8_SRGB", LOD0, VK_FORMAT_R8G8B8A8_SRGB, 0.9f, 1, 1, REPEAT},
    {"bilinear 16_16_16_16_FLOAT", LOD0, VK_FORMAT_R16G16B16A16_SFLOAT, 0.9f, 1, 1, REPEAT},
    {"bilinear 32_32_32_32_FLOAT", LOD0, VK_FORMAT_R32G32B32A32_SFLOAT, 0.9f, 1, 1, REPEAT},
    {"bilinear 32_FLOAT", LOD0, VK_FORMAT_R32_SFLOAT, 0.9f, 1, 1, REPEAT},
    {"bilinear 16_16_16_16_UNORM", LOD0, VK_FORMAT_R16G16B16A16_UNORM, 0.9f, 1, 1, REPEAT},
    {"bilinear 10_11_11_FLOAT", LOD0, VK_FORMAT_B10G11R11_UFLOAT_PACK32, 0.9f, 1, 1, REPEAT},
    {"bilinear 2_10_10_10_UNORM", LOD0, VK_FORMAT_A2B10G10R10_UNORM_PACK32, 0.9f, 1, 1, REPEAT},
    {"trilinear 8_8_8_8_UNORM", GRAD, VK_FORMAT_R8G8B8A8_UNORM, 2.7f, 11, 1, REPEAT},
    {"trilinear 16_16_16_16_FLOAT", GRAD, VK_FORMAT_R16G16B16A16_SFLOAT, 2.7f, 11, 1, REPEAT},
    {"anisotropic 8_8_8_8_UNORM", ANISO, VK_FORMAT_R8G8B8A8_UNORM, 10.8f, 11, 1, REPEAT},
    {"border 8_8_8_8_UNORM", LOD0, VK_FORMAT_R8G8B8A8_UNORM, 0.9f, 1, 1, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER},
    {"point 8_8_8_8_UNORM", LOD0, VK_FORMAT_R8G8B8A8_UNORM, 0.9f, 1, 0, REPEAT},
    {"3D 8_8_8_8_UNORM", VOLUME, VK_FORMAT_R8G8B8A8_UNORM, 0.9f, 1, 1, REPEAT},
    {"cube 8_8_8_8_UNORM", CUBE, VK_FORMAT_R8G8B8A8_UNORM, 0.9f, 1, 1, REPEAT},
    {"compare 32_FLOAT", SHADOW, VK_FORMAT_D32_SFLOAT, 0.9f, 1, 1, REPEAT},
    {"gather4 8_8_8_8_UNORM", GATHER, VK_FORMAT_R8G8B8A8_UNORM, 0.9f, 1, 1, REPEAT},
    {"load 8_8_8_8_UNORM", FETCH, VK_FORMAT_R8G8B8A8_UNORM, 1.0f, 1, 0, REPEAT},
    {"load 32_32_32_32_FLOAT", FETCH, VK_FORMAT_R32G32B32A32_SFLOAT, 1.0f, 1, 0, REPEAT},
    {"store 8_8_8_8_UNORM", STORE, VK_FORMAT_R8G8B8A8_UNORM, 1.0f, 1, 0, REPEAT},
};

static VkDevice device;
static VkQueue queue;
static VkCommandPool pool;

// Of all threads: what one core would need.
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static VkDeviceMemory allocate(VkMemoryRequirements needs) {
  // Software drivers have one kind of memory, visible to the host.
  VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size};
  while (!(needs.memoryTypeBits >> info.memoryTypeIndex & 1)) info.memoryTypeIndex++;
  VkDeviceMemory memory;
  CHECK(vkAllocateMemory(device, &info, NULL, &memory));
  return memory;
}

static VkBuffer buffer(VkDeviceSize size, VkBufferUsageFlags usage, VkDeviceMemory *memory) {
  VkBuffer b;
  CHECK(vkCreateBuffer(device, &(VkBufferCreateInfo){VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage}, NULL, &b));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device, b, &needs);
  *memory = allocate(needs);
  CHECK(vkBindBufferMemory(device, b, *memory, 0));
  return b;
}

static VkCommandBuffer commands;
static void begin(void) {
  CHECK(vkBeginCommandBuffer(commands, &(VkCommandBufferBeginInfo){VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
}
static double submit(void) {
  double start = now();
  VkSubmitInfo info = {VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
  CHECK(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE));
  CHECK(vkQueueWaitIdle(queue));
  return now() - start;
}

static VkShaderModule module(const char *folder, int kind) {
  char path[512];
  snprintf(path, sizeof path, "%s/kind%d.spv", folder, kind);
  FILE *f = fopen(path, "rb");
  if (!f) perror(path), exit(1);
  static unsigned code[1 << 16];
  size_t size = fread(code, 1, sizeof code, f);
  fclose(f);
  VkShaderModule m;
  VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};
  CHECK(vkCreateShaderModule(device, &info, NULL, &m));
  return m;
}

static double run(const struct Case *c, const char *folder) {
  int is_volume = c->kind == VOLUME, is_cube = c->kind == CUBE, is_depth = c->format == VK_FORMAT_D32_SFLOAT;
  unsigned n = is_volume ? 128 : is_cube ? 256 : 1024, layers = is_cube ? 6 : 1;
  VkImageAspectFlags aspect = is_depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
  VkImageUsageFlags usage = c->kind == STORE ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT;
  VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .flags = is_cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
      .imageType = is_volume ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D, .format = c->format, .extent = {n, n, is_volume ? n : 1},
      .mipLevels = c->levels, .arrayLayers = layers, .samples = 1, .tiling = VK_IMAGE_TILING_OPTIMAL,
      .usage = usage | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
  VkImage image;
  CHECK(vkCreateImage(device, &info, NULL, &image));
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(device, image, &needs);
  VkDeviceMemory memory = allocate(needs), staging_memory, out_memory;
  CHECK(vkBindImageMemory(device, image, memory, 0));
  VkDeviceSize bytes = (VkDeviceSize)n * n * (is_volume ? n : 1) * 16 * layers;
  VkBuffer staging = buffer(bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, &staging_memory);
  unsigned char *texels;
  CHECK(vkMapMemory(device, staging_memory, 0, VK_WHOLE_SIZE, 0, (void **)&texels));
  for (VkDeviceSize k = 0; k < bytes; k++) texels[k] = ((unsigned)k * 0x9e3779b9u >> 16) & 0x3b;
  vkUnmapMemory(device, staging_memory);
  VkBuffer out = buffer(W * H * 16, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, &out_memory);

  begin();
  VkImageSubresourceRange all = {aspect, 0, c->levels, 0, layers};
  VkImageMemoryBarrier barrier = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
      .newLayout = VK_IMAGE_LAYOUT_GENERAL, .image = image, .subresourceRange = all};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, 0, 0, 0, 1, &barrier);
  for (int level = 0; level < c->levels; level++) {
    unsigned m = n >> level ? n >> level : 1;
    VkBufferImageCopy copy = {.imageSubresource = {aspect, level, 0, layers}, .imageExtent = {m, m, is_volume ? m : 1}};
    vkCmdCopyBufferToImage(commands, staging, image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
  }
  CHECK(vkEndCommandBuffer(commands));
  submit();

  VkImageViewCreateInfo view_info = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = image, .format = c->format, .subresourceRange = all,
      .viewType = is_volume ? VK_IMAGE_VIEW_TYPE_3D : is_cube ? VK_IMAGE_VIEW_TYPE_CUBE : VK_IMAGE_VIEW_TYPE_2D};
  VkImageView view;
  CHECK(vkCreateImageView(device, &view_info, NULL, &view));
  VkFilter filter = c->is_linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
  VkSamplerCreateInfo sampler_info = {VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .magFilter = filter, .minFilter = filter,
      .mipmapMode = c->levels > 1 ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST, .addressModeU = c->mode,
      .addressModeV = c->mode, .addressModeW = c->mode, .maxLod = 16, .anisotropyEnable = c->kind == ANISO, .maxAnisotropy = 4,
      .compareEnable = is_depth, .compareOp = VK_COMPARE_OP_LESS};
  VkSampler sampler;
  CHECK(vkCreateSampler(device, &sampler_info, NULL, &sampler));

  VkDescriptorType type = c->kind == STORE ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  VkDescriptorSetLayoutBinding bindings[] = {{0, type, 1, VK_SHADER_STAGE_COMPUTE_BIT},
      {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT}};
  VkDescriptorSetLayout set_layout;
  CHECK(vkCreateDescriptorSetLayout(device,
      &(VkDescriptorSetLayoutCreateInfo){VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings}, NULL,
      &set_layout));
  VkDescriptorPoolSize sizes[] = {{type, 1}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}};
  VkDescriptorPool descriptors;
  CHECK(vkCreateDescriptorPool(device,
      &(VkDescriptorPoolCreateInfo){VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 2, .pPoolSizes = sizes}, NULL,
      &descriptors));
  VkDescriptorSet set;
  CHECK(vkAllocateDescriptorSets(device,
      &(VkDescriptorSetAllocateInfo){VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, NULL, descriptors, 1, &set_layout}, &set));
  VkDescriptorImageInfo image_info = {sampler, view, VK_IMAGE_LAYOUT_GENERAL};
  VkDescriptorBufferInfo buffer_info = {out, 0, VK_WHOLE_SIZE};
  VkWriteDescriptorSet writes[] = {{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, NULL, set, 0, 0, 1, type, &image_info},
      {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, NULL, set, 1, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &buffer_info}};
  vkUpdateDescriptorSets(device, 2, writes, 0, NULL);
  VkPipelineLayout layout;
  CHECK(vkCreatePipelineLayout(device,
      &(VkPipelineLayoutCreateInfo){VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout}, NULL,
      &layout));
  struct { float step; int repeats; } constants = {c->step, REPEATS};
  VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}};
  VkSpecializationInfo special = {2, entries, sizeof constants, &constants};
  VkComputePipelineCreateInfo pipeline_info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = layout,
      .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module(folder, c->kind),
          .pName = "main", .pSpecializationInfo = &special}};
  VkPipeline pipeline;
  CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &pipeline_info, NULL, &pipeline));

  begin();
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
  vkCmdDispatch(commands, W / 8, H / 4, 1);
  CHECK(vkEndCommandBuffer(commands));
  double best = 1e9;
  for (int round = 0; round <= ROUNDS; round++) {
    double took = submit();
    if (round && took < best) best = took;
  }
  vkDestroyImage(device, image, NULL);
  vkFreeMemory(device, memory, NULL);
  vkDestroyBuffer(device, staging, NULL);
  vkFreeMemory(device, staging_memory, NULL);
  return (double)W * H * REPEATS / best / 1e6;
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: %s FOLDER_OF_SPV\n", argv[0]), 2;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  setenv("LP_NUM_THREADS", "1", 1);
  VkInstance instance;
  VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
  CHECK(vkCreateInstance(&(VkInstanceCreateInfo){VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app}, NULL, &instance));
  VkPhysicalDevice physical;
  vkEnumeratePhysicalDevices(instance, &(uint32_t){1}, &physical);
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(physical, &properties);
  printf("# %s, driver %#x\n", properties.deviceName, properties.driverVersion);
  VkDeviceQueueCreateInfo queues = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &(float){1}};
  VkPhysicalDeviceFeatures features = {.samplerAnisotropy = VK_TRUE};
  VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queues,
      .pEnabledFeatures = &features};
  CHECK(vkCreateDevice(physical, &info, NULL, &device));
  vkGetDeviceQueue(device, 0, 0, &queue);
  CHECK(vkCreateCommandPool(device, &(VkCommandPoolCreateInfo){VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
      .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT}, NULL, &pool));
  CHECK(vkAllocateCommandBuffers(device, &(VkCommandBufferAllocateInfo){VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, pool,
      VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1}, &commands));
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    printf("%s\t%.1f\n", cases[k].name, run(&cases[k], argv[1]));
    fflush(stdout);
  }
}
