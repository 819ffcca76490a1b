// SPDX-License-Identifier: MIT

#ifndef CLIVEHEAP_H
#define CLIVEHEAP_H

#include <stdint.h>

/// Returns the bytes that the process has allocated and not freed yet: exact with glibc, where malloc can be replaced,
/// else the allocator's own count of bytes in use.
int64_t live_heap_bytes(void);

#endif
