// SPDX-License-Identifier: MIT

#include "state.h"

ct_terminal ct = {.input = -1, .output = -1, .wake = {-1, -1}};
