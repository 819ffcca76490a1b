// SPDX-License-Identifier: MIT

/// How long a command that sends spans may wait for its collector.
final class SendLimit {
    private let clock: () -> ContinuousClock.Instant
    private let isInterrupted: () -> Bool
    /// When the command sends no more; nil while that is open.
    private var end: ContinuousClock.Instant?
    private var sawInterrupt = false
    /// When the present request is given up.
    private var requestEnd: ContinuousClock.Instant

    /// How long one request is repeated.
    private static let ofRequest = Duration.seconds(60)
    /// How long the rest is sent for after a signal.
    private static let afterSignal = Duration.seconds(1)
    /// How long the rest is sent for once the program has ended, or the time of the command is over.
    static let ofRest = Duration.seconds(10)

    init(
        isInterrupted: @escaping () -> Bool = { false }, clock: @escaping () -> ContinuousClock.Instant = { .now }
    ) {
        (self.isInterrupted, self.clock) = (isInterrupted, clock)
        requestEnd = clock() + Self.ofRequest
    }

    /// Sends nothing more after `duration` from now.
    func end(within duration: Duration) {
        let other = clock() + duration
        end = min(end ?? other, other)
    }

    /// Gives the next request its time.
    func beginRequest() { requestEnd = clock() + Self.ofRequest }

    /// When the present request is given up, whatever it waits for. A signal may change that at any time.
    var deadline: ContinuousClock.Instant {
        if !sawInterrupt, isInterrupted() {
            sawInterrupt = true
            end(within: Self.afterSignal)
        }
        return min(end ?? requestEnd, requestEnd)
    }

    /// Whether the command sends no more.
    var isOver: Bool {
        _ = deadline
        return end.map { $0 <= clock() } ?? false
    }

    /// Calls `sleep` until `nanoseconds` have passed. Returns false, at once if possible, if the present request is
    /// given up before, or after a signal.
    func pause(_ nanoseconds: UInt64, sleep: (_ nanoseconds: UInt64) -> Void) -> Bool {
        let next = clock() + .nanoseconds(Int64(clamping: nanoseconds))
        while true {
            guard next < deadline, !sawInterrupt else { return false }
            let rest = (next - clock()).clampedNanoseconds
            guard rest > 0 else { return true }
            sleep(min(rest, 100_000_000))
        }
    }
}
