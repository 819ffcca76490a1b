import CMemory
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

    private func report(
        _ figure: String, _ value: Double, _ unit: String, limit: Double? = nil, isAtLeast: Bool = false
    ) {
        say("\(name).\(figure)", value, unit, limit: limit, isAtLeast: isAtLeast)
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
            let start = cpu()
            try recorder.record(batch, at: batch.time)
            let taken = cpu() - start
            time += taken
            worst = max(worst, taken)
        }
        let events = Double(recorder.progress.eventCount - before.eventCount)
        try recorder.finish()
        report("write", Double(time) / events, "ns/event")
        report("keyframe.write", Double(worst) / 1e6, "ms")
        report("size", Double(recorder.progress.fileSize - before.fileSize) / events, "B/event", limit: sizeLimit)
    }

    /// Returns the processor time of `body` in milliseconds.
    private func milliseconds(_ body: () throws -> Void) rethrows -> Double {
        let start = cpu()
        try body()
        return Double(cpu() - start) / 1e6
    }

    private func read(_ path: String) throws {
        var file = try RecordingFile(path: path, codec: codec)
        report("open", try milliseconds { file = try RecordingFile(path: path, codec: codec) }, "ms", limit: 500)
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
        report(
            "open.killed", try milliseconds { file = try RecordingFile(path: path, codec: codec) }, "ms", limit: 2_000)
    }

    /// Measures moves to random moments: of the forest alone, and of a dashboard to its first frame.
    private func seek(_ file: RecordingFile) {
        var player = RecordingPlayer(file)
        var random = Random(seed: 7)
        let length = file.range.upperBound - file.range.lowerBound
        var (forests, frames) = (Times(), Times())
        for _ in 0..<24 {
            let moment = file.range.lowerBound + random.next() % length
            let time = milliseconds {
                var forest = ChainForest(process: Traffic.process, limits: ForestLimits(changeLimit: 0))
                for batch in player.seek(to: moment) { forest.apply(batch) }
                use(forest.totals)
            }
            forests.add(UInt64(time * 1e6))
        }
        var state = State(size: Size(columns: 200, rows: 60))
        for _ in 0..<12 {
            let moment = file.range.lowerBound + random.next() % length
            let time = milliseconds {
                let position = ReplayPosition(time: moment, range: file.range)
                let step = ReplayStep(
                    process: Self.process, isFresh: true, batches: player.seek(to: moment), position: position)
                _ = reduce(into: &state, .replayed(SourceID(0), step))
                _ = reduce(into: &state, .tick(wall: moment + Self.process.wallOffset, monotonic: moment))
                use(render(state))
            }
            frames.add(UInt64(time * 1e6))
        }
        report("seek.forest", forests.median, "ms")
        report("seek.forest.most", forests.most, "ms", limit: 100)
        report("seek.frame", frames.median, "ms")
        report("seek.frame.most", frames.most, "ms", limit: 100)
        report("memory", Double(memory_in_use()) / 1_048_576, "MiB", limit: 300)
    }

    private func play(_ file: RecordingFile) {
        var player = RecordingPlayer(file)
        var forest = ChainForest(process: Traffic.process, limits: ForestLimits(changeLimit: 0))
        for batch in player.seek(to: 0) { forest.apply(batch) }
        let start = player.time
        var count = 0
        let time = milliseconds {
            while player.time < file.range.upperBound, count < 20_000_000 {
                for batch in player.advance(to: .max, limit: 16_384) {
                    count += batch.events.count
                    forest.apply(batch)
                    forest.evictSettled(now: forest.now, budget: 2 * batch.events.count)
                }
            }
        }
        report(
            "play", Double(player.time - start) / 1e6 / time, "x", limit: count > 100_000 ? 40 : nil,
            isAtLeast: true)
    }
}
