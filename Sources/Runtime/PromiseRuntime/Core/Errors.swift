// SPDX-License-Identifier: MIT

import ChainEvents

/// The source of a cancellation.
public enum CancelledBy: Hashable, Sendable, CustomStringConvertible {
    /// The program itself.
    case program
    /// A viewer, by its name.
    case viewer(String)

    /// `program`, or the viewer's name.
    public var description: String {
        switch self {
        case .program: "program"
        case .viewer(let name): name
        }
    }
}

/// The error of a promise that was cancelled (<doc:TheRules>, X1).
public struct PromiseCancelledError: Error, Hashable, CustomStringConvertible {
    /// The reason, if one was given.
    public var reason: String?
    /// The source of the cancellation.
    public var by: CancelledBy

    /// Describes a cancellation.
    public init(reason: String? = nil, by: CancelledBy = .program) {
        self.reason = reason
        self.by = by
    }

    /// `cancelled by` the source, and the reason if there is one.
    public var description: String { "cancelled by \(source)" }

    /// The source, and the reason if there is one.
    var source: String { "\(by)" + (reason.map { ": \($0)" } ?? "") }
}

/// The error of a promise that was abandoned: its resolver was released without settling the promise, or an executor
/// dropped the promise's job (<doc:TheRules>, S2). So nothing would settle the promise any more.
public struct PromiseAbandonedError: Error, Hashable, CustomStringConvertible {
    /// Where the promise was made.
    public var site: CodeLocation
    /// The labels of the promise and its pending ancestors; promises without a label are left out.
    public var labels: [String]
    /// Whether an executor dropped the promise's job; otherwise the resolver was released.
    let isJobDropped: Bool

    /// What happened, and what to do if a resolver was released.
    public var description: String {
        let path = labels.isEmpty ? "" : " (\(labels.joined(separator: " ‹ ")))"
        if isJobDropped {
            return "abandoned: the executor of the promise made at \(site)\(path) dropped its job without running it"
        }
        return "abandoned: the resolver of the promise made at \(site)\(path) was released; keep it until it settles"
    }
}

/// The error of a promise that would wait for itself: directly, or through parents, followed promises and members of
/// combinators (Promises/A+ 2.3.1).
public struct PromiseCycleError: Error, Hashable, CustomStringConvertible {
    /// The call sites of the promises of the cycle, the rejected promise first. Each promise waits for the next, and
    /// the last promise waits for the first.
    public var sites: [CodeLocation]

    /// Where the rejected promise was made.
    public var site: CodeLocation { sites[0] }

    /// Describes a cycle of at least one promise.
    public init(sites: [CodeLocation]) {
        precondition(!sites.isEmpty, "a cycle has at least 1 promise")
        self.sites = sites
    }

    /// What happened, and the promises on the way.
    public var description: String {
        let shown = sites.prefix(8).map { "\($0)" }.joined(separator: ", which waits for ")
        let more = sites.count > 8 ? ", and \(sites.count - 8) more" : ""
        return "a promise cannot wait for itself: made at \(shown)\(more)"
    }
}

/// The error of a ``Promise/timeout(_:label:file:line:)``, or of a blocking wait with a timeout, that reached its
/// limit.
public struct PromiseTimeoutError: Error, Hashable, CustomStringConvertible {
    /// The limit.
    public var limit: Duration

    /// `timed out after` the limit.
    public var description: String { "timed out after \(limit)" }
}

/// The error of ``Promise/any(_:cancellingLosers:label:file:line:)`` if every member is rejected. Also the error of
/// every `any` and `race` without members.
public struct AllRejectedError: Error, CustomStringConvertible {
    /// The members' errors, in the order of the members; empty if there were no members.
    public var errors: [any Error]

    /// The number of failed members, and the error of the last member.
    public var description: String {
        guard let last = errors.last else { return "none of 0 members" }
        return "all \(errors.count) failed, the last with: \(last)"
    }
}

/// An error that no handler received before its promise was released.
public struct UnhandledRejection: Sendable {
    /// The promise's id.
    public var id: NodeID
    /// Where the promise was made.
    public var site: CodeLocation
    /// The promise's label, if it has one.
    public var label: String?
    /// The unhandled error.
    public var error: any Error
}

/// A promise that was abandoned.
public struct AbandonedPromise: Sendable {
    /// The promise's id.
    public var id: NodeID
    /// Holds the call site, and the labels of the promise and its pending ancestors.
    public var error: PromiseAbandonedError
}
