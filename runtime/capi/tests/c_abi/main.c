/* Uses every function of wavejit.h the way a C program would. argv[1]: small-v5.hsaco.
 * Prints nothing and returns 0 if all is well; else says which line went wrong. */
#include "check.h"
#include <string.h>

static void kernels(const char *path) {
  size_t size;
  char *elf = read_file(path, &size);
  wavejit_kernel *kernel = NULL;
  CHECK(wavejit_kernel_open(elf, size, "no_such_kernel", &kernel) == WAVEJIT_E_ARG && kernel == NULL);
  CHECK(strstr(wavejit_last_error(), "no_such_kernel") && strstr(wavejit_last_error(), "where_am_i"));
  CHECK(wavejit_kernel_open(elf, 100, "scale", &kernel) == WAVEJIT_E_ARG);
  CHECK(wavejit_kernel_open(NULL, 0, "scale", &kernel) == WAVEJIT_E_ARG);
  CHECK(wavejit_kernel_open(elf, size, "scale.kd", &kernel) == WAVEJIT_OK && kernel);
  memset(elf, 0, size); /* it was copied */
  free(elf);

  float out[200];
  for (int i = 0; i < 200; i++) out[i] = -1;
  struct scale_args args = {out, 0.5f, 150, {3, 1, 1}, {64, 1, 1}, {0, 0, 0}};
  const uint32_t groups[3] = {3, 1, 1}, group[3] = {64, 1, 1}, zero[3] = {1, 0, 1};
  CHECK(wavejit_kernel_launch(kernel, groups, group, &args, sizeof args, 0) == WAVEJIT_OK);
  for (int i = 0; i < 200; i++) CHECK(out[i] == (i < 150 ? 0.5f * i : -1));

  /* 130 work-items: the last workgroup has two. */
  const uint32_t grid[3] = {130, 1, 1};
  const volatile uint32_t cancel = 1;
  args.n = 200;
  args.factor = 2;
  CHECK(wavejit_kernel_launch_ex(kernel, grid, group, &args, sizeof args, 0, 0, NULL) == WAVEJIT_OK);
  CHECK(out[129] == 258 && out[130] == 65);
  CHECK(wavejit_kernel_launch_ex(kernel, grid, group, &args, sizeof args, 0, 0, &cancel) == WAVEJIT_E_LIMIT);

  /* The same grid in two parts, the last one with the partial workgroup. */
  const uint32_t first[3] = {0, 0, 0}, last[3] = {1, 0, 0}, single[3] = {1, 1, 1}, two[3] = {2, 1, 1};
  args.factor = 3;
  CHECK(wavejit_kernel_launch_part(kernel, grid, group, last, two, &args, sizeof args, 0, 0, NULL) == WAVEJIT_OK);
  CHECK(out[63] == 126 && out[64] == 192 && out[129] == 387 && out[130] == 65);
  CHECK(wavejit_kernel_launch_part(kernel, grid, group, first, single, &args, sizeof args, 0, 0, NULL) == WAVEJIT_OK);
  for (int i = 0; i < 130; i++) CHECK(out[i] == 3.0f * i);
  CHECK(wavejit_kernel_launch_part(kernel, grid, group, two, two, &args, sizeof args, 0, 0, NULL) == WAVEJIT_E_ARG);
  CHECK(strstr(wavejit_last_error(), "the grid has 3 x 1 x 1"));
  CHECK(wavejit_kernel_launch_part(kernel, grid, group, first, zero, &args, sizeof args, 0, 0, NULL) == WAVEJIT_E_ARG);
  CHECK(wavejit_kernel_launch_part(kernel, grid, group, NULL, single, &args, sizeof args, 0, 0, NULL) == WAVEJIT_E_ARG);
  CHECK(wavejit_kernel_launch_part(kernel, grid, group, first, single, &args, sizeof args, 0, 0, &cancel) == WAVEJIT_E_LIMIT);

  CHECK(wavejit_kernel_launch(kernel, zero, group, &args, sizeof args, 0) == WAVEJIT_E_ARG);
  CHECK(wavejit_kernel_launch(kernel, groups, zero, &args, sizeof args, 0) == WAVEJIT_E_ARG);
  CHECK(wavejit_kernel_launch(kernel, groups, group, &args, sizeof args, 1 << 20) == WAVEJIT_E_ARG);
  CHECK(wavejit_kernel_launch(kernel, groups, NULL, &args, sizeof args, 0) == WAVEJIT_E_ARG);
  CHECK(wavejit_kernel_launch(NULL, groups, group, &args, sizeof args, 0) == WAVEJIT_E_ARG);
  CHECK(wavejit_kernel_launch(kernel, groups, group, NULL, 8, 0) == WAVEJIT_E_ARG);

  const uint32_t one[3] = {1, 1, 1};
  args.out = (float *)0x10; /* a page that is never mapped */
  CHECK(wavejit_kernel_launch(kernel, one, group, &args, sizeof args, 0) == WAVEJIT_E_MEMORY);
  CHECK(strstr(wavejit_last_error(), "scale") && strstr(wavejit_last_error(), "0x10"));
  wavejit_kernel_close(kernel);
  wavejit_kernel_close(NULL);
}

/* gfx1100, from llvm-mc-19:
 *   s_load_b64 s[0:1], s[0:1], null
 *   v_and_b32 v1, 0x3ff, v0
 *   v_bfe_u32 v2, v0, 10, 10
 *   v_lshl_add_u32 v1, v2, 2, v1           x + 4 y, in a workgroup of 4 x 4
 *   s_lshl_b32 s3, s2, 4                   16 work-items a workgroup
 *   v_add_nc_u32 v2, s3, v1
 *   v_lshlrev_b32 v1, 2, v2
 *   s_waitcnt lgkmcnt(0)
 *   global_store_b32 v1, v2, s[0:1]
 *   s_endpgm */
static const uint32_t code[] = {
    0xf4040000, 0xf8000000, 0x360200ff, 0x000003ff, 0xd6100002, 0x02291500, 0xd6460001,
    0x04050502, 0x84038402, 0x4a040203, 0x30020482, 0xbf89fc07, 0xdc6a0000, 0x00000201, 0xbfb00000,
};

static int32_t run(const uint32_t *words, uint32_t bytes, const uint64_t *args, const char *target, uint32_t wave, char *err, uint32_t len) {
  const uint32_t rsrc1 = 0x00af0000, rsrc2 = 2 << 1 | 1 << 7; /* two user SGPRs, workgroup id x */
  return wavejit_run_asm(words, bytes, 2, 1, 1, 4, 4, 1, args, target, wave, rsrc1, rsrc2, 0, NULL, 0, 0, 1000, err, len);
}

static void machine_code(void) {
  uint32_t out[40];
  char err[256];
  memset(out, 0xff, sizeof out);
  uint64_t args[1] = {(uint64_t)(uintptr_t)out};
  for (uint32_t wave = 0; wave <= 64; wave += 32) {
    memset(out, 0xff, sizeof out);
    CHECK(run(code, sizeof code, args, "gfx1100", wave, err, sizeof err) == WAVEJIT_OK);
    for (uint32_t i = 0; i < 40; i++) CHECK(out[i] == (i < 32 ? i : UINT32_MAX));
  }

  /* The same through user data: s[0:1] comes from there. */
  const uint64_t address = (uint64_t)(uintptr_t)args;
  const uint32_t user[2] = {(uint32_t)address, (uint32_t)(address >> 32)};
  memset(out, 0xff, sizeof out);
  CHECK(wavejit_run_asm(code, sizeof code, 1, 1, 1, 4, 4, 1, NULL, "gfx1100", 32, 0x00af0000, 2 << 1 | 1 << 7, 0, user, 2, 0, 0, NULL, 0) == WAVEJIT_OK);
  CHECK(out[15] == 15 && out[16] == UINT32_MAX);

  static const uint32_t nonsense[] = {0xffffffff, 0xbfb00000}, forever[] = {0xbfa0ffff /* s_branch to itself */, 0xbfb00000};
  err[0] = 0;
  CHECK(run(nonsense, sizeof nonsense, args, "gfx1100", 32, err, sizeof err) == WAVEJIT_E_DECODE);
  CHECK(strstr(err, "ffffffff"));
  CHECK(run(nonsense, sizeof nonsense, args, "gfx1100", 32, err, 8) == WAVEJIT_E_DECODE && strlen(err) == 7);
  CHECK(run(forever, sizeof forever, args, "gfx1100", 32, err, sizeof err) == WAVEJIT_E_LIMIT);
  CHECK(run(code, sizeof code, args, "gfx1199", 32, err, sizeof err) == WAVEJIT_E_ARG && strstr(err, "gfx1199"));
  CHECK(run(code, sizeof code, args, NULL, 32, err, sizeof err) == WAVEJIT_E_ARG);
  CHECK(run(code, sizeof code, args, "gfx1100", 48, err, sizeof err) == WAVEJIT_E_ARG);
  CHECK(run(code, sizeof code - 2, args, "gfx1100", 32, err, sizeof err) == WAVEJIT_E_ARG);
  CHECK(run(code, 0, args, "gfx1100", 32, err, sizeof err) == WAVEJIT_E_ARG);
  CHECK(run((const uint32_t *)((const char *)code + 2), 4, args, "gfx1100", 32, err, sizeof err) == WAVEJIT_E_ARG);
  CHECK(run(NULL, 4, args, "gfx1100", 32, err, sizeof err) == WAVEJIT_E_ARG);

  /* Scratch that no chip has; v_mov_b32 v2, 0x10000000; scratch_load_b32 v3, v2, off; s_endpgm */
  static const uint32_t wild[] = {0x7e0402ff, 0x10000000, 0xdc510000, 0x037c0002, 0xbfb00000};
  static const uint32_t too_much[] = {UINT32_MAX, UINT32_MAX - 2, 0x7ffffffc, 262137};
  for (int i = 0; i < 4; i++) {
    CHECK(wavejit_run_asm(wild, sizeof wild, 1, 1, 1, 1, 1, 1, args, "gfx1100", 32, 0x00af0000, 0, 0, NULL, 0, too_much[i], 0, err, sizeof err) == WAVEJIT_E_ARG);
    CHECK(strstr(err, "scratch") && strstr(err, "262136"));
  }
  CHECK(run(code, sizeof code, args, "gfx1100", 32, NULL, 0) == WAVEJIT_OK);
}

/* A nop before the code, so that the entry is not at its beginning; more after it. */
static void programs(void) {
  uint32_t words[1 + sizeof code / 4], out[40];
  words[0] = 0xbf800000;
  memcpy(words + 1, code, sizeof code);
  uint64_t args[1] = {(uint64_t)(uintptr_t)out};
  const uint64_t address = (uint64_t)(uintptr_t)args;
  const uint32_t user[2] = {(uint32_t)address, (uint32_t)(address >> 32)}, rsrc[3] = {0x00af0000, 2 << 1 | 1 << 7, 0};
  const uint32_t group[3] = {4, 4, 1}, two[3] = {8, 4, 1}, part[3] = {6, 4, 1}, zero[3] = {0, 1, 1}, canceled = 1;
  wavejit_program *program = NULL;
  CHECK(wavejit_program_open(words, sizeof words, "gfx1100", &program) == WAVEJIT_OK && program);
  /* It was copied. */
  memset(words, 0xff, sizeof words);
  for (uint32_t wave = 0; wave <= 64; wave += 32) {
    memset(out, 0xff, sizeof out);
    CHECK(wavejit_program_launch(program, 4, two, group, wave, rsrc, user, 2, 0, 1000, NULL) == WAVEJIT_OK);
    for (uint32_t i = 0; i < 40; i++) CHECK(out[i] == (i < 32 ? i : UINT32_MAX));
  }
  memset(out, 0xff, sizeof out);
  CHECK(wavejit_program_launch(program, 0, part, group, 32, rsrc, user, 2, 0, 0, NULL) == WAVEJIT_OK);
  CHECK(out[16 + 1] == 17 && out[16 + 2] == UINT32_MAX); /* the second workgroup is two work-items wide */

  CHECK(wavejit_program_launch(program, 4, two, group, 32, rsrc, user, 2, 0, 3, NULL) == WAVEJIT_E_LIMIT);
  CHECK(wavejit_program_launch(program, 4, two, group, 32, rsrc, user, 2, 0, 0, &canceled) == WAVEJIT_E_LIMIT);
  CHECK(wavejit_program_launch(program, 2, two, group, 32, rsrc, user, 2, 0, 0, NULL) == WAVEJIT_E_ARG);
  CHECK(wavejit_program_launch(program, sizeof words, two, group, 32, rsrc, user, 2, 0, 0, NULL) == WAVEJIT_E_ARG);
  CHECK(strstr(wavejit_last_error(), "entry_offset 64"));
  CHECK(wavejit_program_launch(program, 4, zero, group, 32, rsrc, user, 2, 0, 0, NULL) == WAVEJIT_E_ARG);
  CHECK(wavejit_program_launch(program, 4, two, NULL, 32, rsrc, user, 2, 0, 0, NULL) == WAVEJIT_E_ARG);
  CHECK(wavejit_program_launch(program, 4, two, group, 32, NULL, user, 2, 0, 0, NULL) == WAVEJIT_E_ARG);
  CHECK(wavejit_program_launch(program, 4, two, group, 32, rsrc, NULL, 2, 0, 0, NULL) == WAVEJIT_E_ARG);
  CHECK(wavejit_program_launch(program, 4, two, group, 48, rsrc, user, 2, 0, 0, NULL) == WAVEJIT_E_ARG);
  CHECK(wavejit_program_launch(NULL, 4, two, group, 32, rsrc, user, 2, 0, 0, NULL) == WAVEJIT_E_ARG);
  wavejit_program_close(program);
  wavejit_program_close(NULL);

  CHECK(wavejit_program_open(code, sizeof code - 2, "gfx1100", &program) == WAVEJIT_E_ARG && !program);
  CHECK(wavejit_program_open(code, 0, "gfx1100", &program) == WAVEJIT_E_ARG);
  CHECK(wavejit_program_open(NULL, 4, "gfx1100", &program) == WAVEJIT_E_ARG);
  CHECK(wavejit_program_open(code, sizeof code, "gfx1199", &program) == WAVEJIT_E_ARG && strstr(wavejit_last_error(), "gfx1199"));
  CHECK(wavejit_program_open(code, sizeof code, "gfx1100", NULL) == WAVEJIT_E_ARG);
}

int main(int argc, char **argv) {
  CHECK(wavejit_abi_version() == 1);
  CHECK(strcmp(wavejit_last_error(), "") == 0);
  CHECK(argc == 2);
  kernels(argv[1]);
  machine_code();
  programs();
  return 0;
}
