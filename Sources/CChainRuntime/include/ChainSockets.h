// SPDX-License-Identifier: MIT

// Sockets and other descriptors of this package. Each descriptor is closed on exec and in a child of a fork. Sockets
// and pipes never block, and sending on a socket raises no SIGPIPE.
#pragma once

#include <stdbool.h>
#include <stddef.h>
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

/// Returns a stream socket of the family, or the negative error number.
int chain_socket(int family);

/// Makes two connected Unix sockets. Returns 0, or the negative error number.
int chain_socket_pair(int ends[2]);

/// Accepts and returns the next connection at a listener; or returns the negative error number, `-EAGAIN` for none.
int chain_accept(int listener);

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

/// Closes a descriptor that one of the functions above returned; does nothing for other descriptors.
void chain_close(int descriptor);

/// Returns how many of the descriptors that the functions above returned are open.
int chain_open_count(void);

/// Writes a line on standard error, unless that would block; raises no SIGPIPE.
void chain_log(const char *line);

/// Returns the value of an environment variable. NULL if the variable is not set, or if this program has more rights
/// than its caller (setuid, setgid).
const char *chain_secure_environment(const char *name);

/// Returns the variables of this process, NULL-terminated: `environ`, which the headers of musl have in a feature test.
char **chain_environment(void);

/// Copies the text of an error number, NUL-terminated.
void chain_error_text(int number, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
