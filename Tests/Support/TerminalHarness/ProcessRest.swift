#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Whether the first thread of a process, which paints, works or waits.
///
/// A frame is written in several pieces, and a reader may run between two of them: the frame is whole only when the
/// thread waits.
enum ProcessRest {
    case atWork, atRest
    /// The system has no `/proc`, or the process is gone.
    case unknown

    init(of process: pid_t) {
        self = .unknown
        #if os(Linux)
            // Without a stream, which would buffer content that changes.
            let file = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return }
            defer { close(file) }
            var bytes = [UInt8](repeating: 0, count: 512)
            let count = read(file, &bytes, bytes.count)
            // "4242 (name) S …"; the name may hold anything.
            guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")), end + 2 < count else { return }
            switch bytes[end + 2] {
            case UInt8(ascii: "R"), UInt8(ascii: "D"): self = .atWork
            default: self = .atRest
            }
        #endif
    }
}

// SPDX-License-Identifier: MIT
