// SPDX-License-Identifier: MIT

import ChainModel

/// One promise of a ``RecordedRun`` or a ``ChainRecording`` at one moment.
public struct RecordedNode: Hashable, Sendable {
    /// The state of a promise; the raw value is the word in snapshots.
    public enum State: String, CaseIterable, Sendable {
        /// Its parent has to settle first.
        case waiting
        /// Its handler was enqueued on an executor and has not begun.
        case queued
        /// Its handler runs.
        case running
        /// No handler runs: a callback, a timer, the promises that it combines or another promise will settle it.
        case pending
        /// Settled with a value.
        case fulfilled
        /// Settled with an error.
        case rejected
        /// Rejected by a cancellation.
        case cancelled
        /// It passed on the value or error of its parent, because it has no handler for that.
        case skipped
        /// Its resolver was released while it was pending.
        case abandoned
        /// It was referenced by another promise and was never recorded itself, or it ended during a loss of events.
        case unknown
    }

    /// The state of the promise.
    public var state: State
    /// The operation that made it.
    public var kind: NodeKind
    /// Its label, if it was given one.
    public var label: String?
    /// The description of its value, if values are recorded, or of its error.
    public var summary: String?
    /// Its indentation in a snapshot, in steps, of which a snapshot shows at most 100; 0 for the beginning of a chain.
    public var depth: Int
    /// The time at which it was made, since the beginning of the run.
    public var created: Duration
    /// The time from the enqueuing of its handler to the handler's start; if the handler has not started, to the
    /// promise's settlement or to now. Nil if no handler was enqueued.
    public var wait: Duration?
    /// The time that its handler ran; 0 in virtual time on the run's own executor; nil if no handler has started.
    public var run: Duration?
    /// The time from its creation or its parent's settlement, whichever was later, to its own settlement or to now. Nil
    /// until its parent has settled, if it was cancelled before that, and if it was skipped.
    public var total: Duration?
}

extension RecordedRun {
    /// The promises of the run in the order of ``text``: each promise before the promises below it. O(events).
    public var nodes: [RecordedNode] { tree.nodes }

    /// The run as `assertChain(_:matches:)` compares it: a line per promise, indented as in the dashboard. O(events).
    ///
    /// ```text
    /// rejected promise order 7 ! declined (cancel requested) · wait 0.2s · run 1s · total 1.2s @0.5s
    /// └ state  └ kind  └ label └ error    └ marks              └ durations above 0               └ creation, if not at 0
    /// ```
    ///
    /// A recorded value stands after `=`. Line breaks and other control characters in texts are escaped.
    public var text: String { tree.text }
}

extension RecordedNode.State {
    init(_ state: NodeState) {
        switch state {
        case .waiting: self = .waiting
        case .queued: self = .queued
        case .running: self = .running
        case .pending: self = .pending
        case .fulfilled: self = .fulfilled
        case .rejected: self = .rejected
        case .cancelled: self = .cancelled
        case .skipped: self = .skipped
        case .abandoned: self = .abandoned
        case .unknown: self = .unknown
        }
    }
}
