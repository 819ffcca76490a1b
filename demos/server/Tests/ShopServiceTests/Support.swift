import ChainInspector
import FlyingFox
import Foundation
import PromiseRuntime
import ShopService

/// A server with a runtime of its own, and its clients.
struct Running {
    let runtime: ChainRuntime
    let server: ShopServer

    /// Runs `body` with a server, and stops the server.
    static func server(
        patience: Duration = .seconds(1), hardCase: Duration = .seconds(500), _ body: (Running) async throws -> Void
    ) async throws {
        let runtime = ChainRuntime()
        let server = try await ShopServer.start(port: 0, runtime: runtime, patience: patience, hardCase: hardCase)
        let running = Running(runtime: runtime, server: server)
        do {
            try await body(running)
        } catch {
            await running.server.stop(grace: .seconds(600))
            throw error
        }
        await running.server.stop(grace: .seconds(600))
    }

    /// As ``server(patience:hardCase:_:)``, with an inspector that has no endpoints.
    static func inspected(
        patience: Duration = .seconds(1), _ body: (Running, Inspector) async throws -> Void
    ) async throws {
        try await server(patience: patience) { running in
            var options = InspectorOptions()
            options.endpoints = []
            let inspector = try Inspector.start(name: "server", runtime: running.runtime, options: options)
            defer { inspector.stop() }
            try await body(running, inspector)
        }
    }

    func get(_ path: String, as client: String? = nil) async throws -> Answer {
        try await Answer.get(path, port: server.port, as: client)
    }

    /// Waits for a live promise with a label. Each attempt is a request to the server, so that the test does not spin.
    func promise(labelled label: String) async throws -> AnyPromise {
        try await eventually("a promise labelled \(label)") {
            for shard in 0..<ChainRuntime.registryShardCount {
                if let found = runtime.liveNodes(inShard: shard).first(where: { $0.label == label }) { return found }
            }
            return nil
        }
    }

    /// Repeats `look` until it returns a value; fails after a minute.
    func eventually<Found>(_ what: String, _ look: () -> Found?) async throws -> Found {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            if let found = look() { return found }
            _ = try await get("/healthz")
        }
        throw NotSeen(description: "\(what) was not seen within a minute")
    }
}

struct NotSeen: Error, CustomStringConvertible {
    var description: String
}

/// The answer to a client.
struct Answer: Sendable {
    var status: Int
    var contentType: String?
    var text: String

    /// The fields of a JSON object.
    var fields: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? [:]
    }

    static func get(_ path: String, port: UInt16, as client: String? = nil) async throws -> Answer {
        let parts = path.split(separator: "?", maxSplits: 1)
        let query = parts.dropFirst().flatMap { $0.split(separator: "&") }.map { item in
            let pair = item.split(separator: "=").map(String.init)
            return HTTPRequest.QueryItem(name: pair[0], value: pair.count > 1 ? pair[1] : "")
        }
        var headers: [HTTPHeader: String] = [.connection: "close"]
        headers[HTTPHeader("X-Client")] = client
        let request = HTTPRequest(
            method: .GET, version: .http11, path: String(parts[0]), query: query, headers: headers, body: Data())
        var http = HTTPClient()
        let response = try await http.sendHTTPRequest(request, to: .inet(ip4: "127.0.0.1", port: port))
        return Answer(
            status: response.statusCode.code, contentType: response.headers[.contentType],
            text: String(decoding: try await response.bodyData, as: UTF8.self))
    }
}

// SPDX-License-Identifier: MIT
