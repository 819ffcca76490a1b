// SPDX-License-Identifier: MIT

// Writing.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Safe in handlers: writes all bytes, or gives up when a write fails, or when no byte is taken for
// `timeoutMilliseconds`. If that is negative, waits for room until the process is to end or a fatal signal comes.
// Returns whether all bytes were written.
bool ct_write_all(int fd, const char *bytes, size_t count, int timeoutMilliseconds);
