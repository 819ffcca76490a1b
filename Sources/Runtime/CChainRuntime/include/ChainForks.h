// SPDX-License-Identifier: MIT

// What happens at a fork: a child keeps no descriptor of this package, and its only thread has another thread id and no
// ring.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns a number that is 0 at first, and in a child of a fork is one more than in its parent. In a child the forking
/// thread has no ring and a new thread id; the parent's other threads do not exist.
uint64_t chain_fork_generation(void);

/// Blocks forks, and other callers of this function, until chain_fork_allow. Not nested; the code in between must not
/// fork.
void chain_fork_hold(void);

/// Lets forks, and other callers of chain_fork_hold, go on. Called on the thread that called chain_fork_hold.
void chain_fork_allow(void);

/// The modules that take part in a fork, in the order in which their locks are taken.
typedef enum chain_fork_module { CHAIN_FORK_PROMISES, CHAIN_FORK_TASKS, CHAIN_FORK_MODULES } chain_fork_module;

/// A module's handlers, called on the forking thread. While they run, chain_fork_hold waits, and no descriptor of this
/// package is opened or closed. The functions may take locks that are leaves in the order of locks, and must not fork.
typedef struct chain_fork_handlers {
    void (*before_fork)(void);    ///< Called in the order of modules.
    void (*in_parent)(void);      ///< Called after the fork, in the opposite order.
    void (*in_child)(void);       ///< Called in the opposite order, on the child's only thread.
} chain_fork_handlers;

/// Sets the handlers that are called at each later fork, in place of the module's earlier handlers; keeps the pointer.
void chain_fork_set_handlers(chain_fork_module module, const chain_fork_handlers *handlers);

/// Closes a descriptor that a function of ChainSockets.h, ChainListeners.h or ChainFiles.h returned; does nothing for
/// other descriptors.
void chain_close(int descriptor);

/// Returns how many of those descriptors are open.
int chain_open_count(void);

// MARK: For the files of this target

/// Registers the set of fork handlers, once. Called before each use of state that the handlers lock for a fork or reset
/// in the child.
void chain_forks_watch(void);

/// Locks the list of open descriptors, so that no fork happens between opening a descriptor and adding it to the list.
void chain_descriptors_begin(void);

/// Adds a descriptor to the list and unlocks the list. Returns the descriptor, or the negative error number if it could
/// not be opened (`errno`) or the list is full.
int chain_descriptors_finish(int descriptor);

/// Adds both descriptors of a pair to the list, unless `failure` is set, and unlocks the list. Returns 0, or the
/// negative error number.
int chain_descriptors_finish_pair(int failure, const int made[2], int ends[2]);

#ifdef __cplusplus
}
#endif
