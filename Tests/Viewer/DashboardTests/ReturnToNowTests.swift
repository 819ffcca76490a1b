import ChainEvents
import ChainModel
import Frames
import Testing

@testable import ChainRows
@testable import Dashboard

/// What live programs keep while their past is shown, and what the views show on return.
@Suite struct ReturnToNowTests {
    private static let source = SourceID(0)

    private static func now(_ screen: Screen) -> [Program] {
        screen.state.lookingBack == nil ? [] : screen.state.live.programs
    }

    /// The rows of a view, without the header, and without the footer and its message.
    private static func rows(_ screen: Screen) -> [String] {
        (1..<screen.state.size.rows - 2).map { screen.frame.rowText($0) }
    }

    /// Views that are made anew once a second only do so on return although no second passes for the ended program.
    @Test(arguments: [ViewID.sites, .profile, .threads, .warnings])
    func viewsShowThePresentOnReturn(_ view: ViewID) {
        var screen = Screen(120, 40, options: .init(keepsHistory: true))
        func order(_ node: UInt64, _ time: Double, on thread: ThreadID) -> Script {
            var script = Script(sequence: node, time: time)
            script.make(node, .work, "order \(node)", site: "Shop/Order.swift:4\(node)")
            script.start(node, on: thread)
            script.reject(node, "declined")
            script.leaveUnhandled(node, "declined")
            return script
        }
        for node in 1...2 as ClosedRange<UInt64> {
            screen.feed(order(node, Double(node) * 20_000, on: ThreadID(node)))
        }
        screen.tick(60_000)
        screen.act(.ended(Self.source, "it is over"))
        screen.type("\(view.rawValue)")
        for _ in 0..<4 { screen.tick(60_000) }
        let before = Self.rows(screen)
        let position = ReplayPosition(time: 30_000_000_001, range: 1...60_000_000_000, isPast: true)
        screen.act(
            .replayed(
                Self.source,
                ReplayStep(
                    process: Script.process, isFresh: true, batches: [order(1, 20_000, on: 1).batch],
                    position: position)))
        for _ in 0..<4 { LookingBackTests.tick(&screen, shown: 30, live: 60) }
        #expect(Self.rows(screen) != before)
        screen.act(.returnedToNow)
        #expect(Self.rows(screen) == before, "\(screen.text)")
    }

    /// The warnings of the present changed as often as those of the past.
    @Test func theWarningsOfThePresentAreShownOnReturn() {
        func script(_ node: UInt64) -> Script {
            var script = Script(time: 1_000)
            script.make(node, .work, "order \(node)")
            script.abandon(node, "its resolver was released")
            return script
        }
        var screen = Screen(120, 40, options: .init(keepsHistory: true))
        screen.feed(script(2))
        screen.tick(60_000)
        screen.type("5")
        let position = ReplayPosition(time: 30_000_000_001, range: 1...60_000_000_000, isPast: true)
        screen.act(
            .replayed(
                Self.source,
                ReplayStep(process: Script.process, isFresh: true, batches: [script(1).batch], position: position)))
        for _ in 0..<4 { LookingBackTests.tick(&screen, shown: 30, live: 60) }
        let labels = { (screen: Screen) in
            screen.state.warnings.rows.compactMap { row -> String? in
                if case .group(let group, _) = row { group.warnings.first?.label } else { nil }
            }
        }
        #expect(labels(screen) == ["order 1"])
        screen.act(.returnedToNow)
        #expect(labels(screen) == ["order 2"])
    }

    /// The call site of a folded node is remembered for later runs, not for the other nodes of this one.
    @Test func aFoldInThePastIsOfOneNode() {
        var screen = Screen(120, 40, options: .init(keepsHistory: true))
        let batch = ReplayViewTests.orders.batch
        screen.act(.received(Self.source, batch))
        screen.tick(60_000)
        let position = ReplayPosition(time: 30_000_000_001, range: 1...60_000_000_000, isPast: true)
        screen.act(
            .replayed(
                Self.source,
                ReplayStep(process: Script.process, isFresh: true, batches: [batch], position: position)))
        LookingBackTests.tick(&screen, shown: 30, live: 60)
        screen.go(to: 1)
        screen.type("h")
        #expect(!screen.text.contains("charge card") && screen.text.contains("pack parcel"))
        screen.act(.returnedToNow)
        #expect(!screen.text.contains("charge card") && screen.text.contains("pack parcel"), "\(screen.text)")
        #expect(screen.state.foldedSites.names == ["Shop/Order.swift:41"])
        // What was folded before the past is shown does not fold others there either.
        screen.go(to: 1)
        screen.act(
            .replayed(
                Self.source,
                ReplayStep(process: Script.process, isFresh: true, batches: [batch], position: position)))
        #expect(!screen.text.contains("charge card") && screen.text.contains("pack parcel"), "\(screen.text)")
        screen.type("*")
        screen.act(.returnedToNow)
        #expect(screen.text.contains("charge card") && screen.state.programs[0].initialFolds.isEmpty)
    }

    private static let restarted = ProcessDescription(
        key: ProcessKey(rawValue: 43), pid: 4343, name: "checkout", wallOffset: Script.process.wallOffset)

    /// Starts the live program anew: its nodes have the ids of the old run.
    private static func restart(_ screen: inout Screen) {
        screen.act(.connected(source, restarted))
        var script = Script(time: 61_000, of: restarted)
        script.make(1, .work, "order 90", site: "Shop/Later.swift:1")
        script.make(2, .then, "pack parcel", under: 1)
        script.make(3, .work, "order 91", site: "Shop/Later.swift:1")
        script.abandon(3, "its resolver was released")
        screen.act(.received(source, script.batch))
        LookingBackTests.tick(&screen, shown: 40, live: 62)
    }

    /// Folds, pins, tags and dismissed warnings are by the ids of nodes, which start again.
    @Test func aNewRunHasNoChoicesOfTheOldOne() {
        var screen = LookingBackTests.live()
        var script = Script(sequence: 3, time: 60_000)
        script.abandon(3, "its resolver was released")
        screen.feed(script)
        screen.go(to: 1)
        screen.type("hP")
        screen.go(to: 3)
        screen.type(":tag<Enter>5")
        for _ in 0..<4 { screen.tick(60_000) }
        for _ in 0..<20 where !screen.state.warnings.rows.isEmpty { screen.type("gx") }
        screen.type("1")
        #expect(screen.state.programs[0].insight.warnings.kindsByNode[NodeID(3)] == nil, "dismissed")
        LookingBackTests.lookBack(&screen)
        Self.restart(&screen)
        screen.act(.returnedToNow)
        for _ in 0..<4 { screen.tick(62_000) }
        #expect(screen.state.programs[0].info?.pid == 4343)
        #expect(screen.text.contains("pack parcel"), "\(screen.text)")
        #expect(screen.state.forest?.pins == [] && screen.taggedIDs == [])
        #expect((1...3).allSatisfy { !screen.state.outline.isTagged(screen.state.forest!.index(of: NodeID($0))!) })
        #expect(screen.state.programs[0].insight.warnings.kindsByNode[NodeID(3)] != nil)
    }

    /// The filter and the order that were set and dropped while the past is shown are those of a run that began meanwhile.
    @Test func aNewRunHasTheFilterAndTheOrderOfThePresent() {
        var screen = LookingBackTests.live()
        LookingBackTests.lookBack(&screen)
        screen.type("/charge<Enter>t")
        Self.restart(&screen)
        screen.act(.connected(SourceID(1), Script.billing))
        screen.type("<Esc>t")
        #expect(!screen.state.filter.isActive && !screen.state.tree.order.isGrouped)
        screen.act(.returnedToNow)
        for _ in 0..<4 { screen.tick(62_000) }
        for program in screen.state.programs {
            #expect(!program.outline.filterState.isActive && !program.outline.isGrouped, "\(program.name)")
        }
        #expect(screen.text.contains("order 91") && screen.text.contains("pack parcel"), "\(screen.text)")
    }

    /// A new run of the live program, of which nothing is known yet, changes nothing on the screen.
    @Test(arguments: ViewID.allCases) func theLiveProgramDoesNotDisturbTheShownView(_ view: ViewID) {
        var screen = Screen(120, 40, options: .init(keepsHistory: true))
        screen.feed(WarningsViewTests.trouble())
        let position = ReplayPosition(time: 72_000_000_001, range: 1...90_000_000_000, isPast: true)
        screen.act(
            .replayed(
                Self.source,
                ReplayStep(
                    process: Script.process, isFresh: true, batches: [WarningsViewTests.trouble().batch],
                    position: position)))
        screen.type("\(view.rawValue)")
        for _ in 0..<4 { LookingBackTests.tick(&screen, shown: 72, live: 90) }
        screen.type("jjj")
        screen.state.detail.top = 1
        let before = (Self.rows(screen), screen.state.selection)
        let new = ProcessDescription(key: ProcessKey(rawValue: 43), pid: 4343, name: "checkout", wallOffset: 1)
        screen.act(.reconnecting(Self.source, since: 1, reason: "reset", attempt: 1, nextAttempt: 2))
        screen.act(.connected(Self.source, new))
        #expect(Self.rows(screen) == before.0 && screen.state.selection == before.1, "\(screen.text)")
        #expect(screen.state.detail.top == 1)
    }

    /// Links between programs do not collect until the return.
    @Test func liveProgramsAreLinkedUnseen() {
        var screen = CalledChainTests.orders(options: .init(keepsHistory: true))
        LookingBackTests.lookBack(&screen)
        var more = Script(sequence: 2, time: 61_000, of: Script.billing)
        for node in 70..<90 as Range<UInt64> {
            more.make(node, .span, "POST /invoices")
            more.call(node, from: NodeKey(process: Script.process.key, id: NodeID(12)))
        }
        screen.act(.received(SourceID(1), more.batch))
        LookingBackTests.tick(&screen, shown: 40, live: 62)
        #expect(Self.now(screen).count == 2)
        for program in Self.now(screen) { #expect(program.outline.foreign.news.isEmpty) }
    }

    /// Whether chains are grouped decides whether they are drawn under their callers.
    @Test(arguments: [true, false]) func callsAreDrawnByTheGroupingOnReturn(_ isGrouped: Bool) {
        var screen = CalledChainTests.orders(options: .init(keepsHistory: true))
        let ungrouped = screen.visibleIDs
        if isGrouped { screen.type("t") }
        screen.tick(60_000)
        LookingBackTests.lookBack(&screen)
        screen.type("t")
        screen.act(.returnedToNow)
        for _ in 0..<4 { screen.tick(60_000) }
        #expect(screen.state.tree.order.isGrouped != isGrouped && screen.state.world.calledChains.isEmpty != isGrouped)
        if isGrouped { #expect(screen.visibleIDs == ungrouped, "\(screen.text)") }
    }

    /// A call that came while chains were grouped is drawn under its caller once they are not.
    @Test func aCallThatCameUnseenIsDrawnUnderItsCaller() {
        var screen = CalledChainTests.orders(options: .init(keepsHistory: true))
        screen.tick(60_000)
        LookingBackTests.lookBack(&screen)
        screen.type("t")
        var more = Script(sequence: 2, time: 61_000, of: Script.billing)
        more.make(70, .span, "POST /refunds")
        more.call(70, from: NodeKey(process: Script.process.key, id: NodeID(12)))
        screen.act(.received(SourceID(1), more.batch))
        LookingBackTests.tick(&screen, shown: 40, live: 62)
        screen.type("t")
        screen.act(.returnedToNow)
        let root = screen.state.programs[1].forest.index(of: NodeID(70))!
        #expect(
            screen.state.world.calledChains.caller(of: screen.state.rowID(of: root, in: 1)) != nil, "\(screen.text)")
    }

    /// A sort, which collects changes until it is done, is done unseen.
    @Test func aSortGoesOnUnseen() {
        var screen = Screen(80, 20, options: .init(keepsHistory: true))
        var script = Script(time: 10)
        for node in 1...30_000 as ClosedRange<UInt64> { script.make(node, .promise, "order \(node)") }
        screen.feed(script)
        for _ in 0..<4 { screen.type("s") }
        #expect(screen.state.programs[0].outline.hasWork(.sorting))
        LookingBackTests.lookBack(&screen)
        for _ in 0..<1_000 where Self.now(screen)[0].outline.hasWork(.sorting) {
            LookingBackTests.tick(&screen, shown: 40, live: 61)
        }
        #expect(!Self.now(screen)[0].outline.hasWork(.sorting))
    }

    /// The wait after a tag was by the live program's time of day.
    @Test func thePastIsIdleSoonAfterATag() {
        var screen = LookingBackTests.live()
        screen.go(to: 3)
        screen.type(" ")
        #expect(!screen.state.isIdle)
        LookingBackTests.lookBack(&screen)
        #expect(screen.state.isIdle)
        // Nor does the time of a paused recording pass.
        screen.go(to: 1)
        screen.type(" ")
        LookingBackTests.tick(&screen, shown: 40, live: 61)
        #expect(screen.state.isIdle)
    }

    @Test func seenWarningsAreNotNewOnReturn() {
        var screen = LookingBackTests.live()
        screen.type("5")
        for _ in 0..<4 { screen.tick(60_000) }
        screen.type("1")
        // Before the warning.
        LookingBackTests.lookBack(&screen, to: 1.2)
        #expect(screen.state.programs[0].insight.warnings.count == 0)
        screen.type("5")
        screen.type("1")
        screen.act(.returnedToNow)
        screen.type("5")
        screen.tick(60_000)
        #expect(screen.text.contains("long-handler") && !screen.text.contains(" new "), "\(screen.text)")
    }

    /// A live program has no beginning to count from.
    @Test func marksOfALiveProgramAreTimesOfDay() {
        var screen = LookingBackTests.live()
        screen.act(.marks([ReplayMark(time: 40_000_000_001, name: "boot")]))
        screen.type(":marks<Enter>")
        #expect(screen.text.contains("boot") && !screen.text.contains("40.000s"), "\(screen.text)")
        screen.type("<Esc>")
        #expect(LookingBackTests.commands(&screen, ":at 90s<Enter>") == [])
        #expect(screen.text.contains("say -90s or a time of day"), "\(screen.text)")
        screen.type("<Esc>")
        #expect(LookingBackTests.commands(&screen, ":at -20s<Enter>") == [.seek(40_000_000_001)])
        #expect(LookingBackTests.commands(&screen, ":at start<Enter>") == [.seek(0)])
        #expect(LookingBackTests.commands(&screen, ":at -0<Enter>") == [.seek(60_000_000_001)])
    }

    @Test func aFrozenPictureStaysFrozenWhenMarked() {
        var screen = LookingBackTests.live()
        screen.type("p")
        screen.tick(63_000)
        let marks = LookingBackTests.commands(&screen, ":mark here<Enter>:unmark there<Enter>")
        #expect(screen.state.isFrozen)
        #expect(marks == [.mark("here", at: 60_000_000_001), .unmark("there")])
    }
}

// SPDX-License-Identifier: MIT
