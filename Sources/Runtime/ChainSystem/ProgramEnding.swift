// SPDX-License-Identifier: MIT

/// The way in which a program that this process started has ended.
package enum ProgramEnding: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    /// The system does not tell: other code has waited for the child already, or this process ignored SIGCHLD when the
    /// child ended.
    case unknown

    /// Waits for a child to end.
    package static func wait(for pid: Int32) -> ProgramEnding {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) != pid {
            guard errno == EINTR else { return .unknown }
        }
        return ProgramEnding(status: status)
    }

    /// Returns how a child has ended; nil while the child runs.
    package static func ofEnded(_ pid: Int32) -> ProgramEnding? {
        var status: Int32 = 0
        return switch waitpid(pid, &status, WNOHANG) {
        case 0: nil
        case pid: ProgramEnding(status: status)
        default: .unknown
        }
    }

    private init(status: Int32) {
        let signal = status & 0x7F
        self = signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }
}
