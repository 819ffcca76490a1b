import ChainInsight
import ChainModel
import ChainTesting
import Demos
import Testing

/// A story warns of what it is about, and of nothing else. Under virtual time no handler takes any, so what blocks or runs
/// long is not to be seen here.
struct WarningStoryTests {
    @Test(
        arguments: [
            ("checkout", []), ("trip", []), ("steps", []), ("storm", []), ("mirrors", [.raceLoserRunning]),
            ("stuck", [.abandoned, .neverSettled]), ("files", []),
        ] as [(String, Set<WarningKind>)])
    func warnsOfWhatItIsAbout(name: String, kinds: Set<WarningKind>) throws {
        let harbour = try Harbour("warnings")
        let play = try DemoRun(name, arguments: name == "files" ? [harbour.path] : [])
        var table = WarningTable()
        var found: Set<WarningKind> = []
        // Longer than the longest limit; but a storm makes half a million events a minute.
        for step in 1...(name == "storm" ? 10 : 40) {
            play.run(until: .seconds(2 * step))
            var forest = play.run.forest
            let now = play.run.clock.now
            table.update(with: forest.consumeChanges(), of: forest, now: now)
            table.tick(forest, now: now, options: WarningOptions(), budget: 10_000_000)
            for kind in WarningKind.allCases where table.count(of: kind) > 0 { found.insert(kind) }
        }
        play.stage.close()
        #expect(found == kinds)
    }
}
