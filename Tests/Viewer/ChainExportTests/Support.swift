import ChainEvents
import ChainExport
import ChainModel
import EventScripts

extension ProcessDescription {
    static let test = ProcessDescription(
        key: ProcessKey(rawValue: 7), pid: 4242, name: "shop", wallOffset: 1_700_000_000_000_000_000, startTime: 5)
}

/// Builds batches: each call of ``close(after:)`` ends one.
struct ScriptedBatches: EventScript {
    var time: UInt64 = 0
    private(set) var batches: [EventBatch] = []
    private var batch = EventBatch(process: ProcessDescription.test.key, sequence: 1, time: 0)

    mutating func record(_ event: ChainEvent, text: String?) {
        batch.append(event, text: text)
    }

    /// Closes the batch some milliseconds later.
    mutating func close(after milliseconds: Double = 0) {
        time += UInt64(milliseconds * 1_000_000)
        batch.time = time
        batches.append(batch)
        batch = EventBatch(process: batch.process, sequence: batch.sequence + 1, time: 0)
    }

    /// Adds the names of call sites, threads and executors.
    mutating func name() {
        batch.sites = [
            1: CodeLocation(fileID: "Shop/Order.swift", line: 12),
            2: CodeLocation(fileID: "Shop/<Card>&\"Pay\".swift", line: 7),
        ]
        batch.threads = [101: "worker-1", 102: "worker-2"]
        batch.executors = [1: "pool"]
    }
}

/// A text with the special characters of all formats, and control characters.
let hostile = "</script><b>&\"'`\\%%|{}[]#;$\u{1B}[31m\u{0}\n\u{202E}]]>--><!-- -- \u{2028} e\u{301} 😀 \\u0041 \\N"

/// Returns the batches of four orders: one is fulfilled after two checks in parallel, one with hostile texts is
/// rejected, one is live, one is cancelled.
func shop() -> [EventBatch] {
    var script = ScriptedBatches()
    script.name()
    script.time = 1_000_000_000
    // Order 17: work, then two checks, all, then a receipt.
    script.make(1, .work, "order 17", site: 1)
    script.queue(1)
    script.at(1_001)
    script.start(1, on: 101)
    script.make(2, .then, "charge", under: 1, site: 2)
    script.make(6, .map, "receipt", under: 2)
    script.at(1_002.5)
    script.fulfill(1, "17 things")
    script.queue(2)
    script.close()
    script.at(1_003)
    script.start(2, on: 102)
    script.make(3, .all, "checks", by: 2)
    script.make(4, .work, "fraud", by: 2)
    script.make(5, .work, "address", by: 2)
    script.member(3, 4)
    script.member(3, 5)
    script.queue(4)
    script.queue(5)
    script.adopt(2, 3)
    script.end(2)
    script.at(1_004)
    script.start(4, on: 101)
    script.start(5, on: 102)
    script.close(after: 1)
    // Order 18 fails: a hostile label, a hostile error.
    script.make(10, .promise, hostile, site: 2, external: true)
    script.make(11, .then, under: 10)
    script.record(.rejected, 10, text: hostile, thread: 102)
    script.record(.skipped, 11, flags: .error)
    script.at(1_006)
    script.fulfill(4)
    script.at(1_008)
    script.fulfill(5)
    script.record(.fulfilled, 3)
    script.record(.fulfilled, 2)
    script.queue(6)
    script.start(6, on: 101)
    script.at(1_009.25)
    script.fulfill(6)
    script.close()
    // Order 19 is live: its handler runs, and a delay waits. Order 20 is cancelled.
    script.make(20, .work, "order 19", site: 1)
    script.queue(20)
    script.start(20, on: 102)
    script.make(21, .delay, "pause", by: 20)
    script.make(22, .then, "ship", under: 20)
    script.make(30, .pending, "order 20", external: true)
    script.record(.cancelRequested, 30, text: "by the viewer", flags: .byViewer)
    script.record(.cancelled, 30, text: "by the viewer", flags: .byViewer)
    script.close(after: 10)
    return script.batches
}

/// Returns the forest after some batches.
func forest(_ batches: [EventBatch]) -> ChainForest {
    var forest = ChainForest(process: ProcessDescription.test.key)
    for batch in batches { forest.apply(batch) }
    return forest
}

/// Collects text.
final class Written {
    var text = ""
    var output: TextOutput { { [self] in text += $0 } }
    var lines: [Substring] { text.split(separator: "\n") }
}

// SPDX-License-Identifier: MIT
