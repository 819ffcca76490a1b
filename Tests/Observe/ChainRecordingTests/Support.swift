import ChainEvents
import ChainModel
import ChainSystem
import ChainWire
import EventScripts
import Foundation

@testable import ChainRecording

/// A file in memory, on a disk of limited size.
final class MemoryStorage: RecordingStorage {
    var bytes: [UInt8] = []
    var capacity = Int.max
    /// The error of a write that does not fit.
    var fullError = ENOSPC
    private(set) var writeCount = 0

    func write(_ new: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
        writeCount += 1
        let end = Int(offset) + new.count
        // As on a full disk, what fits is written.
        let written = min(end, max(capacity, bytes.count))
        if written > bytes.count { bytes += [UInt8](repeating: 0, count: written - bytes.count) }
        if written > Int(offset) {
            bytes.replaceSubrange(Int(offset)..<written, with: new.prefix(written - Int(offset)))
        }
        if written < end { throw SystemError(code: fullError) }
    }

    func truncate(to count: UInt64) throws(SystemError) { bytes = Array(bytes.prefix(Int(count))) }

    /// Opens what was written as a recording.
    func open() throws -> RecordingFile { try RecordingFile(temporaryFile(bytes)) }
}

/// Returns an open file with the bytes. Its name is removed already.
func temporaryFile(_ bytes: [UInt8]) throws -> ByteFile {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("chain-\(UUID().uuidString)")
    try Data(bytes).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    return try ByteFile(path: url.path)
}

extension ProcessDescription {
    static let test = ProcessDescription(
        key: .test, pid: 4242, name: "shop", wallOffset: 1_700_000_000_000_000_000, startTime: 5)
}

extension BatchRecorder {
    init(
        _ storage: any RecordingStorage, limit: UInt64? = nil, _ change: (inout Options) -> Void = { _ in }
    ) throws {
        var options = Options()
        change(&options)
        self.init(.test, RecordingWriter(storage, id: 0x1122_3344_5566_7788, limit: limit), options: options)
    }

    /// Records batches, each at its own time.
    mutating func record(_ batches: [EventBatch]) throws { for batch in batches { try record(batch, at: batch.time) } }
}

/// Simple traffic: chains of six nodes, each of which settles while the tenth after it is made. An event comes each
/// `step` nanoseconds, a batch after each `batchSize` events, and each tenth chain ends with a rejection.
struct Traffic {
    private(set) var batches: [EventBatch] = []
    private var batch = EventBatch(process: .test, sequence: 1, time: 0)
    private let batchSize: Int
    private let step: UInt64
    private var time: UInt64 = 1_000_000_000

    init(chains: Int, batchSize: Int = 500, step: UInt64 = 1_000) {
        self.batchSize = batchSize
        self.step = step
        for chain in 0..<chains + 10 {
            if chain < chains { begin(UInt64(chain)) }
            if chain >= 10 { end(UInt64(chain - 10)) }
        }
        if !batch.events.isEmpty { close() }
    }

    private mutating func begin(_ chain: UInt64) {
        let first = chain * 6 + 1
        for node in first..<first + 6 {
            add(.created, node, node == first ? 0 : node - 1, text: node == first ? "order \(chain)" : nil)
        }
    }

    private mutating func end(_ chain: UInt64) {
        let first = chain * 6 + 1
        for node in first..<first + 6 {
            add(.queued, node)
            add(.started, node)
            add(chain % 10 == 0 && node == first + 5 ? .rejected : .fulfilled, node)
        }
    }

    private mutating func add(_ kind: EventKind, _ node: UInt64, _ parent: UInt64 = 0, text: String? = nil) {
        time += step
        let flags: EventFlags =
            kind == .created ? (parent == 0 ? [] : .hasParent) : kind == .fulfilled ? .handlerEnded : []
        let detail = kind == .created ? UInt16(NodeKind.then.rawValue) : kind == .queued ? 1 : 0
        batch.append(
            ChainEvent(
                time: time, kind, node: NodeID(node), other: NodeID(parent), thread: 7, detail: detail, flags: flags),
            text: text)
        if batch.events.count == batchSize { close() }
    }

    private mutating func close() {
        batch.time = time
        batches.append(batch)
        batch = EventBatch(process: .test, sequence: batch.sequence + 1, time: 0)
    }
}

/// Returns what a live viewer has at a moment: all batches up to it, and the events up to it of the next batches, which
/// have one time.
func liveForest(_ batches: [EventBatch], at moment: UInt64, limits: ForestLimits = ForestLimits()) -> ChainForest {
    var forest = ChainForest(process: .test, limits: limits)
    var next: UInt64?
    for batch in batches {
        if batch.time <= moment {
            forest.apply(batch)
        } else if next == nil || batch.time == next {
            next = batch.time
            var part = batch
            part.events.removeAll { $0.time > moment }
            (part.nodes, part.frames, part.resync, part.time, part.loss) = ([], nil, nil, moment, EventCounts())
            forest.apply(part)
        }
    }
    return forest
}

extension ChainForest {
    init(applying batches: [EventBatch]) {
        self.init(process: .test)
        for batch in batches { apply(batch) }
    }
}

/// Returns the first line in which the dumps of two forests differ; nil if they are equal.
func difference(_ one: ChainForest, _ other: ChainForest) -> String? {
    let (lines, others) = (one.dump(facts: true).split(separator: "\n"), other.dump(facts: true).split(separator: "\n"))
    if lines == others { return nil }
    let index =
        zip(lines, others).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(lines.count, others.count)
    return
        "line \(index): \(index < lines.count ? lines[index] : "-") and \(index < others.count ? others[index] : "-")"
}

// SPDX-License-Identifier: MIT
