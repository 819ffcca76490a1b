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

    /// One request. Its task is cancelled if the answer comes too late, or if nothing waits for it any more.
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
        .catch(only: PromiseTimedOut.self, label: "too late") { error in
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
        let said = (try? JSONDecoder().decode(Failure.self, from: body))?.said ?? "\(status.code) \(status.phrase)"
        // Its refusals are ours; that it failed is, seen from here, another server's failure.
        guard status.code >= 500 else { throw Refusal(status, said) }
        throw Refusal(.badGateway, "\(path) failed", cause: Refusal(status, said))
    }
}

extension Failure {
    /// All of it in a line.
    fileprivate var said: String {
        error + (cancelledBy.map { " by \($0)" } ?? "") + (reason.map { ": \($0)" } ?? "")
    }
}
