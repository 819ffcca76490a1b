// The C shim's part about a signal that the program gives up to us.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What chain_signal_wait gives at the end.
#define CHAIN_SIGNAL_ENDED (-1)

/// From now on that signal does nothing but wake chain_signal_wait; what it did before is kept. 0, or an error number:
/// EBUSY where it is watched already, EINVAL for one that is none or that cannot be handled. Opens two descriptors.
int chain_signal_watch(int number);

/// Waits for the signal. 0, or CHAIN_SIGNAL_ENDED after chain_signal_end. For one thread a signal.
int chain_signal_wait(int number);

/// Has the signal do again what it did before it was watched, unless somebody else has set a handler since, and ends
/// chain_signal_wait. In a child of the process that watched it, where nobody waits, it also does the following.
void chain_signal_end(int number);

/// Closes the descriptors; once chain_signal_wait has ended.
void chain_signal_close(int number);

#ifdef __cplusplus
}
#endif
