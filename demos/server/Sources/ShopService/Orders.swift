import PromiseRuntime

/// The answer of `/order`.
struct Receipt: Codable, Sendable {
    var order: Int
    var lines: [Line]
    var cents: Int
    /// The results of the checks.
    var checks: [String]
    /// The hash of the receipt's text, in hexadecimal digits.
    var seal: String

    struct Line: Codable, Sendable {
        var sku: String
        var count: Int
        var cents: Int
    }
}

extension Shop {
    /// Makes an order: reads the catalogue, asks three services at once, and seals the receipt.
    func order(_ text: String, for client: String) throws -> Promise<Receipt> {
        let number = try orderNumber(text)
        return catalogue()
            .map(label: "pick") { goods in lines(ofOrder: number, from: goods) }
            .then(label: "check") { lines in
                let asked = lines.map { "/stock/\($0.sku)" } + ["/fraud/\(number)"]
                return Promise.all(
                    asked.map { ask($0, as: Check.self, for: client) }, cancellingLosers: true,
                    label: "\(asked.count) checks"
                )
                .map(label: "price") { checks in
                    Receipt(
                        order: number, lines: lines, cents: lines.reduce(0) { $0 + $1.count * $1.cents },
                        checks: checks.map(\.said), seal: "")
                }
            }
            .then(label: "seal") { receipt in
                seal("\(receipt)", megabytes: 1).map(label: "receipt") { hash in
                    var receipt = receipt
                    receipt.seal = String(hash, radix: 16)
                    return receipt
                }
            }
    }

    func orderNumber(_ text: String) throws -> Int {
        guard let number = Int(text), (1...999_999).contains(number) else {
            throw Refusal(.badRequest, "an order is a number from 1 to 999999, not \(text.debugDescription)")
        }
        return number
    }

    /// Returns the articles of an order: one or two, always the same for the same number.
    private func lines(ofOrder number: Int, from goods: [String: Article]) -> [Receipt.Line] {
        let skus = goods.keys.sorted()
        let chosen = Set([number * 7 % skus.count, number * 11 % skus.count])
        return chosen.sorted().map { index in
            Receipt.Line(sku: skus[index], count: 1 + number % 3, cents: goods[skus[index]]?.cents ?? 0)
        }
    }
}

// SPDX-License-Identifier: MIT
