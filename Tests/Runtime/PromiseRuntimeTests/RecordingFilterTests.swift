import ChainEvents
import SeededNumbers
import Testing

@testable import PromiseRuntime

/// Filters of recordings: each chain is recorded as a whole, or not at all.
@Suite struct RecordingFilterTests {
    private let isolated = IsolatedRuntime()
    private let sink = LineSink()

    private func record(_ filter: RecordingFilter) {
        #expect(isolated.runtime.startRecording(into: sink, filter: filter))
    }

    /// The labels and kinds of the recorded nodes, in order.
    private var created: [String] {
        sink.lines.filter { $0.hasPrefix("created") }.map { line in
            line.split(separator: " ").dropFirst(2).joined(separator: " ")
        }
    }

    private static let none = RecordingFilter(only: [.label("nothing is called this")])

    @Test func anExcludedPromiseIsNeitherRecordedNorRegistered() {
        record(Self.none)
        isolated.run {
            let (first, resolver) = Promise<Int>.pending()
            let second = first.map { $0 + 1 }.catch { _ in 0 }
            let all = Promise.all([second, Promise.resolve(2)])
            _ = all.then { values in Promise<Int> { values.count } }.timeout(.seconds(1))
            resolver.fulfill(1)
            resolver.fulfill(2)
            let cancelled = Promise<Int>.pending()
            cancelled.promise.cancel()
            _ = Promise<Int>.reject(Failed())
            #expect(isolated.runtime.liveNodeCount == 0)
        }
        isolated.runAll()
        #expect(sink.lines == [])
    }

    private struct Failed: Error {}

    @Test func aChainIsRecordedIfItsRootIs() {
        record(RecordingFilter(only: [.label("in *")]))
        isolated.run {
            for name in ["in 1", "out"] {
                let root = Promise<Int>(label: name) {
                    // Made by its handler, so in the same chain.
                    _ = Promise<Int>.resolve(1, label: "made by \(name)")
                    return 1
                }
                _ = root.then(label: "link of \(name)") { _ in
                    Promise<Int>.retry(2, label: "retry of \(name)") { () throws -> Promise<Int> in throw Failed() }
                }
            }
        }
        isolated.runAll()
        #expect(!created.isEmpty && created.allSatisfy { !$0.contains("out") })
        #expect(created.contains { $0.contains("\"made by in 1\"") })
        #expect(created.contains { $0.contains("\"link of in 1\"") })
        #expect(created.contains { $0.contains("attempt by #") && $0.contains("\"retry of in 1 2 of 2\"") })
    }

    @Test func aLaunchedChainIsRecordedAsAWhole() {
        record(RecordingFilter(only: [.label("in")]))
        for name in ["in", "out"] {
            let chain = Chain(label: name).map(label: "first of \(name)") { _ in 1 }
                .all([Chain(taking: Int.self, label: "member of \(name)").map { $0 }])
                .map(label: "last of \(name)") { $0.count }
            isolated.run { chain.launch() }
        }
        isolated.runAll()
        #expect(created.count >= 5 && created.allSatisfy { !$0.contains("out") })
    }

    @Test func rulesMatchModulesFilesLinesAndLabels() {
        let line = #line + 2
        func make(_ label: String) -> Promise<Int> {
            Promise<Int>.resolve(1, label: label)
        }
        let rules: [(RecordingFilter.Rule, Bool)] = [
            (.module("PromiseRuntimeTests"), true), (.module("PromiseRuntime"), false),
            (.file("RecordingFilterTests.swift"), true),
            (.file("PromiseRuntimeTests/RecordingFilterTests.swift"), true),
            (.file("FilterTests.swift"), false), (.file("RecordingFilterTests.swift", lines: line...line), true),
            (.file("RecordingFilterTests.swift", lines: 1...(line - 1)), false),
            (.label("a*d"), true), (.label("*"), true), (.label("abcd*"), true), (.label("abc"), false),
            (.label("*c*"), true), (.label("a*c"), false), (.label("**d"), true), (.label(""), false),
        ]
        for (rule, matches) in rules {
            for excludes in [false, true] {
                let runtime = ChainRuntime(executor: ManualExecutor())
                let filter = RecordingFilter(only: excludes ? [] : [rule], except: excludes ? [rule] : [])
                let sink = LineSink()
                #expect(runtime.startRecording(into: sink, filter: filter))
                // Twice, because the verdict of a site is cached.
                let promises = (0..<2).map { _ in runtime.run { make("abcd") } }
                #expect(sink.lines.isEmpty == (matches == excludes), "\(filter)")
                #expect(runtime.liveNodeCount == (matches == excludes ? 0 : 2))
                withExtendedLifetime(promises) {}
            }
        }
    }

    @Test func exceptionsComeBeforeRules() {
        record(
            RecordingFilter(
                only: [.module("PromiseRuntimeTests"), .label("x")], except: [.label("health *"), .module("Other")]))
        isolated.run {
            for label in ["", "x", "health 1"] { _ = Promise<Int>.resolve(1, label: label) }
        }
        #expect(created == ["resolve", "resolve \"x\""])
    }

    @Test(arguments: [2, 10, 1000]) func samplingRecordsOneRootInSoMany(sampling: Int) {
        record(RecordingFilter(sampling: sampling))
        let count = Seeds.rounds(50_000)
        isolated.run {
            for _ in 0..<count { Promise<Int>.resolve(1).done { _ in } }
        }
        let roots = created.count { $0 == "resolve" }
        let expected = Double(count / sampling)
        // Ids are mixed by a hash, so the count stays within six standard deviations of a fair draw.
        #expect(abs(Double(roots) - expected) < 6 * expected.squareRoot())
        #expect(created.count == 2 * roots)
        isolated.runAll()
    }

    /// Sampling includes no root that the rules exclude, and the rules include none that sampling excludes.
    @Test func samplingIsOfTheRootsThatTheRulesInclude() {
        record(RecordingFilter(sampling: 10, only: [.label("order *")], except: [.label("* test")]))
        let count = Seeds.rounds(50_000)
        isolated.run {
            for _ in 0..<count {
                for label in ["order 1", "order test", "health"] { _ = Promise<Int>.resolve(1, label: label) }
            }
        }
        let expected = Double(count / 10)
        // As above, within six standard deviations of a fair draw.
        #expect(abs(Double(created.count) - expected) < 6 * expected.squareRoot())
        #expect(Set(created) == ["resolve \"order 1\""])
    }

    @Test func linksToUnrecordedPromisesAreRecorded() {
        record(RecordingFilter(only: [.label("in")]))
        let (inside, outside) = isolated.run {
            (Promise<Int>.pending(label: "in"), Promise<Int>.pending(label: "out"))
        }
        let both = isolated.run { Promise.all([inside.promise, outside.promise], label: "in") }
        let other = isolated.run { Promise.all([inside.promise, outside.promise], label: "out") }
        let follower = isolated.run { Promise<Int>.pending(label: "in") }
        follower.resolver.resolve(outside.promise)
        #expect(isolated.runtime.liveNode(outside.promise.id) == nil && isolated.runtime.liveNode(both.id) === both)
        outside.resolver.fulfill(1)
        inside.resolver.fulfill(2)
        isolated.runAll()
        let recorded = sink.lines.filter { !$0.hasPrefix("created") && !$0.hasPrefix("released") }
        #expect(
            recorded == [
                "linked #2 #1 member", "linked #2 #3 member", "adopted #4 #3", "fulfilled #4", "fulfilled #1",
                "fulfilled #2",
            ])
        withExtendedLifetime((other, follower)) {}
    }

    @Test func concurrentThreadsReachOneDecision() throws {
        let isolated = isolated
        let early = isolated.run { (0..<200).map { Promise<Int>.pending(label: $0 % 2 == 0 ? "in" : "out") } }
        record(RecordingFilter(only: [.label("in"), .file("RecordingFilterTests.swift", lines: 1...1)]))
        let kept = Log<Promise<Int>>()
        try onThreads(4) { _ in
            for pair in early { kept.add(pair.promise.map(label: "link") { $0 }) }
        }
        let roots = created.filter { $0.contains("late") }
        #expect(roots.count == 100 && roots.allSatisfy { $0 == "pending late \"in\"" })
        #expect(created.count == 100 + 4 * 100 && isolated.runtime.liveNodeCount == created.count)
        for pair in early { pair.resolver.fulfill(1) }
        isolated.runAll()
        #expect(kept.entries.count == 800)
    }

    @Test func aPromiseIsDecidedOnceForItsLife() {
        let early = isolated.run { Promise<Int>.pending(label: "early") }
        record(RecordingFilter(only: [.label("in")]))
        let left = isolated.run { Promise<Int>.pending(label: "out") }
        let taken = isolated.run { Promise<Int>.pending(label: "in") }
        _ = early.promise.map { $0 }
        isolated.runtime.stopRecording()
        // Another filter changes nothing for decided promises; without a filter all are recorded.
        let second = LineSink()
        #expect(isolated.runtime.startRecording(into: second, filter: RecordingFilter(only: [.label("*")])))
        left.resolver.fulfill(1)
        taken.resolver.fulfill(1)
        #expect(second.lines == ["fulfilled #1"])
        isolated.runtime.stopRecording()
        let third = LineSink()
        #expect(isolated.runtime.startRecording(into: third))
        _ = left.promise.map { $0 }
        early.resolver.fulfill(1)
        #expect(isolated.runtime.liveNode(left.promise.id) === left.promise)
        #expect(third.lines.prefix(3) == ["created #1 pending late \"out\"", "fulfilled #1", "created #2 map of #1"])
        #expect(third.lines.contains("created #3 pending late \"early\""))
        isolated.runAll()
    }
}

// SPDX-License-Identifier: MIT
