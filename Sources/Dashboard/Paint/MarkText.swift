import ChainModel
import Frames

/// What people read of a node's marks: in its details, and in the lines of `chainview ps`.
extension NodeMark {
    /// What stands behind its state; nil for what other fields of the details say.
    var detail: (words: String, style: Style)? {
        switch self {
        case .cancelRequested: ("cancel requested", .cancelled)
        case .stillOnThread: ("still on a thread", .warning)
        case .unhandled: ("nobody handled it", .warning)
        case .settledAgain: ("settled again", .warning)
        case .hasBlocked: ("blocked a worker", .warning)
        case .hasMisusedAwait: ("a wait was refused", .warning)
        // By the words "first heard of", by the line on its cancellation, and by the line on its kind.
        case .seenLate, .byViewer, .released, .external: nil
        }
    }

    /// What stands in brackets behind the name in a line of text; nil for what is no news about a node.
    var note: String? {
        switch self {
        case .cancelRequested: "cancel requested"
        case .stillOnThread: "still on its thread"
        case .seenLate: "seen late"
        case .byViewer: "by a viewer"
        case .settledAgain: "settled again"
        case .unhandled: "nobody handled it"
        case .hasBlocked: "blocked a worker"
        case .hasMisusedAwait: "a wait was refused"
        case .released, .external: nil
        }
    }
}
