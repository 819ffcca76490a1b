import ChainEvents
import ChainModel

/// Cancelling: asked for by a key, confirmed in a dialog, sent as a command; only events make a row say *cancelled*.
extension State {
    mutating func askToCancel(wholeChain: Bool) {
        let subjects = tags.isEmpty ? selection.map { [$0] } ?? [] : tags
        guard !subjects.isEmpty else { return say("there is nothing to cancel") }
        let sources = Set(subjects.map(\.source))
        for place in observed.indices where sources.contains(observed[place].source) {
            if let why = whyNotCancel(in: place) { return say(why, .warning) }
        }
        let question = question(about: subjects, wholeChain: wholeChain)
        guard let question, question.count > 0 else {
            return say("nothing to cancel: \(settled(subjects, wholeChain: wholeChain)) has settled")
        }
        mode = .confirm(question)
        revision += 1
    }

    /// Why nothing of a program can be cancelled now; nil where that is possible.
    func whyNotCancel(in place: Int) -> String? {
        let name = showsPrograms ? observed[place].shownName : "the program"
        switch observed[place].link {
        case .ended: return "\(name) has ended: nothing can be cancelled"
        case .lost(let outage):
            return outage.isSilence
                ? "\(name) stands still: nothing can be cancelled until it goes on"
                : "\(name) cannot be reached: nothing can be cancelled until it is back"
        case .absent: return "\(name) is not there yet: there is nothing to cancel"
        case .live: break
        }
        if observed[place].held?.successor != nil {
            return "\(name) has restarted: what is shown is over; p goes on"
        }
        if options.isReadOnly { return "read-only: cancelling is off in this dashboard" }
        if observed[place].info?.isReadOnly == true { return "read-only: \(name) takes no commands" }
        return nil
    }

    /// What has settled, in words.
    private func settled(_ subjects: [Subject], wholeChain: Bool) -> String {
        if !tags.isEmpty { return "what is tagged" }
        if subjects[0].node == nil { return "everything in \(observed[place(of: subjects[0].source)!].shownName)" }
        return wholeChain ? "the whole chain" : "this node and all under it"
    }

    /// What would be cancelled, program by program; nil where nothing is left of it.
    private func question(about subjects: [Subject], wholeChain: Bool) -> Confirmation? {
        if tags.isEmpty, subjects[0].node == nil {
            guard let place = place(of: subjects[0].source) else { return nil }
            return observed[place].questionAboutAll()
        }
        var question = Confirmation(parts: [], what: "", count: 0, labels: [])
        for place in observed.indices {
            let nodes = subjects.compactMap { subject in
                find(subject).flatMap { $0.place == place ? $0.node : nil }
            }
            guard !nodes.isEmpty else { continue }
            let (scope, what) = observed[place].scope(of: nodes, wholeChain: wholeChain, tagged: !tags.isEmpty)
            observed[place].add(scope.scope, of: scope.roots, to: &question)
            question.what = what
        }
        if !tags.isEmpty {
            let nodes = tags.count == 1 ? "1 tagged node" : "\(tags.count) tagged nodes"
            question.what = (wholeChain ? "the chains of " : "") + nodes
        }
        return question
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
        // Since it was asked a program may have gone, or have been replaced by a new run of itself.
        for part in question.parts {
            let why = place(of: part.source).flatMap { place in
                observed[place].info?.key == part.process
                    ? whyNotCancel(in: place) : "\(observed[place].shownName) has restarted meanwhile"
            }
            if let why {
                say("nothing was cancelled: \(why)", .warning)
                return []
            }
        }
        var effects: [Effect] = []
        for part in question.parts { if let effect = send(part) { effects.append(effect) } }
        if !tags.isEmpty { dropTags() }
        say("asked \(asked(question)) to cancel \(question.what)")
        arrange()
        return effects
    }

    private func asked(_ question: Confirmation) -> String {
        let sources = Set(question.parts.map(\.source))
        guard showsPrograms else { return "the program" }
        return sources.count == 1
            ? sources.first.flatMap(place).map { observed[$0].shownName } ?? "the program" : "\(sources.count) programs"
    }

    private mutating func send(_ part: Confirmation.Part) -> Effect? {
        guard let place = place(of: part.source) else { return nil }
        lastCommand += 1
        observed[place].mark(part.nodes, for: lastCommand)
        return .send(
            part.source,
            Command(id: lastCommand, process: part.process, request: .cancel(part.scope, by: options.actor)))
    }
}

extension Observed {
    /// What is asked of the program to cancel nodes, or the chains that they are in, and words for it.
    fileprivate func scope(
        of nodes: [NodeIndex], wholeChain: Bool, tagged: Bool
    ) -> (scope: (scope: CancelScope, roots: [NodeIndex]), what: String) {
        let forest = forest!
        guard tagged else {
            let id = forest.id(of: nodes[0])
            let root = wholeChain ? forest.root(of: nodes[0]) : nodes[0]
            let name = NodeText.name(of: root, in: forest)
            return ((wholeChain ? .chain(id) : .node(id), [root]), wholeChain ? "the whole chain of \(name)" : name)
        }
        var roots = nodes
        if wholeChain {
            var seen: Set<NodeIndex> = []
            roots = nodes.map { forest.root(of: $0) }.filter { seen.insert($0).inserted }
        }
        return ((.nodes(roots.map { forest.id(of: $0) }), roots), "")
    }

    fileprivate func add(_ scope: CancelScope, of roots: [NodeIndex], to question: inout Confirmation) {
        let forest = forest!
        let live = Self.live(under: roots, in: forest, limit: Confirmation.countLimit - question.count)
        guard !live.isEmpty else { return }
        question.parts.append(
            .init(source: source, process: forest.process, scope: scope, nodes: live.map { forest.id(of: $0) }))
        question.count += live.count
        question.isAtLeast = question.count >= Confirmation.countLimit
        for node in live.prefix(Confirmation.labelLimit - question.labels.count) {
            question.labels.append("\(forest.state(of: node).word)  \(NodeText.name(of: node, in: forest))")
        }
    }

    /// Asks about all that is pending in the program: O(its live chains). A command names so many of them at most.
    fileprivate func questionAboutAll() -> Confirmation? {
        guard let forest else { return nil }
        var chains: [NodeIndex] = []
        var key = outline.list.first
        while let current = key, current.section == .live {
            if let root = forest.index(of: NodeID(current.id)), forest.chain(of: root).liveCount > 0 {
                chains.append(root)
            }
            key = outline.list.key(after: current)
        }
        let words = chains.count == 1 ? "1 chain" : "\(CountText.grouped(chains.count)) chains"
        var question = Confirmation(parts: [], what: "everything in \(shownName) (\(words))", count: 0, labels: [])
        add(.nodes([]), of: chains, to: &question)
        let marked = question.parts.first?.nodes ?? []
        question.parts = stride(from: 0, to: chains.count, by: Self.chainLimit).map { first in
            let ids = chains[first..<min(first + Self.chainLimit, chains.count)].map { forest.id(of: $0) }
            return .init(
                source: source, process: forest.process, scope: .nodes(ids), nodes: first == 0 ? marked : [])
        }
        question.count = forest.totals.counts.liveCount
        question.isAtLeast = false
        return question
    }

    private static let chainLimit = 4_096

    /// The live nodes at and under some nodes, each once, at most `limit`.
    private static func live(
        under roots: [NodeIndex], in forest: borrowing ChainForest, limit: Int
    ) -> [NodeIndex] {
        var live: [NodeIndex] = []
        var seen: Set<NodeIndex> = []
        for root in roots where live.count < limit && !seen.contains(root) {
            var stack = [root]
            while let node = stack.popLast(), live.count < limit {
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
}
