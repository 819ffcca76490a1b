import FlyingFox
import FlyingSocks
import Foundation
import PromiseRuntime

extension Shop {
    /// Asks another endpoint of this server, over HTTP: up to three times where it is busy or takes too long.
    func ask<Answer: Decodable & Sendable>(_ path: String, as type: Answer.Type, for client: String) -> Promise<Answer>
    {
        .retry(3, backoff: .exponential(from: .milliseconds(100)), label: "ask \(path)") {
            get(path, as: type, for: client)
        } onlyIf: { error in
            error.status == .gatewayTimeout || error.status == .tooManyRequests
        }
    }

    /// Sends one request. Its task is cancelled if the answer comes too late, or if nothing waits for the answer any
    /// more.
    private func get<Answer: Decodable & Sendable>(_ path: String, as type: Answer.Type, for client: String) -> Promise<
        Answer
    > {
        let port = desk.port.withLock { $0 }
        return Promise<Reply>(
            label: "GET \(path)",
            async: {
                var http = HTTPClient()
                let request = HTTPRequest(
                    method: .GET, version: .http11, path: path, query: [],
                    headers: [.client: client, .connection: "close"],
                    body: Data())
                let response = try await http.sendHTTPRequest(request, to: .inet(ip4: "127.0.0.1", port: port))
                return Reply(status: response.statusCode, body: try await response.bodyData)
            }
        )
        .timeout(patience, label: "within \(patience)")
        .catch(only: PromiseTimeoutError.self, label: "too late") { error in
            throw Refusal(.gatewayTimeout, "\(path) did not answer", cause: error)
        }
        .map(label: "decode") { try $0.decoded(path) }
    }
}

private struct Reply: Sendable {
    var status: HTTPStatusCode
    var body: Data

    func decoded<Answer: Decodable>(_ path: String) throws -> Answer {
        if status.code == 200 { return try JSONDecoder().decode(Answer.self, from: body) }
        let reason = (try? JSONDecoder().decode(Failure.self, from: body))?.line ?? "\(status.code) \(status.phrase)"
        // A refusal is passed on. A failure of the other endpoint is, for this one, a failure of another server.
        guard status.code >= 500 else { throw Refusal(status, reason) }
        throw Refusal(.badGateway, "\(path) failed", cause: Refusal(status, reason))
    }
}

extension Failure {
    /// The error, its canceller and its reason in one line.
    fileprivate var line: String {
        error + (cancelledBy.map { " by \($0)" } ?? "") + (reason.map { ": \($0)" } ?? "")
    }
}

// SPDX-License-Identifier: MIT
