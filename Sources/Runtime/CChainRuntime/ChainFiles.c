// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "ChainFiles.h"
#include "ChainSockets.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/xattr.h>
#endif

// Names

int chain_rename_new(const char *from, const char *to) {
#if defined(__linux__) && defined(RENAME_NOREPLACE)
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
    // These errors mean that the file system or the kernel does not know RENAME_NOREPLACE: continue with a link.
    if (errno != EINVAL && errno != ENOSYS) return -errno;
#elif defined(__APPLE__)
    if (renamex_np(from, to, RENAME_EXCL) == 0) return 0;
    if (errno != ENOTSUP && errno != EINVAL) return -errno;
#endif
    // A link does not replace a file, either: it fails if `to` exists.
    if (link(from, to) != 0) return -errno;
    unlink(from);
    return 0;
}

// Capabilities

bool chain_file_has_capabilities(const char *path) {
#if defined(__linux__)
    // The first word has the flag *effective*; the second and the fourth are what the program gains. The third and the
    // fifth, inheritable capabilities, change nothing for the loader if no other word is set.
    uint32_t words[6] = {0};
    ssize_t size = getxattr(path, "security.capability", words, sizeof words);
    return size >= 12 && ((words[0] & 1) != 0 || words[1] != 0 || words[3] != 0);
#else
    (void)path;
    return false;
#endif
}

// Mapped files

static int64_t soft_limit(int resource) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur > INT64_MAX) return INT64_MAX;
    return (int64_t)limit.rlim_cur;
}

int64_t chain_file_size_limit(void) { return soft_limit(RLIMIT_FSIZE); }

int64_t chain_descriptor_limit(void) { return soft_limit(RLIMIT_NOFILE); }

int chain_reserve(int file, int64_t offset, int64_t count) {
#if defined(__APPLE__)
    fstore_t room = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, count, 0};
    (void)offset;
    return fcntl(file, F_PREALLOCATE, &room) == 0 ? 0 : -errno;
#else
    int error;
    do error = posix_fallocate(file, offset, count);
    while (error == EINTR);
    return -error;
#endif
}

int64_t chain_data_offset(int file, int64_t offset) {
#if defined(SEEK_DATA)
    off_t data = lseek(file, (off_t)offset, SEEK_DATA);
    if (data >= 0) return data;
    // No data comes after the offset.
    if (errno == ENXIO) return INT64_MAX;
#else
    (void)file;
#endif
    return offset;
}

// Locks

int chain_create_locked(const char *path) {
    int file = chain_open_new(path);
    if (file < 0) return file;
    // Waits only briefly, because other processes hold the lock only while they test it. Where the file system has no
    // locks, the file stays unlocked.
    while (flock(file, LOCK_EX) != 0 && errno == EINTR) {}
    return file;
}

int chain_is_locked(int file) {
    if (flock(file, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK ? 1 : -errno;
    flock(file, LOCK_UN);
    return 0;
}

// Removal at exit

typedef struct own_file {
    pid_t process;
    dev_t device;
    ino_t inode;
    char path[];
} own_file;

enum { own_limit = 1024 };

// A thread empties a slot by an exchange, after which the slot's file belongs to that thread. A lock would not do:
// another thread may hold it when the process exits, or may have held it when a child was forked.
static _Atomic(own_file *) own_files[own_limit];
static pthread_once_t exit_once = PTHREAD_ONCE_INIT;

static void remove_file(own_file *file) {
    struct stat facts;
    if (file == NULL || file->process != getpid()) return;
    if (lstat(file->path, &facts) != 0 || facts.st_dev != file->device || facts.st_ino != file->inode) return;
    unlink(file->path);
}

static atomic_bool is_exiting;

bool chain_removes_own_files(void) { return atomic_load(&is_exiting); }

static void remove_all(void) {
    atomic_store(&is_exiting, true);
    // Not freed, because the process ends.
    for (int number = 0; number < own_limit; number++) remove_file(atomic_exchange(&own_files[number], NULL));
}

static void watch_exit(void) { atexit(remove_all); }

int chain_own_file(const char *path) {
    struct stat facts;
    size_t length = strlen(path) + 1;
    if (lstat(path, &facts) != 0) return -1;
    own_file *file = malloc(sizeof *file + length);
    if (file == NULL) return -1;
    file->process = getpid();
    file->device = facts.st_dev;
    file->inode = facts.st_ino;
    memcpy(file->path, path, length);
    pthread_once(&exit_once, watch_exit);
    for (int number = 0; number < own_limit; number++) {
        own_file *none = NULL;
        if (atomic_compare_exchange_strong(&own_files[number], &none, file)) return number;
    }
    free(file);
    return -1;
}

void chain_remove_own_file(int number) {
    if (number < 0 || number >= own_limit) return;
    own_file *file = atomic_exchange(&own_files[number], NULL);
    remove_file(file);
    free(file);
}
