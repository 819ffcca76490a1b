import ChainEvents
import Frames
import Testing

@testable import Dashboard

/// The view of threads: sorting, idle threads, and the queues of executors.
@Suite struct ThreadsOrderTests {
    /// Returns the view of workers 1 to 9: the first three run, the others have been idle for 19 s.
    private static func screen(_ columns: Int = 120, _ rows: Int = 40) -> Screen {
        var screen = Screen(columns, rows)
        var script = TimedScript()
        script.batch.executors = [1: "pool"]
        for thread in 1...9 as ClosedRange<UInt32> {
            script.batch.threads[thread] = "worker-\(thread)"
            script.run(UInt64(thread), "warm up", from: 500, to: 900, on: thread)
        }
        for (thread, start) in [(1, 18_000.0), (2, 12_000), (3, 19_500)] as [(UInt64, Double)] {
            script.make(10 + thread, .work, "order \(thread)", at: start)
            script.queue(10 + thread, at: start)
            script.start(10 + thread, at: start, on: ThreadID(thread))
        }
        script.make(20, .work, "bill", at: 14_000)
        for node in 21...23 as ClosedRange<UInt64> {
            script.make(node, .then, "line \(node)", under: 20, at: 14_000)
            script.queue(node, at: 14_000 + Double(24 - node) * 1_000)
        }
        script.batch.time = script.nanoseconds(20_000)
        screen.act(.received(SourceID(0), script.batch))
        screen.tick(20_000)
        screen.type("2")
        return screen
    }

    private static func lanes(_ screen: Screen) -> [ThreadID] {
        screen.state.threads.rows.compactMap { if case .lane(_, let thread) = $0 { thread } else { nil } }
    }

    @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 200, rows: 60)])
    func looksRight(_ size: Size) {
        var screen = Self.screen(size.columns, size.rows)
        screen.type("sG<Enter>")
        screen.tick(20_010)
        GoldenTests.check(screen, "threads/queue-\(size)")
    }

    @Test func idleThreadsFoldIntoOneRow() {
        var screen = Self.screen()
        #expect(Self.lanes(screen) == [1, 2, 3])
        #expect(screen.text.contains("▸  6 idle threads") || screen.text.contains("▸ 6 idle threads"))
        screen.type("g")
        for _ in 0..<9 where screen.state.threads.current != .idle(SourceID(0), count: 6) { screen.type("j") }
        screen.type("<Enter>")
        #expect(Self.lanes(screen) == [1, 2, 3, 4, 5, 6, 7, 8, 9])
        screen.type("h")
        #expect(Self.lanes(screen) == [1, 2, 3])
        // A thread that runs again has its row at once, and keeps it for some seconds.
        var more = TimedScript(sequence: 2)
        more.run(40, "again", from: 20_100, to: 20_200, on: 7)
        screen.act(.received(SourceID(0), more.batch))
        screen.tick(20_300)
        #expect(Self.lanes(screen) == [1, 2, 3, 7])
        screen.tick(24_000)
        #expect(Self.lanes(screen) == [1, 2, 3, 7])
        screen.tick(26_000)
        #expect(Self.lanes(screen) == [1, 2, 3])
    }

    @Test func aKeySortsAndTheArrowIsAtTheSortedHeader() {
        var screen = Self.screen()
        func header() -> String { screen.frame.rowText(Layout(screen.state).content.row - 1) }
        #expect(header().contains("thread▴"))
        screen.type("s")
        #expect(screen.message == "sorted by busy, the most busy first")
        #expect(header().contains("busy▾"))
        #expect(Self.lanes(screen) == [2, 1, 3])
        screen.type("s")
        #expect(screen.message == "sorted by since, the longest first")
        #expect(header().contains("since▾"))
        #expect(Self.lanes(screen) == [2, 1, 3])
        screen.type("I")
        #expect(screen.message == "sorted by since, the shortest first")
        #expect(header().contains("since▴"))
        #expect(Self.lanes(screen) == [3, 1, 2])
        screen.type("s")
        #expect(Self.lanes(screen) == [1, 2, 3])
        let row = Layout(screen.state).content.row - 1
        let busy = ThreadColumns(screen.seen).recent
        for expected in [[2, 1, 3], [3, 1, 2]] as [[ThreadID]] {
            screen.act(.mouse(Mouse(.press, .left, row: row, column: busy.start + 1)))
            #expect(Self.lanes(screen) == expected)
        }
    }

    @Test func enterOnAnExecutorListsItsQueue() {
        var screen = Self.screen()
        screen.type("G<Enter>")
        screen.tick(20_010)
        let queued = screen.state.threads.rows.compactMap { row -> UInt64? in
            if case .queued(_, _, let node) = row { node.rawValue } else { nil }
        }
        #expect(queued == [23, 22, 21], "the longest wait first")
        #expect(screen.text.contains("line 23"))
        #expect(screen.text.contains("in bill"), "its chain")
        screen.type("jj")
        #expect(screen.selectedID == 22)
        var more = TimedScript(sequence: 2)
        more.start(23, at: 20_100, on: 4)
        screen.act(.received(SourceID(0), more.batch))
        screen.tick(20_110)
        #expect(screen.selectedID == 22)
        #expect(!screen.text.contains("◎ then line 23"))
        screen.type("<Enter>")
        #expect(screen.state.view == .chains)
        #expect(screen.selectedID == 22)
        screen.type("2h<Enter>")
        #expect(screen.state.threads.queues.isEmpty)
    }

    private static func executors(_ screen: Screen) -> [ExecutorID] {
        screen.state.threads.rows.compactMap { if case .executor(_, let executor) = $0 { executor } else { nil } }
    }

    @Test func idleExecutorsOfManyAreCounted() {
        var screen = Screen(120, 40)
        var script = TimedScript()
        let limit = ExecutorID(ThreadsView.executorLimit)
        for executor in 1...limit { script.batch.executors[executor] = "connection \(executor)" }
        for node in [1, 2] as [UInt64] { script.make(node, .work, "request \(node)", at: 10) }
        script.queue(1, at: 10, executor: 7)
        script.queue(2, at: 10, executor: 5)
        script.start(2, at: 11, on: 1)
        screen.act(.received(SourceID(0), script.batch))
        screen.tick(100)
        screen.type("2")
        #expect(Self.executors(screen) == Array(1...limit))
        var more = TimedScript(sequence: 2)
        more.batch.executors[limit + 1] = "connection \(limit + 1)"
        more.batch.time = more.nanoseconds(200)
        screen.act(.received(SourceID(0), more.batch))
        screen.tick(200)
        #expect(Self.executors(screen) == [5, 7])
        #expect(screen.state.threads.rows.last == .idleExecutors(SourceID(0), count: Int(limit) - 1))
        screen.type("G")
        #expect(screen.text.contains("255 idle executors"))
        screen.type("<Enter>")
        #expect(screen.message == "this program has many executors, so the idle ones are only counted")
        // The row under the cursor stays while its executor is idle.
        screen.type("k")
        #expect(screen.state.threads.current == .executor(SourceID(0), 7))
        var end = TimedScript(sequence: 3)
        for (node, thread) in [(1, 2), (2, 1)] as [(UInt64, ThreadID)] { end.fulfill(node, at: 210, on: thread) }
        screen.act(.received(SourceID(0), end.batch))
        screen.tick(300)
        #expect(Self.executors(screen) == [7])
        screen.type("j")
        screen.tick(1_500)
        #expect(Self.executors(screen) == [])
        #expect(screen.state.threads.current == .idleExecutors(SourceID(0), count: Int(limit) + 1))
    }

    @Test func aMessageSaysThatTheQueueIsEmpty() {
        var screen = ThreadsViewTests.shop(120, 40)
        for _ in 0..<20 where screen.state.threads.current != .executor(SourceID(0), 2) { screen.type("j") }
        screen.type("<Enter>")
        #expect(screen.message == "the queue is empty")
    }

    /// Until the next sweep, a listed node may have started.
    @Test func nodesThatAreNotListedAreCounted() {
        var screen = Screen(120, ExecutorQueue.limit + 20)
        var script = TimedScript()
        script.batch.executors = [1: "pool"]
        for node in 1...UInt64(ExecutorQueue.limit + 1) {
            script.make(node, .work, "job", at: Double(node) / 1_000)
            script.queue(node, at: Double(node) / 1_000)
        }
        screen.act(.received(SourceID(0), script.batch))
        screen.tick(100)
        screen.type("2G<Enter>")
        screen.tick(200)
        #expect(screen.text.contains("… 1 more"), "\(screen.text)")
        var more = TimedScript(sequence: 2)
        more.start(1, at: 205, on: 4)
        screen.act(.received(SourceID(0), more.batch))
        screen.tick(210)
        #expect(screen.text.contains("… 1 more"), "\(screen.text)")
    }

    @Test func aLongQueueIsFoundInSlices() {
        var screen = Screen(120, 40)
        var script = TimedScript()
        script.batch.executors = [1: "pool"]
        for node in 1...40_000 as ClosedRange<UInt64> {
            script.make(node, .work, "job", at: Double(node) / 1_000)
            script.queue(node, at: Double(node) / 1_000)
        }
        screen.act(.received(SourceID(0), script.batch))
        screen.tick(100)
        screen.type("2G<Enter>")
        for step in 0..<5 { screen.tick(200 + Double(step) * 30) }
        let rows = screen.state.threads.rows
        #expect(rows.count(where: { if case .queued = $0 { true } else { false } }) == ExecutorQueue.limit)
        #expect(rows.last == .moreQueued(SourceID(0), 1))
    }
}

// SPDX-License-Identifier: MIT
