#ifndef CLINUX_H
#define CLINUX_H

#include <stdint.h>

// What the Glibc module of Swift leaves out, one line of C each.

/// accept4 with SOCK_NONBLOCK and SOCK_CLOEXEC; -1 with errno.
int clinux_accept(int fd);
/// accept4 with SOCK_NONBLOCK and SOCK_CLOEXEC, and TCP_NODELAY; -1 with errno. Writes the peer's numeric address
/// without port into address, closed by a zero byte; an IPv4 peer of an IPv6 socket is written as IPv4.
int clinux_accept_from(int fd, char *address, int capacity);
int clinux_epoll_create(void);
int clinux_epoll_add(int epoll, int fd, uint32_t events, uint64_t token);
int clinux_epoll_modify(int epoll, int fd, uint32_t events, uint64_t token);
int clinux_epoll_remove(int epoll, int fd);
/// Fills tokens and events, at most count of each; returns how many, -1 with errno.
int clinux_epoll_wait(int epoll, uint64_t *tokens, uint32_t *events, int count, int timeout_ms);
/// Non-blocking, close-on-exec.
int clinux_eventfd(void);
/// Keeps SIGPIPE from the calling thread: a write to a closed peer gives EPIPE there.
void clinux_block_sigpipe(void);
/// renameat2 with RENAME_NOREPLACE; -1 with errno.
int clinux_rename_if_free(const char *from, const char *to);
/// Names the calling thread (at most 15 bytes), as shown by ps and gdb.
void clinux_name_thread(const char *name);

extern const uint32_t clinux_epollin, clinux_epollout, clinux_epollrdhup, clinux_epollerr, clinux_epollhup;

#endif
