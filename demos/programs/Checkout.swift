import PromiseRuntime

extension Demo {
    /// The default: a shop that takes orders.
    static let checkout = Demo("checkout", "orders in a shop: reserve, three checks, charge, receipt; some fail") {
        stage in
        let shop = Shop(stage: stage)
        stage.every(0.7) { shop.take($0) }
    }
}

private struct Order: Sendable {
    var number: Int
    var item: String
    var euros: Int
    /// What goes wrong with it, decided when it comes in.
    var trouble: Trouble?

    enum Trouble: CaseIterable { case soldOut, suspicious, declined, bankDown, bankSlow }
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
}

private struct Shop: Sendable {
    let stage: DemoContext
    let warehouse: any PromiseExecutor
    let bank: any PromiseExecutor

    init(stage: DemoContext) {
        self.stage = stage
        warehouse = stage.pool("stock", width: 2)
        bank = stage.pool("bank", width: 3)
    }

    func take(_ number: Int) {
        var dice = stage.dice(number)
        let order = Order(
            number: number, item: dice.pick(["a kettle", "two lamps", "a bicycle", "boots", "a globe"]),
            euros: .random(in: 9...480, using: &dice),
            trouble: dice.chance(45) ? dice.pick(Order.Trouble.allCases) : nil)
        Promise(label: "order \(number)") { [dice] resolve, _ in resolve(fulfil(order, dice)) }
            .failed(label: "tell the customer") { _ in }
    }

    private func fulfil(_ order: Order, _ dice: SeededRandom) -> Promise<String> {
        reserve(order, dice)
            .then(label: "check") { _ in check(order, dice) }
            .then(label: "charge") { _ in charge(order, dice) }
            .then(label: "send receipt") { receipt in
                stage.pause(0.3, label: "mail server").map { receipt }
            }
            .anyway(label: "release the shelf") { _ in }
    }

    private func reserve(_ order: Order, _ dice: SeededRandom) -> Promise<String> {
        var dice = dice
        let seconds = dice.seconds(0.2...0.9)
        return Promise(label: "reserve \(order.item)", on: warehouse) {
            try stage.block(seconds)
            if order.trouble == .soldOut { throw Refusal.soldOut(order.item) }
            return order.item
        }
    }

    private func check(_ order: Order, _ dice: SeededRandom) -> Promise<[String]> {
        var dice = dice
        let score = order.trouble == .suspicious ? 0.97 : 0.12
        let checks = [
            ask("address", dice.seconds(0.4...1.4)) { "found" },
            ask("credit limit", dice.seconds(0.3...1.0)) { "\(order.euros * 3) €" },
            ask("fraud score", dice.seconds(0.2...2.2)) {
                if score > 0.9 { throw Refusal.suspicious(score: score) }
                return "\(score)"
            },
        ]
        return .all(checks, cancellingLosers: true, label: "3 checks")
    }

    /// Asks some service, which answers after so many seconds.
    private func ask(
        _ what: String, _ seconds: Double, _ answer: @escaping @Sendable () throws -> String
    ) -> Promise<String> {
        Promise(label: what) { resolve, _ in
            resolve(stage.pause(seconds, label: "wait for it").map(label: "read", answer))
        }
    }

    /// Asks the bank, and once more by hand where it did not answer.
    private func charge(_ order: Order, _ dice: SeededRandom, attempt: Int = 1) -> Promise<String> {
        var dice = dice
        let seconds = order.trouble == .bankSlow ? 4 : dice.seconds(0.3...1.6)
        return Promise(label: "bank, try \(attempt)", on: bank) {
            try stage.block(seconds)
            if order.trouble == .declined { throw Refusal.declined }
            if order.trouble == .bankDown, attempt < 3 { throw Refusal.bankUnreachable }
            return "\(order.euros) € paid"
        }
        .recover(label: "try again?") { [dice] error in
            guard case Refusal.bankUnreachable = error, attempt < 3 else { throw error }
            return stage.pause(0.8, label: "wait a little").then(label: "once more") {
                charge(order, dice, attempt: attempt + 1)
            }
        }
    }
}
