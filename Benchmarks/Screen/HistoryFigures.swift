// SPDX-License-Identifier: MIT

import CMemory
import Calibration
import ChainEvents
import ChainModel
import ChainRecording

/// The cost of the past of a live program for the viewer, at 200,000 events a second with 46,000 nodes in flight:
/// processor time of the thread that records it, and how far 64 MiB reach.
enum HistoryFigures {
    private static let process = ProcessDescription(
        key: Traffic.process, pid: 1, name: "bench", wallOffset: 1_790_000_000_000_000_000)
    private static let rate = 200_000
    private static let eventCount = 800_000

    static func all() {
        do { try measure() } catch { print("history failed: \(error)") }
    }

    private static func measure() throws {
        var traffic = Traffic(rate: rate)
        let storage = MemoryStorage()
        var recorder = BatchRecorder(
            process, RecordingWriter(storage, id: 1, limit: 64 << 20), options: .history)
        // Open warnings are not counted here, because the dashboard counts them.
        recorder.warningCountSource = .known { 0 }
        let tables = traffic.tables()
        try recorder.record(tables, at: tables.time)
        var first: [EventBatch] = []
        traffic.begin(nodes: 46_000) { first.append($0) }
        for batch in first { try recorder.record(batch, at: batch.time) }
        let memory = memory_in_use()
        let pace = try Pace(5, to: .reads) { _ in
            let before = recorder.progress.eventCount
            var time: UInt64 = 0
            while recorder.progress.eventCount - before < UInt64(eventCount) {
                let batch = traffic.batch(events: 4_000)
                time += try timing { try recorder.record(batch, at: batch.time) }
            }
            return Double(time) / Double(recorder.progress.eventCount - before)
        }
        pace.say("history.write", "ns/event", limit: 8.5) { $0 }
        pace.say("history.processor", "%") { $0 * Double(rate) / 1e7 }
        say("history.memory", Double(memory_in_use() - memory) / 1_048_576, "MiB", limit: 100)
        try measureReading(storage)
    }

    /// Measures opening a history, and reading the state of a moment.
    private static func measureReading(_ storage: MemoryStorage) throws {
        var file = try RecordingFile(storage.snapshot())
        let opening = try Pace(5, to: .sort) { _ in
            Double(try timing { file = try RecordingFile(storage.snapshot()) }) / 1e6
        }
        opening.say("history.open", "ms", limit: 0.03) { $0 }
        let length = file.range.upperBound - file.range.lowerBound
        say("history.span", Double(length) / 1e9, "s")
        var player = RecordingPlayer(file)
        var random = Random(seed: 7)
        let seeks = Pace(3, to: .reads) { _ in
            var times = Times()
            for _ in 0..<8 {
                let time = timing {
                    var forest = ChainForest(process: Traffic.process, limits: ForestLimits(changeLimit: 0))
                    for batch in player.seek(to: file.range.lowerBound + random.next() % length) { forest.apply(batch) }
                    use(forest.totals)
                }
                times.add(time)
            }
            return times.most
        }
        seeks.say("history.seek.most", "ms", limit: 2.2) { $0 }
    }
}
