// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "ChainSockets.h"

#include "ChainForks.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#if defined(__linux__)
#include <linux/netlink.h>
#endif
#include <unistd.h>

// The list of open descriptors

enum { open_limit = 1024 };

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static int open_descriptors[open_limit];
static int open_count;

// The forking thread holds the lock, so that the child's copy of the list is consistent.
void chain_sockets_before_fork(void) { pthread_mutex_lock(&open_lock); }
void chain_sockets_after_fork(void) { pthread_mutex_unlock(&open_lock); }

void chain_sockets_in_child(void) {
    for (int index = 0; index < open_count; index++) close(open_descriptors[index]);
    open_count = 0;
    // Initialised anew, because the list was locked under the parent's thread id.
    pthread_mutex_init(&open_lock, NULL);
}

/// Locks the list, so that no fork happens between opening a descriptor and adding it to the list.
static void begin(void) {
    chain_forks_watch();
    pthread_mutex_lock(&open_lock);
}

/// Adds a descriptor to the list and unlocks the list. Returns the descriptor, or the negative error number if it could
/// not be opened or the list is full.
static int finish(int descriptor) {
    int result = descriptor < 0 ? -errno : descriptor;
    if (descriptor >= 0) {
        if (open_count < open_limit) {
            open_descriptors[open_count++] = descriptor;
        } else {
            close(descriptor);
            result = -EMFILE;
        }
    }
    pthread_mutex_unlock(&open_lock);
    return result;
}

void chain_close(int descriptor) {
    begin();
    for (int index = 0; index < open_count; index++) {
        if (open_descriptors[index] != descriptor) continue;
        open_descriptors[index] = open_descriptors[--open_count];
        close(descriptor);
        break;
    }
    pthread_mutex_unlock(&open_lock);
}

int chain_open_count(void) {
    begin();
    int count = open_count;
    pthread_mutex_unlock(&open_lock);
    return count;
}

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
    begin();
    return finish(make_socket(family));
}

// Connections

int chain_accept(int listener) {
    begin();
#if defined(__linux__)
    int connection = finish(accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
#else
    int connection = finish(prepare(accept(listener, NULL, NULL)));
#endif
    // Setting the option fails for Unix sockets; the error is ignored.
    int on = 1;
    if (connection >= 0) setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return connection;
}

bool chain_peer_user(int socket, uint32_t *user) {
#if defined(__linux__)
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || size != sizeof peer) return false;
    *user = peer.uid;
    return true;
#else
    uid_t peer;
    gid_t group;
    if (getpeereid(socket, &peer, &group) != 0) return false;
    *user = peer;
    return true;
#endif
}

bool chain_peer_process(int socket, int32_t *process) {
#if defined(__linux__)
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || size != sizeof peer) return false;
    *process = peer.pid;
#else
    pid_t peer = 0;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_LOCAL, LOCAL_PEERPID, &peer, &size) != 0) return false;
    *process = peer;
#endif
    // 0 stands for a process in a pid namespace that this process does not see.
    return *process > 0;
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
    begin();
    return finish(open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
}

int chain_open_new_to_map(const char *path) {
    begin();
    return finish(open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
}

int chain_open_to_write(const char *path, bool overwrites) {
    begin();
    // Opened without blocking, because a pipe without a reader would hold up every fork.
    int descriptor = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | (overwrites ? 0 : O_EXCL) | O_CLOEXEC, 0600);
    if (descriptor < 0 || !overwrites) return finish(descriptor);
    struct stat facts;
    // `open` does not set the mode of a file that exists.
    int failure = fstat(descriptor, &facts) != 0 ? errno : !S_ISREG(facts.st_mode) ? EINVAL
        : fchmod(descriptor, 0600) != 0 ? errno : 0;
    if (failure == 0) return finish(descriptor);
    close(descriptor);
    errno = failure;
    return finish(-1);
}

int chain_open_to_read(const char *path) {
    begin();
    // Opened without blocking, because a pipe without a writer would hold up every fork.
    return finish(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

int chain_open_diagnosis(void) {
#if defined(__linux__)
    begin();
    return finish(socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG));
#else
    return -ENOTSUP;
#endif
}

/// Adds both descriptors of a pair to the list, unless `failure` is set, and unlocks the list. Returns 0, or the
/// negative error number.
static int finish_pair(int failure, const int made[2], int ends[2]) {
    if (failure == 0 && open_count + 2 > open_limit) {
        close(made[0]);
        close(made[1]);
        failure = EMFILE;
    }
    if (failure == 0) {
        open_descriptors[open_count++] = ends[0] = made[0];
        open_descriptors[open_count++] = ends[1] = made[1];
    }
    pthread_mutex_unlock(&open_lock);
    return -failure;
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
    begin();
#if defined(__linux__)
    int failure = pipe2(made, O_CLOEXEC | O_NONBLOCK) != 0 ? errno : 0;
#else
    int failure = pipe(made) != 0 ? errno : prepare_pair(made);
#endif
    return finish_pair(failure, made, ends);
}

int chain_socket_pair(int ends[2]) {
    int made[2];
    begin();
#if defined(__linux__)
    int failure = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, made) != 0 ? errno : 0;
#else
    int failure = socketpair(AF_UNIX, SOCK_STREAM, 0, made) != 0 ? errno : prepare_pair(made);
#endif
    return finish_pair(failure, made, ends);
}
