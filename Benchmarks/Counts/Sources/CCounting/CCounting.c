// SPDX-License-Identifier: MIT

#include "CCounting.h"

#ifdef __GLIBC__
#include <errno.h>
#include <stdlib.h>

// Replaces malloc and its kin by glibc's with a counter. The counter is not thread-local, because that would cost a
// look-up. Increments of several threads may be lost; the work that is counted runs on one thread.
static uint64_t allocation_count;

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static inline void count_one(void) {
    __atomic_store_n(&allocation_count, __atomic_load_n(&allocation_count, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

void *malloc(size_t size) {
    count_one();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    count_one();
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    count_one();
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count_one();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    count_one();
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}

uint64_t heap_allocation_count(void) { return __atomic_load_n(&allocation_count, __ATOMIC_RELAXED); }
#else
uint64_t heap_allocation_count(void) { return 0; }
#endif

__attribute__((noinline)) void counted_region(void (*body)(void *), void *context) {
    body(context);
    __asm__ volatile(""); // prevents a tail call, so that the region lasts until body returns
}
