// SPDX-License-Identifier: MIT

// The list of threads, for chain_threads_running; not for other targets.
#pragma once

#include "CChainRuntime.h"

/// Adds the calling thread to the list until it ends; leaves it out where the system has no thread key or memory left.
void chain_threads_insert(chain_thread *thread);

/// Empties the list in a child of a fork, which has only the forking thread. Takes no lock.
void chain_threads_clear_in_child(void);
