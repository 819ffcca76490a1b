// The C shim's part about sockets. Every descriptor that the embedded part keeps is made and closed here: it is closed
// on exec, never blocks, raises no SIGPIPE, and is closed in a child that this process is forked into.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A socket that listens at `path`, a file of mode 0600 that must not be there yet; or the negative error number, and
/// then there is no file either.
int chain_listen_unix(const char *path);

/// A socket that listens on a port of the loopback alone, 0 for any free one, which is then told by `chosen`; at ::1
/// where there is no 127.0.0.1, which `is_v6` tells. Or the negative error number.
int chain_listen_tcp(uint16_t port, uint16_t *chosen, bool *is_v6);

/// Whether somebody listens at `path`: 0, or the negative error number of trying. Never waits.
int chain_try_unix(const char *path);

/// A stream socket of the family; or the negative error number.
int chain_socket(int family);

/// Two connected Unix sockets: 0, or the negative error number.
int chain_socket_pair(int ends[2]);

/// The next viewer that waits at a listener, or the negative error number.
int chain_accept(int listener);

/// The effective user at the other end of a Unix socket, as of when it connected; false where it is not known.
bool chain_peer_user(int socket, uint32_t *user);

/// The process at the other end of a Unix socket, as of when it connected or began to listen; false where it is not known.
bool chain_peer_process(int socket, int32_t *process);

/// The user at the other end of a TCP connection within this machine: of the process that connected, or of the one that
/// accepted or still listens; false where the system does not say (it does on Linux).
bool chain_tcp_peer_user(int socket, uint32_t *user);

/// Sends what the socket takes now: how many bytes, or the negative error number.
long chain_send(int socket, const void *bytes, size_t count);

/// Receives what is there: how many bytes, 0 at the end, or the negative error number.
long chain_receive(int socket, void *bytes, size_t count);

/// Says that nothing more will be sent.
void chain_end_sending(int socket);

/// A pipe, reading end first: 0, or the negative error number.
int chain_pipe(int ends[2]);

/// A new file of mode 0600, open for writing; or the negative error number.
int chain_open_new(const char *path);

/// A socket that asks the system about sockets (Linux); or the negative error number.
int chain_open_diagnosis(void);

/// Closes a descriptor that one of the functions above gave.
void chain_close(int descriptor);

/// How many descriptors the functions above gave that were not closed.
int chain_open_count(void);

/// Writes a line on standard error, if that takes it at once; raises no SIGPIPE.
void chain_complain(const char *line);

/// An environment variable; NULL also where this program runs with more rights than its caller has (setuid, setgid).
const char *chain_secure_environment(const char *name);

/// What an error number means, NUL-terminated.
void chain_error_text(int number, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
