import ChainEvents

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension Promise {
    /// Makes a promise and, as long as it is rejected, another one, `attempts` in all; settled as the last of them is.
    ///
    ///     let page = Promise.retry(5, backoff: .exponential(from: .milliseconds(100))) {
    ///         fetch(url).timeout(.seconds(2))
    ///     } onlyIf: { error in
    ///         error is Busy || error is PromiseTimedOut
    ///     }
    ///
    /// A cancelled attempt is the last one, whatever `onlyIf` would say; a throw of `onlyIf` is what it is rejected
    /// with. Errors of earlier attempts count as handled. Cancelling it cancels the wait or the attempt under way and
    /// what the body returned, up to the source of that work, unless it has another consumer (<doc:TheRules>, X2).
    ///
    /// Each attempt is a node of its own under this one, and so is each wait between two. Any number of attempts takes
    /// neither stack nor memory, since one that has ended is released; an attempt costs one hop to the executor, two
    /// after a wait.
    ///
    /// - Parameters:
    ///   - attempts: at least 1, the first one included.
    ///   - backoff: how long to wait after each failed attempt, by the runtime's clock.
    ///   - executor: runs the closures, one at a time.
    ///   - body: makes the promise of one attempt; a throw is a failed attempt.
    ///   - isWorthAnother: tells of an error whether there is to be another attempt; not asked after the last one. Without
    ///     it, every error is.
    public static func retry<Next: Thenable>(
        _ attempts: Int, backoff: Backoff = .none, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Next,
        onlyIf isWorthAnother: (@Sendable (any Error) throws -> Bool)? = nil
    ) -> Promise<Value> where Next.Value == Value {
        precondition(attempts >= 1, "there is at least 1 attempt, not \(attempts)")
        return RoundsNode(
            .retry(attempts: attempts, backoff, onlyIf: isWorthAnother), label: label, on: executor,
            site: CallSite(file, line)
        ) { try body().asPromise() }
    }
}

/// How long `retry` waits before it tries again.
public struct Backoff: Sendable {
    private let wait: @Sendable (Int) -> Duration

    /// Waits as long as `wait` says, which is called on the operation's executor with the number of attempts that have
    /// failed so far, from 1. Not below 0. For a wait with a random part:
    ///
    ///     let base = Backoff.exponential(from: .milliseconds(100))
    ///     let jittered = Backoff { base.wait(afterFailures: $0) * Double.random(in: 0.5...1) }
    public init(_ wait: @escaping @Sendable (_ failureCount: Int) -> Duration) { self.wait = wait }

    /// Tries again at once.
    public static let none = Backoff { _ in .zero }

    /// Waits equally long each time; none below 0.
    public static func constant(_ duration: Duration) -> Backoff { Backoff { _ in duration } }

    /// Waits `first` after the first failure, then each time `factor` times as long as before, up to `limit`.
    ///
    /// - Parameters:
    ///   - first: not below 0.
    ///   - factor: at least 1.
    ///   - limit: not below `first`.
    public static func exponential(
        from first: Duration, factor: Double = 2, upTo limit: Duration = .seconds(60)
    ) -> Backoff {
        precondition(first >= .zero, "a wait is not below 0, as \(first) is")
        precondition(factor >= 1, "waits do not become shorter: the factor is at least 1, not \(factor)")
        precondition(limit >= first, "the limit, \(limit), is not below the first wait, \(first)")
        return Backoff { failureCount in
            guard first > .zero else { return .zero }
            let scale = pow(factor, Double(failureCount - 1))
            return scale >= limit / first ? limit : first * scale
        }
    }

    /// How long to wait once so many attempts have failed; 0 or more. O(1).
    ///
    /// - Parameter failureCount: at least 1.
    public func wait(afterFailures failureCount: Int) -> Duration {
        precondition(failureCount >= 1, "nothing is waited for before a failure")
        return max(.zero, wait(failureCount))
    }
}
