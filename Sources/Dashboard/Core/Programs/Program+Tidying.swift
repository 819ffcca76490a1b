import ChainEvents
import ChainModel

// What its outline does by itself as time goes on, and what is marked and sent.
extension Program {
    /// Whether a settled chain is to go down.
    var hasDue: Bool { outline.hasDue(now: now) }

    /// Lets settled chains go down, but for the one with the selected node. Gives the row that the chain of `watched`
    /// began at, if that one went.
    mutating func retire(selected: NodeIndex?, watched: NodeIndex?) -> Int? {
        outline.archive(in: forest!, now: now, selected: selected, watched: watched)
    }

    /// Folds what has gone well inside live chains, and who got many children; true if there was anything to look at.
    mutating func tidy(selected: NodeIndex?) -> Bool {
        guard forest != nil else { return false }
        return outline.autoFold(in: forest!, now: now, selected: selected)
    }

    // MARK: Commands

    /// Marks nodes as asked to be cancelled, until the program answers the command.
    mutating func mark(_ nodes: [NodeID], for command: UInt64) {
        forest?.markCancelRequested(nodes)
        follow()
        requests.append(Request(id: command, nodes: nodes))
        if requests.count > Self.requestLimit { requests.removeFirst() }
    }

    mutating func unmark(_ nodes: [NodeID]) {
        forest?.unmarkCancelRequested(nodes)
        follow()
    }

    mutating func takeRequest(_ command: UInt64) -> Request? {
        requests.firstIndex { $0.id == command }.map { requests.remove(at: $0) }
    }

    static let requestLimit = 64
}
