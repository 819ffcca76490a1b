#ifndef CLIVEHEAP_H
#define CLIVEHEAP_H

#include <stdint.h>

/// Bytes that the process has allocated and not freed yet: exact where the C library lets malloc be replaced (glibc),
/// else what the allocator says is in use.
int64_t live_heap_bytes(void);

#endif
