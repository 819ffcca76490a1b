import ChainEvents
import ChainSystem
import TestWaits
import Testing

@testable import ChainOutside

/// Tasks of a running probe, compared with what the probe says of itself.
@Suite(.enabled(if: Right.problem == nil, Right.reason))
struct TaskTests {
    @Test func everyTaskIsReadAsItIs() throws {
        let probe = try Probe("idle", 12)
        let reader = try OutsideReader(probe.pid)
        let expected = Set(probe.lines("task").map(expectedRow))
        #expect(expected.count == 12 * 7 + 1)
        var rows: Set<String> = []
        // The last of them may not be suspended yet.
        _ = wait {
            reader.scanAll()
            _ = reader.look(now: SystemTime.monotonic)
            rows = Set(reader.followed.values.map { row($0, in: reader) })
            return rows == expected
        }
        #expect(rows.subtracting(expected).sorted() == [])
        #expect(expected.subtracting(rows).sorted() == [])
        #expect(Set(reader.followed.values.map(\.node)).count == expected.count)

        // At rest nothing changes, and nothing is found twice.
        #expect(reader.scanAll().isEmpty)
        #expect(reader.look(now: SystemTime.monotonic).isEmpty)
        #expect(reader.followed.count == expected.count)
    }

    @Test func suspendedTasksNameTheirFunctions() throws {
        let probe = try Probe("idle", 1)
        let reader = try OutsideReader(probe.pid)
        let names = FunctionNames()
        let leaves = probe.lines("task").filter { $0[3] == "continuation" }
        #expect(leaves.count == 5)
        for leaf in leaves {
            var functions: [String] = []
            _ = wait {
                reader.scanAll()
                _ = reader.look(now: SystemTime.monotonic)
                let frames = reader.followed[number(leaf[0])]?.facts.frames ?? []
                functions = names.text(of: frames, in: reader.images).split(separator: "\n").map(String.init)
                return !functions.isEmpty
            }
            #expect(functions.first == "forgotten()", "\(leaf): \(functions)")
        }
    }

    @Test func liveTasksAreFoundAmongOthersThatComeAndGo() throws {
        let probe = try Probe("churn", 200)
        let reader = try OutsideReader(probe.pid)
        // The main task, too.
        let keepers = Set(probe.lines("task").map { number($0[0]) })
        for _ in 0..<5 {
            reader.scanAll()
            _ = reader.look(now: SystemTime.monotonic)
            #expect(keepers.subtracting(reader.followed.keys) == [])
        }
        let names = Set(keepers.compactMap { reader.followed[$0]?.facts.name })
        #expect(names == Set((0..<200).map { "keeper \($0)" }))

        // While the process is stopped, each pass finds the same, and each child is that of a known parent.
        for _ in 0..<3 {
            probe.stop()
            _ = reader.refresh()
            let found = Set(reader.followed.values.map(\.node))
            #expect(reader.scanAll().isEmpty)
            #expect(reader.look(now: SystemTime.monotonic).isEmpty)
            #expect(Set(reader.followed.values.map(\.node)) == found)
            for child in reader.followed.values where child.task.parent != 0 {
                #expect(reader.followed[child.task.parent] != nil, "\(child.task)")
            }
            probe.goOn()
        }
    }

    /// Tasks that go from actor to actor change while they are read.
    @Test func aTaskThatMovesKeepsItsLastState() throws {
        let probe = try Probe("hop", 4)
        let reader = try OutsideReader(probe.pid)
        let publisher = OutsidePublisher(reader)
        var events: [ChainEvent] = publisher.stateBegin().flatMap(\.events)
        reader.beginScan()
        while reader.scan != nil {
            events += publisher.changes(reader.advanceScan(limit: .max, now: SystemTime.monotonic)).flatMap(\.events)
        }
        events += publisher.stateEnd().flatMap(\.events)
        var moving: OutsideReader.Followed?
        let isFound = wait {
            let before = reader.followed
            let changes = reader.look(now: SystemTime.monotonic)
            events += publisher.changes(changes).flatMap(\.events)
            moving = changes.changed.first(where: \.isMoving)
            guard let moving, let known = before[moving.task.address] else { return false }
            #expect(moving.task == known.task && moving.facts.frames == known.facts.frames)
            return true
        }
        let node = try #require(isFound ? moving?.node : nil)
        #expect(events.contains { $0.kind == .waitsFor && $0.waitTarget == .moving && $0.node == node })
        // What is at rest is read.
        probe.stop()
        let changes = reader.look(now: SystemTime.monotonic)
        let read = try #require(changes.changed.first { $0.node == node })
        #expect(!read.isMoving && read.since > moving?.movingSince ?? 0)
        let isRest = reader.followed.values.allSatisfy { !$0.isMoving }
        #expect(isRest)
        probe.goOn()
    }

    @Test func aProcessThatEndsIsNoticed() throws {
        let probe = try Probe("idle", 1)
        let reader = try OutsideReader(probe.pid)
        #expect(reader.isAlive)
        _ = reader.refresh()
        probe.end()
        #expect(wait { !reader.isAlive })
        let after = reader.refresh()
        #expect(after.executors == [] && after.locks == [])
    }

    /// The line of the probe in the form of ``row(_:in:)``.
    private func expectedRow(_ words: [String]) -> String {
        let isChild = words[1] == "let" || words[1] == "group"
        return ([words[0], isChild ? words[1] : "root"] + words[2...4] + [words[5...].joined(separator: " ")])
            .joined(separator: " ")
    }

    private func row(_ known: OutsideReader.Followed, in reader: OutsideReader) -> String {
        let task = known.task
        let kind = task.isAsyncLet ? "let" : task.isGroupChild ? "group" : task.isChild ? "child" : "root"
        let wait =
            switch known.facts.wait {
            case .continuation: "continuation"
            case .group: "group"
            case .task(let other)
            where reader.followed[other]?.task.parent == task.address && reader.followed[other]?.task.isAsyncLet == true:
                "child"
            case .task(let other): "task:" + String(other, radix: 16)
            default: "-"
            }
        return [
            String(task.address, radix: 16), kind, String(task.parent, radix: 16), task.isRunning ? "-" : wait,
            task.isCancelled ? "cancelled" : "-", known.facts.name ?? "-",
        ].joined(separator: " ")
    }
}

// SPDX-License-Identifier: MIT
