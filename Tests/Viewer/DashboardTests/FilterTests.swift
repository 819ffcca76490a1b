import ChainEvents
import ChainInsight
import ChainModel
import Frames
import GoldenSupport
import SeededNumbers
import Testing

@testable import ChainRows
@testable import Dashboard

/// The filter, which is updated step by step, matches the same nodes as its query does when each node is asked.
@Suite struct FilterScanTests {
    private static let queries = [
        "a", "state:running", "age>3s", "age<=2s", "run>=1s", "run>1500ms or wait>2s", "total>2s", "not total>1s",
        "age>1s age<4s", "state:running and not age>5s", "kind:map or run>700ms", "thread:worker-2", "thread:late",
        "not (age>2s or a1)", "id:7", "wait<1s", "thread:9", "error~a", "not error:no", "running", "wait or b",
        "site:a",
        "not rejected a", "waits-for:parent", "waits-for:executor|timer or total>2s", "parent:a", "not parent:a1",
        "chain:a", "live -a", "failed|a2", "/a[12]$/", "value:a", "not error:/a/ settled",
    ]

    @Test(arguments: Seeds.upTo(8)) func matchesWhatTheQueryOfEachNodeMatches(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var screen = Screen(80, 20, options: RandomWorld.options(seed))
        var program = RandomProgram()
        for step in 0..<120 {
            program.advance(&screen, &random)
            if step % 20 == 0 {
                screen.type("/<^U>")
                screen.act(.pasted(Self.queries.randomElement(using: &random)!))
                screen.type("<Enter>")
            }
            if Int.random(in: 0..<40, using: &random) == 0 { screen.type("p") }
            screen.tick(program.time)
            if step % 3 == 0 { try expectRight(screen.state, "seed \(seed), step \(step)") }
        }
    }

    /// The same with slices of a few nodes, which leave work over from tick to tick.
    @Test(arguments: Seeds.upTo(6)) func matchesTheSameInSlices(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed << 20)
        var screen = Screen(80, 20)
        var program = RandomProgram()
        var scan = FilterScan()
        for step in 0..<150 {
            program.advance(&screen, &random)
            let (forest, now) = (screen.state.forest!, screen.state.programs[0].now)
            if step % 30 == 0 { scan.begin(try Query(Self.queries.randomElement(using: &random)!), now: now) }
            // Notes every node as changed, also those that did not change.
            for index in Self.indices(of: forest) { scan.noteChange(of: index, Self.anything, in: forest) }
            scan.tick(now)
            var slices = 0
            while scan.hasWork, slices < 4 {
                _ = scan.scan(in: forest, budget: 3)
                slices += 1
            }
            if step % 5 == 0 {
                while scan.scan(in: forest, budget: 3) {}
                _ = scan.takeUncounted()
                try expectRight(scan, forest, "seed \(seed), step \(step)")
            }
        }
    }

    private static let anything: NodeChanges = [.created, .moved, .state, .facts, .description]

    private func expectRight(_ state: State, _ what: String) throws {
        let scan = state.outline.filter
        guard scan.isActive, let forest = state.forest else { return }
        #expect(!scan.hasWork, "\(what)")
        // A frozen picture stays at its moment.
        #expect(scan.moment <= state.programs[0].shownNow, "\(what)")
        let isLate = scan.moment + 1_000_000_000 <= state.programs[0].now
        #expect(state.isFrozen || !isLate || state.filter.query?.dependsOnTime == false, "\(what)")
        try expectRight(scan, forest, what)
        #expect(forest.roots.reduce(0) { $0 + state.outline.matchCount(of: $1) } == scan.count, "\(what)")
    }

    private func expectRight(_ scan: FilterScan, _ forest: ChainForest, _ what: String) throws {
        let query = try Query(scan.query.text)
        var count = 0
        var matcher = QueryMatcher(query)
        for index in Self.indices(of: forest) {
            let isMatch = matcher.matches(index, in: forest, now: scan.moment)
            if isMatch { count += 1 }
            #expect(scan.isMatch(index) == isMatch, "\(what): \(scan.query.text) of \(forest.id(of: index))")
        }
        #expect(scan.count == count, "\(what)")
    }

    private static func indices(of forest: ChainForest) -> [NodeIndex] {
        (0..<UInt32(forest.indexBound)).map { NodeIndex(rawValue: $0) }.filter { forest.contains($0) }
    }

    /// Only live nodes have an age.
    @Test func anAgedNodeIsHiddenOnceItHasSettled() {
        var screen = Screen(80, 20)
        var script = Script(time: 10)
        for node in 1...3 as ClosedRange<UInt64> { script.make(node, .promise, "order \(node)") }
        screen.feed(script)
        screen.tick(20_000)
        screen.type("/age>15s<Enter>")
        #expect(screen.state.matchCount == 3)
        var end = Script(sequence: 2, time: 21_000)
        end.fulfill(1)
        end.reject(2, "late")
        screen.feed(end)
        #expect(screen.state.matchCount == 1 && screen.visibleIDs == [3])
    }

    /// The matches stay on the screen while all nodes are tested again.
    @Test func aSecondTestsNodesThatAreDue() throws {
        var screen = Screen(80, 20)
        var script = Script(time: 10)
        for node in 1...2_000 as ClosedRange<UInt64> { script.make(node, .promise, "order \(node)") }
        script.at(20_000)
        for node in 2_001...2_010 as ClosedRange<UInt64> { script.make(node, .promise, "order \(node)") }
        screen.feed(script)
        screen.type("/order and age>15s<Enter>")
        while screen.state.isScanning { screen.tick(20_000) }
        #expect(screen.state.matchCount == 2_000)
        for second in 21...34 {
            screen.tick(Double(second) * 1_000)
            #expect(screen.state.matchCount == 2_000 && !screen.state.isScanning)
        }
        screen.tick(36_000)
        #expect(screen.state.matchCount == 2_010)
    }

    @Test func slicesAreAsLargeAsTheyMayBe() throws {
        var screen = Screen(80, 20)
        var script = Script(time: 10)
        for node in 1...30_000 as ClosedRange<UInt64> { script.make(node, .promise, "order \(node)") }
        screen.feed(script)
        // Other work of the outline would share the ticks.
        while screen.state.outline.hasWork { screen.tick(20) }
        screen.type("/order")
        #expect(screen.state.isScanning && !screen.state.isIdle)
        // Without `.work` a tick continues the search. A chain with a match costs four nodes more.
        #expect(screen.state.matchCount == Outline.firstScanBudget / 5)
        screen.tick(39)
        #expect(screen.state.matchCount == Outline.firstScanBudget / 5 + Outline.scanBudget / 5)
        #expect(screen.text.contains("of 30,000 so far"))
        for tick in 0..<30_000 * 5 / Outline.scanBudget { screen.tick(40 + Double(tick)) }
        #expect(!screen.state.isScanning && screen.state.matchCount == 30_000)
    }
}

/// A program with random events, for one screen.
struct RandomProgram {
    private(set) var time = 1_000_000.0
    private var nextID: UInt64 = 1
    private var live: [UInt64] = []
    private var sequence: UInt64 = 1

    /// Lets time pass without events.
    mutating func pass(_ milliseconds: Double) { time += milliseconds }

    /// Lets up to 0.7 s pass, then feeds a batch of up to eight random events.
    mutating func advance(_ screen: inout Screen, _ random: inout SeededGenerator) {
        time += Double.random(in: 0.1...700, using: &random)
        sequence += 1
        var script = Script(sequence: sequence, time: time)
        for _ in 0..<Int.random(in: 0...8, using: &random) {
            let some = live.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<11, using: &random) {
            case 0, 1: make(.promise, "a\(nextID % 7)", &script)
            case 2: make(.map, "b\(nextID % 5)", under: some, &script)
            case 3: make(.callback, nil, under: some, &script)
            case 4: make(.work, nil, by: some, &script)
            case 5: if some != 0, let other = live.randomElement(using: &random) { script.adopt(some, other) }
            case 6: if some != 0 { script.queue(some) }
            case 7, 8: if some != 0 { script.start(some, on: ThreadID.random(in: 1...2, using: &random) * 2 + 7) }
            case 9: if some != 0 { script.end(some) }
            default:
                if some != 0 {
                    if Bool.random(using: &random) { script.fulfill(some) } else { script.reject(some, "no a\(some)") }
                    live.removeAll { $0 == some }
                }
            }
        }
        var batch = script.batch
        // Names of threads may come late.
        if sequence > 60 { batch.threads[9] = "late-1" }
        if sequence > 30 { batch.threads[11] = "worker-2" }
        // A thread's number may be reused by another thread.
        if sequence % 17 == 0 {
            batch.threads[ThreadID(1 + sequence % 2)] = ["b", "worker-2", "late"][Int(sequence) / 17 % 3]
        }
        screen.act(.received(SourceID(0), batch))
        screen.tick(time)
    }

    private mutating func make(
        _ kind: NodeKind, _ label: String?, under parent: UInt64 = 0, by creator: UInt64 = 0, _ script: inout Script
    ) {
        script.make(nextID, kind, label, under: parent, by: creator)
        live.append(nextID)
        nextID += 1
    }
}

/// The filter line: what the user types after `/`, and what it shows.
@Suite struct FilterLineTests {
    private static func screen(_ columns: Int = 100, _ rows: Int = 12, saved: [String: String] = [:]) -> Screen {
        GoldenTests.checkout(columns, rows, options: State.Options(savedQueries: saved))
    }

    /// Returns the last line of the screen.
    private func line(_ screen: Screen) -> String { screen.frame.rowText(screen.state.size.rows - 1) }

    @Test func aQueryThatCannotBeReadShowsWhere() {
        var screen = Self.screen()
        screen.type("/state:rejected and age>soon")
        GoldenTests.check(screen, "filter/error-100x12")
        screen.type("<^U>(card or")
        GoldenTests.check(screen, "filter/unfinished-100x12")
    }

    /// Where nothing matches, keys that go to rows say that, and not that the program has done nothing yet.
    @Test func keysSayThatNothingMatches() {
        var screen = Self.screen()
        screen.type("/no such node<Enter>")
        #expect(!line(screen).contains("c cancel"), "the selected row is not shown")
        for key in ["j", "k", "_", " ", "y", "Y", "P", "c", "C", "e", "w"] {
            screen.tick(screen.milliseconds + 10_000)
            screen.type(key)
            #expect(line(screen).contains("nothing matches; Esc clears the filter"), "\(key)")
        }
        #expect(screen.effects.isEmpty && screen.state.tags.isEmpty && screen.state.context == .view(.chains))
        screen.type("<Esc>")
        screen.tick(screen.milliseconds + 10_000)
        #expect(!screen.text.contains("nothing matches"))
    }

    /// Tagged nodes need no row that is shown.
    @Test func tagsAreActedOnThoughNothingMatches() {
        var screen = Self.screen()
        screen.type("g /no such node<Enter>c")
        #expect(screen.text.contains("Cancel 1 tagged node?"), "\(screen.text)")
        screen.type("ny")
        #expect(screen.effects.count == 1)
    }

    @Test func theLastGoodQueryStaysInForce() throws {
        var screen = Self.screen()
        screen.type("/state:rejected")
        let count = screen.state.matchCount
        #expect(screen.state.filter.query == (try Query("state:rejected")) && count == 3)
        screen.act(.pasted(" and ("))
        #expect(screen.state.matchCount == count)
        screen.type("<Enter>")
        #expect(screen.state.context == .filter, "what cannot be read is not accepted")
        #expect(line(screen).contains("something to look for is missing here"))
        screen.type("kind:failed)<Enter>")
        #expect(screen.state.context == .view(.chains) && screen.state.matchCount == 1)
    }

    @Test func tabCompletes() {
        var screen = Self.screen()
        screen.type("/sta")
        screen.act(.key(KeyPress(.tab)))
        #expect(screen.state.mode == .filter("state:"))
        screen.act(.key(KeyPress(.tab)))
        GoldenTests.check(screen, "filter/completion-100x12")
        screen.act(.key(KeyPress(.tab)))
        #expect(screen.state.mode == .filter("state:queued"))
        #expect(screen.state.filter.text == "state:queued")
        screen.type("<^U>state:rej")
        screen.act(.key(KeyPress(.tab)))
        screen.type(" site:checks.swift:2")
        screen.act(.key(KeyPress(.tab)))
        #expect(screen.state.mode == .filter("state:rejected site:Checks.swift:20"))
        screen.type("<^U>nonsense:")
        screen.act(.key(KeyPress(.tab)))
        #expect(line(screen).contains("no completions"))
    }

    @Test func theChosenCompletionIsAlwaysVisible() {
        var screen = Self.screen(40)
        screen.type("/state:")
        for word in NodeState.allCases.map(\.word) {
            screen.act(.key(KeyPress(.tab)))
            #expect(screen.state.mode == .filter("state:\(word)"))
            #expect(line(screen).filter { $0 != " " }.contains("state:\(word)"))
            let row = screen.frame.golden(header: "").split(separator: "\n").last!
            #expect(row.contains("label.reversed"))
        }
    }

    @Test func upAndDownRecallEarlierFilters() {
        var screen = Self.screen(saved: ["slow": "age>5s", "bad": "is:failed"])
        screen.type("/card<Enter><Esc>/checks<Enter><Esc>/dra")
        let typed = { (screen: Screen) -> String in
            if case .filter(let text) = screen.state.mode { text } else { "" }
        }
        var seen: [String] = []
        for _ in 0..<5 {
            screen.type("<Up>")
            seen.append(typed(screen))
        }
        #expect(seen == ["checks", "card", "is:failed", "age>5s", "age>5s"])
        screen.type("<Down><Down>")
        #expect(typed(screen) == "card" && screen.state.filter.text == "card")
        screen.type("<Down><Down><Down>")
        #expect(typed(screen) == "dra", "what was being typed is not lost")
    }

    /// The filter in force stands on the line already, so the first key shows the one before.
    @Test func theFilterInForceIsNotRecalled() {
        var screen = Self.screen()
        screen.type("/live<Enter>/<^U>abc<Enter>/")
        #expect(screen.state.mode == .filter("abc"))
        screen.type("<Up>")
        #expect(screen.state.mode == .filter("live"))
        screen.type("<Up>")
        #expect(screen.state.mode == .filter("live"), "there is none before")
        screen.type("<Down>")
        #expect(screen.state.mode == .filter("abc"))
    }

    @Test func aSavedQueryGoesByItsName() {
        var screen = Self.screen(saved: ["slow": "age>5s", "bad": "is:failed", "broken": "age>"])
        screen.type("/@ba")
        #expect(line(screen).contains("there is no saved query ba: @bad @broken @failed @live @slow @stuck"))
        screen.type("d")
        #expect(screen.state.filter.text == "is:failed")
        screen.act(.key(KeyPress(.tab)))
        #expect(screen.state.mode == .filter("is:failed"))
        screen.type("<^U>@s")
        screen.act(.key(KeyPress(.tab)))
        screen.type("<Enter>")
        #expect(screen.state.filter.text == "age>5s" && screen.state.context == .view(.chains))
        screen.type("/<^U>@broken")
        #expect(line(screen).contains("the saved query broken cannot be read: age> needs a value"))
    }

    @Test func hostileTextIsHarmless() {
        var screen = Self.screen()
        screen.act(.key(.character("/")))
        screen.act(.pasted("\u{1b}[31m\u{202e}(注文" + String(repeating: "é", count: 200)))
        #expect(!screen.text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202e })
    }

    /// The keys share the room that the filter and the tags leave. The last two are always there.
    @Test(arguments: [80, 100, 120, 140], ["/order<Enter>", "g jj ", "g jj /order<Enter>"])
    func footerKeysFitBesideTheFilterAndTheTags(_ columns: Int, _ keys: String) {
        var screen = GoldenTests.checkout(columns, 24)
        screen.type(keys)
        screen.tick(20_000)
        let footer = screen.frame.rowText(23)
        #expect(footer.contains("? help  q quit"), "\(footer)")
    }

    @Test func footerCountsWhatIsShown() {
        var screen = Self.screen()
        screen.type("/state:rejected<Enter>")
        #expect(line(screen).contains("/state:rejected  3 of 40 shown"))
        screen.type("m")
        screen.tick(20_000)
        #expect(line(screen).contains("3 of 40 match"))
    }
}

// SPDX-License-Identifier: MIT
