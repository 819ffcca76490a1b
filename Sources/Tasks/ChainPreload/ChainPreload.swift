// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainInspector
import ChainTasks

/// Starts an inspector before `main` in the program that this library was preloaded into, if the environment variable
/// `CHAINVIEW` requests one.
@_cdecl("chain_preload_start")
public func startPreloaded() {
    guard Inspector.startIfRequested(tasks: true) != nil else { return }
    #if DEBUG
        chain_log(
            "chainview: libChainPreload.so is not optimised, so each task costs several times as much: build it with "
                + "-c release\n")
    #endif
}
