import ChainModel

// What a filter does in the views that hide nothing, for bars and threads tell by where they stand.
extension State {
    /// Whether the view that is shown keeps the rows that do not match, dimmed, whatever ``Filter/dims`` says.
    var keepsAllRows: Bool { view == .timeline || view == .threads }

    /// Goes to the next row of the timeline that matches: of the chain that is shown, else of the chains. Costs the rows
    /// in between.
    mutating func goToMatchInTimeline(forward: Bool) {
        let found = timeline.scope == .chain && timelineChain != nil ? matchInChain(forward) : chainWithMatch(forward)
        guard let found else { return say("no match \(forward ? "below" : "above")") }
        select(found)
        updateViewport()
    }

    private func matchInChain(_ forward: Bool) -> RowID? {
        guard let (programIndex, root) = timelineChain, let current = selectedNode?.node else { return nil }
        return programs[programIndex].outline.match(
            from: current, forward: forward, within: root, in: programs[programIndex].forest!
        ).map { rowID(of: $0, in: programIndex) }
    }

    private func chainWithMatch(_ forward: Bool) -> RowID? {
        guard let row = timelineRows(from: timeline.cursor.selected, count: 1).first else { return nil }
        let places = forward ? Array(row.programIndex..<programs.count) : (0...row.programIndex).reversed()
        for programIndex in places {
            guard let forest = programs[programIndex].forest else { continue }
            let outline = programs[programIndex].outline
            var roots = forest.roots[...]
            if programIndex == row.programIndex {
                // A program's own row stands above its chains.
                let number = row.node.map { forest.rootNumber(of: $0) } ?? -1
                roots = forward ? roots[roots.base.index(at: number + 1)...] : roots[..<roots.base.index(at: number)]
            }
            let found =
                forward
                ? roots.first { outline.matchCount(of: $0) > 0 } : roots.last { outline.matchCount(of: $0) > 0 }
            if let found { return rowID(of: found, in: programIndex) }
        }
        return nil
    }

    /// Goes to the next thread on which something runs that matches.
    mutating func goToMatchInThreads(forward: Bool) {
        let rows = threads.rows
        let start = min(max(0, threads.cursor.selected), rows.count)
        let rest = forward ? Array(rows.indices.dropFirst(start + 1)) : rows.indices.prefix(start).reversed()
        guard let number = rest.first(where: { isMatch(rows[$0]) }) else {
            return say("no match \(forward ? "below" : "above")")
        }
        moveInView(to: number)
    }

    private func isMatch(_ row: ThreadsView.Row) -> Bool {
        guard case .lane(let source, let thread) = row, let programIndex = programIndex(of: source),
            let lane = programs[programIndex].insight.threads.lane(of: thread)
        else { return false }
        return programs[programIndex].isMatch(ThreadActivity(lane, in: programs[programIndex].forest!))
    }
}

extension Program {
    /// Whether a node's row is dimmed where nothing is hidden; a whole chain is not while any of it matches.
    func isDimmed(_ node: NodeIndex, isChain: Bool = false) -> Bool {
        guard link.outage == nil else { return true }
        guard outline.isFiltering else { return false }
        return isChain ? outline.matchCount(of: node) == 0 : !outline.isMatch(node)
    }

    /// The same of a thread: what it runs or waits for counts.
    func isDimmed(_ now: ThreadActivity) -> Bool { link.outage != nil || outline.isFiltering && !isMatch(now) }

    /// Whether any of what a thread is in matches.
    func isMatch(_ now: ThreadActivity) -> Bool {
        now.entries.contains { forest?.index(of: $0.node).map { outline.isMatch($0) } ?? false }
    }
}
