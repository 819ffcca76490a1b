// SPDX-License-Identifier: MIT

// The fork handling that the files of this target share; not for other targets.
#pragma once

/// Registers the set of fork handlers, once. Called before each use of state that the handlers lock for a fork or reset
/// in the child.
void chain_forks_watch(void);

/// Locks the list of open descriptors.
void chain_sockets_before_fork(void);

/// Unlocks the list in the parent.
void chain_sockets_after_fork(void);

/// Closes the listed descriptors in the child, and unlocks the list.
void chain_sockets_in_child(void);
