import ChainEvents
import ChainModel
import ChainRecording
import ChainSource
import Dashboard
import EventScripts
import Foundation
import SeededNumbers
import TestWaits
import Testing

@testable import chainview

/// The past of live programs: recorded in memory, shown at any moment, up to now.
@Suite struct LiveHistoryTests {
    private static let description = ChainEvents.ProcessDescription(
        key: .test, pid: 4242, name: "shop", wallOffset: 1_700_000_000_000_000_000)
    private static let limit: UInt64 = 64 << 20

    /// Returns what a live viewer has at a moment: all batches up to it, and the events up to it of the next batches,
    /// which have one time.
    private static func liveForest(_ batches: [EventBatch], at moment: UInt64) -> ChainForest {
        var forest = ChainForest(process: .test)
        let next = batches.first { $0.time > moment }?.time
        for batch in batches {
            if batch.time <= moment {
                forest.apply(batch)
            } else if batch.time == next {
                var part = batch
                part.events.removeAll { $0.time > moment }
                (part.nodes, part.resync, part.time, part.loss) = ([], nil, moment, EventCounts())
                forest.apply(part)
            }
        }
        return forest
    }

    /// What a dashboard shows after the steps so far.
    private struct Picture {
        var forest = ChainForest(process: .test)
        var time: UInt64 = 0

        mutating func apply(_ actions: [Action]) {
            for case .replayed(_, let step) in actions {
                if step.isFresh { forest = ChainForest(process: .test) }
                for batch in step.batches { forest.apply(batch) }
                time = step.position.time
            }
        }
    }

    /// While the program goes on, each moment that is shown, by seeking, stepping or playing, has the forest that a
    /// live viewer had then.
    @Test(arguments: Seeds.upTo(12))
    func lookingBackGivesWhatTheViewerHad(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed ^ 0x4_6000)
        let log = RandomLog(
            seed: seed, count: [200, 600][Int(seed % 2)], threadCount: 1 + Int(seed % 3), isWild: seed % 3 == 0,
            hasTies: seed % 4 == 1)
        let batches = log.entries.batches(upTo: 20, using: &generator)
        let source = TestSource()
        let histories = LiveHistories([NamedSource(name: "shop", source: source)], limit: Self.limit)
        defer { histories.stop() }
        source.publish(.live(Self.description))
        var sent = 0
        var clock: UInt64 = 1
        var playback: Playback?
        var picture = Picture()
        func check(_ what: String) {
            let live = Self.liveForest(Array(batches[..<sent]), at: picture.time)
            #expect(picture.forest.dump(facts: true) == live.dump(facts: true), "seed \(seed): \(what)")
        }
        while sent < batches.count {
            let count = min(Int.random(in: 1...8, using: &generator), batches.count - sent)
            for batch in batches[sent..<sent + count] { source.publish(batch) }
            sent += count
            guard let shown = playback else {
                let new = try histories.playback()
                _ = new.start()
                picture.apply(new.perform(.seek(UInt64.random(in: new.range, using: &generator))))
                if new.isOver { continue }
                playback = new
                check("looked back at \(picture.time)")
                continue
            }
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: picture.apply(shown.perform(.nextEvent))
            case 1: picture.apply(shown.perform(.previousEvent))
            case 2: picture.apply(shown.perform(.seek(UInt64.random(in: shown.range, using: &generator))))
            default:
                if !shown.isPlaying { _ = shown.perform(.togglePlaying) }
                _ = shown.tick(clock, clock: { clock })
                clock += UInt64.random(in: 1...200, using: &generator)
                picture.apply(shown.tick(clock, clock: { clock }))
            }
            if shown.isOver { playback = nil } else { check("moved to \(picture.time)") }
        }
    }

    @Test func playingToTheEndReturnsToNow() throws {
        let source = TestSource()
        let histories = LiveHistories([NamedSource(name: "shop", source: source)], limit: Self.limit)
        defer { histories.stop() }
        source.publish(.live(Self.description))
        let second: UInt64 = 1_000_000_000
        func publish(_ seconds: UInt64) {
            var batch = EventBatch(process: .test, sequence: seconds, time: seconds * second)
            batch.events = [ChainEvent(time: batch.time, .created, node: NodeID(seconds))]
            source.publish(batch)
        }
        for seconds in 1...20 as ClosedRange<UInt64> { publish(seconds) }
        let playback = try histories.playback()
        _ = playback.start()
        _ = playback.perform(.move(-5_000_000_000))
        #expect(playback.time == 15 * second && !playback.isOver)
        _ = playback.perform(.togglePlaying)
        _ = playback.tick(1, clock: { 1 })
        _ = playback.tick(1 + 4 * second, clock: { 1 })
        #expect(playback.time == 19 * second)
        // What came meanwhile is played, too.
        for seconds in 21...30 as ClosedRange<UInt64> { publish(seconds) }
        _ = playback.tick(1 + 9 * second, clock: { 1 })
        #expect(playback.time == 24 * second && playback.range.upperBound == 30 * second && !playback.isOver)
        _ = playback.tick(1 + 16 * second, clock: { 1 })
        #expect(playback.isOver)
        // Stepping past the last event returns to now, too.
        let stepping = try histories.playback()
        _ = stepping.start()
        _ = stepping.perform(.previousEvent)
        #expect(stepping.time == 29 * second)
        _ = stepping.perform(.nextEvent)
        #expect(stepping.isOver)
        // The marks stay.
        _ = stepping.perform(.mark("here"))
        // A frozen dashboard shows an earlier moment than the present.
        _ = stepping.perform(.mark("there", at: 20 * second))
        histories.keepMarks(of: stepping)
        let marks = [ReplayMark(time: 20 * second, name: "there"), ReplayMark(time: stepping.time, name: "here")]
        #expect(try histories.playback().marks.marks == marks)
    }

    /// Returns a batch of 500 nodes that are fulfilled at once, 10 µs apart.
    private static func batch(_ sequence: UInt64, _ time: inout UInt64) -> EventBatch {
        var batch = EventBatch(process: .test, sequence: sequence, time: 0)
        for index in 0..<500 as Range<UInt64> {
            time += 10_000
            let node = NodeID(sequence * 1_000 + index)
            batch.events.append(ChainEvent(time: time, .created, node: node))
            batch.events.append(ChainEvent(time: time, .fulfilled, node: node))
        }
        batch.time = time
        return batch
    }

    /// The part with the shown moment is dropped meanwhile.
    @Test func aMomentThatIsNoLongerKeptIsLeft() throws {
        let source = TestSource()
        let histories = LiveHistories([NamedSource(name: "shop", source: source)], limit: 4 << 20)
        defer { histories.stop() }
        source.publish(.live(Self.description))
        var time: UInt64 = 0
        func publish(_ sequences: ClosedRange<UInt64>) throws {
            for sequence in sequences {
                source.publish(Self.batch(sequence, &time))
                // A playback makes the recorder write what has come.
                if sequence.isMultiple(of: 20) { _ = try histories.playback() }
            }
        }
        try publish(1...20)
        let playback = try histories.playback()
        _ = playback.start(at: 0)
        let shown = playback.time
        try publish(21...400)
        // Nothing follows, but the history is read on.
        guard case .message? = playback.perform(.nextNotable).first else {
            Issue.record("there is no rejection")
            return
        }
        #expect(playback.range.lowerBound > shown)
        for command in [ReplayCommand.faster, .togglePlaying] {
            let positions = playback.perform(command).compactMap { action -> ReplayPosition? in
                if case .replayed(_, let step) = action { step.position } else { nil }
            }
            #expect(!positions.isEmpty && positions.allSatisfy { $0.range.contains($0.time) }, "\(positions)")
        }
    }

    /// The dashboard counts the warnings; the history has the counts.
    @Test func openWarningsAreNoted() throws {
        let source = TestSource()
        let histories = LiveHistories([NamedSource(name: "shop", source: source)], limit: Self.limit)
        defer { histories.stop() }
        source.publish(.live(Self.description))
        var playback: Playback?
        for seconds in 1...5 as ClosedRange<UInt64> {
            histories.note(warningCounts: [seconds < 3 ? 0 : 2])
            source.publish(EventBatch(process: .test, sequence: seconds, time: seconds * 1_000_000_000))
            // A playback makes the recorder write what has come.
            playback = try histories.playback()
        }
        let entries = try #require(playback).series.entries
        #expect(entries.first?.warnings == 0 && entries.last?.warnings == 2)
        _ = playback?.start()
        _ = playback?.perform(.seek(1_000_000_001))
        _ = playback?.perform(.nextNotable)
        let time = try #require(playback).time
        #expect((2_900_000_000...3_100_000_000).contains(time), "\(time)")
    }

    /// The oldest part is dropped, and its memory is freed.
    @Test func itIsBounded() throws {
        let storage = MemoryStorage()
        let source = TestSource()
        let recorder = SourceRecorder(source, into: storage, limit: 4 << 20, isHistory: true)
        source.publish(.live(Self.description))
        var time: UInt64 = 0
        for sequence in 1...400 as ClosedRange<UInt64> {
            source.publish(Self.batch(sequence, &time))
            if sequence.isMultiple(of: 20) { #expect(recorder.flush(within: .seconds(240))) }
        }
        let snapshot = storage.snapshot()
        #expect(snapshot.count <= 4 << 20)
        let file = try RecordingFile(snapshot)
        #expect(file.range.upperBound == time && file.range.lowerBound > 0 && file.damage == [])
        recorder.stop()
        #expect(recorder.wait(for: .seconds(240)))
    }

    /// The thread waits without a limit while it has nothing to write, and no batch follows here.
    @Test func theLastBatchOfAQuietProgramIsWritten() {
        let source = TestSource()
        let storage = SignallingStorage()
        let recorder = SourceRecorder(source, into: storage, limit: nil)
        source.publish(.live(Self.description))
        for sequence in 1...2 as ClosedRange<UInt64> {
            var batch = EventBatch(process: .test, sequence: sequence, time: sequence)
            batch.events = [ChainEvent(time: sequence, .created, node: NodeID(sequence))]
            source.publish(batch)
            // With the first batch, the file's header and a keyframe come before the chunk.
            for _ in 0..<(sequence == 1 ? 3 : 1) { #expect(storage.written.waitForSignal()) }
        }
        recorder.stop()
        #expect(recorder.wait(for: .seconds(240)) && recorder.report.progress.eventCount == 2)
    }

    /// A program's first batches may come before its source says that it is live.
    @Test func batchesBeforeTheProgramIsKnownAreRecorded() {
        let source = TestSource()
        let recorder = SourceRecorder(source, into: MemoryStorage(), limit: nil, isHistory: true)
        for sequence in 1...2 as ClosedRange<UInt64> {
            var batch = EventBatch(process: .test, sequence: sequence, time: sequence)
            batch.events = [ChainEvent(time: sequence, .created, node: NodeID(sequence))]
            source.publish(batch)
            // Each is taken by a round of its own.
            #expect(recorder.flush(within: .seconds(240)))
        }
        source.publish(.live(Self.description))
        #expect(recorder.flush(within: .seconds(240)) && recorder.report.progress.eventCount == 2)
        recorder.stop()
        #expect(recorder.wait(for: .seconds(240)))
    }

    @Test func aStateThatIsTooLargeIsNotKept() throws {
        let source = TestSource()
        let histories = LiveHistories([NamedSource(name: "shop", source: source)], limit: 4 << 20)
        defer { histories.stop() }
        source.publish(.live(Self.description))
        var batch = EventBatch(process: .test, sequence: 1, time: 5)
        batch.nodes = (1...30_000).map { NodeSnapshot(id: NodeID($0), kind: .work) }
        source.publish(batch)
        let error = #expect(throws: LiveHistory.Missing.self) { try histories.playback() }
        #expect(error?.reason.contains("too large") == true)
    }

    @Test func anotherRunStartsOver() throws {
        let source = TestSource()
        let histories = LiveHistories([NamedSource(name: "shop", source: source)], limit: Self.limit)
        defer { histories.stop() }
        source.publish(.live(Self.description))
        source.publish(EventBatch(process: .test, sequence: 1, time: 5))
        #expect(try histories.playback().tracks[0].file.process.key == .test)
        let other = PlaybackTests.process(9, wallOffset: 0)
        source.publish(.live(other))
        source.publish(EventBatch(process: other.key, sequence: 1, time: 7))
        let playback = try histories.playback()
        #expect(playback.tracks[0].file.process.key == other.key && playback.range == 7...7)
    }

    @Test func withoutMemoryThereIsNoHistory() {
        let histories = LiveHistories([NamedSource(name: "shop", source: TestSource())], limit: 0)
        let error = #expect(throws: LiveHistory.Missing.self) { try histories.playback() }
        #expect(error?.reason.contains("history.memory is 0") == true)
    }

    /// The session does not wait for the histories: a move past what was read is made once they are read.
    @Test func aMoveWaitsForTheHistoryWithoutBlocking() throws {
        let source = TestSource()
        let histories = LiveHistories([NamedSource(name: "shop", source: source)], limit: Self.limit)
        defer { histories.stop() }
        source.publish(.live(Self.description))
        let second: UInt64 = 1_000_000_000
        func publish(_ seconds: UInt64) {
            var batch = EventBatch(process: .test, sequence: seconds, time: seconds * second)
            batch.events = [ChainEvent(time: batch.time, .created, node: NodeID(seconds))]
            source.publish(batch)
        }
        for seconds in 1...20 as ClosedRange<UInt64> { publish(seconds) }
        let playback = try histories.playback()
        var later = LaterHistory.waiting
        playback.later = { later }
        _ = playback.start()
        _ = playback.perform(.move(-Int64(second)))
        #expect(playback.time == 19 * second && !playback.isWaiting)
        for command in [ReplayCommand.move(Int64(3 * second)), .seek(22 * second)] {
            #expect(playback.perform(command).isEmpty && playback.isWaiting)
            #expect(playback.time == 19 * second && !playback.isOver)
        }
        _ = playback.perform(.togglePlaying)
        _ = playback.tick(1, clock: { 1 })
        #expect(playback.tick(1 + 3 * second, clock: { 1 }).isEmpty && playback.isWaiting && playback.isPlaying)
        _ = playback.perform(.togglePlaying)
        for seconds in 21...30 as ClosedRange<UInt64> { publish(seconds) }
        later = .files(try LiveHistories.files(of: histories.histories))
        #expect(!playback.perform(.move(Int64(3 * second))).isEmpty && !playback.isWaiting)
        #expect(playback.time == 22 * second && playback.range.upperBound == 30 * second)
    }

    /// Neither the opening of a file nor its end are waited for.
    @Test func stoppingARecordingDoesNotWaitForTheDisk() throws {
        let (source, disk) = (TestSource(), HangingDisk())
        let recording = LiveRecording(SourceID(0), path: "/nowhere/a.chain")
        let isOpened = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        Signals.startThread("test") {
            recording.run(source, program: "shop") { _ in
                isOpened.wait()
                return LiveRecording.File(storage: disk, discard: {})
            } whenBegun: { _ in
            }
            ended.signal()
        }
        #expect(recording.status.text == "waiting for its file")
        isOpened.signal()
        source.publish(.live(Self.description))
        // Published again and again, because the recording subscribes on its own thread.
        let isReached = wait {
            source.publish(EventBatch(process: .test, sequence: 1, time: 5))
            return disk.isReached.wait(timeout: .now()) == .success
        }
        #expect(isReached)
        recording.stop()
        #expect(recording.isStopping && recording.status.isStopping && recording.ending == nil)
        disk.release.signal()
        #expect(ended.waitForSignal())
        #expect(recording.ending?.isWanted == true)
    }

    @Test func aRecordingHasANameOfItsProgram() {
        let date = Date(timeIntervalSince1970: 0)
        #expect(LiveRecording.name(for: "shop", at: date).hasPrefix("shop-19"))
        #expect(LiveRecording.name(for: "../a b\u{1B}é", at: date).hasPrefix("a-b---19"))
        #expect(LiveRecording.name(for: "..", at: date).hasPrefix("program-"))
    }

    @Test func recordingsOfOneSecondHaveDifferentNames() {
        let date = Date(timeIntervalSince1970: 0)
        var taken: [String] = []
        for _ in 1...3 {
            let name = LiveRecording.freeName(for: "shop", at: date) { taken.contains($0) }
            taken.append(name)
        }
        #expect(taken[0] == LiveRecording.name(for: "shop", at: date))
        let stem = taken[0].dropLast(".chain".count)
        #expect(taken[1...] == ["\(stem)-2.chain", "\(stem)-3.chain"])
    }
}

extension LiveHistories {
    /// Returns a playback that waits for what was recorded later.
    fileprivate func playback() throws(LiveHistory.Missing) -> Playback {
        let playback = try Self.playback(of: histories, marks)
        playback.later = { [histories] in (try? Self.files(of: histories)).map(LaterHistory.files) ?? .missing }
        return playback
    }
}

/// A disk that hangs until it is released.
private final class HangingDisk: RecordingStorage, Sendable {
    let isReached = DispatchSemaphore(value: 0)
    let release = DispatchSemaphore(value: 0)

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {
        isReached.signal()
        release.wait()
        release.signal()
    }
    func truncate(to count: UInt64) {}
}

/// A file that keeps nothing, and signals each write.
private final class SignallingStorage: RecordingStorage, Sendable {
    let written = DispatchSemaphore(value: 0)

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) { written.signal() }
    func truncate(to count: UInt64) {}
}

// SPDX-License-Identifier: MIT
