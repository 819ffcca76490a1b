// SPDX-License-Identifier: MIT

import ChainModel
import ChainSystem
import PromiseRuntime

extension Collector {
    private static var viewerNameLimit: Int { 256 }

    /// Cancels the topmost pending nodes of a scope. An ``OngoingCancellation`` cancels the scope's other and later
    /// nodes.
    func cancel(_ scope: CancelScope, by viewer: String) -> CommandReply.Outcome {
        collectNow()
        // Cut, because each cancelled node has the viewer's name in its text.
        let viewer = viewer.cut(toBytes: Self.viewerNameLimit)
        var ongoing: OngoingCancellation
        switch withState({ $0.resolve(scope) }) {
        case .failure(let refusal): return .refused(refusal.reason)
        case .success(let roots): ongoing = OngoingCancellation(roots: roots, viewer: viewer)
        }
        var topmost = withState { ongoing.targets(in: $0.forest) }
        guard !topmost.isEmpty else {
            if let refusal = withState({ ongoing.isEmpty ? nil : $0.refusalOfSpans(in: ongoing.roots, scope) }) {
                return .refused(refusal)
            }
            return .refused("Nothing is pending in \(scope.words): there is nothing to cancel")
        }
        var reached = cancel(topmost, by: viewer)
        // An async let cannot be cancelled, but the nodes under it can. An async let that is a root of the scope is
        // refused.
        while reached == 0, !topmost.contains(where: ongoing.roots.contains) {
            let below = withState { ongoing.targets(in: $0.forest) }
            guard !below.isEmpty else { break }
            reached = cancel(below, by: viewer)
            topmost += below
        }
        guard reached > 0 else {
            collectNow()
            // A loop, because a lazy `compactMap` asks for each refusal twice, and the task may end between the two
            // calls.
            if let tasks = tasks.withLock({ $0 }) {
                for id in topmost {
                    guard let refusal = tasks.refusal(of: id) else { continue }
                    // The refusal of an async let in a span advises to cancel the span, but a span cannot be cancelled
                    // either.
                    let ofSpan = withState { $0.refusalOfSpans(in: ongoing.roots, scope, othersArePending: true) }
                    return .refused(ofSpan ?? refusal)
                }
            }
            return .refused("The program no longer has \(scope.words): there is nothing to cancel")
        }
        withState { $0.cancellations.add(ongoing, at: $0.time) }
        collectNow()
        return .accepted(count: reached)
    }

    /// Cancels the nodes that the cancellations find, round by round, until no more are found: 16 rounds at most. The
    /// next collection continues after the last round.
    func continueCancellations() {
        for _ in 0..<16 {
            let targets = withState { $0.cancellations.targets(in: $0.forest, at: $0.time) }
            guard !targets.isEmpty else { return }
            for (ids, viewer) in targets { _ = cancel(ids, by: viewer) }
            pass()
        }
    }

    /// Cancels nodes, and returns for how many of them this was possible: an ended node, or an async let, cannot be
    /// cancelled. Called with no lock held, because handlers on the inline executor may run here.
    private func cancel(_ ids: [NodeID], by viewer: String) -> Int {
        let tasks = tasks.withLock { $0 }
        return SystemThread.runningProgram {
            ids.count { id in
                if runtime.cancel(id, by: viewer) { return true }
                guard let tasks, tasks.cancel(id) else { return false }
                recorder.record(
                    EventRecord(.cancelRequested, node: id, flags: .byViewer), text: "\(CancelledBy.viewer(viewer))")
                return true
            }
        }
    }
}

/// The reason for refusing a command.
struct Refusal: Error {
    var reason: String
}

extension CollectorState {
    /// Returns the roots of the scope's trees.
    fileprivate func resolve(_ scope: CancelScope) -> Result<[NodeID], Refusal> {
        switch scope {
        case .node(let id): find(id).map { _ in [id] }
        case .chain(let id): find(id).map { [forest.id(of: forest.root(of: $0))] }
        case .nodes(let ids):
            ids.isEmpty
                ? .failure(Refusal(reason: "No node was named: there is nothing to cancel"))
                // Of several nodes, evicted ones are left out, because they have ended.
                : ids.count == 1
                    ? find(ids[0]).map { _ in ids }
                    : .success(ids.filter { forest.index(of: $0) != nil })
        }
    }

    /// Returns the refusal of a scope in which nothing pending can be cancelled; nil if no root is a span. The refusal
    /// names the node to cancel instead, if there is such a node.
    ///
    /// - Parameter othersArePending: whether nodes other than spans, such as async lets, are pending.
    func refusalOfSpans(in roots: [NodeID], _ scope: CancelScope, othersArePending: Bool = false) -> String? {
        let spans = roots.compactMap { forest.index(of: $0) }.filter { forest.node($0).kind == .span }
        guard let span = spans.first else { return nil }
        var above = forest.treeParent(of: span)
        while let node = above, forest.node(node).kind == .span || !forest.state(of: node).isLive {
            above = forest.treeParent(of: node)
        }
        let advice = above.map { ": cancel \(forest.id(of: $0)), which it is in" } ?? ""
        let rest =
            othersArePending
            ? "nothing else in \(scope.words) can be cancelled" : "nothing else is pending in \(scope.words)"
        return "Only the program can end a span, and \(rest)\(advice)"
    }

    private func find(_ id: NodeID) -> Result<NodeIndex, Refusal> {
        // A node of which only the id is known, by links from other nodes, was not recorded.
        if let index = forest.index(of: id), !forest.isOnlyReferenced(index) { return .success(index) }
        let end = forest.isEvicted(id) ? ": there is nothing to cancel" : ""
        return .failure(Refusal(reason: absence(of: id) + end))
    }
}

extension CancelScope {
    /// The scope, as part of a sentence.
    fileprivate var words: String {
        switch self {
        case .node(let id): "\(id)"
        case .chain(let id): "the chain of \(id)"
        case .nodes(let ids): ids.count == 1 ? "\(ids[0])" : "the \(ids.count) nodes"
        }
    }
}
