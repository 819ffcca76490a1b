// SPDX-License-Identifier: MIT

#include "jobs.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "state.h"

void ct_stop_self(void) {
    struct sigaction standard, ours, continued;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    sigset_t stop, before;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    sigaction(SIGTSTP, &standard, &ours);
    // After a stop that was requested, the continuation is not reported.
    sigaction(SIGCONT, &standard, &continued);
    pthread_sigmask(SIG_UNBLOCK, &stop, &before);
    // Sent to this thread, so that it stops here. The kernel drops the signal where no shell could continue the
    // process.
    raise(SIGTSTP);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sigaction(SIGCONT, &continued, NULL);
    sigaction(SIGTSTP, &ours, NULL);
}

sigset_t ct_mask_ttou(int how) {
    sigset_t stop, before;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTOU);
    pthread_sigmask(how, &stop, &before);
    return before;
}

bool ct_is_background(void) {
    pid_t foreground = tcgetpgrp(ct.output);
    return foreground > 0 && foreground != getpgrp();
}

static void interrupt(int signal) { (void)signal; }

bool ct_is_set_in_background(atomic_bool *flag) {
    struct timespec step = {0, 5000000};
    for (int steps = 0; ct_is_background(); steps++) {
        if (atomic_load(flag)) return true;
        if (steps == 20) return false;
        nanosleep(&step, NULL);
    }
    return false;
}

bool ct_await_foreground(void) {
    struct sigaction standard, continued, stopBefore, continuedBefore;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    memset(&continued, 0, sizeof continued);
    // Without SA_RESTART, so that a continued process first leaves tcsetattr and tests whether it is to end.
    continued.sa_handler = interrupt;
    sigaction(SIGTTOU, &standard, &stopBefore);
    sigaction(SIGCONT, &continued, &continuedBefore);
    sigset_t before = ct_mask_ttou(SIG_UNBLOCK);
    bool isOurs = false, isLost = false;
    // A stopped process may get SIGTERM and SIGCONT together, as `kill` of a stopped job sends them. The process would
    // stay stopped if it stopped again before SIGTERM is handled.
    while (!isOurs && !isLost && !ct_is_set_in_background(&ct.isEnding)) {
        // In the background this call stops the process, as often as needed; it fails if no shell could continue the
        // process.
        isOurs = tcsetattr(ct.output, TCSANOW, &ct.shell) == 0;
        isLost = !isOurs && errno != EINTR;
        if (isLost) ct.failure = errno;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sigaction(SIGCONT, &continuedBefore, NULL);
    sigaction(SIGTTOU, &stopBefore, NULL);
    return isOurs;
}
