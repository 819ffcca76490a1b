import Foundation
import SeededNumbers
import TerminalHarness
import Testing

/// Signals and traps, which restore the terminal before they end the program.
extension ScreenTests {
    @Test(arguments: [SIGTERM, SIGHUP, SIGQUIT])
    func signalsThatEndTheProgramRestoreFirst(signal: Int32) throws {
        let (terminal, modes) = try shownProbe()
        terminal.signal(signal)
        #expect(try terminal.waitForExit() == .signalled(signal))
        expectRestored(terminal, modes)
    }

    #if os(Linux)
        /// All signals that end the process by default, including those of traps, and some realtime signals.
        private static let deadlySignals: [Int32] = [
            SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGUSR1, SIGSEGV, SIGUSR2, SIGALRM, SIGSTKFLT, SIGXCPU, SIGXFSZ,
            SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSYS, __libc_current_sigrtmin(), 50, __libc_current_sigrtmax(),
        ]

        @Test(arguments: deadlySignals)
        func everySignalThatEndsTheProgramRestoresFirst(signal: Int32) throws {
            let (terminal, modes) = try shownProbe()
            terminal.signal(signal)
            #expect(try terminal.waitForExit() == .signalled(signal))
            expectRestored(terminal, modes)
        }
    #endif

    @Test func aTimerOfTheProgramsOwnRestoresFirst() throws {
        let (terminal, modes) = try shownProbe()
        terminal.send("A")
        #expect(try terminal.waitForExit() == .signalled(SIGALRM))
        expectRestored(terminal, modes)
    }

    @Test func aSignalThatTheProgramHandlesIsTheProgramsOwn() throws {
        let (terminal, modes) = try shownProbe("--handles-usr1")
        terminal.signal(SIGUSR1)
        terminal.send("w")
        try terminal.waitUntil("the screen going on") { $0.contains("woken") }
        terminal.send("q")
        #expect(try terminal.waitForExit() == .exited(0))
        expectRestored(terminal, modes)
        #expect(terminal.screen.text.contains("the program's own"))
    }

    @Test func anInterruptFromOutsideIsAnEvent() throws {
        let (terminal, _) = try shownProbe()
        terminal.signal(SIGINT)
        try terminal.waitUntil("the event") { $0.contains("interrupted") }
        terminal.send("w")
        try terminal.waitUntil("the wake") { $0.contains("woken") }
        terminal.send("q")
        #expect(try terminal.waitForExit() == .exited(0))
    }

    @Test(arguments: [
        ("t", [SIGILL, SIGTRAP], "probe trapped"), ("s", [SIGSEGV], ""), ("a", [SIGABRT], ""),
        ("o", [SIGSEGV, SIGBUS], ""),
        ("T", [SIGILL, SIGTRAP], "thread trapped"),
    ])
    func aTrapRestoresAndItsMessageCanBeRead(key: String, signals: [Int32], message: String) throws {
        let (terminal, modes) = try shownProbe()
        terminal.send("p")
        try terminal.waitUntil("the key") { $0.contains("key p") }
        terminal.send(key)
        let status = try terminal.waitForExit()
        #expect(signals.contains { status == .signalled($0) }, "\(status)")
        expectRestored(terminal, modes)
        // Swift prints a stack after its message, so the message itself may have scrolled away.
        let text = String(decoding: terminal.received, as: UTF8.self)
        let after = try #require(text.components(separatedBy: "\u{1B}[?1049l").last)
        #expect(after.contains("printed to stdout\r\n") && after.contains("printed to stderr\r\n"))
        #expect(message.isEmpty || after.contains(message), "\(after)")
    }
}

// SPDX-License-Identifier: MIT
