import Foundation
import PromiseRuntime
import TestWaits
import Testing

/// Checks after each test of the suite that the runtimes that it made are released (TheRules, S2). A runtime lives as
/// long as any promise of it, and each test has its own runtimes, so parallel suites do not interfere.
struct NothingLeft: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    private final class Weak: Sendable {
        // Sendable, because it is written once, before it is shared, and a weak load is atomic.
        nonisolated(unsafe) weak var runtime: ChainRuntime?

        init(_ runtime: ChainRuntime) { self.runtime = runtime }
    }

    @TaskLocal private static var made: Log<Weak>?

    /// Records a runtime that the running test made.
    static func watch(_ runtime: ChainRuntime) { made?.add(Weak(runtime)) }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // Skipped for the suite itself, because each of its tests has its own scope.
        guard testCase != nil else { return try await function() }
        let made = Log<Weak>()
        try await Self.$made.withValue(made) { try await function() }
        // Run now, because waiting jobs and timers keep their runtime.
        for entry in made.entries {
            for _ in 0..<3 {
                (entry.runtime?.executor as? ManualExecutor)?.runAll()
                (entry.runtime?.clock as? TestClock)?.advance(by: .seconds(1_000_000))
            }
        }
        // Awaited, because the thread of the last handler may still be releasing it.
        var timer = WaitTimer()
        while made.entries.contains(where: { $0.runtime != nil }), !timer.isOver() { await Task.yield() }
        let left = made.entries.count { $0.runtime != nil }
        #expect(left == 0, "promises are left of \(left) of \(made.count) runtimes of \(test.name)")
    }
}

extension Trait where Self == NothingLeft {
    /// Checks that no promise of a test is alive after it.
    static var nothingLeft: Self { NothingLeft() }
}

// SPDX-License-Identifier: MIT
