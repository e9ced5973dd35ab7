#define _GNU_SOURCE
#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* The calls by which a program changes what a disk holds, and those by which it takes a request and answers it. Memory
   mapped files are left out: only the -shm of SQLite is written that way, which nobody reads after a power cut. */

static struct watched watched[DESCRIPTORS_MAX];
/* Of the request that is read from a socket. */
static struct { char text[64]; } tags[DESCRIPTORS_MAX];

const char *watched_folder(void) {
  static const char *folder;
  if (!folder) folder = getenv("FAULTS_FOLDER") ? getenv("FAULTS_FOLDER") : "";
  return *folder ? folder : NULL;
}

static int is_inside(const char *path) {
  const char *folder = watched_folder();
  size_t length = folder ? strlen(folder) : 0;
  return length && strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

int kind_of(const char *path) {
  const char *name = strrchr(path, '/');
  name = name ? name + 1 : path;
  if (!strcmp(name, "events.sqlite")) return FILE_LOG;
  if (!strcmp(name, "events.sqlite-wal")) return FILE_LOG_WAL;
  if (!strcmp(name, "events.sqlite-shm")) return FILE_LOG_SHM;
  if (!strcmp(name, "events.bell")) return FILE_BELL;
  if (!strcmp(name, "receiver-state.sqlite")) return FILE_STATE;
  if (!strcmp(name, "receiver-state.sqlite-wal")) return FILE_STATE_WAL;
  return strncmp(name, "cases-v", 7) == 0 ? FILE_PROJECTION : FILE_OTHER;
}

struct watched *watched_by(int descriptor) {
  if (descriptor < 0 || descriptor >= DESCRIPTORS_MAX || !watched[descriptor].inode) return NULL;
  return &watched[descriptor];
}

static int fail(int error) {
  errno = error;
  return -1;
}

/* MARK: Opening */

static int open_watched(const char *path, int flags, mode_t mode) {
  if (!is_inside(path)) return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  int kind = kind_of(path);
  int error = injected_failure(CALL_OPEN, kind);
  if (error) return fail(error);
  recording_begin();
  struct stat status;
  int is_new = (flags & O_CREAT) && stat(path, &status) != 0;
  int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  int reason = errno;
  if (descriptor >= 0 && descriptor < DESCRIPTORS_MAX && fstat(descriptor, &status) == 0) {
    watched[descriptor] = (struct watched){status.st_ino, kind, S_ISDIR(status.st_mode), 0};
    if (is_new) record(RECORD_CREATE, status.st_ino, 0, path, strlen(path));
    if (flags & O_TRUNC) record(RECORD_TRUNCATE, status.st_ino, 0, NULL, 0);
  }
  recording_end();
  errno = reason;
  return descriptor;
}

int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open_watched(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open_watched(path, flags, mode);
}

int close(int descriptor) {
  if (descriptor >= 0 && descriptor < DESCRIPTORS_MAX) {
    watched[descriptor].inode = 0;
    tags[descriptor].text[0] = 0;
  }
  return (int)syscall(SYS_close, descriptor);
}

/* MARK: Writing */

/* - Parameter offset: below 0 where the file's own place counts. */
static ssize_t put(struct watched *file, int descriptor, const void *bytes, size_t count, off_t offset) {
  int error = injected_failure(CALL_WRITE, file->kind);
  if (error) return fail(error);
  recording_begin();
  off_t place = offset;
  if (offset < 0) {
    int flags = fcntl(descriptor, F_GETFL);
    place = lseek(descriptor, 0, flags & O_APPEND ? SEEK_END : SEEK_CUR);
  }
  ssize_t done = offset < 0 ? syscall(SYS_write, descriptor, bytes, count)
                            : syscall(SYS_pwrite64, descriptor, bytes, count, offset);
  int reason = errno;
  if (done > 0) record(RECORD_WRITE, file->inode, (uint64_t)place, bytes, (size_t)done);
  recording_end();
  if (done >= 0) injected_end(CALL_WRITE, file->kind);
  errno = reason;
  return done;
}

static ssize_t put_parts(struct watched *file, int descriptor, const struct iovec *parts, int count, off_t offset) {
  ssize_t total = 0;
  for (int index = 0; index < count; index++) {
    ssize_t done = put(file, descriptor, parts[index].iov_base, parts[index].iov_len, offset < 0 ? -1 : offset + total);
    if (done < 0) return total ? total : -1;
    total += done;
    if ((size_t)done < parts[index].iov_len) break;
  }
  return total;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  struct watched *file = watched_by(descriptor);
  return file ? put(file, descriptor, bytes, count, -1) : syscall(SYS_write, descriptor, bytes, count);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  struct watched *file = watched_by(descriptor);
  return file ? put_parts(file, descriptor, parts, count, -1) : syscall(SYS_writev, descriptor, parts, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  struct watched *file = watched_by(descriptor);
  return file ? put(file, descriptor, bytes, count, offset) : syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  return pwrite(descriptor, bytes, count, offset);
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
  struct watched *file = watched_by(descriptor);
  if (file) return put_parts(file, descriptor, parts, count, offset);
  return syscall(SYS_pwritev, descriptor, parts, count, (long)offset, 0L);
}

ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off64_t offset) {
  return pwritev(descriptor, parts, count, offset);
}

int ftruncate(int descriptor, off_t size) {
  struct watched *file = watched_by(descriptor);
  if (!file) return (int)syscall(SYS_ftruncate, descriptor, size);
  int error = injected_failure(CALL_TRUNCATE, file->kind);
  if (error) return fail(error);
  recording_begin();
  int result = (int)syscall(SYS_ftruncate, descriptor, size);
  int reason = errno;
  if (result == 0) record(RECORD_TRUNCATE, file->inode, (uint64_t)size, NULL, 0);
  recording_end();
  if (result == 0) injected_end(CALL_TRUNCATE, file->kind);
  errno = reason;
  return result;
}

int ftruncate64(int descriptor, off64_t size) { return ftruncate(descriptor, size); }

/* MARK: Syncing */

/* Others may write meanwhile: what a sync makes durable is what was written before it began. A sync that is made to
   fail is not carried out, and the disk never gets what was written before it: the kernel counts those pages as clean
   from then on, while everybody still reads them. */
static int synced(long call, int descriptor) {
  struct watched *file = watched_by(descriptor);
  if (!file) return (int)syscall(call, descriptor);
  uint64_t number = next_sync_number();
  recording_begin();
  record(RECORD_SYNC_BEGIN, file->inode, number, NULL, 0);
  recording_end();
  int error = injected_failure(CALL_SYNC, file->kind);
  int result = error ? fail(error) : (int)syscall(call, descriptor);
  int reason = errno;
  if (result == 0) {
    note_good_sync(file);
  } else {
    note_failed_sync(file);
  }
  recording_begin();
  record(result == 0 ? RECORD_SYNC_END : RECORD_SYNC_FAILED, file->inode, number, NULL, 0);
  recording_end();
  if (result == 0) injected_end(CALL_SYNC, file->kind);
  errno = reason;
  return result;
}

int fsync(int descriptor) { return synced(SYS_fsync, descriptor); }
int fdatasync(int descriptor) { return synced(SYS_fdatasync, descriptor); }

/* MARK: Names */

int unlink(const char *path) {
  if (!is_inside(path)) return (int)syscall(SYS_unlink, path);
  recording_begin();
  int result = (int)syscall(SYS_unlink, path);
  int reason = errno;
  if (result == 0) record(RECORD_UNLINK, 0, 0, path, strlen(path));
  recording_end();
  errno = reason;
  return result;
}

int rename(const char *from, const char *to) {
  if (!is_inside(from) && !is_inside(to)) return (int)syscall(SYS_rename, from, to);
  char both[2 * PATH_MAX];
  int length = snprintf(both, sizeof both, "%s%c%s", from, 0, to);
  recording_begin();
  int result = (int)syscall(SYS_rename, from, to);
  int reason = errno;
  if (result == 0) record(RECORD_RENAME, 0, 0, both, (size_t)length);
  recording_end();
  errno = reason;
  return result;
}

int mkdir(const char *path, mode_t mode) {
  if (!is_inside(path)) return (int)syscall(SYS_mkdir, path, mode);
  recording_begin();
  int result = (int)syscall(SYS_mkdir, path, mode);
  int reason = errno;
  struct stat status;
  if (result == 0 && stat(path, &status) == 0) record(RECORD_MAKE_FOLDER, status.st_ino, 0, path, strlen(path));
  recording_end();
  errno = reason;
  return result;
}

/* MARK: Requests and answers */

/* Each request has a tag of its own as the last part of its path. */
ssize_t recv(int descriptor, void *bytes, size_t count, int flags) {
  ssize_t got = syscall(SYS_recvfrom, descriptor, bytes, count, flags, NULL, NULL);
  if (got > 5 && descriptor < DESCRIPTORS_MAX && memcmp(bytes, "POST ", 5) == 0) {
    const char *text = bytes, *end = memchr(text + 5, ' ', (size_t)got - 5);
    const char *start = end;
    while (start && start > text + 5 && start[-1] != '/') start--;
    size_t length = end ? (size_t)(end - start) : 0;
    if (length < sizeof tags[0].text) {
      memcpy(tags[descriptor].text, start, length);
      tags[descriptor].text[length] = 0;
    }
  }
  return got;
}

/* Written down before the first byte leaves: from here on the other side may know. */
ssize_t send(int descriptor, const void *bytes, size_t count, int flags) {
  if (is_recording() && descriptor < DESCRIPTORS_MAX && tags[descriptor].text[0] && count > 12
      && memcmp(bytes, "HTTP/1.1 200", 12) == 0) {
    recording_begin();
    record(RECORD_ACKNOWLEDGE, 0, 0, tags[descriptor].text, strlen(tags[descriptor].text));
    recording_end();
    tags[descriptor].text[0] = 0;
  }
  return syscall(SYS_sendto, descriptor, bytes, count, flags, NULL, 0);
}

/* MARK: What a program must not be */

/* With FAULTS_SYNCHRONOUS the program becomes one that does not sync its commits: synchronous=NORMAL. */
typedef int (*row_callback)(void *, int, char **, char **);

int sqlite3_exec(void *connection, const char *sql, row_callback each, void *context, char **message) {
  static int (*real)(void *, const char *, row_callback, void *, char **);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "sqlite3_exec");
  /* A program that loads SQLite by itself keeps it out of that search. */
  if (!real) *(void **)&real = dlsym(dlopen("libsqlite3.so.0", RTLD_NOW), "sqlite3_exec");
  char *changed = NULL;
  if (getenv("FAULTS_SYNCHRONOUS") && sql && strstr(sql, "synchronous=FULL")) {
    /* 1 is NORMAL; of the same length with the blanks. */
    changed = strdup(sql);
    for (char *at = changed; (at = strstr(at, "synchronous=FULL"));) memcpy(at, "synchronous=1   ", 16);
  }
  int result = real(connection, changed ? changed : sql, each, context, message);
  free(changed);
  return result;
}
