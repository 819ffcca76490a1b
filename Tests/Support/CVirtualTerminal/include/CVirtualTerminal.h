// A terminal for tests: libvterm as the picture, and a program on a pseudo-terminal under a tiny shell.
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

typedef struct cvt_screen cvt_screen;

typedef struct {
    uint32_t scalars[6];   // ended by 0 if fewer
    int width;             // 2 for a wide character; its second half has no scalars and width 1
    int foreground;        // -1 the terminal's own, 0 to 255, or 0x1000000 + RGB
    int background;
    bool isBold, isUnderlined, isItalic, isReversed;
    bool isSecondHalf;     // of a wide character
} cvt_cell;

typedef struct {
    int row, column;
    bool isVisible, isAlternate;
    int mouse;             // 0 none, 1 clicks, 2 drags, 3 all moves
} cvt_state;

cvt_screen *cvt_new(int rows, int columns);
void cvt_free(cvt_screen *screen);
void cvt_resize(cvt_screen *screen, int rows, int columns);
void cvt_feed(cvt_screen *screen, const char *bytes, size_t count);
void cvt_get_cell(const cvt_screen *screen, int row, int column, cvt_cell *into);
cvt_state cvt_get_state(const cvt_screen *screen);
// What the terminal answers to queries: bytes that a program would read.
size_t cvt_take_answer(cvt_screen *screen, char *into, size_t capacity);

// What became of a program.
enum { CVT_STARTED = 1, CVT_STOPPED, CVT_CONTINUED, CVT_EXITED, CVT_KILLED, CVT_FAILED };
typedef struct {
    int32_t what;
    int32_t value;         // pid, signal, exit code, signal, errno
} cvt_report;

// Starts a program as the foreground job of a session of its own. Its reports are read from `reports`.
//
//     us ── pty ── leader (a shell of the smallest kind: waits, reports, hands a hang-up on) ── program, its own group
//
// So SIGTSTP stops it as in a real shell: in an orphaned group the kernel would drop that. Signal mask and
// dispositions are reset. Returns 0 or errno.
int cvt_spawn(
    const char *path, char *const arguments[], char *const environment[], const char *directory, int rows, int columns,
    int *master, int *reports, int *leader);
// Sent to the leader: the program's group is in the foreground from now on, or in the background.
enum { CVT_TO_PROGRAM = SIGUSR1, CVT_TO_LEADER = SIGUSR2 };
void cvt_set_size(int master, int rows, int columns);

// SPDX-License-Identifier: MIT
