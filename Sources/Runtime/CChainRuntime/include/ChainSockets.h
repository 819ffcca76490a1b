// SPDX-License-Identifier: MIT

// Sockets and other descriptors of this package. Each descriptor is closed on exec and in a child of a fork, and by
// chain_close. Sockets and pipes never block, and sending on a socket raises no SIGPIPE.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns a stream socket of the family, or the negative error number.
int chain_socket(int family);

/// Makes two connected Unix sockets. Returns 0, or the negative error number.
int chain_socket_pair(int ends[2]);

/// Accepts and returns the next connection at a listener; or returns the negative error number, `-EAGAIN` for none.
int chain_accept(int listener);

/// Sends as many bytes as the socket takes without blocking. Returns their number, or the negative error number.
long chain_send(int socket, const void *bytes, size_t count);

/// Receives the available bytes. Returns their number, 0 at the end of the stream, or the negative error number.
long chain_receive(int socket, void *bytes, size_t count);

/// Ends sending; receiving goes on.
void chain_end_sending(int socket);

/// Makes a pipe; the first of `ends` is the reading end. Returns 0, or the negative error number.
int chain_pipe(int ends[2]);

/// Returns a new file of mode 0600 that is open for writing, or the negative error number.
int chain_open_new(const char *path);

/// Returns a new file of mode 0600 that is open for reading and writing, or the negative error number.
int chain_open_new_to_map(const char *path);

/// Returns a file that is open for writing, and sets its mode to 0600; or the negative error number. Without
/// `overwrites` the file must be new. With `overwrites` it may also be an existing regular file, which keeps its
/// content.
int chain_open_to_write(const char *path, bool overwrites);

/// Returns a file that is open for reading, or the negative error number.
int chain_open_to_read(const char *path);

/// Returns a socket that asks the system about sockets (Linux), or the negative error number.
int chain_open_diagnosis(void);

#ifdef __cplusplus
}
#endif
