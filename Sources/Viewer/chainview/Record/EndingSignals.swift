// SPDX-License-Identifier: MIT

import Foundation
import Synchronization

/// The signals that end a command in good order: SIGINT, SIGTERM, and SIGHUP unless it is ignored. A second signal ends
/// the command at once.
final class EndingSignals: Sendable {
    private struct State {
        var received: Int32?
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Blocks the signals on this thread and on the threads that it starts, and waits for the signals on another
    /// thread.
    init() {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in [SIGINT, SIGTERM] + (Signals.isHangupIgnored ? [] : [SIGHUP]) { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        let waited = set
        Signals.startThread("chainview.signals") { [self] in
            var set = waited
            while true {
                var signal: Int32 = 0
                guard sigwait(&set, &signal) == 0 else { continue }
                receive(signal)
            }
        }
    }

    /// The first signal that came; nil if no signal has come.
    var received: Int32? { state.withLock { $0.received } }

    /// Calls `body` on another thread when the first signal comes. If a signal has come already, calls `body` at once
    /// on this thread.
    func whenReceived(_ body: @escaping @Sendable () -> Void) {
        let isReceived = state.withLock { state in
            state.action = body
            return state.received != nil
        }
        if isReceived { body() }
    }

    private func receive(_ signal: Int32) {
        let (isFirst, action) = state.withLock { state in
            defer { state.received = state.received ?? signal }
            return (state.received == nil, state.action)
        }
        // A second signal ends the process, whatever the process waits for.
        if !isFirst { Signals.raiseAgain(signal) }
        action?()
    }
}
