import FlyingFox
import PromiseRuntime

/// Why the shop does not do what it was asked for, with the cause where something else failed first.
struct Refusal: Error, CustomStringConvertible {
    var status: HTTPStatusCode
    var description: String
    var cause: (any Error)?

    init(_ status: HTTPStatusCode, _ description: String, cause: (any Error)? = nil) {
        self.status = status
        self.description = description
        self.cause = cause
    }
}

extension Error {
    /// The status that tells a client of this error.
    var status: HTTPStatusCode {
        switch self {
        case let refusal as Refusal: refusal.status
        case is PromiseCancelled: .serviceUnavailable
        case is PromiseTimedOut: .gatewayTimeout
        default: .internalServerError
        }
    }

    /// What led to it, the nearest first.
    var causes: [any Error] {
        switch self {
        case let refusal as Refusal: refusal.cause.map { [$0] + $0.causes } ?? []
        case let all as AllRejected: all.errors
        default: []
        }
    }
}

/// What a client gets instead of an answer.
struct Failure: Codable, Sendable {
    /// What happened, in words.
    var error: String
    var causes: [String]?
    /// The chain's root, as the viewer names it.
    var node: UInt64?
    /// Who cancelled the chain, where somebody did.
    var cancelledBy: String?
    var reason: String?

    init(error: String) { self.error = error }

    init(_ error: any Error, node: UInt64) {
        self.node = node
        if let cancelled = error as? PromiseCancelled {
            self.error = "cancelled"
            cancelledBy = "\(cancelled.by)"
            reason = cancelled.reason
        } else {
            self.error = "\(error)"
            let texts = error.causes.map { "\($0)" }
            causes = texts.isEmpty ? nil : texts
        }
    }
}
