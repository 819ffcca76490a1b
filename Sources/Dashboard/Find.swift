import ChainEvents
import ChainModel
import Frames

/// Filtering, matches, and the way to what holds a node up.
extension State {
    /// Goes on typing a filter; what was typed so far is in force at once.
    mutating func type(_ text: String) {
        mode = .filter(text)
        if text.lowercased() != filter.text || !filter.isActive { setFilter(text) }
        arrange()
    }

    /// A small forest is searched at once, a large one goes on with each tick.
    private mutating func setFilter(_ text: String) {
        filter.text = text.lowercased()
        for place in observed.indices {
            observed[place].setFilter(filter)
            _ = observed[place].scan(budget: Self.scanBudget / observed.count)
        }
    }

    /// Matching nodes of all programs, so far.
    var matchCount: Int { observed.reduce(0) { $0 + $1.outline.filter.count } }

    /// Whether there may be more.
    var isScanning: Bool { observed.contains(where: \.isScanning) }

    mutating func accept(_ text: String) {
        mode = .tree
        if text.isEmpty {
            dropFilter()
        } else if matchCount == 0, !isScanning {
            say("nothing holds “\(text)” yet; Esc drops the filter", .warning)
        } else if following == .first {
            // Who is selected now was looked for: dropping the filter leaves the selection there.
            following = .nobody
        }
        arrange()
    }

    mutating func dropFilter() {
        if case .filter = mode { mode = .tree }
        setFilter("")
        arrange()
    }

    mutating func toggleDim() {
        guard filter.isActive else { return say("no filter is set; / sets one") }
        filter.dims.toggle()
        for place in observed.indices { observed[place].toggleDim() }
        say(filter.dims ? "what does not match is dimmed" : "what does not match is hidden")
        arrange()
    }

    mutating func goToMatch(forward: Bool) {
        guard filter.isActive else { return say("no filter is set; / sets one") }
        guard let (place, node) = match(forward: forward) else {
            return say("no match \(forward ? "below" : "above")")
        }
        reveal(node, in: place)
    }

    /// The next match below or above the selection: in its chain, else in the nearest chain that has one, else in the
    /// nearest program.
    private func match(forward: Bool) -> (place: Int, node: NodeIndex)? {
        guard let start = selectedPlace else { return firstMatch(in: Array(observed.indices), forward: true) }
        let others = Array(forward ? observed.indices[(start + 1)...] : observed.indices[..<start])
        if let current = selectedNode {
            if let node = observed[start].match(from: current.node, forward: forward) { return (start, node) }
        } else if forward, let node = observed[start].firstMatch(forward: true) {
            return (start, node)
        }
        return firstMatch(in: forward ? others : others.reversed(), forward: forward)
    }

    private func firstMatch(in places: [Int], forward: Bool) -> (place: Int, node: NodeIndex)? {
        for place in places { if let node = observed[place].firstMatch(forward: forward) { return (place, node) } }
        return nil
    }

    // MARK: Why

    private static let wayLimit = 10_000

    /// Goes from the selected node to the one that holds it up, and says the way.
    mutating func goToBlocker() {
        guard let (place, start) = selectedNode else { return say("there is no node to ask about") }
        let (end, words) = Self.way(from: start, in: observed[place].forest!, options.glyphs)
        if let end, end != start { reveal(end, in: place) }
        say(words, end == nil ? .warning : .plain)
    }

    /// Who holds a node up, nobody where that is a ring, and the way there in words.
    private static func way(
        from start: NodeIndex, in forest: borrowing ChainForest, _ glyphs: Glyphs
    ) -> (end: NodeIndex?, words: String) {
        var way = [start]
        var seen: Set<NodeIndex> = [start]
        var blocker = forest.blocker(of: start)
        while let next = blocker.node, way.count < Self.wayLimit {
            guard seen.insert(next).inserted else {
                return (nil, "a ring: \(NodeText.name(of: next, in: forest)) waits for itself")
            }
            way.append(next)
            blocker = forest.blocker(of: next)
        }
        let end = way[way.count - 1]
        let reason = Self.words(for: blocker.reason, of: end, in: forest)
        guard end != start else { return (end, "\(NodeText.name(of: start, in: forest)) \(reason)") }
        var names = way.map { NodeText.name(of: $0, in: forest) }
        if names.count > 5 { names.replaceSubrange(2..<(names.count - 2), with: ["\(names.count - 4) more"]) }
        return (end, names.joined(separator: " \(glyphs.right) ") + ": " + reason)
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
        case .awaits: return "blocks its thread for another"
        case .timer: return "waits for its timer"
        case .resolver: return "waits for the program to resolve it"
        }
    }
}

extension Observed {
    mutating func toggleDim() {
        guard let forest else { return outline.filter.dims.toggle() }
        outline.toggleDim(in: forest)
    }

    /// The first match, or the last.
    fileprivate func firstMatch(forward: Bool) -> NodeIndex? {
        let matching = outline.matchList
        guard let key = forward ? matching.first : matching.last else { return nil }
        return match(in: key, forward: forward)
    }

    /// The next match after a node, or before it.
    fileprivate func match(from current: NodeIndex, forward: Bool) -> NodeIndex? {
        guard let forest, case let root = forest.root(of: current), let key = outline.key(of: root) else {
            return firstMatch(forward: forward)
        }
        let all = ChainWalk.rows(of: root, in: forest, isFolded: { _, _ in false })
        if let place = all.firstIndex(where: { $0.node == current }) {
            let rest = forward ? Array(all[(place + 1)...]) : all[..<place].reversed()
            if let row = rest.first(where: { outline.filter.isMatch($0.node) }) { return row.node }
        }
        let other = forward ? outline.matchList.key(after: key) : outline.matchList.key(before: key)
        return other.flatMap { match(in: $0, forward: forward) }
    }

    private func match(in key: RootKey, forward: Bool) -> NodeIndex? {
        guard let forest, let root = forest.index(of: NodeID(key.id)) else { return nil }
        let rows = ChainWalk.rows(of: root, in: forest, isFolded: { _, _ in false })
        let isMatch = { (row: TreeRow) in outline.filter.isMatch(row.node) }
        return (forward ? rows.first(where: isMatch) : rows.last(where: isMatch))?.node
    }
}
