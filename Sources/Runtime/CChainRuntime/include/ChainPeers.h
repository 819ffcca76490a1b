// SPDX-License-Identifier: MIT

// Who is at the other end of a socket.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Gets the effective user at the other end of a Unix socket, as of when that end connected or began to listen. Returns
/// false if the user is not known.
bool chain_peer_user(int socket, uint32_t *user);

/// Gets the process at the other end of a Unix socket, as of when that end connected or began to listen. Returns false
/// if the process is not known.
bool chain_peer_process(int socket, int32_t *process);

/// Gets the user at the other end of a TCP connection within this machine. That is the user of the process that
/// connected, or of the process that has accepted the connection or is still to accept it. Returns false if the system
/// does not report the user; Linux reports it.
bool chain_tcp_peer_user(int socket, uint32_t *user);

#ifdef __cplusplus
}
#endif
