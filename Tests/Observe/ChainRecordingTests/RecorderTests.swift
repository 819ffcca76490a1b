import ChainEvents
import ChainModel
import ChainSystem
import EventScripts
import Foundation
import Testing

@testable import ChainRecording

/// When chunks and keyframes are written, and what the index has of them.
struct RecorderTests {
    @Test func chunksAndKeyframesKeepTheirLimits() throws {
        let storage = MemoryStorage()
        var recorder = try BatchRecorder(storage) { $0.keyframeEvents = 20_000 }
        // 30 µs an event: 20,000 take 0.6 s.
        let batches = Traffic(chains: 4_000, batchSize: 3_000, step: 30_000).batches
        try recorder.record(batches)
        try recorder.finish()
        let file = try storage.open()
        #expect(file.segments.count == 5)
        for chunk in file.chunks {
            #expect(Int(chunk.header.storedCount) <= RecordingFormat.chunkLimit)
            #expect(chunk.header.lastTime - chunk.header.firstTime <= RecordingFormat.chunkDelay)
        }
        for (one, next) in zip(file.segments.dropFirst(), file.segments.dropFirst(2)) {
            #expect(next.time - one.time >= 600_000_000)
        }
        let events = file.chunks.filter { $0.header.kind == .batches }.reduce(0) { $0 + Int($1.header.eventCount) }
        #expect(events == batches.reduce(0) { $0 + $1.events.count })
        #expect(file.chunks.last?.header.counts.made == 24_000 && file.chunks.last?.header.counts.rejected == 400)
        #expect(file.series.entries.reduce(0) { $0 + $1.settled } == 24_000)
        #expect(file.series.interval == 100_000_000)
    }

    /// The end of a recording finds that, too, where no chunk was written since.
    @Test(arguments: [false, true]) func aRemovedFileIsAnError(isAtEnd: Bool) throws {
        let path = FileManager.default.temporaryDirectory.path + "/chain-\(UUID().uuidString)"
        let storage = try RecordingFileStorage(path: path, overwrites: false)
        var recorder = try BatchRecorder(storage)
        let batches = Traffic(chains: 10, batchSize: 3_000, step: 30_000).batches
        try recorder.record(batches)
        try recorder.flush()
        unlink(path)
        #expect(throws: RecordingError.removed) {
            if !isAtEnd {
                try recorder.record(batches)
                try recorder.flush()
            }
            try recorder.finish()
        }
    }

    /// A file that never had a name, such as one at `/dev/fd/3`, is written to its end.
    @Test func aFileWithoutANameIsNotRemoved() throws {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        let storage = RecordingFileStorage(Descriptor(owning: dup(fileno(file))))
        var recorder = try BatchRecorder(storage)
        try recorder.record(Traffic(chains: 10, batchSize: 3_000, step: 30_000).batches)
        try recorder.finish()
        #expect(!storage.isRemoved)
    }

    /// A keyframe is at least 250 ms after another, and at most 10 s, unless nothing happens.
    @Test func keyframesComeInTime() throws {
        let storage = MemoryStorage()
        var recorder = try BatchRecorder(storage) { $0.keyframeEvents = 10 }
        func batch(at milliseconds: UInt64, events: Int) -> EventBatch {
            var batch = EventBatch(process: .test, sequence: 1, time: milliseconds * 1_000_000)
            for node in 0..<UInt64(events) {
                batch.events.append(ChainEvent(time: batch.time, .created, node: NodeID(milliseconds * 100 + node)))
            }
            return batch
        }
        for (time, count) in [(1_000, 20), (1_100, 20), (1_300, 20), (2_000, 1), (8_000, 0), (13_000, 1), (60_000, 0)] {
            try recorder.record([batch(at: UInt64(time), events: count)])
        }
        try recorder.record([batch(at: 90_000, events: 1)])
        try recorder.finish()
        // The first is written at 1 s. Each of the others is written with the batch that makes it due, and has the time
        // of the batch before that.
        #expect(try storage.open().segments.map { $0.time / 1_000_000 } == [1_000, 1_100, 1_300, 8_000, 13_000])
    }

    /// In headers and in the index, as the recorder's owner counts them each 100 ms.
    @Test func warningsAreCounted() throws {
        let storage = MemoryStorage()
        var recorder = try BatchRecorder(storage)
        recorder.warningCountSource = .counted { forest in
            var changes = ForestChanges()
            forest.consumeChanges(into: &changes)
            return changes.isEmpty ? 0 : forest.totals.counts.nodeCount
        }
        try recorder.record(Traffic(chains: 100, batchSize: 100, step: 400_000).batches)
        try recorder.finish()
        let file = try storage.open()
        #expect((590...600).contains(file.chunks.last?.header.counts.warnings ?? 0))
        let warnings = file.series.entries.map(\.warnings)
        #expect(warnings == warnings.sorted() && warnings.first != RecordingFormat.uncounted && Set(warnings).count > 4)
    }

    @Test func aChunkIsWrittenAfter150Milliseconds() throws {
        let storage = MemoryStorage()
        var recorder = try BatchRecorder(storage)
        let batches = Traffic(chains: 20, batchSize: 100).batches
        #expect(recorder.nextTick == nil)
        try recorder.record(batches[0], at: 1_000_000_000)
        let before = storage.writeCount
        try recorder.record(batches[1], at: 1_100_000_000)
        #expect(recorder.nextTick == 1_150_000_000)
        try recorder.tick(at: 1_149_999_999)
        #expect(storage.writeCount == before && recorder.nextTick == 1_150_000_000)
        try recorder.tick(at: 1_150_000_000)
        #expect(storage.writeCount == before + 1)
        // The owner need not wake again until the next batch.
        #expect(recorder.nextTick == nil)
        var player = RecordingPlayer(try storage.open())
        #expect(
            difference(ChainForest(applying: player.seek(to: .max)), liveForest(Array(batches[..<2]), at: .max)) == nil)
    }

    /// A part of the state would be shown as a moment of the program.
    @Test(arguments: [false, true])
    func theRecordingBeginsWhenTheFirstStateIsComplete(isLate: Bool) throws {
        let storage = MemoryStorage()
        var recorder = try BatchRecorder(storage) { $0.awaitsState = true }
        func batch(_ sequence: UInt64, _ mark: Resync? = nil, nodes: ClosedRange<UInt64>? = nil, lost: UInt64 = 3)
            -> EventBatch
        {
            var batch = EventBatch(process: .test, sequence: sequence, time: sequence * 1_000_000_000)
            batch.resync = mark
            batch.nodes = (nodes.map(Array.init) ?? []).map { NodeSnapshot(id: NodeID($0), kind: .work) }
            batch.loss.lostInRings = lost
            return batch
        }
        var sequence: UInt64 = 0
        if isLate {
            // Events of nodes that this reader does not know, and a walk over the live nodes alone.
            var early = batch(2)
            early.events = [ChainEvent(time: 1, .started, node: NodeID(99))]
            try recorder.record([early, batch(3, .begin(epoch: 1)), batch(4, .end(epoch: 1), nodes: 1...1)])
            sequence = 4
        }
        var begin = batch(sequence + 1, .begin(epoch: 2))
        begin.stateNodeCount = 40
        try recorder.record([begin, batch(sequence + 2, nodes: 1...20)])
        try recorder.flush()
        #expect(recorder.progress.firstTime == 0 && storage.bytes.isEmpty)
        let end = batch(sequence + 3, .end(epoch: 2), nodes: 21...40)
        try recorder.record([end, batch(sequence + 4, nodes: 41...41, lost: 5)])
        try recorder.finish()
        #expect(recorder.progress.firstTime == end.time && recorder.progress.lostCount == 2)
        let file = try storage.open()
        #expect(file.range == end.time...end.time + 1_000_000_000)
        var player = RecordingPlayer(file)
        #expect(ChainForest(applying: player.seek(to: 0)).totals.counts.liveCount == 40)
    }

    @Test func aFlushWritesWhatWaits() throws {
        let storage = MemoryStorage()
        var recorder = try BatchRecorder(storage)
        let batches = Traffic(chains: 20, batchSize: 100).batches
        try recorder.record(batches[0], at: 1_000_000_000)
        let before = recorder.progress.fileSize
        #expect(recorder.nextTick == 1_150_000_000)
        try recorder.flush()
        #expect(recorder.nextTick == nil)
        #expect(recorder.progress.fileSize > before && recorder.progress.fileSize == UInt64(storage.bytes.count))
        try recorder.record(batches[1], at: 1_700_000_000)
        #expect(recorder.nextTick == 1_850_000_000)
        try recorder.finish()
        #expect(recorder.nextTick == nil)
    }

    /// And all live nodes.
    @Test func aKeyframeHoldsTheSettledNodesOfTheNewestChains() throws {
        let storage = MemoryStorage()
        var recorder = try BatchRecorder(storage) {
            ($0.keyframeEvents, $0.settledLimit) = (2_000, 120)
        }
        let batches = Traffic(chains: 1_000, batchSize: 100, step: 1_000_000).batches
        try recorder.record(batches)
        try recorder.finish()
        let file = try storage.open()
        try #require(file.segments.count > 3)
        var player = RecordingPlayer(file)
        for segment in file.segments.dropFirst() {
            let state = ChainForest(applying: player.seek(to: segment.time))
            let live = liveForest(batches, at: segment.time)
            #expect(state.totals.counts.liveCount == live.totals.counts.liveCount)
            #expect(live.totals.counts.liveCount > 0)
            let settled = state.totals.counts.nodeCount - state.totals.counts.liveCount
            #expect((100...200).contains(settled), "\(settled)")
            for root in state.roots {
                let id = state.id(of: root)
                let whole = try #require(live.index(of: id))
                #expect(state.chain(of: root).nodeCount == live.chain(of: whole).nodeCount)
            }
        }
    }

    /// A keyframe waits for the end of a resync, because it would name nodes that the program has not named.
    @Test func aKeyframeIsNotWithinAResync() throws {
        let storage = MemoryStorage()
        var recorder = try BatchRecorder(storage) { $0.keyframeEvents = 1 }
        var batches = Traffic(chains: 30, batchSize: 50, step: 20_000_000).batches
        batches[2].resync = .begin(epoch: 1)
        batches[8].resync = .end(epoch: 1)
        try recorder.record(batches)
        try recorder.finish()
        let times = try storage.open().segments.map(\.time)
        #expect(!times.contains { $0 >= batches[2].time && $0 < batches[8].time })
        #expect(times.contains(batches[8].time) && times.contains(batches[1].time))
    }

    /// A state of many batches, which are collected by several walks. One node has more members than a snapshot names.
    @Test func aStateOfManyBatchesIsReadBackEqual() throws {
        let storage = MemoryStorage()
        var recorder = try BatchRecorder(storage) { ($0.keyframeEvents, $0.nodesInBatch) = (1, 10) }
        let second: UInt64 = 1_000_000_000
        var batches = (1...3 as ClosedRange<UInt64>).map {
            EventBatch(process: .test, sequence: $0, time: $0 * second)
        }
        for node in 1...5_000 as ClosedRange<UInt64> {
            batches[0].append(ChainEvent(time: node, .created, node: NodeID(node)), text: "order \(node % 100)")
        }
        batches[0].executors[1] = "pool"
        for node in 1_001...2_000 as ClosedRange<UInt64> {
            batches[0].events.append(ChainEvent(time: 6_000, .linked, node: NodeID(639), other: NodeID(node)))
        }
        for (index, node) in [(1, 5_001), (2, 5_002)] as [(Int, UInt64)] {
            batches[index].events = [ChainEvent(time: batches[index].time, .created, node: NodeID(node))]
        }
        try recorder.record(batches)
        try recorder.finish()
        let file = try storage.open()
        #expect(file.segments.map(\.time) == [second, second, 2 * second])
        var player = RecordingPlayer(file)
        let read = player.seek(to: 2 * second)
        #expect(read.allSatisfy { $0.nodes.count <= 10 } && read.reduce(0) { $0 + $1.nodes.count } == 5_004)
        #expect(read.first?.resync == .begin(epoch: 2 * second) && read.first?.executors == [1: "pool"])
        #expect(read.contains { $0.resync == .end(epoch: 2 * second) })
        #expect(zip(read, read.dropFirst()).allSatisfy { $0.sequence < $1.sequence })
        #expect(difference(ChainForest(applying: read), liveForest(batches, at: 2 * second)) == nil)
    }

    /// The losses before the recording are the program's, not the recording's.
    @Test func lossesAreCountedFromTheFirstBatchOn() throws {
        let storage = MemoryStorage()
        var recorder = try BatchRecorder(storage)
        var batches = Array(Traffic(chains: 20, batchSize: 100).batches.prefix(3))
        for (index, lost) in [500, 500, 507].enumerated() { batches[index].loss.lostInRings = UInt64(lost) }
        try recorder.record(batches)
        #expect(recorder.progress.lostCount == 7 && recorder.progress.eventCount == 300)
        try recorder.finish()
        var player = RecordingPlayer(try storage.open())
        let read = player.seek(to: 0) + player.advance(to: .max)
        #expect(read.first?.loss.lostCount == 500 && read.last?.loss.lostCount == 507)
    }

    @Test func aLargeBatchIsCutIntoParts() throws {
        var batch = EventBatch(process: .test, sequence: 1, time: 9)
        for number in 0..<2_000 { batch.sites[SiteID(number)] = CodeLocation(fileID: "Shop/\(number).swift", line: 1) }
        batch.nodes = (1...500).map { NodeSnapshot(id: NodeID($0), kind: .work) }
        for node in 1...3_000 as ClosedRange<UInt64> {
            batch.append(ChainEvent(time: 5, .renamed, node: NodeID(node), detail: 1), text: "name \(node % 7)")
        }
        batch.loss.madeCount = 5
        batch.resync = .begin(epoch: 3)
        let parts = batch.parts(upTo: 8_192)
        #expect(parts.count > 20)
        #expect(parts.dropLast().allSatisfy { $0.resync == nil } && parts.last?.resync == batch.resync)
        #expect(parts.last?.loss == batch.loss)
        var (whole, cut) = (ChainForest(process: .test), ChainForest(process: .test))
        whole.apply(batch)
        for part in parts { cut.apply(part) }
        #expect(difference(whole, cut) == nil)
        #expect(whole.sites == cut.sites)
        #expect(batch.parts(upTo: 10_000_000).count == 1)
    }
}

// SPDX-License-Identifier: MIT
