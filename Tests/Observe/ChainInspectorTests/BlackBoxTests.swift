import AttachHarness
import ChainEvents
import ChainModel
import ChainSystem
import ChainWire
import Foundation
import PromiseRuntime
import SeededNumbers
import TerminalHarness
import Testing

@testable import ChainInspector
@testable import ChainRecording

/// The last events of a program with its rings in a file: no thread had collected them when the program ended.
@Suite(.onItsOwnThread) struct BlackBoxTests {
    private let folder = ScratchFolder()

    /// Runs the probe to its end, and returns the paths of its recording and of its rings.
    private func run(_ how: String) throws -> (path: String, rings: String, pid: Int32) {
        let run = try ProbeRun(["black-box", folder.path + "/s", how])
        let path = run.line()
        _ = run.end()
        return (path, SocketFolder.ringsPath(ofFlight: path), run.pid)
    }

    /// Returns the forest at the end of a recording with its rings.
    private func reading(_ path: String, _ rings: String) throws -> (forest: ChainForest, rings: RecordingFile.Rings) {
        let (file, rings) = try RecordingFile.postMortem(path: path, rings: rings)
        var player = RecordingPlayer(file)
        var forest = ChainForest(process: file.process.key)
        for batch in player.seek(to: .max) { forest.apply(batch) }
        return (forest, rings)
    }

    #if TSAN
        // A child of a fork may hang in ThreadSanitizer, with the probe's output open.
        private static let deaths = ["kill", "trap", "kill-recorded"]
    #else
        private static let deaths = ["kill", "trap", "kill-recorded", "kill-forked"]
    #endif

    @Test(arguments: deaths) func theLastEventsAreThere(how: String) throws {
        let (path, rings, _) = try run(how)
        let (forest, found) = try reading(path, rings)
        guard case .added(let count) = found else {
            Issue.record("\(found)")
            return
        }
        // Events in the recording are not added again.
        #expect(how == "kill-recorded" ? count <= 3 : count > 1_000, "\(count)")
        let dump = forest.dump()
        #expect(dump.contains("order 18") && dump.contains("order 599") && dump.contains("charge order 17"), "\(dump)")
        #expect(forest.totals.counts.liveCount == 3, "\(dump.prefix(2_000))")
        #expect(!dump.contains("of the child"))
        // Nothing is there twice.
        #expect(forest.totals.counts.nodeCount == 503)
        let left = try RecordingFile.postMortem(path: path, rings: rings).file
        let recorded = try RecordingFile(path: path).chunks.count
        let threads = left.chunks.indices.dropFirst(recorded).flatMap { left.batches(ofChunk: $0) ?? [] }
            .flatMap(\.threads.values)
        #expect(left.damage == [] && threads == ["main"], "\(threads)")
        // Without the rings.
        #expect(try !FlightReading(path).labels.contains("order 18"))
    }

    @Test func withoutABlackBoxTheLastEventsAreMissing() throws {
        let (path, rings, _) = try run("kill-plain")
        #expect(FileFacts(at: rings) == nil)
        let (forest, found) = try reading(path, rings)
        #expect(found == .none && !forest.dump().contains("order 18"))
    }

    @Test func aNormalEndLeavesNothing() throws {
        _ = try run("exit")
        unlink(folder.path + "/s/first.chain")
        #expect(folder.files == ["s"])
    }

    @Test func nothingIsAddedToARecordingWithAnIndex() throws {
        let (path, rings, _) = try run("kill")
        let file = try RecordingFile(path: path)
        let finished = folder.path + "/finished.chain"
        let storage = try RecordingFileStorage(path: finished, overwrites: false)
        var recorder = BatchRecorder(file.process, RecordingWriter(storage, id: 7))
        var player = RecordingPlayer(file)
        for batch in player.seek(to: .max) { try recorder.record(batch, at: batch.time) }
        try recorder.finish()
        let (copy, found) = try RecordingFile.postMortem(path: finished, rings: rings)
        #expect(copy.hasIndex && found == .added(0))
    }

    /// Rings that do not fit into the file are in the memory of the program alone.
    @Test func aFileIsNoLongerThanReadersAccept() throws {
        let recorder = Recorder(clock: RealClock(), options: RecorderOptions())
        defer { recorder.close() }
        for (number, limit) in [1 << 30, Int.max].enumerated() {
            let path = folder.path + "/\(number).rings"
            let file = try RingFile(path: path, process: 7, recorder: recorder, byteLimit: limit)
            #expect(try #require(FileFacts(at: path)).size == RingFileFormat.sizeLimit)
            withExtendedLifetime(file) {}
        }
    }

    /// After random use the blocks of a ring hold all unread events, and before them an unbroken series of read ones.
    @Test func theBlocksOfARingAreReadInTheirOrder() throws {
        var random = SeededGenerator(seed: 17)
        var (unreadInAll, all) = (0, 0)
        for round in 0..<40 {
            var options = RecorderOptions()
            (options.ringCapacity, options.textLimit) = ([16, 64, 256][round % 3], [0, 60, 150][round / 3 % 3])
            // Blocks are overwritten in every other round.
            options.ringByteLimit = round % 2 == 0 ? 1 << 20 : 8 * RingPool.byteCountOfAThread
            let recorder = Recorder(clock: RealClock(), options: options)
            defer { recorder.close() }
            let path = folder.path + "/\(round).rings"
            recorder.pool.use(
                try RingFile(path: path, process: 7, recorder: recorder, byteLimit: options.ringByteLimit))
            var (made, unread) = ([UInt64](), 0)
            for number in 1...UInt64.random(in: 1...600, using: &random) {
                let length = Int.random(in: 0...200, using: &random)
                let text = Bool.random(using: &random) ? String(repeating: "t", count: length) : nil
                let lost = recorder.counts.lost
                recorder.record(EventRecord(.created, node: NodeID(number)), text: text)
                if recorder.counts.lost == lost { (made, unread) = (made + [number], unread + 1) }
                guard Int.random(in: 0..<9, using: &random) == 0 else { continue }
                var merge = RingMerge(recorder.pool.active)
                for _ in 0..<Int.random(in: 0...40, using: &random) where merge.next() != nil { unread -= 1 }
                merge.release(to: recorder.pool)
            }
            let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
            let events = try bytes.withUnsafeBytes { try RingEvents($0, of: ProcessKey(rawValue: 7)) }.events
            #expect(events.map(\.event.node.rawValue) == made.suffix(events.count), "round \(round)")
            #expect(events.filter(\.isUnread).count == unread && events.count >= unread)
            (unreadInAll, all) = (unreadInAll + unread, all + events.count)
            #expect(events.allSatisfy { ($0.text ?? "").utf8.count <= options.textLimit + 3 })
        }
        #expect(all > 2 * unreadInAll, "\(all) events, \(unreadInAll) of them not read before")
    }

    /// Any bytes give a reason or events, never a crash.
    @Test func damagedFilesAreRefusedOrRead() throws {
        let (path, rings, _) = try run("kill")
        let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: rings)))
        let used = bytes.lastIndex { $0 != 0 }! + 1
        let other = folder.path + "/other.rings"
        func result(_ bytes: some Collection<UInt8>) throws -> RecordingFile.Rings {
            try Data(bytes).write(to: URL(fileURLWithPath: other))
            return try reading(path, other).rings
        }
        #expect(try result([]) == .unusable("is no file of rings, or is cut off"))
        #expect(try result(bytes.prefix(1_000)) == .unusable("is no file of rings, or is cut off"))
        var changed = bytes
        changed[8] = 9
        #expect(try result(changed) == .unusable("is of another version of chainview"))
        changed = bytes
        changed[16] ^= 1
        #expect(try result(changed) == .unusable("is of another run of the program"))
        _ = try result(bytes.prefix(used - 5_000))
        var random = SeededGenerator(seed: 3)
        for round in 0..<60 {
            changed = Array(bytes[..<used])
            let ranges = [
                24..<64, 64..<2_000, RingFileFormat.ringsOffset..<RingFileFormat.ringsOffset + 400, 24..<used,
            ]
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                changed[Int.random(in: ranges[round % 4], using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try result(changed)
        }
    }
}

// SPDX-License-Identifier: MIT
