import ChainInspector
import ChainTracing
import Hummingbird
import PromiseRuntime
import Tracing

/// `warehouse [PORT]`: a server that fulfils orders.
@main struct Warehouse {
    static func main() async throws {
        InstrumentationSystem.bootstrap(ChainTracer())
        try Inspector.start(name: "warehouse")
        let bank = Bank()
        let router = Router()
        router.add(middleware: TracingMiddleware())
        router.post("orders/:number") { request, context in
            let order = Order(number: try context.parameters.require("number", as: Int.self), bank: bank)
            // If the client goes away, the task and the promises are cancelled, because nothing needs the receipt.
            return try await request.body.consumeWithCancellationOnInboundClose { _ in try await order.fulfil() }
        }
        let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8087
        let address = BindAddress.hostname("127.0.0.1", port: port)
        try await Application(router: router, configuration: .init(address: address)).runService()
    }
}

// SPDX-License-Identifier: MIT
