import ChainEvents
import ChainInsight
import ChainModel
import EventScripts
import Testing

/// Suspended tasks counted by the functions in which they are suspended.
struct TaskStackTests {
    /// Tasks 1 to 5: two suspended in `charge`, two in `reserve`, of which one is cancelled; one runs.
    private func script() -> ScriptedForest {
        var script = ScriptedForest()
        for node in 1...5 as ClosedRange<UInt64> {
            script.at(Double(node))
            script.make(node, .task, site: 0)
            script.record(.resumed, node)
            if node < 5 { script.record(.suspended, node, at: script.time + 1) }
        }
        script.record(.cancelRequested, 4)
        script.at(10)
        var reading = FrameReading(time: script.time, taskCount: 5, partCount: 1, readCount: 4)
        reading.stacks = ["reserve()\norder()", "charge()"]
        reading.entries = [(1, 1), (2, 0), (3, 1), (4, 0)].map { .init(node: NodeID($0.0), stack: $0.1) }
        script.forest.apply(reading)
        return script
    }

    @Test func equalStacksAreOneRow() {
        let stacks = TaskStack.all(in: script().forest)
        #expect(stacks.map(\.frames) == ["charge()", "reserve()\norder()"], "among equal counts the oldest is first")
        #expect(stacks.map(\.count) == [2, 2])
        #expect(stacks.map(\.cancelledCount) == [0, 1])
        #expect(stacks.map(\.oldestSince) == [1_000_001, 2_000_001])
    }

    @Test func theStackWithTheMostTasksIsFirst() {
        var script = script()
        script.record(.resumed, 1)
        #expect(TaskStack.all(in: script.forest).map(\.count) == [2, 1])
        script.fulfill(4)
        #expect(TaskStack.all(in: script.forest).map(\.frames) == ["reserve()\norder()", "charge()"])
        #expect(TaskStack.all(in: script.forest).map(\.cancelledCount) == [0, 0])
    }

    @Test func aQueryFindsAWholeStack() throws {
        let forest = script().forest
        let query = try Query(Query.text(frames: "reserve()\norder()"))
        #expect(query.text == #"in="reserve()\norder()""#)
        var matcher = QueryMatcher(query)
        let found = (1...5 as ClosedRange<UInt64>).filter { node in
            forest.index(of: NodeID(node)).map { matcher.matches($0, in: forest, now: 0) } == true
        }
        #expect(found == [2, 4])
        #expect(query.mayFind(frames: "reserve()\norder()") && !query.mayFind(frames: "reserve()"))
        let hostile = "a\\nb\"c\nd"
        #expect(try Query(Query.text(frames: hostile)).mayFind(frames: hostile))
    }

    @Test(arguments: [
        ("ORDER", true), ("charge", false), ("-charge", true), ("order charge", false), ("order|charge", true),
        ("in:reserve", true), (#"in="reserve()""#, false), ("/res.rve/", true), ("in:/^charge/", false),
        ("kind:task", true), ("kind:then", false), ("live", true), ("failed", false), ("order age>5s", true),
    ])
    func aQueryIsSearchedForInAStack(text: String, isFound: Bool) throws {
        #expect(try Query(text).mayFind(frames: "reserve()\norder()") == isFound)
    }

    @Test func thereAreNoRowsWithoutFrames() {
        var script = ScriptedForest()
        script.make(1, .task)
        script.record(.resumed, 1)
        script.record(.suspended, 1, at: script.time + 1)
        #expect(TaskStack.all(in: script.forest) == [])
        #expect(TaskStack.suspendedCount(in: script.forest) == 1)
    }
}

// SPDX-License-Identifier: MIT
