// SPDX-License-Identifier: MIT

#include "CHeap.h"

#ifdef __APPLE__
#include <malloc/malloc.h>

size_t heap_in_use(void) { return mstats().bytes_used; }

void heap_trim(void) { malloc_zone_pressure_relief(NULL, 0); }
#else
#include <malloc.h>

size_t heap_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

void heap_trim(void) { malloc_trim(0); }
#endif
