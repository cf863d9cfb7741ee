/* Hosts with signal handlers of their own. argv[1]: small-v5.hsaco, argv[2]: which case.
 * Faults of kernels must be errors whatever the host does; its own signals must get where they would get without wavejit.
 * Prints nothing and returns 0 if all is well. */
#define _GNU_SOURCE
#include "check.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static wavejit_kernel *kernel;

static void open_kernel(const char *path) {
  size_t size;
  char *elf = read_file(path, &size);
  CHECK(wavejit_kernel_open(elf, size, "scale", &kernel) == WAVEJIT_OK);
  free(elf);
}

/* On one thread and on several. */
static void kernel_faults(void) {
  const uint32_t group[3] = {64, 1, 1};
  for (uint32_t groups = 1; groups <= 64; groups += 63) {
    struct scale_args args = {(float *)16, 2, 64 * groups, {groups, 1, 1}, {64, 1, 1}, {0, 0, 0}};
    const uint32_t grid[3] = {groups, 1, 1};
    CHECK(wavejit_kernel_launch(kernel, grid, group, &args, sizeof args, 0) == WAVEJIT_E_MEMORY);
    CHECK(strstr(wavejit_last_error(), "scale") && (groups > 1 || strstr(wavejit_last_error(), "0x10")));
  }
}

static void own_fault(void) { *(volatile int *)8 = 1; }

static void set(void (*handler)(int, siginfo_t *, void *), int flags, struct sigaction *old) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | flags;
  CHECK(sigaction(SIGSEGV, &action, old) == 0);
}

static sigjmp_buf back;
static volatile int hits, later_hits;

static void jump(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info, (void)context;
  hits++;
  siglongjmp(back, 1);
}

/* Faults, and expects `jump` to have been called. */
static void jumps(void) {
  int before = hits;
  if (!sigsetjmp(back, 1)) own_fault();
  CHECK(hits == before + 1);
}

static struct sigaction below;

/* Calls what was there before it, as handlers should. */
static void later(int signal, siginfo_t *info, void *context) {
  later_hits++;
  if (below.sa_flags & SA_SIGINFO)
    below.sa_sigaction(signal, info, context);
  else if (below.sa_handler != SIG_DFL)
    below.sa_handler(signal);
  else
    sigaction(signal, &below, NULL);
}

/* A handler that leaves by siglongjmp is called every time. */
static void handler_jumps(const char *path) {
  set(jump, SA_NODEFER, NULL);
  open_kernel(path);
  for (int i = 0; i < 4; i++) {
    jumps();
    kernel_faults();
  }
}

/* So is one that saves no mask, and one that is installed after us and calls nobody. */
static void handler_comes_later(const char *path) {
  open_kernel(path);
  kernel_faults();
  set(jump, 0, NULL);
  for (int i = 0; i < 4; i++) {
    kernel_faults();
    jumps();
  }
}

/* One after the other, each calling the one before. */
static void handlers_chain(const char *path) {
  set(jump, 0, NULL);
  open_kernel(path);
  set(later, 0, &below);
  for (int i = 1; i <= 4; i++) {
    jumps(); /* at first the kernel calls `later`, then us */
    CHECK(later_hits == i);
    kernel_faults();
  }
}

/* A handler that is installed again and again, and so believes that we were there before it and it before us. */
static void handler_comes_again(const char *path) {
  set(jump, 0, NULL);
  open_kernel(path);
  for (int i = 1; i <= 40; i++) {
    set(later, 0, &below);
    kernel_faults();
    jumps();
    CHECK(later_hits == i);
  }
}

/* A handler that goes away again is not called any more. */
static void handler_goes(const char *path) {
  set(jump, 0, NULL);
  open_kernel(path);
  for (int i = 0; i < 20; i++) {
    set(later, 0, &below);
    kernel_faults();
    CHECK(sigaction(SIGSEGV, &below, NULL) == 0);
    kernel_faults();
    jumps();
    CHECK(later_hits == 0);
  }
}

/* Many different ones, more than there are levels. */
#define MANY 20
static struct sigaction many_below[MANY];
static volatile int many_hits[MANY];
#define HANDLER(n)                                                                                             \
  static void many_##n(int signal, siginfo_t *info, void *context) {                                           \
    many_hits[n]++;                                                                                            \
    many_below[n].sa_sigaction(signal, info, context);                                                         \
  }
HANDLER(0) HANDLER(1) HANDLER(2) HANDLER(3) HANDLER(4) HANDLER(5) HANDLER(6) HANDLER(7) HANDLER(8) HANDLER(9)
HANDLER(10) HANDLER(11) HANDLER(12) HANDLER(13) HANDLER(14) HANDLER(15) HANDLER(16) HANDLER(17) HANDLER(18) HANDLER(19)

static void many_handlers(const char *path) {
  void (*const all[MANY])(int, siginfo_t *, void *) = {many_0,  many_1,  many_2,  many_3,  many_4,  many_5,  many_6,
                                                       many_7,  many_8,  many_9,  many_10, many_11, many_12, many_13,
                                                       many_14, many_15, many_16, many_17, many_18, many_19};
  set(jump, 0, NULL);
  open_kernel(path);
  for (int i = 0; i < MANY; i++) {
    set(all[i], 0, &many_below[i]);
    kernel_faults();
    jumps();
    CHECK(many_hits[i] == 1);
  }
}

/* As Python's faulthandler: puts back what was there before it, and sends the signal again. */
static void report(int signal, siginfo_t *info, void *context) {
  (void)info, (void)context;
  later_hits++;
  sigaction(signal, &below, NULL);
  raise(signal);
}

static int status_of_child(void (*body)(const char *), const char *path) {
  fflush(NULL);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    alarm(20);
    body(path);
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  return status;
}

static void reporter_before(const char *path) {
  set(report, SA_NODEFER, &below);
  open_kernel(path);
  kernel_faults();
  own_fault();
}

static void reporter_later(const char *path) {
  open_kernel(path);
  set(report, SA_NODEFER, &below);
  for (int i = 0; i < 3; i++) kernel_faults();
  CHECK(later_hits == 0);
  own_fault();
}

static void no_handler(const char *path) {
  open_kernel(path);
  kernel_faults();
  own_fault();
}

static void sent(const char *path) {
  open_kernel(path);
  kernel_faults();
  kill(getpid(), SIGSEGV);
}

/* Without a handler that goes on, a fault ends the process, as the signal. */
static void faults_kill(const char *path) {
  void (*const cases[])(const char *) = {reporter_before, reporter_later, no_handler, sent};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int status = status_of_child(cases[i], path);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV) fprintf(stderr, "case %zu: status %x\n", i, (unsigned)status);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  }
}

/* What was sent, and is ignored, is ignored; what was sent to a thread that has a handler gets there. */
static void signals_are_sent(const char *path) {
  signal(SIGSEGV, SIG_IGN);
  open_kernel(path);
  kernel_faults();
  kill(getpid(), SIGSEGV);
  raise(SIGSEGV);
  kernel_faults();
  set(jump, 0, NULL);
  kernel_faults();
  if (!sigsetjmp(back, 1)) raise(SIGSEGV);
  CHECK(hits == 1);
}

static char alternate[1 << 16];
static volatile int seen_mask, seen_stack;

static void look(int signal, siginfo_t *info, void *context) {
  (void)info, (void)context;
  sigset_t now;
  char here;
  pthread_sigmask(SIG_BLOCK, NULL, &now);
  seen_mask = sigismember(&now, signal) | sigismember(&now, SIGUSR1) << 1 | sigismember(&now, SIGUSR2) << 2;
  seen_stack = &here >= alternate && &here < alternate + sizeof alternate;
  siglongjmp(back, 1);
}

static void looks(int flags, int mask, int stack) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = look;
  action.sa_flags = SA_SIGINFO | flags;
  sigaddset(&action.sa_mask, SIGUSR1);
  CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
  kernel_faults();
  for (int i = 0; i < 2; i++) {
    seen_mask = seen_stack = -1;
    if (!sigsetjmp(back, 1)) own_fault();
    CHECK(seen_mask == mask && seen_stack == stack);
  }
}

/* A handler has the mask and the stack that it asked for. */
static void handlers_have_mask_and_stack(const char *path) {
  const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
  CHECK(sigaltstack(&stack, NULL) == 0);
  open_kernel(path);
  looks(0, 3, 0);
  looks(SA_NODEFER, 2, 0);
  looks(SA_ONSTACK, 3, 1);
  looks(SA_NODEFER | SA_ONSTACK, 2, 1);
}

static void once(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info, (void)context;
  later_hits++;
  siglongjmp(back, 1);
}

static void once_then_fault(const char *path) {
  open_kernel(path);
  set(once, (int)SA_RESETHAND, NULL);
  kernel_faults();
  if (!sigsetjmp(back, 1)) own_fault();
  CHECK(later_hits == 1);
  kernel_faults();
  own_fault();
}

/* A handler that is to be called once is called once. */
static void handler_is_used_up(const char *path) {
  int status = status_of_child(once_then_fault, path);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

static void *blocked(void *unused) {
  sigset_t all, now;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  kernel_faults();
  pthread_sigmask(SIG_SETMASK, NULL, &now);
  CHECK(sigismember(&now, SIGSEGV) && sigismember(&now, SIGBUS) && sigismember(&now, SIGTERM));
  return unused;
}

/* A thread that blocks all signals may launch; its mask is as it was afterwards. */
static void signals_are_blocked(const char *path) {
  open_kernel(path);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, blocked, NULL) == 0);
  pthread_join(thread, NULL);
}

static atomic_int stop_swapping;

static void *swap(void *unused) {
  struct sigaction now;
  do { /* even if all launches are over before this thread begins */
    set(later, 0, &now);
    if (now.sa_sigaction != later) below = now;
    set(jump, 0, NULL);
  } while (!stop_swapping);
  return unused;
}

static void *launch(void *unused) {
  const uint32_t group[3] = {64, 1, 1}, grid[3] = {1, 1, 1};
  float out[64];
  for (int i = 0; i < 300; i++) {
    struct scale_args args = {out, 2, 64, {1, 1, 1}, {64, 1, 1}, {0, 0, 0}};
    CHECK(wavejit_kernel_launch(kernel, grid, group, &args, sizeof args, 0) == WAVEJIT_OK);
    CHECK(out[63] == 126);
  }
  return unused;
}

/* Handlers change while threads launch: nothing is lost or torn. */
static void handlers_change_meanwhile(const char *path) {
  open_kernel(path);
  pthread_t swapper, launchers[2];
  CHECK(pthread_create(&swapper, NULL, swap, NULL) == 0);
  for (int i = 0; i < 2; i++) CHECK(pthread_create(&launchers[i], NULL, launch, NULL) == 0);
  for (int i = 0; i < 2; i++) pthread_join(launchers[i], NULL);
  stop_swapping = 1;
  pthread_join(swapper, NULL);
  kernel_faults();
  jumps();
}

static const struct {
  const char *name;
  void (*run)(const char *);
} cases[] = {
    {"handler_jumps", handler_jumps},
    {"handler_comes_later", handler_comes_later},
    {"handlers_chain", handlers_chain},
    {"handler_comes_again", handler_comes_again},
    {"handler_goes", handler_goes},
    {"many_handlers", many_handlers},
    {"faults_kill", faults_kill},
    {"signals_are_sent", signals_are_sent},
    {"handlers_have_mask_and_stack", handlers_have_mask_and_stack},
    {"handler_is_used_up", handler_is_used_up},
    {"signals_are_blocked", signals_are_blocked},
    {"handlers_change_meanwhile", handlers_change_meanwhile},
};

int main(int argc, char **argv) {
  alarm(60);
  for (size_t i = 0; argc == 3 && i < sizeof cases / sizeof *cases; i++)
    if (!strcmp(argv[2], cases[i].name)) return cases[i].run(argv[1]), 0;
  fprintf(stderr, "usage: signals CODE_OBJECT CASE\n");
  return 2;
}
