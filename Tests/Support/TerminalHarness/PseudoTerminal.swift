import CVirtualTerminal
import TestWaits

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A program on a pseudo-terminal. Its output is read inside the calls that wait, never on another thread.
///
/// Each wait has a time limit, in which a stall of the test itself does not count. A wait for the screen ends on a whole
/// frame: not while the program works or has written bytes that were not read (see ``ProcessRest``), unless the
/// condition has held for half a second. Conditions are also evaluated on frames that are not whole.
///
/// For use from one thread. A program that still runs is killed on release.
public final class PseudoTerminal {
    /// The end of a program.
    public enum ExitStatus: Hashable, Sendable {
        /// The program exited with this code.
        case exited(Int32)
        /// This signal killed the program.
        case signalled(Int32)
    }

    /// The picture of the program's output.
    public let screen: VirtualScreen
    /// The program's process id.
    public private(set) var processID: pid_t = 0
    /// All bytes that the program has written.
    public private(set) var received: [UInt8] = []
    /// The end of the program, once seen.
    public private(set) var exitStatus: ExitStatus?
    /// Whether a signal has stopped the program, as of the last report read.
    public private(set) var isStopped = false

    private var isReading = true
    private var master: Int32 = -1
    /// The pipe of reports about the program's start, stops and end.
    private var reports: Int32 = -1
    /// The process of the tiny shell that leads the program's session.
    private var leader: Int32 = 0

    /// Starts a program with exactly these environment variables (see ``standardEnvironment``).
    public init(
        _ program: String, _ arguments: [String] = [], columns: Int = 80, rows: Int = 24,
        environment: [String: String] = standardEnvironment, directory: String? = nil
    ) throws {
        screen = VirtualScreen(columns: columns, rows: rows)
        let code = withCStrings([program] + arguments) { arguments in
            withCStrings(environment.map { "\($0)=\($1)" }.sorted()) { environment in
                cvt_spawn(
                    program, arguments, environment, directory, Int32(rows), Int32(columns), &master, &reports, &leader)
            }
        }
        guard code == 0 else {
            throw HarnessError(description: "cannot start \(program): \(String(cString: strerror(code)))")
        }
        try wait("the start of \(program)", waitLimit) { self.processID != 0 }
    }

    deinit {
        if exitStatus == nil, processID > 0 { kill(processID, SIGKILL) }
        if master >= 0 { close(master) }
        if reports >= 0 { close(reports) }
        kill(leader, SIGKILL)
        waitpid(leader, nil, 0)
    }

    /// `TERM=xterm-256color`, a UTF-8 locale, this process's `PATH` and `HOME`, and no questions from Swift's backtracer.
    public static var standardEnvironment: [String: String] {
        var environment = [
            "TERM": "xterm-256color", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
            // Users' settings must not affect tests.
            "XDG_CONFIG_HOME": "/dev/null/config", "XDG_STATE_HOME": "/dev/null/state",
        ]
        for name in ["PATH", "HOME"] { environment[name] = getenv(name).map { String(cString: $0) } }
        return environment
    }

    // MARK: Waiting

    /// Reads output until the screen satisfies a condition: at a moment at which the frame is whole, or for half a
    /// second, because a program that waits for a processor all the time never rests. Throws with the screen's text
    /// when time is up or the program has ended.
    ///
    /// - Parameter isBrief: whether what is waited for may be on the screen for a short time only, as a message is. Then
    ///   it is enough that the condition held after any of the program's writes since the last wait.
    public func waitUntil(
        _ what: String = "the screen", isBrief: Bool = false, timeout: Duration = waitLimit,
        _ condition: (VirtualScreen) -> Bool
    ) throws {
        var satisfied: WaitTimer?
        var wasSatisfied = false
        try wait(
            what, timeout, endsWithProgram: true,
            afterReading: {
                if isBrief, !wasSatisfied { wasSatisfied = condition(self.screen) }
            }
        ) {
            guard wasSatisfied || condition(self.screen) else {
                satisfied = nil
                return false
            }
            if self.isSettled { return true }
            satisfied = satisfied ?? WaitTimer()
            return satisfied!.count() >= .milliseconds(500) && (wasSatisfied || condition(self.screen))
        }
    }

    /// Reads until the program has ended and all its output was read. If `reading` is false, output is read only after
    /// the program's end, as on a stalled terminal.
    @discardableResult
    public func waitForExit(timeout: Duration = waitLimit, reading: Bool = true) throws -> ExitStatus {
        isReading = reading
        defer { isReading = true }
        try wait("the exit", timeout) { self.exitStatus != nil }
        isReading = true
        while pump(.zero) {}
        guard let exitStatus else { throw HarnessError(description: "no exit status") }
        return exitStatus
    }

    /// Reads until a signal has stopped the program.
    public func waitForStop(timeout: Duration = waitLimit) throws {
        try wait("being stopped", timeout) { self.isStopped || self.exitStatus != nil }
        if exitStatus != nil { throw HarnessError(description: "ended instead of stopping\n" + screen.text) }
    }

    /// Reads until the program has waited for the duration `silence`, and has written nothing meanwhile. A program that
    /// waits for a processor is not quiet.
    public func waitUntilQuiet(_ silence: Duration = .milliseconds(100), timeout: Duration = waitLimit) throws {
        let clock = ContinuousClock()
        var last = clock.now
        try wait("silence", timeout) {
            let count = self.received.count
            while self.pump(.milliseconds(5)), self.received.count == count {}
            let isAtRest = self.exitStatus != nil || ProcessRest(of: self.processID) != .atWork
            if self.received.count != count || !isAtRest { last = clock.now }
            return clock.now - last >= silence
        }
    }

    /// Waits, without reading, until the program blocks on its full terminal. Returns whether that happened in time.
    public func waitUntilStalled(timeout: Duration = waitLimit) -> Bool {
        #if canImport(Darwin)
            // There FIONREAD on the master counts the program's input.
            let request = TIOCOUTQ
        #else
            let request = UInt(FIONREAD)
        #endif
        var timer = WaitTimer(limit: timeout)
        var (count, steady): (Int32, Int) = (0, 0)
        while !timer.isOver(), steady < 20 {
            var now: Int32 = 0
            _ = ioctl(master, request, &now)
            steady = now == count && now > 0 && ProcessRest(of: processID) != .atWork ? steady + 1 : 0
            count = now
            poll(nil, 0, 10)
        }
        return steady == 20
    }

    private func wait(
        _ what: String, _ timeout: Duration, endsWithProgram: Bool = false, afterReading: () -> Void = {},
        _ condition: () -> Bool
    ) throws {
        var timer = WaitTimer(limit: timeout)
        while true {
            while pump(.zero) { afterReading() }
            if condition() { return }
            guard !timer.isOver(), !(endsWithProgram && exitStatus != nil) else {
                throw HarnessError(
                    description: "waited \(timeout) for \(what) in vain (\(state)); the screen:\n\(screen.text)")
            }
            if pump(.milliseconds(20)) { afterReading() }
        }
    }

    /// Whether the program waits and all its output was read, so that the screen shows a whole frame. If the program
    /// cannot be observed or has ended, only the output counts.
    private var isSettled: Bool {
        let isAtRest = exitStatus != nil || ProcessRest(of: processID) != .atWork
        return isAtRest && !pump(.zero)
    }

    private var state: String {
        if let exitStatus { return "\(exitStatus)" }
        return isStopped ? "stopped" : "running"
    }

    /// Waits for up to `duration`, reads once, and returns whether there was output or a report.
    private func pump(_ duration: Duration) -> Bool {
        var fds = [
            pollfd(fd: isReading ? master : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: reports, events: Int16(POLLIN), revents: 0),
        ]
        let milliseconds = Int32(clamping: Int64(duration / .milliseconds(1)))
        guard poll(&fds, 2, milliseconds) > 0 else { return false }
        var didRead = false
        if fds[0].revents != 0 {
            var bytes = [UInt8](repeating: 0, count: 65536)
            let count = read(master, &bytes, bytes.count)
            if count > 0 {
                received += bytes.prefix(count)
                screen.feed(Array(bytes.prefix(count)))
                let answer = screen.takeAnswer()
                if !answer.isEmpty { send(bytes: answer) }
                didRead = true
            }
        }
        if fds[1].revents != 0 {
            var report = cvt_report()
            if read(reports, &report, MemoryLayout<cvt_report>.size) == MemoryLayout<cvt_report>.size {
                take(report)
                didRead = true
            }
        }
        return didRead
    }

    private func take(_ report: cvt_report) {
        switch Int(report.what) {
        case CVT_STARTED: processID = report.value
        case CVT_STOPPED: isStopped = true
        case CVT_CONTINUED: isStopped = false
        case CVT_EXITED: exitStatus = .exited(report.value)
        case CVT_KILLED: exitStatus = .signalled(report.value)
        default: exitStatus = .exited(127)
        }
    }

    // MARK: Acting

    /// Types text.
    public func send(_ text: String) { send(bytes: Array(text.utf8)) }

    /// Types bytes.
    public func send(bytes: [UInt8]) {
        var rest = bytes[...]
        for _ in 0..<1000 where !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else { _ = pump(.milliseconds(5)) }
        }
    }

    /// Types text as far as the terminal accepts it at once, without reading, so that the program's output piles up.
    public func typeUnread(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
    }

    /// Presses a key that has no character.
    public func press(_ key: TerminalKey) { send(key.bytes) }

    /// Changes the window's size, which sends SIGWINCH.
    public func resize(columns: Int, rows: Int) {
        screen.resize(columns: columns, rows: rows)
        cvt_set_size(master, Int32(rows), Int32(columns))
    }

    /// Sends the program a signal.
    public func signal(_ number: Int32) { kill(processID, number) }

    /// Continues a stopped program in the foreground, as `fg` does.
    public func goOn() throws { try goOn(isInForeground: true) }

    /// Continues a stopped program in the background, as `bg` does: the shell has the terminal.
    public func goOnInBackground() throws { try goOn(isInForeground: false) }

    private func goOn(isInForeground: Bool) throws {
        let foreground = isInForeground ? processID : leader
        kill(leader, Int32(isInForeground ? CVT_TO_PROGRAM : CVT_TO_LEADER))
        try wait("group \(foreground) in the foreground", waitLimit) { tcgetpgrp(self.master) == foreground }
        // Discard earlier reports, because the wait is for the next one.
        while pump(.zero) {}
        isStopped = false
        kill(-processID, SIGCONT)
    }

    /// Closes the window: the program's reads and writes fail, and it gets SIGHUP.
    public func hangUp() {
        close(master)
        master = -1
    }

    /// The terminal's modes now. Two of them are equal if nothing was changed.
    public var modes: TerminalModes {
        var modes = termios()
        tcgetattr(master, &modes)
        return TerminalModes(modes)
    }
}

// SPDX-License-Identifier: MIT
