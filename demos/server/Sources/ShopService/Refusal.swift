import FlyingFox
import PromiseRuntime

/// The error of a request that the shop refuses, with its cause if another error led to it.
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
    /// The HTTP status for this error.
    var status: HTTPStatusCode {
        switch self {
        case let refusal as Refusal: refusal.status
        case is PromiseCancelledError: .serviceUnavailable
        case is PromiseTimeoutError: .gatewayTimeout
        default: .internalServerError
        }
    }

    /// The errors that led to this one, the nearest first.
    var causes: [any Error] {
        switch self {
        case let refusal as Refusal: refusal.cause.map { [$0] + $0.causes } ?? []
        case let all as AllRejectedError: all.errors
        default: []
        }
    }
}

/// The answer to a request that failed.
struct Failure: Codable, Sendable {
    /// The error in words.
    var error: String
    var causes: [String]?
    /// The number of the chain's root in the viewer.
    var node: UInt64?
    /// The canceller of the chain, if it was cancelled.
    var cancelledBy: String?
    var reason: String?

    init(error: String) { self.error = error }

    init(_ error: any Error, node: UInt64) {
        self.node = node
        if let cancelled = error as? PromiseCancelledError {
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

// SPDX-License-Identifier: MIT
