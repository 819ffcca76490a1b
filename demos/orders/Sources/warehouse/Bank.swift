import PromiseRuntime
import Synchronization

/// A bank that declines one order in eleven, and never answers one in seven.
final class Bank: Sendable {
    private let unanswered = Mutex<[Int: Resolver<String>]>([:])

    func charge(order number: Int) -> Promise<String> {
        let (payment, resolver) = Promise<String>.pending(label: "payment")
        guard number % 7 > 0 else {
            unanswered.withLock { $0[number] = resolver }
            return payment.anyway(label: "hang up") { [self] _ in hangUp(order: number) }
        }
        Promise.delay(.milliseconds(250), label: "bank").done(label: "answer") {
            if number % 11 == 0 { resolver.reject(Declined(order: number)) } else { resolver.fulfill("paid") }
        }
        return payment
    }

    private func hangUp(order number: Int) { unanswered.withLock { $0[number] = nil } }
}

/// The error of a payment that the bank declined.
struct Declined: Error, CustomStringConvertible {
    var order: Int
    var description: String { "the bank declined order \(order)" }
}

// SPDX-License-Identifier: MIT
