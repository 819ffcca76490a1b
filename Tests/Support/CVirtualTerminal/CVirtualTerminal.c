#include "CVirtualTerminal.h"

#include <stdlib.h>
#include <string.h>
#include <vterm.h>

struct cvt_screen {
    VTerm *terminal;
    VTermScreen *screen;
    cvt_state state;
    int rows, columns;
};

static int on_property(VTermProp property, VTermValue *value, void *user) {
    cvt_screen *screen = user;
    switch (property) {
        case VTERM_PROP_CURSORVISIBLE: screen->state.isVisible = value->boolean; break;
        case VTERM_PROP_ALTSCREEN: screen->state.isAlternate = value->boolean; break;
        case VTERM_PROP_MOUSE: screen->state.mouse = value->number; break;
        default: break;
    }
    return 1;
}

static const VTermScreenCallbacks callbacks = {.settermprop = on_property};

cvt_screen *cvt_new(int rows, int columns) {
    cvt_screen *screen = calloc(1, sizeof *screen);
    screen->rows = rows;
    screen->columns = columns;
    screen->terminal = vterm_new(rows, columns);
    vterm_set_utf8(screen->terminal, 1);
    screen->screen = vterm_obtain_screen(screen->terminal);
    vterm_screen_set_callbacks(screen->screen, &callbacks, screen);
    vterm_screen_enable_altscreen(screen->screen, 1);
    vterm_screen_reset(screen->screen, 1);
    screen->state.isVisible = true;
    return screen;
}

void cvt_free(cvt_screen *screen) {
    vterm_free(screen->terminal);
    free(screen);
}

void cvt_resize(cvt_screen *screen, int rows, int columns) {
    screen->rows = rows;
    screen->columns = columns;
    vterm_set_size(screen->terminal, rows, columns);
}

void cvt_feed(cvt_screen *screen, const char *bytes, size_t count) {
    vterm_input_write(screen->terminal, bytes, count);
    vterm_screen_flush_damage(screen->screen);
}

static int color_of(const VTermColor *color) {
    if (VTERM_COLOR_IS_DEFAULT_FG(color) || VTERM_COLOR_IS_DEFAULT_BG(color)) return -1;
    if (VTERM_COLOR_IS_INDEXED(color)) return color->indexed.idx;
    return 0x1000000 + (color->rgb.red << 16) + (color->rgb.green << 8) + color->rgb.blue;
}

void cvt_get_cell(const cvt_screen *screen, int row, int column, cvt_cell *into) {
    memset(into, 0, sizeof *into);
    if (row < 0 || row >= screen->rows || column < 0 || column >= screen->columns) return;
    VTermScreenCell cell;
    if (!vterm_screen_get_cell(screen->screen, (VTermPos){row, column}, &cell)) return;
    into->isSecondHalf = cell.chars[0] == (uint32_t)-1;
    for (int at = 0; at < 6 && cell.chars[at] && !into->isSecondHalf; at++) into->scalars[at] = cell.chars[at];
    into->width = cell.width;
    into->foreground = color_of(&cell.fg);
    into->background = color_of(&cell.bg);
    into->isBold = cell.attrs.bold;
    into->isUnderlined = cell.attrs.underline;
    into->isItalic = cell.attrs.italic;
    into->isReversed = cell.attrs.reverse;
}

cvt_state cvt_get_state(const cvt_screen *screen) {
    cvt_state state = screen->state;
    VTermPos position;
    vterm_state_get_cursorpos(vterm_obtain_state(screen->terminal), &position);
    state.row = position.row;
    state.column = position.col;
    return state;
}

size_t cvt_take_answer(cvt_screen *screen, char *into, size_t capacity) {
    return vterm_output_read(screen->terminal, into, capacity);
}

// SPDX-License-Identifier: MIT
