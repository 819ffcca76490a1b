// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem
import Synchronization

/// The waiter of a combinator for one member; delivers the member with its index.
class MemberWaiter: _Waiter {
    final let combinator: AnyPromise & Combinator
    private let index: Int

    init(_ combinator: AnyPromise & Combinator, index: Int) {
        self.combinator = combinator
        self.index = index
    }

    override func settled(_ promise: AnyPromise) {
        promise.markErrorSeen()
        combinator.memberSettled(promise, at: index)
    }

    override final var isDone: Bool { combinator.isDone }
    override final var consumer: AnyPromise? { combinator }
}

/// A promise that is settled by its members.
protocol Combinator: AnyPromise {
    /// Receives a settled member: called once per member, from any thread, without a lock.
    func memberSettled(_ member: AnyPromise, at index: Int)
}

/// The rule by which members settle a combinator.
@usableFromInline
enum GatherRule: Sendable {
    /// The first rejection rejects; the last fulfilment collects the values.
    case all
    /// The last settlement collects the outcomes.
    case allSettled
    /// The first fulfilment fulfils; the last rejection collects the errors.
    case any
    /// The first settlement settles.
    case race
}

/// The promise of `all`, `allSettled`, `any` and `race`, settled by its members' outcomes. It is itself the waiter of
/// each pending member, so a member costs no object; values are read from the members once, at the end: O(n).
@usableFromInline
final class GatherNode<Output: Sendable>: Promise<Output>, @unchecked Sendable {
    // Sendable: mutable state is atomic or behind a lock.

    /// A closure that settles the untyped node once all members are settled. Written where the types are known.
    @usableFromInline typealias Collect = @Sendable (_ node: AnyPromise, _ members: [AnyPromise]) -> Void

    private let rule: GatherRule
    private let cancelsLosers: Bool
    /// The number of members that are not counted as settled yet.
    private let unsettledCount: Atomic<Int>
    private let collect: Collect
    // Emptied when the node settles, so that a settled combinator keeps no member.
    private let members: Lock<[AnyPromise]>

    @usableFromInline
    init(
        _ kind: NodeKind, _ rule: GatherRule, _ members: [AnyPromise], label: String, site: CallSite,
        cancelsLosers: Bool = false, collect: @escaping Collect
    ) {
        self.rule = rule
        self.cancelsLosers = cancelsLosers
        self.collect = collect
        unsettledCount = Atomic(members.count)
        self.members = Lock(members)
        super.init(kind: kind, site: site, context: .root(label: label, executor: nil))
        if isRecording {
            for member in members { report(.linked, other: member.id, detail: UInt16(LinkKind.member.rawValue)) }
        }
        if members.isEmpty { collect(self, []) } else { gather(members) }
    }

    private func gather(_ members: [AnyPromise]) {
        var settledCount = 0
        for member in members {
            if isDone {
                // A late member has lost, so its error is not reported (TheRules, S3).
                member.markErrorSeen()
            } else if member.current.has(PromiseState.settled) {
                if !decides(member) { settledCount += 1 }
            } else {
                member.register(self)
            }
        }
        if settledCount > 0 { countSettled(settledCount) }
    }

    override func settled(_ promise: AnyPromise) {
        if isDone { return promise.markErrorSeen() }
        if !decides(promise) { countSettled(1) }
    }

    /// Settles the combinator if this member's outcome alone decides; otherwise returns false.
    private func decides(_ member: AnyPromise) -> Bool {
        let isRejected = member.current.has(PromiseState.rejected)
        if isRejected { member.markErrorSeen() }
        switch rule {
        case .allSettled: return false
        case .all: if !isRejected { return false }
        case .any: if isRejected { return false }
        case .race: break
        }
        if isRejected { _ = reject(member.error!, by: .machinery) } else { copyOutcome(of: member, flags: []) }
        return true
    }

    /// Counts settled members, and collects the outcomes after the last member.
    private func countSettled(_ count: Int) {
        if unsettledCount.subtract(count, ordering: .acquiringAndReleasing).newValue > 0 { return }
        let members = members.withLock { $0 }
        // Empty if the combinator is settled, because `didSettle` takes the members.
        if !members.isEmpty { collect(self, members) }
    }

    override func didSettle() {
        let members = members.withLock { take(&$0) }
        if unsettledCount.load(ordering: .acquiring) == 0 { return }
        let reason = error as? PromiseCancelledError ?? PromiseCancelledError(reason: "lost to another member")
        for member in members where !member.isSettled {
            member.markAsLoser()
            member.waiterIsDone()
            if cancelsLosers { member.consumerWithdrew(reason, origin: id) }
        }
    }

    override var pendingMembers: [AnyPromise] { members.withLock { $0 } }

    override var child: AnyPromise? { nil }
    override var isChild: Bool { false }
    override var consumer: AnyPromise? { self }
}

/// Moves an array out, so that it is released without a lock.
func take<Element>(_ array: inout [Element]) -> [Element] {
    let taken = array
    array = []
    return taken
}
