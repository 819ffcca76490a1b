// SPDX-License-Identifier: MIT

// Operations on files: renaming, locks, limits, capabilities, and the removal of this process's files at its exit.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Renames a file unless the new name exists. Returns 0, or the negative error number (`-EEXIST`). Never replaces a
/// file. If the file system cannot rename under this condition, both names exist for a moment.
int chain_rename_new(const char *from, const char *to);

/// Returns a new file of mode 0600 that is open for writing and locked (`flock`) until `chain_close` or the end of the
/// process; or the negative error number. A forked child does not keep the lock. Where the file system has no locks,
/// the file is not locked.
int chain_create_locked(const char *path);

/// Returns the size in bytes up to which this process may write a file (`ulimit -f`): at the limit the system ends the
/// process. INT64_MAX where there is no limit.
int64_t chain_file_size_limit(void);

/// Returns how many descriptors this process may have open (`ulimit -n`). INT64_MAX where there is no limit.
int64_t chain_descriptor_limit(void);

/// Allocates room on the disk for `count` bytes of a file from `offset` on (on Darwin from its end on), so that writing
/// them never fails because the disk is full. Returns 0, or the negative error number.
int chain_reserve(int file, int64_t offset, int64_t count);

/// Returns whether a file has capabilities (`setcap`), which a process gains when it executes the file. Always false on
/// systems other than Linux.
bool chain_file_has_capabilities(const char *path);

/// Returns the offset of the first byte at or after an offset that is not in a hole of the file; INT64_MAX if there is
/// none. Where the system does not know holes, returns the offset. Moves the position of `file`.
int64_t chain_data_offset(int file, int64_t offset);

/// Returns 1 if a process has locked an open file, 0 if none has, or the negative error number if that is not known.
int chain_is_locked(int file);

/// Registers the file at `path` for removal at the exit of the process (`exit`, the return of `main`). Returns the
/// number of the registration, or -1 where there is no room or no file.
int chain_own_file(const char *path);

/// Whether the process exits, and removes the registered files.
bool chain_removes_own_files(void);

/// Removes a registration, and the registered file if this process registered it. If another file has replaced the
/// registered file under its name, the other file stays.
void chain_remove_own_file(int number);

#ifdef __cplusplus
}
#endif
