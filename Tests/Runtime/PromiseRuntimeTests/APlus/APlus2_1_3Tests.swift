import Foundation
import PromiseRuntime
import Testing

/// Promises/A+ 2.1.3: a rejected promise stays rejected with its reason.
@Suite(.nothingLeft) struct APlus2_1_3Tests {
    @Test("2.1.3.1 a rejected promise changes to no other state", arguments: Case.all)
    func rejectedStays(_ run: Case) throws {
        let seen = Log<String>()
        let done = Latch(1)
        let attempts = Latch(1)
        try run.with(
            Int.self,
            settle: { resolver in
                resolver.reject(Failure("first"))
                resolver.fulfill(1)
                resolver.reject(Failure("second"))
                resolver.settle(.success(2))
                attempts.open()
            },
            use: { promise in
                promise.anyway { result in
                    seen.add("\(result)")
                    done.open()
                }.catch { _ in 0 }
            })
        try done.wait()
        try attempts.wait()
        #expect(seen.entries == ["failure(first)"])
    }

    @Test("2.1.3.2 the reason exists and does not change")
    func reasonStays() throws {
        let promise = Promise<Int>.reject(Failure("why"))
        for _ in 0..<3 { #expect(try error(of: promise) as? Failure == Failure("why")) }
        promise.catch { _ in 0 }
    }

    @Test("2.1.3.1 a rejected promise is not changed from another thread, or later", arguments: Case.all)
    func laterAttempts(_ run: Case) throws {
        let attempts = Latch()
        let kept = Log<Promise<Int>>()
        try run.with(
            Int.self,
            settle: { resolver in
                resolver.reject(Failure("first"))
                Thread {
                    resolver.fulfill(2)
                    resolver.reject(Failure("second"))
                    attempts.open()
                }.start()
            }, use: { kept.add($0) })
        try attempts.wait()
        #expect(try error(of: #require(kept.entries.first)) as? Failure == Failure("first"))
        kept.entries.first?.catch { _ in 0 }
    }
}

// SPDX-License-Identifier: MIT
