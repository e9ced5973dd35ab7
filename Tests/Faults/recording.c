#define _GNU_SOURCE
#include "faults.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* One file for all processes and all their lives, named by FAULTS_RECORDING. The lock on it makes one order of them,
   and lets a test kill a process between two records, never between a record and what it says. */
static int recording = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_ullong syncs;

__attribute__((constructor)) static void open_recording(void) {
  const char *path = getenv("FAULTS_RECORDING");
  if (path) recording = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

int is_recording(void) { return recording >= 0; }

void recording_begin(void) {
  if (recording < 0) return;
  pthread_mutex_lock(&mutex);
  while (flock(recording, LOCK_EX) != 0) {
  }
}

void recording_end(void) {
  if (recording < 0) return;
  flock(recording, LOCK_UN);
  pthread_mutex_unlock(&mutex);
}

/* Little-endian, 32 bytes of head, then the bytes. */
void record(enum record_kind kind, uint64_t file, uint64_t number, const void *bytes, size_t count) {
  if (recording < 0) return;
  uint64_t head[4] = {kind, file, number, count};
  struct iovec parts[2] = {{head, sizeof head}, {(void *)bytes, count}};
  ssize_t written = syscall(SYS_writev, recording, parts, 2);
  /* A recording with a hole proves nothing. */
  if (written != (ssize_t)(sizeof head + count)) abort();
}

uint64_t next_sync_number(void) { return ((uint64_t)getpid() << 32) | (uint32_t)atomic_fetch_add(&syncs, 1); }
