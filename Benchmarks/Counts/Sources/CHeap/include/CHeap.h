// SPDX-License-Identifier: MIT

#ifndef CHEAP_H
#define CHEAP_H

#include <stddef.h>

/// Returns the bytes of the heap that are in use, the allocator's own headers included.
size_t heap_in_use(void);

/// Returns free memory to the system, so that the next measurement starts as a new program does.
void heap_trim(void);

#endif
