// SPDX-License-Identifier: MIT

import ChainModel
import Frames

/// Words and details of events.
package enum EventText {
    /// The number of letters of the longest word.
    package static let wordWidth = 10

    /// Returns the kind of an event in one word.
    package static func word(_ kind: EventKind) -> String {
        switch kind {
        case .created: "made"
        case .linked: "linked"
        case .queued: "queued"
        case .started: "started"
        case .ended: "ended"
        case .adopted: "adopted"
        case .fulfilled: "fulfilled"
        case .rejected: "rejected"
        case .cancelRequested: "cancelling"
        case .cancelled: "cancelled"
        case .skipped: "skipped"
        case .abandoned: "abandoned"
        case .settledAgain: "resettled"
        case .unhandled: "unhandled"
        case .released: "released"
        case .blocked: "blocked"
        case .awaited: "awaited"
        // Not `EventKind.resumed`, which is the next step of a task.
        case .awaitEnded: "resumed"
        case .awaitMisused: "refused"
        case .renamed: "renamed"
        case .remoteParent: "called"
        case .resumed: "continued"
        case .suspended: "suspended"
        case .stalled: "stalled"
        case .stallEnded: "unblocked"
        case .waitsFor: "waiting"
        case .heldBy: "held"
        }
    }

    /// Returns the style of an event: the style of the state that its node enters or will enter. A fault has
    /// `.warning`, `awaited` has `.pending`, and other events have `.normal` or `.dim`.
    package static func style(_ kind: EventKind) -> Style {
        switch kind {
        case .created: .normal
        case .linked, .ended, .adopted, .released, .awaitEnded, .renamed, .remoteParent, .stallEnded,
            .heldBy:
            .dim
        case .queued: .queued
        case .started, .resumed: .running
        case .fulfilled: .fulfilled
        case .rejected: .rejected
        case .cancelRequested, .cancelled: .cancelled
        case .skipped: .skipped
        case .abandoned: .abandoned
        case .settledAgain, .unhandled, .blocked, .awaitMisused: .warning
        case .awaited, .suspended, .stalled, .waitsFor: .pending
        }
    }

    /// Returns the details of an event, not escaped; `text` is the text that was recorded with the event, not escaped
    /// either.
    package static func detail(of event: ChainEvent, text: String?, in forest: borrowing ChainForest) -> (
        text: String, style: Style
    ) {
        func name(_ id: NodeID) -> String {
            forest.index(of: id).map { "\(NodeText.name(of: $0, in: forest)) \(id)" } ?? "\(id)"
        }
        func stepTime(_ step: KeyPath<NodeView, UInt64?>) -> UInt64? {
            forest.index(of: event.node).flatMap { forest.node($0)[keyPath: step] }
        }
        func since(_ time: UInt64?) -> String? {
            time.flatMap { $0 <= event.time ? DurationText.settled(event.time - $0) : nil }
        }
        switch event.kind {
        case .created:
            var words = event.nodeKind.word
            if let site = forest.sites[event.site], !site.fileID.isEmpty { words += " at \(site)" }
            if event.other != .none {
                let isSeparate = event.flags.contains(.separateChain)
                let relation = isSeparate ? ", in group of " : event.flags.contains(.hasParent) ? ", after " : ", by "
                words += relation + name(event.other)
            }
            if event.flags.contains(.late) { words += ", before recording began" }
            return (words, .dim)
        case .linked: return ("member \(name(event.other))", .dim)
        case .adopted: return ("follows \(name(event.other))", .dim)
        case .queued: return (forest.executors[event.detail].map { "on \($0)" } ?? "", .dim)
        case .started: return (since(stepTime(\.queued)).map { "after \($0) in the queue" } ?? "", .dim)
        case .ended: return (since(stepTime(\.started)).map { "after \($0)" } ?? "", .dim)
        case .fulfilled: return (text ?? "", .normal)
        case .rejected, .unhandled: return (text ?? "", .error)
        case .cancelRequested:
            let origin = text.map { "by \($0)" } ?? ""
            let from = event.other == .none ? "" : (origin.isEmpty ? "" : ", ") + "from \(name(event.other))"
            return (origin + from, .cancelled)
        case .cancelled: return (text ?? "", .cancelled)
        case .skipped: return (event.flags.contains(.error) ? "passes an error on" : "passes a value on", .dim)
        case .abandoned: return (text ?? "its resolver was released, or its job dropped", .abandoned)
        case .settledAgain: return (text ?? "a later attempt, which did nothing", .normal)
        case .released: return ("", .dim)
        case .blocked: return (text ?? "its handler blocks a worker", .warning)
        case .awaited:
            let handler = event.other == .none ? "" : " in the handler of \(name(event.other))"
            return ("a thread blocks for it" + handler, .dim)
        case .awaitEnded, .stallEnded: return ("its thread goes on", .dim)
        case .stalled: return ("its thread is blocked\(event.systemWait.words)", .pending)
        case .awaitMisused: return (text ?? "a wait that could not end", .warning)
        case .renamed: return (text.map { "to \($0)" } ?? "", .dim)
        case .remoteParent:
            let parent = text.flatMap { NodeKey(text: $0) }
            return (parent.map { "from \($0.id) of another program" } ?? "", .dim)
        case .resumed, .suspended: return ("", .dim)
        case .waitsFor:
            if event.other != .none { return ("for \(name(event.other))", .dim) }
            let target = NodeText.target(of: TaskWait(target: event.waitTarget, since: event.time), in: forest)
            return (target.map { "for \($0)" } ?? (event.waitTarget == .moving ? "moving" : ""), .dim)
        case .heldBy:
            if event.other != .none { return ("by \(name(event.other))", .dim) }
            let thread = forest.threads[event.thread] ?? "thread \(event.thread)"
            return (event.thread == 0 ? "by nobody" : "by \(thread)", .dim)
        }
    }
}
