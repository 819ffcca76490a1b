import ChainModel

// Archiving and folding of rows as time passes, and the marks of nodes that are asked to be cancelled.
extension Program {
    /// Whether a settled chain is due to be archived: moved below the live ones.
    var hasDue: Bool { rowModel.hasDue(now: now) }

    /// Archives settled chains that are due, except the one with the selected node. If the chain of `watched` was
    /// archived, returns the row at which it began before.
    mutating func archive(selected: NodeIndex?, watched: NodeIndex?) -> Int? {
        rowModel.archive(in: forest, now: now, selected: selected, watched: watched)
    }

    /// Folds fulfilled nodes inside live chains, and nodes with many children; returns whether rows may have changed.
    mutating func autoFold(selected: NodeIndex?) -> Bool {
        guard isReached else { return false }
        return rowModel.autoFold(in: forest, now: now, selected: selected)
    }

    // MARK: Commands

    /// Marks nodes as asked to be cancelled by a command, and notes the command until the program answers it.
    mutating func mark(_ nodes: [NodeID], for command: UInt64) {
        forest.markCancelRequested(nodes)
        follow()
        requests.append(Request(id: command, nodes: nodes))
        if requests.count > Self.requestLimit { requests.removeFirst() }
        requestHighWater = max(requestHighWater, requests.count)
    }

    mutating func unmark(_ nodes: [NodeID]) {
        forest.unmarkCancelRequested(nodes)
        follow()
    }

    /// Removes and returns the noted request of a command; nil if there is none.
    mutating func takeRequest(_ command: UInt64) -> Request? {
        requests.firstIndex { $0.id == command }.map { requests.remove(at: $0) }
    }

    /// The limit of noted requests; the oldest is dropped first.
    static let requestLimit = 64
}
