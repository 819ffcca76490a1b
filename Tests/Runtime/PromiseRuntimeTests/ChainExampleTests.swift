import ChainTesting
import PromiseRuntime
import Testing

/// TheRules, C5: the examples of the MICAcom family, with their known results, under virtual time.
struct ChainExampleTests {
    private let run = RecordedRun()

    /// Returns the result of `make` after 0.2 s.
    @Sendable private static func step(_ make: @escaping @Sendable () -> Int) -> Promise<Int> {
        Promise.delay(.milliseconds(200)).map { make() }
    }

    /// 1, then 1 more, then 2 more, and passed on: 0.2 s each.
    private static let four = Chain(label: "four")
        .then { step { 1 } }
        .then { value in step { value + 1 } }
        .then { value in step { value + 2 } }
        .then { value in step { value } }

    @Test("C5 steps of 0.2 s, giving 1, one more, two more, and passed on, give 4")
    func steps() throws {
        let awaiter = run.record { Self.four.async() }
        run.run(until: .milliseconds(799))
        #expect(!awaiter.isCompleted)
        run.run(until: .milliseconds(800))
        #expect(try awaiter.result?.get() == 4)
    }

    @Test("C5 awaited twice over a shared value: 4, then 8; and an anyway that adds one: 9")
    func shared() throws {
        let shared = Box(0)
        let add = { @Sendable (count: Int) in
            Self.step {
                shared.change {
                    $0 += count; return $0
                }
            }
        }
        let chain = Chain().then { add(1) }.then { _ in add(1) }.then { _ in add(2) }.then { value in
            Self.step { value }
        }
        let first = run.record { chain.async() }
        run.runUntilIdle()
        #expect(try first.result?.get() == 4)
        let second = run.record { chain.async() }
        run.runUntilIdle()
        #expect(try second.result?.get() == 8)
        #expect(try first.result?.get() == 4)

        let third = run.record { Chain(second).anyway { _ in shared.change { $0 += 1 } }.async() }
        run.runUntilIdle()
        #expect(try third.result?.get() == 8, "anyway changes nothing of what goes on")
        #expect(shared.value == 9)
    }

    @Test("C5 four, reject hoge, a skipped then, failed sees hoge, anyway sees hoge")
    func rejected() {
        let seen = Log<String>()
        let chain = Self.four
            .then { value in
                seen.add("\(value)")
                return Promise<Int>.reject(Failure("hoge"))
            }
            .then { value in
                seen.add("never")
                return Promise.resolve(value)
            }
            .failed { seen.add("failed \($0)") }
            .anyway { seen.add("anyway \($0.error.map { "\($0)" } ?? "fulfilled")") }
        let awaiter = run.record { chain.async() }
        run.runUntilIdle()
        #expect(seen.entries == ["4", "failed hoge", "anyway hoge"])
        #expect(awaiter.result?.error as? Failure == Failure("hoge"))
    }

    @Test("C5 the same as a dashboard shows it")
    func shown() {
        run.record { Self.four.map { _ in throw Failure("hoge") }.map { () }.failed { _ in }.anyway { _ in }.launch() }
        run.runUntilIdle()
        assertChain(
            run,
            matches: """
                fulfilled chain four
                fulfilled then = 1 · total 0.2s
                  fulfilled then = 2 · total 0.2s
                    fulfilled then = 4 · total 0.2s
                      fulfilled then = 4 · total 0.2s
                        rejected map ! hoge
                        skipped map
                        rejected failed ! hoge
                        rejected anyway ! hoge
                        fulfilled delay · total 0.2s @0.6s
                        fulfilled map = 4 @0.6s
                      fulfilled delay · total 0.2s @0.4s
                      fulfilled map = 4 @0.4s
                    fulfilled delay · total 0.2s @0.2s
                    fulfilled map = 2 @0.2s
                  fulfilled delay · total 0.2s
                  fulfilled map = 1
                """)
    }
}

// SPDX-License-Identifier: MIT
