// SPDX-License-Identifier: MIT

import ChainModel

/// A cancellation that was sent, and the nodes that were marked for it. If the program refuses the cancellation, the
/// marks are removed.
struct CancelRequest {
    var id: UInt64
    var nodes: [NodeID]
}

// The marks of nodes for which a cancellation was requested.
extension Program {
    /// Marks the nodes that a command is to cancel, and notes the command until the program answers it.
    mutating func markCancelRequested(_ nodes: [NodeID], for command: UInt64) {
        forest.markCancelRequested(nodes)
        applyForestChanges()
        cancelRequests.append(CancelRequest(id: command, nodes: nodes))
        if cancelRequests.count > Self.cancelRequestLimit { cancelRequests.removeFirst() }
        cancelRequestHighWater = max(cancelRequestHighWater, cancelRequests.count)
    }

    mutating func unmarkCancelRequested(_ nodes: [NodeID]) {
        forest.unmarkCancelRequested(nodes)
        applyForestChanges()
    }

    /// Removes and returns the noted request of a command; nil if there is none.
    mutating func takeCancelRequest(_ command: UInt64) -> CancelRequest? {
        cancelRequests.firstIndex { $0.id == command }.map { cancelRequests.remove(at: $0) }
    }

    /// The maximum number of requests that are noted at a time; beyond this limit the oldest request is dropped.
    static let cancelRequestLimit = 64
}
