// SPDX-License-Identifier: MIT

#ifndef CMEMORY_H
#define CMEMORY_H

#include <stddef.h>

/// Returns the bytes of the heap that are in use, the allocator's own headers included.
size_t memory_in_use(void);

#endif
