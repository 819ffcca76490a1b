// What the files of this target share about forks; not for other targets.
#pragma once

/// Registers the one set of fork handlers, once. Called before anything that a fork must not find half done.
void chain_forks_watch(void);

/// The sockets' part of the fork handlers: locks the list of descriptors, unlocks it again, or, in the child, closes all
/// that is in it and unlocks it.
void chain_sockets_before_fork(void);
void chain_sockets_after_fork(void);
void chain_sockets_in_child(void);
