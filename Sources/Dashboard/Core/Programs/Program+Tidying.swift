import ChainModel
import ChainRows

/// A cancellation that was sent, and the nodes that are marked until its result comes.
struct Request {
    var id: UInt64
    var nodes: [NodeID]
}

// Archiving and folding of rows as time passes, and the marks of nodes that are asked to be cancelled.
extension Program {
    /// Archives settled chains, and folds fulfilled nodes inside live chains and nodes with many children, except around
    /// the selected node. `watched` is a node of the chain at the top of the screen.
    mutating func tidy(selected: NodeIndex?, watched: NodeIndex?) -> RowModel.Tidying {
        rowModel.tidy(in: forest, now: now, selected: selected, watched: watched)
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
