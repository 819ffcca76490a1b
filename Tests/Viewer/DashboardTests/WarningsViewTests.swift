import ChainEvents
import ChainInsight
import ChainModel
import Frames
import Testing

@testable import Dashboard

/// The view of warnings: what it shows, its keys and the mouse.
@Suite struct WarningsViewTests {
    /// Returns a script of a shop in which several things go wrong within 70 s.
    static func trouble(_ info: ProcessDescription = Script.process) -> Script {
        var script = Script(time: 1_000, of: info)
        script.make(1, .pending, "answer from the other office", site: "Shop/Stuck.swift:23", external: true)
        script.make(2, .map, "read it", under: 1, site: "Shop/Stuck.swift:24")
        script.make(3, .pending, "call", site: "Shop/Stuck.swift:31", external: true)
        script.at(3_000)
        script.abandon(3, "the resolver of call was released")
        script.make(4, .work, "post the letter", site: "Shop/Post.swift:7")
        script.reject(4, "PostError.noStamp")
        script.leaveUnhandled(4, "PostError.noStamp")
        script.release(4)
        script.make(5, .pending, nil, site: "Shop/Post.swift:12")
        script.fulfill(5)
        script.settleAgain(5)
        script.at(60_000)
        script.make(6, .work, "wait at the desk", site: "Shop/Desk.swift:40")
        script.queue(6)
        script.start(6, on: 2)
        script.block(6, for: 1, on: 2)
        for node in 10..<22 as Range<UInt64> {
            script.make(node, .work, "customer \(node - 9)", site: "Shop/Desk.swift:52")
            script.queue(node)
            script.at(60_000 + Double(node) * 100)
        }
        script.make(30, .race, "mirrors", site: "Shop/Mirrors.swift:9")
        script.make(31, .promise, "Lisbon", site: "Shop/Mirrors.swift:14")
        script.make(32, .promise, "Oslo", site: "Shop/Mirrors.swift:14")
        script.link(30, 31)
        script.link(30, 32)
        script.at(64_000)
        script.fulfill(31)
        script.fulfill(30)
        script.lose(1_204)
        script.at(70_000)
        return script
    }

    static func screen(_ columns: Int, _ rows: Int, options: State.Options = .init()) -> Screen {
        var screen = Screen(columns, rows, options: options)
        screen.feed(trouble())
        for time in [70_100.0, 72_000, 72_600] { screen.tick(time) }
        screen.type("5")
        return screen
    }

    /// Returns the kind and the number of warnings of each row for a kind at a call site.
    static func heads(_ screen: Screen, isEnded: Bool = false) -> [String] {
        screen.state.warnings.rows.compactMap {
            guard case .group(let group, _) = $0, group.id.isEnded == isEnded else { return nil }
            return "\(group.id.kind.rawValue) \(group.warnings.count)"
        }
    }

    /// Returns the number on the tab; nil if there is none.
    private static func badge(_ screen: Screen) -> String? {
        screen.frame.rowText(1).firstMatch(of: /Warnings ([0-9]+)/).map { String($0.1) }
    }

    /// Presses keys to go to the warning of a node.
    static func go(_ screen: inout Screen, to node: UInt64) {
        screen.type("g")
        for _ in 0..<100 {
            if screen.state.warnings.selectedRow?.warning?.warning.node.rawValue == node { return }
            screen.type("j")
        }
    }

    /// Presses keys to go to the first row of a kind.
    static func go(_ screen: inout Screen, to kind: WarningKind) {
        screen.type("g")
        for _ in 0..<100 where screen.state.warnings.selectedRow?.kind != kind { screen.type("j") }
    }

    // MARK: What it looks like

    @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 200, rows: 60)])
    func looksRight(_ size: Size) {
        var screen = Self.screen(size.columns, size.rows)
        if size.columns < 140 { screen.type("d") }
        Self.go(&screen, to: 1)
        GoldenTests.check(screen, "warnings/\(size)")
    }

    @Test func looksRightInASCII() {
        var screen = Self.screen(120, 40, options: State.Options(glyphs: .ascii))
        screen.type("jd")
        GoldenTests.check(screen, "warnings/ascii-120x40")
    }

    @Test func aCutListOfNodesEndsInASCII() throws {
        var screen = Self.screen(120, 40, options: State.Options(glyphs: .ascii))
        Self.go(&screen, to: .longQueueWait)
        let detail = try #require(screen.state.warnings.detail(in: screen.seen, width: 300))
        let text = detail.lines.map { $0.parts.map(\.text).joined() }.joined()
        #expect(text.contains(", ~") && !text.contains("…"), "\(text)")
    }

    @Test func severalProgramsHaveAColumn() {
        var screen = Self.screen(120, 40)
        screen.act(.connected(SourceID(1), Script.billing))
        screen.act(.received(SourceID(1), Self.trouble(Script.billing).batch))
        for time in [72_800.0, 75_000, 75_600] { screen.tick(time) }
        GoldenTests.check(screen, "warnings/programs-120x40")
        #expect(Self.heads(screen).count { $0 == "never-settled 1" } == 2, "one for each program")
    }

    @Test func nothingLooksWrong() {
        var screen = Screen(80, 24)
        screen.type("5")
        #expect(screen.text.contains("nothing looks wrong"))
        for keys in ["<Enter>", "x", "X", "s", "y", "e", "j", "d", "c", " ", "w", "h", "l", "*", "_"] {
            screen.type(keys)
            _ = screen.frame
        }
        let checkout = GoldenTests.checkout(80, 24)
        #expect(checkout.state.programs[0].insight.warnings.count == 0)
    }

    @Test func oneLostEventIsSingular() {
        var screen = Screen(120, 30)
        var script = Script(time: 1_000)
        script.make(1, .promise, "order 17")
        script.lose(1)
        screen.feed(script)
        for time in [1_100.0, 2_200] { screen.tick(time) }
        screen.type("5")
        #expect(screen.text.contains("1 event was lost"), "\(screen.text)")
    }

    @Test(arguments: 20...220) func columnsFit(_ width: Int) {
        for hasPrograms in [false, true] {
            let columns = WarningColumns(width: width, hasPrograms: hasPrograms)
            var end = 0
            for span in columns.all where span.isShown {
                #expect(span.start > end)
                end = span.start + span.width
            }
            #expect(end <= width - 1)
        }
    }

    // MARK: Rows

    @Test func worstComesFirstAndAllAreCounted() {
        let screen = Self.screen(120, 40)
        #expect(
            Self.heads(screen) == [
                "blocked-worker 1", "never-settled 1", "abandoned 1", "long-queue-wait 12", "unhandled-rejection 1",
                "race-loser-running 1", "settled-again 1", "lost-events 1",
            ])
        #expect(screen.frame.rowText(1).contains("5 Warnings 19"))
    }

    @Test func theCountIsOnTheTabOfEveryView() {
        var screen = Self.screen(120, 40)
        for key in ["1", "2", "3", "4", "6"] {
            screen.type(key)
            #expect(screen.frame.rowText(1).contains("5 Warnings 19"), "\(key)")
        }
    }

    @Test func endedWarningsAreFoldedForAWhile() {
        var screen = Self.screen(120, 60)
        var script = Script(sequence: 2, time: 73_000)
        script.fulfill(1)
        screen.feed(script)
        #expect(!Self.heads(screen).contains("never-settled 1"))
        #expect(screen.text.contains("▸ 2 ended"))
        screen.type("G<Enter>")
        #expect(Self.heads(screen, isEnded: true) == ["blocked-worker 1", "never-settled 1"])
        screen.type("h")
        #expect(Self.heads(screen, isEnded: true).isEmpty)
        screen.tick(680_000)
        screen.tick(681_000)
        #expect(!screen.text.contains(" ended"))
        #expect(screen.state.warnings.rows.allSatisfy { if case .ended = $0 { false } else { true } })
    }

    /// With a filter, `x` on the row of ended warnings dismisses those that the filter shows.
    @Test func endedWarningsThatAFilterHidesAreNotDismissed() {
        var screen = Self.screen(120, 60)
        var script = Script(sequence: 2, time: 73_000)
        script.fulfill(1)
        screen.feed(script)
        #expect(screen.text.contains("▸ 2 ended"))
        screen.type("/site:Desk.swift:40<Enter>")
        #expect(screen.text.contains("▸ 1 ended"))
        for _ in 0..<60 {
            if case .ended? = screen.state.warnings.selectedRow { break }
            screen.type("j")
        }
        screen.type("x<Esc>")
        #expect(screen.text.contains("▸ 1 ended"))
        for _ in 0..<60 {
            if case .ended? = screen.state.warnings.selectedRow { break }
            screen.type("j")
        }
        screen.type("x")
        #expect(!screen.text.contains(" ended"))
    }

    @Test func warningsSinceTheLastLookAreMarked() {
        var screen = Self.screen(120, 40)
        #expect(!screen.text.contains(" new "), "nothing is new at the first look")
        screen.type("1")
        var script = Script(sequence: 2, time: 73_000)
        script.make(70, .pending, "reply", site: "Shop/Stuck.swift:31", external: true)
        script.abandon(70, "the resolver of reply was released")
        screen.feed(script)
        screen.type("5")
        let marked = (0..<40).map { screen.frame.rowText($0) }.filter { $0.contains(" new ") }
        #expect(marked.count == 1 && marked[0].contains("abandoned"))
        screen.tick(74_000)
        #expect(screen.text.contains(" new "), "until the view is left")
        screen.type("15")
        #expect(!screen.text.contains(" new "))
        // Going to a node leaves the view, too.
        Self.go(&screen, to: 1)
        screen.type("<Enter>")
        #expect(screen.state.view == .chains)
        script.make(71, .pending, "answer", site: "Shop/Stuck.swift:32", external: true)
        script.abandon(71, "the resolver of answer was released")
        screen.feed(script)
        screen.tick(75_000)
        screen.type("5")
        #expect((0..<40).map { screen.frame.rowText($0) }.filter { $0.contains(" new ") }.count == 1)
    }

    @Test func aDroppedResolverCountsOnce() {
        var screen = Screen(120, 40)
        var script = Script(time: 1_000)
        script.make(1, .then, "forget to", site: "Shop/Stuck.swift:30")
        script.make(2, .pending, "call", by: 1, site: "Shop/Stuck.swift:31", external: true)
        script.adopt(1, 2)
        script.make(3, .map, "hear of it", under: 1, site: "Shop/Stuck.swift:34")
        script.at(2_000)
        script.abandon(2, "the resolver of call was released")
        script.abandon(1, "the resolver of call was released")
        script.reject(3, "the resolver of call was released")
        script.leaveUnhandled(3, "the resolver of call was released")
        screen.feed(script)
        for time in [2_100.0, 3_000, 3_600] { screen.tick(time) }
        screen.type("5")
        #expect(Self.heads(screen) == ["abandoned 1"])
        #expect(Self.badge(screen) == "1")
        #expect(screen.selectedID == 2, "the cause")
    }

    @Test func timesAreUpdatedOnceASecond() {
        var screen = Self.screen(120, 40)
        screen.tick(73_050)
        let revision = screen.state.revision
        screen.tick(73_300)
        #expect(screen.state.revision == revision)
        screen.tick(74_050)
        #expect(screen.state.revision != revision)
    }

    // MARK: Keys

    @Test func enterGoesToTheNode() {
        var screen = Self.screen(120, 40)
        Self.go(&screen, to: 1)
        screen.type("<Enter>")
        #expect(screen.state.view == .chains)
        #expect(screen.selectedID == 1)
    }

    @Test func enterUnfoldsACallSite() {
        var screen = Self.screen(120, 60)
        let before = screen.state.warnings.rows.count
        Self.go(&screen, to: .longQueueWait)
        screen.type("<Enter>")
        #expect(screen.state.warnings.rows.count == before + 12)
        screen.type("jj<Enter>")
        #expect(screen.state.view == .chains)
        #expect(screen.selectedID == 11)
        screen.type("5")
        #expect(screen.state.warnings.selectedRow?.warning?.warning.node.rawValue == 11)
        screen.type("h")
        #expect(screen.state.warnings.selectedRow?.folds == true)
        screen.type("h")
        #expect(screen.state.warnings.rows.count == before)
        screen.type("*")
        #expect(screen.state.warnings.rows.count == before + 12)
        screen.type("_")
        #expect(screen.state.warnings.rows.count == before)
    }

    @Test func aRowOfSeveralNodesOpensItsCallSite() {
        var screen = Self.screen(120, 60)
        Self.go(&screen, to: .longQueueWait)
        screen.type("e")
        #expect(screen.effects.last == .openEditor(CodeLocation(fileID: "Shop/Desk.swift", line: 52)))
        screen.type("c")
        #expect(screen.state.context == .view(.warnings))
        #expect(screen.message == "these are several nodes; Enter unfolds them")
    }

    @Test func xDismissesOneOrAllAndTheyStayAway() {
        var screen = Self.screen(120, 60)
        Self.go(&screen, to: 3)
        screen.type("x")
        #expect(!Self.heads(screen).contains("abandoned 1"))
        Self.go(&screen, to: .longQueueWait)
        screen.type("x")
        #expect(!Self.heads(screen).contains { $0.hasPrefix("long-queue-wait") })
        #expect(screen.message == "12 warnings dismissed; X mutes this kind")
        for time in [75_000.0, 77_000, 80_000] { screen.tick(time) }
        #expect(!Self.heads(screen).contains { $0.hasPrefix("abandoned") || $0.hasPrefix("long-queue-wait") })
        #expect(screen.state.programs[0].insight.warnings.count == 6)
    }

    @Test func capitalXHidesAKindAndShowsItAgain() {
        var screen = Self.screen(120, 60)
        Self.go(&screen, to: .longQueueWait)
        screen.type("X")
        #expect(!screen.state.options.warnings.enabled.contains(.longQueueWait))
        #expect(screen.state.programs[0].insight.warnings.count == 7)
        #expect(screen.text.contains("long-queue-wait is muted; X shows it again"))
        screen.type("GX")
        screen.tick(74_000)
        screen.tick(74_600)
        #expect(screen.state.programs[0].insight.warnings.count == 19)
    }

    @Test func keysActOnTheNodeOfTheRow() {
        var screen = Self.screen(120, 40)
        Self.go(&screen, to: 1)
        #expect(screen.selectedID == 1)
        screen.type("e")
        #expect(screen.effects.last == .openEditor(CodeLocation(fileID: "Shop/Stuck.swift", line: 23)))
        screen.type("c")
        #expect(screen.state.context == .confirm)
        screen.type("n")
        Self.go(&screen, to: 0)
        screen.type("c")
        #expect(screen.state.context == .view(.warnings))
        #expect(screen.message?.contains("no node") == true)
    }

    @Test func theFilterAppliesToNodes() {
        var screen = Self.screen(120, 40)
        screen.type("/site:Desk.swift:40<Enter>")
        #expect(Self.heads(screen) == ["blocked-worker 1"])
        #expect(screen.text.contains("18 warnings hidden by the filter"), "the tab counts 19")
        screen.type("/<^U>nothing<Enter>")
        #expect(screen.text.contains("19 warnings, none of them on a node that matches nothing"))
        screen.type("d")
        #expect(!screen.text.contains("nothing looks wrong"), "the tab counts 19")
        screen.type("d")
        screen.type("<Esc>")
        #expect(Self.heads(screen).count == 8)
    }

    @Test func theSelectionStaysOnItsWarning() {
        var screen = Self.screen(120, 60)
        Self.go(&screen, to: 32)
        let row = screen.state.warnings.selectedRow
        var script = Script(sequence: 2, time: 73_000)
        for node in 10..<16 as Range<UInt64> { script.start(node, on: ThreadID(node)) }
        screen.feed(script)
        #expect(screen.state.warnings.selectedRow == row)
        #expect(screen.selectedID == 32)
    }

    // MARK: The mouse

    private func click(_ screen: inout Screen, line: Int, column: Int, count: Int = 1) {
        let row = Layout(screen.state).content.row + line
        screen.act(.mouse(Mouse(.press, .left, row: row, column: column, clickCount: count)))
    }

    @Test func clicksFoldSelectAndGoThere() {
        var screen = Self.screen(120, 40)
        let count = screen.state.warnings.rows.count
        let line = screen.state.warnings.rows.firstIndex { $0.folds }!
        click(&screen, line: line, column: WarningColumns.marker)
        #expect(screen.state.warnings.rows.count == count + 12)
        click(&screen, line: line, column: WarningColumns.marker)
        #expect(screen.state.warnings.rows.count == count)
        click(&screen, line: 0, column: 30)
        #expect(screen.selectedID == 6)
        click(&screen, line: 0, column: 30, count: 2)
        #expect(screen.state.view == .chains)
        #expect(screen.selectedID == 6)
    }
}

// SPDX-License-Identifier: MIT
