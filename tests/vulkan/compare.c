// Compares two frames of frame.c, of windows this wide: differences of more than 1 are allowed at edges, which are few pixels.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int width, height;
  unsigned char *bytes;
} Picture;

static Picture load(const char *name) {
  Picture p = {0};
  FILE *file = fopen(name, "rb");
  int ignored;
  if (!file || fscanf(file, "P6\n%d %d\n255", &p.width, &ignored) != 2) {
    printf("%s is no picture\n", name);
    exit(1);
  }
  fgetc(file);
  p.bytes = malloc(1 << 26);
  size_t bytes = fread(p.bytes, 1, 1 << 26, file);
  fclose(file);
  p.height = (int)(bytes / 3 / p.width);
  return p;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  // Rows may be longer than the window is wide.
  int width = atoi(argv[3]);
  Picture a = load(argv[1]), b = load(argv[2]);
  if (a.width != b.width || a.height != b.height) {
    printf("%dx%d, not %dx%d\n", a.width, a.height, b.width, b.height);
    return 1;
  }
  int far = 0, any = 0, all = width * a.height, colors = 0;
  for (int i = 0; i < a.width * a.height; i++) {
    if (i % a.width >= width) continue;
    int most = 0;
    for (int c = 0; c < 3; c++) {
      int d = abs(a.bytes[3 * i + c] - b.bytes[3 * i + c]);
      most = d > most ? d : most;
    }
    any += most > 0, far += most > 1;
    colors += memcmp(a.bytes + 3 * i, a.bytes, 3) != 0;
  }
  printf("%dx%d: %d pixels differ by 1, %d by more; %d are not background\n", width, a.height, any - far, far, colors);
  // A picture of one color compares nothing.
  return far > all / 200 || colors < all / 20;
}
