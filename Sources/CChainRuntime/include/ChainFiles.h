// The C shim's part about files that belong to this process: sockets, tokens and names that are removed when the process
// exits, and steps that the system makes whole or not at all.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Renames a file unless something has the new name already: 0, or the negative error number (`-EEXIST`).
int chain_rename_new(const char *from, const char *to);

/// A new file of mode 0600 that is open for writing and locked (`flock`) until `chain_close` or the end of the process;
/// or the negative error number. A forked child does not keep the lock.
int chain_create_locked(const char *path);

/// Whether an open file is locked by a process that runs: 1, 0, or the negative error number where that is not known.
int chain_is_locked(int file);

/// Notes that this process made the file at `path`: it is removed when the process exits (`exit`, the return of `main`).
/// The number of the note, or -1 where there is no room or no file.
int chain_own_file(const char *path);

/// Removes a file that was noted, and the note, in the process that made it; a file that has taken its place stays.
void chain_remove_own_file(int note);

#ifdef __cplusplus
}
#endif
