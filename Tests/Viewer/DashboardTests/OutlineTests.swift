import ChainEvents
import ChainModel
import Frames
import SeededNumbers
import Testing

@testable import ChainRows
@testable import Dashboard

@Suite struct OutlineTests {
    // Seed 36: a chain that is folded to its root moves under another node, beside a child that is new there.
    @Test(arguments: Seeds.upTo(10) + [36]) func rowsAreThoseOfANaiveWalk(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var world = RandomWorld(screen: Screen(80, 20, options: RandomWorld.options(seed)), [Script.process])
        for step in 0..<130 {
            world.step(&random)
            if step % 3 == 0 { world.check("seed \(seed), step \(step)", &random) }
        }
    }

    // Seeds 46 and 89: a caller moves into another chain. Seed 92: a cycle of calls opens.
    @Test(arguments: Seeds.upTo(10) + [46, 89, 92]) func rowsOfSeveralProgramsAreThoseOfANaiveWalk(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let screen = Screen(80, 20, options: RandomWorld.options(seed), connected: false)
        var world = RandomWorld(screen: screen, [Script.process, Script.billing, LinkTests.restarted])
        for step in 0..<150 {
            world.step(&random)
            if step % 3 == 0 { world.check("seed \(seed), step \(step)", &random) }
        }
        #expect(world.linkCount > 0)
    }
}

/// A dashboard with random events, keys, clicks, losses and restarts.
struct RandomWorld {
    /// What the random events of a program depend on.
    private struct Program {
        var source: SourceID
        var info: ProcessDescription
        var isReachable = true
        var nextID: UInt64 = 1
        var live: [UInt64] = []
        var sequence: UInt64 = 1
    }

    var screen: Screen
    private var programs: [Program]
    private var time = 1.0
    private var needle = ""
    /// The key of the newest run.
    private var newestRun: UInt64 = 1_000
    /// How many chains all checks together found under their callers.
    private(set) var linkCount = 0

    init(screen: Screen, _ infos: [ProcessDescription]) {
        self.screen = screen
        programs = infos.enumerated().map { Program(source: SourceID($0), info: $1) }
        for program in programs.reversed() { self.screen.act(.connected(program.source, program.info)) }
    }

    /// Returns options with low limits for some seeds.
    static func options(_ seed: UInt64) -> State.Options {
        var options = State.Options()
        options.limits.settledNodeLimit = seed % 3 == 0 ? 30 : 1_000
        options.limits.settledLeafLimit = seed % 2 == 0 ? 5 : 1_000
        options.limits.ageLimit = seed % 4 == 0 ? 3_000_000_000 : 600_000_000_000
        if seed % 5 == 0 { options.limits.changeLimit = 3 }
        if seed % 7 == 0 { options.frozenLimit = 40 }
        return options
    }

    /// Lets up to 0.9 s pass, with random events and keys.
    mutating func step(_ random: inout SeededGenerator) {
        time += Double.random(in: 0.1...900, using: &random)
        if Int.random(in: 0..<3, using: &random) > 0 {
            append(programs.indices.randomElement(using: &random)!, &random)
        }
        screen.tick(time)
        let keys = [
            "j", "k", "h", "l", "h", "l", "G", "g", "<PgDn>", "<PgUp>", "*", "_", "f", "m", "n", "N", "w", " ", "s",
            "I", "t",
        ]
        for _ in 0..<Int.random(in: 0..<3, using: &random) { screen.type(keys.randomElement(using: &random)!) }
        switch Int.random(in: 0..<14, using: &random) {
        case 0:
            needle = [
                "a", "b", "map", "rejected", "a1", "state:running", "age>2s", "run>=1s or kind:map", "total>500ms",
                "not age>4s a",
            ].randomElement(using: &random)!
            screen.type("/<^U>\(needle)<Enter>")
        case 1:
            screen.type("<Esc>")
            // Among several programs Esc may have led to the overview.
            if screen.state.view != .chains { screen.type("1") }
        case 2: screen.act(.mouse(Mouse(Bool.random(using: &random) ? .wheelDown : .wheelUp, row: 5, column: 5)))
        case 3: if programs.count > 1 { loseOrConnect(programs.indices.randomElement(using: &random)!, &random) }
        case 4: if programs.count > 1 { screen.type("p") }
        case 5: if programs.count > 1 { click(&random) }
        default: break
        }
        screen.tick(time)
    }

    private mutating func click(_ random: inout SeededGenerator) {
        // Below the tabs.
        let row = Int.random(in: 2..<22, using: &random)
        let column = Columns(width: 80).node.start + Int.random(in: 0..<4, using: &random)
        screen.act(.mouse(Mouse(.press, .left, row: row, column: column)))
    }

    /// Loses a program, or connects it again, as the same or as a new run.
    private mutating func loseOrConnect(_ index: Int, _ random: inout SeededGenerator) {
        let source = programs[index].source
        guard !programs[index].isReachable else {
            programs[index].isReachable = false
            let since = Screen.wall(time)
            return screen.act(.reconnecting(source, since: since, reason: "gone", attempt: 1, nextAttempt: since))
        }
        if Bool.random(using: &random) {
            newestRun += 1
            programs[index].info.key = ProcessKey(rawValue: newestRun)
            (programs[index].nextID, programs[index].live, programs[index].sequence) = (1, [], 1)
        }
        programs[index].isReachable = true
        screen.act(.connected(source, programs[index].info))
    }

    /// Feeds a batch of random events of a program.
    private mutating func append(_ index: Int, _ random: inout SeededGenerator) {
        guard programs[index].isReachable else { return }
        // Also nodes that are not made yet.
        let callers = programs.indices.filter { $0 != index }.flatMap { other in
            (1...programs[other].nextID + 2).map { NodeKey(process: programs[other].info.key, id: NodeID($0)) }
        }
        let script = appendSome(of: &programs[index], calledFrom: callers, &random)
        screen.act(.received(programs[index].source, script.batch))
    }

    private func appendSome(
        of program: inout Program, calledFrom callers: [NodeKey], _ random: inout SeededGenerator
    ) -> Script {
        program.sequence += 1
        var script = Script(sequence: program.sequence, time: time, of: program.info)
        func make(_ kind: NodeKind, _ label: String?, under parent: UInt64 = 0, by creator: UInt64 = 0) {
            script.make(program.nextID, kind, label, under: parent, by: creator)
            program.live.append(program.nextID)
            program.nextID += 1
        }
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let some = program.live.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<9, using: &random) {
            case 0, 1:
                make(.promise, "a\(program.nextID % 7)")
                if !callers.isEmpty, Bool.random(using: &random), let caller = callers.randomElement(using: &random) {
                    script.call(program.nextID - 1, from: caller)
                }
            case 2, 3: make(.map, Bool.random(using: &random) ? "b\(program.nextID % 5)" : nil, under: some)
            case 4: make(.work, nil, by: some)
            case 5: if some != 0, let other = program.live.randomElement(using: &random) { script.adopt(some, other) }
            case 6:
                if some != 0 {
                    script.fulfill(some)
                    program.live.removeAll { $0 == some }
                }
            case 7:
                if some != 0 {
                    script.reject(some, "no \(some)")
                    program.live.removeAll { $0 == some }
                }
            default: if some != 0 { script.start(some) }
            }
        }
        return script
    }

    // MARK: The naive walk

    /// Checks the rows, the counts, the window, the selection and the tags against a naive walk.
    mutating func check(_ what: String, _ random: inout SeededGenerator) {
        // Nodes that changed are in their order from the next whole second on.
        time = (time / 1_000).rounded(.up) * 1_000 + 1
        screen.tick(time)
        var expected: [RowID] = []
        var matching = 0
        for (programIndex, process) in screen.state.programs.enumerated() {
            guard process.wasReached else { continue }
            let forest = process.forest
            let filter = process.outline.filter
            #expect(
                process.outline.pending == nil && process.outline.sorted.order == screen.state.tree.order, "\(what)")
            let naive = screen.state.naiveRows(of: programIndex)
            linkCount += screen.state.checkedLinks(of: programIndex, what)
            let rows = naive.rows()
            if !screen.state.isFrozen { naive.checkChains(what) }
            #expect(process.outline.rowCount == rows.count, "\(what)")
            if filter.isActive { matching += indices(of: forest).filter(naive.matches).count }
            #expect(filter.query.text == screen.state.filter.text && filter.dims == screen.state.filter.dims, "\(what)")
            if programs.count > 1 {
                if !filter.hidesUnmatched || !rows.isEmpty { expected.append(RowID(source: process.source)) }
                if process.isFolded { continue }
            }
            expected += rows.map {
                switch $0 {
                case .node(let node): process.rowID(of: node)
                case .group(let site): RowID(source: process.source, site: site)
                case .foreign(let rowID): rowID
                }
            }
        }
        #expect(screen.state.world.countRows() == expected.count, "\(what)")
        #expect(screen.state.world.rows(from: 0, count: expected.count + 5).map(\.rowID) == expected, "\(what)")
        #expect(screen.state.matchCount == matching, "\(what)")
        guard !expected.isEmpty else { return }
        let first = Int.random(in: 0..<expected.count, using: &random)
        let part = screen.state.world.rows(from: first, count: 7).map(\.rowID)
        #expect(part == Array(expected[first...].prefix(7)), "\(what)")
        #expect(screen.state.world.row(of: expected[first]) == first, "\(what)")
        let window = screen.state.tree.window.map(\.rowID)
        #expect(window == Array(expected[screen.state.tree.top...].prefix(window.count)), "\(what)")
        #expect(window.count == min(Layout(screen.state).content.rows, expected.count), "\(what)")
        #expect(screen.state.selection.map { expected.contains($0) } == true, "\(what)")
        for tag in screen.state.tags { #expect(screen.state.find(tag) != nil, "\(what)") }
        _ = screen.frame
    }

    private func indices(of forest: ChainForest) -> [NodeIndex] {
        (0..<UInt32(forest.indexBound)).map { NodeIndex(rawValue: $0) }.filter { forest.contains($0) }
    }
}

// SPDX-License-Identifier: MIT
