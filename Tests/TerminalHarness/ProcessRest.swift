#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Whether a process's first thread, which paints, is waiting.
///
/// A frame is written in several pieces, and a reader may be scheduled between two of them; then the thread is still
/// working.
enum ProcessRest {
    case atWork, atRest
    /// The system does not say.
    case unknown

    init(of process: pid_t) {
        self = .unknown
        #if os(Linux)
            // As open files are: no stream may buffer what changes.
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

/// Counts time in which this process ran. Where it was stalled between two readings, other processes were, too.
struct Stopwatch {
    private var counted = Duration.zero
    private var last = ContinuousClock.now
    private static let most = Duration.milliseconds(100)

    /// The time counted until now. Call it often.
    mutating func count() -> Duration {
        let now = ContinuousClock.now
        counted += min(now - last, Self.most)
        last = now
        return counted
    }
}
