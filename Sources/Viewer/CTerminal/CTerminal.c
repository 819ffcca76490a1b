// SPDX-License-Identifier: MIT

#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

// term.h's short names are macros that would rewrite identifiers here.
#undef lines
#undef columns
#undef tab
#undef bell

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "CTerminal.h"
#include "capture.h"
#include "io.h"
#include "jobs.h"
#include "signals.h"
#include "state.h"
#include "terminfo.h"

static bool isOpen;
// Whether a write has failed, which may leave output unsent.
static bool hasWriteFailed;
// The name of the terminal's description: TERM, or the fallback if TERM has none.
static const char *description;
static const char fallback[] = "xterm-256color";
static SCREEN *screen;
static FILE *inputFile, *outputFile;
static bool hasMouse, hasPaste;

static const char mouseOn[] = "\033[?1000h\033[?1002h\033[?1006h";
static const char mouseOff[] = "\033[?1006l\033[?1002l\033[?1000l";
static const char pasteOn[] = "\033[?2004h";
static const char pasteOff[] = "\033[?2004l";

int ct_errno(void) { return ct.failure; }

int ct_colors(void) { return ct.colorCount; }

static void prepare_restore(void) {
    size_t count = 0, capacity = sizeof ct.restore;
    if (hasPaste) count = ct_append(ct.restore, capacity, count, pasteOff);
    if (hasMouse) count = ct_append(ct.restore, capacity, count, mouseOff);
    count = ct_append(ct.restore, capacity, count, ct_capability("sgr0"));
    count = ct_append(ct.restore, capacity, count, ct_capability("op"));
    count = ct_append(ct.restore, capacity, count, ct_capability("rmkx"));
    count = ct_append(ct.restore, capacity, count, ct_capability("cnorm"));
    count = ct_append(ct.restore, capacity, count, ct_capability("rmcup"));
    ct.restoreCount = count;
}

enum { ownFlags = O_NOCTTY | O_NONBLOCK | O_CLOEXEC };

// Opens the controlling terminal by its device's name, if standard output or error is that terminal, and otherwise as
// /dev/tty. The device's name comes first, because Darwin cannot poll /dev/tty.
static int open_controlling(int access) {
    for (int fd = 1; fd <= 2; fd++) {
        // Only the controlling terminal has a foreground group that can be asked for.
        const char *name = tcgetpgrp(fd) >= 0 ? ttyname(fd) : NULL;
        int own = name && strcmp(name, "/dev/tty") != 0 ? open(name, access | ownFlags) : -1;
        if (own >= 0) return own;
    }
    return open("/dev/tty", access | ownFlags);
}

// Opens a descriptor's terminal again, because O_NONBLOCK belongs to the open file description, which other processes
// may share. If opening fails, returns a duplicate of the descriptor.
static int reopen(int fd, int access) {
    const char *name = ttyname(fd);
    int own = !name ? -1 : strcmp(name, "/dev/tty") == 0 ? open_controlling(access) : open(name, access | ownFlags);
    if (own < 0) own = fcntl(fd, F_DUPFD_CLOEXEC, 10);
    return own;
}

static int check_terminfo(void) {
    const char *name = getenv("TERM");
    if (!name || !*name) return CT_TERM_UNSET;
    int status = 0;
    description = name;
    if (setupterm((char *)name, ct.output, &status) != OK) {
        // Terminals of today without a description on this machine, as on a server behind ssh, all understand xterm's
        // sequences.
        description = fallback;
        if (setupterm((char *)fallback, ct.output, &status) != OK) return CT_TERM_UNKNOWN;
    }
    bool isDumb = !ct_capability("cup") || !ct_capability("clear");
    int count = tigetnum("colors");
    // A description with direct colours takes numbers from 8 on as red, green and blue, of 8 bits each if it has 24 bits.
    ct.isDirect = count >= 1 << 24;
    ct.colorCount = ct.isDirect ? 256 : count > 256 ? 8 : count == 256 ? 256 : count >= 16 ? 16 : count >= 8 ? 8 : 0;
    if (!ct_capability("setaf") || !ct_capability("setab")) ct.colorCount = 0;
    hasMouse = ct_capability("kmous") != NULL;
    // Few descriptions declare bracketed paste. Terminals with xterm's mouse support it, or ignore it.
    hasPaste = hasMouse;
    del_curterm(cur_term);
    return isDumb ? CT_TERM_DUMB : CT_OK;
}

// Makes the pipe once. It is never closed, because a thread that wakes the screen late must not write into another
// file.
static bool make_wake_pipe(void) {
    if (ct.wake[0] < 0) {
        int ends[2];
        if (pipe(ends) != 0) return false;
        for (int end = 0; end < 2; end++) {
            fcntl(ends[end], F_SETFL, O_NONBLOCK);
            fcntl(ends[end], F_SETFD, FD_CLOEXEC);
        }
        ct.wake[0] = ends[0];
        ct.wake[1] = ends[1];
    }
    // Discard the signals of an earlier screen.
    while (ct_next_signal() >= 0) {}
    return true;
}

// Opens a stream on a duplicate of a descriptor; returns NULL if that fails.
static FILE *open_duplicate(int fd, const char *mode) {
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 10);
    FILE *file = own < 0 ? NULL : fdopen(own, mode);
    int failure = errno;
    if (own >= 0 && !file) close(own);
    errno = failure;
    return file;
}

static void close_files(void) {
    if (inputFile) fclose(inputFile);
    if (outputFile) fclose(outputFile);
    inputFile = outputFile = NULL;
    if (ct.input >= 0) close(ct.input);
    if (ct.output >= 0) close(ct.output);
    ct.input = ct.output = -1;
}

static int fail(int code) {
    ct.failure = errno;
    close_files();
    return code;
}

static void enter(void) {
    atomic_store(&ct.isOurs, true);
    raw();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    curs_set(0);
    def_prog_mode();
    if (hasMouse) ct_write_all(ct.output, mouseOn, sizeof mouseOn - 1, 500);
    if (hasPaste) ct_write_all(ct.output, pasteOn, sizeof pasteOn - 1, 500);
}

int ct_open(const ct_options *options) {
    if (isOpen) return CT_IN_USE;
    ct.input = ct.output = -1;
    if (!isatty(1)) return CT_NO_TERMINAL;
    ct.input = isatty(0) ? reopen(0, O_RDONLY) : open_controlling(O_RDONLY);
    if (ct.input < 0) return fail(CT_NO_TERMINAL);
    ct.output = reopen(1, O_RDWR);
    if (ct.output < 0 || tcgetattr(ct.output, &ct.shell) != 0) return fail(CT_SYSTEM);
    ct_set_character_type();
    int code = check_terminfo();
    if (code != CT_OK) return fail(code);
    if (ct.colorCount > options->colorLimit) ct.colorCount = options->colorLimit;
    hasMouse = hasMouse && options->wantsMouse;

    if (!make_wake_pipe()) return fail(CT_SYSTEM);
    // ncurses waits for room when it writes, which works only on blocking descriptors.
    inputFile = open_duplicate(isatty(0) ? 0 : ct.input, "r");
    outputFile = inputFile ? open_duplicate(1, "w") : NULL;
    if (!outputFile) return fail(CT_SYSTEM);
    atomic_store(&ct.isEnding, false);
    atomic_store(&ct.isTrapped, false);
    atomic_store(&ct.isRestored, false);
    hasWriteFailed = false;
    // Installed before newterm, so that ncurses installs no handlers.
    ct_signals_begin();
    screen = newterm((char *)description, outputFile, inputFile);
    if (!screen) {
        ct_signals_end();
        return fail(CT_TERM_UNKNOWN);
    }
    set_term(screen);
    typeahead(-1);
    prepare_restore();
    isOpen = true;
    // From here on ct_close has to restore the terminal: newterm has changed its modes and entered the alternate
    // screen.
    atomic_store(&ct.isOurs, true);
    if (options->capturesOutput && (ct.failure = ct_capture_begin(options->captureLimit)) != 0) {
        ct_close();
        return CT_SYSTEM;
    }
    static bool isRegistered;
    if (!isRegistered) atexit(ct_close);
    isRegistered = true;
    enter();
    // A process that began in the background was stopped in `enter` until it had the terminal.
    atomic_store(&ct.isContinued, false);
    return CT_OK;
}

static void leave(void) {
    if (!atomic_load(&ct.isOurs)) return;
    // After a stop without notice the present modes may be a shell's, and endwin must then restore the shell's modes.
    bool isBackground = ct_is_background();
    sigset_t before = ct_mask_ttou(SIG_BLOCK);
    if (isBackground) def_shell_mode();
    // Discard unsent output, because endwin would wait for a stalled terminal.
    if (hasWriteFailed) tcflush(ct.output, TCOFLUSH);
    if (hasPaste) ct_write_all(ct.output, pasteOff, sizeof pasteOff - 1, 500);
    if (hasMouse) ct_write_all(ct.output, mouseOff, sizeof mouseOff - 1, 500);
    const char *plain = ct_capability("sgr0");
    if (plain) {
        char bytes[64];
        ct_write_all(ct.output, bytes, ct_append(bytes, sizeof bytes, 0, plain), 500);
    }
    endwin();
    if (!isBackground) tcsetattr(ct.output, TCSANOW, &ct.shell);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    atomic_store(&ct.isOurs, false);
}

void ct_close(void) {
    if (!isOpen) return;
    isOpen = false;
    leave();
    ct_capture_end(false);
    ct_signals_end();
    delscreen(screen);
    screen = NULL;
    close_files();
}

void ct_size(int *columnCount, int *rowCount) {
    struct winsize size = {0};
    ioctl(ct.output >= 0 ? ct.output : 1, TIOCGWINSZ, &size);
    *columnCount = size.ws_col > 0 ? size.ws_col : 80;
    *rowCount = size.ws_row > 0 ? size.ws_row : 24;
}

void ct_set_size(int columnCount, int rowCount) {
    if (isOpen && columnCount > 0 && rowCount > 0) resizeterm(rowCount, columnCount);
}

int ct_write(const char *bytes, size_t count) {
    if (!isOpen || atomic_load(&ct.isTrapped)) return CT_GONE;
    // Do not paint while another process has the terminal; everything is painted when this process has it back.
    if (!atomic_load(&ct.isOurs) || atomic_load(&ct.isContinued)) return CT_OK;
    if (ct_write_all(ct.output, bytes, count, -1)) return CT_OK;
    ct.failure = errno;
    hasWriteFailed = true;
    return CT_GONE;
}

int ct_resume(void) {
    if (!isOpen) return CT_GONE;
    atomic_store(&ct.isContinued, false);
    // Another process may have had the terminal while this one was stopped without notice.
    leave();
    // A process that is about to end needs no terminal.
    if (!ct_await_foreground()) return atomic_load(&ct.isEnding) ? CT_OK : CT_GONE;
    // After endwin, wrefresh enters the screen and the modes again.
    clearok(stdscr, TRUE);
    if (wrefresh(stdscr) != OK) return CT_GONE;
    enter();
    return CT_OK;
}

int ct_suspend(void) {
    if (!isOpen) return CT_GONE;
    leave();
    ct_stop_self();
    return ct_resume();
}
