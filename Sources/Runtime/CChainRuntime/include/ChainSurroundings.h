// SPDX-License-Identifier: MIT

// What surrounds the program: its standard error, environment, name, processors and random numbers; error texts.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Writes a line on standard error, unless that would block; raises no SIGPIPE.
void chain_log(const char *line);

/// Returns the value of an environment variable. NULL if the variable is not set, or if this program has more rights
/// than its caller (setuid, setgid).
const char *chain_secure_environment(const char *name);

/// Returns the variables of this process, NULL-terminated: `environ`, which the headers of musl have in a feature test.
char **chain_environment(void);

/// Copies the text of an error number, NUL-terminated.
void chain_error_text(int number, char *buffer, size_t size);

/// Returns the file name of the running program; an empty string if it is unknown. Valid as long as the program runs.
const char *chain_program_name(void);

/// Returns how many processors the calling thread may use, at least 1.
int chain_processor_count(void);

/// Returns 64 random bits from the system.
uint64_t chain_random(void);

#ifdef __cplusplus
}
#endif
