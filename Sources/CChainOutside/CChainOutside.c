#define _GNU_SOURCE
#include "CChainOutside.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#if defined(__linux__)

#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/uio.h>

ptrdiff_t outside_read(pid_t pid, uint64_t address, void *buffer, size_t size) {
    struct iovec here = {buffer, size}, there = {(void *)(uintptr_t)address, size};
    ssize_t count = process_vm_readv(pid, &here, 1, &there, 1, 0);
    return count < 0 ? -errno : count;
}

ptrdiff_t outside_read_pieces(pid_t pid, const uint64_t *addresses, size_t count, size_t size, void *buffer) {
    struct iovec there[512];
    if (count > sizeof there / sizeof *there) return -EINVAL;
    for (size_t index = 0; index < count; index++) there[index] = (struct iovec){(void *)(uintptr_t)addresses[index], size};
    struct iovec here = {buffer, count * size};
    ssize_t copied = process_vm_readv(pid, &here, 1, there, count, 0);
    if (copied < 0) return errno == EFAULT ? 0 : -errno;
    return size == 0 ? 0 : (ptrdiff_t)((size_t)copied / size);
}

int outside_open_below(int folder, const char *path) {
    while (*path == '/') path++;
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    long descriptor = syscall(SYS_openat2, folder, path, &how, sizeof how);
    return descriptor < 0 ? -errno : (int)descriptor;
}

#else

ptrdiff_t outside_read(pid_t pid, uint64_t address, void *buffer, size_t size) {
    (void)pid, (void)address, (void)buffer, (void)size;
    return -ENOSYS;
}

ptrdiff_t outside_read_pieces(pid_t pid, const uint64_t *addresses, size_t count, size_t size, void *buffer) {
    (void)pid, (void)addresses, (void)count, (void)size, (void)buffer;
    return -ENOSYS;
}

int outside_open_below(int folder, const char *path) {
    (void)folder, (void)path;
    return -ENOSYS;
}

#endif
