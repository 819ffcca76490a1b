// SPDX-License-Identifier: MIT

import Foundation

/// A relay, which passes the signals that chainview receives on to the program that chainview waits for.
enum SignalRelay {
    /// Starts a thread that sends each signal of ``Signals/passedOn`` to the program. SIGTSTP also stops chainview
    /// itself.
    static func start(to child: ChildProgram) {
        // The signals are blocked in all threads (see ``Signals/startThread(_:_:)``), so that only `sigwait` gets them.
        var set = sigset_t()
        sigemptyset(&set)
        for signal in Signals.passedOn { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        let waited = set
        Signals.startThread("chainview.signals") {
            var set = waited
            while true {
                var signal: Int32 = 0
                guard sigwait(&set, &signal) == 0 else { continue }
                child.send(signal)
                guard signal == SIGTSTP else { continue }
                // ^Z stops both processes. The shell's SIGCONT wakes chainview, which then wakes the program here.
                // `sigwait` may never return that SIGCONT: the screen may be closing, and when it restores the default
                // action of SIGCONT, a pending SIGCONT is discarded (POSIX, XSH 2.4.3).
                raise(SIGSTOP)
                child.send(SIGCONT)
            }
        }
    }
}
