import FlyingFox
import Foundation
import PromiseRuntime
import Synchronization

/// Starts a chain for each request, and turns its outcome into an answer.
final class Desk: Sendable {
    /// The time limit of a request.
    static let limit = Duration.seconds(600)

    let runtime: ChainRuntime
    /// The port of this server; 0 until it listens.
    let port = Mutex<UInt16>(0)
    private let underWay = Mutex(UnderWay())

    private struct UnderWay {
        var chains: [ObjectIdentifier: AnyPromise] = [:]
        var isClosed = false
    }

    init(runtime: ChainRuntime) { self.runtime = runtime }

    /// The number of pending requests.
    var chainCount: Int { underWay.withLock { $0.chains.count } }

    /// Starts a request's chain, waits for it, and returns its value or its error as the answer.
    ///
    /// The root promise follows the promise that `make` returns. A cancellation of either ends the wait at once. The call
    /// site of this function is the root's in the viewer.
    func answer<Answer: Encodable & Sendable>(
        _ request: HTTPRequest, _ label: String, file: StaticString = #fileID, line: UInt = #line,
        _ make: @escaping @Sendable () throws -> Promise<Answer>
    ) async -> HTTPResponse {
        let client = request.headers[.client].map { " for \($0.prefix(40))" } ?? ""
        let chain = runtime.run {
            Promise<Answer>.scope(label + client, file: file, line: line, make)
        }
        let isOpen = underWay.withLock {
            $0.chains[ObjectIdentifier(chain)] = chain
            return !$0.isClosed
        }
        defer { underWay.withLock { _ = $0.chains.removeValue(forKey: ObjectIdentifier(chain)) } }
        if !isOpen { chain.cancel(Self.closing) }
        do {
            // FlyingFox cancels this task at the limit, which ends the wait and cancels the chain. It does not report a
            // client that hangs up.
            return .json(.ok, try await chain.value)
        } catch is CancellationError {
            return .json(.serviceUnavailable, Failure(error: "no answer within \(Self.limit)"))
        } catch {
            return .json(error.status, Failure(error, node: chain.id.rawValue))
        }
    }

    /// Cancels all pending and later requests.
    func close() {
        let chains = underWay.withLock {
            $0.isClosed = true
            return $0.chains
        }
        for chain in chains.values { chain.cancel(Self.closing) }
    }

    private static let closing = "the server stops"
}

extension HTTPHeader {
    /// The client's name, which is shown in the label of its chains.
    static let client = HTTPHeader("X-Client")
}

extension HTTPResponse {
    static func json(_ status: HTTPStatusCode, _ value: some Encodable) -> HTTPResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Cannot fail, because all values are numbers, texts and lists.
        let body = (try? encoder.encode(value)) ?? Data()
        return HTTPResponse(
            statusCode: status, headers: [.contentType: "application/json"], body: body + Data("\n".utf8))
    }
}

// SPDX-License-Identifier: MIT
