// SPDX-License-Identifier: MIT

extension ChainForest {
    /// Returns the forest as text, one line for each node, indented as it is drawn: state, kind, id, label, some marks,
    /// summary and count of evicted nodes. With `facts`, also all marks, site, thread, executor, origin, times and
    /// links, what a task waits for and is suspended in, who holds an actor, and the counts of each chain.
    ///
    /// For tests, which compare forests by their dumps, and for scripts. Texts are not escaped. O(nodes).
    public func dump(facts: Bool = false) -> String {
        var text = ""
        for root in roots {
            var cursor = root.rawValue
            var depth = 0
            while true {
                append(cursor, depth, facts, to: &text)
                let node = data.nodes[cursor]
                if node.pointee.firstChild != noSlot {
                    if data.indents(cursor) { depth += 1 }
                    cursor = node.pointee.firstChild
                    continue
                }
                while cursor != root.rawValue, data.nodes[cursor].pointee.next == noSlot {
                    cursor = data.nodes[cursor].pointee.treeParent
                    if data.indents(cursor) { depth -= 1 }
                }
                if cursor == root.rawValue { break }
                cursor = data.nodes[cursor].pointee.next
            }
        }
        return text
    }

    private func append(_ slot: UInt32, _ depth: Int, _ facts: Bool, to text: inout String) {
        let index = NodeIndex(rawValue: slot)
        let view = node(index)
        for _ in 0..<depth { text += "  " }
        text += "\(view.state.word) \(view.kind.word) \(view.id)"
        if let label = label(of: index) { text += " \(label)" }
        if view.marks.contains(.cancelRequested) { text += " (cancel requested)" }
        if view.marks.contains(.stillOnThread) { text += " (still on a thread)" }
        if view.marks.contains(.seenLate) { text += " (seen late)" }
        if let summary = summary(of: index) { text += ": \(summary)" }
        let goneCount = evictedCount(of: index)
        if goneCount > 0 { text += " (\(goneCount) gone)" }
        if facts { appendFacts(view, to: &text) }
        text += "\n"
    }

    private func appendFacts(_ view: NodeView, to text: inout String) {
        let index = view.index
        text += " | \(view.settlement) marks \(view.marks.rawValue) site \(view.site) thread \(view.thread)"
        text += " executor \(view.executor) origin \(origin(of: index)) \(view.hasParent ? "parent" : "creator")"
        if isSeparate(index) { text += " separate" }
        if let placed = treeParent(of: index) { text += " under \(id(of: placed))" }
        text += " @\(view.created)"
        for (name, time) in [
            ("queued", view.queued), ("started", view.started), ("ended", view.ended), ("settled", view.settled),
        ] {
            if let time { text += " \(name) \(time)" }
        }
        if let extra = extraFacts(of: index), extra.cancelRequestedAt != 0 {
            text += " cancel \(extra.cancelRequestedAt) by \(canceller(of: index) ?? "?")"
        }
        for link in links(of: index) { text += " \(link.role) \(id(of: link.node)) \(link.time)" }
        if let wait = taskWait(of: index) {
            text += " waits for \(wait.target) \(wait.node.map { id(of: $0) } ?? .none) \(wait.since)"
        }
        if isMoving(index) { text += " moving" }
        // Frames that may be out of date are left out, because keyframes of recordings do not have them.
        if !lacksFrames(of: index), let frames = frames(of: index) {
            text += " in \(frames.split(separator: "\n").joined(separator: ", "))"
        }
        if let holder = holder(of: index) {
            text += " held by \(holder.node.map { id(of: $0) } ?? .none) thread \(holder.thread) \(holder.since)"
        }
        if isRoot(index) {
            let chain = chain(of: index)
            text += " chain \(NodeState.allCases.map { chain.counts[$0] }) \(chain.evictedCount)"
            if let settled = chain.settled { text += " over \(settled)" }
            if let first = chain.firstRejected { text += " first rejected \(id(of: first))" }
        }
    }
}
