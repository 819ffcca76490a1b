#define _GNU_SOURCE
#include "CChainRuntime.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#if defined(__linux__)
#include <fcntl.h>
#include <unistd.h>
#else
#include <mach/mach.h>
#endif

#if defined(__linux__)

uintptr_t chain_thread_usage_handle(void) { return chain_thread_id(); }

uint64_t chain_thread_cpu_ns(uintptr_t handle) {
    // The clock id that pthread_getcpuclockid would make, but made from the thread's id: the kernel then returns an
    // error for an ended thread.
    enum { per_thread = 4, scheduler = 2 };
    clockid_t clock = (clockid_t)(~(unsigned)handle << 3 | per_thread | scheduler);
    struct timespec used;
    if (clock_gettime(clock, &used) != 0) return 0;
    return (uint64_t)used.tv_sec * 1000000000ull + (uint64_t)used.tv_nsec;
}

bool chain_thread_is_waiting(uintptr_t handle, uint32_t id) {
    (void)handle;
    char path[64], text[128];
    snprintf(path, sizeof path, "/proc/self/task/%u/stat", id);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return true;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0) return true;
    text[count] = '\0';
    // "id (name) state ...": the last bracket counts, because a name may hold brackets.
    const char *end = strrchr(text, ')');
    return end == NULL || end[1] == '\0' || end[2] != 'R';
}

#else

// A port, because the kernel returns an error for the port of an ended thread.
uintptr_t chain_thread_usage_handle(void) { return pthread_mach_thread_np(pthread_self()); }

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
