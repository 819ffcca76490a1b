// SPDX-License-Identifier: MIT

import ChainModel
import Frames

// Words for a node's marks, in its details and in the lines of `chainview ps`.
extension NodeMark {
    /// The words after the state in the details; nil if another field of the details shows the mark already.
    package var detail: (words: String, style: Style)? {
        switch self {
        case .cancelRequested: ("cancel requested", .cancelled)
        case .stillOnThread: ("still on a thread", .warning)
        case .unhandled: ("unhandled error", .warning)
        case .settledAgain: ("settled again", .warning)
        case .hasBlocked: ("blocked a worker", .warning)
        case .hasMisusedAwait: ("a wait was refused", .warning)
        case .seenLate, .byViewer, .released, .external: nil
        }
    }

    /// The words in brackets after the name in a line of text; nil for a mark that needs no attention.
    package var note: String? {
        switch self {
        case .cancelRequested: "cancel requested"
        case .stillOnThread: "still on its thread"
        case .seenLate: "seen late"
        case .byViewer: "by a viewer"
        case .settledAgain: "settled again"
        case .unhandled: "unhandled error"
        case .hasBlocked: "blocked a worker"
        case .hasMisusedAwait: "a wait was refused"
        case .released, .external: nil
        }
    }
}
