import Foundation

/// Passes signals that chainview receives on to the program that it waits for.
enum SignalRelay {
    /// Starts a thread that sends each of ``Signals/passedOn`` to the program; of these, SIGTSTP also stops chainview.
    static func start(to child: ChildProgram) {
        // Blocked in all threads (see ``Signals/startThread(_:_:)``), so that only `sigwait` gets them.
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
                // ^Z stops both; the shell's SIGCONT wakes chainview, which wakes the program here. `sigwait` may never
                // return that SIGCONT: a pending one is discarded when the screen, which is being closed meanwhile,
                // restores its default action (POSIX, XSH 2.4.3).
                raise(SIGSTOP)
                child.send(SIGCONT)
            }
        }
    }
}
