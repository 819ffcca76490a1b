// SPDX-License-Identifier: MIT

// Signals that a screen must answer go through the wake pipe, which ends ct_wait, one byte each. Every other signal
// that ends the process restores the terminal and then has its previous effect.
#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture.h"
#include "io.h"
#include "state.h"

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

// Restores screen and modes. Safe in handlers.
static void restore_terminal(void) {
    if (!atomic_exchange(&ct.isOurs, false)) return;
    ct_write_all(ct.output, ct.restore, ct.restoreCount, 500);
    tcsetattr(ct.output, TCSANOW, &ct.shell);
}

static void deadly(int signal, siginfo_t *info, void *context) {
    (void)context;
    int before = errno;
    if (!atomic_exchange(&ct.isTrapped, true)) {
        restore_terminal();
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
