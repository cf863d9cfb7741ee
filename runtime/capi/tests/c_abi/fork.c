/* A host that forks while other threads of it open, launch and close kernels: every child can do so, too. argv[1]: small-v5.hsaco.
 * Prints nothing and returns 0 if all is well. */
#define _GNU_SOURCE
#include "check.h"
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 60
#define GROUPS 200

static char *elf;
static size_t size;
static atomic_int stop;

static wavejit_kernel *open_kernel(void) {
  wavejit_kernel *kernel;
  CHECK(wavejit_kernel_open(elf, size, "scale", &kernel) == WAVEJIT_OK);
  return kernel;
}

static void launch(wavejit_kernel *kernel, float factor) {
  const uint32_t groups[3] = {GROUPS, 1, 1}, group[3] = {64, 1, 1};
  float *out = calloc(64 * GROUPS, sizeof *out);
  struct scale_args args = {out, factor, 64 * GROUPS, {GROUPS, 1, 1}, {64, 1, 1}, {0, 0, 0}};
  CHECK(wavejit_kernel_launch(kernel, groups, group, &args, sizeof args, 0) == WAVEJIT_OK);
  for (int i = 0; i < 64 * GROUPS; i++) CHECK(out[i] == factor * (float)i);
  free(out);
}

static void *busy(void *launches) {
  while (!stop) {
    wavejit_kernel *kernel = open_kernel();
    if (launches) launch(kernel, 3);
    wavejit_kernel_close(kernel);
  }
  return NULL;
}

static int threads(void) {
  int n = 0;
  DIR *tasks = opendir("/proc/self/task");
  while (tasks && readdir(tasks)) n++;
  if (tasks) closedir(tasks);
  return n - 2; /* . and .. */
}

/* With a kernel that the parent opened, then with one of its own, then in a child of its own. */
static void child(wavejit_kernel *kernel, int has_child) {
  alarm(60);
  CHECK(threads() == 1);
  launch(kernel, 2);
  CHECK(threads() == 3); /* the threads of the pool are there again */
  wavejit_kernel *own = open_kernel();
  launch(own, 4);
  wavejit_kernel_close(own);
  if (has_child) {
    pid_t grandchild = fork();
    CHECK(grandchild >= 0);
    if (grandchild == 0) {
      launch(kernel, 6);
      _exit(0);
    }
    int status;
    CHECK(waitpid(grandchild, &status, 0) == grandchild && status == 0);
    launch(kernel, 5);
  }
  wavejit_kernel_close(kernel);
  _exit(0);
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  elf = read_file(argv[1], &size);
  wavejit_kernel *kernel = open_kernel();
  launch(kernel, 2);
  pthread_t opens, launches;
  CHECK(pthread_create(&opens, NULL, busy, NULL) == 0);
  CHECK(pthread_create(&launches, NULL, busy, &stop) == 0);
  for (int i = 0; i < CHILDREN; i++) {
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) child(kernel, i % 10 == 0);
    int status;
    CHECK(waitpid(pid, &status, 0) == pid);
    if (status != 0) fprintf(stderr, "child %d: status %x\n", i, (unsigned)status);
    CHECK(status == 0);
    launch(kernel, 2);
  }
  stop = 1;
  pthread_join(opens, NULL);
  pthread_join(launches, NULL);
  wavejit_kernel_close(kernel);
  return 0;
}
