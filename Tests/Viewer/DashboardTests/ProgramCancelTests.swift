import ChainEvents
import Frames
import Testing

@testable import Dashboard

/// Cancelling over several programs.
@Suite struct ProgramCancelTests {
    private static let checkout = ProgramsTests.checkout
    private static let billing = ProgramsTests.billing

    /// Returns the effect that asks a program to cancel nodes.
    private static func cancel(_ source: SourceID, _ id: UInt64, _ process: ProcessDescription, _ nodes: [UInt64])
        -> Effect
    {
        .send(
            source,
            ViewerCommand(
                id: id, process: process.key,
                request: .cancel(.nodes(nodes.map { NodeID($0) }), by: "the dashboard")))
    }

    @Test(arguments: ["c", "C"]) func onAProgramsRowKeysCancelEverythingInIt(_ key: String) {
        var screen = ProgramsTests.both(80, 24)
        screen.type("g" + key)
        #expect(screen.text.contains("Cancel everything in checkout (2 chains)?"))
        #expect(screen.text.contains("14 pending nodes:"))
        if key == "c" { GoldenTests.check(screen, "programs/confirm-80x24") }
        screen.type("y")
        #expect(screen.effects == [Self.cancel(Self.checkout, 1, Script.process, [300, 400])])
        #expect(screen.message == "asked checkout to cancel everything in checkout (2 chains)")
        let marked = screen.state.forest!
        #expect(marked.node(marked.index(of: NodeID(401))!).marks.contains(.cancelRequested))
    }

    @Test func whereAllHasSettledThereIsNothingToCancel() {
        var screen = ProgramsTests.both(80, 24)
        var script = Script(sequence: 2, time: 4_300, of: Script.billing)
        script.fulfill(21)
        screen.feed(script, from: Self.billing)
        screen.type("G")
        while screen.selectedID != nil { screen.type("k") }
        screen.type("c")
        #expect(screen.message == "nothing to cancel: everything in billing has settled")
    }

    @Test func manyChainsAreCancelledBySeveralCommands() {
        var screen = ProgramsTests.both(80, 24)
        var script = Script(sequence: 2, time: 4_300, of: Script.billing)
        for id in 1_000..<6_000 as Range<UInt64> { script.make(id, .promise) }
        screen.feed(script, from: Self.billing)
        screen.type("_Gh")
        while screen.selectedID != nil { screen.type("h") }
        screen.type("c")
        #expect(screen.text.contains("5,001 pending nodes:"))
        screen.type("y")
        var ids: [NodeID] = []
        for case .send(Self.billing, let command) in screen.effects {
            guard case .cancel(.nodes(let nodes), _) = command.request else { continue }
            #expect(nodes.count <= 4_096)
            ids += nodes
        }
        #expect(screen.effects.count == 2)
        #expect(Set(ids) == Set((1_000..<6_000).map { NodeID($0) } + [NodeID(20)]))
        #expect(ids.count == 5_001)
    }

    /// The count of pending nodes has a limit; what is cancelled has none.
    @Test func taggedNodesBeyondTheCountedOnesAreCancelled() {
        var screen = ProgramsTests.both(120, 80)
        var script = Script(sequence: 2, time: 4_300)
        script.make(9_999, .promise, "many")
        for id in 10_000..<20_100 as Range<UInt64> { script.make(id, .promise, by: 9_999) }
        screen.feed(script)
        screen.go(to: 9_999)
        screen.type(" ")
        screen.go(to: 20)
        screen.type(" cy")
        let sources = screen.effects.compactMap { effect in
            if case .send(let source, _) = effect { source } else { nil }
        }
        #expect(sources == [Self.checkout, Self.billing])
    }

    /// The forest's total is exact, but has the spans, too.
    @Test func theTotalOfAProgramLeavesSpansOut() {
        var screen = ProgramsTests.both(120, 80)
        var script = Script(sequence: 2, time: 4_300)
        script.make(9_000, .promise, "many")
        for id in 10_000..<20_100 as Range<UInt64> { script.make(id, .promise, by: 9_000) }
        for id in 9_001...9_003 as ClosedRange<UInt64> { script.make(id, .span, "bank", by: 9_000) }
        script.fulfill(9_001)
        screen.feed(script)
        screen.type("gc")
        // 14 nodes were pending before.
        #expect(screen.text.contains("10,115 pending nodes:"), "\(screen.text)")
        // Of the result, only the first ones are counted.
        screen.type("y")
        var end = Script(sequence: 3, time: 4_400)
        end.cancel(9_000, "cancelled by the dashboard")
        for id in 10_000..<20_100 as Range<UInt64> { end.cancel(id, "cancelled by the dashboard") }
        screen.feed(end)
        for step in 1...8 { screen.tick(4_400 + 100 * Double(step)) }
        screen.tick(8_000)
        #expect(screen.message?.contains(" or more cancelled") == true, "\(screen.message ?? "")")
    }

    @Test func taggedNodesOfSeveralProgramsAreCancelledTogether() {
        var screen = ProgramsTests.both(120, 80)
        screen.go(to: 401)
        screen.type(" ")
        screen.go(to: 21)
        screen.type(" ")
        screen.type("c")
        #expect(screen.text.contains("Cancel 2 tagged nodes?"))
        screen.type("y")
        #expect(
            screen.effects == [
                Self.cancel(Self.checkout, 1, Script.process, [401]),
                Self.cancel(Self.billing, 2, Script.billing, [21]),
            ])
        #expect(screen.message == "asked 2 programs to cancel 2 tagged nodes")
        #expect(screen.taggedIDs.isEmpty)
        screen.act(.replied(Self.billing, CommandReply(command: 1, outcome: .refused("not mine"))))
        #expect(screen.message != "refused: not mine", "an answer counts for the program that was asked")
        screen.act(.replied(Self.billing, CommandReply(command: 2, outcome: .refused("read-only"))))
        #expect(screen.message == "refused: read-only")
    }

    @Test func ifOneProgramTakesNoCommandsNothingIsSent() {
        var screen = ProgramsTests.both(120, 80)
        var info = Script.billing
        info.isReadOnly = true
        screen.act(.connected(Self.billing, info))
        screen.go(to: 401)
        screen.type(" ")
        screen.go(to: 21)
        screen.type(" c")
        #expect(screen.message == "read-only: billing takes no commands")
        screen.type("U")
        screen.go(to: 401)
        screen.type("cy")
        #expect(screen.effects.count == 1, "the other takes them")
    }
}

// SPDX-License-Identifier: MIT
