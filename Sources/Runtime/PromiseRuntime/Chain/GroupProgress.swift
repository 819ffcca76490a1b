// SPDX-License-Identifier: MIT

import ChainEvents

/// The progress of a cold combinator as a pure state: each transition returns a step, which the node performs without a
/// lock.
struct GroupProgress<Member: Sendable> {
    /// What the node has to do.
    enum Step {
        case nothing
        /// Pass the incoming value to the members with these indices.
        case start(Range<Int>)
        /// Fulfil the node with these values; `race` has one value.
        case fulfil([Member])
        /// Reject the node.
        case reject(any Error)
    }

    private let kind: NodeKind
    private var outcomes: [Result<Member, any Error>?]
    /// The number of members without an outcome.
    private var unsettledCount: Int
    private var isStarted = false
    private var isOver = false
    /// The number of members to which the value was passed. They are the first members of the list.
    private(set) var startedCount = 0

    init(_ kind: NodeKind, count: Int) {
        self.kind = kind
        outcomes = Array(repeating: nil, count: count)
        unsettledCount = count
    }

    /// Starts members, because the incoming value has come.
    mutating func start() -> Step {
        guard !isOver else { return .nothing }
        isStarted = true
        if kind == .sequence { return startNext() }
        startedCount = outcomes.count
        // No member is unsettled if there are no members, or if a viewer has cancelled all of them before the start.
        let step = unsettledCount == 0 ? collect() : .nothing
        if case .nothing = step { return .start(0..<startedCount) }
        return step
    }

    /// Records the outcome of a member. Before the start only a cancelled member has an outcome.
    mutating func settled(_ index: Int, _ outcome: Result<Member, any Error>) -> Step {
        guard !isOver, outcomes[index] == nil else { return .nothing }
        outcomes[index] = outcome
        unsettledCount -= 1
        guard isStarted else { return .nothing }
        switch kind {
        case .sequence: return index == startedCount - 1 ? startNext() : .nothing
        case .race:
            if case .success(let value) = outcome { return finish(.fulfil([value])) }
            if unsettledCount == 0, case .failure(let error) = outcome { return finish(.reject(error)) }
            return .nothing
        default: return unsettledCount == 0 ? collect() : .nothing
        }
    }

    /// Ends the progress, because the node has settled: no further member is started. Returns the outcomes, which the
    /// caller has to release.
    mutating func end() -> [Result<Member, any Error>?] {
        isOver = true
        let released = outcomes
        outcomes = []
        return released
    }

    private mutating func finish(_ step: Step) -> Step {
        isOver = true
        return step
    }

    /// Starts the sequence's next member that has no outcome. Rejects the node at the first failed member, even if that
    /// member was cancelled before its turn.
    private mutating func startNext() -> Step {
        for index in max(0, startedCount - 1)..<max(outcomes.count, startedCount) {
            if index >= startedCount, outcomes[index] == nil {
                startedCount = index + 1
                return .start(index..<index + 1)
            }
            if case .failure(let error)? = outcomes[index] { return finish(.reject(error)) }
        }
        return collect()
    }

    /// Collects the outcomes, because all members have settled. A `race` comes here only without members, or if all of
    /// them were cancelled before the start. In the second case, the error of the last member in the list is used.
    private mutating func collect() -> Step {
        if kind == .race {
            if case .failure(let error)?? = outcomes.last { return finish(.reject(error)) }
            return finish(.reject(AllRejectedError(errors: [])))
        }
        let values = outcomes.compactMap { try? $0?.get() }
        if values.count == outcomes.count { return finish(.fulfil(values)) }
        return finish(.reject(NotAllFulfilledError(outcomes: outcomes.compactMap { $0 })))
    }
}
