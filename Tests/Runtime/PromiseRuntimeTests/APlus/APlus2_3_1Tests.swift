import Foundation
import PromiseRuntime
import Testing

/// Promises/A+ 2.3.1: a promise that is to follow itself is rejected.
@Suite(.nothingLeft) struct APlus2_3_1Tests {
    @Test("2.3.1 a promise that is to follow itself is rejected", arguments: Case.all)
    func followingItself(_ run: Case) throws {
        let box = Box<Promise<Int>?>(nil)
        let registered = Latch()
        try run.fulfilled(1) { promise in
            let child = promise.then(on: DispatchExecutor(label: "itself")) { _ -> Promise<Int> in
                try registered.wait()
                return box.value!
            }
            box.value = child
            registered.open()
        }
        #expect(try error(of: #require(box.value)) is PromiseCycleError)
        box.value = nil
    }

    @Test("2.3.1 promises that follow each other in a cycle are rejected", arguments: 1...5)
    func ring(_ count: Int) throws {
        let made = (0..<count).map { _ in Promise<Int>.pending() }
        for index in 0..<count { made[index].resolver.resolve(made[(index + 1) % count].promise) }
        for (promise, _) in made { #expect(try error(of: promise) is PromiseCycleError) }
    }

    @Test("2.3.1 a cycle that is closed from several threads at once is rejected", arguments: 0..<50)
    func concurrentRing(_ round: Int) throws {
        let count = 2 + round % 2
        let made = (0..<count).map { _ in Promise<Int>.pending() }
        try onThreads(count) { made[$0].resolver.resolve(made[($0 + 1) % count].promise) }
        for (promise, _) in made { #expect(try error(of: promise) is PromiseCycleError) }
    }

    @Test("2.3.1 a promise that is to follow itself from a handler for errors is rejected")
    func followingItselfOnError() throws {
        let isolated = IsolatedRuntime()
        let box = Box<Promise<Int>?>(nil)
        box.value = isolated.run { Promise<Int>.reject(Failure()).recover { _ in box.value! } }
        isolated.runAll()
        #expect(try error(of: #require(box.value)) is PromiseCycleError)
        box.value?.catch { _ in 0 }
        box.value = nil
        isolated.runAll()
    }
}

// SPDX-License-Identifier: MIT
