// SPDX-License-Identifier: MIT

import ChainEvents

extension EventBatch {
    /// Returns the batch in parts of at most `limit` bytes on the wire. The first parts have the names; the last part
    /// has the ``EventCounts`` and the mark of a resync. A single name, node or event over the limit is a part of its
    /// own.
    ///
    /// Applying the parts in order has the effect of applying the batch.
    func parts(upTo limit: Int) -> [EventBatch] {
        guard wireSizeBound > limit else { return [self] }
        var cutter = PartCutter(of: self, limit: limit)
        return cutter.run()
    }

    /// An upper bound of the bytes that the batch takes on the wire.
    private var wireSizeBound: Int {
        let names = sites.values.reduce(0) { $0 + 12 + $1.fileID.utf8.count }
        let threads = threads.values.reduce(0) { $0 + 8 + $1.utf8.count }
        let executors = executors.values.reduce(0) { $0 + 8 + $1.utf8.count }
        return PartCutter.fixedSize + names + threads + executors + texts.reduce(0) { $0 + 4 + $1.utf8.count }
            + nodes.reduce(0) { $0 + $1.wireSizeBound }
            + events.count * 40 + (frames?.wireSizeBound ?? 0)
    }
}

extension NodeSnapshot {
    fileprivate var wireSizeBound: Int {
        var size = 32 + 11 * 8 + 3 * 4 + 8 + 24 + 8 * (members.count + memberTimes.count)
        if let label { size += label.utf8.count }
        if let canceller { size += canceller.utf8.count }
        if let summary { size += summary.utf8.count }
        return size
    }
}

extension FrameReading {
    fileprivate var wireSizeBound: Int { stacks.reduce(32) { $0 + 4 + $1.utf8.count } + entries.count * 12 }
}

/// Cuts a batch into parts.
private struct PartCutter {
    /// The bytes of a batch on the wire without its lists.
    static let fixedSize = 104 + 8 + 28
    private let whole: EventBatch
    private let limit: Int
    private var parts: [EventBatch] = []
    private var part: EventBatch
    /// An upper bound of the part's bytes on the wire.
    private var size = Self.fixedSize
    /// The number of a text in the part, by its number in the whole batch.
    private var textNumbers: [UInt32: UInt32] = [:]

    init(of whole: EventBatch, limit: Int) {
        self.whole = whole
        self.limit = limit
        part = EventBatch(process: whole.process, sequence: whole.sequence, time: whole.time)
    }

    mutating func run() -> [EventBatch] {
        for (number, site) in whole.sites.sorted(by: { $0.key < $1.key }) {
            reserve(12 + site.fileID.utf8.count)
            part.sites[number] = site
        }
        for (number, name) in whole.threads.sorted(by: { $0.key < $1.key }) {
            reserve(8 + name.utf8.count)
            part.threads[number] = name
        }
        for (number, name) in whole.executors.sorted(by: { $0.key < $1.key }) {
            reserve(8 + name.utf8.count)
            part.executors[number] = name
        }
        for node in whole.nodes {
            reserve(node.wireSizeBound)
            part.nodes.append(node)
        }
        for event in whole.events {
            let text = whole.text(of: event)
            reserve(40 + (text.map { 4 + $0.utf8.count } ?? 0))
            part.events.append(numbered(event, text))
        }
        if let frames = whole.frames { append(frames) }
        (part.loss, part.resync, part.stateNodeCount) = (whole.loss, whole.resync, whole.stateNodeCount)
        return parts + [part]
    }

    /// Appends frames, which may go into several parts.
    private mutating func append(_ frames: FrameReading) {
        var empty = frames
        (empty.stacks, empty.entries) = ([], [])
        /// The number of a stack in the part, by its number in the whole reading.
        var numbers: [UInt32: UInt32] = [:]
        for entry in frames.entries where entry.stack < frames.stacks.count {
            let stack = frames.stacks[Int(entry.stack)]
            if reserve(12 + (numbers[entry.stack] == nil ? 4 + stack.utf8.count : 0)) {
                size += 4 + stack.utf8.count
                numbers = [:]
            }
            var reading = part.frames.take() ?? empty
            let number = numbers[entry.stack] ?? UInt32(reading.stacks.count)
            if Int(number) == reading.stacks.count { reading.stacks.append(stack) }
            numbers[entry.stack] = number
            reading.entries.append(.init(node: entry.node, stack: number))
            part.frames = reading
        }
    }

    /// Makes room for `room` more bytes: begins a new part if they do not fit into the present part.
    /// Returns whether it has begun one.
    @discardableResult
    private mutating func reserve(_ room: Int) -> Bool {
        let isFull = size > Self.fixedSize && size + room > limit
        if isFull {
            parts.append(part)
            part = EventBatch(process: whole.process, sequence: whole.sequence, time: whole.time)
            textNumbers = [:]
            size = Self.fixedSize
        }
        size += room
        return isFull
    }

    /// Returns an event with the number of its text in the part.
    private mutating func numbered(_ event: ChainEvent, _ text: String?) -> ChainEvent {
        var event = event
        guard let text else {
            event.text = 0
            return event
        }
        if textNumbers[event.text] == nil {
            part.texts.append(text)
            textNumbers[event.text] = UInt32(part.texts.count)
        }
        event.text = textNumbers[event.text] ?? 0
        return event
    }
}
