import ChainBus
import ChainEvents
import ChainRecording
import ChainSource
import ChainSystem
import Dashboard
import Dispatch
import Foundation
import TerminalHarness
import TestWaits
import Testing

import struct Frames.Size  // Darwin has a Size, too (MacTypes.h).

@testable import chainview

/// The order in which a feed dispatches statuses, batches and replies.
@Suite(.onItsOwnThread) struct FeedTests {
    private static let old = ChainEvents.ProcessDescription(
        key: ProcessKey(rawValue: 1), pid: 11, name: "shop", wallOffset: 0)
    private static let new = ChainEvents.ProcessDescription(
        key: ProcessKey(rawValue: 2), pid: 12, name: "shop", wallOffset: 0)

    /// Returns the actions that the feed dispatches, as texts.
    private func drained(_ feed: Feed) -> [String] {
        var seen: [String] = []
        feed.drain { action in
            switch action {
            case .connecting(let source, let name, let attempt, let failure):
                seen.append("\(source.rawValue) connecting \(name) \(attempt) \(failure ?? "-")")
            case .connected(let source, let info): seen.append("\(source.rawValue) connected \(info.pid)")
            case .reconnecting(let source, let since, let reason, let attempt, let next, _):
                seen.append("\(source.rawValue) reconnecting \(since) \(reason) \(attempt) \(next)")
            case .received(let source, let batch):
                seen.append("\(source.rawValue) batch \(batch.sequence) of \(batch.process.rawValue)")
            case .replied(let source, let reply): seen.append("\(source.rawValue) reply \(reply.command)")
            case .ended(let source, let reason): seen.append("\(source.rawValue) ended \(reason)")
            default: seen.append("\(action)")
            }
        }
        return seen
    }

    @Test func eachSourceHasItsNumber() {
        let sources = [TestSource(), TestSource()]
        let feeds = Feed.all(
            zip(["shop", "bank"], sources).map { NamedSource(name: $0, source: $1) }, wake: {})
        sources[0].publish(.connecting(attempt: 2, lastFailure: "nobody listens"))
        sources[1].publish(.live(Self.new))
        sources[1].publish(
            .reconnecting(Self.new, Disconnection(since: 5, reason: "gone", attempt: 1, nextAttempt: 9)))
        sources[1].publish(.ended(.failed("refused")))
        #expect(drained(feeds[0]) == ["0 connecting shop 2 nobody listens"])
        #expect(drained(feeds[1]) == ["1 connected 12", "1 reconnecting 5 gone 1 9", "1 ended refused"])
        for feed in feeds { feed.stop() }
        #expect(sources.map(\.isStopped) == [true, true])
    }

    /// The time of a headless run begins when the program's state is complete.
    @Test func aHeadlessFrameHasTheWholeState() {
        let source = TestSource()
        let printed = Lock("")
        let isPrinted = DispatchSemaphore(value: 0)
        source.publish(.live(Self.old))
        Signals.startThread("test") {
            try? Headless(duration: .zero, size: Size(columns: 120, rows: 20)).run(
                [NamedSource(name: "shop", source: source)], options: State.Options(), showing: ViewSettings()
            ) { text in
                printed.withLock { $0 = text }
                isPrinted.signal()
            }
        }
        var parts = (1...2).map { EventBatch(process: Self.old.key, sequence: $0, time: $0) }
        (parts[0].resync, parts[0].stateNodeCount) = (.begin(epoch: 1), 1)
        parts[1].resync = .end(epoch: 1)
        parts[1].nodes = [NodeSnapshot(id: NodeID(1), kind: .work)]
        parts[1].nodes[0].label = "order 17"
        // Published again and again, because the run subscribes on its own thread.
        let isOver = wait {
            for part in parts { source.publish(part) }
            return isPrinted.wait(timeout: .now()) == .success
        }
        #expect(isOver && printed.withLock { $0 }.contains("order 17"))
    }

    @Test func aProgramIsAnnouncedBeforeItsFirstBatch() {
        let source = TestSource()
        let feed = Feed.all([NamedSource(name: "shop", source: source)], wake: {})[0]
        source.publish(.live(Self.old))
        source.publish(EventBatch(process: Self.old.key, sequence: 1, time: 1))
        source.publish(.live(Self.new))
        source.publish(EventBatch(process: Self.new.key, sequence: 1, time: 1))
        #expect(drained(feed) == ["0 connected 11", "0 connected 12", "0 batch 1 of 1", "0 batch 1 of 2"])
        feed.stop()
    }

    /// A batch never comes before the status of its program.
    @Test func announcementsComeFirstWhileASourcePublishes() {
        let source = TestSource()
        let news = DispatchSemaphore(value: 0)
        let feed = Feed.all([NamedSource(name: "shop", source: source)], wake: { news.signal() })[0]
        Thread.detachNewThread {
            for number in 1...300 as ClosedRange<UInt64> {
                let info = ChainEvents.ProcessDescription(
                    key: ProcessKey(rawValue: number), pid: Int32(number), name: "shop", wallOffset: 0)
                source.publish(.live(info))
                source.publish(EventBatch(process: info.key, sequence: 1, time: 1))
            }
        }
        var announced: UInt64 = 0
        var batchCount = 0
        while batchCount < 300, news.waitForSignal() {
            feed.drain { action in
                switch action {
                case .connected(_, let info): announced = info.key.rawValue
                case .received(_, let batch):
                    batchCount += 1
                    #expect(batch.process.rawValue <= announced)
                default: break
                }
            }
        }
        #expect(batchCount == 300)
        feed.stop()
    }

    @Test func afterDroppedBatchesTheStateIsAskedFor() {
        let source = TestSource()
        let feed = Feed.all([NamedSource(name: "shop", source: source)], wake: {})[0]
        source.publish(.live(Self.old))
        var batch = EventBatch(process: Self.old.key, sequence: 1, time: 1)
        batch.events = Array(
            repeating: ChainEvent(time: 1, .started, node: NodeID(1)), count: 150_000)
        for _ in 0..<20 { source.publish(batch) }
        let seen = drained(feed)
        #expect(seen.count < 21)
        #expect(source.commands.map(\.request) == [.resync])
        #expect(source.commands.map(\.process) == [Self.old.key])
        source.answer(CommandReply(command: source.commands[0].id, outcome: .accepted(count: 0)))
        source.answer(CommandReply(command: 7, outcome: .accepted(count: 1)))
        #expect(drained(feed) == ["0 reply 7"], "the answer to the feed's own command is not passed on")
        feed.stop()
    }

    /// Nodes of a state and batches take room, but are no events.
    @Test func whatIsDroppedIsCountedInEvents() {
        let source = TestSource()
        let feed = Feed.all([NamedSource(name: "shop", source: source)], wake: {})[0]
        source.publish(.live(Self.old))
        var (made, delivered): (UInt64, UInt64) = (0, 0)
        func publish(events: Int, nodes: Int) {
            made += UInt64(events)
            var batch = EventBatch(process: Self.old.key, sequence: 1, time: 1)
            batch.events = Array(repeating: ChainEvent(time: 1, .started, node: NodeID(1)), count: events)
            batch.nodes = Array(repeating: NodeSnapshot(id: NodeID(1), kind: .work), count: nodes)
            batch.loss.madeCount = made
            source.publish(batch)
        }
        var last = EventCounts()
        func drain() {
            feed.drain { action in
                guard case .received(_, let batch) = action else { return }
                delivered += UInt64(batch.events.count)
                last = batch.loss
                #expect(last.madeCount == delivered + last.lostCount)
            }
        }
        publish(events: 7, nodes: 0)
        for _ in 0..<3 { publish(events: 1, nodes: 150_000) }
        drain()
        #expect(last.lostCount == 0, "the loss follows what was drained")
        publish(events: 2, nodes: 0)
        drain()
        #expect(delivered == 11 && last.lostCount == 1)
        feed.stop()
    }

    /// A recording on a disk that hangs for a while.
    @Test func whatARecordingDropsIsCountedInEvents() throws {
        let source = TestSource()
        let storage = HangingStorage()
        let recorder = SourceRecorder(source, into: storage, limit: nil)
        source.publish(.live(Self.old))
        var batch = EventBatch(process: Self.old.key, sequence: 1, time: 1)
        batch.events = [ChainEvent(time: 1, .created, node: NodeID(1))]
        batch.loss.madeCount = 1
        source.publish(batch)
        #expect(storage.isReached.waitForSignal())
        for sequence in 2...5 as ClosedRange<UInt64> {
            batch.events = Array(repeating: ChainEvent(time: sequence, .started, node: NodeID(1)), count: 150_000)
            (batch.sequence, batch.time) = (sequence, sequence)
            batch.loss.madeCount += 150_000
            source.publish(batch)
        }
        storage.mayGoOn.signal()
        #expect(recorder.flush(within: waitLimit))
        #expect(wait { source.commands.map(\.request) == [.resync] })
        (batch.sequence, batch.time, batch.events) = (6, 6, [])
        source.publish(batch)
        #expect(recorder.flush(within: waitLimit))
        let progress = recorder.report.progress
        #expect(progress.eventCount == 300_001 && progress.lostCount == 300_000, "\(progress)")
        recorder.stop()
        #expect(recorder.wait(for: waitLimit))
    }

    /// The dashboard takes nothing while an editor is open.
    @Test func aFeedThatIsNotDrainedStopsNoRecording() throws {
        let source = TestSource(isPatient: true)
        let feed = Feed.all([NamedSource(name: "shop", source: source)], patience: .milliseconds(1), wake: {})[0]
        let recorder = SourceRecorder(source, into: MemoryStorage(), limit: nil)
        source.publish(.live(Self.old))
        var batch = EventBatch(process: Self.old.key, sequence: 1, time: 1)
        batch.events = Array(repeating: ChainEvent(time: 1, .started, node: NodeID(1)), count: 150_000)
        let published = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [batch] in
            for _ in 0..<6 { source.publish(batch) }
            published.signal()
        }
        #expect(published.waitForSignal() && recorder.flush(within: .seconds(240)))
        let progress = recorder.report.progress
        #expect(progress.eventCount == 900_000 && progress.lostCount == 0)
        // Two batches fit into the feed. The others are counted, and the state is requested.
        #expect(drained(feed) == ["0 connected 11", "0 batch 1 of 1", "0 batch 1 of 1"])
        #expect(source.commands.map(\.request) == [.resync])
        source.publish(EventBatch(process: Self.old.key, sequence: 2, time: 2))
        var losses: [UInt64] = []
        feed.drain { if case .received(_, let batch) = $0 { losses.append(batch.loss.lostCount) } }
        #expect(losses == [600_000], "a batch is no event")
        feed.stop()
        recorder.stop()
        #expect(recorder.wait(for: .seconds(240)))
    }
}

/// A source that publishes what the test passes to it.
final class TestSource: BatchSource {
    let isPatient: Bool
    private let batchSubject = PublishSubject<EventBatch>()
    private let statusSubject = BehaviorSubject<SourceStatus>(.idle)
    private let replySubject = PublishSubject<CommandReply>()
    private let state = BehaviorSubject<(commands: [ViewerCommand], isStopped: Bool)>(([], false))

    var batches: EventStream<EventBatch> { batchSubject.observable }
    var status: EventStream<SourceStatus> { statusSubject.observable }
    var replies: EventStream<CommandReply> { replySubject.observable }
    var commands: [ViewerCommand] { state.value.commands }
    var isStopped: Bool { state.value.isStopped }

    init(isPatient: Bool = false) { self.isPatient = isPatient }

    func start() {}
    func send(_ command: ViewerCommand) { state.onNext((commands + [command], isStopped)) }
    func stop() { state.onNext((commands, true)) }

    func publish(_ status: SourceStatus) { statusSubject.onNext(status) }
    func publish(_ batch: EventBatch) { batchSubject.onNext(batch) }
    func answer(_ reply: CommandReply) { replySubject.onNext(reply) }
}

/// A file whose first write waits until it may go on.
private final class HangingStorage: RecordingStorage, Sendable {
    let isReached = DispatchSemaphore(value: 0)
    let mayGoOn = DispatchSemaphore(value: 0)
    private let inner = MemoryStorage()
    private let hasHung = Lock(false)

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
        let isFirst = hasHung.withLock { hasHung in
            defer { hasHung = true }
            return !hasHung
        }
        if isFirst {
            isReached.signal()
            mayGoOn.wait()
        }
        try inner.write(bytes, at: offset)
    }

    func truncate(to count: UInt64) throws(SystemError) { try inner.truncate(to: count) }
}

// SPDX-License-Identifier: MIT
