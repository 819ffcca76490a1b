import PromiseRuntime
import Testing

/// Promises/A+ 2.3.4: a value that is no promise fulfils.
@Suite(.nothingLeft) struct APlus2_3_4Tests {
    @Test("2.3.4 a value fulfils")
    func valueFulfils() throws {
        #expect(try value(of: Promise { resolve, _ in resolve(4) } as Promise<Int>) == 4)
        #expect(try value(of: Promise<Int?>.resolve(nil)) == nil)
        #expect(try value(of: Promise<Void>.resolve(())) == ())
    }

    @Test("2.3.4 a value of any type and size fulfils", arguments: Case.all)
    func everyType(_ run: Case) throws {
        func expectUnchanged<Value: Sendable>(_ given: Value, _ isSame: @escaping (Value) -> Bool) throws {
            let made = Log<Promise<Value>>()
            try run.fulfilled(0) { promise in
                made.add(promise.map { _ in given })
                made.add(promise.then { _ in Promise.resolve(given) })
            }
            for promise in made.entries { #expect(isSame(try value(of: promise))) }
        }
        let object = Box(1)
        try expectUnchanged(()) { _ in true }
        try expectUnchanged(false) { $0 == false }
        try expectUnchanged(Int?.none) { $0 == nil }
        try expectUnchanged("a text that is longer than fifteen bytes") { $0.count == 40 }
        try expectUnchanged([1, 2, 3]) { $0 == [1, 2, 3] }
        try expectUnchanged((1, 2, 3, 4, "five")) { $0 == (1, 2, 3, 4, "five") }
        try expectUnchanged(object) { $0 === object }
        try expectUnchanged(Result<Int, any Error>.failure(Failure())) { if case .failure = $0 { true } else { false } }
        try expectUnchanged({ @Sendable in 5 } as @Sendable () -> Int) { $0() == 5 }
    }
}

// SPDX-License-Identifier: MIT
