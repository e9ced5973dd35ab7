#define _GNU_SOURCE
#include "faults.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The test writes rules into the file named by FAULTS_CONTROL at any moment, and reads there what came of them. All
   words are 64 bits, so that both sides agree on where they lie. */
enum { RULES = 8 };
enum { ACTION_FAIL = 1, ACTION_DIE_BEFORE = 2, ACTION_DIE_AFTER = 3 };

struct rule {
  int64_t action; /* 0: no rule; written last by the test */
  int64_t calls;
  int64_t files;
  int64_t error;
  int64_t skip;  /* so many calls pass first */
  int64_t times; /* so many are met then; below 0: all */
  int64_t hits;
};

struct control {
  struct rule rules[RULES];
  int64_t failed_syncs;
  int64_t trusted_again; /* syncs that succeeded through a descriptor through which one had failed */
};

static struct control *control;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void map_control(void) {
  const char *path = getenv("FAULTS_CONTROL");
  if (!path) return;
  int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  if (file < 0) abort();
  void *at = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) abort();
  syscall(SYS_close, file);
  control = at;
}

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/* - Returns: the action of the rule that this call meets, 0 where it meets none. */
static int64_t meet(int call, int kind, int64_t actions, int64_t *error) {
  if (!control) return 0;
  int64_t action = 0;
  pthread_mutex_lock(&mutex);
  for (int index = 0; index < RULES && !action; index++) {
    struct rule *rule = &control->rules[index];
    int64_t wanted = __atomic_load_n(&rule->action, __ATOMIC_ACQUIRE);
    if (!wanted || !(actions & (1 << wanted)) || !(rule->calls & call) || !(rule->files & kind)) continue;
    if (rule->skip > 0) {
      rule->skip--;
      continue;
    }
    if (rule->times == 0) continue;
    if (rule->times > 0) rule->times--;
    __atomic_fetch_add(&rule->hits, 1, __ATOMIC_RELEASE);
    action = wanted;
    *error = rule->error;
  }
  pthread_mutex_unlock(&mutex);
  return action;
}

int injected_failure(int call, int kind) {
  int64_t error = 0;
  int64_t action = meet(call, kind, 1 << ACTION_FAIL | 1 << ACTION_DIE_BEFORE, &error);
  if (action == ACTION_DIE_BEFORE) die();
  return action == ACTION_FAIL ? (int)error : 0;
}

void injected_end(int call, int kind) {
  int64_t error = 0;
  if (meet(call, kind, 1 << ACTION_DIE_AFTER, &error)) die();
}

void note_failed_sync(struct watched *file) {
  file->sync_failed = 1;
  if (control) __atomic_fetch_add(&control->failed_syncs, 1, __ATOMIC_RELEASE);
}

void note_good_sync(struct watched *file) {
  if (file->sync_failed && control) __atomic_fetch_add(&control->trusted_again, 1, __ATOMIC_RELEASE);
}
