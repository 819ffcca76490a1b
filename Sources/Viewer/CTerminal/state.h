// SPDX-License-Identifier: MIT

// What the files of this target share.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

typedef struct {
    int input, output;              // the terminal; writing to `output` does not block where that is possible
    struct termios shell;           // the terminal's modes before the screen was opened
    char restore[512];              // the bytes that restore the terminal's screen, ready for a handler
    size_t restoreCount;
    bool isDirect;                  // the description takes colours as red, green and blue
    int colorCount;                 // the number of colours in use
    int failure;                    // the errno of the last failure
    int wake[2];                    // the wake pipe, which carries signals' numbers; 0 for ct_wake
    atomic_bool isOurs;             // the screen shows frames of this process
    atomic_bool isEnding;           // a signal asked the process to end
    atomic_bool isContinued;        // the process was continued, and has not tested yet whether it has the terminal
    atomic_bool isTrapped;          // a fatal signal is restoring the terminal; ct_write writes nothing any more
    atomic_bool isRestored;         // the terminal was restored after a fatal signal
} ct_terminal;

extern ct_terminal ct;
