import ChainEvents
import ChainInsight
import Foundation
import TerminalHarness
import TestWaits
import Testing

@testable import chainview

/// `chainview watch`.
@Suite(.serialized, .onItsOwnThread) struct WatchTests {
    /// Returns the nodes that a query finds, by batch.
    private func found(_ query: String, _ batches: [EventBatch]) throws -> [[UInt64]] {
        var watch = NodeWatch(process: ProcessDescription.recorded.key, query: try Query(query))
        return batches.map { batch in
            defer { watch.evictSettled(after: batch) }
            return watch.apply(batch).map { watch.forest.id(of: $0).rawValue }
        }
    }

    /// Returns a batch without events, so that time passes.
    private func silence(_ seconds: UInt64) -> EventBatch {
        EventBatch(process: ProcessDescription.recorded.key, sequence: seconds, time: seconds * 1_000_000_000)
    }

    @Test func eachNodeCountsOnce() throws {
        let batches = EventBatch.seconds(3)
        #expect(try found("rejected", batches + batches) == [[1], [2], [3], [], [], []])
        #expect(try found("label:\"order 2\"", batches) == [[], [2], []])
        #expect(try found("cancelled", batches).allSatisfy(\.isEmpty))
    }

    @Test func anAgeIsReachedWithoutEvents() throws {
        var made = EventBatch.seconds(1)[0]
        made.events.removeLast()
        #expect(try found("live age>30s", [made, silence(20), silence(33), silence(40)]) == [[], [], [1], []])
    }

    @Test func nodesOfTheBeginningCount() throws {
        var state = EventBatch(process: ProcessDescription.recorded.key, sequence: 1, time: 60_000_000_000)
        state.nodes = [5, 4, 6].map { NodeSnapshot(id: NodeID($0), kind: .promise) }
        for index in state.nodes.indices { state.nodes[index].created = 1_000_000_000 }
        // The oldest first.
        state.nodes[2].created = 500_000_000
        #expect(try found("live age>30s", [state]) == [[6, 4, 5]])
    }

    /// Only live nodes have an age.
    @Test func aSettledNodeHasNoAge() throws {
        let batches = EventBatch.seconds(3)
        #expect(try found("age>30s", batches + [silence(40), silence(80)]).allSatisfy(\.isEmpty))
        #expect(try found("total<1h", batches + [silence(40)]).flatMap(\.self) == [1, 2, 3])
    }

    /// The state comes in parts: a child may come before its parent, which is then known by its id only.
    @Test func nodesAreFoundOnceTheirFactsAreComplete() throws {
        func part(_ sequence: UInt64, _ nodes: [NodeSnapshot], _ resync: Resync? = nil) -> EventBatch {
            var batch = EventBatch(
                process: ProcessDescription.recorded.key, sequence: sequence, time: 60_000_000_000 + sequence)
            (batch.nodes, batch.resync) = (nodes, resync)
            return batch
        }
        var (child, parent) = (NodeSnapshot(id: NodeID(2), kind: .map), NodeSnapshot(id: NodeID(1), kind: .promise))
        (child.created, child.parent, parent.created) = (2_000_000_000, NodeID(1), 1_000_000_000)
        let state = [
            part(1, [], .begin(epoch: 60_000_000_000)), part(2, [child]), part(3, [parent]),
            part(4, [], .end(epoch: 60_000_000_000)),
        ]
        #expect(try found("age>30s", state) == [[], [], [], [1, 2]])

        // A settlement that is read before the creation, from another thread's buffer.
        var late = EventBatch.seconds(1)[0]
        var early = late
        (early.events, late.events) = ([late.events.removeLast()], late.events)
        early.time = late.time
        #expect(try found("rejected", [early, late]) == [[], [1]])
    }

    @Test func warningsAreFound() throws {
        var made = EventBatch.seconds(1)[0]
        made.events.removeLast()
        let later = (1...20).map { silence($0 * 60) }
        #expect(try found("warning:any", [made] + later).flatMap(\.self) == [1])
    }

    @Test func failEndsWithItsExitCode() throws {
        let place = Place()
        try place.recording()
        let matched = try place.run("watch shop.chain --where rejected --fail")
        #expect(matched.status == 1 && matched.errors.isEmpty && matched.lineCount == 1, "\(matched)")
        #expect(matched.output.hasPrefix("#1 rejected promise order 1 (Order.swift:42)"), "\(matched)")
        let none = try place.run("watch shop.chain --where cancelled --fail")
        #expect(none.status == 0 && none.output.isEmpty && none.errors.isEmpty, "\(none)")
        for words in [
            "--where failed", "--where failed --fail --exec true", "--where failed --exec ''",
            "--where 'state:nope' --fail", "--fail",
        ] {
            #expect(try place.run("watch shop.chain \(words)").status == 64, "\(words)")
        }
        #expect(try place.run("watch none --where failed --fail").status == 66)
    }

    @Test func aCommandRunsForEachNodeWithItsFacts() throws {
        let place = Place()
        var batches = EventBatch.seconds(3)
        batches[1].texts[0] = "'; touch \(place.path)/owned; '$(touch \(place.path)/owned)\u{1B}[2J"
        try place.recording("shop.chain", batches)
        let script =
            #"echo "$CHAINVIEW_ID $CHAINVIEW_STATE $CHAINVIEW_SUMMARY $CHAINVIEW_LABEL"; cat >> facts; exit $((CHAINVIEW_ID - 2))"#
        try script.write(toFile: place.path + "/script", atomically: true, encoding: .utf8)
        let outcome = try place.run("watch shop.chain --where rejected --exec 'sh ./script'")
        #expect(outcome.status == 0 && outcome.lineCount == 3, "\(outcome)")
        #expect(outcome.output.hasPrefix("1 rejected declined order 1\n2 rejected declined "), "\(outcome)")
        #expect(!outcome.output.contains("\u{1B}"))
        #expect(outcome.errors.contains("ended with code 1."), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: place.path + "/owned"))
        let facts = try String(contentsOfFile: place.path + "/facts", encoding: .utf8).split(separator: "\n")
        #expect(facts.count == 3)
        for (index, line) in facts.enumerated() {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            let node = object?["node"] as? [String: Any]
            #expect(object?["query"] as? String == "rejected" && node?["id"] as? Int == index + 1)
            #expect((object?["process"] as? [String: Any])?["name"] as? String == "shop")
        }
    }

    @Test func aQueueRunsInOrderAndCountsDroppedCommands() throws {
        let place = Place()
        let queue = CommandQueue("echo \"$NUMBER\" >> \(place.path)/list; cat >> \(place.path)/list", limit: 2)
        // The first begins at once, so three have room.
        for number in 1...5 {
            try queue.add(CommandQueue.Job(environment: ["NUMBER": "\(number)"], input: "in \(number)\n"))
        }
        _ = try queue.finish { false }
        let list = try String(contentsOfFile: place.path + "/list", encoding: .utf8)
        #expect(
            list.hasPrefix("1\nin 1\n2\nin 2\n3\nin 3\n")
                && queue.droppedCount + list.split(separator: "\n").count / 2 == 5)
    }

    /// Also if it comes while the rest is run.
    @Test(arguments: [0, 3]) func onceStoppedAQueueWaitsForALimitedTime(stopsAt: Int) throws {
        let place = Place()
        let path = try place.fifo()
        let queue = CommandQueue("exec < \(path)", stopLimit: .milliseconds(20))
        for _ in 1...3 { try queue.add(CommandQueue.Job(environment: [:], input: "")) }
        // A writer ends the command of a test that hangs.
        let watchdog = DispatchWorkItem { close(open(path, O_RDWR)) }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(240), execute: watchdog)
        var count = 0
        let restCount = try queue.finish {
            defer { count += 1 }
            return count == stopsAt
        }
        watchdog.cancel()
        #expect(restCount == 2 && count == stopsAt + 1)
        #expect(try queue.advance(), "the command has ended")
        let writer = try #require(FileHandle(forUpdatingAtPath: path))
        _ = try queue.finish { false }
        withExtendedLifetime(writer) {}
    }

    /// A recording waits for slow commands, but not longer than `--for` allows.
    @Test func aQueueWithoutRoomStopsWaiting() throws {
        let place = Place()
        let path = try place.fifo()
        let queue = CommandQueue("exec < \(path)", limit: 1, stopLimit: .milliseconds(20))
        for _ in 1...2 { try queue.add(CommandQueue.Job(environment: [:], input: "")) }
        var count = 0
        try queue.waitForRoom {
            count += 1
            return count == 3
        }
        #expect(!queue.hasRoom && count == 3)
        let writer = try #require(FileHandle(forUpdatingAtPath: path))
        try queue.waitForRoom { false }
        #expect(queue.hasRoom)
        _ = try queue.finish { false }
        withExtendedLifetime(writer) {}
    }

    /// Waits until a process has ended. Not asked of `process`, because its end is found by a descriptor that its command
    /// has, too.
    private func hasEnded(_ process: Process) -> Bool {
        wait {
            var info = siginfo_t()
            waitid(P_PID, id_t(process.processIdentifier), &info, WEXITED | WNOHANG | WNOWAIT)
            return info.si_signo == SIGCHLD
        }
    }

    @Test func theTimeLimitEndsTheCommandsToo() throws {
        let place = Place()
        try place.recording("shop.chain", EventBatch.seconds(3))
        let path = try place.fifo()
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: builtProduct("chainview"))
        // Each of the three commands waits for a writer.
        process.arguments = [
            "watch", place.path + "/shop.chain", "--where", "rejected", "--for", "100ms", "--exec", "exec < \(path)",
        ]
        process.environment = PseudoTerminal.standardEnvironment.merging(place.environment) { $1 }
        process.standardError = errors
        try process.run()
        #expect(hasEnded(process))
        let writer = try #require(FileHandle(forUpdatingAtPath: path))
        process.waitUntilExit()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(process.terminationStatus == 0 && text.contains("the command was not run for 2 nodes."), "\(text)")
        withExtendedLifetime(writer) {}
    }

    @Test func aSignalDoesNotWaitForTheCommand() throws {
        let place = Place()
        let path = try place.fifo()
        let shop = try place.probe("shop", "chain order 1")
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: builtProduct("chainview"))
        process.arguments = ["watch", "shop", "--where", "live", "--exec", "echo run; exec < \(path)"]
        process.environment = PseudoTerminal.standardEnvironment.merging(place.environment) { $1 }
        process.standardOutput = output
        try process.run()
        var entry = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        #expect(wait { poll(&entry, 1, 100) == 1 })
        process.terminate()
        // The limit of watch is 5 s; the command waits for a writer.
        #expect(hasEnded(process))
        let writer = try #require(FileHandle(forUpdatingAtPath: path))
        process.waitUntilExit()
        #expect(process.terminationStatus == SIGTERM)
        withExtendedLifetime((shop, writer)) {}
    }

    @Test func aProgramIsWatched() throws {
        let place = Place()
        let shop = try place.probe("shop", "chain order 1")
        let matched = try place.run("watch shop --where 'live age>1s' --fail")
        #expect(matched.status == 1 && matched.output.contains("order 1"), "\(matched)")
        let none = try place.run("watch \(shop.pid) --where failed --fail --for 300ms")
        #expect(none.status == 0 && none.output.isEmpty, "\(none)")
    }
}

// SPDX-License-Identifier: MIT
