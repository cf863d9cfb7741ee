/* wavejit's C interface, version 2: devices, modules, kernels and what is known of them, arguments, launches, streams, images, faults in parts.
 * Implemented in runtime/capi/src/v2, exported by libwavejit.so beside version 1 (wavejit.h), which it leaves as it is: that one asks for
 * version 1 by number, and has one device for the whole process. Codes (WAVEJIT_E_*) and wavejit_last_error() are those of wavejit.h.
 *
 * Rules for every function, unless it says otherwise:
 *
 * - It may be called from any thread, never aborts or unwinds, and keeps no pointer of the caller's after it returned.
 * - It gives WAVEJIT_OK or a negative code. wavejit_last_error() then has a sentence for people, wavejit2_last_fault() the parts.
 * - Handles are looked up at each use: NULL, one that was closed and one of another kind are WAVEJIT_E_ARG. To close NULL is fine. What a handle stands for
 *   lives as long as something uses it: a device may be closed before its modules, and a kernel during its launch.
 * - A NULL place for a result is WAVEJIT_E_ARG. On failure handles that were to be made are NULL.
 * - Structures begin with `size`: set it to sizeof, and every field that is not used to 0. Later versions add fields at the end; a field that is not zero and
 *   not known to the library is WAVEJIT_E_ARG, as are flags that are not known.
 * - Sizes are in bytes, and so named; times in nanoseconds; grids in work-items. Strings are UTF-8, and those that are given out live as long as their handle.
 */
#ifndef WAVEJIT2_H
#define WAVEJIT2_H
#include "wavejit.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Version of this interface: 2. */
uint32_t wavejit2_version(void);

typedef struct wavejit2_device_st *wavejit2_device;
typedef struct wavejit2_buffer_st *wavejit2_buffer;
typedef struct wavejit2_registration_st *wavejit2_registration;
typedef struct wavejit2_module_st *wavejit2_module;
typedef struct wavejit2_kernel_st *wavejit2_kernel;
typedef struct wavejit2_args_st *wavejit2_args;
typedef struct wavejit2_stream_st *wavejit2_stream;
typedef struct wavejit2_event_st *wavejit2_event;
typedef struct wavejit2_image_st *wavejit2_image;
typedef struct wavejit2_sampler_st *wavejit2_sampler;

/* ---- what went wrong ---- */

enum {
  WAVEJIT2_KIND_OTHER = 0,    /* none of those below: code and message are all there is */
  WAVEJIT2_KIND_FAULT = 1,    /* an instruction that a wave could not do */
  WAVEJIT2_KIND_BUDGET = 2,   /* max_insts used up */
  WAVEJIT2_KIND_CANCELED = 3, /* by its flag */
  WAVEJIT2_KIND_LIMIT = 4,    /* another end that the launch or the device asked for */
  WAVEJIT2_KIND_DEADLOCK = 5, /* all waves that have begun wait for each other, or for nobody; the place is that of one of them */
  WAVEJIT2_KIND_OVERRUN = 6   /* a launch ran to its end and has changed bytes beside a buffer, at the address on (WAVEJIT2_DEVICE_CANARIES) */
};
enum {
  WAVEJIT2_CAUSE_NONE = 0,
  WAVEJIT2_CAUSE_UNMAPPED = 1,
  WAVEJIT2_CAUSE_MISALIGNED = 2,
  WAVEJIT2_CAUSE_OUT_OF_SCRATCH = 3,
  WAVEJIT2_CAUSE_NO_CODE = 4,         /* a jump to where none is */
  WAVEJIT2_CAUSE_NO_INSTRUCTION = 5,  /* of the processor */
  WAVEJIT2_CAUSE_NOT_IMPLEMENTED = 6,
  WAVEJIT2_CAUSE_REFUSED = 7,         /* its operands or descriptors */
  WAVEJIT2_CAUSE_TRAP = 8,
  WAVEJIT2_CAUSE_OTHER = 99
};
enum { WAVEJIT2_ACCESS_NONE = 0, WAVEJIT2_ACCESS_LOAD = 1, WAVEJIT2_ACCESS_STORE = 2, WAVEJIT2_ACCESS_ATOMIC = 3 };

typedef struct {
  uint32_t size;
  int32_t code;            /* WAVEJIT_E_* */
  uint32_t kind;           /* WAVEJIT2_KIND_* */
  uint32_t cause;          /* WAVEJIT2_CAUSE_*, of a fault */
  const char *message;     /* as wavejit_last_error() */
  const char *kernel;      /* "" if no kernel has a part in it */
  const char *instruction; /* text of it; NULL where there is none */
  uint64_t entry;          /* address of the kernel's first instruction */
  uint64_t pc;             /* address of the instruction */
  uint64_t address;        /* accessed or jumped to, or offset into scratch; see has_address */
  uint64_t lanes;          /* that made the access, lane 0 lowest; 0 where lanes had no part in it */
  int32_t lane;            /* the first that could not do it; -1 where lanes had no part in it */
  uint32_t wave;           /* in its workgroup */
  uint32_t workgroup[3];   /* id */
  uint32_t access;         /* WAVEJIT2_ACCESS_* */
  uint32_t access_bytes;   /* of a lane; 0: as many as descriptor and coordinates say */
  uint32_t has_address;
} wavejit2_fault;

/* The calling thread's last failing call, of either version, in parts. All zero, with empty texts and lane -1, if none failed. Its texts live until the thread's
 * next failing call. */
int32_t wavejit2_last_fault(wavejit2_fault *fault);

/* ---- devices ---- */

enum {
  WAVEJIT2_DEVICE_DETERMINISTIC = 1, /* one thread, fixed order, zeroed registers: equal runs are equal */
  WAVEJIT2_DEVICE_ISOLATED = 2,      /* memory of its own, outside of which kernels reach nothing; else device addresses are the host's, as in version 1 */
  WAVEJIT2_DEVICE_INTERPRETER = 4,   /* slow, and simple; WAVEJIT_ENGINE=interp says so too, jit that all is compiled before its first launch */
  WAVEJIT2_DEVICE_CANARIES = 8,      /* watches bytes beside buffers: a launch that has changed some is WAVEJIT_E_MEMORY, once for each buffer */
  WAVEJIT2_DEVICE_LOCKSTEP = 16,     /* waves of a workgroup run one instruction each in turn, by the interpreter */
  WAVEJIT2_DEVICE_ONE_ULP = 32       /* v_rsq_f32, v_exp_f32 and v_log_f32 are within 1 ulp, and faster, rather than correctly rounded; WAVEJIT_ACCURACY=1ulp says so too */
};

typedef struct {
  uint32_t size;
  uint32_t flags;               /* WAVEJIT2_DEVICE_* */
  uint32_t threads;             /* that run workgroups; 0: one for each processor of the host */
  uint32_t gb_addr_config;      /* GB_ADDR_CONFIG of the chip, which says where texels of images are; 0: the simplest */
  const char *target;           /* "gfx1101": whose code is taken from files that hold several; NULL: gfx1100, or the first that is known */
  uint64_t scratch_limit_bytes; /* that waves of a launch may hold at a time; 0: 1 GiB */
  uint64_t code_cache_bytes;    /* of translated code kept for modules opened again; 0: 256 MiB */
  uint64_t reserve_bytes;       /* of addresses for an isolated device's memory; 0: 1 TiB, or what there is */
  /* Gets what kernels print: stream 1 is the standard output, 2 the standard error. Called by any thread, one at a time; it must not wait for a
   * launch. NULL: to the streams of the process. */
  void (*print)(void *user, int32_t stream, const char *text, size_t bytes);
  void *print_user;
} wavejit2_device_config;

typedef struct {
  uint32_t size;
  uint32_t reserved;
  uint64_t lifted, lifted_insts;     /* functions made of machine code, and instructions in them */
  uint64_t compiled, compiled_insts; /* to host code */
  uint64_t found;                    /* translations that were there already */
  uint64_t kept_bytes;
} wavejit2_code_stats;

/* Opens a device. config: NULL for zeros. */
int32_t wavejit2_device_open(const wavejit2_device_config *config, wavejit2_device *out);
int32_t wavejit2_device_close(wavejit2_device device);
/* How many threads run workgroups. */
int32_t wavejit2_device_threads(wavejit2_device device, uint32_t *out);
/* What has been translated for it. */
int32_t wavejit2_device_code_stats(wavejit2_device device, wavejit2_code_stats *out);
/* Frees what kernels have allocated by malloc and kept. */
int32_t wavejit2_device_free_kernel_memory(wavejit2_device device);

/* ---- memory ---- */

/* Allocates memory, zeroed; address is its first byte's, for kernels. WAVEJIT_E_MEMORY if there is none. To close it frees it, when launches that run
 * have ended. */
int32_t wavejit2_buffer_open(wavejit2_device device, uint64_t bytes, wavejit2_buffer *out, uint64_t *address);
int32_t wavejit2_buffer_close(wavejit2_buffer buffer);
/* Copies from, to and within memory of a device; fill writes a pattern of 1 to 16 bytes count times. WAVEJIT_E_MEMORY where nothing is mapped. The ranges of
 * a copy may be the same, but not overlap in part. */
int32_t wavejit2_read(wavejit2_device device, uint64_t address, void *to, size_t bytes);
int32_t wavejit2_write(wavejit2_device device, uint64_t address, const void *from, size_t bytes);
int32_t wavejit2_copy(wavejit2_device device, uint64_t to, uint64_t from, uint64_t bytes);
int32_t wavejit2_fill(wavejit2_device device, uint64_t address, const void *pattern, size_t pattern_bytes, uint64_t count);

/* Lets kernels use memory of the host's: checks that all of it is there (WAVEJIT_E_MEMORY), and gives its address on the device, which is the host's. The caller
 * keeps it mapped until it is unregistered. WAVEJIT_E_UNSUPPORTED for an isolated device. Kernels of a device that is not isolated reach host memory
 * without this, too. */
int32_t wavejit2_memory_register(wavejit2_device device, void *host, uint64_t bytes, wavejit2_registration *out, uint64_t *address);
int32_t wavejit2_memory_unregister(wavejit2_registration registration);

/* ---- modules ---- */

enum { WAVEJIT2_SYMBOL_OTHER = 0, WAVEJIT2_SYMBOL_FUNCTION = 1, WAVEJIT2_SYMBOL_OBJECT = 2, WAVEJIT2_SYMBOL_LDS = 3 };

typedef struct {
  uint32_t size;
  uint32_t kind;    /* WAVEJIT2_SYMBOL_* */
  const char *name;
  uint64_t address; /* on the device; 0 of LDS */
  uint64_t bytes;
} wavejit2_symbol;

/* Loads a code object, an offload bundle, or a host program with device code in it; the bytes are copied. kernel: NULL, or a kernel that it must have: a host
 * program may hold several code objects for one target. */
int32_t wavejit2_module_open(wavejit2_device device, const void *code, size_t code_bytes, const char *kernel, wavejit2_module *out);
int32_t wavejit2_module_close(wavejit2_module module);
/* Processor and features that it was compiled for: "gfx1100". */
int32_t wavejit2_module_target(wavejit2_module module, const char **out);
/* How many kernels and symbols it has. */
int32_t wavejit2_module_counts(wavejit2_module module, uint32_t *kernels, uint32_t *symbols);
/* A symbol by number, or by name: variables of the device code are objects. */
int32_t wavejit2_module_symbol_at(wavejit2_module module, uint32_t index, wavejit2_symbol *out);
int32_t wavejit2_module_symbol(wavejit2_module module, const char *name, wavejit2_symbol *out);

/* ---- kernels ---- */

enum {
  WAVEJIT2_KERNEL_HAS_METADATA = 1,       /* if not, nothing is known of its arguments */
  WAVEJIT2_KERNEL_HAS_REQUIRED_GROUP = 2,
  WAVEJIT2_KERNEL_USES_DYNAMIC_STACK = 4  /* it may need more scratch than it says */
};
enum { WAVEJIT2_ARG_IS_CONST = 1 }; /* it points to constant data */

typedef struct {
  uint32_t size;
  uint32_t flags;             /* WAVEJIT2_KERNEL_* */
  const char *name;           /* its symbol, without ".kd" */
  const char *target;         /* processor that it runs as */
  const char *language;       /* NULL if the code object does not say */
  uint32_t wave_size;         /* 32 or 64 */
  uint32_t sgprs, vgprs, agprs;
  uint32_t lds_bytes;         /* of a workgroup, without dynamic ones */
  uint32_t scratch_bytes;     /* of a work-item */
  uint32_t kernarg_bytes, kernarg_align; /* of the argument segment, hidden arguments included */
  uint32_t args, hidden_args; /* how many a launch gives, and how many are filled in */
  uint32_t max_group;         /* most work-items of a workgroup; 0 if the code object does not say */
  uint32_t required_group[3]; /* the only size it is correct for; see flags */
  uint64_t code_address, code_bytes; /* bytes: 0 if the code object does not say */
} wavejit2_kernel_facts;

typedef struct {
  uint32_t size;
  uint32_t flags;            /* WAVEJIT2_ARG_* */
  const char *name;          /* in the source; NULL if the compiler did not keep it (clang: -cl-kernel-arg-info) */
  const char *type_name;     /* in the source; NULL if the compiler did not keep it */
  const char *kind;          /* as LLVM names them: "by_value", "global_buffer", "dynamic_shared_pointer", "image", "hidden_block_count_x", ... */
  const char *address_space; /* "global", "local", ...; NULL if the code object does not say */
  const char *access;        /* "read_only", "write_only", "read_write"; NULL if the code object does not say */
  uint32_t bytes, offset;    /* in the argument segment */
  uint32_t number_class;     /* of the numbers in it: 'f', 'i' or 'u'; 0 if it is not known to hold any */
  uint32_t number_bytes;     /* of one of them */
  uint32_t number_count;     /* 1, 2, 3 (which take the room of 4), 4, 8 or 16 */
  uint32_t reserved;
} wavejit2_arg_facts;

/* A kernel by name (its symbol, with or without ".kd", or its name in the source where that is the only one), or by number. */
int32_t wavejit2_kernel_open(wavejit2_module module, const char *name, wavejit2_kernel *out);
int32_t wavejit2_kernel_open_at(wavejit2_module module, uint32_t index, wavejit2_kernel *out);
int32_t wavejit2_kernel_close(wavejit2_kernel kernel);
/* Translates it now, for a launch later. */
int32_t wavejit2_kernel_compile(wavejit2_kernel kernel);
int32_t wavejit2_kernel_get_facts(wavejit2_kernel kernel, wavejit2_kernel_facts *out);
/* An argument by number: those that a launch gives, then the hidden ones. */
int32_t wavejit2_kernel_get_arg(wavejit2_kernel kernel, uint32_t index, wavejit2_arg_facts *out);
/* Number of the argument with a name. */
int32_t wavejit2_kernel_find_arg(wavejit2_kernel kernel, const char *name, uint32_t *index);

/* ---- arguments ---- */

/* A list of arguments for launches of a kernel; each must be set once, and may be set again between launches, which have taken what it was. The hidden ones are
 * filled in by the launch. */
int32_t wavejit2_args_open(wavejit2_kernel kernel, wavejit2_args *out);
int32_t wavejit2_args_close(wavejit2_args args);
/* Sets an argument by its number or name to a value of exactly its bytes; for a pointer an address on the device. */
int32_t wavejit2_args_set(wavejit2_args args, uint32_t index, const void *value, size_t bytes);
int32_t wavejit2_args_set_named(wavejit2_args args, const char *name, const void *value, size_t bytes);
int32_t wavejit2_args_set_address(wavejit2_args args, uint32_t index, uint64_t address);
/* LDS bytes behind a __local pointer. */
int32_t wavejit2_args_set_local(wavejit2_args args, uint32_t index, uint32_t bytes);
/* Images and samplers, which live as long as the list refers to them. */
int32_t wavejit2_args_set_image(wavejit2_args args, uint32_t index, wavejit2_image image);
int32_t wavejit2_args_set_sampler(wavejit2_args args, uint32_t index, wavejit2_sampler sampler);

/* ---- launches ---- */

enum {
  WAVEJIT2_LAUNCH_COOPERATIVE = 1,   /* its workgroups wait for each other: WAVEJIT_E_UNSUPPORTED if not all of them can be resident */
  WAVEJIT2_LAUNCH_ALLOW_MISSING = 2, /* launch although hidden arguments that the kernel uses are not provided: they are 0 */
  WAVEJIT2_LAUNCH_WHOLE_SEGMENT = 4  /* kernarg has the hidden arguments, too */
};

typedef struct {
  uint32_t size;
  uint32_t flags;                   /* WAVEJIT2_LAUNCH_* */
  uint32_t grid[3];                 /* work-items; the last workgroup of a dimension may be partial */
  uint32_t group[3];                /* work-items of a workgroup */
  uint32_t first_group[3];          /* of the part that runs, which sees the whole grid */
  uint32_t group_count[3];          /* workgroups of that part; all 0: the whole grid */
  uint64_t offset[3];               /* OpenCL's global offset */
  uint64_t max_insts;               /* of one wave; 0: any number */
  const volatile uint32_t *cancel;  /* NULL, or a flag that another thread may make non-zero to end the launch; it lives until the launch has ended */
  wavejit2_args args;               /* NULL: see kernarg */
  const void *kernarg;              /* packed arguments instead of args: the explicit ones, behind which hidden ones are filled in, or the WHOLE_SEGMENT */
  uint64_t kernarg_bytes;
  uint32_t dynamic_lds_bytes;       /* beyond what the kernel and its __local arguments have */
  uint32_t reserved;
} wavejit2_launch;

typedef struct {
  uint32_t size;
  uint32_t reserved;
  uint64_t workgroups, waves, insts; /* that ran */
  uint64_t compile_ns;               /* to translate the kernel; 0 if it had been before */
  uint64_t run_ns;                   /* from the first workgroup's start to the last one's end */
} wavejit2_stats;

/* Runs a grid and returns when it has ended. stats: NULL, or gets what it did. */
int32_t wavejit2_kernel_launch(wavejit2_kernel kernel, const wavejit2_launch *launch, wavejit2_stats *stats);

/* ---- streams ---- */

/* A stream does what it is given in order, while the program goes on; streams run beside each other. The first thing in it that fails is kept, and what
 * follows is left out, until wavejit2_stream_wait or wavejit2_stream_close gives the failure to the thread that calls it. Neither may be called by a stream's
 * own function. */
int32_t wavejit2_stream_open(wavejit2_device device, wavejit2_stream *out);
/* Waits for everything in it; WAVEJIT_OK, or the first failure, with which the handle is closed all the same. */
int32_t wavejit2_stream_close(wavejit2_stream stream);
/* Waits for everything in it; WAVEJIT_OK, or the first failure, which is then forgotten. */
int32_t wavejit2_stream_wait(wavejit2_stream stream);
/* 1 if everything in it is done. */
int32_t wavejit2_stream_is_idle(wavejit2_stream stream, uint32_t *out);
/* A launch. It is checked now, and arguments are taken now. */
int32_t wavejit2_stream_launch(wavejit2_stream stream, wavejit2_kernel kernel, const wavejit2_launch *launch);
/* Copies to memory of the device; the bytes are taken now. */
int32_t wavejit2_stream_write(wavejit2_stream stream, uint64_t address, const void *from, size_t bytes);
/* Copies from memory of the device; the caller keeps `to` until the stream has got there. */
int32_t wavejit2_stream_read(wavejit2_stream stream, uint64_t address, void *to, size_t bytes);
/* Calls a function, by any thread; it must not unwind. */
int32_t wavejit2_stream_call(wavejit2_stream stream, void (*function)(void *user), void *user);

/* An event is the end of what a stream was given so far. It is reached if that is done, or left out. */
int32_t wavejit2_event_open(wavejit2_stream stream, wavejit2_event *out);
int32_t wavejit2_event_close(wavejit2_event event);
int32_t wavejit2_event_wait(wavejit2_event event);
int32_t wavejit2_event_is_reached(wavejit2_event event, uint32_t *out);
/* What a stream is given from now on waits for an event of another one. */
int32_t wavejit2_stream_wait_event(wavejit2_stream stream, wavejit2_event event);

/* ---- images and samplers, of gfx11 ---- */

enum {
  WAVEJIT2_IMAGE_1D = 0,
  WAVEJIT2_IMAGE_1D_ARRAY = 1,
  WAVEJIT2_IMAGE_2D = 2,
  WAVEJIT2_IMAGE_2D_ARRAY = 3,
  WAVEJIT2_IMAGE_3D = 4,
  WAVEJIT2_IMAGE_CUBE = 5
};
enum { WAVEJIT2_TILING_OPTIMAL = 0, WAVEJIT2_TILING_LINEAR = 1 };

typedef struct {
  uint32_t size;
  uint32_t kind;                 /* WAVEJIT2_IMAGE_* */
  const char *format;            /* "rgba8", "r32float", ...: the message of one that is not known lists them */
  uint32_t width, height, depth; /* texels of level 0; depth: slices, layers, 6 of a cube. 0 is 1 */
  uint32_t levels;               /* 0: all, down to one texel */
  uint32_t samples;              /* 1, 2, 4 or 8; 0 is 1 */
  uint32_t tiling;               /* WAVEJIT2_TILING_* */
} wavejit2_image_desc;

/* Makes an image; its texels are zero. */
int32_t wavejit2_image_open(wavejit2_device device, const wavejit2_image_desc *desc, wavejit2_image *out);
int32_t wavejit2_image_close(wavejit2_image image);
/* Columns, rows and slices of a level, in elements (texels, or blocks of compressed formats), and its bytes as plain rows, slice after slice. */
int32_t wavejit2_image_level(wavejit2_image image, uint32_t level, uint32_t elements[3], uint64_t *bytes);
/* Copies a level from and to plain rows of exactly its bytes. */
int32_t wavejit2_image_write(wavejit2_image image, uint32_t level, const void *rows, size_t bytes);
int32_t wavejit2_image_read(wavejit2_image image, uint32_t level, void *rows, size_t bytes);
/* Makes the other levels from level 0, by halving. */
int32_t wavejit2_image_make_levels(wavejit2_image image);
/* Its descriptor (T#), and the address of it that an argument is. */
int32_t wavejit2_image_descriptor(wavejit2_image image, uint32_t words[8], uint64_t *address);

enum { WAVEJIT2_FILTER_POINT = 0, WAVEJIT2_FILTER_LINEAR = 1 };
enum { WAVEJIT2_MIP_NONE = 0, WAVEJIT2_MIP_POINT = 1, WAVEJIT2_MIP_LINEAR = 2 };
enum {
  WAVEJIT2_CLAMP_EDGE = 0,
  WAVEJIT2_CLAMP_WRAP = 1,
  WAVEJIT2_CLAMP_MIRROR = 2,
  WAVEJIT2_CLAMP_MIRROR_ONCE_EDGE = 3,
  WAVEJIT2_CLAMP_BORDER = 4,
  WAVEJIT2_CLAMP_MIRROR_ONCE_BORDER = 5
};
enum { WAVEJIT2_BORDER_TRANSPARENT_BLACK = 0, WAVEJIT2_BORDER_OPAQUE_BLACK = 1, WAVEJIT2_BORDER_OPAQUE_WHITE = 2, WAVEJIT2_BORDER_COLOR = 3 };
enum {
  WAVEJIT2_COMPARE_NEVER = 0,
  WAVEJIT2_COMPARE_LESS = 1,
  WAVEJIT2_COMPARE_EQUAL = 2,
  WAVEJIT2_COMPARE_LESS_EQUAL = 3,
  WAVEJIT2_COMPARE_GREATER = 4,
  WAVEJIT2_COMPARE_NOT_EQUAL = 5,
  WAVEJIT2_COMPARE_GREATER_EQUAL = 6,
  WAVEJIT2_COMPARE_ALWAYS = 7
};
enum { WAVEJIT2_SAMPLER_UNNORMALIZED = 1 }; /* coordinates are in texels instead of 0 to 1 */

typedef struct {
  uint32_t size;
  uint32_t flags;          /* WAVEJIT2_SAMPLER_* */
  uint32_t mag, min;       /* WAVEJIT2_FILTER_* */
  uint32_t mip;            /* WAVEJIT2_MIP_* */
  uint32_t clamp[3];       /* WAVEJIT2_CLAMP_*, by coordinate */
  uint32_t border;         /* WAVEJIT2_BORDER_* */
  float border_color[4];   /* of WAVEJIT2_BORDER_COLOR; a device has 4096 different ones at most */
  float min_lod, max_lod;  /* levels; max_lod 0: all */
  float lod_bias;
  uint32_t max_anisotropy; /* 1, 2, 4, 8 or 16; 0 is 1 */
  uint32_t compare;        /* WAVEJIT2_COMPARE_*, for comparing samples */
} wavejit2_sampler_desc;

int32_t wavejit2_sampler_open(wavejit2_device device, const wavejit2_sampler_desc *desc, wavejit2_sampler *out);
int32_t wavejit2_sampler_close(wavejit2_sampler sampler);
/* Its descriptor (S#), and the address of it that an argument is. */
int32_t wavejit2_sampler_descriptor(wavejit2_sampler sampler, uint32_t words[4], uint64_t *address);

#ifdef __cplusplus
}
#endif
#endif
