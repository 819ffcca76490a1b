// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "ChainPeers.h"

#include "ChainForks.h"
#include "ChainSockets.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#else
#include <sys/un.h>
#endif

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

#if defined(__linux__)

/// An end of a TCP connection.
typedef struct tcp_end {
    uint32_t address[4];
    uint16_t port;
    uint8_t family;
} tcp_end;

static bool read_end(int socket, bool is_peer, tcp_end *end) {
    struct sockaddr_storage name;
    socklen_t size = sizeof name;
    memset(end, 0, sizeof *end);
    if ((is_peer ? getpeername : getsockname)(socket, (struct sockaddr *)&name, &size) != 0) return false;
    end->family = (uint8_t)name.ss_family;
    if (name.ss_family == AF_INET) {
        struct sockaddr_in *four = (struct sockaddr_in *)&name;
        memcpy(end->address, &four->sin_addr, sizeof four->sin_addr);
        end->port = four->sin_port;
    } else if (name.ss_family == AF_INET6) {
        struct sockaddr_in6 *six = (struct sockaddr_in6 *)&name;
        memcpy(end->address, &six->sin6_addr, sizeof six->sin6_addr);
        end->port = six->sin6_port;
    } else {
        return false;
    }
    return true;
}

/// Finds the user of the socket with these two ends or, if `far` is NULL, of the socket that listens at `near`.
static bool find_user(int diagnosis, const tcp_end *near, const tcp_end *far, uint32_t *user) {
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 body;
    } request;
    memset(&request, 0, sizeof request);
    request.header.nlmsg_len = sizeof request;
    request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    request.header.nlmsg_flags = NLM_F_REQUEST;
    request.body.sdiag_family = near->family;
    request.body.sdiag_protocol = IPPROTO_TCP;
    request.body.idiag_states = ~0u;
    request.body.id.idiag_sport = near->port;
    memcpy(request.body.id.idiag_src, near->address, sizeof near->address);
    if (far != NULL) {
        request.body.id.idiag_dport = far->port;
        memcpy(request.body.id.idiag_dst, far->address, sizeof far->address);
    }
    request.body.id.idiag_cookie[0] = request.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    if (sendto(diagnosis, &request, sizeof request, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0) return false;
    // The system answers before `sendto` returns.
    union {
        struct nlmsghdr header;
        char bytes[4096];
    } answer;
    struct sockaddr_nl sender;
    socklen_t size = sizeof sender;
    ssize_t count = recvfrom(diagnosis, &answer, sizeof answer, 0, (struct sockaddr *)&sender, &size);
    struct inet_diag_msg found;
    if (count < (ssize_t)NLMSG_LENGTH(sizeof found) || answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY) return false;
    // Only the kernel's netlink address has port ID 0, so another process cannot forge the answer.
    if (size != sizeof sender || sender.nl_pid != 0) return false;
    memcpy(&found, NLMSG_DATA(&answer.header), sizeof found);
    // If no connection has these ends, the system answers with the listening socket. 10: TCP_LISTEN.
    bool listens = found.idiag_state == 10;
    if (listens != (far == NULL)) return false;
    *user = found.idiag_uid;
    return true;
}

bool chain_tcp_peer_user(int socket, uint32_t *user) {
    tcp_end near, far;
    if (!read_end(socket, false, &near) || !read_end(socket, true, &far)) return false;
    int diagnosis = chain_open_diagnosis();
    if (diagnosis < 0) return false;
    // The kernel reports root (0) for a connection that was not accepted yet. Such a connection is in the queue of the
    // listening socket, so the user of that socket counts.
    uint32_t listener = 0, connected = 0;
    bool has_listener = find_user(diagnosis, &far, NULL, &listener);
    bool is_connected = find_user(diagnosis, &far, &near, &connected);
    chain_close(diagnosis);
    if (is_connected && (connected != 0 || !has_listener)) {
        *user = connected;
        return true;
    }
    *user = listener;
    return has_listener;
}
#else
bool chain_tcp_peer_user(int socket, uint32_t *user) {
    (void)socket;
    (void)user;
    return false;
}
#endif
