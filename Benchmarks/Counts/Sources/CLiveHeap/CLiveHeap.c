// SPDX-License-Identifier: MIT

#include "CLiveHeap.h"

#ifdef __GLIBC__
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

// Replaces malloc and its kin by glibc's with a count of the usable bytes of every block. mallinfo2 would count free
// blocks in the thread caches as in use, so its value changes without a leak.
static int64_t live_bytes;

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static inline void add(int64_t bytes) { __atomic_fetch_add(&live_bytes, bytes, __ATOMIC_RELAXED); }

static inline void *counted(void *block) {
    if (block) add((int64_t)malloc_usable_size(block));
    return block;
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }

void *realloc(void *block, size_t size) {
    int64_t before = block ? (int64_t)malloc_usable_size(block) : 0;
    void *moved = __libc_realloc(block, size);
    if (moved || size == 0) {
        add(-before);
        counted(moved);
    }
    return moved;
}

void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *memory = counted(__libc_memalign(alignment, size));
    if (!memory) return ENOMEM;
    *block = memory;
    return 0;
}

void free(void *block) {
    if (!block) return;
    add(-(int64_t)malloc_usable_size(block));
    __libc_free(block);
}

int64_t live_heap_bytes(void) { return __atomic_load_n(&live_bytes, __ATOMIC_RELAXED); }
#else
#include <malloc/malloc.h>

int64_t live_heap_bytes(void) { return (int64_t)mstats().bytes_used; }
#endif
