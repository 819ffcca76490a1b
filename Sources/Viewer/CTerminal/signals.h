// SPDX-License-Identifier: MIT

// The signals of a screen.
#pragma once

// Installs the handlers of a screen.
void ct_signals_begin(void);
// Restores the program's handlers.
void ct_signals_end(void);
