import FlyingFox
import Foundation
import PromiseRuntime
import Synchronization

/// Where requests become chains, and what becomes of a chain an answer.
final class Desk: Sendable {
    /// How long a request may take.
    static let limit = Duration.seconds(600)

    let runtime: ChainRuntime
    /// Where this server is reached: 0 until it listens.
    let port = Mutex<UInt16>(0)
    private let underWay = Mutex(UnderWay())

    private struct UnderWay {
        var chains: [ObjectIdentifier: AnyPromise] = [:]
        var isClosed = false
    }

    init(runtime: ChainRuntime) { self.runtime = runtime }

    /// How many requests are under way.
    var chainCount: Int { underWay.withLock { $0.chains.count } }

    /// Starts a request's chain and waits for it: its value, or the reason why there is none, is the answer.
    ///
    /// The root promise follows what `make` makes. Whoever cancels it, or anything that it waits for, ends the waiting at
    /// once, and the client is told. What the viewer shows as the root's place is where this is called.
    func answer<Answer: Encodable & Sendable>(
        _ request: HTTPRequest, _ label: String, file: StaticString = #fileID, line: UInt = #line,
        _ make: @escaping @Sendable () throws -> Promise<Answer>
    ) async -> HTTPResponse {
        let client = request.headers[.client].map { " for \($0.prefix(40))" } ?? ""
        let chain = runtime.run {
            Promise<Answer>(label: label + client, file: file, line: line) { resolve, _ in resolve(try make()) }
        }
        let isOpen = underWay.withLock {
            $0.chains[ObjectIdentifier(chain)] = chain
            return !$0.isClosed
        }
        defer { underWay.withLock { _ = $0.chains.removeValue(forKey: ObjectIdentifier(chain)) } }
        if !isOpen { chain.cancel(Self.closing) }
        do {
            // FlyingFox cancels the task that answers after the limit, which ends the wait and cancels the chain. (It does
            // not report a client that hangs up.)
            return .json(.ok, try await chain.value)
        } catch is CancellationError {
            return .json(.serviceUnavailable, Failure(error: "no answer within \(Self.limit)"))
        } catch {
            return .json(error.status, Failure(error, node: chain.id.rawValue))
        }
    }

    /// Cancels what is under way and what comes later.
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
    /// Who asks: shown in the chain's label, so that one client's chains can be found.
    static let client = HTTPHeader("X-Client")
}

extension HTTPResponse {
    static func json(_ status: HTTPStatusCode, _ value: some Encodable) -> HTTPResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // What is encoded here holds numbers, texts and lists alone: that cannot fail.
        let body = (try? encoder.encode(value)) ?? Data()
        return HTTPResponse(
            statusCode: status, headers: [.contentType: "application/json"], body: body + Data("\n".utf8))
    }
}
