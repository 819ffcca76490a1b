import ChainEvents
import SeededNumbers

/// A random program: chains that grow, fork, adopt, wait, fail, are cancelled, and never end.
struct Load {
    let process: ProcessDescription
    private var live: [UInt64] = []
    private var nextID: UInt64 = 1
    private var sequence: UInt64 = 0
    private var lost: UInt64 = 0

    private static let labels = [
        nil, nil, "order 17", "日本語の", "charge\u{1B}[2Jcard", "e\u{301}", "🙂 smile",
        "a very long label that has to be cut",
        "ask", "\u{202E}reversed", "tab\there",
    ]
    private static let kinds: [NodeKind] = [.promise, .work, .all, .race, .chain, .map, .then, .delay]

    init(run: UInt64) {
        process = ProcessDescription(
            key: ProcessKey(rawValue: 1_000 + run), pid: Int32(4_000 + run), name: "soak \(run)",
            wallOffset: 1_790_000_000_000_000_000)
    }

    /// Returns the program's next batch at a time of its clock, in nanoseconds.
    mutating func batch(_ time: UInt64, eventCount: Int, _ random: inout some RandomNumberGenerator) -> EventBatch {
        sequence += 1
        var batch = EventBatch(process: process.key, sequence: sequence, time: time)
        if sequence == 1 {
            batch.threads = [1: "worker-1", 2: "worker-2", 3: "main", 4: "a thread with a long name"]
            batch.executors = [1: "pool", 2: "main"]
            for site in 1...20 {
                batch.sites[SiteID(site)] = CodeLocation(fileID: "Soak/File\(site % 5).swift", line: UInt32(site * 7))
            }
        }
        for _ in 0..<eventCount { addRandomEvents(&batch, time, &random) }
        if Int.random(in: 0..<200, using: &random) == 0 { lost += UInt64.random(in: 1..<1_000, using: &random) }
        batch.loss = EventCounts(
            madeCount: lost + sequence * 10, deliveredCount: sequence * 10, lostInRings: lost, lostAtClient: 0)
        return batch
    }

    /// Adds nothing, one event, or the events of one change of a random node.
    private mutating func addRandomEvents(
        _ batch: inout EventBatch, _ time: UInt64, _ random: inout some RandomNumberGenerator
    ) {
        let thread = ThreadID(Int.random(in: 1...4, using: &random))
        func add(
            _ kind: EventKind, _ node: UInt64, other: UInt64 = 0, text: String? = nil, site: SiteID = 0,
            detail: UInt16 = 0, flags: EventFlags = []
        ) {
            var textNumber: UInt32 = 0
            if let text {
                batch.texts.append(text)
                textNumber = UInt32(batch.texts.count)
            }
            batch.events.append(
                ChainEvent(
                    time: time, kind, node: NodeID(node), other: NodeID(other), site: site, text: textNumber,
                    thread: thread, detail: detail, flags: flags))
        }
        let some = live.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<14, using: &random) {
        case 0...4:
            let other = Int.random(in: 0..<3, using: &random) == 0 ? 0 : some
            let isThen = Bool.random(using: &random) && other != 0
            add(
                .created, nextID, other: other, text: Self.labels.randomElement(using: &random)!,
                site: SiteID(Int.random(in: 1...20, using: &random)),
                detail: UInt16(Self.kinds.randomElement(using: &random)!.rawValue), flags: isThen ? .hasParent : [])
            live.append(nextID)
            nextID += 1
        case 5 where some != 0: add(.queued, some, detail: UInt16(Int.random(in: 1...2, using: &random)))
        case 6 where some != 0: add(.started, some)
        case 7 where some != 0: add(.ended, some)
        case 8 where some != 0:
            add(.linked, some, other: live.randomElement(using: &random)!, detail: UInt16(LinkKind.member.rawValue))
        case 9 where some != 0: add(.adopted, some, other: live.randomElement(using: &random)!)
        case 10 where some != 0:
            add(.awaited, some, other: live.randomElement(using: &random)!)
            if Bool.random(using: &random) { add(.awaitEnded, some) }
        case 11...13 where some != 0 && (live.count > 300 || Bool.random(using: &random)):
            live.removeAll { $0 == some }
            switch Int.random(in: 0..<6, using: &random) {
            case 0: add(.rejected, some, text: "SoakError.number(\(some)): it was not to be", flags: .handlerEnded)
            case 1: add(.cancelled, some, text: "cancelled by somebody", flags: .byViewer)
            case 2: add(.skipped, some)
            case 3: add(.abandoned, some, text: "dropped")
            default: add(.fulfilled, some, text: "\(some)", flags: .handlerEnded)
            }
            add(.released, some)
        default: break
        }
    }
}

// SPDX-License-Identifier: MIT
