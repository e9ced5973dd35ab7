/* A library that is loaded in front of the C library (LD_PRELOAD) into the real programs. It can do two things:
   write down all that would have to survive a power cut (recording.c), and let single calls fail, or the process die
   in them (injection.c). Either is off unless its variable is set. calls.c stands in for the calls. */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdint.h>
#include <sys/types.h>

/* What a file is by its name; bits, so that a rule can name several. */
enum {
  FILE_LOG = 1,
  FILE_LOG_WAL = 2,
  FILE_LOG_SHM = 4,
  FILE_BELL = 8,
  FILE_STATE = 16,
  FILE_STATE_WAL = 32,
  FILE_PROJECTION = 64,
  FILE_OTHER = 128,
};

/* Which call; bits too. */
enum { CALL_WRITE = 1, CALL_SYNC = 2, CALL_TRUNCATE = 4, CALL_OPEN = 8 };

/* An open file below the watched folder. */
struct watched {
  uint64_t inode; /* 0: not watched */
  int kind;
  int is_folder;
  int sync_failed; /* a sync through this descriptor failed: it must not be trusted again */
};

enum { DESCRIPTORS_MAX = 65536 };

/* By descriptor; NULL where it is not watched. */
struct watched *watched_by(int descriptor);
/* The folder in FAULTS_FOLDER, whose files are watched; NULL where none is. */
const char *watched_folder(void);
int kind_of(const char *path);

/* injection.c */
/* Called before a call on a file. 0: go on. Above 0: the errno to fail with. The process may die here. */
int injected_failure(int call, int kind);
/* Called after it, where a rule says that the process dies then. */
void injected_end(int call, int kind);
void note_failed_sync(struct watched *file);
void note_good_sync(struct watched *file);

/* recording.c. Between `recording_begin` and `recording_end` nobody else records, in any process, so that what is
   written down in between happens in between. */
enum record_kind {
  RECORD_CREATE = 1, /* file, path */
  RECORD_WRITE = 2,  /* file, offset, bytes */
  RECORD_TRUNCATE = 3, /* file, size */
  RECORD_SYNC_BEGIN = 4, /* file, process and number */
  RECORD_SYNC_END = 5,   /* file, the same */
  RECORD_SYNC_FAILED = 6, /* file, the same */
  RECORD_RENAME = 7, /* old path NUL new path */
  RECORD_UNLINK = 8, /* path */
  RECORD_MAKE_FOLDER = 9, /* file, path */
  RECORD_ACKNOWLEDGE = 10, /* tag of the request */
};
int is_recording(void);
void recording_begin(void);
void recording_end(void);
void record(enum record_kind kind, uint64_t file, uint64_t number, const void *bytes, size_t count);
uint64_t next_sync_number(void);

#endif
