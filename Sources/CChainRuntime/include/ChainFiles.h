// Files that belong to this process: sockets, tokens and names that are removed at its exit, and atomic steps on files.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Renames a file unless the new name exists: 0, or the negative error number (`-EEXIST`). Atomic.
int chain_rename_new(const char *from, const char *to);

/// A new file of mode 0600 that is open for writing and locked (`flock`) until `chain_close` or the end of the process;
/// or the negative error number. A forked child does not keep the lock.
int chain_create_locked(const char *path);

/// Has the file system set the bytes of a file aside, so that writing them never fails for want of room: 0, or the
/// negative error number.
int chain_reserve(int file, int64_t offset, int64_t count);

/// Whether an open file is locked by a process that runs: 1, 0, or the negative error number where that is not known.
int chain_is_locked(int file);

/// Registers the file at `path` for removal at the exit of the process (`exit`, the return of `main`). Returns the
/// number of the registration, or -1 where there is no room or no file.
int chain_own_file(const char *path);

/// Removes a registered file, and the registration, in the process that made it; a file that has replaced it stays.
void chain_remove_own_file(int note);

#ifdef __cplusplus
}
#endif
