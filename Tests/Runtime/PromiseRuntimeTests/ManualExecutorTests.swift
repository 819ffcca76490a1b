import PromiseRuntime
import Testing

@Suite struct ManualExecutorTests {
    @Test func e1RunsJobsOnDemand() throws {
        let executor = ManualExecutor()
        let log = Log<Int>()
        executor.execute {
            log.add(1)
            executor.execute { log.add(3) }
        }
        executor.execute { log.add(2) }
        #expect(executor.pendingCount == 2 && log.entries == [])
        #expect(executor.runNext() && log.entries == [1])
        #expect(executor.runAll(limit: 1) == 1 && log.entries == [1, 2])
        #expect(executor.runAll() == 1 && log.entries == [1, 2, 3])
        #expect(!executor.runNext())
    }

    // MARK: S2: its end

    @Test func s2DiscardedHandlersAbandonTheirPromises() throws {
        let executor = ManualExecutor()
        let isolated = IsolatedRuntime()
        let reported = Log<String>()
        isolated.runtime.onAbandoned = { reported.add($0.error.labels.joined(separator: " ‹ ")) }
        let alive = Box(0)
        var root: Promise<Int>? = isolated.run { .resolve(1, label: "root", on: executor) }
        let ran = Box(false)
        var link: Promise<Int>? = {
            let canary = Canary(alive)
            return root?.map(label: "link") { value in
                canary.touch()
                ran.value = true
                return value
            }
        }()
        let elsewhere = link?.catch(on: InlineExecutor.shared) { error in error is PromiseAbandonedError ? 7 : 0 }
        let here = link?.catch { _ in 8 }
        #expect(executor.pendingCount == 1 && alive.value == 1)

        #expect(executor.discardAll() == 2, "the link, and what its error made ready here")
        #expect(executor.pendingCount == 0 && !ran.value)
        #expect(try elsewhere?.result?.get() == 7)
        #expect(throws: PromiseAbandonedError.self) { try here?.result?.get() }
        #expect(reported.entries == ["link", ""])
        (root, link) = (nil, nil)
        #expect(alive.value == 0, "its captures are gone")
    }

    @Test func s2DiscardedBodiesAbandonTheirPromises() throws {
        let executor = ManualExecutor()
        let alive = Box(0)
        let promises: [Promise<Int>] = {
            let canary = Canary(alive)
            return [
                Promise(on: executor) {
                    canary.touch()
                    return 1
                },
                Promise(on: executor) { resolve, _ in
                    canary.touch()
                    resolve(1)
                },
                Promise(on: executor) { resolver in
                    canary.touch()
                    resolver.fulfill(1)
                },
            ]
        }()
        #expect(executor.discardAll() == 3 && alive.value == 0)
        for promise in promises { #expect(throws: PromiseAbandonedError.self) { try promise.result?.get() } }
    }

    @Test func s2TheErrorSaysWhetherAJobWasDroppedOrAResolverReleased() throws {
        let executor = ManualExecutor()
        let root = Promise<Int>.resolve(1, on: executor)
        let handler = root.map(label: "handler") { $0 }
        let body = Promise<Int>(label: "body", on: executor, resolver: { $0.fulfill(1) })
        #expect(executor.discardAll() == 2)
        for (promise, label) in [(handler, "handler"), (body, "body")] {
            let abandoned = try #require(try error(of: promise) as? PromiseAbandonedError)
            let maker = "the executor of the promise made at \(abandoned.site) (\(label))"
            #expect("\(abandoned)" == "abandoned: \(maker) dropped its job without running it")
        }
        let callback = root.thenCallback(to: Int.self, label: "callback") { _, _ in }
        #expect(executor.runAll() == 1)
        let abandoned = try #require(try error(of: callback) as? PromiseAbandonedError)
        #expect("\(abandoned)".hasSuffix("(callback) was released; keep it until it settles"))
    }

    @Test func s2ADiscardedJobOfACancelledPromiseIsNotReported() throws {
        let (executor, isolated) = (ManualExecutor(), IsolatedRuntime())
        let reported = Log<String>()
        isolated.runtime.onAbandoned = { reported.add("\($0.error)") }
        let cleanedUp = Box(false)
        let promise = isolated.run { Promise<Int>.resolve(1, on: executor).anyway { _ in cleanedUp.value = true } }
        promise.cancel()
        #expect(executor.discardAll() > 0)
        #expect(throws: PromiseCancelledError.self) { try promise.result?.get() }
        #expect(reported.entries == [] && !cleanedUp.value)
    }

    @Test func s2AnExecutorIsUsableAfterDiscarding() {
        let executor = ManualExecutor()
        let ran = Box(false)
        executor.execute {}
        #expect(executor.discardAll() == 1 && executor.discardAll() == 0)
        executor.execute { ran.value = true }
        executor.runAll()
        #expect(ran.value)
    }

    @Test func s2ADiscardedExecutorKeepsNothing() {
        let alive = Box(0)
        weak var released: ManualExecutor?
        do {
            let (executor, canary) = (ManualExecutor(), Canary(alive))
            released = executor
            Promise<Int>.resolve(1, on: executor).done { _ in canary.touch() }
            executor.discardAll()
        }
        #expect(released == nil && alive.value == 0)
    }

    @Test func s2PlainClosuresAreReleasedWithTheirExecutor() {
        let alive = Box(0)
        do {
            let canary = Canary(alive)
            ManualExecutor().execute { canary.touch() }
        }
        #expect(alive.value == 0)
    }
}

// SPDX-License-Identifier: MIT
