import ChainInsight
import ChainModel
import ChainTesting
import Demos
import Testing

/// Each demo causes the warnings that it is about, and no others. Under virtual time a handler takes no time, so warnings
/// of blocked threads and long handlers do not occur here.
struct DemoWarningTests {
    @Test(
        arguments: [
            ("checkout", []), ("coffee", []), ("counter", []), ("pages", []), ("trip", []), ("steps", []),
            ("storm", []),
            ("mirrors", [.raceLoserRunning]),
            ("stuck", [.abandoned, .neverSettled]), ("files", []),
        ] as [(String, Set<WarningKind>)])
    func demosCauseTheWarningsThatTheyAreAbout(name: String, kinds: Set<WarningKind>) throws {
        let harbour = try Harbour("warnings")
        let demo = try DemoRun(name, arguments: name == "files" ? [harbour.path] : [])
        var table = WarningTable()
        var found: Set<WarningKind> = []
        // Longer than the longest limit; but a storm makes half a million events a minute.
        for step in 1...(name == "storm" ? 10 : 40) {
            demo.run(until: .seconds(2 * step))
            var forest = demo.recorded.forest
            let now = demo.recorded.clock.nanoseconds
            table.update(with: forest.consumeChanges(), of: forest, now: now)
            table.tick(forest, now: now, options: WarningOptions(), budget: 10_000_000)
            for kind in WarningKind.allCases where table.count(of: kind) > 0 { found.insert(kind) }
        }
        demo.context.close()
        #expect(found == kinds)
    }
}

// SPDX-License-Identifier: MIT
