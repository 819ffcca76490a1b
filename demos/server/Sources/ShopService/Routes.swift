import FlyingFox
import Foundation
import PromiseRuntime

/// The paths and the chains that they start.
struct Routes: Sendable {
    let shop: Shop
    let desk: Desk

    func add(to server: HTTPServer) async {
        await server.appendRoute("GET /order/:number") { request in
            let number = request.routeParameters["number"] ?? ""
            return await desk.answer(request, "order \(number)") { try shop.order(number, for: "order \(number)") }
        }
        await server.appendRoute("GET /stock/:sku") { request in
            let sku = request.routeParameters["sku"] ?? ""
            return await desk.answer(request, "stock \(sku)") { shop.stock(of: sku) }
        }
        await server.appendRoute("GET /fraud/:number") { request in
            let number = request.routeParameters["number"] ?? ""
            return await desk.answer(request, "fraud \(number)") { try shop.fraud(number) }
        }
        await server.appendRoute("GET /report") { request in
            await desk.answer(request, "report") {
                shop.report(megabytes: try request.number("mb", in: 1...65_536) ?? 16)
            }
        }
        await server.appendRoute("GET /broken") { request in
            await desk.answer(request, "broken") { try shop.broken(request.query["how"] ?? "causes") }
        }
        await server.appendRoute("GET /wait") { request in
            await desk.answer(request, "wait") {
                let limit = Int(Desk.limit.seconds) * 1000
                let milliseconds = try request.number("ms", in: 0...limit) ?? 1000
                return Promise.delay(.milliseconds(milliseconds), label: "\(milliseconds) ms")
                    .map(label: "answer") { Waited(milliseconds: milliseconds) }
            }
        }
        await server.appendRoute("GET /healthz") { _ in
            .json(.ok, Health(status: "ok", chains: desk.chainCount))
        }
        await server.appendRoute("*") { request in
            .json(
                .notFound,
                Failure(
                    error: "there is no \(request.path) here; ask for /order/17, /stock/kettle, /fraud/17, /report, "
                        + "/broken, /wait?ms=1000 or /healthz"))
        }
    }
}

/// The answer of `/wait`.
struct Waited: Codable, Sendable {
    var milliseconds: Int
}

/// The answer of `/healthz`, which starts no chain, so that it is quick under any load.
struct Health: Codable, Sendable {
    var status: String
    /// The number of pending requests.
    var chains: Int
}

extension HTTPRequest {
    /// Returns the number of a query item; nil if there is none.
    func number(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = query[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw Refusal(
                .badRequest,
                "\(name) is a number from \(range.lowerBound) to \(range.upperBound), not \(text.debugDescription)")
        }
        return number
    }
}

// SPDX-License-Identifier: MIT
