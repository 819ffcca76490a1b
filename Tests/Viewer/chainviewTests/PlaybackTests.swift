import ChainEvents
import ChainRecording
import Dashboard
import Foundation
import Testing

@testable import chainview

/// Recordings that are shown: which moment, and how commands move it.
@Suite struct PlaybackTests {
    private static let second: UInt64 = 1_000_000_000

    static func process(_ number: UInt64, wallOffset: UInt64) -> ChainEvents.ProcessDescription {
        ChainEvents.ProcessDescription(
            key: ProcessKey(rawValue: number), pid: Int32(number), name: "shop \(number)", wallOffset: wallOffset)
    }

    /// Returns a minute of a program from 10 s on: a node a second, each tenth rejected; warnings from 31 s to 40 s.
    static func recording(
        _ process: ChainEvents.ProcessDescription = process(1, wallOffset: 1_000 * second)
    ) throws -> RecordingFile {
        try RecordingFile(stored(process))
    }

    /// Returns the bytes of ``recording(_:)``.
    static func stored(
        _ process: ChainEvents.ProcessDescription = process(1, wallOffset: 1_000 * second)
    ) throws -> MemoryPages {
        let storage = MemoryStorage()
        var recorder = BatchRecorder(process, RecordingWriter(storage, id: 7))
        recorder.warningCountSource = .counted { (31..<40).contains($0.now / second) ? 2 : 0 }
        for index in 0..<60 as Range<UInt64> {
            var batch = EventBatch(process: process.key, sequence: index + 1, time: (10 + index) * second + 5)
            let node = NodeID(index + 1)
            batch.events.append(ChainEvent(time: (10 + index) * second, .created, node: node))
            batch.events.append(
                ChainEvent(time: (10 + index) * second + 1, index % 10 == 3 ? .rejected : .fulfilled, node: node))
            try recorder.record(batch, at: batch.time)
            try recorder.tick(at: batch.time + second / 2)
        }
        try recorder.finish()
        return storage.snapshot()
    }

    private func moment(_ actions: [Action]) -> UInt64? {
        for case .replayed(_, let step) in actions { return step.position.time }
        return nil
    }

    private func message(_ actions: [Action]) -> String? {
        for case .message(let text) in actions { return text }
        return nil
    }

    @Test func notableMomentsAreVisitedInOrder() throws {
        var marks = MarkList()
        _ = marks.set("here", at: 35 * Self.second)
        let playback = Playback(try Self.recording(), marks: marks)
        _ = playback.start(at: 0)
        var visited: [(UInt64, String?)] = []
        while case let actions = playback.perform(.nextNotable), let time = moment(actions) {
            visited.append((time / Self.second, message(actions)))
        }
        #expect(visited.map(\.0) == [13, 23, 31, 33, 35, 43, 53, 63])
        #expect(visited[2].1 == "2 open warnings" && visited[4].1 == "mark: here" && visited[0].1 == "a rejection")
        #expect(message(playback.perform(.nextNotable))?.contains("follows") == true)
        _ = playback.perform(.seek(.max))
        var back: [UInt64] = []
        while let time = moment(playback.perform(.previousNotable)) { back.append(time / Self.second) }
        #expect(back == visited.map(\.0).reversed())
    }

    /// Of several moments to which the pointer is dragged between two frames, the last one counts.
    @Test func scrubbingMovesOncePerFrame() throws {
        let playback = Playback(try Self.recording())
        _ = playback.start()
        for seconds in 20...40 as ClosedRange<UInt64> {
            #expect(playback.perform(.scrub(seconds * Self.second)).isEmpty)
        }
        #expect(playback.isMoving)
        #expect(moment(playback.tick(1, clock: { 1 })) == 40 * Self.second && !playback.isMoving)
        #expect(playback.tick(2, clock: { 2 }).isEmpty)
    }

    /// While the session is stopped, or an editor is open, a recording does not play on.
    @Test func aPauseOfTheSessionDoesNotCount() throws {
        let playback = Playback(try Self.recording())
        _ = playback.start(at: 20 * Self.second)
        _ = playback.perform(.togglePlaying)
        _ = playback.tick(1, clock: { 1 })
        #expect(moment(playback.tick(Self.second + 1, clock: { 0 })) == 21 * Self.second)
        playback.skipPause()
        _ = playback.tick(31 * Self.second + 1, clock: { 0 })
        #expect(playback.time == 21 * Self.second && playback.isPlaying)
        #expect(moment(playback.tick(32 * Self.second + 1, clock: { 0 })) == 22 * Self.second)
    }

    /// The second program began 5 s later, by a clock of its own: both are shown at one time of day.
    @Test func severalProgramsMoveTogether() throws {
        let (first, other) = (
            Self.process(1, wallOffset: 1_000 * Self.second), Self.process(2, wallOffset: 1_005 * Self.second)
        )
        let playback = Playback([
            (SourceID(0), try Self.recording(first)), (SourceID(1), try Self.recording(other)),
        ])
        #expect(playback.range.lowerBound / Self.second == 10 && playback.range.upperBound / Self.second == 74)
        let positions = playback.perform(.seek(40 * Self.second)).compactMap { action -> UInt64? in
            if case .replayed(_, let step) = action { step.position.time } else { nil }
        }
        #expect(positions == [40 * Self.second, 35 * Self.second])
        // The nearest event of either program.
        #expect(moment(playback.perform(.nextEvent)) == 40 * Self.second + 1)
        #expect(moment(playback.perform(.previousEvent)) == 40 * Self.second)
        #expect(playback.series.entries.reduce(0) { $0 + Int($1.rejected) } == 12)
        #expect(message(playback.perform(.seek(0))) == "nothing was recorded so early: this is the beginning")
        #expect(message(playback.perform(.seek(playback.range.lowerBound))) == nil)
        _ = playback.perform(.togglePlaying)
        _ = playback.tick(1, clock: { 1 })
        #expect(
            moment(playback.tick(30 * Self.second + 1, clock: { 0 })) == playback.range.lowerBound + 30 * Self.second)
        #expect(playback.isPlaying)
        _ = playback.tick(70 * Self.second + 1, clock: { 0 })
        #expect(playback.time == playback.range.upperBound && !playback.isPlaying)
    }

    @Test func marksOfAnotherSessionAreKeptAndShown() throws {
        let path = FileManager.default.temporaryDirectory.path + "/chain-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path + ".marks") }
        let sessions = try (0..<2).map { _ in Playback(try Self.recording(), marks: MarkList(ofRecording: path)) }
        #expect(message(sessions[0].perform(.mark(nil, at: 20 * Self.second))) == "marked: mark 1")
        let actions = sessions[1].perform(.mark(nil, at: 30 * Self.second))
        #expect(message(actions) == "marked: mark 2" && MarkList(ofRecording: path).marks.count == 2)
        for case .marks(let marks) in actions { #expect(marks.map(\.name) == ["mark 1", "mark 2"]) }
        #expect(message(sessions[0].perform(.unmark("mark 2"))) == "the mark mark 2 is removed")
        #expect(MarkList(ofRecording: path).marks.map(\.name) == ["mark 1"])
    }

    @Test func damageThatAMoveFindsIsReportedOnce() throws {
        let path = FileManager.default.temporaryDirectory.path + "/chain-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Self.write(path)
        let whole = try RecordingFile(path: path)
        let broken = try #require(whole.chunks.filter { $0.header.kind == .batches }.dropFirst(20).first)
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try handle.seek(toOffset: broken.offset + 100)
        try handle.write(contentsOf: Data([0xFF, 0xFF, 0xFF]))
        try handle.close()
        let playback = Playback(try RecordingFile(path: path))
        _ = playback.start(at: 0)
        #expect(playback.newDamage() == nil)
        _ = playback.perform(.seek(broken.header.lastTime))
        #expect(playback.newDamage()?.contains("a chunk is damaged") == true)
        #expect(playback.newDamage() == nil)
    }

    /// Writes a recording of a minute into a file.
    private static func write(_ path: String) throws {
        let storage = try RecordingFileStorage(path: path, overwrites: true)
        let process = process(1, wallOffset: 0)
        var recorder = BatchRecorder(process, RecordingWriter(storage, id: 7))
        for index in 0..<60 as Range<UInt64> {
            var batch = EventBatch(process: process.key, sequence: index + 1, time: (10 + index) * second)
            batch.events.append(ChainEvent(time: batch.time, .created, node: NodeID(index + 1)))
            try recorder.record(batch, at: batch.time)
            try recorder.tick(at: batch.time + second / 2)
        }
        try recorder.finish()
    }
}

/// Marks, and the file that holds them.
@Suite struct MarkListTests {
    private func withRecording(_ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.path + "/chain-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path + ".marks") }
        try body(path)
    }

    @Test func marksAreKeptForTheUserAlone() throws {
        try withRecording { path in
            var marks = MarkList(ofRecording: path)
            #expect(marks.marks.isEmpty && marks.problem == nil)
            #expect(marks.set("the crash", at: 900) == "the crash")
            #expect(marks.set(nil, at: 50) == "mark 1" && marks.set(nil, at: 70) == "mark 2")
            #expect(marks.set("mark 1", at: 60) == "mark 1")
            #expect(marks.save() == nil)
            let mode = try FileManager.default.attributesOfItem(atPath: path + ".marks")[.posixPermissions]
            #expect(mode as? Int == 0o600)
            var read = MarkList(ofRecording: path)
            #expect(read.marks == marks.marks && read.marks.map(\.time) == [60, 70, 900])
            #expect(read.remove("mark 2") && !read.remove("mark 2") && read.save() == nil)
            #expect(MarkList(ofRecording: path).marks.map(\.name) == ["mark 1", "the crash"])
        }
    }

    @Test func sessionsKeepEachOthersMarks() throws {
        try withRecording { path in
            var (first, second) = (MarkList(ofRecording: path), MarkList(ofRecording: path))
            func change(_ list: inout MarkList, _ body: (inout MarkList) -> Void) {
                list.refresh()
                body(&list)
                #expect(list.save() == nil)
            }
            change(&first) { #expect($0.set(nil, at: 50) == "mark 1") }
            change(&second) { #expect($0.set(nil, at: 20) == "mark 2") }
            #expect(second.marks.map(\.time) == [20, 50])
            // A removal and a move stay what they are.
            change(&first) { #expect($0.remove("mark 2") == true) }
            change(&second) { _ = $0.set("mark 1", at: 60) }
            #expect(second.marks == [ReplayMark(time: 60, name: "mark 1")])
            // So does what could not be saved.
            _ = first.set("later", at: 70)
            first.refresh()
            #expect(first.marks.map(\.time) == [60, 70] && first.remove("mark 1"))
            change(&second) { _ = $0.set("mark 3", at: 80) }
            first.refresh()
            #expect(first.marks.map(\.name) == ["later", "mark 3"])
            // A file that cannot be read is not replaced.
            try Data("soon".utf8).write(to: URL(fileURLWithPath: path + ".marks"))
            first.refresh()
            #expect(first.save() != nil && first.marks.count == 2)
        }
    }

    @Test(arguments: ["12 a\nsoon b\n", "12\n", "-3 a", "99999999999999999999 a", "1 a\u{0}", "12 \u{FFFF}\n x"])
    func anotherFileIsRefusedAndKept(_ text: String) throws {
        try withRecording { path in
            try Data(text.utf8).write(to: URL(fileURLWithPath: path + ".marks"))
            var marks = MarkList(ofRecording: path)
            let problem = try #require(marks.problem)
            #expect(problem.contains(path + ".marks") && !problem.contains("\n") && marks.marks.isEmpty)
            _ = marks.set("a", at: 1)
            let sentence = marks.save()
            #expect(sentence?.hasPrefix("the marks are not saved: ") == true)
            #expect(try String(contentsOfFile: path + ".marks", encoding: .utf8) == text)
        }
    }

    /// An editor may write other line ends, and a name may begin with a character that joins the blank before it.
    @Test func charactersThatJoinOthersAreRead() throws {
        try withRecording { path in
            try Data("# head\r\n12 a b\r\n".utf8).write(to: URL(fileURLWithPath: path + ".marks"))
            var marks = MarkList(ofRecording: path)
            #expect(marks.problem == nil && marks.marks == [ReplayMark(time: 12, name: "a b")])
            _ = marks.set("\u{301}accent", at: 40)
            #expect(marks.save() == nil)
            #expect(MarkList(ofRecording: path).marks.last == ReplayMark(time: 40, name: "\u{301}accent"))
        }
    }

    @Test func aFolderThatCannotBeWrittenIsAnError() {
        var marks = MarkList(ofRecording: "/proc/nothing/shop.chain")
        _ = marks.set("a", at: 1)
        let sentence = marks.save()
        #expect(sentence?.contains("are not saved") == true)
    }
}

// SPDX-License-Identifier: MIT
