import ChainEvents

/// Whether the state that a program had when it was reached has arrived: until then, nodes that come are not new.
///
/// A state comes first, between marks of a resync. A source without one sends events at once.
struct StateArrival {
    private enum Step { case awaited, begun, complete }
    private var step = Step.awaited
    /// When the wait was first observed, in nanoseconds since 1970.
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

    /// Takes the nodes that are there for the whole state.
    mutating func finish() { step = .complete }

    /// Returns whether the state has arrived, or was waited for long enough. `wall` is in nanoseconds since 1970.
    mutating func isComplete(at wall: UInt64) -> Bool {
        guard step != .complete else { return true }
        let start = began ?? wall
        began = start
        if wall &- start >= Self.limit { finish() }
        return step == .complete
    }
}
