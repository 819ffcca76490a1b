// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "ChainListeners.h"

#include "ChainForks.h"
#include "ChainSockets.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { backlog = 128 };

/// Closes a descriptor, and returns the negative error number.
static int fail(int descriptor, int failure) {
    chain_close(descriptor);
    return -failure;
}

/// Sets the address to the Unix address of a path. Returns 0, or an error number.
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
    int listener = chain_socket(AF_UNIX);
    if (listener < 0) return listener;
    // The file gets the mode of the socket, so that the file never has a wider mode, whatever the process's umask.
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
    int listener = chain_socket(family);
    if (listener < 0) return listener;
    int on = 1;
    // Without this option the port cannot be bound while the system still holds connections of an earlier run.
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
    int connection = chain_socket(AF_UNIX);
    if (connection < 0) return connection;
    // If the backlog is full, connecting fails with EAGAIN or EINPROGRESS, but the socket listens.
    if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0) failure = errno;
    chain_close(connection);
    return failure == EAGAIN || failure == EINPROGRESS ? 0 : -failure;
}
