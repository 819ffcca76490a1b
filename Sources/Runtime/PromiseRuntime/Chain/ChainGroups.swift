// SPDX-License-Identifier: MIT

import ChainEvents

/// The error of ``Chain/all(_:label:file:line:)`` if not all chains were fulfilled. It holds every chain's outcome.
public struct NotAllFulfilledError<Value: Sendable>: Error, CustomStringConvertible {
    /// The chains' outcomes, in the order of the chains.
    public var outcomes: [Result<Value, any Error>]

    /// Makes an error of these outcomes.
    public init(outcomes: [Result<Value, any Error>]) { self.outcomes = outcomes }

    /// The errors among the outcomes, in order.
    public var errors: [any Error] {
        outcomes.compactMap { if case .failure(let error) = $0 { error } else { nil } }
    }

    /// The number of failed chains, and the error of the first failed chain.
    public var description: String {
        let errors = errors
        return "\(errors.count) of \(outcomes.count) failed" + (errors.first.map { ", the first with: \($0)" } ?? "")
    }
}

// Each combinator passes the incoming value to its chains. A launch makes the nodes of these chains at once, so that
// viewers show them from the start. If no value comes, the chains are skipped, and none of their handlers runs.
// Cancelling the combinator's node cancels the chains that it started (TheRules, X2). A list of chains that depends on
// the value is made in a handler: `.then { value in Chain().all(chains(for: value)) }`.
extension Chain {
    /// Runs chains in parallel and waits for **all** of them. If all chains are fulfilled, continues with their values,
    /// in order. Otherwise the node is rejected with ``NotAllFulfilledError``, which holds every outcome in order
    /// (<doc:TheRules>, C3). Without chains the value is `[]`. O(n).
    public func all<Member>(
        _ chains: [Chain<Output, Member>], label: String = "", file: StaticString = #fileID, line: UInt = #line
    ) -> Chain<Input, [Member]> {
        group(.all, chains, label: label, site: CallSite(fileID: file, line: line)) { $0 }
    }

    /// Runs chains in parallel and continues with the value of the first chain that is fulfilled; the other chains run
    /// on. If all chains fail, the node is rejected with the error of the chain that failed last (<doc:TheRules>, C3).
    /// Without chains it is rejected with ``AllRejectedError``. O(n).
    public func race<Member>(
        _ chains: [Chain<Output, Member>], label: String = "", file: StaticString = #fileID, line: UInt = #line
    ) -> Chain<Input, Member> {
        group(.race, chains, label: label, site: CallSite(fileID: file, line: line)) { $0[0] }
    }

    /// Runs chains one after another, each with the incoming value, and continues with their values, in order. The
    /// first error stops the sequence and rejects the node; later chains are skipped (<doc:TheRules>, C3). Without
    /// chains the value is `[]`. O(n).
    public func seq<Member>(
        _ chains: [Chain<Output, Member>], label: String = "", file: StaticString = #fileID, line: UInt = #line
    ) -> Chain<Input, [Member]> {
        group(.sequence, chains, label: label, site: CallSite(fileID: file, line: line)) { $0 }
    }

    private func group<Member, NewValue>(
        _ kind: NodeKind, _ chains: [Chain<Output, Member>], label: String, site: CallSite,
        finish: @escaping @Sendable ([Member]) -> NewValue
    ) -> Chain<Input, NewValue> {
        let link = ChainLink(after: last, nodeCount: chains.reduce(1) { $0 + $1.nodeCount }) { parent, plan in
            GroupNode(
                kind, of: unsafeDowncast(parent, to: Promise<Output>.self), chains, label: label, site: site, &plan,
                finish: finish)
        }
        return Chain<Input, NewValue>(head: head, last: link)
    }
}
