#define _GNU_SOURCE
#include "include/clinux.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>

const uint32_t clinux_epollin = EPOLLIN, clinux_epollout = EPOLLOUT, clinux_epollrdhup = EPOLLRDHUP,
               clinux_epollerr = EPOLLERR, clinux_epollhup = EPOLLHUP;

int clinux_accept(int fd) { return accept4(fd, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC); }

int clinux_accept_from(int fd, char *address, int capacity) {
  struct sockaddr_storage peer;
  socklen_t length = sizeof peer;
  int accepted = accept4(fd, (struct sockaddr *)&peer, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (accepted < 0) return -1;
  int on = 1;
  setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  address[0] = 0;
  if (peer.ss_family == AF_INET) {
    inet_ntop(AF_INET, &((struct sockaddr_in *)&peer)->sin_addr, address, (socklen_t)capacity);
  } else if (peer.ss_family == AF_INET6) {
    struct in6_addr *six = &((struct sockaddr_in6 *)&peer)->sin6_addr;
    int mapped = IN6_IS_ADDR_V4MAPPED(six);
    inet_ntop(mapped ? AF_INET : AF_INET6, mapped ? (void *)&six->s6_addr[12] : (void *)six, address,
              (socklen_t)capacity);
  }
  return accepted;
}

int clinux_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int control(int epoll, int operation, int fd, uint32_t events, uint64_t token) {
  struct epoll_event event;
  event.events = events;
  event.data.u64 = token;
  return epoll_ctl(epoll, operation, fd, &event);
}

int clinux_epoll_add(int epoll, int fd, uint32_t events, uint64_t token) {
  return control(epoll, EPOLL_CTL_ADD, fd, events, token);
}

int clinux_epoll_modify(int epoll, int fd, uint32_t events, uint64_t token) {
  return control(epoll, EPOLL_CTL_MOD, fd, events, token);
}

int clinux_epoll_remove(int epoll, int fd) { return control(epoll, EPOLL_CTL_DEL, fd, 0, 0); }

int clinux_epoll_wait(int epoll, uint64_t *tokens, uint32_t *events, int count, int timeout_ms) {
  struct epoll_event found[256];
  if (count > 256) count = 256;
  int n = epoll_wait(epoll, found, count, timeout_ms);
  for (int i = 0; i < n; i++) {
    tokens[i] = found[i].data.u64;
    events[i] = found[i].events;
  }
  return n;
}

int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void clinux_block_sigpipe(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, 0);
}

void clinux_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

int clinux_rename_if_free(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}
