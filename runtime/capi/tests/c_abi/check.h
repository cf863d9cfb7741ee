/* What the test programs share: checks, and the kernel `scale` of small-v5.hsaco. */
#ifndef CHECK_H
#define CHECK_H

#include "wavejit.h"
#include <stdio.h>
#include <stdlib.h>

/* Ends the process, a forked child too, and says which line went wrong. */
#define CHECK(what)                                                                                            \
  do {                                                                                                         \
    if (!(what)) {                                                                                             \
      fprintf(stderr, "%s:%d: %s (last error: %s)\n", __FILE__, __LINE__, #what, wavejit_last_error());        \
      _Exit(1);                                                                                                \
    }                                                                                                          \
  } while (0)

/* Explicit arguments of `scale`, then the v5 hidden ones that it reads. */
struct scale_args {
  float *out;
  float factor;
  uint32_t n;
  uint32_t block_count[3];
  uint16_t group_size[3];
  uint16_t remainder[3];
};

static char *read_file(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  char *bytes = malloc(1 << 20);
  CHECK(f && bytes);
  *size = fread(bytes, 1, 1 << 20, f);
  fclose(f);
  return bytes;
}

#endif
