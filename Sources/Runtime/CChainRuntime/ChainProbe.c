// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "ChainProbe.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#if defined(__linux__)
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <mach/mach.h>
#endif

#if defined(__linux__)

uint64_t chain_thread_cpu_ns(uintptr_t handle) {
    // The clock id that pthread_getcpuclockid would make, but made from the thread's id: the kernel then returns an
    // error for an ended thread.
    enum { per_thread = 4, scheduler = 2 };
    clockid_t clock = (clockid_t)(~(unsigned)handle << 3 | per_thread | scheduler);
    struct timespec used;
    if (clock_gettime(clock, &used) != 0) return 0;
    return (uint64_t)used.tv_sec * 1000000000ull + (uint64_t)used.tv_nsec;
}

/// Reads the beginning of a file about a thread of this process, NUL-terminated; returns false if it cannot be read.
static bool read_file(uint32_t id, const char *name, char *text, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%u/%s", id, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t count = read(file, text, size - 1);
    close(file);
    text[count > 0 ? count : 0] = '\0';
    return count > 0;
}

bool chain_thread_is_waiting(uintptr_t handle, uint32_t id) {
    (void)handle;
    char text[128];
    if (!read_file(id, "stat", text, sizeof text)) return true;
    // "id (name) state ...": the last bracket counts, because a name may hold brackets.
    const char *end = strrchr(text, ')');
    return end == NULL || end[1] == '\0' || end[2] != 'R';
}

uint16_t chain_thread_wait(uint32_t id) {
    // "202 0x… 0x…", "-1 0x… 0x…" for a thread that is blocked outside of a system call, or "running".
    char text[128];
    if (!read_file(id, "syscall", text, sizeof text) || text[0] == 'r') return CHAIN_WAIT_UNKNOWN;
    return chain_system_call_wait(strtol(text, NULL, 10));
}

uint16_t chain_system_call_wait(long number) {
    switch (number) {
    case -1: return CHAIN_WAIT_PAGE;
    case SYS_futex: return CHAIN_WAIT_FUTEX;
#ifdef SYS_futex_waitv
    case SYS_futex_waitv: return CHAIN_WAIT_FUTEX;
#endif
    case SYS_nanosleep: case SYS_clock_nanosleep: return CHAIN_WAIT_SLEEP;
    case SYS_read: case SYS_pread64: case SYS_readv: case SYS_preadv: return CHAIN_WAIT_READ;
    case SYS_write: case SYS_pwrite64: case SYS_writev: case SYS_pwritev: return CHAIN_WAIT_WRITE;
    case SYS_recvfrom: case SYS_recvmsg: case SYS_recvmmsg: return CHAIN_WAIT_RECEIVE;
    case SYS_sendto: case SYS_sendmsg: case SYS_sendmmsg: return CHAIN_WAIT_SEND;
    case SYS_ppoll: case SYS_pselect6: return CHAIN_WAIT_POLL;
    case SYS_epoll_pwait: return CHAIN_WAIT_EPOLL;
#ifdef SYS_epoll_pwait2
    case SYS_epoll_pwait2: return CHAIN_WAIT_EPOLL;
#endif
    // The calls that aarch64 does not have.
#ifdef SYS_poll
    case SYS_poll: return CHAIN_WAIT_POLL;
#endif
#ifdef SYS_select
    case SYS_select: return CHAIN_WAIT_POLL;
#endif
#ifdef SYS_epoll_wait
    case SYS_epoll_wait: return CHAIN_WAIT_EPOLL;
#endif
#ifdef SYS_open
    case SYS_open: return CHAIN_WAIT_OPEN;
#endif
#ifdef SYS_pause
    case SYS_pause: return CHAIN_WAIT_SIGNAL;
#endif
    case SYS_connect: return CHAIN_WAIT_CONNECT;
    case SYS_accept: case SYS_accept4: return CHAIN_WAIT_ACCEPT;
    case SYS_flock: case SYS_fcntl: return CHAIN_WAIT_FILE_LOCK;
    case SYS_fsync: case SYS_fdatasync: case SYS_msync: case SYS_sync_file_range: return CHAIN_WAIT_SYNC;
    case SYS_wait4: case SYS_waitid: return CHAIN_WAIT_CHILD;
    case SYS_rt_sigtimedwait: case SYS_rt_sigsuspend: return CHAIN_WAIT_SIGNAL;
    case SYS_openat: return CHAIN_WAIT_OPEN;
    default: return CHAIN_WAIT_OTHER;
    }
}

#else

uint16_t chain_thread_wait(uint32_t id) {
    (void)id;
    return CHAIN_WAIT_UNKNOWN;
}

uint16_t chain_system_call_wait(long number) {
    (void)number;
    return CHAIN_WAIT_UNKNOWN;
}

static bool read_info(uintptr_t handle, thread_basic_info_data_t *info) {
    mach_msg_type_number_t count = THREAD_BASIC_INFO_COUNT;
    thread_act_t port = (thread_act_t)handle;
    return thread_info(port, THREAD_BASIC_INFO, (thread_info_t)info, &count) == KERN_SUCCESS;
}

uint64_t chain_thread_cpu_ns(uintptr_t handle) {
    thread_basic_info_data_t info;
    if (!read_info(handle, &info)) return 0;
    uint64_t seconds = (uint64_t)info.user_time.seconds + (uint64_t)info.system_time.seconds;
    uint64_t microseconds = (uint64_t)info.user_time.microseconds + (uint64_t)info.system_time.microseconds;
    return seconds * 1000000000ull + microseconds * 1000ull;
}

bool chain_thread_is_waiting(uintptr_t handle, uint32_t id) {
    (void)id;
    thread_basic_info_data_t info;
    return !read_info(handle, &info) || info.run_state != TH_STATE_RUNNING;
}

#endif
