// Fork handling between the files of this target; not for other targets.
#pragma once

/// Registers the set of fork handlers, once. Called before any state that a fork must not interrupt.
void chain_forks_watch(void);

/// The sockets' fork handlers: lock the list of descriptors; unlock it in the parent; close the descriptors and unlock
/// the list in the child.
void chain_sockets_before_fork(void);
void chain_sockets_after_fork(void);
void chain_sockets_in_child(void);
