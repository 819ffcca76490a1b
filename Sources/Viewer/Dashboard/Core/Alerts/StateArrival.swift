// SPDX-License-Identifier: MIT

import ChainEvents

/// The arrival of the state that a program had when it was reached. Until the state has arrived, nodes that come are
/// not new.
///
/// The state comes first, in the batches from the beginning to the end of a resync. A source that sends no state begins
/// with events.
struct StateArrival {
    private enum Step { case awaited, begun, complete }
    private var step = Step.awaited
    /// How much of a state has been read; nil while none is being read.
    private(set) var reading: Reading?
    /// Whether anything of the program has come.
    private(set) var hasBegun = false
    /// When ``isComplete(at:)`` was first called, in nanoseconds since 1970.
    private var began: UInt64?

    /// A state that is being read.
    struct Reading: Equatable {
        /// The number of snapshots read so far.
        var count = 0
        /// About how many nodes the state has; nil if the program did not say.
        var total: Int?
        /// Whether an earlier state is shown until this one is complete.
        var isRepeated = false
        /// How much memory has been looked at; nil if the program reports its state itself.
        var memory: MemoryProgress?

        /// Whether nothing of the program is known yet.
        var isBlank: Bool { !isRepeated && count == 0 && total != 0 }
    }

    /// How long a state is waited for, in nanoseconds.
    private static let limit: UInt64 = 10_000_000_000

    /// Notes a batch that was applied.
    mutating func note(_ batch: EventBatch) {
        hasBegun = true
        noteReading(batch)
        switch (step, batch.resync) {
        case (.complete, _): break
        case (_, .end): finish()
        case (_, .begin): step = .begun
        case (.awaited, nil): if !batch.events.isEmpty, batch.nodes.isEmpty { finish() }
        case (.begun, nil): break
        }
    }

    private mutating func noteReading(_ batch: EventBatch) {
        reading?.count += batch.nodes.count
        if batch.beginsState {
            reading = Reading(total: batch.stateNodeCount.map { Int(clamping: $0) }, isRepeated: step == .complete)
        } else if case .end? = batch.resync {
            reading = nil
        }
        if let memory = batch.memoryProgress { reading?.memory = memory }
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
