import ChainEvents
import ChainModel

// What its outline does by itself as time goes on, and what is marked and sent.
extension Program {
    /// Whether a settled chain is to go down.
    var hasDue: Bool { outline.hasDue(now: now) }

    /// Lets settled chains go down, but for the one with the selected node. Gives the row that the chain of `watched`
    /// began at, if that one went.
    mutating func retire(selected: NodeIndex?, watched: NodeIndex?) -> Int? {
        let pinned = selected.map { forest!.root(of: $0) }
        guard let root = watched.map({ forest!.root(of: $0) }) else {
            outline.retire(in: forest!, now: now, pinned: pinned)
            return nil
        }
        let key = outline.key(of: root)
        let row = outline.firstRow(ofChain: root)
        outline.retire(in: forest!, now: now, pinned: pinned)
        return outline.key(of: root) == key ? nil : row
    }

    /// Folds what has gone well inside live chains, and who got many children; true if there was anything to look at.
    mutating func tidy(selected: NodeIndex?) -> Bool {
        guard forest != nil else { return false }
        let isFolded = outline.foldLarge(in: forest!, selected: selected)
        guard outline.hasTidy(now: now) else { return isFolded }
        outline.tidy(in: forest!, now: now, selected: selected)
        return true
    }

    /// Goes on with long work on the rows, at most so many units of it; true if there was any.
    mutating func work(budget: Int) -> Bool {
        guard forest != nil else { return false }
        return outline.work(in: forest!, now: now, budget: budget)
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
