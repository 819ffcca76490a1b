// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "TaskRuntime.h"

#if defined(__linux__)

#include <sys/uio.h>
#include <unistd.h>

struct originals chain_original;

void *chain_task_retain(void *task) { return chain_original.retain(task); }
void chain_task_release(void *task) { chain_original.release(task); }
void chain_task_cancel_now(void *task) { chain_original.cancel(task); }

void *chain_tasks_current(void) { return chain_original.current(); }
size_t chain_task_fixed_size(void) { return chain_original.task_size; }

extern const uint32_t _swift_concurrency_debug_internal_layout_version WEAK;

uint32_t chain_task_layout_version(void) {
    const uint32_t *version = &_swift_concurrency_debug_internal_layout_version;
    // From version 3 on, the highest byte is another number, which is removed.
    return version == NULL ? 0 : *version & 0xFFFFFF;
}

bool chain_copy_memory(const void *from, void *to, size_t count) {
    struct iovec local = {to, count}, remote = {(void *)from, count};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)count;
}

// Not checked by AddressSanitizer, because words past the end of a small context are read, too.
__attribute__((no_sanitize("address"))) size_t chain_context_words(const void *context, uintptr_t words[4]) {
    const uintptr_t *first = (const uintptr_t *)context + 2;
    // Reads no further than the first word's page, because only that page is known to be mapped.
    size_t in_page = (4096 - ((uintptr_t)first & 4095)) / sizeof *first;
    size_t count = in_page < 4 ? in_page : 4;
    for (size_t index = 0; index < count; index++) words[index] = first[index];
    return count;
}

#else

size_t chain_context_words(const void *context, uintptr_t words[4]) { (void)context, (void)words; return 0; }
void *chain_tasks_current(void) { return NULL; }
size_t chain_task_fixed_size(void) { return 0; }
uint32_t chain_task_layout_version(void) { return 0; }
bool chain_copy_memory(const void *from, void *to, size_t count) { (void)from, (void)to, (void)count; return false; }
void *chain_task_retain(void *task) { return task; }
void chain_task_release(void *task) { (void)task; }
void chain_task_cancel_now(void *task) { (void)task; }

#endif
