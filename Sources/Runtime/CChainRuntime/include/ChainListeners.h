// SPDX-License-Identifier: MIT

// Sockets that listen. chain_close closes them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns a socket that listens at `path`, a new file of mode 0600; or the negative error number, and then leaves no
/// new file.
int chain_listen_unix(const char *path);

/// Returns a socket that listens on a loopback port (0: any free one) of 127.0.0.1, or of ::1 if 127.0.0.1 does not
/// exist; or the negative error number. Sets `chosen` to the port, and `is_v6` to whether the address is ::1.
int chain_listen_tcp(uint16_t port, uint16_t *chosen, bool *is_v6);

/// Returns 0 if a program listens at `path`, or the negative error number of connecting to it. Never waits.
int chain_try_unix(const char *path);

#ifdef __cplusplus
}
#endif
