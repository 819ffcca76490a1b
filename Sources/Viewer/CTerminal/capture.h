// SPDX-License-Identifier: MIT

// The capture of the output of the process.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Begins to capture descriptors 1 and 2 where they are terminals. Returns 0, or an error number.
int ct_capture_begin(size_t limit);
// Restores descriptors 1 and 2 and shows what was captured. With `inTrap`, safe in handlers.
void ct_capture_end(bool inTrap);
