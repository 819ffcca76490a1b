// SPDX-License-Identifier: MIT

import CMemory
import Calibration
import ChainEvents
import ChainModel
import ChainRecording
import ChainZstd
import Dashboard
import Foundation
import Frames

/// A recording of 200,000 events a second, of a program with 46,000 nodes in flight: its size, what writing costs, and how
/// long a reader takes. Times are processor time; what is read was just written, and is in the system's cache.
///
/// `CHAINVIEW_BENCH_EVENTS=120000000` makes it ten minutes long: 6 GB in the folder for temporary files.
struct RecordingFigures {
    /// The beginning of the figures' names.
    private let name: String
    private let codec: (any PayloadCodec)?
    /// The most bytes of the whole file for an event.
    private let sizeLimit: Double?

    private static let process = ProcessDescription(
        key: Traffic.process, pid: 1, name: "bench", wallOffset: 1_790_000_000_000_000_000)
    private static let eventCount =
        ProcessInfo.processInfo.environment["CHAINVIEW_BENCH_EVENTS"].flatMap { Int($0) } ?? 3_000_000

    static func all() {
        RecordingFigures(name: "recording", codec: PayloadColumns(), sizeLimit: 45).all()
        RecordingFigures(name: "recording.zstd", codec: Zstandard(), sizeLimit: 8).all()
        RecordingFigures(name: "recording.raw", codec: nil, sizeLimit: nil).all()
    }

    private func report(_ figure: String, _ value: Double, _ unit: String, limit: Double? = nil) {
        say("\(name).\(figure)", value, unit, limit: limit)
    }

    private func all() {
        let path = FileManager.default.temporaryDirectory.path + "/chainview-bench-\(getpid()).chain"
        defer { unlink(path) }
        do {
            try write(path)
            try read(path)
        } catch { print("recording failed: \(error)") }
    }

    private func write(_ path: String) throws {
        var traffic = Traffic(rate: 200_000)
        let storage = try RecordingFileStorage(path: path, overwrites: false)
        var recorder = BatchRecorder(Self.process, RecordingWriter(storage, id: 1, codec: codec))
        let tables = traffic.tables()
        try recorder.record(tables, at: tables.time)
        var first: [EventBatch] = []
        traffic.begin(nodes: 46_000) { first.append($0) }
        for batch in first { try recorder.record(batch, at: batch.time) }
        let before = recorder.progress
        var (time, worst): (UInt64, UInt64) = (0, 0)
        while recorder.progress.eventCount - before.eventCount < UInt64(Self.eventCount) {
            let batch = traffic.batch(events: 4_000)
            let taken = try timing { try recorder.record(batch, at: batch.time) }
            time += taken
            worst = max(worst, taken)
        }
        let events = Double(recorder.progress.eventCount - before.eventCount)
        try recorder.finish()
        report("write", Double(time) / events, "ns/event")
        report("keyframe.write", Double(worst) / 1e6, "ms")
        report("size", Double(recorder.progress.fileSize - before.fileSize) / events, "B/event", limit: sizeLimit)
    }

    /// Measures opening the file, and returns it. The limits are those of a recording of ten minutes.
    private func open(_ path: String, _ figure: String, limit: Double) throws -> RecordingFile {
        var file = try RecordingFile(path: path, codec: codec)
        let pace = try Pace(5, to: .sort) { _ in
            Double(try timing { file = try RecordingFile(path: path, codec: codec) }) / 1e6
        }
        pace.say("\(name).\(figure)", "ms", limit: limit) { $0 }
        return file
    }

    private func read(_ path: String) throws {
        let file = try open(path, "open", limit: 0.01)
        let pages = Double(file.chunks.reduce(0) { $0 + Int($1.header.kind == .batches ? $1.header.storedCount : 0) })
        let events = Double(file.chunks.reduce(0) { $0 + Int($1.header.kind == .batches ? $1.header.eventCount : 0) })
        report("size.events", pages / events, "B/event")
        seek(file)
        play(file)
        // Clears the ending and the offset of the index, as if the recorder had been killed.
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try handle.seek(toOffset: 28)
        try handle.write(contentsOf: Data(count: 16))
        try handle.close()
        _ = try open(path, "open.killed", limit: 0.05)
    }

    /// Measures moves to random moments: of the forest alone, and of a dashboard to its first frame.
    private func seek(_ file: RecordingFile) {
        var player = RecordingPlayer(file)
        var random = Random(seed: 7)
        let length = file.range.upperBound - file.range.lowerBound
        func seek(_ figure: String, limit: Double, _ body: (_ moment: UInt64) -> Void) {
            let pace = Pace(3, to: .reads) { _ in
                var times = Times()
                for _ in 0..<8 {
                    let moment = file.range.lowerBound + random.next() % length
                    times.add(timing { body(moment) })
                }
                return times
            }
            pace.say("\(name).seek.\(figure)", "ms") { $0.median }
            pace.say("\(name).seek.\(figure).most", "ms", limit: limit) { $0.most }
        }
        seek("forest", limit: 2.1) { moment in
            var forest = ChainForest(process: Traffic.process, limits: ForestLimits(changeLimit: 0))
            for batch in player.seek(to: moment) { forest.apply(batch) }
            use(forest.totals)
        }
        var state = State(size: Size(columns: 200, rows: 60))
        seek("frame", limit: 3) { moment in
            let position = ReplayPosition(time: moment, range: file.range)
            let step = ReplayStep(
                process: Self.process, isFresh: true, batches: player.seek(to: moment), position: position)
            _ = reduce(into: &state, .replayed(SourceID(0), step))
            _ = reduce(into: &state, .tick(wall: moment + Self.process.wallOffset, monotonic: moment))
            use(render(state))
        }
        report("memory", Double(memory_in_use()) / 1_048_576, "MiB", limit: 300)
    }

    private func play(_ file: RecordingFile) {
        var player = RecordingPlayer(file)
        var forest = ChainForest(process: Traffic.process, limits: ForestLimits(changeLimit: 0))
        for batch in player.seek(to: 0) { forest.apply(batch) }
        let count = min(4_000_000, Self.eventCount / 6)
        // The milliseconds that a second of the recording takes.
        let pace = Pace(5, to: .reads) { _ in
            let start = player.time
            var played = 0
            let time = timing {
                while player.time < file.range.upperBound, played < count {
                    for batch in player.advance(to: .max, limit: 16_384) {
                        played += batch.events.count
                        forest.apply(batch)
                        forest.evictSettled(now: forest.now, budget: 2 * batch.events.count)
                    }
                }
            }
            return Double(time) * 1e3 / Double(player.time - start)
        }
        pace.say("\(name).play", "x") { 1e3 / $0 }
        pace.compare("\(name).play", limit: 1.2) { $0 }
    }
}
