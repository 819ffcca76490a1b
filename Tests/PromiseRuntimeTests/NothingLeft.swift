import Foundation
import PromiseRuntime
import Testing

/// After each test of the suite nothing is alive of the worlds that it made (TheRules, S2): a runtime lives as long as
/// any promise of it, and each test has runtimes of its own, so suites that run beside it do not matter.
struct NothingLeft: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    private final class Weak: Sendable {
        // Sendable: written once, before it is shared; a weak load is atomic.
        nonisolated(unsafe) weak var runtime: ChainRuntime?

        init(_ runtime: ChainRuntime) { self.runtime = runtime }
    }

    @TaskLocal private static var made: Log<Weak>?

    /// Notes a runtime that the running test has made.
    static func watch(_ runtime: ChainRuntime) { made?.add(Weak(runtime)) }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // Called of the suite, too, whose tests then have their own.
        guard testCase != nil else { return try await function() }
        let made = Log<Weak>()
        try await Self.$made.withValue(made) { try await function() }
        // What still waits for its turn or its time keeps its world: it has them now.
        for entry in made.entries {
            for _ in 0..<3 {
                (entry.runtime?.executor as? ManualExecutor)?.runAll()
                (entry.runtime?.clock as? TestClock)?.advance(by: .seconds(1_000_000))
            }
        }
        // The thread that ran the last handler may still be letting go of it.
        let limit = Date() + 60
        while made.entries.contains(where: { $0.runtime != nil }), Date() < limit { await Task.yield() }
        let left = made.entries.count { $0.runtime != nil }
        #expect(left == 0, "promises are left of \(left) of \(made.count) runtimes of \(test.name)")
    }
}

extension Trait where Self == NothingLeft {
    /// Nothing of a test's promises is alive after it.
    static var nothingLeft: Self { NothingLeft() }
}
