import ChainEvents
import ChainModel
import ChainRows
import SeededNumbers
import Testing

@testable import Dashboard

/// Live chains are on the screen without a key press.
struct LiveChainsTests {
    /// Red is for what has failed; a chain that tries again may still succeed.
    @Test func aChainThatTriesAgainIsNotRed() throws {
        var screen = Screen(132, 20)
        var script = Script()
        script.make(1, .promise, "order 17")
        script.make(2, .work, "charge card", by: 1)
        script.make(3, .work, "charge card again", by: 1)
        script.reject(2, "bank unreachable")
        screen.feed(script)
        screen.type("g_")
        let row = 3 + (screen.state.tree.selectedLine ?? 0)
        let frame = screen.frame
        #expect(
            frame.rowText(row).contains("charge card: bank unreachable") && frame.rowText(row).contains("1 rejected"))
        for column in 0..<132 {
            #expect(![.error, .rejected].contains(frame[row, column].style.role), "\(frame.rowText(row))")
        }
    }

    /// Behind the name, never in the column of values.
    @Test(arguments: 70...130) func theSummaryIsBehindTheName(_ columns: Int) {
        var screen = Screen(columns, 20)
        var script = Script()
        script.make(1, .promise, "wait at the desk for a rather long time of the day")
        script.make(2, .work, "answer from the other office", by: 1)
        script.start(2)
        screen.feed(script)
        screen.type("g_")
        let row = screen.frame.rowText(3 + (screen.state.tree.selectedLine ?? 0))
        let badge = row.range(of: "2 of 2 left")
        #expect(badge != nil, "\(row)")
        if let badge { #expect(row[..<badge.lowerBound].suffix(6).contains("●"), "\(row)") }
        #expect(!row.contains("worker-1  ●") && !row.contains("s  ●"), "\(row)")
    }

    /// Orders as in the checkout demo: a root, then steps in sequence, of which the second has three members. An order
    /// begins every 0.7 s, and takes 0.7 to 4.7 s.
    private struct Orders {
        /// The steps of all orders by time, in milliseconds; each adds its events to a script.
        var events: [(time: Double, write: (inout Script) -> Void)] = []

        init(count: Int, seed: UInt64) {
            var generator = SeededGenerator(seed: seed)
            for number in 0..<count {
                add(UInt64(number), from: 700 * Double(number), &generator)
            }
            events.sort { $0.time < $1.time }
        }

        private mutating func add(_ number: UInt64, from start: Double, _ generator: inout SeededGenerator) {
            let root = 1 + number * 20
            var time = start
            func step(_ time: Double, _ write: @escaping (inout Script) -> Void) { events.append((time, write)) }
            step(time) { script in
                script.make(root, .promise, "order \(number)", site: "Shop/Order.swift:9")
                script.make(root + 1, .work, "reserve", by: root)
                script.adopt(root, root + 1)
                script.queue(root + 1)
                script.start(root + 1)
                script.make(root + 2, .then, "check", under: root + 1)
                script.make(root + 3, .then, "charge", under: root + 2)
                script.make(root + 4, .then, "send receipt", under: root + 3)
                script.make(root + 5, .anyway, "release the shelf", under: root + 4)
                script.make(root + 6, .failed, "tell the customer", under: root)
            }
            time += Double.random(in: 200...900, using: &generator)
            step(time) { script in
                script.fulfill(root + 1, "a lamp")
                script.queue(root + 2)
                script.start(root + 2)
                script.make(root + 7, .all, "3 checks", by: root + 2)
                for member in 8...10 as ClosedRange<UInt64> {
                    script.make(root + member, .work, "check \(member)", by: root + 2)
                    script.link(root + 7, root + member)
                    script.queue(root + member)
                    script.start(root + member)
                }
                script.adopt(root + 2, root + 7)
                script.end(root + 2)
            }
            var last = time
            for member in 8...10 as ClosedRange<UInt64> {
                let end = time + Double.random(in: 200...2_200, using: &generator)
                last = max(last, end)
                step(end) { $0.fulfill(root + member, "found") }
            }
            time = last
            let isBad = Int.random(in: 0..<10, using: &generator) < 4
            step(time) { script in
                script.fulfill(root + 7)
                script.fulfill(root + 2, "all found")
                script.queue(root + 3)
                script.start(root + 3)
            }
            time += Double.random(in: 300...1_600, using: &generator)
            step(time) { script in
                if isBad {
                    script.reject(root + 3, "declined")
                    script.skip(root + 4, error: true)
                    script.reject(root + 5, "declined")
                    script.reject(root, "declined")
                    script.reject(root + 6, "declined")
                } else {
                    script.fulfill(root + 3, "9 € paid")
                    script.fulfill(root + 4, "9 € paid")
                    script.fulfill(root + 5, "9 € paid")
                    script.fulfill(root, "9 € paid")
                    script.skip(root + 6)
                }
            }
        }
    }

    /// Plays two minutes of orders on a screen of 120×40, with a batch each 50 ms. Calls `look` each 0.5 s.
    private func play(_ seed: UInt64, _ look: (Screen, ChainForest) -> Void) {
        var screen = Screen(120, 40)
        let events = Orders(count: 172, seed: seed).events
        var next = 0
        for round in 1...2_400 {
            let now = 50 * Double(round)
            var script = Script(sequence: UInt64(round), time: now - 50)
            while next < events.count, events[next].time <= now {
                script.at(events[next].time)
                events[next].write(&script)
                next += 1
            }
            screen.act(.received(SourceID(0), script.batch))
            screen.tick(now)
            if round.isMultiple(of: 10), round > 40 { look(screen, screen.state.forest!) }
        }
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func liveChainsFillTheScreen(seed: UInt64) {
        var screenCount = 0
        play(seed) { screen, forest in
            screenCount += 1
            let room = Layout(screen.state).content.rows
            let rows = screen.state.tree.window.compactMap(\.tree)
            let live = rows.filter { forest.chain(of: $0.node).liveCount > 0 }
            // Finished steps fold, so count against the rows that the live chains have.
            #expect(10 * live.count >= 8 * min(room, shownRows(ofLiveChainsIn: screen)), "\(screen.text)")
            // Live chains stand above settled ones, except those that settled a moment ago.
            let fading = rows.prefix(live.count).count { forest.chain(of: $0.node).liveCount == 0 }
            #expect(fading <= 2, "\(screen.text)")
            expectNewestRunningVisible(screen, forest, room)
        }
        #expect(screenCount > 200)
    }

    /// Returns how many rows the live chains have in all.
    private func shownRows(ofLiveChainsIn screen: Screen) -> Int {
        var state = screen.state
        let forest = state.forest!
        return state.world.rows(from: 0, count: state.tree.rowCount).compactMap(\.tree)
            .count { forest.chain(of: $0.node).liveCount > 0 }
    }

    /// Checks that the running nodes of the newest live chains are on the screen, for as many of these chains as fit.
    private func expectNewestRunningVisible(_ screen: Screen, _ forest: ChainForest, _ room: Int) {
        let visible = Set(screen.state.tree.window.compactMap { $0.tree?.node })
        var used = 2
        for root in forest.roots.reversed() where forest.chain(of: root).liveCount > 0 {
            used += forest.chain(of: root).nodeCount
            guard used <= room else { return }
            var next: NodeIndex? = root
            while let node = next {
                if forest.state(of: node) == .running { #expect(visible.contains(node), "\(screen.text)") }
                next = forest.next(after: node, within: root)
            }
        }
    }

    // MARK: Folding when a chain settles

    /// Adds a chain of two nodes, the first of which runs.
    private func order(_ script: inout Script, _ root: UInt64) {
        script.make(root, .work, "order \(root)")
        script.make(root + 1, .then, "charge", under: root)
        script.queue(root)
        script.start(root)
    }

    @Test func aChainThatSettlesFoldsAtOnceAndMovesDownAfterAMoment() {
        var screen = Screen(100, 30)
        var script = Script()
        order(&script, 10)
        script.at(10)
        order(&script, 20)
        screen.feed(script)
        #expect(screen.visibleIDs == [20, 21, 10, 11])
        var second = Script(sequence: 2, time: 100)
        second.reject(20, "no")
        second.skip(21, error: true)
        screen.feed(second)
        #expect(screen.visibleIDs == [20, 10, 11])
        screen.tick(700)
        #expect(screen.visibleIDs == [10, 11, 20])
    }

    @Test func theChainThatTheUserIsInStaysOpen() {
        var screen = Screen(100, 30)
        var script = Script()
        order(&script, 10)
        script.at(10)
        order(&script, 20)
        screen.feed(script)
        screen.type("j")
        #expect(screen.selectedID == 21)
        var second = Script(sequence: 2, time: 100)
        second.fulfill(20)
        second.fulfill(21)
        screen.feed(second)
        screen.tick(5_000)
        #expect(screen.visibleIDs == [20, 21, 10, 11])
        #expect(screen.selectedID == 21)
    }

    @Test func theLastChainStaysOpenWhileNothingIsLive() {
        var screen = Screen(100, 30)
        var script = Script()
        order(&script, 10)
        order(&script, 20)
        script.at(50)
        script.fulfill(10)
        script.fulfill(11)
        script.at(60)
        script.fulfill(20)
        script.fulfill(21)
        screen.feed(script)
        screen.tick(10_000)
        #expect(screen.visibleIDs == [20, 21, 10])
        var second = Script(sequence: 2, time: 10_000)
        order(&second, 30)
        screen.feed(second)
        screen.tick(12_000)
        #expect(screen.visibleIDs == [30, 31, 20, 10])
    }

    // MARK: The top

    @Test func theTopStaysAfterGAndAfterASort() {
        var screen = Screen(100, 12)
        var script = Script()
        for number in 1...20 as ClosedRange<UInt64> {
            script.at(Double(number))
            order(&script, 10 * number)
        }
        screen.feed(script)
        screen.type("<PgDn><PgDn>")
        #expect(screen.state.tree.top > 0)
        screen.type("s")
        #expect(screen.state.tree.top == 0)
        #expect(screen.state.tree.selectedLine == 0)
        screen.type("s")
        for _ in 0..<8 where screen.state.tree.order.column != .start { screen.type("s") }
        screen.type("<PgDn>g")
        var second = Script(sequence: 2, time: 100)
        order(&second, 500)
        screen.feed(second)
        #expect(screen.visibleIDs.first == 500)
        #expect(screen.selectedID == 500)
        // A move anchors the selection.
        screen.type("j")
        var third = Script(sequence: 3, time: 200)
        order(&third, 600)
        screen.feed(third)
        #expect(screen.selectedID == 501)
    }
}

// SPDX-License-Identifier: MIT
