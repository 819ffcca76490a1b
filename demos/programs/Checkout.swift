import PromiseRuntime
import Synchronization

extension Demo {
    /// The default: a shop that takes orders.
    static let checkout = Demo(
        "checkout", "orders in a shop: reserve, three checks, charge, receipt; some fail",
        caption: "orders in a shop, some fail: try F (failed), w (why it waits), c (cancel)"
    ) { context in
        let shop = Shop(context: context)
        context.every(0.7) { number in shop.take(Order(number: number, random: context.random(number))) }
    }
}

private struct Order: Sendable {
    enum Trouble: CaseIterable { case soldOut, suspicious, declined, bankDown, bankSlow }

    var number: Int
    var item: String
    var euros: Int
    /// What will go wrong with the order.
    var trouble: Trouble?
    /// Decides how long each step takes.
    var random: SeededRandom

    init(number: Int, random: SeededRandom) {
        var random = random
        self.number = number
        item = random.pick(["a kettle", "two lamps", "a bicycle", "boots", "a globe"])
        euros = .random(in: 9...480, using: &random)
        trouble = random.chance(45) ? random.pick(Trouble.allCases) : nil
        self.random = random
    }
}

private enum Refusal: Error, CustomStringConvertible {
    case soldOut(String)
    case suspicious(score: Double)
    case declined
    case bankUnreachable

    var description: String {
        switch self {
        case .soldOut(let item): "sold out: \(item)"
        case .suspicious(let score): "fraud score \(score): refused"
        case .declined: "declined: card expired"
        case .bankUnreachable: "bank unreachable"
        }
    }

    static func isTemporary(_ error: any Error) -> Bool {
        if case Refusal.bankUnreachable = error { true } else { false }
    }
}

private final class Shop: Sendable {
    private struct Books {
        /// The numbers of the orders for which an item is set aside.
        var reservations: Set<Int> = []
        /// How often the bank could not be reached, by the number of the order.
        var failedCharges: [Int: Int] = [:]
        var refusedCount = 0
    }

    private let context: DemoContext
    private let warehouse: any PromiseExecutor
    private let bank: any PromiseExecutor
    private let books = Mutex(Books())

    init(context: DemoContext) {
        self.context = context
        warehouse = context.pool("stock", width: 2)
        bank = context.pool("bank", width: 3)
    }

    func take(_ order: Order) {
        Promise.scope("order \(order.number)") { self.fulfill(order) }
            .failed(label: "tell the customer") { _ in self.books.withLock { $0.refusedCount += 1 } }
    }

    private func fulfill(_ order: Order) -> Promise<String> {
        reserve(order)
            .then(label: "check") { _ in self.check(order) }
            .then(label: "charge") { _ in self.charge(order) }
            .then(label: "send receipt") { receipt in
                self.context.pause(0.3, label: "mail server").map { receipt }
            }
            .finally(label: "release the shelf") {
                self.books.withLock { _ = $0.reservations.remove(order.number) }
            }
    }

    private func reserve(_ order: Order) -> Promise<String> {
        var random = order.random
        let seconds = random.seconds(0.2...0.9)
        return Promise(label: "reserve \(order.item)", on: warehouse) {
            try self.context.block(seconds)
            if order.trouble == .soldOut { throw Refusal.soldOut(order.item) }
            self.books.withLock { _ = $0.reservations.insert(order.number) }
            return order.item
        }
    }

    private func check(_ order: Order) -> Promise<[String]> {
        var random = order.random
        let score = order.trouble == .suspicious ? 0.97 : 0.12
        let checks = [
            ask("address", random.seconds(0.4...1.4)) { "found" },
            ask("credit limit", random.seconds(0.3...1.0)) { "\(order.euros * 3) €" },
            ask("fraud score", random.seconds(0.2...2.2)) {
                if score > 0.9 { throw Refusal.suspicious(score: score) }
                return "\(score)"
            },
        ]
        return .all(checks, cancellingLosers: true, label: "3 checks")
    }

    /// Asks a service, which answers after so many seconds.
    private func ask(
        _ service: String, _ seconds: Double, _ answer: @escaping @Sendable () throws -> String
    ) -> Promise<String> {
        .scope(service) {
            self.context.pause(seconds, label: "wait for it").map(label: "read", answer)
        }
    }

    /// Charges the card; while the bank cannot be reached, tries up to three times.
    private func charge(_ order: Order) -> Promise<String> {
        .retry(3, backoff: .constant(context.paced(0.8)), label: "bank") {
            self.chargeOnce(order)
        } onlyIf: { error in
            Refusal.isTemporary(error)
        }
    }

    private func chargeOnce(_ order: Order) -> Promise<String> {
        var random = order.random
        let seconds = order.trouble == .bankSlow ? 4 : random.seconds(0.3...1.6)
        return Promise(label: "charge \(order.euros) €", on: bank) {
            try self.context.block(seconds)
            if order.trouble == .declined { throw Refusal.declined }
            if order.trouble == .bankDown { try self.connectToBank(for: order) }
            return "\(order.euros) € paid"
        }
    }

    /// Connects to the bank, which fails twice for each order.
    ///
    /// - Throws: ``Refusal/bankUnreachable``.
    private func connectToBank(for order: Order) throws {
        let failureCount = books.withLock { books in
            books.failedCharges[order.number, default: 0] += 1
            return books.failedCharges[order.number]!
        }
        if failureCount < 3 { throw Refusal.bankUnreachable }
        books.withLock { _ = $0.failedCharges.removeValue(forKey: order.number) }
    }
}

// SPDX-License-Identifier: MIT
