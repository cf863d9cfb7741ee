// What the tests share: a device, buffers that the host sees, pipelines of one shader, command buffers that run to their end.
#ifndef WAVEJIT_TESTS_VK_H
#define WAVEJIT_TESTS_VK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    VkResult result_ = (call);                                                                        \
    if (result_ != VK_SUCCESS) {                                                                      \
      printf("%s:%d: %s gives %d\n", __FILE__, __LINE__, #call, result_);                             \
      exit(1);                                                                                        \
    }                                                                                                 \
  } while (0)

typedef struct {
  VkPhysicalDevice physical;
  VkDevice device;
  VkQueue graphics, compute;
  uint32_t graphics_family, compute_family;
  VkCommandPool pool, compute_pool;
  VkDescriptorPool sets;
  const char *shaders;
  float period; // nanoseconds of a tick
} Gpu;

typedef struct {
  VkBuffer buffer;
  VkDeviceMemory memory;
  void *map;
  VkDeviceSize bytes;
} Buffer;

typedef struct {
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout layout;
  VkPipeline pipeline;
} Pipeline;

static VkInstance make_instance(void) {
  VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
  VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
  VkInstance instance;
  CHECK(vkCreateInstance(&info, NULL, &instance));
  return instance;
}

static uint32_t family(VkPhysicalDevice physical, VkQueueFlags with, VkQueueFlags without) {
  VkQueueFamilyProperties families[16];
  uint32_t count = 16;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
  for (uint32_t i = 0; i < count; i++)
    if ((families[i].queueFlags & with) == with && !(families[i].queueFlags & without)) return i;
  return UINT32_MAX;
}

static Gpu make_gpu(VkInstance instance, const char *shaders) {
  Gpu gpu = {.shaders = shaders};
  uint32_t one = 1;
  VkResult result = vkEnumeratePhysicalDevices(instance, &one, &gpu.physical);
  if (one != 1 || result < 0) {
    printf("there is no device\n");
    exit(1);
  }
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(gpu.physical, &properties);
  gpu.period = properties.limits.timestampPeriod;
  gpu.graphics_family = family(gpu.physical, VK_QUEUE_GRAPHICS_BIT, 0);
  gpu.compute_family = family(gpu.physical, VK_QUEUE_COMPUTE_BIT, VK_QUEUE_GRAPHICS_BIT);
  float priority = 1;
  VkDeviceQueueCreateInfo queues[2] = {
      {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = gpu.graphics_family, .queueCount = 1, .pQueuePriorities = &priority},
      {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = gpu.compute_family, .queueCount = 1, .pQueuePriorities = &priority},
  };
  VkPhysicalDeviceVulkan12Features features12 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .timelineSemaphore = 1, .bufferDeviceAddress = 1};
  VkPhysicalDeviceFeatures2 features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features12, .features = {.shaderInt64 = 1, .shaderFloat64 = 1}};
  VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &features, .queueCreateInfoCount = 2, .pQueueCreateInfos = queues};
  CHECK(vkCreateDevice(gpu.physical, &info, NULL, &gpu.device));
  vkGetDeviceQueue(gpu.device, gpu.graphics_family, 0, &gpu.graphics);
  vkGetDeviceQueue(gpu.device, gpu.compute_family, 0, &gpu.compute);
  VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = gpu.graphics_family};
  CHECK(vkCreateCommandPool(gpu.device, &pool, NULL, &gpu.pool));
  pool.queueFamilyIndex = gpu.compute_family;
  CHECK(vkCreateCommandPool(gpu.device, &pool, NULL, &gpu.compute_pool));
  VkDescriptorPoolSize sizes[3] = {
      {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 256}, {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 16}, {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 16}};
  VkDescriptorPoolCreateInfo sets = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 64, .poolSizeCount = 3, .pPoolSizes = sizes};
  CHECK(vkCreateDescriptorPool(gpu.device, &sets, NULL, &gpu.sets));
  return gpu;
}

static VkDeviceMemory allocate(Gpu *gpu, VkMemoryRequirements needs, VkMemoryPropertyFlags flags) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(gpu->physical, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
    if (!(needs.memoryTypeBits >> i & 1) || (memory.memoryTypes[i].propertyFlags & flags) != flags) continue;
    VkMemoryAllocateFlagsInfo how = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &how, .allocationSize = needs.size, .memoryTypeIndex = i};
    VkDeviceMemory result;
    CHECK(vkAllocateMemory(gpu->device, &info, NULL, &result));
    return result;
  }
  printf("no type of memory\n");
  exit(1);
}

static Buffer make_buffer(Gpu *gpu, VkDeviceSize bytes) {
  Buffer b = {.bytes = bytes};
  VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                             .size = bytes,
                             .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                      VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
  CHECK(vkCreateBuffer(gpu->device, &info, NULL, &b.buffer));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(gpu->device, b.buffer, &needs);
  b.memory = allocate(gpu, needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  CHECK(vkBindBufferMemory(gpu->device, b.buffer, b.memory, 0));
  CHECK(vkMapMemory(gpu->device, b.memory, 0, bytes, 0, &b.map));
  memset(b.map, 0, bytes);
  return b;
}

static void free_buffer(Gpu *gpu, Buffer *b) {
  vkDestroyBuffer(gpu->device, b->buffer, NULL);
  vkFreeMemory(gpu->device, b->memory, NULL);
}

static VkShaderModule load(Gpu *gpu, const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s.spv", gpu->shaders, name);
  FILE *file = fopen(path, "rb");
  if (!file) {
    printf("%s is not there\n", path);
    exit(1);
  }
  static uint32_t code[1 << 16];
  size_t bytes = fread(code, 1, sizeof code, file);
  fclose(file);
  VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = code};
  VkShaderModule module;
  CHECK(vkCreateShaderModule(gpu->device, &info, NULL, &module));
  return module;
}

// A compute pipeline with `count` descriptors of these types in set 0, 32 bytes of push constants, and specialization constants.
static Pipeline make_pipeline(Gpu *gpu, const char *shader, const VkDescriptorType *types, uint32_t count, const VkSpecializationInfo *constants,
                              VkPipelineCreateFlags flags) {
  Pipeline p;
  VkDescriptorSetLayoutBinding bindings[8];
  for (uint32_t i = 0; i < count; i++)
    bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i, .descriptorType = types[i], .descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
  VkDescriptorSetLayoutCreateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = count, .pBindings = bindings};
  CHECK(vkCreateDescriptorSetLayout(gpu->device, &set, NULL, &p.set_layout));
  VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 32};
  VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                       .setLayoutCount = 1,
                                       .pSetLayouts = &p.set_layout,
                                       .pushConstantRangeCount = 1,
                                       .pPushConstantRanges = &push};
  CHECK(vkCreatePipelineLayout(gpu->device, &layout, NULL, &p.layout));
  VkShaderModule module = load(gpu, shader);
  VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                      .flags = flags,
                                      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                .module = module,
                                                .pName = "main",
                                                .pSpecializationInfo = constants},
                                      .layout = p.layout};
  CHECK(vkCreateComputePipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &p.pipeline));
  vkDestroyShaderModule(gpu->device, module, NULL);
  return p;
}

static Pipeline make_buffer_pipeline(Gpu *gpu, const char *shader, uint32_t count) {
  VkDescriptorType types[8];
  for (uint32_t i = 0; i < count; i++) types[i] = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  return make_pipeline(gpu, shader, types, count, NULL, VK_PIPELINE_CREATE_DISPATCH_BASE);
}

static VkDescriptorSet make_set(Gpu *gpu, Pipeline *p, Buffer **buffers, uint32_t count) {
  VkDescriptorSetAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = gpu->sets, .descriptorSetCount = 1, .pSetLayouts = &p->set_layout};
  VkDescriptorSet set;
  CHECK(vkAllocateDescriptorSets(gpu->device, &info, &set));
  for (uint32_t i = 0; i < count; i++) {
    VkDescriptorBufferInfo buffer = {buffers[i]->buffer, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = set,
                                  .dstBinding = i,
                                  .descriptorCount = 1,
                                  .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                  .pBufferInfo = &buffer};
    vkUpdateDescriptorSets(gpu->device, 1, &write, 0, NULL);
  }
  return set;
}

static VkCommandBuffer begin_on(Gpu *gpu, VkCommandPool pool) {
  VkCommandBufferAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
  VkCommandBuffer commands;
  CHECK(vkAllocateCommandBuffers(gpu->device, &info, &commands));
  VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  CHECK(vkBeginCommandBuffer(commands, &begin));
  return commands;
}

static VkCommandBuffer begin(Gpu *gpu) { return begin_on(gpu, gpu->pool); }

static void bind(VkCommandBuffer commands, Pipeline *p, VkDescriptorSet set) {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, p->pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, p->layout, 0, 1, &set, 0, NULL);
}

// What comes before is complete and visible to what follows, on the device and the host.
static void barrier(VkCommandBuffer commands) {
  VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                         .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                         .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_READ_BIT};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0, NULL,
                       0, NULL);
}

// Runs commands; what the wait for their fence gives.
static VkResult finish(Gpu *gpu, VkCommandBuffer commands) {
  barrier(commands);
  CHECK(vkEndCommandBuffer(commands));
  VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence fence;
  CHECK(vkCreateFence(gpu->device, &info, NULL, &fence));
  VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
  CHECK(vkQueueSubmit(gpu->graphics, 1, &submit, fence));
  VkResult result = vkWaitForFences(gpu->device, 1, &fence, VK_TRUE, UINT64_MAX);
  if (result == VK_SUCCESS) result = vkQueueWaitIdle(gpu->graphics);
  vkDestroyFence(gpu->device, fence, NULL);
  return result;
}

#endif
