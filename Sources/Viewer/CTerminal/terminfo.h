// SPDX-License-Identifier: MIT

// Capabilities of the terminal, and the character type.
#pragma once

#include <stddef.h>

// Sets the character type of the locale from the environment; that of a UTF-8 locale that is not installed, too.
void ct_set_character_type(void);

// Appends a capability without its padding; returns the new count.
size_t ct_append(char *into, size_t capacity, size_t count, const char *text);
