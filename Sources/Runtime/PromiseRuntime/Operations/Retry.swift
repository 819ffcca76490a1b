// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem

extension Promise {
    /// Calls `body` to make a promise, and again after each rejection, at most `attempts` times in all. The returned
    /// promise settles as the last promise that `body` made.
    ///
    ///     let page = Promise.retry(5, backoff: .exponential(from: .milliseconds(100))) {
    ///         fetch(url).timeout(.seconds(2))
    ///     } onlyIf: { error in
    ///         error is Busy || error is PromiseTimeoutError
    ///     }
    ///
    /// A cancelled attempt is the last attempt, whatever `onlyIf` would return. A throw of `onlyIf` rejects the
    /// returned promise. Errors of earlier attempts count as handled. Cancelling the returned promise cancels the
    /// current wait or attempt, and the promise that the body returned, unless that promise has another consumer. The
    /// same rule applies to what that promise waits for (<doc:TheRules>, X2).
    ///
    /// Each attempt, and each wait between two attempts, is a node under the returned promise. Stack and memory do not
    /// grow with the number of attempts, because an attempt that has ended is released. Attempts whose promises are
    /// settled when `body` returns run in one job, 64 at most; any other attempt costs a hop to the executor, or two
    /// after a wait.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of attempts, including the first; at least 1.
    ///   - backoff: The wait after each failed attempt, by the runtime's clock.
    ///   - executor: Runs the closures, one at a time.
    ///   - body: Makes the promise of one attempt; a throw is a failed attempt.
    ///   - isWorthAnother: Returns whether an error leads to another attempt; not called after the last attempt. If it
    ///     is nil, every error leads to another attempt.
    public static func retry<Next: Thenable>(
        _ attempts: Int, backoff: RetryBackoff = .none, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Next,
        onlyIf isWorthAnother: (@Sendable (any Error) throws -> Bool)? = nil
    ) -> Promise<Value> where Next.Value == Value {
        precondition(attempts >= 1, "attempts must be at least 1, not \(attempts)")
        return RoundsNode(
            .retry(attempts: attempts, backoff, onlyIf: isWorthAnother), label: label, on: executor,
            site: CallSite(fileID: file, line: line)
        ) { try body().asPromise() }
    }
}

/// The waits of `retry` between its attempts.
public struct RetryBackoff: Sendable {
    private let wait: @Sendable (Int) -> Duration

    /// Makes waits of the lengths that `wait` returns. `wait` is called on the operation's executor with the number of
    /// failed attempts so far, from 1. A duration below 0 counts as 0. For a wait with a random part:
    ///
    ///     let base = RetryBackoff.exponential(from: .milliseconds(100))
    ///     let jittered = RetryBackoff { base.wait(afterFailures: $0) * Double.random(in: 0.5...1) }
    public init(_ wait: @escaping @Sendable (_ failureCount: Int) -> Duration) { self.wait = wait }

    /// No wait.
    public static let none = RetryBackoff { _ in .zero }

    /// Returns constant waits; a duration below 0 counts as 0.
    public static func constant(_ duration: Duration) -> RetryBackoff { RetryBackoff { _ in duration } }

    /// Returns exponential waits: `first` after the first failure, then each time `factor` times as long, up to
    /// `limit`.
    ///
    /// - Parameters:
    ///   - first: Not below 0.
    ///   - factor: At least 1.
    ///   - limit: Not below `first`.
    public static func exponential(
        from first: Duration, factor: Double = 2, upTo limit: Duration = .seconds(60)
    ) -> RetryBackoff {
        precondition(first >= .zero, "the first wait must be at least 0, not \(first)")
        precondition(factor >= 1, "the factor must be at least 1, not \(factor)")
        precondition(limit >= first, "the limit (\(limit)) must be at least the first wait (\(first))")
        return RetryBackoff { failureCount in
            guard first > .zero else { return .zero }
            let scale = pow(factor, Double(failureCount - 1))
            return scale >= limit / first ? limit : first * scale
        }
    }

    /// Returns the wait after the given number of failed attempts; 0 or more. O(1).
    ///
    /// - Parameter failureCount: At least 1.
    public func wait(afterFailures failureCount: Int) -> Duration {
        precondition(failureCount >= 1, "failureCount must be at least 1, not \(failureCount)")
        return max(.zero, wait(failureCount))
    }
}
