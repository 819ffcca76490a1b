/// The way in which a program that this process started has ended.
package enum ProgramEnding: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)

    /// Waits for a child to end. The result is `.exited(0)` if other code has waited for that child already.
    package static func wait(for pid: Int32) -> ProgramEnding {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return ProgramEnding(status: status)
    }

    /// Returns how a child has ended, as ``wait(for:)`` does; nil while the child runs.
    package static func ofEnded(_ pid: Int32) -> ProgramEnding? {
        var status: Int32 = 0
        return waitpid(pid, &status, WNOHANG) == 0 ? nil : ProgramEnding(status: status)
    }

    private init(status: Int32) {
        let signal = status & 0x7F
        self = signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }
}
