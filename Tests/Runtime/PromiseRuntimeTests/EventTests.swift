import ChainEvents
import Foundation
import PromiseRuntime
import Testing

@Suite struct EventTests {
    /// Runs `body`, then all ready handlers; all objects are released by then. Returns the events without the releases.
    private func lines(
        errors: Bool = true, values: Bool = false, _ body: (IsolatedRuntime) throws -> Void
    ) rethrows -> [String] {
        let isolated = IsolatedRuntime()
        let sink = LineSink()
        #expect(isolated.runtime.startRecording(into: sink, capturesErrors: errors, capturesValues: values))
        try isolated.run { try body(isolated) }
        isolated.runAll()
        #expect(isolated.runtime.liveNodeCount == 0)
        // Releases are checked as a set, because the optimiser decides when exactly a promise is released.
        let lines = sink.lines
        for line in lines where line.hasPrefix("created") {
            let node = line.split(separator: " ")[1]
            let own = lines.filter { $0.split(separator: " ")[1] == node }
            #expect(own.last == "released \(node)" && own.count { $0.hasPrefix("released") } == 1)
        }
        return lines.filter { !$0.hasPrefix("released") }
    }

    @Test func handlerFromQueueToRelease() {
        let lines = lines { _ in
            _ = Promise<Int>.resolve(1, label: "one").map(label: "two") { $0 + 1 }
        }
        #expect(
            lines == [
                "created #1 resolve \"one\"", "fulfilled #1", "created #2 map of #1 \"two\"", "queued #2 on manual",
                "started #2", "fulfilled #2 ended",
            ])
    }

    @Test func bodiesAndWork() {
        let lines = lines(values: true) { _ in
            _ = Promise<Int> { 5 }
            _ = Promise<Int> { resolve, _ in resolve(6) }
        }
        #expect(
            lines == [
                "created #1 work", "queued #1 on manual", "created #2 promise external", "queued #2 on manual",
                "started #1", "fulfilled #1 ended \"5\"",
                "started #2", "fulfilled #2 \"6\"", "ended #2",
            ])
    }

    @Test func rejectedSkippedUnhandled() {
        let lines = lines { _ in
            _ = Promise<Int>.reject(Failure("no")).map { $0 }
        }
        #expect(
            lines == [
                "created #1 reject", "rejected #1 \"no\"", "created #2 map of #1", "skipped #2 error",
                "unhandled #2 \"no\"",
            ])
    }

    @Test func valuesPassHandlersForErrors() {
        let lines = lines { _ in Promise<Int>.resolve(1).catch { _ in 0 } }
        #expect(
            lines == [
                "created #1 resolve", "fulfilled #1", "created #2 catch of #1", "skipped #2",
            ])
    }

    @Test func throwsEndTheirHandlers() {
        let lines = lines(errors: false) { _ in
            _ = Promise<Int>.resolve(1).map { _ -> Int in throw Failure("secret") }
        }
        #expect(lines.suffix(3) == ["started #2", "rejected #2 ended", "unhandled #2"])
    }

    @Test func adoptionAndCreators() {
        let lines = lines { _ in
            _ = Promise<Int>.resolve(1).then { _ in Promise<Int>.resolve(2, label: "inner") }
        }
        #expect(
            lines == [
                "created #1 resolve", "fulfilled #1", "created #2 then of #1", "queued #2 on manual",
                "started #2", "created #3 resolve by #2 \"inner\"", "fulfilled #3", "adopted #2 #3", "fulfilled #2",
                "ended #2",
            ])
    }

    @Test func membersAreLinked() {
        let lines = lines { _ in
            let members = [Promise<Int>.resolve(1), Promise<Int>.resolve(2)]
            _ = Promise.all(members, label: "both")
        }
        #expect(
            lines.prefix(7) == [
                "created #1 resolve", "fulfilled #1", "created #2 resolve", "fulfilled #2", "created #3 all \"both\"",
                "linked #3 #1 member", "linked #3 #2 member",
            ])
        #expect(lines.dropFirst(7).first == "fulfilled #3")
    }

    @Test func cancellationSpreads() {
        let lines = lines { _ in
            let (root, resolver) = Promise<Int>.pending()
            let child = root.map { $0 }.failed { _ in }
            root.cancel("enough", by: .viewer("ada"))
            root.cancel("again")
            resolver.fulfill(1)
            withExtendedLifetime((child, resolver)) {}
        }
        #expect(
            lines.dropFirst(3) == [
                "cancelRequested #1 byViewer \"ada: enough\"",
                "cancelled #1 byViewer \"cancelled by ada: enough\"",
                "cancelRequested #2 #1 byViewer \"ada: enough\"",
                "cancelled #2 byViewer \"cancelled by ada: enough\"",
                "cancelRequested #3 #2 byViewer \"ada: enough\"",
                "cancelled #3 byViewer \"cancelled by ada: enough\"", "queued #3 on manual",
                "started #3", "ended #3",
            ])
    }

    @Test func settledAgain() {
        let lines = lines { _ in
            let resolver = Promise<Int>.pending().resolver
            resolver.fulfill(1)
            resolver.fulfill(2)
            resolver.reject(Failure())
        }
        #expect(
            lines == [
                "created #1 pending external", "fulfilled #1", "settledAgain #1", "settledAgain #1",
            ])
    }

    @Test(arguments: [true, false])
    func abandonedNamesItself(capturesErrors: Bool) throws {
        let lines = lines(errors: capturesErrors) { _ in _ = Promise<Int>.pending(label: "lost") }
        #expect(lines.count == 2)
        #expect(lines[0] == "created #1 pending external \"lost\"")
        #expect(lines[1].hasPrefix("abandoned #1 \"abandoned: ") && lines[1].contains("(lost)"))
    }

    @Test func valuesOnlyOnRequest() {
        func fulfilled(values: Bool) -> String? {
            lines(values: values) { _ in _ = Promise<String>.resolve("secret") }.first { $0.hasPrefix("fulfilled") }
        }
        #expect(fulfilled(values: false) == "fulfilled #1")
        #expect(fulfilled(values: true) == "fulfilled #1 \"secret\"")
    }

    // MARK: R1

    @Test func r1RuntimesSeeNothingOfEachOther() {
        let (left, right) = (IsolatedRuntime(), IsolatedRuntime())
        let (leftSink, rightSink) = (LineSink(), LineSink())
        #expect(left.runtime.startRecording(into: leftSink))
        #expect(right.runtime.startRecording(into: rightSink))
        _ = left.run {
            Promise<Int>.resolve(1, label: "left").done { _ in
                right.run { _ = Promise<Int>.resolve(2, label: "right").map { $0 } }
            }
        }
        left.runAll()
        right.runAll()
        #expect(!leftSink.lines.contains { $0.contains("right") } && leftSink.lines.count == 8)
        #expect(!rightSink.lines.contains { $0.contains("left") || $0.contains("by ") })
        #expect(rightSink.lines.first == "created #1 resolve \"right\"")
    }

    @Test func r1HandlersAndChildrenInheritTheRuntime() throws {
        let isolated = IsolatedRuntime()
        let inner = Box<Promise<Int>?>(nil)
        let child = isolated.run { Promise<Int>.resolve(1) }.map { value in
            inner.value = Promise<Int>.resolve(value)
            return value
        }
        isolated.runAll()
        #expect(child.runtime === isolated.runtime && inner.value?.runtime === isolated.runtime)
        #expect(ChainRuntime.current === ChainRuntime.shared)
    }

    // MARK: Recording

    @Test func recordingStartsOnceAndStops() {
        let isolated = IsolatedRuntime()
        let (first, second) = (LineSink(), LineSink())
        #expect(isolated.runtime.startRecording(into: first))
        #expect(!isolated.runtime.startRecording(into: second))
        let kept = isolated.run { Promise<Int>.resolve(1, label: "kept") }
        #expect(isolated.runtime.liveNodeCount == 1)
        #expect(isolated.runtime.liveNode(kept.id) === kept)
        isolated.runtime.stopRecording()
        isolated.runtime.stopRecording()
        kept.done { _ in }
        isolated.runAll()
        #expect(first.lines == ["created #1 resolve \"kept\"", "fulfilled #1"] && second.lines == [])
        #expect(isolated.runtime.startRecording(into: second))
        kept.done { _ in }
        #expect(second.lines.first == "created #1 done of #2")
        isolated.runtime.stopRecording()
    }
}

// SPDX-License-Identifier: MIT
