import PromiseRuntime
import Testing

/// Promises/A+ 2.2.1: both handlers are optional.
@Suite(.nothingLeft) struct APlus2_2_1Tests {
    @Test("2.2.1 both handlers are optional", arguments: Case.all)
    func handlersAreOptional(_ run: Case) throws {
        let done = Latch(2)
        let seen = Log<String>()
        try run.fulfilled(1) { promise in
            promise.catch { _ in 9 }.done { value in
                seen.add("value \(value)")
                done.open()
            }
        }
        try run.rejected(Int.self, Failure()) { promise in
            promise.map { $0 + 1 }.catch { error in
                seen.add("\(error)")
                done.open()
                return 0
            }
        }
        try done.wait()
        #expect(seen.entries.sorted() == ["failed", "value 1"])
    }

    @Test("2.2.1 a missing handler has no effect, also far down a chain", arguments: Case.all)
    func leftOutFarDown(_ run: Case) throws {
        let made = Log<Promise<Int>>()
        try run.fulfilled(1) { promise in
            var last = promise
            for _ in 0..<20 { last = last.catch { _ in 0 } }
            made.add(last)
        }
        try run.rejected(Int.self, Failure()) { promise in
            var last = promise
            for _ in 0..<20 { last = last.then { Promise.resolve($0) } }
            made.add(last.catch { _ in 2 })
        }
        #expect(try made.entries.map { try value(of: $0) } == [1, 2])
    }
}

// SPDX-License-Identifier: MIT
