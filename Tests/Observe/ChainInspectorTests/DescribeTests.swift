import ChainEvents
import ChainModel
import ChainSystem
import PromiseRuntime
import Testing

@testable import ChainInspector

/// The details of a node that a viewer requests.
@Suite struct DescribeTests {
    private let clock = StillClock()
    private let executor = ManualExecutor(name: "till")
    private let runtime: ChainRuntime

    init() { runtime = ChainRuntime(clock: clock, executor: executor) }

    private func describe(_ id: NodeID, _ inspector: Inspector) -> CommandReply.Outcome {
        inspector.perform(ViewerCommand(id: 1, process: inspector.info.key, request: .describe(id))).outcome
    }

    /// Returns the entries of a node as `name: text` lines. A refusal is an issue.
    private func lines(_ id: NodeID, _ inspector: Inspector) throws -> [String] {
        guard case .described(let detail) = describe(id, inspector) else {
            Issue.record("\(id) is not described: \(describe(id, inspector))")
            return []
        }
        #expect(detail.node == id)
        return detail.entries.map { "\($0.name): \($0.text)" }
    }

    @Test func aPendingNodeNamesItsWaiters() throws {
        let inspector = try Inspector.start(runtime: runtime, options: .alone)
        defer { inspector.stop() }
        let label = String(repeating: "long ", count: 200) + "end"
        let (promise, resolver) = runtime.run { Promise<[Int]>.pending(label: label) }
        let (first, second) = (promise.map { $0.count }, promise.map { $0 })
        let (follower, followerResolver) = runtime.run { Promise<[Int]>.pending() }
        followerResolver.resolve(promise)
        let all = runtime.run { Promise.all([promise]) }
        clock.advance(by: 1_240_000_000)
        let described = try lines(promise.id, inspector)
        #expect(
            described == [
                "label: \(label)", "value type: Array<Int>", "executor: till",
                "waiting handlers: 2: \(first.id), \(second.id)", "followed by: 1: \(follower.id)",
                "member of: 1: \(all.id)", "waits for: its resolver", "age: made 1.24s ago",
            ])
        let line = "waits for: \(promise.id) (pending), which it follows"
        #expect(try lines(follower.id, inspector).contains(line))
        #expect(try lines(follower.id, inspector).contains("follows: \(promise.id)"))
        #expect(try lines(first.id, inspector).contains("waits for: its parent \(promise.id) (pending)"))
        #expect(try lines(all.id, inspector).contains("waits for: its member \(promise.id) (pending)"))
        resolver.fulfill([])
        executor.runAll()
    }

    @Test func aBlockingThreadIsDescribed() throws {
        let inspector = try Inspector.start(runtime: runtime, options: .alone)
        defer { inspector.stop() }
        let (promise, resolver) = runtime.run { Promise<Int>.pending() }
        let blocked = startThread(named: "sleeper") { _ = try? promise.get() }
        #expect(wait { promise.facts().blockedThreads.count == 1 })
        let thread = try #require(promise.facts().blockedThreads.first).thread
        #expect(try lines(promise.id, inspector).contains { $0.hasPrefix("blocks thread: sleeper (\(thread))") })
        resolver.fulfill(1)
        blocked()
        #expect(promise.facts().blockedThreads.isEmpty)
    }

    private struct Card: Error, CustomStringConvertible {
        var description: String { "card expired" }
    }
    private enum Failed: Error { case paying(order: Int, underlying: any Error) }
    private struct Loop: Error, CustomStringConvertible {
        var inner: [any Error]
        var description: String { "loop of \(inner.count)" }
    }

    @Test func anErrorIsDescribedWithItsCauses() throws {
        let inspector = try Inspector.start(runtime: runtime, options: .alone)
        defer { inspector.stop() }
        let promise = runtime.run {
            Promise.any([Promise<Int>.reject(Failed.paying(order: 7, underlying: Card())), Promise.reject(Card())])
        }
        let lines = try lines(promise.id, inspector)
        #expect(lines.count { $0.hasPrefix("error") || $0.hasPrefix("cause") } == 8)
        #expect(lines.contains("error: all 2 failed, the last with: card expired"))
        #expect(lines.contains("error type: PromiseRuntime.AllRejectedError"))
        #expect(lines.filter { $0 == "cause: card expired" }.count == 2)
        #expect(lines.contains { $0.hasPrefix("cause: paying(order: 7") })
        _ = promise.result
    }

    @Test func errorsAreBounded() {
        let deep = (0..<100).reduce(Loop(inner: [])) { inner, _ in Loop(inner: [inner]) }
        let found = ErrorText(of: deep, includesTexts: true, byteLimit: 1 << 14)
        #expect(found.isCut && found.parts.map(\.depth) == Array(0...ErrorText.depthLimit))
        let wide = Loop(inner: (0..<1000).map { _ in Card() })
        #expect(ErrorText(of: wide, includesTexts: true, byteLimit: 1 << 14).parts.count == ErrorText.countLimit)
        struct Many: Error {
            var (a1, a2, a3, a4, a5, a6, a7, a8) = (1, 2, 3, 4, 5, 6, 7, 8)
            var (b1, b2, b3, b4, b5, b6, b7, b8) = (1, 2, 3, 4, 5, 6, 7, 8)
            var (number, last) = (9, Card())
        }
        let many = ErrorText(of: Many(), includesTexts: true, byteLimit: 1 << 14)
        #expect(many.isCut && many.parts.count == 1)
        struct Long: Error, CustomStringConvertible {
            var inner: [any Error]
            var description: String { String(repeating: "ä", count: 10_000) }
        }
        let long = ErrorText(of: Long(inner: [Long(inner: []), Card()]), includesTexts: true, byteLimit: 1000)
        let sizes = long.parts.compactMap { $0.text?.utf8.count }
        #expect(sizes == [1003, 3, 3] && long.parts[0].text?.hasSuffix("ää…") == true)
    }

    @Test func textsOfErrorsAreWithheldIfNotCaptured() throws {
        var options = InspectorOptions.alone
        options.capturesErrorText = false
        let inspector = try Inspector.start(runtime: runtime, options: options)
        defer { inspector.stop() }
        let promise = runtime.run { Promise<Int>.reject(Failed.paying(order: 4242, underlying: Card())) }
        let lines = try lines(promise.id, inspector)
        #expect(lines.contains { $0.hasPrefix("error type: ") && $0.hasSuffix("Failed") })
        #expect(lines.contains { $0.hasPrefix("cause type: ") && $0.hasSuffix("Card") })
        #expect(lines.contains("error: not captured (capturesErrorText is off)"))
        #expect(!lines.contains { $0.contains("4242") || $0.contains("expired") })
        let (cancelled, resolver) = runtime.run { Promise<Int>.pending() }
        cancelled.cancel()
        #expect(try self.lines(cancelled.id, inspector).contains("error: cancelled by program"))
        withExtendedLifetime((promise, resolver)) {}
    }

    private struct Rendered: Sendable, CustomStringConvertible {
        let count: Lock<Int>
        var description: String {
            count.withLock { $0 += 1 }
            return String(repeating: "v", count: 20_000)
        }
    }

    @Test(arguments: [true, false])
    func valuesAreDescribedOnlyOnRequest(captures: Bool) throws {
        var options = InspectorOptions.alone
        options.capturesValues = captures
        let inspector = try Inspector.start(runtime: runtime, options: options)
        defer { inspector.stop() }
        let count = Lock(0)
        let (promise, resolver) = runtime.run { Promise<Rendered>.pending() }
        let pending = try lines(promise.id, inspector)
        #expect(!pending.contains { $0.hasPrefix("value:") } && count.withLock { $0 } == 0)
        resolver.fulfill(Rendered(count: count))
        let before = count.withLock { $0 }
        #expect(before == (captures ? 1 : 0))
        let value = try lines(promise.id, inspector).first { $0.hasPrefix("value:") }
        let cut = "value: " + String(repeating: "v", count: NodeDetail.textByteLimit) + "…"
        #expect(value == (captures ? cut : "value: not captured (capturesValues is off)"))
        #expect(count.withLock { $0 } == before * 2)
    }

    @Test func releasedNodesAreDescribedFromTheForest() throws {
        let inspector = try Inspector.start(runtime: runtime, options: .alone)
        defer { inspector.stop() }
        let id = runtime.run {
            let promise = Promise<Int>.reject(Card(), label: "charge")
            _ = promise.catch { _ in 0 }
            return promise.id
        }
        executor.runAll()
        #expect(
            try lines(id, inspector) == [
                "label: charge", "error: card expired",
                "note: The program no longer has it: these are its recorded details",
                "age: made 0.0ms ago",
            ])
        let unknown = NodeID(UInt64(1) << 60)
        #expect(describe(unknown, inspector) == .refused("There is no node \(unknown) in this program"))
        let command = ViewerCommand(id: 1, process: ProcessKey(rawValue: 1), request: .describe(id))
        guard case .refused = inspector.perform(command).outcome else {
            Issue.record("another run's node is described")
            return
        }
    }

    @Test(arguments: [
        (0, "0.0ms"), (240_000, "0.2ms"), (9_949_999, "9.9ms"), (9_950_000, "10ms"), (210_400_000, "210ms"),
        (999_500_000, "1.00s"), (1_236_000_000, "1.24s"), (59_994_000_000, "59.99s"), (59_995_000_000, "1m 0s"),
        (60_000_000_000, "1m 0s"), (192_000_000_000, "3m 12s"), (192_500_000_000, "3m 13s"),
        (3_599_499_999_999, "59m 59s"), (3_599_500_000_000, "1h 0m"), (7_500_000_000_000, "2h 5m"),
        (7_529_999_999_999, "2h 5m"), (7_530_000_000_000, "2h 6m"), (UInt64.max, "5124095h 35m"),
    ])
    func durationsAreReadable(nanoseconds: UInt64, text: String) { #expect(readable(nanoseconds) == text) }
}

// SPDX-License-Identifier: MIT
