import ChainEvents
import ChainModel

/// Cancelling: asked for by a key, confirmed in a dialog, sent as a command; only events make a row say *cancelled*.
extension State {
    mutating func askToCancel(wholeChain: Bool) {
        if ending != nil { return say("the program has ended: nothing can be cancelled", .warning) }
        guard let forest, let process else { return say("there is nothing to cancel") }
        if options.isReadOnly { return say("read-only: cancelling is off in this dashboard", .warning) }
        if process.isReadOnly { return say("read-only: the program takes no commands", .warning) }
        let scope: CancelScope
        let what: String
        var roots: [NodeIndex]
        if !tags.isEmpty {
            var ids = tags
            roots = tags.compactMap { forest.index(of: $0) }
            if wholeChain {
                roots = roots.map { forest.root(of: $0) }
                var seen: Set<NodeIndex> = []
                roots.removeAll { !seen.insert($0).inserted }
                ids = roots.map { forest.node($0).id }
            }
            scope = .nodes(ids)
            what = wholeChain ? "the chains of \(tags.count) tagged nodes" : "\(tags.count) tagged nodes"
        } else {
            guard let index = selectedIndex else { return say("there is nothing to cancel") }
            let id = forest.node(index).id
            scope = wholeChain ? .chain(id) : .node(id)
            roots = [wholeChain ? forest.root(of: index) : index]
            let name = NodeText.name(of: roots[0], in: forest)
            what = wholeChain ? "the whole chain of \(name)" : name
        }
        let live = Self.live(under: roots, in: forest)
        guard !live.isEmpty else {
            let what = tags.isEmpty ? wholeChain ? "the whole chain" : "this node and all under it" : "what is tagged"
            return say("nothing to cancel: \(what) has settled")
        }
        mode = .confirm(
            Confirmation(
                scope: scope, what: what, count: live.count, nodes: live.map { forest.node($0).id },
                labels: live.prefix(Confirmation.labelLimit).map {
                    "\(forest.state(of: $0).word)  \(NodeText.name(of: $0, in: forest))"
                }))
        revision += 1
    }

    /// The live nodes at and under some nodes, each once, at most ``Confirmation/countLimit``.
    private static func live(under roots: [NodeIndex], in forest: borrowing ChainForest) -> [NodeIndex] {
        var live: [NodeIndex] = []
        var seen: Set<NodeIndex> = []
        for root in roots where !seen.contains(root) {
            var stack = [root]
            while let node = stack.popLast(), live.count < Confirmation.countLimit {
                guard seen.insert(node).inserted else { continue }
                if forest.state(of: node).isLive { live.append(node) }
                var child = forest.lastChild(of: node)
                while let current = child {
                    stack.append(current)
                    child = forest.previousSibling(of: current)
                }
            }
        }
        return live
    }

    mutating func answer(_ intent: Intent, _ question: Confirmation) -> [Effect] {
        switch intent {
        case .yes: break
        case .no, .back:
            mode = .tree
            say("nothing was cancelled")
            return []
        case .quit: return [.quit]
        default: return []
        }
        mode = .tree
        revision += 1
        guard let process, forest != nil else { return [] }
        lastCommand += 1
        forest!.markCancelRequested(question.nodes)
        follow()
        requests.append(Request(id: lastCommand, nodes: question.nodes))
        if requests.count > 64 { requests.removeFirst() }
        if !tags.isEmpty, case .nodes = question.scope {
            for id in tags { if let index = forest!.index(of: id) { outline.tag(index, false, in: forest!) } }
            tags = []
        }
        say("asked the program to cancel \(question.what)")
        arrange()
        return [
            .send(
                source,
                Command(id: lastCommand, process: process.key, request: .cancel(question.scope, by: options.actor)))
        ]
    }
}
