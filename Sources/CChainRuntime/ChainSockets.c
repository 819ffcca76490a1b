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

// What is open

enum { open_limit = 1024, backlog = 128 };

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static int open_descriptors[open_limit];
static int open_count;

// The forking thread holds the lock, so that the child has the list that is true of it.
void chain_sockets_before_fork(void) { pthread_mutex_lock(&open_lock); }
void chain_sockets_after_fork(void) { pthread_mutex_unlock(&open_lock); }

void chain_sockets_in_child(void) {
    for (int index = 0; index < open_count; index++) close(open_descriptors[index]);
    open_count = 0;
    // Locked under the parent's thread id.
    pthread_mutex_init(&open_lock, NULL);
}

static void begin(void) {
    chain_forks_watch();
    pthread_mutex_lock(&open_lock);
}

/// Enters a descriptor, or an error that was met, and gives it or the negative error number.
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

static int fail(int descriptor, int failure) {
    chain_close(descriptor);
    return -failure;
}

// Listening

static int set_path(struct sockaddr_un *address, const char *path) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address->sun_path) return ENAMETOOLONG;
    strcpy(address->sun_path, path);
    return 0;
}

int chain_listen_unix(const char *path) {
    struct sockaddr_un address;
    int failure = set_path(&address, path);
    if (failure != 0) return -failure;
    begin();
    int listener = finish(make_socket(AF_UNIX));
    if (listener < 0) return listener;
    // The file gets the mode of the socket, so that it never has a wider one, whatever the process's umask is.
    fchmod(listener, 0600);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0) return fail(listener, errno);
    if (chmod(path, 0600) != 0 || listen(listener, backlog) != 0) {
        failure = errno;
        unlink(path);
        return fail(listener, failure);
    }
    return listener;
}

static int listen_tcp(int family, const struct sockaddr *address, socklen_t size) {
    begin();
    int listener = finish(make_socket(family));
    if (listener < 0) return listener;
    int on = 1;
    // Not refused because of connections of a run before that the system still remembers.
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, address, size) != 0 || listen(listener, backlog) != 0) return fail(listener, errno);
    return listener;
}

int chain_listen_tcp(uint16_t port, uint16_t *chosen, bool *is_v6) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *is_v6 = false;
    int listener = listen_tcp(AF_INET, (struct sockaddr *)&address, sizeof address);
    if (listener == -EADDRNOTAVAIL || listener == -EAFNOSUPPORT) {
        struct sockaddr_in6 other = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = in6addr_loopback};
        *is_v6 = true;
        listener = listen_tcp(AF_INET6, (struct sockaddr *)&other, sizeof other);
    }
    if (listener < 0) return listener;
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    if (getsockname(listener, (struct sockaddr *)&bound, &size) != 0) return fail(listener, errno);
    *chosen = ntohs(*is_v6 ? ((struct sockaddr_in6 *)&bound)->sin6_port : ((struct sockaddr_in *)&bound)->sin_port);
    return listener;
}

int chain_try_unix(const char *path) {
    struct sockaddr_un address;
    int failure = set_path(&address, path);
    if (failure != 0) return -failure;
    begin();
    int connection = finish(make_socket(AF_UNIX));
    if (connection < 0) return connection;
    // Where its backlog is full somebody listens, too.
    if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0) failure = errno;
    chain_close(connection);
    return failure == EAGAIN || failure == EINPROGRESS ? 0 : -failure;
}

// Connections

int chain_accept(int listener) {
    begin();
#if defined(__linux__)
    int connection = finish(accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
#else
    int connection = finish(prepare(accept(listener, NULL, NULL)));
#endif
    // Not for Unix sockets, which refuse it.
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

int chain_open_diagnosis(void) {
#if defined(__linux__)
    begin();
    return finish(socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG));
#else
    return -ENOTSUP;
#endif
}

int chain_pipe(int ends[2]) {
    int made[2];
    begin();
#if defined(__linux__)
    int failure = pipe2(made, O_CLOEXEC | O_NONBLOCK) != 0 ? errno : 0;
#else
    int failure = pipe(made) != 0 ? errno : 0;
    if (failure == 0 && prepare(made[0]) < 0) {
        failure = errno;
        close(made[1]);
    } else if (failure == 0 && prepare(made[1]) < 0) {
        failure = errno;
        close(made[0]);
    }
#endif
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
