// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem

/// The node of a cold combinator: makes the nodes of its chains together with itself, and starts them when its parent's
/// value comes.
final class GroupNode<Input: Sendable, Member: Sendable, Output: Sendable>: Promise<Output>, Combinator,
    @unchecked Sendable
{
    // Sendable: mutable state is behind its lock.
    private struct PlannedMember {
        let root: Promise<Input>
        let end: Promise<Member>
        /// The member's nodes, without the nodes of chains in its own combinators. They are rejected if the member is
        /// never started.
        var nodes: [AnyPromise]
    }

    private struct RunState {
        var progress: GroupProgress<Member>
        var members: [PlannedMember] = []
        var input: Input?
    }

    private let runState: Lock<RunState>
    private let finish: @Sendable ([Member]) -> Output

    init(
        _ kind: NodeKind, of parent: Promise<Input>, _ chains: [Chain<Input, Member>], label: String, site: CallSite,
        _ plan: inout LaunchPlan, finish: @escaping @Sendable ([Member]) -> Output
    ) {
        runState = Lock(RunState(progress: GroupProgress(kind, count: chains.count)))
        self.finish = finish
        super.init(kind: kind, site: site, context: parent.context.child(label: label, executor: nil), parent: parent)
        // Members are made with this node as their creator, so that the members' roots are under it in the tree.
        var members: [PlannedMember] = []
        runAsCreator { members = chains.map { makeMember($0, &plan) } }
        runState.withLock { $0.members = members }
        for (index, member) in members.enumerated() {
            if isRecording {
                report(.linked, other: member.end.id, detail: UInt16(LinkKind.member.rawValue))
            }
            member.end.register(MemberWaiter(self, index: index))
        }
        // A viewer may have cancelled the node before it had members.
        if isSettled { endMembers() }
        parent.register(self)
    }

    private func makeMember(_ chain: Chain<Input, Member>, _ plan: inout LaunchPlan) -> PlannedMember {
        let inherited = context.child(label: "", executor: nil)
        let head = chain.head
        let isPlain = head.label.isEmpty && head.executor == nil
        let root = Promise<Input>(
            kind: .chain, site: head.site,
            context: isPlain ? inherited : .root(label: head.label, executor: head.executor ?? inherited.executor))
        var inner = LaunchPlan()
        let end = chain.makeNodes(from: root, &inner)
        for executor in inner.serialExecutors { plan.note(executor) }
        return PlannedMember(root: root, end: end, nodes: inner.nodes)
    }

    override func settled(_ promise: AnyPromise) {
        guard !isSettled else { return }
        guard case .success(let value) = unsafeDowncast(promise, to: Promise<Input>.self).result else {
            return passError(of: promise, flags: .skipping)
        }
        // From now on this node waits for its members, no longer for its parent.
        if isRecording { report(.ended) }
        apply(
            runState.withLock { runState in
                runState.input = value
                return runState.progress.start()
            })
    }

    func memberSettled(_ member: AnyPromise, at index: Int) {
        guard let outcome = unsafeDowncast(member, to: Promise<Member>.self).result else { return }
        apply(runState.withLock { $0.progress.settled(index, outcome) })
    }

    private func apply(_ step: GroupProgress<Member>.Step) {
        switch step {
        case .nothing: break
        case .start(let range):
            let (input, members) = runState.withLock { ($0.input, $0.members) }
            // `members` is empty if the node has settled since `progress` returned this step, because `endMembers` took
            // the members.
            guard let input, members.count >= range.upperBound else { return }
            for member in members[range] { _ = member.root.fulfill(input, by: .machinery) }
        case .fulfil(let values): _ = fulfill(finish(values), by: .machinery)
        case .reject(let error): _ = reject(error, by: .machinery)
        }
    }

    override var pendingMembers: [AnyPromise] { runState.withLock { $0.members.map(\.end) } }

    override func didSettle() { endMembers() }

    private func endMembers() {
        let (members, startedCount, released) = runState.withLock { runState in
            let members = take(&runState.members)
            let startedCount = runState.progress.startedCount
            return (members, startedCount, (runState.progress.end(), exchange(&runState.input, with: nil)))
        }
        _ = released
        let cancellation = current.has(PromiseState.cancelled) ? error as? PromiseCancelledError : nil
        for (index, member) in members.enumerated() {
            if index >= startedCount {
                // Nodes are settled from the last node up, so that no handler becomes ready.
                let error = error ?? PromiseCancelledError(reason: "never started")
                for node in member.nodes.reversed() { node.settleUnreached(error) }
            } else if !member.end.isSettled {
                if let cancellation {
                    member.end.cancelLaunch(cancellation.reason, by: cancellation.by)
                } else {
                    member.end.markAsLoser()
                    member.end.waiterIsDone()
                }
            }
        }
    }
}
