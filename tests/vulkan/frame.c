// Keeps one frame of a program that presents through X11 without a graphics card: preloaded, it writes what the program puts into its window.
// FRAME_FILE: where to; FRAME_NUMBER: which, from 0. A PPM picture.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <xcb/xcb.h>

typedef xcb_void_cookie_t Put(xcb_connection_t *, uint8_t, xcb_drawable_t, xcb_gcontext_t, uint16_t, uint16_t, int16_t, int16_t, uint8_t, uint8_t,
                              uint32_t, const uint8_t *);

// A frame comes in pieces of some rows, from the top.
static void keep(uint16_t width, uint16_t height, int16_t y, uint32_t bytes, const uint8_t *data) {
  static int frame = -1;
  static FILE *file;
  const char *name = getenv("FRAME_FILE"), *number = getenv("FRAME_NUMBER");
  if (!name || !number || height == 0) return;
  if (y == 0) {
    frame++;
    if (file) fclose(file);
    file = frame == atoi(number) ? fopen(name, "wb") : NULL;
    // The height is not known before the last piece: whoever reads it counts.
    if (file) fprintf(file, "P6\n%d -1\n255\n", width);
  }
  if (!file) return;
  uint32_t pitch = bytes / height;
  for (uint32_t row = 0; row < height; row++)
    for (uint32_t x = 0; x < width; x++) {
      const uint8_t *pixel = data + row * pitch + 4 * x;
      fputc(pixel[2], file), fputc(pixel[1], file), fputc(pixel[0], file);
    }
  fflush(file);
}

xcb_void_cookie_t xcb_put_image(xcb_connection_t *connection, uint8_t format, xcb_drawable_t drawable, xcb_gcontext_t gc, uint16_t width,
                                uint16_t height, int16_t x, int16_t y, uint8_t left, uint8_t depth, uint32_t bytes, const uint8_t *data) {
  Put *put = (Put *)dlsym(RTLD_NEXT, "xcb_put_image");
  keep(width, height, y, bytes, data);
  return put(connection, format, drawable, gc, width, height, x, y, left, depth, bytes, data);
}
