import ChainEvents
import ChainModel

/// Filtering, matches, and the way to what holds a node up.
extension State {
    /// Goes on typing a filter; what was typed so far is in force at once.
    mutating func type(_ text: String) {
        mode = .filter(text)
        if text != outline.filter.text || !outline.filter.isActive {
            outline.setFilter(text)
            scanSome()
        }
        arrange()
    }

    /// A small forest is searched at once, a large one goes on with each tick.
    private mutating func scanSome() {
        guard forest != nil else { return }
        _ = outline.scan(in: forest!, budget: Self.scanBudget)
    }

    mutating func accept(_ text: String) {
        mode = .tree
        if text.isEmpty {
            dropFilter()
        } else if outline.filter.count == 0, outline.filter.cursor == nil {
            say("nothing holds “\(text)” yet; Esc drops the filter", .warning)
        } else if following == .first {
            // Who is selected now was looked for: dropping the filter leaves the selection there.
            following = .nobody
        }
        arrange()
    }

    mutating func dropFilter() {
        if case .filter = mode { mode = .tree }
        outline.setFilter("")
        arrange()
    }

    mutating func toggleDim() {
        guard forest != nil, outline.filter.isActive else { return say("no filter is set; / sets one") }
        outline.toggleDim(in: forest!)
        say(outline.filter.dims ? "what does not match is dimmed" : "what does not match is hidden")
        arrange()
    }

    mutating func goToMatch(forward: Bool) {
        guard forest != nil, outline.filter.isActive else { return say("no filter is set; / sets one") }
        guard let found = match(forward: forward) else { return say("no match \(forward ? "below" : "above")") }
        reveal(found)
    }

    /// The next match below or above the selection: in its chain, else in the nearest chain that has one.
    private mutating func match(forward: Bool) -> NodeIndex? {
        let matching = outline.matchList
        guard let current = selectedIndex, let key = outline.key(of: forest!.root(of: current)) else {
            guard let first = matching.first, let root = forest!.index(of: NodeID(first.id)) else { return nil }
            return matches(in: root).first
        }
        let all = ChainWalk.rows(of: forest!.root(of: current), in: forest!, isFolded: { _, _ in false })
        if let place = all.firstIndex(where: { $0.node == current }) {
            let rest = forward ? Array(all[(place + 1)...]) : all[..<place].reversed()
            if let row = rest.first(where: { outline.filter.isMatch($0.node) }) { return row.node }
        }
        guard let other = forward ? matching.key(after: key) : matching.key(before: key),
            let root = forest!.index(of: NodeID(other.id))
        else { return nil }
        return forward ? matches(in: root).first : matches(in: root).last
    }

    private func matches(in root: NodeIndex) -> [NodeIndex] {
        guard let forest else { return [] }
        return ChainWalk.rows(of: root, in: forest, isFolded: { _, _ in false })
            .map(\.node).filter { outline.filter.isMatch($0) }
    }

    // MARK: Why

    private static let wayLimit = 10_000

    /// Goes from the selected node to the one that holds it up, and says the way.
    mutating func goToBlocker() {
        guard let forest, let start = selectedIndex else { return say("there is no node to ask about") }
        var way = [start]
        var seen: Set<NodeIndex> = [start]
        var blocker = forest.blocker(of: start)
        while let next = blocker.node, way.count < Self.wayLimit {
            guard seen.insert(next).inserted else {
                return say("a ring: \(NodeText.name(of: next, in: forest)) waits for itself", .warning)
            }
            way.append(next)
            blocker = forest.blocker(of: next)
        }
        let end = way[way.count - 1]
        let reason = Self.words(for: blocker.reason, of: end, in: forest)
        guard end != start else {
            return say("\(NodeText.name(of: start, in: forest)) \(reason)")
        }
        var names = way.map { NodeText.name(of: $0, in: forest) }
        if names.count > 5 { names.replaceSubrange(2..<(names.count - 2), with: ["\(names.count - 4) more"]) }
        let arrow = " \(options.glyphs.right) "
        reveal(end)
        say(names.joined(separator: arrow) + ": " + reason)
    }

    private static func words(for reason: Blocker.Reason, of node: NodeIndex, in forest: borrowing ChainForest)
        -> String
    {
        let view = forest.node(node)
        switch reason {
        case .settled: return "waits for nothing: it is \(view.state.word)"
        case .parent: return "waits for its parent"
        case .aboutToRun: return "is about to be queued"
        case .queued:
            let name = forest.executors[view.executor].map { " on \($0)" } ?? ""
            return "waits for its turn\(name)"
        case .running:
            let name = forest.threads[view.thread].map { " on \($0)" } ?? ""
            return "runs\(name)"
        case .follows: return "follows another"
        case .member: return "waits for a member"
        case .aboutToSettle: return "is about to settle"
        case .timer: return "waits for its timer"
        case .resolver: return "waits for the program to resolve it"
        }
    }
}
