import ChainEvents
import ChainSystem
import Foundation
import PromiseRuntime

/// A loop that follows a program or a recording until its end, a time limit, or a signal.
struct BatchLoop {
    private let duration: DurationArgument?
    private let signals = EndingSignals()
    private let source: ForestSource
    /// Whether the end is being written; a signal does not cut off the writing.
    private let isEnding = Lock(false)
    /// When the time is over; nil without a limit, and until the source is open.
    private let deadline = Lock<DispatchTime?>(nil)

    /// The minimum time between two calls of `whilePaused` while batches come, in nanoseconds.
    private static let pauseInterval: UInt64 = 100_000_000
    /// The longest time from a signal to the call of `end`, while the loop may wait for a connection or for its output.
    private static let signalLimit = DispatchTimeInterval.seconds(5)

    /// Makes a loop that has not opened its source. Has to be called before other threads start, because it blocks the
    /// signals that it waits for, and threads inherit blocked signals from the thread that starts them.
    ///
    /// - Parameter duration: the time limit, from the moment that the source is open; nil for none.
    init(_ source: ForestSource, for duration: DurationArgument?) {
        self.source = source
        self.duration = duration
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
        isInterrupted || deadline.withLock { $0.map { DispatchTime.now() >= $0 } ?? false }
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
        deadline.withLock { deadline in
            deadline = duration.map { DispatchTime.now() + .nanoseconds(Int($0.duration.clampedNanoseconds)) }
        }
        var (isOver, lastPause) = (false, SystemClock.shared.now)
        while !isOver, !isStopped {
            switch reader.next() {
            case .batch(let batch):
                isOver = try !take(batch)
                guard !isOver, SystemClock.shared.now - lastPause >= Self.pauseInterval else { continue }
                fallthrough
            case .nothing:
                isOver = try !whilePaused()
                lastPause = SystemClock.shared.now
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
