import PromiseRuntime
import Testing

/// The intervals of the watch for blocked workers (TheRules, E2).
struct WatchPaceTests {
    private static let (shortest, longest) = (WatchPace.shortest, WatchPace.longest)

    /// Returns the interval after each of these findings.
    private func sleeps(_ pace: inout WatchPace, _ findings: [WatchPace.Finding], isRequested: Bool = false) -> [UInt64]
    {
        findings.map {
            pace.update(after: $0, isRequested: isRequested)
            return pace.interval
        }
    }

    @Test func shortHandlersMakeTheIntervalGrow() {
        var pace = WatchPace()
        #expect(pace.interval == Self.shortest)
        let sleeps = sleeps(&pace, Array(repeating: .quiet, count: 20))
        #expect(sleeps.prefix(4) == [2, 4, 8, 16].map { $0 * Self.shortest }[...])
        #expect(sleeps.last == Self.longest)
        // So in a busy program the watch wakes at most 16 times in the first ten seconds.
        #expect(sleeps.prefix(16).reduce(0, +) >= 10 * Self.longest)
    }

    @Test func aBusyWorkerIsCheckedOnceMoreSoon() {
        var pace = WatchPace()
        _ = sleeps(&pace, Array(repeating: .quiet, count: 20))
        // At each check the worker is in another job, as in a busy program.
        #expect(
            sleeps(&pace, [.busy, .busy, .busy, .busy]) == [Self.shortest, Self.longest, Self.shortest, Self.longest])
    }

    @Test func aLongHandlerIsCheckedOften() {
        var pace = WatchPace()
        _ = sleeps(&pace, Array(repeating: .quiet, count: 20))
        #expect(sleeps(&pace, [.busy, .stuck, .stuck, .stuck]).allSatisfy { $0 == Self.shortest })
        #expect(sleeps(&pace, [.quiet, .quiet]) == [2 * Self.shortest, 4 * Self.shortest])
    }

    @Test func onRequestItChecksOften() {
        var pace = WatchPace()
        #expect(
            sleeps(&pace, Array(repeating: .quiet, count: 20), isRequested: true).allSatisfy { $0 == Self.shortest })
    }
}

// SPDX-License-Identifier: MIT
