import ChainModel

// What happens to rows as time passes, and which nodes are marked for commands.
extension Program {
    /// Whether a settled chain is to be moved down.
    var hasDue: Bool { rowModel.hasDue(now: now) }

    /// Moves settled chains down, except the one with the selected node. Returns the row that the chain of `watched`
    /// began at, if that chain moved.
    mutating func archive(selected: NodeIndex?, watched: NodeIndex?) -> Int? {
        rowModel.archive(in: forest, now: now, selected: selected, watched: watched)
    }

    /// Folds fulfilled nodes inside live chains, and nodes that got many children; true if rows may have changed.
    mutating func autoFold(selected: NodeIndex?) -> Bool {
        guard isReached else { return false }
        return rowModel.autoFold(in: forest, now: now, selected: selected)
    }

    // MARK: Commands

    /// Marks nodes as asked to be cancelled, until the program answers the command.
    mutating func mark(_ nodes: [NodeID], for command: UInt64) {
        forest.markCancelRequested(nodes)
        follow()
        requests.append(Request(id: command, nodes: nodes))
        if requests.count > Self.requestLimit { requests.removeFirst() }
    }

    mutating func unmark(_ nodes: [NodeID]) {
        forest.unmarkCancelRequested(nodes)
        follow()
    }

    mutating func takeRequest(_ command: UInt64) -> Request? {
        requests.firstIndex { $0.id == command }.map { requests.remove(at: $0) }
    }

    static let requestLimit = 64
}
