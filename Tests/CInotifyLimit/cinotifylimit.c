#define _GNU_SOURCE
#include "cinotifylimit.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

// Takes the place of the C library's function in the one program that links this. Using up the real limit would take
// the instances of every other program of the same user.
static atomic_int reached = 0;

void cinotifylimit_reached(void) { atomic_store(&reached, 1); }

int inotify_init1(int flags) {
  if (atomic_load(&reached)) {
    errno = EMFILE;
    return -1;
  }
  return (int)syscall(SYS_inotify_init1, flags);
}
