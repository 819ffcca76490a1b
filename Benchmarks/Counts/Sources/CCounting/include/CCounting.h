// SPDX-License-Identifier: MIT

#ifndef CCOUNTING_H
#define CCOUNTING_H

#include <stdint.h>

/// Returns the number of allocations of the process so far with glibc; 0 with other C libraries.
uint64_t heap_allocation_count(void);

/// Calls `body(context)`. Callgrind counts only the instructions inside of this function (--toggle-collect).
void counted_region(void (*body)(void *), void *context);

#endif
