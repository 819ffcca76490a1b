// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "ChainSockets.h"

#include "ChainForks.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#if defined(__linux__)
#include <linux/netlink.h>
#endif
#include <unistd.h>

#if !defined(__linux__)
/// Sets the flags that Linux sets as it opens a descriptor. If that fails, closes the descriptor and returns -1.
static int prepare(int descriptor) {
    if (descriptor < 0) return descriptor;
    int flags = fcntl(descriptor, F_GETFL);
    if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0 || flags < 0
        || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) != 0) {
        int failure = errno;
        close(descriptor);
        errno = failure;
        return -1;
    }
#if defined(SO_NOSIGPIPE)
    int on = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
    return descriptor;
}
#endif

static int make_socket(int family) {
#if defined(__linux__)
    return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
#else
    return prepare(socket(family, SOCK_STREAM, 0));
#endif
}

int chain_socket(int family) {
    chain_descriptors_begin();
    return chain_descriptors_finish(make_socket(family));
}

// Connections

int chain_accept(int listener) {
    chain_descriptors_begin();
#if defined(__linux__)
    int connection = chain_descriptors_finish(accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
#else
    int connection = chain_descriptors_finish(prepare(accept(listener, NULL, NULL)));
#endif
    // Setting the option fails for Unix sockets; the error is ignored.
    int on = 1;
    if (connection >= 0) setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return connection;
}

long chain_send(int socket, const void *bytes, size_t count) {
#if defined(MSG_NOSIGNAL)
    ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL);
#else
    ssize_t sent = send(socket, bytes, count, 0);
#endif
    return sent < 0 ? -errno : (long)sent;
}

long chain_receive(int socket, void *bytes, size_t count) {
    ssize_t received = recv(socket, bytes, count, 0);
    return received < 0 ? -errno : (long)received;
}

void chain_end_sending(int socket) { shutdown(socket, SHUT_WR); }

int chain_open_new(const char *path) {
    chain_descriptors_begin();
    return chain_descriptors_finish(open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
}

int chain_open_new_to_map(const char *path) {
    chain_descriptors_begin();
    return chain_descriptors_finish(open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
}

int chain_open_to_write(const char *path, bool overwrites) {
    chain_descriptors_begin();
    // Opened without blocking, because a pipe without a reader would hold up every fork.
    int descriptor = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | (overwrites ? 0 : O_EXCL) | O_CLOEXEC, 0600);
    if (descriptor < 0 || !overwrites) return chain_descriptors_finish(descriptor);
    struct stat facts;
    // `open` does not set the mode of a file that exists.
    int failure = fstat(descriptor, &facts) != 0 ? errno : !S_ISREG(facts.st_mode) ? EINVAL
        : fchmod(descriptor, 0600) != 0 ? errno : 0;
    if (failure == 0) return chain_descriptors_finish(descriptor);
    close(descriptor);
    errno = failure;
    return chain_descriptors_finish(-1);
}

int chain_open_to_read(const char *path) {
    chain_descriptors_begin();
    // Opened without blocking, because a pipe without a writer would hold up every fork.
    return chain_descriptors_finish(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

int chain_open_diagnosis(void) {
#if defined(__linux__)
    chain_descriptors_begin();
    return chain_descriptors_finish(socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG));
#else
    return -ENOTSUP;
#endif
}

#if !defined(__linux__)
static int prepare_pair(int made[2]) {
    for (int index = 0; index < 2; index++) {
        if (prepare(made[index]) >= 0) continue;
        int failure = errno;
        close(made[1 - index]);
        return failure;
    }
    return 0;
}
#endif

int chain_pipe(int ends[2]) {
    int made[2];
    chain_descriptors_begin();
#if defined(__linux__)
    int failure = pipe2(made, O_CLOEXEC | O_NONBLOCK) != 0 ? errno : 0;
#else
    int failure = pipe(made) != 0 ? errno : prepare_pair(made);
#endif
    return chain_descriptors_finish_pair(failure, made, ends);
}

int chain_socket_pair(int ends[2]) {
    int made[2];
    chain_descriptors_begin();
#if defined(__linux__)
    int failure = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, made) != 0 ? errno : 0;
#else
    int failure = socketpair(AF_UNIX, SOCK_STREAM, 0, made) != 0 ? errno : prepare_pair(made);
#endif
    return chain_descriptors_finish_pair(failure, made, ends);
}
