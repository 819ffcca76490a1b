// SPDX-License-Identifier: MIT

// Copies of live tasks.
#pragma once

/// Makes the lock of chain_tasks_changes anew, in a child of a fork.
void chain_sweep_lock_reset_in_child(void);
