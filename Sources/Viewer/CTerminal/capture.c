// SPDX-License-Identifier: MIT

// While a screen with `capturesOutput` is open, output of the process to a terminal goes through a pipe into memory. A
// quarter of the limit is for the first bytes; the rest is a ring buffer with the last bytes. A thread empties the
// pipe, because a full pipe would block writers.
#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "io.h"

static struct {
    bool isOn;
    int saved[2];            // duplicates of descriptors 1 and 2; -1 for a descriptor that is not captured
    int pipe[2], stop[2];    // the pipe of the output, and the pipe that ends the thread
    pthread_t thread;
    atomic_flag lock;        // held while reading the pipe
    char *head, *ring;
    size_t headLimit, headCount, ringLimit, ringStart, ringCount;
    unsigned long long cutCount;    // dropped bytes between head and ring
} capture = {.saved = {-1, -1}, .pipe = {-1, -1}, .stop = {-1, -1}, .lock = ATOMIC_FLAG_INIT};

static void keep(const char *bytes, size_t count) {
    size_t taken = capture.headLimit - capture.headCount;
    if (taken > count) taken = count;
    memcpy(capture.head + capture.headCount, bytes, taken);
    capture.headCount += taken;
    for (size_t index = taken; index < count; index++) {
        if (capture.ringCount == capture.ringLimit) {
            capture.ringStart = (capture.ringStart + 1) % capture.ringLimit;
            capture.ringCount--;
            capture.cutCount++;
        }
        capture.ring[(capture.ringStart + capture.ringCount++) % capture.ringLimit] = bytes[index];
    }
}

// Reads the pipe until it is empty. With `isBounded` it is safe in handlers, and waits for the lock for a tenth of a
// second only. It then goes on without the lock, because the handler may have interrupted the thread that holds the
// lock.
static void drain(bool isBounded) {
    for (int tries = 0; atomic_flag_test_and_set(&capture.lock); tries++) {
        if (isBounded && tries > 100) break;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    char bytes[4096];
    for (;;) {
        ssize_t count = read(capture.pipe[0], bytes, sizeof bytes);
        if (count > 0) keep(bytes, (size_t)count);
        else if (count == 0 || errno != EINTR) break;
    }
    atomic_flag_clear(&capture.lock);
}

static void *pump(void *unused) {
    (void)unused;
    struct pollfd fds[2] = {{capture.pipe[0], POLLIN, 0}, {capture.stop[0], POLLIN, 0}};
    for (;;) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR) return NULL;
        if (fds[1].revents) return NULL;
        if (fds[0].revents) drain(false);
        if (fds[0].revents & (POLLERR | POLLNVAL)) return NULL;
    }
}

static bool make_pipe(int fds[2]) {
    if (pipe(fds) != 0) return false;
    for (int end = 0; end < 2; end++) {
        int high = fcntl(fds[end], F_DUPFD_CLOEXEC, 10);
        if (high < 0) return false;
        close(fds[end]);
        fds[end] = high;
    }
    return true;
}

// Duplicates descriptors 1 and 2 where they are terminals. Returns whether that succeeded.
static bool save_outputs(void) {
    for (int fd = 1; fd <= 2; fd++) {
        if (!isatty(fd)) continue;
        capture.saved[fd - 1] = fcntl(fd, F_DUPFD_CLOEXEC, 10);
        if (capture.saved[fd - 1] < 0) return false;
    }
    return true;
}

// Closes the pipes and the duplicates, frees the buffers, and returns the error number.
static int cancel(int failure) {
    for (int end = 0; end < 2; end++) {
        if (capture.pipe[end] >= 0) close(capture.pipe[end]);
        if (capture.stop[end] >= 0) close(capture.stop[end]);
        if (capture.saved[end] >= 0) close(capture.saved[end]);
        capture.pipe[end] = capture.stop[end] = capture.saved[end] = -1;
    }
    free(capture.head);
    free(capture.ring);
    capture.head = capture.ring = NULL;
    return failure;
}

int ct_capture_begin(size_t limit) {
    bool any = isatty(1) || isatty(2);
    if (!any) return 0;
    if (limit < 4096) limit = 4096;
    capture.headLimit = limit / 4;
    capture.ringLimit = limit - capture.headLimit;
    capture.headCount = capture.ringStart = capture.ringCount = 0;
    capture.cutCount = 0;
    capture.head = malloc(capture.headLimit);
    capture.ring = malloc(capture.ringLimit);
    // Saved before anything is captured, because a descriptor that is not saved could not be restored.
    if (!capture.head || !capture.ring || !make_pipe(capture.pipe) || !make_pipe(capture.stop) || !save_outputs()) {
        return cancel(errno);
    }
    fcntl(capture.pipe[0], F_SETFL, O_NONBLOCK);
    fflush(stdout);
    fflush(stderr);
    // The new thread takes no signals, because they belong to the program's own threads. (Not all signals are blocked,
    // because Swift's backtracer stops each thread by a signal.)
    sigset_t blocked, before;
    sigemptyset(&blocked);
    const int signals[] = {SIGWINCH, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGALRM, SIGCHLD, SIGPIPE, SIGUSR1};
    for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) {
        sigaddset(&blocked, signals[index]);
    }
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    int failure = pthread_create(&capture.thread, NULL, pump, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure) return cancel(failure);
    for (int fd = 1; fd <= 2; fd++)
        if (capture.saved[fd - 1] >= 0) dup2(capture.pipe[1], fd);
    // Buffered by line only, so that output before a trap is not lost.
    setvbuf(stdout, NULL, _IOLBF, 0);
    capture.isOn = true;
    return 0;
}

static void replay(int fd) {
    const int timeoutMilliseconds = 500;
    ct_write_all(fd, capture.head, capture.headCount, timeoutMilliseconds);
    if (capture.cutCount) {
        // Without printf, which is not safe in handlers.
        char digits[24], note[64] = "\n[... ";
        size_t count = 0, length = 6;
        for (unsigned long long rest = capture.cutCount; rest || !count; rest /= 10) digits[count++] = '0' + rest % 10;
        while (count) note[length++] = digits[--count];
        const char *end = " bytes left out ...]\n";
        memcpy(note + length, end, strlen(end));
        ct_write_all(fd, note, length + strlen(end), timeoutMilliseconds);
    }
    size_t first = capture.ringLimit - capture.ringStart;
    if (first > capture.ringCount) first = capture.ringCount;
    ct_write_all(fd, capture.ring + capture.ringStart, first, timeoutMilliseconds);
    ct_write_all(fd, capture.ring, capture.ringCount - first, timeoutMilliseconds);
}

void ct_capture_end(bool inTrap) {
    if (!capture.isOn) return;
    capture.isOn = false;
    if (!inTrap) {
        fflush(stdout);
        fflush(stderr);
    }
    for (int fd = 1; fd <= 2; fd++)
        if (capture.saved[fd - 1] >= 0) dup2(capture.saved[fd - 1], fd);
    drain(inTrap);
    replay(capture.saved[0] >= 0 ? 1 : 2);
    if (inTrap) return;
    ssize_t ignored = write(capture.stop[1], "", 1);
    (void)ignored;
    pthread_join(capture.thread, NULL);
    for (int end = 0; end < 2; end++) {
        close(capture.pipe[end]);
        close(capture.stop[end]);
        if (capture.saved[end] >= 0) close(capture.saved[end]);
        // Reset, because ct_capture_begin closes these descriptors when it fails.
        capture.pipe[end] = capture.stop[end] = capture.saved[end] = -1;
    }
    free(capture.head);
    free(capture.ring);
}
