// SPDX-License-Identifier: MIT

// Signals that a screen must answer go through the wake pipe, which ends ct_wait, one byte each. Every other signal
// that ends the process restores the terminal and then has its previous effect.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

// Signals that go through the wake pipe.
static const int reported[] = {SIGWINCH, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT};
// Signals that do not end the process by default, or cannot be handled. (SIGPIPE is ignored.)
static const int harmless[] = {
    SIGKILL, SIGSTOP, SIGTTIN, SIGTTOU, SIGCHLD, SIGURG, SIGPIPE,
#if defined(__APPLE__)
    SIGINFO, SIGIO,
#endif
};
enum { reportedCount = sizeof reported / sizeof *reported, harmlessCount = sizeof harmless / sizeof *harmless };
#if defined(NSIG)
enum { signalLimit = NSIG };
#else
enum { signalLimit = 65 };
#endif

static struct sigaction reportedBefore[reportedCount], deadlyBefore[signalLimit], pipeBefore;
static bool isReportedOurs[reportedCount], isDeadlyOurs[signalLimit];
static void *stack;

static void report(int signal) {
    int before = errno;
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT) atomic_store(&ct.isEnding, true);
    if (signal == SIGCONT) atomic_store(&ct.isContinued, true);
    char byte = (char)signal;
    ssize_t ignored = write(ct.wake[1], &byte, 1);
    (void)ignored;
    errno = before;
}

// Returns whether the instruction that caused the signal is executed again on return, and causes it again.
static bool happens_again(int signal, const siginfo_t *info) {
    bool isFault = signal == SIGILL || signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE;
    return isFault && info->si_code > 0 && info->si_code != SI_USER;
}

static void deadly(int signal, siginfo_t *info, void *context) {
    (void)context;
    int before = errno;
    if (!atomic_exchange(&ct.isTrapped, true)) {
        ct_restore_terminal();
        ct_capture_end(true);
        atomic_store(&ct.isRestored, true);
    } else {
        // Another thread restores the terminal; this one waits for it, two seconds at most.
        struct timespec step = {0, 5000000};
        for (int steps = 0; steps < 400 && !atomic_load(&ct.isRestored); steps++) nanosleep(&step, NULL);
    }
    sigaction(signal, &deadlyBefore[signal], NULL);
    if (!happens_again(signal, info)) raise(signal);
    errno = before;
}

// Handles the other signals that end the process, unless the program handles them itself. Traps are handled in any
// case, because no handler returns from a trap.
static void watch_deadly(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigfillset(&action.sa_mask);
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    action.sa_sigaction = deadly;
    for (int signal = 1; signal < signalLimit; signal++) {
        isDeadlyOurs[signal] = false;
        bool isOther = false;
        for (int index = 0; index < reportedCount; index++) isOther = isOther || reported[index] == signal;
        for (int index = 0; index < harmlessCount; index++) isOther = isOther || harmless[index] == signal;
        // sigaction fails for signals that the C library reserves.
        if (isOther || sigaction(signal, NULL, &deadlyBefore[signal]) != 0) continue;
        bool isTrap = signal == SIGILL || signal == SIGTRAP || signal == SIGSEGV || signal == SIGABRT ||
                      signal == SIGBUS || signal == SIGFPE || signal == SIGSYS;
        if (!isTrap && deadlyBefore[signal].sa_handler != SIG_DFL) continue;
        isDeadlyOurs[signal] = sigaction(signal, &action, NULL) == 0;
    }
}

static void unwatch_deadly(void) {
    for (int signal = 1; signal < signalLimit; signal++) {
        if (!isDeadlyOurs[signal]) continue;
        isDeadlyOurs[signal] = false;
        struct sigaction now;
        // Keep a handler that the program set meanwhile.
        if (sigaction(signal, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO && now.sa_sigaction == deadly)
            sigaction(signal, &deadlyBefore[signal], NULL);
    }
}

void ct_signals_begin(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigfillset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    action.sa_handler = report;
    for (int index = 0; index < reportedCount; index++) {
        sigaction(reported[index], NULL, &reportedBefore[index]);
        // Signals that nohup or a shell made the process ignore stay ignored.
        bool isIgnored = reportedBefore[index].sa_handler == SIG_IGN;
        isReportedOurs[index] = !isIgnored || reported[index] == SIGWINCH || reported[index] == SIGCONT;
        if (isReportedOurs[index]) sigaction(reported[index], &action, NULL);
    }
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, &pipeBefore);

    // The handlers run on an alternate stack, because a stack overflow leaves no stack for its handler.
    stack_t now;
    if (sigaltstack(NULL, &now) == 0 && now.ss_flags & SS_DISABLE) {
        const size_t size = 64 * 1024;
        stack = malloc(size);
        if (stack) sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = size}, NULL);
    }
    watch_deadly();
}

void ct_signals_end(void) {
    unwatch_deadly();
    for (int index = 0; index < reportedCount; index++)
        if (isReportedOurs[index]) sigaction(reported[index], &reportedBefore[index], NULL);
    sigaction(SIGPIPE, &pipeBefore, NULL);
    // The alternate stack stays, because the screen may be closed on another thread than it was opened on.
}

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
        if (isLost) ct_failure = errno;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sigaction(SIGCONT, &continuedBefore, NULL);
    sigaction(SIGTTOU, &stopBefore, NULL);
    return isOurs;
}
