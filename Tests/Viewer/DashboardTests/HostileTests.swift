import ChainEvents
import ChainInsight
import ChainModel
import EventScripts
import Frames
import SeededNumbers
import Testing

@testable import ChainListing
@testable import Dashboard

/// Numbers at the edges of their ranges, from a hostile program, crash no view.
struct HostileTests {
    /// Returns the description of a program with extreme numbers.
    private static func description(_ key: UInt64, _ events: inout HostileEvents) -> ProcessDescription {
        ProcessDescription(
            key: ProcessKey(rawValue: key), pid: [.max, .min, 0, 7][events.pick(4)],
            name: events.pick(2) == 0 ? "" : "pro\u{1b}[2J",
            wallOffset: events.pick(3) == 0 ? events.edge() : Script.process.wallOffset, startTime: events.edge(),
            isReadOnly: events.pick(4) == 0)
    }

    private static let keys = [
        "j", "k", "l", "h", "*", "_", "s", "S", "I", "t", "G", "g", "<Enter>", "w", "+", "-", "a", "f", "p", "n", "u",
        "d",
        "/age>1s<Enter>", "/total>=2s or run>=9h<Enter>", "/wait>0s<Enter>", "/state:pending or x<Enter>", "<Esc>",
    ]

    /// Draws each view after two random keys, in a usual size and sometimes in a small one.
    private func look(at screen: inout Screen, _ events: inout HostileEvents) {
        for view in ViewID.allCases {
            screen.type("\(view.rawValue)")
            for _ in 0..<2 { screen.type(Self.keys[events.pick(Self.keys.count)]) }
            if events.pick(8) == 0 { screen.act(.resized(Size(columns: 20, rows: 5))) }
            _ = screen.text
            screen.act(.resized(Size(columns: 150, rows: 40)))
            _ = screen.text
        }
    }

    @Test(arguments: Seeds.upTo(40))
    func extremeNumbersAreShown(seed: UInt64) {
        var events = HostileEvents(seed: seed, timeUnit: 10_000_000)
        var options = State.Options(glyphs: seed % 4 == 0 ? .ascii : .unicode)
        if seed % 3 == 0 {
            options.limits = ForestLimits(
                settledNodeLimit: 12, settledLeafLimit: 4, ageLimit: 100, chainNodeLimit: 10, nodeLimit: 40,
                changeLimit: 16)
        }
        var screen = Screen(150, 40, options: options, connected: false)
        let programCount = seed % 2 == 0 ? 1 : 2
        for number in 0..<programCount {
            screen.act(.connected(SourceID(number), Self.description(UInt64(number) + 1, &events)))
        }
        for step in 0..<6 {
            for number in 0..<programCount {
                screen.act(.received(SourceID(number), events.batch(ProcessKey(rawValue: UInt64(number) + 1))))
            }
            screen.tick(Double(step) * 700)
            look(at: &screen, &events)
            for _ in 0..<4 { screen.act(.work) }
            if events.pick(6) == 0 {
                screen.act(
                    .reconnecting(
                        SourceID(0), since: events.edge(), reason: "it is gone", attempt: events.pick(2) * .max,
                        nextAttempt: events.edge()))
            }
        }
        for queue in screen.state.queueStatistics { #expect(queue.count <= queue.limit, "\(queue)") }
        // Nor do they crash `chainview ps`, which lists a tree or programs.
        let forest = screen.state.forest!
        for now in [forest.now, 0, .max] {
            TreeText().write(forest, of: Self.description(1, &events), now: now) { _ in }
            TreeJSON().write(forest, of: Self.description(1, &events), now: now) { _ in }
        }
        let totals = ProcessTotals(
            chainCount: events.edge(), nodeCount: .max, liveCount: .max, runningCount: events.edge(),
            rejectedCount: .max, viewerCount: .max)
        let listed = [ListedProcess(target: "7", pid: .max, info: Self.description(1, &events), totals: totals)]
        for wall in [0, .max, Script.process.wallOffset] {
            #expect(!ProcessTable.text(listed, wall: wall).isEmpty && !ProcessTable.json(listed, wall: wall).isEmpty)
        }
    }

    @Test func countsOfLostEventsDoNotOverflow() {
        var screen = Screen(150, 40)
        var script = Script(time: 10)
        script.make(1, .work)
        for loss in [
            EventCounts(lostInRings: .max, lostAtClient: 0), EventCounts(lostInRings: .max, lostAtClient: .max),
            EventCounts(lostInRings: 3),
        ] {
            var batch = script.batch
            batch.loss = loss
            screen.act(.received(SourceID(0), batch))
            screen.tick(20)
            #expect(screen.text.contains("lost"))
        }
        #expect(screen.state.programs[0].lostCount == .max)
    }
}

// SPDX-License-Identifier: MIT
