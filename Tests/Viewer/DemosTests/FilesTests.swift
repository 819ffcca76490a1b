import ChainEvents
import ChainModel
import ChainTesting
import Demos
import Foundation
import PromiseRuntime
import Synchronization
import TestWaits
import Testing

/// `files` on a real folder: files read, files that cannot be read, and cancellation.
@Suite final class FilesTests {
    private let root: URL

    init() throws {
        root = FileManager.default.temporaryDirectory.appendingPathComponent("demos-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    private func write(_ text: String, _ path: String) throws {
        let file = root.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func link(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: root.appendingPathComponent(path).path, withDestinationPath: target)
    }

    private func startDemo() throws -> DemoRun { try DemoRun("files", arguments: [root.path]) }

    /// Returns the chains as text, with ROOT for the folder's path, which differs in each run.
    private func text(_ run: RecordedRun) -> [String] {
        run.forest.chainText().replacingOccurrences(of: root.path, with: "ROOT").components(separatedBy: "\n")
    }

    @Test func everyFileIsReadAndSummed() throws {
        try write("hello", "greeting")
        try write("", "below/empty")
        try write("foobar", "below/further/word")
        let run = try startDemo().recorded
        #expect(run.runUntilIdle())
        let lines = text(run)
        // The published sums of FNV-1a with 64 bits.
        #expect(lines.contains { $0.hasSuffix("work greeting = 5 bytes, a430d84680aabd0b") })
        #expect(lines.contains { $0.hasSuffix("work empty = 0 bytes, cbf29ce484222325") })
        #expect(lines.contains { $0.hasSuffix("work word = 6 bytes, 85944171f73967e8") })
        let sum = String(0xA430_D846_80AA_BD0B ^ 0xCBF2_9CE4_8422_2325 ^ 0x8594_4171_F739_67E8 as UInt64, radix: 16)
        #expect(lines.contains { $0.contains("fulfilled map together = 3 files, 11 bytes, sum \(sum)") })
    }

    @Test func whatCannotBeReadIsNamedAndLeftOut() throws {
        try write("hello", "greeting")
        try link("dangling", to: "nowhere")
        try link("ring", to: "ring")
        try link("upwards", to: "..")
        let run = try startDemo().recorded
        #expect(run.runUntilIdle())
        let lines = text(run)
        #expect(lines.contains { $0.hasSuffix("rejected work dangling ! ROOT/dangling: No such file or directory") })
        #expect(lines.contains { $0.contains("rejected work ring ! ROOT/ring: Too many") })
        #expect(lines.contains { $0.hasSuffix("rejected work upwards ! ROOT/upwards: Is a directory") })
        #expect(lines.contains { $0.contains("fulfilled map together = 1 file, 5 bytes, 3 unreadable") })
        #expect(!lines.contains { $0.contains("unhandled") })
        #expect(!lines.contains { $0.contains("1 files") || $0.contains("1 folders") || $0.contains("1 bytes") })
    }

    @Test func aFolderThatIsNotThereIsOneSentence() {
        let missing = root.appendingPathComponent("missing").path
        #expect {
            _ = try DemoRun("files", arguments: [missing])
        } throws: { error in
            "\(error)" == "\(missing) is not a readable folder."
        }
    }

    @Test func cancellingAFolderStopsItsWorkAndNoOthers() throws {
        for number in 0..<20 {
            try write("cancelled", "a/a\(number)")
            try write("kept", "b/b\(number)")
        }
        let demo = try startDemo()
        for _ in 0..<100 where !demo.recorded.forest.chainText().contains("work a0") {
            demo.recorded.executor.runNext()
        }
        #expect(demo.recorded.cancelTree(labelled: "a/", by: "ada") > 3)
        #expect(demo.recorded.runUntilIdle())
        let forest = demo.recorded.forest
        let lines = text(demo.recorded)
        #expect(lines.contains { $0.hasSuffix("cancelled promise a/ ! cancelled by ada (by a viewer)") })
        #expect(lines.filter { $0.contains("fulfilled work a") }.count <= 4)
        #expect(lines.filter { $0.contains("work a") }.count <= 8, "no further files of the folder were started")
        #expect(lines.filter { $0.contains("fulfilled work b") }.count == 20)
        #expect(lines.contains { $0.contains("fulfilled map together = 20 files, 80 bytes, 1 unreadable") })
        #expect(forest.totals.counts.liveCount == 0)
    }

    @Test func cancellingStopsAReadThatIsUnderWay() throws {
        // A sparse file: hours to read, no space on the disk.
        let big = root.appendingPathComponent("endless")
        try Data().write(to: big)
        let handle = try FileHandle(forWritingTo: big)
        try handle.truncate(atOffset: 1 << 40)
        try handle.close()

        let watch = Watch(label: "endless")
        let runtime = ChainRuntime()
        #expect(runtime.startRecording(into: watch))
        let context = DemoContext(runtime: runtime, speed: 1000, arguments: [root.path])
        try #require(Demo.named("files")).start(in: context)
        #expect(watch.began.waitForSignal())
        let node = try #require(watch.node.withLock { $0 })
        try #require(runtime.liveNode(node)).cancel()
        #expect(watch.ended.waitForSignal(), "the handler is over")
    }

    /// Signals the start and the end of the handler of the node with a label.
    private final class Watch: EventSink {
        let label: String
        let node = Mutex<NodeID?>(nil)
        let began = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)

        init(label: String) { self.label = label }

        func record(_ record: EventRecord, text: String?) {
            if record.kind == .created, text == label { node.withLock { $0 = record.node } }
            guard record.node == node.withLock({ $0 }) else { return }
            if record.kind == .started { began.signal() }
            if record.kind == .ended || record.flags.contains(.handlerEnded) { ended.signal() }
        }
    }
}

// SPDX-License-Identifier: MIT
