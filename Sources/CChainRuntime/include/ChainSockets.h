// Sockets and other descriptors of this package. Each is closed on exec and in a child of a fork. Sockets and pipes
// never block, and sending on a socket raises no SIGPIPE.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns a socket that listens at `path`, a new file of mode 0600; or the negative error number, and then leaves no
/// file.
int chain_listen_unix(const char *path);

/// Returns a socket that listens on a loopback port (0: any free one) of 127.0.0.1, or of ::1 where that does not
/// exist; or the negative error number. Sets `chosen` to the port, and `is_v6` to whether the address is ::1.
int chain_listen_tcp(uint16_t port, uint16_t *chosen, bool *is_v6);

/// Checks that a program listens at `path`: 0, or the negative error number of connecting. Never waits.
int chain_try_unix(const char *path);

/// Returns a stream socket of the family, or the negative error number.
int chain_socket(int family);

/// Makes two connected Unix sockets: 0, or the negative error number.
int chain_socket_pair(int ends[2]);

/// Accepts and returns the next connection at a listener; or returns the negative error number, `-EAGAIN` for none.
int chain_accept(int listener);

/// Gets the effective user at the other end of a Unix socket, as of when it connected; false where it is not known.
bool chain_peer_user(int socket, uint32_t *user);

/// Gets the process at the other end of a Unix socket, as of when it connected or began to listen; false where it is
/// not known.
bool chain_peer_process(int socket, int32_t *process);

/// Gets the user at the other end of a TCP connection within this machine: of the process that connected, or of the one
/// that accepted the connection or still listens. False where the system does not report it; Linux does.
bool chain_tcp_peer_user(int socket, uint32_t *user);

/// Sends as many bytes as the socket takes now: their number, or the negative error number.
long chain_send(int socket, const void *bytes, size_t count);

/// Receives the available bytes: their number, 0 at the end, or the negative error number.
long chain_receive(int socket, void *bytes, size_t count);

/// Ends sending; receiving goes on.
void chain_end_sending(int socket);

/// Makes a pipe, reading end first: 0, or the negative error number.
int chain_pipe(int ends[2]);

/// Returns a new file of mode 0600 that is open for writing, or the negative error number.
int chain_open_new(const char *path);

/// Returns a new file of mode 0600 that is open for reading and writing, or the negative error number.
int chain_open_new_to_map(const char *path);

/// Returns a file that is open for writing, and sets its mode to 0600; or the negative error number. The file must be
/// new, unless `overwrites`: then a regular file may be there, and keeps its content.
int chain_open_to_write(const char *path, bool overwrites);

/// Returns a file that is open for reading, or the negative error number.
int chain_open_to_read(const char *path);

/// Returns a socket that asks the system about sockets (Linux), or the negative error number.
int chain_open_diagnosis(void);

/// Closes a descriptor that one of the functions above returned; does nothing for others.
void chain_close(int descriptor);

/// Returns how many descriptors of the functions above are open.
int chain_open_count(void);

/// Writes a line on standard error, unless that would block; raises no SIGPIPE.
void chain_log(const char *line);

/// Returns an environment variable; NULL also where this program has more rights than its caller (setuid, setgid).
const char *chain_secure_environment(const char *name);

/// Copies the text of an error number, NUL-terminated.
void chain_error_text(int number, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
