/* wavejit's C interface, version 1: runs AMD GPU machine code on the CPU. Implemented in runtime/capi/src/lib.rs, exported by libwavejit.so.
 *
 * Every function may be called from any thread. None of them aborts or unwinds, and none keeps a pointer of the caller's after it
 * returned. They give WAVEJIT_OK or a negative code; wavejit_last_error() then has a sentence for people.
 *
 * Kernels see the caller's own memory: an address in a kernel argument is a host address. Touching memory that is not mapped ends the
 * dispatch with WAVEJIT_E_MEMORY, and the message names kernel, pc, lane and address; the host program goes on.
 *
 * For that the library handles SIGSEGV and SIGBUS. What is not a kernel's goes to the handlers of the host, whether they were installed
 * before or after, with the mask and stack that they asked for, and they may leave by siglongjmp. A handler that is installed while a
 * dispatch runs, and calls nobody, gets the faults of that dispatch; the next one finds it and installs ours over it.
 *
 * The host may fork while other threads of it are in these functions; fork(2) waits for them where it has to, at most for a compilation.
 * Children can use all that was opened before; dispatches of other threads do not go on in them.
 */
#ifndef WAVEJIT_H
#define WAVEJIT_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum {
  WAVEJIT_OK = 0,
  WAVEJIT_E_ARG = -1,         /* an argument is wrong: target not known, size zero or too large, code not aligned, no code object */
  WAVEJIT_E_DECODE = -2,      /* bytes that are not an instruction; the message has their offset and dwords */
  WAVEJIT_E_UNSUPPORTED = -3, /* an instruction or file format that exists, but cannot be run here; the message has its name */
  WAVEJIT_E_MEMORY = -4,      /* the kernel touched memory it may not touch, or the host has none left */
  WAVEJIT_E_LIMIT = -5,       /* out of its instruction budget, canceled, or all waves wait for each other */
  WAVEJIT_E_INTERNAL = -6,    /* a defect of this library */
  WAVEJIT_E_TRAP = -7         /* s_trap, or a floating-point exception that the kernel enabled */
};

/* Version of this interface: 1. */
uint32_t wavejit_abi_version(void);

/* Why the calling thread's last failing call failed; "" if none did. Valid until the thread's next call into this library. */
const char *wavejit_last_error(void);

/* ---- kernels of code objects ---- */

/* A kernel that is ready to run: its code object loaded, its machine code compiled once. */
typedef struct wavejit_kernel wavejit_kernel;

/* Opens a kernel. elf: an amdhsa code object, or an offload bundle that contains one; it is copied. name: "saxpy" or "saxpy.kd". */
int32_t wavejit_kernel_open(const void *elf, size_t elf_size, const char *name, wavejit_kernel **out);

/* Runs a whole grid and returns when it ended. workgroups: how many in each dimension; workgroup_size: work-items of each.
 * kernarg: the argument block, hidden arguments included; what it lacks at its end is zero. */
int32_t wavejit_kernel_launch(wavejit_kernel *kernel, const uint32_t workgroups[3], const uint32_t workgroup_size[3],
                              const void *kernarg, size_t kernarg_size, uint32_t dynamic_lds_bytes);

/* As wavejit_kernel_launch, but grid_size counts work-items, so that the last workgroup of a dimension may be partial. max_insts: most
 * instructions of one wave, 0 for no limit. cancel: NULL, or a flag that another thread may make non-zero to stop the dispatch. */
int32_t wavejit_kernel_launch_ex(wavejit_kernel *kernel, const uint32_t grid_size[3], const uint32_t workgroup_size[3],
                                 const void *kernarg, size_t kernarg_size, uint32_t dynamic_lds_bytes,
                                 uint64_t max_insts, const volatile uint32_t *cancel);

/* As wavejit_kernel_launch_ex, but runs a part of the grid: group_count workgroups in each dimension, from that with the id first_group on. All
 * else is as in a launch of the whole grid: workgroup ids, partial workgroups at its end, what the kernel is told of its size. So several
 * launches, of several hosts even, can share a grid. A part that is empty or reaches beyond the grid is WAVEJIT_E_ARG. */
int32_t wavejit_kernel_launch_part(wavejit_kernel *kernel, const uint32_t grid_size[3], const uint32_t workgroup_size[3],
                                   const uint32_t first_group[3], const uint32_t group_count[3],
                                   const void *kernarg, size_t kernarg_size, uint32_t dynamic_lds_bytes,
                                   uint64_t max_insts, const volatile uint32_t *cancel);

/* Ends the use of a kernel. NULL is fine. */
void wavejit_kernel_close(wavejit_kernel *kernel);

/* ---- machine code without a code object ---- */

/* Runs machine code from its first byte. Waves start with:
 *
 *   s[0..n_user_data)   user_data; if there is none (n_user_data 0): s[0:1] = args_ptr
 *   then, at s[USER_SGPR]: workgroup ids x, y, z, as far as rsrc2 bits 7, 8, 9 ask for them; the workgroup information word (bit 10);
 *                       before gfx11 the wave's scratch offset (bit 0). USER_SGPR is rsrc2 bits 5:1, whatever n_user_data is.
 *                       On gfx12 the ids are in ttmp9 (x) and ttmp7 (y in the low, z in the high half) instead.
 *   v0                  work-item id as x | y << 10 | z << 20 on gfx90a, gfx94x, gfx95x and from gfx11 on; before, x, y, z in v0, v1, v2
 *   exec                a bit for each work-item there is: the last wave of a workgroup may have fewer
 *   mode                rsrc1: FLOAT_MODE 19:12, DX10_CLAMP 21 and IEEE_MODE 23 (not on gfx12), FP16_OVFL 26 (from gfx9 on)
 *   LDS                 rsrc2 bits 23:15 in steps of 512 bytes (256 on gfx6); the caller fills this in, as a driver would. It is zero
 *                       when a workgroup starts.
 *   VGPRs               as many as rsrc1 bits 5:0 ask for, in whole granules of the processor (24 in wave32 and 12 in wave64 on gfx1100): a
 *                       source beyond reads v0, an instruction with a destination beyond does nothing
 *   AGPRs               rsrc3 has ACCUM_OFFSET on gfx90a, gfx94x, gfx95x
 *
 * Everything else starts as zero. The code may read itself, relative to the pc, within [code, code + code_size). */
int32_t wavejit_run_asm(
    const void *code, uint32_t code_size,           /* multiples of 4 both, the address and the size */
    uint32_t gx, uint32_t gy, uint32_t gz,          /* workgroups in each dimension */
    uint32_t lx, uint32_t ly, uint32_t lz,          /* work-items of a workgroup */
    const uint64_t *args_ptr,                       /* the kernel argument segment */
    const char *target,                             /* "gfx1100", ... */
    uint32_t wave_size,                             /* 32, 64, or 0: 64 up to gfx9, else 32 */
    uint32_t rsrc1, uint32_t rsrc2, uint32_t rsrc3, /* COMPUTE_PGM_RSRC1..3 */
    const uint32_t *user_data, uint32_t n_user_data,/* COMPUTE_USER_DATA, or NULL and 0 */
    uint32_t scratch_bytes,                         /* scratch of a work-item */
    uint64_t max_insts,                             /* most instructions of one wave, or 0 */
    char *err, uint32_t err_len);                   /* gets the message, cut to fit and terminated; or NULL and 0 */

/* Machine code that was opened, to be run many times: wavejit_run_asm compares the code with what was translated each time it runs, this does
 * not. */
typedef struct wavejit_program wavejit_program;

/* Opens machine code. code_size: a multiple of 4. The code is copied; what it reads relative to the pc must be in it. target: "gfx1100", ... */
int32_t wavejit_program_open(const void *code, size_t code_size, const char *target, wavejit_program **out);

/* Runs a grid and returns when it ended. Waves start at entry_offset, a multiple of 4, in the state that wavejit_run_asm describes; all of
 * s[0..n_user_data) is user_data, also if that is none. grid_size counts work-items. rsrc: COMPUTE_PGM_RSRC1..3. Numbers that are not here are as
 * in wavejit_run_asm, cancel as in wavejit_kernel_launch_ex. */
int32_t wavejit_program_launch(wavejit_program *program, size_t entry_offset, const uint32_t grid_size[3], const uint32_t workgroup_size[3],
                               uint32_t wave_size, const uint32_t rsrc[3], const uint32_t *user_data, uint32_t n_user_data,
                               uint32_t scratch_bytes, uint64_t max_insts, const volatile uint32_t *cancel);

/* Ends the use of a program. NULL is fine. */
void wavejit_program_close(wavejit_program *program);

#ifdef __cplusplus
}
#endif
#endif
