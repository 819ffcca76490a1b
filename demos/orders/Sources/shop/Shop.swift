import AsyncHTTPClient
import ChainInspector
import ChainTracing
import PromiseRuntime
import Tracing

/// `shop [PORT] [COUNT]`: a client of the warehouse that places orders, two a second.
@main struct Shop {
    static func main() async throws {
        InstrumentationSystem.bootstrap(ChainTracer())
        try Inspector.start(name: "shop")
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        let address = "http://127.0.0.1:\(numbers.first ?? 8087)/orders"
        let count = numbers.count > 1 ? numbers[1] : .max
        try await withThrowingDiscardingTaskGroup { group in
            for number in 1...count {
                group.addTask { await place(order: number, at: address) }
                try await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    private static func place(order number: Int, at address: String) async {
        do {
            try await withChain("order \(number)") {
                var request = HTTPClientRequest(url: "\(address)/\(number)")
                request.method = .POST
                let response = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
                guard response.status == .ok else { throw Refused(order: number, status: Int(response.status.code)) }
                let receipt = try await response.body.collect(upTo: 1 << 16)
                print("order \(number): \(String(buffer: receipt))", terminator: "")
            }
        } catch {
            print("order \(number): \(error)")
        }
    }
}

/// The error of an order that the warehouse did not fulfil.
struct Refused: Error, CustomStringConvertible {
    var order: Int
    var status: Int
    var description: String { "the warehouse refused order \(order) with status \(status)" }
}

// SPDX-License-Identifier: MIT
