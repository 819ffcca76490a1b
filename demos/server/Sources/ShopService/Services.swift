import PromiseRuntime
import Synchronization

/// The answer of `/stock` and `/fraud`: a passed check, with its result.
struct Check: Codable, Sendable {
    var said: String
}

extension Shop {
    /// Looks on the shelf, which takes a moment; rejects if the article is sold out.
    func stock(of sku: String) -> Promise<Check> {
        catalogue().delay(.milliseconds(20), label: "walk to the shelf").map(label: "count") { goods in
            guard let article = goods[sku] else {
                throw Refusal(.notFound, "there is no \(sku.debugDescription) in the catalogue")
            }
            guard article.stock > 0 else { throw Refusal(.conflict, "sold out: \(sku)") }
            return Check(said: "\(article.stock) \(sku) on the shelf")
        }
    }

    /// Computes a score, and rejects one order in sixteen. Every tenth order is a hard case: the bureau takes longer than
    /// the order waits.
    func fraud(_ text: String) throws -> Promise<Check> {
        let number = try orderNumber(text)
        let wait = number % 10 == 5 ? hardCase : .milliseconds(50)
        return Promise(label: "take a line") { try bureau.line() }
            .then(label: "score") { line in
                Promise.delay(wait, label: "the bureau looks it up")
                    .then(label: "score") { seal("order \(number)", megabytes: 1) }
                    .anyway(label: "hang up") { _ in withExtendedLifetime(line) {} }
            }
            .map(label: "judge") { hash in
                let score = Double(hash >> 48) / 65536
                guard score < 15.0 / 16 else { throw Refusal(.forbidden, "order \(number) looks like fraud: \(score)") }
                return Check(said: "fraud score \(score)")
            }
    }
}

/// Serves eight callers at once; further ones get 429, too many requests.
final class Bureau: Sendable {
    private let freeCount = Mutex(8)

    /// A line to the bureau: taken until this object is released, which a cancellation causes, too.
    final class Line: Sendable {
        private let bureau: Bureau

        fileprivate init(_ bureau: Bureau) { self.bureau = bureau }

        deinit { bureau.freeCount.withLock { $0 += 1 } }
    }

    func line() throws -> Line {
        let isFree = freeCount.withLock { count in
            guard count > 0 else { return false }
            count -= 1
            return true
        }
        guard isFree else { throw Refusal(.tooManyRequests, "the fraud bureau is busy") }
        return Line(self)
    }
}

// SPDX-License-Identifier: MIT
