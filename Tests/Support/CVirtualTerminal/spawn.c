#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <util.h>
#else
#include <pty.h>
#endif

#include "CVirtualTerminal.h"

static volatile sig_atomic_t job;

static void report(int fd, int what, int value) {
    cvt_report message = {what, value};
    ssize_t ignored = write(fd, &message, sizeof message);
    (void)ignored;
}

static void hand_on(int signal) {
    if (job > 0) kill(-job, signal);
}

// As a shell does: a signal says that this process group has the terminal from now on.
static void give_terminal(int signal) { tcsetpgrp(0, signal == CVT_TO_PROGRAM ? job : getpgrp()); }

static void reset_signals(void) {
    for (int signal = 1; signal < NSIG; signal++) {
        struct sigaction action = {.sa_handler = SIG_DFL};
        sigaction(signal, &action, NULL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void lead(int reports, const char *path, char *const arguments[], char *const environment[]) {
    int gate[2];
    if (pipe(gate) != 0) _exit(1);
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        char byte;
        close(gate[1]);
        // Waits until the terminal is its own.
        ssize_t ignored = read(gate[0], &byte, 1);
        (void)ignored;
        close(gate[0]);
        execve(path, arguments, environment);
        report(reports, CVT_FAILED, errno);
        _exit(127);
    }
    job = child;
    setpgid(child, child);
    struct sigaction action = {.sa_handler = SIG_IGN};
    sigaction(SIGTTOU, &action, NULL);
    action.sa_handler = hand_on;
    sigaction(SIGHUP, &action, NULL);
    action.sa_handler = give_terminal;
    sigaction(CVT_TO_PROGRAM, &action, NULL);
    sigaction(CVT_TO_LEADER, &action, NULL);
    tcsetpgrp(0, child);
    report(reports, CVT_STARTED, child);
    close(gate[0]);
    close(gate[1]);
    for (;;) {
        int status;
        pid_t who = waitpid(child, &status, WUNTRACED | WCONTINUED);
        if (who < 0 && errno == EINTR) continue;
        if (who < 0) _exit(1);
        if (WIFSTOPPED(status)) report(reports, CVT_STOPPED, WSTOPSIG(status));
        else if (WIFCONTINUED(status)) report(reports, CVT_CONTINUED, 0);
        else {
            report(reports, WIFEXITED(status) ? CVT_EXITED : CVT_KILLED,
                WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
            // Stays until the other side has read everything, because a closed terminal discards its output.
            for (;;) pause();
        }
    }
}

int cvt_spawn(
    const char *path, char *const arguments[], char *const environment[], const char *directory, int rows, int columns,
    int *master, int *reports, int *leader
) {
    int pipes[2];
    if (pipe(pipes) != 0) return errno;
    fcntl(pipes[0], F_SETFD, FD_CLOEXEC);
    fcntl(pipes[1], F_SETFD, FD_CLOEXEC);
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    pid_t child = forkpty(master, NULL, NULL, &size);
    if (child < 0) {
        int failure = errno;
        close(pipes[0]);
        close(pipes[1]);
        return failure;
    }
    if (child == 0) {
        reset_signals();
        if (directory && chdir(directory) != 0) {
            report(pipes[1], CVT_FAILED, errno);
            _exit(127);
        }
        // Must not hold other tests' terminals open, because their windows could not be closed.
        for (int fd = 3; fd < 4096; fd++)
            if (fd != pipes[1]) close(fd);
        lead(pipes[1], path, arguments, environment);
        _exit(1);
    }
    close(pipes[1]);
    fcntl(*master, F_SETFD, FD_CLOEXEC);
    fcntl(*master, F_SETFL, O_NONBLOCK);
    fcntl(pipes[0], F_SETFL, O_NONBLOCK);
    *reports = pipes[0];
    *leader = child;
    return 0;
}

void cvt_set_size(int master, int rows, int columns) {
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    ioctl(master, TIOCSWINSZ, &size);
}

// SPDX-License-Identifier: MIT
