/* Uses every function of wavejit2.h the way a C program would. argv[1]: small-v5.hsaco; argv[2]: named.hsaco; argv[3]: shaders/bin/.
 * Prints nothing and returns 0 if all is well; else says which line went wrong. */
#include "check.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <wavejit2.h>

static wavejit2_fault last(void) {
  wavejit2_fault fault = {.size = sizeof fault};
  CHECK(wavejit2_last_fault(&fault) == WAVEJIT_OK);
  return fault;
}

static wavejit2_module open_module(wavejit2_device device, const char *path) {
  size_t size;
  char *code = read_file(path, &size);
  wavejit2_module module = NULL;
  CHECK(wavejit2_module_open(device, code, size, NULL, &module) == WAVEJIT_OK && module);
  memset(code, 0, size); /* it was copied */
  free(code);
  return module;
}

static wavejit2_launch launch_of(uint32_t items, uint32_t group) {
  return (wavejit2_launch){.size = sizeof(wavejit2_launch), .grid = {items, 1, 1}, .group = {group, 1, 1}};
}

static _Atomic int printed;
static void print(void *user, int32_t stream, const char *text, size_t bytes) {
  if (user == &printed && stream == 1 && bytes && text) atomic_fetch_add(&printed, (int)bytes);
}

static void devices(void) {
  wavejit2_device device = NULL;
  wavejit2_device_config config = {.size = sizeof config, .flags = 1 << 20};
  CHECK(wavejit2_device_open(&config, &device) == WAVEJIT_E_ARG && !device && strstr(wavejit_last_error(), "flags"));
  config.flags = 0, config.target = "gfx1199";
  CHECK(wavejit2_device_open(&config, &device) == WAVEJIT_E_ARG && strstr(wavejit_last_error(), "gfx1199"));
  config.target = NULL, config.size = 0;
  CHECK(wavejit2_device_open(&config, &device) == WAVEJIT_E_ARG && strstr(wavejit_last_error(), "size is 0"));
  CHECK(wavejit2_device_open(NULL, NULL) == WAVEJIT_E_ARG);
  /* Of a later version: longer, with what is not known here zero, and not zero. */
  struct { wavejit2_device_config config; uint64_t later; } longer = {.config = {.size = sizeof longer, .threads = 2}};
  CHECK(wavejit2_device_open(&longer.config, &device) == WAVEJIT_OK && device);
  uint32_t threads = 0;
  CHECK(wavejit2_device_threads(device, &threads) == WAVEJIT_OK && threads == 2);
  CHECK(wavejit2_device_threads(device, NULL) == WAVEJIT_E_ARG);
  CHECK(wavejit2_device_close(device) == WAVEJIT_OK && wavejit2_device_close(NULL) == WAVEJIT_OK);
  CHECK(wavejit2_device_close(device) == WAVEJIT_E_ARG && strstr(wavejit_last_error(), "not an open device"));
  CHECK(wavejit2_device_threads(device, &threads) == WAVEJIT_E_ARG);
  CHECK(wavejit2_device_threads((wavejit2_device)&threads, &threads) == WAVEJIT_E_ARG);
  CHECK(wavejit2_device_threads(NULL, &threads) == WAVEJIT_E_ARG && strstr(wavejit_last_error(), "device is NULL"));
  longer.later = 1;
  CHECK(wavejit2_device_open(&longer.config, &device) == WAVEJIT_E_ARG && strstr(wavejit_last_error(), "does not know"));
  /* Of an earlier version: shorter. */
  config = (wavejit2_device_config){.size = 8, .flags = WAVEJIT2_DEVICE_ISOLATED};
  CHECK(wavejit2_device_open(&config, &device) == WAVEJIT_OK);
  CHECK(wavejit2_device_close(device) == WAVEJIT_OK);
}

static void memory(wavejit2_device device, int is_isolated) {
  wavejit2_buffer buffer = NULL;
  uint64_t address = 0;
  char text[16];
  CHECK(wavejit2_buffer_open(device, 64, &buffer, &address) == WAVEJIT_OK && buffer && address);
  CHECK(wavejit2_write(device, address, "abcd", 4) == WAVEJIT_OK);
  CHECK(wavejit2_copy(device, address + 8, address, 4) == WAVEJIT_OK);
  CHECK(wavejit2_fill(device, address + 12, "xy", 2, 2) == WAVEJIT_OK);
  CHECK(wavejit2_read(device, address, text, 16) == WAVEJIT_OK && memcmp(text, "abcd\0\0\0\0abcdxyxy", 16) == 0);
  CHECK(wavejit2_fill(device, address, "x", 0, 2) == WAVEJIT_E_ARG);
  CHECK(wavejit2_read(device, address, NULL, 4) == WAVEJIT_E_ARG && wavejit2_write(device, address, NULL, 4) == WAVEJIT_E_ARG);
  CHECK(wavejit2_read(device, address, NULL, 0) == WAVEJIT_OK);
  CHECK(wavejit2_read(device, 16, text, 4) == WAVEJIT_E_MEMORY && last().code == WAVEJIT_E_MEMORY && last().kind == WAVEJIT2_KIND_OTHER);
  CHECK(wavejit2_buffer_close(buffer) == WAVEJIT_OK && wavejit2_buffer_close(buffer) == WAVEJIT_E_ARG);
  CHECK(wavejit2_buffer_open(device, 1ull << 62, &buffer, &address) != WAVEJIT_OK && !buffer && !address);

  wavejit2_registration registration = NULL;
  static char host[10000];
  int32_t code = wavejit2_memory_register(device, host, sizeof host, &registration, &address);
  if (is_isolated) {
    CHECK(code == WAVEJIT_E_UNSUPPORTED && !registration);
    return;
  }
  CHECK(code == WAVEJIT_OK && registration && address == (uint64_t)(uintptr_t)host);
  CHECK(wavejit2_memory_unregister(registration) == WAVEJIT_OK && wavejit2_memory_unregister(registration) == WAVEJIT_E_ARG);
  CHECK(wavejit2_memory_register(device, (void *)16, 4096, &registration, &address) == WAVEJIT_E_MEMORY);
  CHECK(wavejit2_memory_register(device, host, UINT64_MAX, &registration, &address) == WAVEJIT_E_ARG);
  CHECK(wavejit2_memory_register(device, NULL, 4, &registration, &address) == WAVEJIT_E_ARG);
}

/* kernel void named(global float *out, float factor, uint n, local float *room): out[i] = factor * i below n */
static void kernels(wavejit2_device device, const char *path) {
  wavejit2_module module = open_module(device, path);
  const char *target = NULL;
  uint32_t count = 0, symbols = 0, index = 9;
  CHECK(wavejit2_module_target(module, &target) == WAVEJIT_OK && strcmp(target, "gfx1100") == 0);
  CHECK(wavejit2_module_counts(module, &count, &symbols) == WAVEJIT_OK && count == 1 && symbols >= 3);
  wavejit2_symbol symbol = {.size = sizeof symbol};
  int functions = 0;
  for (uint32_t i = 0; i < symbols; i++) {
    CHECK(wavejit2_module_symbol_at(module, i, &symbol) == WAVEJIT_OK && symbol.name);
    functions += symbol.kind == WAVEJIT2_SYMBOL_FUNCTION && strcmp(symbol.name, "named") == 0;
  }
  CHECK(functions == 1);
  CHECK(wavejit2_module_symbol_at(module, symbols, &symbol) == WAVEJIT_E_ARG);
  CHECK(wavejit2_module_symbol(module, "table", &symbol) == WAVEJIT_OK && symbol.kind == WAVEJIT2_SYMBOL_OBJECT && symbol.bytes == 16);
  uint32_t table[4];
  CHECK(wavejit2_read(device, symbol.address, table, sizeof table) == WAVEJIT_OK && table[0] == 3 && table[3] == 9);
  CHECK(wavejit2_module_symbol(module, "nothing", &symbol) == WAVEJIT_E_ARG && strstr(wavejit_last_error(), "nothing"));

  wavejit2_kernel kernel = NULL, same = NULL;
  CHECK(wavejit2_kernel_open(module, "missing", &kernel) == WAVEJIT_E_ARG && !kernel);
  CHECK(wavejit2_kernel_open(module, "named", &kernel) == WAVEJIT_OK && wavejit2_kernel_open_at(module, 0, &same) == WAVEJIT_OK);
  CHECK(wavejit2_kernel_open_at(module, 1, &same) == WAVEJIT_E_ARG);
  CHECK(wavejit2_kernel_open((wavejit2_module)kernel, "named", &same) == WAVEJIT_E_ARG); /* a handle of another kind */
  CHECK(wavejit2_kernel_compile(kernel) == WAVEJIT_OK);
  wavejit2_kernel_facts facts = {.size = sizeof facts};
  CHECK(wavejit2_kernel_get_facts(kernel, &facts) == WAVEJIT_OK);
  CHECK(strcmp(facts.name, "named") == 0 && strcmp(facts.target, "gfx1100") == 0 && facts.wave_size == 32);
  CHECK(facts.flags == WAVEJIT2_KERNEL_HAS_METADATA && facts.args == 4 && facts.hidden_args > 0 && facts.size == sizeof facts);
  CHECK(facts.vgprs && facts.sgprs && facts.code_bytes && facts.kernarg_bytes >= 20);
  wavejit2_arg_facts arg = {.size = sizeof arg};
  CHECK(wavejit2_kernel_get_arg(kernel, 1, &arg) == WAVEJIT_OK);
  CHECK(strcmp(arg.name, "factor") == 0 && strcmp(arg.type_name, "float") == 0 && strcmp(arg.kind, "by_value") == 0);
  CHECK(arg.bytes == 4 && arg.offset == 8 && arg.number_class == 'f' && arg.number_bytes == 4 && arg.number_count == 1);
  CHECK(wavejit2_kernel_get_arg(kernel, 0, &arg) == WAVEJIT_OK && strcmp(arg.address_space, "global") == 0 && !arg.number_class);
  CHECK(wavejit2_kernel_get_arg(kernel, 4, &arg) == WAVEJIT_OK && strncmp(arg.kind, "hidden_", 7) == 0);
  CHECK(wavejit2_kernel_get_arg(kernel, 99, &arg) == WAVEJIT_E_ARG);
  CHECK(wavejit2_kernel_find_arg(kernel, "n", &index) == WAVEJIT_OK && index == 2);
  CHECK(wavejit2_kernel_find_arg(kernel, "m", &index) == WAVEJIT_E_ARG && strstr(wavejit_last_error(), "out, factor, n, room"));

  wavejit2_buffer buffer = NULL;
  uint64_t out = 0;
  CHECK(wavejit2_buffer_open(device, 800, &buffer, &out) == WAVEJIT_OK);
  wavejit2_args args = NULL;
  float factor = 0.5f, values[200];
  uint32_t n = 150;
  wavejit2_launch launch = launch_of(200, 64);
  wavejit2_stats stats = {.size = sizeof stats};
  CHECK(wavejit2_args_open(kernel, &args) == WAVEJIT_OK);
  launch.args = args;
  CHECK(wavejit2_args_set_address(args, 0, out) == WAVEJIT_OK);
  CHECK(wavejit2_args_set_named(args, "factor", &factor, 4) == WAVEJIT_OK);
  CHECK(wavejit2_args_set_named(args, "factor", &factor, 8) == WAVEJIT_E_ARG && strstr(wavejit_last_error(), "expected 4 bytes, got 8"));
  CHECK(wavejit2_kernel_launch(kernel, &launch, &stats) == WAVEJIT_E_ARG && strstr(wavejit_last_error(), "argument 2") && strstr(wavejit_last_error(), "not set"));
  CHECK(wavejit2_args_set(args, 2, &n, 4) == WAVEJIT_OK && wavejit2_args_set(args, 9, &n, 4) == WAVEJIT_E_ARG);
  CHECK(wavejit2_args_set(args, 3, &n, 4) == WAVEJIT_E_ARG && wavejit2_args_set_local(args, 2, 4) == WAVEJIT_E_ARG);
  CHECK(wavejit2_args_set_local(args, 3, 256) == WAVEJIT_OK);
  CHECK(wavejit2_kernel_launch(kernel, &launch, &stats) == WAVEJIT_OK);
  CHECK(stats.workgroups == 4 && stats.waves == 7 && stats.insts > 7 && stats.run_ns > 0);
  CHECK(wavejit2_read(device, out, values, 800) == WAVEJIT_OK);
  for (int i = 0; i < 200; i++) CHECK(values[i] == (i < 150 ? 0.5f * i : 0));
  wavejit2_code_stats code = {.size = sizeof code};
  CHECK(wavejit2_device_code_stats(device, &code) == WAVEJIT_OK && code.lifted >= 1 && code.lifted_insts > 7);

  /* A part, a flag that is set, other kernels' arguments, both kinds of arguments. */
  const volatile uint32_t cancel = 1;
  factor = 2;
  CHECK(wavejit2_args_set_named(args, "factor", &factor, 4) == WAVEJIT_OK);
  launch.first_group[0] = 1;
  CHECK(wavejit2_kernel_launch(kernel, &launch, NULL) == WAVEJIT_E_ARG && strstr(wavejit_last_error(), "group_count"));
  launch.group_count[0] = launch.group_count[1] = launch.group_count[2] = 1;
  CHECK(wavejit2_kernel_launch(kernel, &launch, &stats) == WAVEJIT_OK && stats.workgroups == 1);
  CHECK(wavejit2_read(device, out, values, 800) == WAVEJIT_OK && values[63] == 31.5f && values[64] == 128 && values[128] == 64);
  launch.cancel = &cancel;
  CHECK(wavejit2_kernel_launch(kernel, &launch, NULL) == WAVEJIT_E_LIMIT && last().kind == WAVEJIT2_KIND_CANCELED && strcmp(last().kernel, "named") == 0);
  launch.cancel = NULL, launch.kernarg = &out, launch.kernarg_bytes = 8;
  CHECK(wavejit2_kernel_launch(kernel, &launch, NULL) == WAVEJIT_E_ARG && strstr(wavejit_last_error(), "one of them"));
  launch.kernarg = NULL, launch.kernarg_bytes = 0, launch.flags = 1 << 9;
  CHECK(wavejit2_kernel_launch(kernel, &launch, NULL) == WAVEJIT_E_ARG);
  launch = launch_of(1 << 20, 64);
  launch.flags = WAVEJIT2_LAUNCH_COOPERATIVE, launch.args = args;
  CHECK(wavejit2_kernel_launch(kernel, &launch, NULL) == WAVEJIT_E_UNSUPPORTED && strstr(wavejit_last_error(), "16384 workgroups"));
  launch.grid[0] = 128;
  CHECK(wavejit2_kernel_launch(kernel, &launch, NULL) == WAVEJIT_OK);

  /* Packed explicit arguments; hidden ones are filled in. */
  struct { uint64_t out; float factor; uint32_t n, room; } packed = {out, 3, 200, 0};
  launch = launch_of(200, 64);
  launch.kernarg = &packed, launch.kernarg_bytes = sizeof packed, launch.dynamic_lds_bytes = 256;
  CHECK(wavejit2_kernel_launch(kernel, &launch, NULL) == WAVEJIT_OK);
  CHECK(wavejit2_read(device, out, values, 800) == WAVEJIT_OK && values[199] == 597);

  /* What is used is there after it was closed. */
  CHECK(wavejit2_module_close(module) == WAVEJIT_OK && wavejit2_kernel_close(kernel) == WAVEJIT_OK);
  launch = launch_of(64, 64);
  CHECK(wavejit2_kernel_launch(kernel, &launch, NULL) == WAVEJIT_E_ARG);
  CHECK(wavejit2_args_close(args) == WAVEJIT_OK && wavejit2_args_close(args) == WAVEJIT_E_ARG);
  CHECK(wavejit2_buffer_close(buffer) == WAVEJIT_OK);
}

static void faults(wavejit2_device device, const char *folder) {
  char path[1024];
  snprintf(path, sizeof path, "%s/faults.gfx1100.wave32.hsaco", folder);
  wavejit2_module module = open_module(device, path);
  wavejit2_kernel kernel = NULL;
  wavejit2_buffer buffer = NULL;
  uint64_t address = 0;
  CHECK(wavejit2_buffer_open(device, 1024, &buffer, &address) == WAVEJIT_OK);
  wavejit2_launch launch = launch_of(32, 32);
  launch.kernarg = &address, launch.kernarg_bytes = 8, launch.flags = WAVEJIT2_LAUNCH_WHOLE_SEGMENT;
  CHECK(wavejit2_kernel_open(module, "wild_store", &kernel) == WAVEJIT_OK);
  CHECK(wavejit2_kernel_launch(kernel, &launch, NULL) == WAVEJIT_E_MEMORY);
  wavejit2_fault fault = last();
  CHECK(fault.code == WAVEJIT_E_MEMORY && fault.kind == WAVEJIT2_KIND_FAULT && fault.cause == WAVEJIT2_CAUSE_UNMAPPED);
  CHECK(strcmp(fault.kernel, "wild_store") == 0 && strstr(fault.instruction, "global_store_b32") && strcmp(fault.message, wavejit_last_error()) == 0);
  CHECK(fault.lane == 5 && fault.wave == 0 && fault.access == WAVEJIT2_ACCESS_STORE && fault.access_bytes == 4);
  CHECK(fault.has_address && fault.address == address + (1ull << 52) && fault.pc > fault.entry);
  CHECK(wavejit2_kernel_close(kernel) == WAVEJIT_OK);

  CHECK(wavejit2_kernel_open(module, "endless_loop", &kernel) == WAVEJIT_OK);
  launch.max_insts = 1000;
  CHECK(wavejit2_kernel_launch(kernel, &launch, NULL) == WAVEJIT_E_LIMIT);
  CHECK(last().kind == WAVEJIT2_KIND_BUDGET && strcmp(last().kernel, "endless_loop") == 0 && last().instruction && last().lane == -1);

  /* A failing call of version 1 is the thread's last one, too. */
  CHECK(wavejit_kernel_open(NULL, 0, NULL, NULL) == WAVEJIT_E_ARG && last().code == WAVEJIT_E_ARG && last().kind == WAVEJIT2_KIND_OTHER);
  CHECK(strcmp(last().message, wavejit_last_error()) == 0 && strcmp(last().kernel, "") == 0 && !last().instruction);
  CHECK(wavejit2_last_fault(NULL) == WAVEJIT_E_ARG);

  /* In a stream the failure comes when it is waited for, and what follows is left out. */
  wavejit2_stream stream = NULL;
  uint32_t word = 0, idle = 0;
  CHECK(wavejit2_stream_open(device, &stream) == WAVEJIT_OK);
  CHECK(wavejit2_stream_launch(stream, kernel, &launch) == WAVEJIT_OK);
  CHECK(wavejit2_stream_read(stream, address, &word, 4) == WAVEJIT_OK);
  CHECK(wavejit2_write(device, address, "abcd", 4) == WAVEJIT_OK);
  CHECK(wavejit2_stream_wait(stream) == WAVEJIT_E_LIMIT && last().kind == WAVEJIT2_KIND_BUDGET && word == 0);
  CHECK(wavejit2_stream_wait(stream) == WAVEJIT_OK);
  CHECK(wavejit2_stream_read(stream, address, &word, 4) == WAVEJIT_OK && wavejit2_stream_wait(stream) == WAVEJIT_OK && word);
  CHECK(wavejit2_stream_is_idle(stream, &idle) == WAVEJIT_OK && idle == 1);
  CHECK(wavejit2_stream_launch(stream, kernel, &launch) == WAVEJIT_OK && wavejit2_stream_close(stream) == WAVEJIT_E_LIMIT);
  CHECK(wavejit2_stream_wait(stream) == WAVEJIT_E_ARG);
  CHECK(wavejit2_kernel_close(kernel) == WAVEJIT_OK && wavejit2_buffer_close(buffer) == WAVEJIT_OK && wavejit2_module_close(module) == WAVEJIT_OK);
}

static void add_one(void *user) { atomic_fetch_add((_Atomic int *)user, 1); }

static void streams(wavejit2_device device, const char *path) {
  wavejit2_module module = open_module(device, path);
  wavejit2_kernel kernel = NULL;
  wavejit2_args args = NULL;
  wavejit2_buffer buffer = NULL;
  uint64_t out = 0;
  uint32_t n = 64, reached = 0;
  CHECK(wavejit2_kernel_open(module, "named", &kernel) == WAVEJIT_OK && wavejit2_args_open(kernel, &args) == WAVEJIT_OK);
  CHECK(wavejit2_buffer_open(device, 256, &buffer, &out) == WAVEJIT_OK);
  CHECK(wavejit2_args_set_address(args, 0, out) == WAVEJIT_OK && wavejit2_args_set(args, 2, &n, 4) == WAVEJIT_OK);
  CHECK(wavejit2_args_set_local(args, 3, 256) == WAVEJIT_OK);
  wavejit2_stream first = NULL, second = NULL;
  CHECK(wavejit2_stream_open(device, &first) == WAVEJIT_OK && wavejit2_stream_open(device, &second) == WAVEJIT_OK);
  wavejit2_launch launch = launch_of(64, 64);
  launch.args = args;
  float got[3][64];
  wavejit2_event event = NULL;
  _Atomic int calls = 0;
  for (int i = 0; i < 3; i++) {
    float factor = (float)(i + 1);
    CHECK(wavejit2_args_set(args, 1, &factor, 4) == WAVEJIT_OK); /* the launch before has taken the other value */
    CHECK(wavejit2_stream_launch(first, kernel, &launch) == WAVEJIT_OK);
    CHECK(wavejit2_stream_read(first, out, got[i], sizeof got[i]) == WAVEJIT_OK);
    CHECK(wavejit2_stream_call(first, add_one, &calls) == WAVEJIT_OK);
  }
  CHECK(wavejit2_event_open(first, &event) == WAVEJIT_OK);
  float last_value = 0, minus = -1;
  CHECK(wavejit2_stream_wait_event(second, event) == WAVEJIT_OK);
  CHECK(wavejit2_stream_read(second, out + 4 * 63, &last_value, 4) == WAVEJIT_OK);
  CHECK(wavejit2_stream_write(second, out, &minus, 4) == WAVEJIT_OK);
  minus = 5; /* it was taken */
  CHECK(wavejit2_event_wait(event) == WAVEJIT_OK && wavejit2_event_is_reached(event, &reached) == WAVEJIT_OK && reached == 1 && calls == 3);
  CHECK(wavejit2_stream_wait(second) == WAVEJIT_OK && last_value == 3 * 63);
  for (int i = 0; i < 3; i++) CHECK(got[i][63] == (i + 1) * 63);
  CHECK(wavejit2_read(device, out, got[0], 4) == WAVEJIT_OK && got[0][0] == -1);
  CHECK(wavejit2_stream_call(first, NULL, NULL) == WAVEJIT_E_ARG);
  CHECK(wavejit2_event_close(event) == WAVEJIT_OK && wavejit2_event_wait(event) == WAVEJIT_E_ARG);
  CHECK(wavejit2_stream_close(first) == WAVEJIT_OK && wavejit2_stream_close(second) == WAVEJIT_OK && wavejit2_stream_close(NULL) == WAVEJIT_OK);
  CHECK(wavejit2_args_close(args) == WAVEJIT_OK && wavejit2_kernel_close(kernel) == WAVEJIT_OK);
  CHECK(wavejit2_buffer_close(buffer) == WAVEJIT_OK && wavejit2_module_close(module) == WAVEJIT_OK);
}

/* image_swirl(from, sampler, to, strength): a picture of one color stays what it is. */
static void images(wavejit2_device device, const char *folder) {
  char path[1024];
  snprintf(path, sizeof path, "%s/image_swirl.gfx1100.wave32.hsaco", folder);
  wavejit2_module module = open_module(device, path);
  wavejit2_kernel kernel = NULL;
  wavejit2_args args = NULL;
  wavejit2_image from = NULL, to = NULL, none = NULL;
  wavejit2_sampler sampler = NULL;
  wavejit2_image_desc desc = {.size = sizeof desc, .kind = WAVEJIT2_IMAGE_2D, .format = "rgba9", .width = 16, .height = 16, .levels = 1};
  CHECK(wavejit2_image_open(device, &desc, &none) == WAVEJIT_E_ARG && !none && strstr(wavejit_last_error(), "rgba8"));
  desc.format = "rgba8", desc.kind = 17;
  CHECK(wavejit2_image_open(device, &desc, &none) == WAVEJIT_E_ARG);
  desc.kind = WAVEJIT2_IMAGE_2D;
  CHECK(wavejit2_image_open(device, &desc, &from) == WAVEJIT_OK && wavejit2_image_open(device, &desc, &to) == WAVEJIT_OK);
  unsigned char rows[16 * 16 * 4], back[16 * 16 * 4];
  memset(rows, 200, sizeof rows);
  uint32_t elements[3] = {0}, words[8] = {0};
  uint64_t bytes = 0, address = 0;
  CHECK(wavejit2_image_level(from, 0, elements, &bytes) == WAVEJIT_OK && elements[0] == 16 && elements[1] == 16 && bytes == sizeof rows);
  CHECK(wavejit2_image_level(from, 1, elements, &bytes) == WAVEJIT_E_ARG);
  CHECK(wavejit2_image_write(from, 0, rows, sizeof rows) == WAVEJIT_OK && wavejit2_image_write(from, 0, rows, 4) == WAVEJIT_E_ARG);
  CHECK(wavejit2_image_read(from, 0, back, 4) == WAVEJIT_E_ARG && wavejit2_image_read(from, 0, NULL, sizeof rows) == WAVEJIT_E_ARG);
  CHECK(wavejit2_image_descriptor(from, words, &address) == WAVEJIT_OK && address && words[0]);
  wavejit2_sampler_desc how = {.size = sizeof how, .mag = WAVEJIT2_FILTER_LINEAR, .min = 7};
  CHECK(wavejit2_sampler_open(device, &how, &sampler) == WAVEJIT_E_ARG && strstr(wavejit_last_error(), "min 7"));
  how.min = WAVEJIT2_FILTER_LINEAR, how.border = WAVEJIT2_BORDER_COLOR, how.border_color[0] = 0.5f;
  CHECK(wavejit2_sampler_open(device, &how, &sampler) == WAVEJIT_OK);
  CHECK(wavejit2_sampler_descriptor(sampler, words, &address) == WAVEJIT_OK && address);
  const float strength = 1.5f;
  CHECK(wavejit2_kernel_open(module, "image_swirl", &kernel) == WAVEJIT_OK && wavejit2_args_open(kernel, &args) == WAVEJIT_OK);
  CHECK(wavejit2_args_set_image(args, 0, from) == WAVEJIT_OK && wavejit2_args_set_sampler(args, 1, sampler) == WAVEJIT_OK);
  CHECK(wavejit2_args_set_image(args, 2, to) == WAVEJIT_OK && wavejit2_args_set(args, 3, &strength, 4) == WAVEJIT_OK);
  CHECK(wavejit2_args_set_image(args, 0, none) == WAVEJIT_E_ARG && wavejit2_args_set_sampler(args, 1, NULL) == WAVEJIT_E_ARG);
  wavejit2_launch launch = launch_of(16, 8);
  launch.grid[1] = 16, launch.group[1] = 8, launch.args = args;
  CHECK(wavejit2_kernel_launch(kernel, &launch, NULL) == WAVEJIT_OK);
  CHECK(wavejit2_image_read(to, 0, back, sizeof back) == WAVEJIT_OK && memcmp(rows, back, sizeof rows) == 0);
  desc.levels = 0;
  CHECK(wavejit2_image_open(device, &desc, &none) == WAVEJIT_OK && wavejit2_image_write(none, 0, rows, sizeof rows) == WAVEJIT_OK);
  CHECK(wavejit2_image_make_levels(none) == WAVEJIT_OK && wavejit2_image_read(none, 4, back, 4) == WAVEJIT_OK && back[0] == 200);
  CHECK(wavejit2_image_close(from) == WAVEJIT_OK && wavejit2_image_close(to) == WAVEJIT_OK && wavejit2_image_close(none) == WAVEJIT_OK);
  CHECK(wavejit2_image_close(from) == WAVEJIT_E_ARG && wavejit2_sampler_close(sampler) == WAVEJIT_OK);
  CHECK(wavejit2_args_close(args) == WAVEJIT_OK && wavejit2_kernel_close(kernel) == WAVEJIT_OK && wavejit2_module_close(module) == WAVEJIT_OK);
}

/* say(out, name, n) prints a line for each work-item. */
static void printing(wavejit2_device device, const char *folder) {
  char path[1024];
  snprintf(path, sizeof path, "%s/host_calls.gfx1100.wave32.hsaco", folder);
  wavejit2_module module = open_module(device, path);
  wavejit2_kernel kernel = NULL;
  wavejit2_buffer buffer = NULL;
  uint64_t address = 0;
  int32_t lengths[2];
  CHECK(wavejit2_buffer_open(device, 64, &buffer, &address) == WAVEJIT_OK && wavejit2_write(device, address + 32, "lane", 5) == WAVEJIT_OK);
  struct { uint64_t out, name; uint32_t n; } packed = {address, address + 32, 2};
  wavejit2_launch launch = launch_of(2, 2);
  launch.kernarg = &packed, launch.kernarg_bytes = 20;
  CHECK(wavejit2_kernel_open(module, "say", &kernel) == WAVEJIT_OK);
  CHECK(wavejit2_kernel_launch(kernel, &launch, NULL) == WAVEJIT_OK);
  CHECK(wavejit2_read(device, address, lengths, 8) == WAVEJIT_OK && lengths[0] > 10 && printed == lengths[0] + lengths[1]);
  CHECK(wavejit2_device_free_kernel_memory(device) == WAVEJIT_OK);
  CHECK(wavejit2_kernel_close(kernel) == WAVEJIT_OK && wavejit2_buffer_close(buffer) == WAVEJIT_OK && wavejit2_module_close(module) == WAVEJIT_OK);
}

/* 20 numbers into a buffer of 4. */
static void canaries(const char *path) {
  wavejit2_device_config config = {.size = sizeof config, .threads = 1, .flags = WAVEJIT2_DEVICE_CANARIES | WAVEJIT2_DEVICE_LOCKSTEP | WAVEJIT2_DEVICE_ONE_ULP};
  wavejit2_device device = NULL;
  wavejit2_kernel kernel = NULL;
  wavejit2_buffer buffer = NULL;
  struct { uint64_t out; float factor; uint32_t n, room; } packed = {0, 3, 4, 0};
  CHECK(wavejit2_device_open(&config, &device) == WAVEJIT_OK);
  wavejit2_module module = open_module(device, path);
  CHECK(wavejit2_kernel_open(module, "named", &kernel) == WAVEJIT_OK && wavejit2_buffer_open(device, 16, &buffer, &packed.out) == WAVEJIT_OK);
  wavejit2_launch launch = launch_of(20, 32);
  launch.kernarg = &packed, launch.kernarg_bytes = 20, launch.dynamic_lds_bytes = 256;
  CHECK(wavejit2_kernel_launch(kernel, &launch, NULL) == WAVEJIT_OK);
  packed.n = 20;
  CHECK(wavejit2_kernel_launch(kernel, &launch, NULL) == WAVEJIT_E_MEMORY);
  CHECK(last().kind == WAVEJIT2_KIND_OVERRUN && last().has_address && last().address == packed.out + 16 && strcmp(last().kernel, "named") == 0);
  CHECK(wavejit2_kernel_close(kernel) == WAVEJIT_OK && wavejit2_buffer_close(buffer) == WAVEJIT_OK);
  CHECK(wavejit2_module_close(module) == WAVEJIT_OK && wavejit2_device_close(device) == WAVEJIT_OK);
}

int main(int argc, char **argv) {
  CHECK(argc == 4 && wavejit2_version() == 2 && wavejit_abi_version() == 1);
  CHECK(last().code == 0 && last().kind == WAVEJIT2_KIND_OTHER && last().lane == -1 && strcmp(last().message, "") == 0 && strcmp(last().kernel, "") == 0);
  devices();
  canaries(argv[2]);
  for (int is_isolated = 0; is_isolated < 2; is_isolated++) {
    wavejit2_device_config config = {.size = sizeof config, .threads = 2, .target = "gfx1100", .print = print, .print_user = &printed};
    config.flags = is_isolated ? WAVEJIT2_DEVICE_ISOLATED : 0;
    wavejit2_device device = NULL;
    printed = 0;
    CHECK(wavejit2_device_open(&config, &device) == WAVEJIT_OK);
    memory(device, is_isolated);
    kernels(device, argv[2]);
    faults(device, argv[3]);
    streams(device, argv[2]);
    images(device, argv[3]);
    printing(device, argv[3]);
    wavejit2_module module = open_module(device, argv[1]);
    CHECK(wavejit2_device_close(device) == WAVEJIT_OK);
    wavejit2_kernel kernel = NULL; /* modules keep their device */
    CHECK(wavejit2_kernel_open(module, "scale", &kernel) == WAVEJIT_OK && wavejit2_kernel_close(kernel) == WAVEJIT_OK);
    CHECK(wavejit2_module_close(module) == WAVEJIT_OK);
  }
  return 0;
}
