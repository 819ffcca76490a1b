// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "CChainOutside.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#if defined(__linux__)

#include <linux/openat2.h>
#include <elf.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

ptrdiff_t outside_read(pid_t pid, uint64_t address, void *buffer, size_t size) {
    struct iovec here = {buffer, size}, there = {(void *)(uintptr_t)address, size};
    ssize_t count = process_vm_readv(pid, &here, 1, &there, 1, 0);
    return count < 0 ? -errno : count;
}

ptrdiff_t outside_read_parts(
    pid_t pid, const uint64_t *addresses, const size_t *sizes, size_t count, void *buffer, size_t size) {
    struct iovec there[16];
    if (count > sizeof there / sizeof *there) return -EINVAL;
    for (size_t index = 0; index < count; index++) {
        there[index] = (struct iovec){(void *)(uintptr_t)addresses[index], sizes[index]};
    }
    struct iovec here = {buffer, size};
    ssize_t copied = process_vm_readv(pid, &here, 1, there, count, 0);
    return copied < 0 ? -errno : copied;
}

void outside_sleep_precisely(void) { prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL); }

int outside_open_below(int folder, const char *path) {
    while (*path == '/') path++;
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    long descriptor = syscall(SYS_openat2, folder, path, &how, sizeof how);
    return descriptor < 0 ? -errno : (int)descriptor;
}

int outside_stop(pid_t thread) {
    if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0) return -errno;
    return ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) != 0 ? -errno : 0;
}

int outside_has_stopped(pid_t thread, int *signal) {
    int status = 0;
    *signal = 0;
    pid_t changed = waitpid(thread, &status, __WALL | WNOHANG);
    if (changed < 0) return errno == ECHILD ? 2 : -errno;
    if (changed == 0) return 0;
    if (!WIFSTOPPED(status)) return 2;
    // A thread may stop for a signal first, which would be lost if it were not passed on.
    if (status >> 16 == 0) *signal = WSTOPSIG(status);
    return 1;
}

int outside_release(pid_t thread, int signal) {
    return ptrace(PTRACE_DETACH, thread, NULL, (void *)(intptr_t)signal) != 0 ? -errno : 0;
}

int outside_read_registers(pid_t thread, outside_registers *registers) {
    struct user_regs_struct all;
    struct iovec part = {&all, sizeof all};
    if (ptrace(PTRACE_GETREGSET, thread, (void *)NT_PRSTATUS, &part) != 0) return -errno;
#if defined(__x86_64__)
    *registers = (outside_registers){.instruction = all.rip, .stack = all.rsp, .frame = all.rbp};
    return 0;
#elif defined(__aarch64__)
    *registers = (outside_registers){.instruction = all.pc, .stack = all.sp, .frame = all.regs[29]};
    return 0;
#else
    (void)registers;
    return -ENOSYS;
#endif
}

#else

int outside_stop(pid_t thread) {
    (void)thread;
    return -ENOSYS;
}

int outside_has_stopped(pid_t thread, int *signal) {
    (void)thread, (void)signal;
    return -ENOSYS;
}

int outside_release(pid_t thread, int signal) {
    (void)thread, (void)signal;
    return -ENOSYS;
}

int outside_read_registers(pid_t thread, outside_registers *registers) {
    (void)thread, (void)registers;
    return -ENOSYS;
}

ptrdiff_t outside_read(pid_t pid, uint64_t address, void *buffer, size_t size) {
    (void)pid, (void)address, (void)buffer, (void)size;
    return -ENOSYS;
}

ptrdiff_t outside_read_parts(
    pid_t pid, const uint64_t *addresses, const size_t *sizes, size_t count, void *buffer, size_t size) {
    (void)pid, (void)addresses, (void)sizes, (void)count, (void)buffer, (void)size;
    return -ENOSYS;
}

void outside_sleep_precisely(void) {}

int outside_open_below(int folder, const char *path) {
    (void)folder, (void)path;
    return -ENOSYS;
}

#endif
