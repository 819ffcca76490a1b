// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem
import Foundation
import PromiseRuntime

/// A loop that follows a program or a recording until its end, a time limit, or a signal.
struct BatchLoop {
    private let signals = EndingSignals()
    private let source: ForestSource
    /// Whether the end is being written; a signal does not cut off the writing.
    private let isEnding = Lock(false)
    /// When the time is over.
    private let deadline: Lock<StateDeadline>

    /// The minimum time between two calls of `whilePaused` while batches come, in nanoseconds.
    private static let pauseInterval: UInt64 = 100_000_000
    /// The longest time from a signal to the call of `end`, while the loop may wait for a connection or for its output.
    private static let signalLimit = DispatchTimeInterval.seconds(5)

    /// Makes a loop that has not opened its source. Has to be called before other threads start, because it blocks the
    /// signals that it waits for, and threads inherit blocked signals from the thread that starts them.
    ///
    /// - Parameter duration: the time limit, from the moment that the source is open and the state of a program is
    ///   complete; nil for none.
    init(_ source: ForestSource, for duration: DurationArgument?) {
        self.source = source
        deadline = Lock(StateDeadline(duration))
        signals.whenReceived { [signals, isEnding] in
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.signalLimit) {
                if !isEnding.withLock({ $0 }), let signal = signals.received { Signals.raiseAgain(signal) }
            }
        }
    }

    /// Whether a signal has come that ends the loop.
    var isInterrupted: Bool { signals.received != nil }

    /// Whether a signal has come that ends the loop, or the time is over.
    var isStopped: Bool {
        isInterrupted || deadline.withLock { $0.isOver }
    }

    /// Calls `take` with each batch. Calls `whilePaused` in pauses, and also after a batch if the last such call was at
    /// least 100 ms ago. Goes on until one of the two returns false, the source ends, the time is over, or a signal
    /// comes. Then calls `end`. Prints on standard error why the source ended. A signal other than SIGINT is raised
    /// again, after `end`; a second signal ends the process at once.
    ///
    /// - Parameter begin: called once, before the first batch.
    func run(
        begin: (any BatchReader) throws -> Void, take: (EventBatch) throws -> Bool, whilePaused: () throws -> Bool,
        end: () throws -> Void
    ) throws {
        let reader = try source.reader()
        defer { reader.stop() }
        try begin(reader)
        var isStateComplete = if case .recording = source { true } else { false }
        var (isOver, lastPause) = (false, SystemClock.shared.nanoseconds)
        while !isOver, !isStopped {
            deadline.withLock { $0.reached(isStateComplete: isStateComplete) }
            switch reader.next() {
            case .batch(let batch):
                isOver = try !take(batch)
                if case .end? = batch.resync { isStateComplete = true }
                guard !isOver, SystemClock.shared.nanoseconds - lastPause >= Self.pauseInterval else { continue }
                fallthrough
            case .nothing:
                isOver = try !whilePaused()
                lastPause = SystemClock.shared.nanoseconds
            case .ended(let notes):
                isOver = true
                _ = try whilePaused()
                for note in notes { Streams.printError(note + ".") }
            }
        }
        isEnding.withLock { $0 = true }
        try end()
        if let signal = signals.received, signal != SIGINT { Signals.raiseAgain(signal) }
    }
}

/// The end of a command with a time limit, which counts from the moment that the program's state is complete. The time
/// until a program is reached has the same limit.
struct StateDeadline {
    private let duration: UInt64?
    /// When the command ends, in nanoseconds of the monotonic clock; nil while a state is read, and without a limit.
    private var end: UInt64?
    /// When a state is no longer waited for; nil until the program was reached.
    private var stateLimit: UInt64?
    private var isStateComplete = false

    /// How long a state is waited for: as long as `chainview ps` waits. A program may stand still while it sends it.
    private static let stateDuration: UInt64 = 30_000_000_000

    /// - Parameter duration: the time limit; nil for none.
    init(_ duration: DurationArgument?) {
        self.duration = duration?.duration.clampedNanoseconds
        end = self.duration.map { SystemClock.shared.nanoseconds.addingClamped($0) }
    }

    /// Notes whether the state is complete. Called again and again once the program was reached.
    mutating func reached(isStateComplete isComplete: Bool) {
        guard let duration, !isStateComplete else { return }
        let now = SystemClock.shared.nanoseconds
        let limit = stateLimit ?? now.addingClamped(Self.stateDuration)
        stateLimit = limit
        isStateComplete = isComplete || now >= limit
        end = isStateComplete ? now.addingClamped(duration) : nil
    }

    /// The time that is left, in nanoseconds; the greatest number without a limit, and while a state is read.
    var rest: UInt64 { end.map { $0.subtractingClamped(SystemClock.shared.nanoseconds) } ?? .max }

    var isOver: Bool { rest == 0 }
}
