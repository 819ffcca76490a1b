// SPDX-License-Identifier: MIT

import Synchronization

/// An object that counts the live objects of its class; values and errors hold one.
final class Counted: Sendable {
    private static let made = Atomic(0)
    private static let gone = Atomic(0)

    static var aliveCount: Int { made.load(ordering: .acquiring) - gone.load(ordering: .acquiring) }

    init() { Self.made.add(1, ordering: .acquiringAndReleasing) }

    deinit { Self.gone.add(1, ordering: .acquiringAndReleasing) }
}

/// What a promise of a round ends with.
struct Outcome<Value: Sendable>: Sendable {
    /// The kind of value or error, as it is printed.
    let kind: String
    let isRejected: Bool
    /// Returns the value or throws the error, a new one each time.
    let get: @Sendable () throws -> Value
    /// Returns a value, also if the outcome is an error.
    let value: @Sendable () -> Value
}

/// A value of more words than a promise stores in itself without a box.
struct LargeValue: Sendable {
    var numbers = (1, 2, 3, 4, 5, 6)
    let held = Counted()
}

/// Errors of every kind that Swift has.
enum Failures {
    enum Plain: Error { case failed }

    enum Payload: Error { case failed(Counted) }

    struct Structure: Error {
        var code = 7
        var text = "declined"
        let held = Counted()
    }

    final class Instance: Error {
        let held = Counted()
    }

    struct Existential: Error {
        let reason: any Error = Structure()
    }

    static let all: [(kind: String, make: @Sendable () -> any Error)] = [
        ("an enum", { Plain.failed }),
        ("an enum with a payload", { Payload.failed(Counted()) }),
        ("a struct", { Structure() }),
        ("an instance", { Instance() }),
        ("an existential", { Existential() }),
    ]
}

/// A generic function that is called for each type of value.
protocol OutcomeBody {
    mutating func callAsFunction<Value: Sendable>(_ outcome: Outcome<Value>)
}

/// Calls `body` with values of every kind of storage, then with errors of every kind.
func forEachOutcome(_ body: inout some OutcomeBody) {
    body(fulfilled("a number") { 7 })
    body(fulfilled("an instance") { Counted() })
    body(fulfilled("a large struct") { LargeValue() })
    body(fulfilled("an optional existential") { Failures.Structure() as (any Error)? })
    for (kind, make) in Failures.all {
        body(
            Outcome<Counted>(kind: kind, isRejected: true, get: { throw make() }, value: { Counted() }))
    }
    // An error in place of a value that a promise stores in another way.
    body(
        Outcome<Int>(kind: "a struct for a number", isRejected: true, get: { throw Failures.Structure() }, value: { 7 })
    )
    body(
        Outcome<LargeValue>(
            kind: "a struct for a large struct", isRejected: true, get: { throw Failures.Structure() },
            value: { LargeValue() }))
}

private func fulfilled<Value: Sendable>(_ kind: String, _ value: @escaping @Sendable () -> Value) -> Outcome<Value> {
    Outcome(kind: kind, isRejected: false, get: { value() }, value: value)
}
