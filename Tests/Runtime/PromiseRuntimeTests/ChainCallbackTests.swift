import PromiseRuntime
import Testing

/// TheRules, C2, P9: a cold chain may call foreign APIs, too.
struct ChainCallbackTests {
    @Test func theNodeIsSettledByItsResolver() throws {
        let isolated = IsolatedRuntime()
        let kept = Box<Resolver<Int>?>(nil)
        let awaiter = isolated.run {
            Chain().map { 17 }.thenCallback { value, resolver in
                #expect(value == 17)
                kept.value = resolver
            }.map { $0 + 1 }.async()
        }
        isolated.runAll()
        #expect(!awaiter.isCompleted)
        kept.replace(nil)?.fulfill(1)
        isolated.runAll()
        #expect(try awaiter.result?.get() == 2)
    }

    @Test func eachLaunchHasAResolverOfItsOwn() throws {
        let isolated = IsolatedRuntime()
        let count = Box(0)
        let chain = Chain().thenCallback(to: Int.self) { _, resolver in
            resolver.fulfill(
                count.change {
                    $0 += 1; return $0
                })
        }
        let launches = isolated.run { [chain.async(), chain.async()] }
        isolated.runAll()
        #expect(try launches.map { try $0.result?.get() } == [1, 2])
    }

    @Test func aThrowAndAReleasedResolverReject() throws {
        let isolated = IsolatedRuntime()
        let (thrown, lost) = isolated.run {
            (
                Chain().thenCallback(to: Int.self) { _, _ in throw Failure("thrown") }.async(),
                Chain().thenCallback(to: Int.self, label: "lost") { _, _ in }.async()
            )
        }
        isolated.runAll()
        #expect(throws: Failure("thrown")) { try thrown.result?.get() }
        #expect(throws: PromiseAbandonedError.self) { try lost.result?.get() }
    }
}

// SPDX-License-Identifier: MIT
