import ChainEvents

/// The arrival of the state that a program had when it was reached. Until the state has arrived, nodes that come are
/// not new.
///
/// The state comes first, in the batches from the beginning to the end of a resync. A source that sends no state begins
/// with events.
struct StateArrival {
    private enum Step { case awaited, begun, complete }
    private var step = Step.awaited
    /// When ``isComplete(at:)`` was first called, in nanoseconds since 1970.
    private var began: UInt64?

    /// How long a state is waited for, in nanoseconds.
    private static let limit: UInt64 = 10_000_000_000

    /// Notes a batch that was applied.
    mutating func note(_ batch: EventBatch) {
        switch (step, batch.resync) {
        case (.complete, _): break
        case (_, .end): finish()
        case (_, .begin): step = .begun
        case (.awaited, nil): if !batch.events.isEmpty, batch.nodes.isEmpty { finish() }
        case (.begun, nil): break
        }
    }

    /// Ends the wait: the nodes that have come so far are the whole state.
    mutating func finish() { step = .complete }

    /// Returns whether the state has arrived; true, too, if the wait for it has taken ``limit``. `wall` is in
    /// nanoseconds since 1970.
    mutating func isComplete(at wall: UInt64) -> Bool {
        guard step != .complete else { return true }
        let start = began ?? wall
        began = start
        if wall &- start >= Self.limit { finish() }
        return step == .complete
    }
}
