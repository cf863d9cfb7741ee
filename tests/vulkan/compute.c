// Compute through Vulkan: each test computes something on the device and the same in C.
//
//   compute SHADERS [NAME...]     tests by name; without one all but `wild` and `endless`, which end in a lost device
#include "vk.h"
#include <math.h>
#include <pthread.h>

static int failures = 0;
static const char *running;

static void expect(int holds, const char *what, double found, double wanted) {
  if (holds) return;
  if (failures++ < 20) printf("%s: %s: found %.9g, expected %.9g\n", running, what, found, wanted);
}

static void saxpy(Gpu *gpu) {
  enum { N = 10007 };
  Buffer x = make_buffer(gpu, 4 * N), y = make_buffer(gpu, 4 * N);
  float *xs = x.map, *ys = y.map;
  for (int i = 0; i < N; i++) xs[i] = i * 0.25f, ys[i] = 1.0f / (i + 1);
  struct { uint32_t size; float bias; } constants = {96, 2.5f};
  VkSpecializationMapEntry entries[2] = {{0, 0, 4}, {1, 4, 4}};
  VkSpecializationInfo info = {2, entries, sizeof constants, &constants};
  VkDescriptorType types[2] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
  Pipeline p = make_pipeline(gpu, "saxpy", types, 2, &info, 0);
  VkDescriptorSet set = make_set(gpu, &p, (Buffer *[]){&x, &y}, 2);
  VkCommandBuffer c = begin(gpu);
  bind(c, &p, set);
  struct { float a; uint32_t n; } push = {3.0f, N};
  for (int turn = 0; turn < 3; turn++) {
    vkCmdPushConstants(c, p.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    vkCmdDispatch(c, (N + 95) / 96, 1, 1);
    barrier(c);
    push.a += 1;
  }
  CHECK(finish(gpu, c));
  for (int i = 0; i < N; i++) {
    double want = 1.0 / (i + 1) + (3 + 4 + 5) * (double)xs[i] + 3 * 2.5;
    expect(fabs(ys[i] - want) <= 1e-6 * fabs(want), "y", ys[i], want);
  }
}

static void reduce(Gpu *gpu) {
  enum { GROUPS = 77, N = 256 * GROUPS };
  Buffer x = make_buffer(gpu, 4 * N), y = make_buffer(gpu, 4 * (GROUPS + 1));
  uint32_t *xs = x.map, *sums = y.map, total = 0;
  for (int i = 0; i < N; i++) xs[i] = (uint32_t)i * 2654435761u >> 12;
  Pipeline p = make_buffer_pipeline(gpu, "reduce", 2);
  VkCommandBuffer c = begin(gpu);
  bind(c, &p, make_set(gpu, &p, (Buffer *[]){&x, &y}, 2));
  vkCmdDispatch(c, GROUPS, 1, 1);
  CHECK(finish(gpu, c));
  for (int g = 0; g < GROUPS; g++) {
    uint32_t want = 0;
    for (int i = 0; i < 256; i++) want += xs[256 * g + i];
    total += want;
    expect(sums[1 + g] == want, "sum", sums[1 + g], want);
  }
  expect(sums[0] == total, "total", sums[0], total);
}

static void check_ids(uint32_t *ids, const uint32_t from[3], const uint32_t to[3], const uint32_t size[3]) {
  for (uint32_t z = 0; z < size[2]; z++)
    for (uint32_t y = 0; y < size[1]; y++)
      for (uint32_t x = 0; x < size[0]; x++) {
        uint32_t *id = ids + 4 * ((z * size[1] + y) * size[0] + x);
        uint32_t g[3] = {x / 3, y / 5, z / 2};
        int runs = 1;
        for (int d = 0; d < 3; d++) runs &= g[d] >= from[d] && g[d] < to[d];
        uint32_t want[4] = {g[0], g[1], g[2], (z % 2 * 5 + y % 5) * 3 + x % 3};
        for (int k = 0; k < 4; k++) expect(id[k] == (runs ? want[k] : 0), "id", id[k], runs ? want[k] : 0);
      }
}

static void ids(Gpu *gpu) {
  const uint32_t size[3] = {21, 30, 8}, whole[2][3] = {{0, 0, 0}, {7, 6, 4}}, part[2][3] = {{2, 1, 1}, {6, 4, 3}};
  uint32_t cells = size[0] * size[1] * size[2];
  Buffer x = make_buffer(gpu, 64), y = make_buffer(gpu, 16 * cells), direct = make_buffer(gpu, 16 * cells), based = make_buffer(gpu, 16 * cells);
  uint32_t *sizes = x.map;
  sizes[5] = 7, sizes[6] = 6, sizes[7] = 4;
  Pipeline p = make_buffer_pipeline(gpu, "ids", 2);
  VkCommandBuffer c = begin(gpu);
  vkCmdPushConstants(c, p.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof size, size);
  bind(c, &p, make_set(gpu, &p, (Buffer *[]){&x, &y}, 2));
  vkCmdDispatchIndirect(c, x.buffer, 20);
  bind(c, &p, make_set(gpu, &p, (Buffer *[]){&x, &direct}, 2));
  vkCmdDispatch(c, 7, 6, 4);
  bind(c, &p, make_set(gpu, &p, (Buffer *[]){&x, &based}, 2));
  vkCmdDispatchBase(c, 2, 1, 1, 4, 3, 2);
  CHECK(finish(gpu, c));
  check_ids(y.map, whole[0], whole[1], size);
  check_ids(direct.map, whole[0], whole[1], size);
  check_ids(based.map, part[0], part[1], size);
}

static VkImage make_image(Gpu *gpu, uint32_t width, uint32_t height, VkImageUsageFlags usage, VkImageView *view) {
  VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                            .imageType = VK_IMAGE_TYPE_2D,
                            .format = VK_FORMAT_R8G8B8A8_UNORM,
                            .extent = {width, height, 1},
                            .mipLevels = 1,
                            .arrayLayers = 1,
                            .samples = VK_SAMPLE_COUNT_1_BIT,
                            .tiling = VK_IMAGE_TILING_OPTIMAL,
                            .usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
  VkImage image;
  CHECK(vkCreateImage(gpu->device, &info, NULL, &image));
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(gpu->device, image, &needs);
  CHECK(vkBindImageMemory(gpu->device, image, allocate(gpu, needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT), 0));
  VkImageViewCreateInfo look = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                .image = image,
                                .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                .format = info.format,
                                .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
  CHECK(vkCreateImageView(gpu->device, &look, NULL, view));
  return image;
}

static void to_layout(VkCommandBuffer c, VkImage image, VkImageLayout from, VkImageLayout to) {
  VkImageMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                            .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                            .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                            .oldLayout = from,
                            .newLayout = to,
                            .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                            .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                            .image = image,
                            .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
  vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &b);
}

// Pictures in optimal layouts on the compute queue, where copies are shaders: uploaded, sampled, stored, read back.
static void image_of(Gpu *gpu, uint32_t width, uint32_t height) {
  VkImageView views[2];
  VkImage from = make_image(gpu, width, height, VK_IMAGE_USAGE_SAMPLED_BIT, &views[0]);
  VkImage to = make_image(gpu, width, height, VK_IMAGE_USAGE_STORAGE_BIT, &views[1]);
  Buffer in = make_buffer(gpu, 4 * width * height), out = make_buffer(gpu, 4 * width * height);
  uint8_t *texels = in.map, *found = out.map;
  for (uint32_t i = 0; i < 4 * width * height; i++) texels[i] = (i * 2654435761u) >> 24;
  VkSamplerCreateInfo how = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                             .magFilter = VK_FILTER_LINEAR,
                             .minFilter = VK_FILTER_LINEAR,
                             .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                             .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE};
  VkSampler sampler;
  CHECK(vkCreateSampler(gpu->device, &how, NULL, &sampler));
  VkDescriptorType types[2] = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE};
  Pipeline p = make_pipeline(gpu, "image", types, 2, NULL, 0);
  VkDescriptorSet set = make_set(gpu, &p, NULL, 0);
  for (uint32_t i = 0; i < 2; i++) {
    VkDescriptorImageInfo image = {sampler, views[i], i ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = i, .descriptorCount = 1, .descriptorType = types[i], .pImageInfo = &image};
    vkUpdateDescriptorSets(gpu->device, 1, &write, 0, NULL);
  }
  VkBufferImageCopy all = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {width, height, 1}};
  VkCommandBuffer c = begin_on(gpu, gpu->compute_pool);
  to_layout(c, from, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  to_layout(c, to, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  vkCmdCopyBufferToImage(c, in.buffer, from, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &all);
  to_layout(c, from, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  bind(c, &p, set);
  vkCmdDispatch(c, (width + 7) / 8, (height + 7) / 8, 1);
  to_layout(c, to, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  vkCmdCopyImageToBuffer(c, to, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, out.buffer, 1, &all);
  barrier(c);
  CHECK(vkEndCommandBuffer(c));
  VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
  CHECK(vkQueueSubmit(gpu->compute, 1, &submit, VK_NULL_HANDLE));
  CHECK(vkQueueWaitIdle(gpu->compute));
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++)
      for (uint32_t k = 0; k < 4; k++) {
        uint32_t x1 = x + 1 < width ? x + 1 : x, y1 = y + 1 < height ? y + 1 : y, sum = 0;
        for (uint32_t corner = 0; corner < 4; corner++) sum += texels[4 * ((corner & 2 ? y1 : y) * width + (corner & 1 ? x1 : x)) + k];
        double want = sum / 4.0, got = found[4 * (y * width + x) + k];
        expect(fabs(got - want) <= 1, "texel", got, want);
      }
}

static void image(Gpu *gpu) {
  image_of(gpu, 64, 64);
  image_of(gpu, 301, 77);
  image_of(gpu, 1024, 600);
}

static void scratch(Gpu *gpu) {
  enum { N = 64 * 20 };
  Buffer x = make_buffer(gpu, 4 * N), y = make_buffer(gpu, 4 * N);
  uint32_t *xs = x.map, *ys = y.map;
  for (uint32_t i = 0; i < N; i++) xs[i] = i * 40503u;
  Pipeline p = make_buffer_pipeline(gpu, "scratch", 2);
  VkCommandBuffer c = begin(gpu);
  bind(c, &p, make_set(gpu, &p, (Buffer *[]){&x, &y}, 2));
  vkCmdDispatch(c, N / 64, 1, 1);
  CHECK(finish(gpu, c));
  for (uint32_t i = 0; i < N; i++) {
    uint32_t all[200], sum = 0;
    for (uint32_t k = 0; k < 200; k++) all[k] = xs[i] * k + i;
    for (uint32_t k = 0; k < 50; k++) {
      uint32_t at = (xs[i] * 7 + k * 13) % 200;
      sum = sum * 31 + all[at];
      all[(at + k) % 200] = sum;
    }
    expect(ys[i] == sum, "sum", ys[i], sum);
  }
}

static void doubles(Gpu *gpu) {
  enum { N = 640 };
  Buffer x = make_buffer(gpu, 8 * N), y = make_buffer(gpu, 8 * N), z = make_buffer(gpu, 8 * N);
  double *xs = x.map, *ys = y.map;
  int64_t *zs = z.map;
  for (int i = 0; i < N; i++) xs[i] = sqrt(i + 0.1);
  Pipeline p = make_buffer_pipeline(gpu, "doubles", 3);
  VkCommandBuffer c = begin(gpu);
  bind(c, &p, make_set(gpu, &p, (Buffer *[]){&x, &y, &z}, 3));
  vkCmdDispatch(c, N / 64, 1, 1);
  CHECK(finish(gpu, c));
  for (int i = 0; i < N; i++) {
    double want = xs[i] * xs[i] + 1.0 / (i + 1);
    expect(fabs(ys[i] - want) <= 1e-14 * fabs(want), "y", ys[i], want);
    int64_t n = i * INT64_C(0x123456789) - 77, square = (int64_t)((uint64_t)n * (uint64_t)n + (uint64_t)(n >> 3));
    expect(zs[i] == square, "z", (double)zs[i], (double)square);
  }
}

// Copies, fills, updates; timestamps; an event that the host sets.
static void transfers(Gpu *gpu) {
  enum { N = 5000 };
  Buffer a = make_buffer(gpu, 4 * N), b = make_buffer(gpu, 4 * N), small = make_buffer(gpu, 400);
  uint32_t *as = a.map, *bs = b.map, *ss = small.map, update[25];
  for (uint32_t i = 0; i < N; i++) as[i] = i * i;
  for (uint32_t i = 0; i < 25; i++) update[i] = 1000 + i;
  VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2};
  VkQueryPool queries;
  CHECK(vkCreateQueryPool(gpu->device, &info, NULL, &queries));
  VkEventCreateInfo made = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
  VkEvent event;
  CHECK(vkCreateEvent(gpu->device, &made, NULL, &event));
  VkCommandBuffer c = begin(gpu);
  vkCmdResetQueryPool(c, queries, 0, 2);
  vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, queries, 0);
  vkCmdFillBuffer(c, b.buffer, 0, VK_WHOLE_SIZE, 0xabcd1234);
  barrier(c);
  VkBufferCopy parts[2] = {{4, 400, 4 * 1000}, {4 * 2000, 4 * 3000, 4 * 1500}};
  vkCmdCopyBuffer(c, a.buffer, b.buffer, 2, parts);
  vkCmdUpdateBuffer(c, small.buffer, 100, sizeof update, update);
  vkCmdSetEvent(c, event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  vkCmdWaitEvents(c, 1, &event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, NULL, 0, NULL, 0, NULL);
  vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, 1);
  CHECK(finish(gpu, c));
  for (uint32_t i = 0; i < N; i++) {
    uint32_t want = i >= 100 && i < 1100 ? as[i - 99] : i >= 3000 && i < 4500 ? as[i - 1000] : 0xabcd1234;
    expect(bs[i] == want, "copy", bs[i], want);
  }
  for (uint32_t i = 0; i < 100; i++) expect(ss[i] == (i >= 25 && i < 50 ? update[i - 25] : 0), "update", ss[i], i);
  expect(vkGetEventStatus(gpu->device, event) == VK_EVENT_SET, "event", 0, 1);
  uint64_t times[2];
  CHECK(vkGetQueryPoolResults(gpu->device, queries, 0, 2, sizeof times, times, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
  expect(times[0] <= times[1] && (times[1] - times[0]) * (double)gpu->period < 60e9, "time", times[1] - times[0], 0);
}

typedef struct {
  Gpu *gpu;
  VkSemaphore timeline;
} Signal;

static void *signal_later(void *argument) {
  Signal *s = argument;
  struct timespec pause = {0, 50 * 1000 * 1000};
  nanosleep(&pause, NULL);
  VkSemaphoreSignalInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = s->timeline, .value = 1};
  CHECK(vkSignalSemaphore(s->gpu->device, &info));
  return NULL;
}

// Two queues that wait for each other's points of a timeline, submitted in the wrong order, and for the host.
static void timeline(Gpu *gpu) {
  enum { N = 4096 };
  Buffer x = make_buffer(gpu, 4 * N), y = make_buffer(gpu, 4 * N);
  float *xs = x.map, *ys = y.map;
  for (int i = 0; i < N; i++) xs[i] = 1, ys[i] = 0;
  struct { uint32_t size; float bias; } constants = {64, 0};
  VkSpecializationMapEntry entries[2] = {{0, 0, 4}, {1, 4, 4}};
  VkSpecializationInfo special = {2, entries, sizeof constants, &constants};
  VkDescriptorType types[2] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
  Pipeline p = make_pipeline(gpu, "saxpy", types, 2, &special, 0);
  VkDescriptorSet doubled = make_set(gpu, &p, (Buffer *[]){&y, &y}, 2), added = make_set(gpu, &p, (Buffer *[]){&x, &y}, 2);
  VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
  VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
  Signal s = {.gpu = gpu};
  CHECK(vkCreateSemaphore(gpu->device, &info, NULL, &s.timeline));
  // 1 -> add 1 -> 2 -> double -> 3 -> add 1 -> 4 -> double -> 5, submitted last first.
  pthread_t thread;
  pthread_create(&thread, NULL, signal_later, &s);
  for (int step = 4; step >= 1; step--) {
    int doubles = step % 2 == 0;
    VkCommandBuffer c = begin_on(gpu, doubles ? gpu->compute_pool : gpu->pool);
    bind(c, &p, doubles ? doubled : added);
    struct { float a; uint32_t n; } push = {1.0f, N};
    vkCmdPushConstants(c, p.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    vkCmdDispatch(c, N / 64, 1, 1);
    barrier(c);
    CHECK(vkEndCommandBuffer(c));
    uint64_t wait = step, signal = step + 1;
    VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                            .waitSemaphoreValueCount = 1,
                                            .pWaitSemaphoreValues = &wait,
                                            .signalSemaphoreValueCount = 1,
                                            .pSignalSemaphoreValues = &signal};
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .pNext = &values,
                           .waitSemaphoreCount = 1,
                           .pWaitSemaphores = &s.timeline,
                           .pWaitDstStageMask = &stage,
                           .commandBufferCount = 1,
                           .pCommandBuffers = &c,
                           .signalSemaphoreCount = 1,
                           .pSignalSemaphores = &s.timeline};
    // A queue runs in order: each of them has its later step submitted when its earlier one has been.
    if (step > 2) continue;
    CHECK(vkQueueSubmit(doubles ? gpu->compute : gpu->graphics, 1, &submit, VK_NULL_HANDLE));
  }
  uint64_t last = 3;
  VkSemaphoreWaitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &s.timeline, .pValues = &last};
  uint64_t value = 9;
  CHECK(vkGetSemaphoreCounterValue(gpu->device, s.timeline, &value));
  expect(value <= 3, "counter", value, 0);
  CHECK(vkWaitSemaphores(gpu->device, &wait, UINT64_MAX));
  pthread_join(thread, NULL);
  for (int i = 0; i < N; i++) expect(ys[i] == 2, "y", ys[i], 2);
  CHECK(vkGetSemaphoreCounterValue(gpu->device, s.timeline, &value));
  expect(value == 3, "counter", value, 3);
  last = 4;
  expect(vkWaitSemaphores(gpu->device, &wait, 1000000) == VK_TIMEOUT, "a wait for what nobody signals", 0, VK_TIMEOUT);
}

// Many small jobs of which each needs the one before.
static void chain(Gpu *gpu) {
  enum { N = 64, JOBS = 300 };
  Buffer x = make_buffer(gpu, 4 * N), y = make_buffer(gpu, 4 * N);
  float *xs = x.map, *ys = y.map;
  for (int i = 0; i < N; i++) xs[i] = i;
  struct { uint32_t size; float bias; } constants = {64, 0};
  VkSpecializationMapEntry entries[2] = {{0, 0, 4}, {1, 4, 4}};
  VkSpecializationInfo special = {2, entries, sizeof constants, &constants};
  VkDescriptorType types[2] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
  Pipeline p = make_pipeline(gpu, "saxpy", types, 2, &special, 0);
  VkDescriptorSet set = make_set(gpu, &p, (Buffer *[]){&x, &y}, 2);
  for (int job = 0; job < JOBS; job++) {
    VkCommandBuffer c = begin(gpu);
    bind(c, &p, set);
    struct { float a; uint32_t n; } push = {1.0f, N};
    vkCmdPushConstants(c, p.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    vkCmdDispatch(c, 1, 1, 1);
    barrier(c);
    CHECK(vkEndCommandBuffer(c));
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
    CHECK(vkQueueSubmit(gpu->graphics, 1, &submit, VK_NULL_HANDLE));
  }
  CHECK(vkDeviceWaitIdle(gpu->device));
  for (int i = 0; i < N; i++) expect(ys[i] == JOBS * xs[i], "y", ys[i], JOBS * xs[i]);
}

// A store to where nothing is, or a loop without an end: the device is lost, and stays so.
static void lose(Gpu *gpu, uint32_t endless) {
  Buffer x = make_buffer(gpu, 64), y = make_buffer(gpu, 64);
  Pipeline p = make_buffer_pipeline(gpu, "wild", 2);
  VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = y.buffer};
  struct { uint64_t address; uint32_t endless; } push = {vkGetBufferDeviceAddress(gpu->device, &info) + (UINT64_C(1) << 36), endless};
  VkCommandBuffer c = begin(gpu);
  bind(c, &p, make_set(gpu, &p, (Buffer *[]){&x, &y}, 2));
  vkCmdPushConstants(c, p.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
  vkCmdDispatch(c, 1, 1, 1);
  // Old drivers ask the kernel only with their next submission.
  VkResult result = finish(gpu, c);
  expect(result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST, "result", result, VK_ERROR_DEVICE_LOST);
  VkCommandBuffer next = begin(gpu);
  barrier(next);
  CHECK(vkEndCommandBuffer(next));
  VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &next};
  result = vkQueueSubmit(gpu->graphics, 1, &submit, VK_NULL_HANDLE);
  expect(result == VK_ERROR_DEVICE_LOST, "next submission", result, VK_ERROR_DEVICE_LOST);
}

static void wild(Gpu *gpu) { lose(gpu, 0); }
static void endless(Gpu *gpu) { lose(gpu, 1); }

static const struct {
  const char *name;
  void (*run)(Gpu *);
  int loses;
} TESTS[] = {
    {"saxpy", saxpy, 0},         {"reduce", reduce, 0},       {"ids", ids, 0},           {"image", image, 0}, {"scratch", scratch, 0},
    {"doubles", doubles, 0},     {"transfers", transfers, 0}, {"timeline", timeline, 0}, {"chain", chain, 0}, {"wild", wild, 1},
    {"endless", endless, 1},
};

int main(int argc, char **argv) {
  if (argc < 2) {
    printf("usage: compute SHADERS [NAME...]\n");
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  VkInstance instance = make_instance();
  for (unsigned t = 0; t < sizeof TESTS / sizeof *TESTS; t++) {
    int wanted = argc == 2 && !TESTS[t].loses;
    for (int i = 2; i < argc; i++) wanted |= !strcmp(argv[i], TESTS[t].name);
    if (!wanted) continue;
    running = TESTS[t].name;
    int before = failures;
    Gpu gpu = make_gpu(instance, argv[1]);
    TESTS[t].run(&gpu);
    printf("%s: %s\n", running, failures == before ? "ok" : "FAILED");
    vkDestroyDevice(gpu.device, NULL);
  }
  vkDestroyInstance(instance, NULL);
  return failures != 0;
}
