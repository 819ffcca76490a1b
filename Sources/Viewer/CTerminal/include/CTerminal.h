// SPDX-License-Identifier: MIT

// The one shim over ncursesw: an opaque interface, so that neither ncurses' macros nor cchar_t reach Swift.
//
// A process has one screen at most. ncurses owns the terminal's modes, the alternate screen, the keypad and terminfo.
// Painting writes terminfo's sequences directly: after a character that has other widths in other terminals the cursor
// must be positioned again, which ncurses' own painting cannot do.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Results. ct_errno has the cause of CT_SYSTEM and CT_GONE.
enum {
    CT_OK = 0,
    CT_NO_TERMINAL,   // standard output is no terminal, or neither standard input nor /dev/tty is one
    CT_TERM_UNSET,    // TERM is not set, or empty
    CT_TERM_UNKNOWN,  // terminfo has no entry for TERM, nor for the fallback
    CT_TERM_DUMB,     // the terminal cannot place the cursor
    CT_IN_USE,        // another screen of this process is open
    CT_SYSTEM,        // a system call failed
    CT_GONE,          // the terminal was closed, or takes no output while the process is to end
};

typedef struct {
    int colorLimit;        // at most so many colours: 0, 8, 16 or 256
    bool wantsMouse;
    bool capturesOutput;   // output to descriptors 1 and 2 is captured and shown after the close
    size_t captureLimit;   // bytes kept: a quarter for the first, the rest for the last; those between are counted
} ct_options;

// Takes over the terminal: modes, alternate screen, hidden cursor, signals, output. Returns one of the results above.
int ct_open(const ct_options *options);
// Restores everything and shows the captured output. Does nothing if no screen is open. Also run at exit.
void ct_close(void);
// Returns errno of the last CT_SYSTEM or CT_GONE.
int ct_errno(void);

// Returns the number of colours in use: 0, 8, 16 or 256.
int ct_colors(void);
// Gets the terminal's current size in cells; 80 and 24 if it is unknown.
void ct_size(int *columns, int *rows);
// Sets the size of ncurses' screen.
void ct_set_size(int columns, int rows);
// Returns whether writing the last cell of the last row scrolls the terminal.
bool ct_scrolls_at_end(void);

// Stores the bytes that move the cursor to a cell (rows and columns from 0) in `into`, which has room for `capacity`
// bytes. Returns how many bytes.
size_t ct_move_bytes(int row, int column, char *into, size_t capacity);
// Stores in the same way the bytes that reset attributes and clear the screen.
size_t ct_clear_bytes(char *into, size_t capacity);
// Stores in the same way the bytes that set colours and attributes. Colours are -1 for the terminal's own. Attributes:
// 1 bold, 2 dim, 4 underlined, 8 reversed, 32 italic.
size_t ct_look_bytes(int foreground, int background, int attributes, char *into, size_t capacity);
// Returns a terminfo string by name ("kcuu1"), or NULL. Valid while the screen is open.
const char *ct_capability(const char *name);

// Writes all bytes, or none while another process has the terminal. Returns CT_OK or CT_GONE.
int ct_write(const char *bytes, size_t count);

// The findings of ct_wait, one bit each.
enum { CT_INPUT = 1, CT_SIGNAL = 2, CT_HANGUP = 4 };
// Waits for input, a signal or a wake, at most `nanoseconds`; without limit if negative. Returns the findings, or 0.
int ct_wait(int64_t nanoseconds);
// Reads typed bytes that have arrived: returns their count, 0 if there are none, -1 if the terminal is gone.
long ct_read(char *into, size_t capacity);
// Takes the next signal or wake that has arrived: returns the signal's number, 0 for a wake, -1 if there is none.
int ct_next_signal(void);
// Makes ct_wait return. May be called from any thread, and from signal handlers.
void ct_wake(void);

// Restores the terminal, stops the process as ^Z does, and takes the terminal over again when the process continues.
int ct_suspend(void);
// Takes over the terminal's modes and screen after another process had it. If the process is in the background, it
// first stops until it has the terminal; if it is to end, nothing is taken over.
// Returns CT_OK or CT_GONE, as ct_suspend does.
int ct_resume(void);

// Returns whether the locale's characters are UTF-8, after setting the character type of the locale from the
// environment.
bool ct_locale_is_utf8(void);
