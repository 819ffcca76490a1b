#ifndef CCOUNTING_H
#define CCOUNTING_H

#include <stdint.h>

/// Allocations of the whole process so far, where the C library lets them be counted (glibc); else 0.
uint64_t heap_allocation_count(void);

/// Calls `body(context)`. A name of its own for callgrind, which counts only what happens inside of it
/// (--toggle-collect).
void counted_region(void (*body)(void *), void *context);

#endif
