import ChainEvents
import ChainModel
import EventScripts
import SeededNumbers
import Testing

@testable import ChainRecording

/// Replaying a recording to any moment gives the forest that a live viewer had at that moment; a failure names its seed.
struct ReplayPropertyTests {
    private func batches(_ seed: UInt64, _ generator: inout SeededGenerator) -> [EventBatch] {
        let log = RandomLog(
            seed: seed, count: [80, 300, 900][Int(seed % 3)], threadCount: 1 + Int(seed % 4), isWild: seed % 2 == 0,
            hasTies: seed % 5 == 1)
        let entries = seed % 4 == 3 ? log.entries.shuffled(by: &generator) : log.entries
        var batches = entries.batches(upTo: [3, 30, 100][Int(seed / 3 % 3)], using: &generator)
        for index in batches.indices {
            batches[index].sites = [SiteID(index % 5): CodeLocation(fileID: "Shop/Order.swift", line: UInt32(index))]
            batches[index].loss.madeCount = UInt64(index)
            guard index % 3 == 0 else { continue }
            batches[index].frames = FrameReading(
                time: batches[index].time, stacks: ["reserve(Int)\norder(Int)", "charge(Int) \(index)"],
                entries: (1...60).map { FrameReading.Entry(node: NodeID($0), stack: UInt32($0 % 2)) })
        }
        return batches
    }

    /// Returns a recording with chunks and segments of random lengths.
    private func record(
        _ batches: [EventBatch], finished: Bool, _ generator: inout SeededGenerator
    ) throws -> RecordingFile {
        let storage = MemoryStorage()
        let keyframeEvents = Int.random(in: 1...200, using: &generator)
        var recorder = try BatchRecorder(storage) {
            ($0.keyframeEvents, $0.leastInterval, $0.nodesInBatch) = (keyframeEvents, 0, 7)
        }
        var now: UInt64 = 0
        for batch in batches {
            try recorder.record(batch, at: now)
            if Int.random(in: 0..<3, using: &generator) == 0 { now += 250_000_000 }
            if Int.random(in: 0..<3, using: &generator) == 0 { try recorder.tick(at: now) }
        }
        if finished { try recorder.finish() } else { try recorder.tick(at: .max) }
        return try storage.open()
    }

    private func moment(_ range: ClosedRange<UInt64>, _ generator: inout SeededGenerator) -> UInt64 {
        UInt64.random(in: range, using: &generator)
    }

    @Test(arguments: Seeds.upTo(20))
    func seekingGivesTheLiveForest(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed ^ 0x1_6000)
        let batches = batches(seed, &generator)
        let file = try record(batches, finished: seed % 2 == 0, &generator)
        var player = RecordingPlayer(file)
        for _ in 0..<12 {
            let moment = moment(file.range, &generator)
            let forest = ChainForest(applying: player.seek(to: moment))
            #expect(difference(forest, liveForest(batches, at: moment)) == nil, "seed \(seed) at \(moment)")
            #expect(player.time == moment)
        }
        #expect(file.damage == [], "seed \(seed)")
    }

    /// From a moment on in steps of any length: each event is given once.
    @Test(arguments: Seeds.upTo(20))
    func playingGivesTheLiveForest(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed ^ 0x2_6000)
        let batches = batches(seed, &generator)
        let file = try record(batches, finished: true, &generator)
        var player = RecordingPlayer(file)
        var given = player.seek(to: moment(file.range, &generator))
        var forest = ChainForest(applying: given)
        let start = player.time
        while player.time < file.range.upperBound {
            let step = UInt64.random(in: 0...(file.range.upperBound - start) / 8 + 1, using: &generator)
            let next = player.advance(to: player.time + step, limit: seed % 3 == 0 ? 5 : .max)
            for batch in next { forest.apply(batch) }
            given += next
            if seed % 3 != 0 {
                #expect(
                    difference(forest, liveForest(batches, at: player.time)) == nil, "seed \(seed) at \(player.time)")
            }
        }
        #expect(difference(forest, liveForest(batches, at: .max)) == nil, "seed \(seed) at the end")
        #expect(forest.loss == liveForest(batches, at: .max).loss)
        let all = batches.flatMap(\.events)
        if start == file.range.lowerBound { #expect(given.flatMap(\.events).count == all.count, "seed \(seed)") }
    }

    /// Batches without sense, with times at the edges of their range, are recorded and played without a trap.
    @Test(arguments: Seeds.upTo(20))
    func hostileBatchesAreRecordedAndPlayed(seed: UInt64) throws {
        var (hostile, generator) = (HostileEvents(seed: seed, lastExecutor: 300), SeededGenerator(seed: seed))
        let batches = (0..<40).map { _ in hostile.batch(.test) }
        let file: RecordingFile
        do {
            file = try record(batches, finished: seed % 2 == 0, &generator)
        } catch RecordingError.notRecording where batches[0].beginsState {
            // The first state was never complete, so nothing was written.
            return
        }
        #expect(file.damage == [], "seed \(seed)")
        var player = RecordingPlayer(file)
        for _ in 0..<10 {
            var forest = ChainForest(applying: player.seek(to: moment(file.range, &generator)))
            for batch in player.advance(to: player.time.addingClamped(100)) { forest.apply(batch) }
            _ = (
                player.nextEventTime(), player.previousEventTime(), player.nextRejectionTime(),
                player.previousRejectionTime()
            )
        }
        _ = player.seek(to: 0)
        _ = player.advance(to: .max)
        #expect(player.time == file.range.upperBound, "seed \(seed)")
    }

    /// Event by event, forward and back.
    @Test(arguments: Seeds.upTo(12))
    func steppingVisitsEveryEvent(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed ^ 0x3_6000)
        let log = RandomLog(seed: seed, count: 120, threadCount: 2, hasTies: seed % 2 == 0)
        let batches = log.entries.batches(upTo: 20, using: &generator)
        let file = try record(batches, finished: true, &generator)
        let times = Set(batches.flatMap(\.events).map(\.time)).sorted()
        var player = RecordingPlayer(file)
        _ = player.seek(to: 0)
        var visited: [UInt64] = []
        while let next = player.nextEventTime() {
            _ = player.advance(to: next)
            #expect(player.time == next)
            visited.append(next)
        }
        #expect(visited == times.filter { $0 > file.range.lowerBound }, "seed \(seed)")
        let rejections = Set(batches.flatMap(\.events).filter { $0.kind == .rejected }.map(\.time)).sorted()
        _ = player.seek(to: 0)
        var found: [UInt64] = []
        while let next = player.nextRejectionTime() {
            found.append(next)
            _ = player.seek(to: next)
        }
        #expect(found == rejections.filter { $0 > file.range.lowerBound }, "seed \(seed)")
        _ = player.seek(to: .max)
        found = []
        while let previous = player.previousRejectionTime(), previous >= file.range.lowerBound {
            found.append(previous)
            _ = player.seek(to: previous)
        }
        #expect(found.reversed() == rejections.filter { $0 >= file.range.lowerBound && $0 < file.range.upperBound })
        _ = player.seek(to: .max)
        var back: [UInt64] = []
        while let previous = player.previousEventTime(), previous >= file.range.lowerBound {
            _ = player.seek(to: previous)
            back.append(previous)
            if back.count > times.count { break }
        }
        #expect(back.reversed() == times.filter { $0 >= file.range.lowerBound }.dropLast(), "seed \(seed)")
    }
}

// SPDX-License-Identifier: MIT
