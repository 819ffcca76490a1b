// SPDX-License-Identifier: MIT

import ChainModel

/// The last events of one program, in order of arrival.
///
/// Batches are kept whole, in the storage that they arrived in. Ingesting a batch of at most ``limit`` events costs
/// O(its texts), however many events it has. A larger batch is cut to its last ``limit`` events. While the view is
/// closed, ingesting is the only cost. The oldest batches are dropped once the newer batches have ``limit`` rows.
struct EventsInsight {
    /// The maximum number of rows that are shown: events, and notes between them.
    static let limit = 50_000
    /// The maximum number of bytes of texts that are kept; the texts of the last batch are always kept.
    static let textByteLimit = 8 << 20

    /// A row that is not an event.
    enum Note: Hashable {
        /// Events that were lost, in the program or on the way.
        case lost(UInt64)
        /// Events that were dropped while the picture was frozen, because the buffer was full.
        case dropped(UInt64)
        /// A snapshot of so many nodes, which came without their earlier events.
        case snapshot(Int)
    }

    /// A row: an event with its text, or a note.
    enum Row: Hashable {
        case event(ChainEvent, text: String?)
        case note(Note)
    }

    /// The rows of one batch of events.
    struct Batch {
        /// The number of its first row.
        var first: UInt64
        /// The notes, which are rows before the events.
        var notes: [Note]
        /// The time of the notes, in nanoseconds of the program's clock: the latest time of an earlier batch. In the
        /// first batch, it is the time of the first event or, without events, the time of the batch.
        var noteTime: UInt64
        var events: [ChainEvent]
        var texts: [String]
        var textByteCount: Int

        var rowCount: Int { notes.count + events.count }
        var end: UInt64 { first + UInt64(rowCount) }

        func text(of event: ChainEvent) -> String? {
            let index = Int(event.text) - 1
            return texts.indices.contains(index) ? texts[index] : nil
        }
    }

    private(set) var batches: [Batch] = []
    /// The index of the first batch that is kept; the batches before it were dropped.
    private(set) var head = 0
    /// The index of the first batch that still has its texts.
    private var textHead = 0
    private(set) var textByteCount = 0
    /// The total of lost events as of the latest batch.
    private var lostCount: UInt64 = 0
    /// The latest time of a batch; nil before the first batch.
    private var latestTime: UInt64?
    /// How many events were dropped while the picture was frozen, without a note of them so far.
    private var droppedCount: UInt64 = 0
    private var rowHighWater = 0
    /// Whether any row so far was a note.
    private(set) var hasNotes = false
    /// The number of the next row, which is also how many rows there were so far.
    private(set) var end: UInt64 = 0

    /// Returns the numbers of the latest kept rows, at most `limit` of them.
    func rows(limit: Int) -> Range<UInt64> {
        guard head < batches.count else { return end..<end }
        return max(batches[head].first, end - min(end, UInt64(limit)))..<end
    }

    /// Adds the rows of a batch, and drops what exceeds the limits.
    mutating func ingest(_ batch: EventBatch, in forest: borrowing ChainForest) {
        var notes: [Note] = []
        if droppedCount > 0 { notes.append(.dropped(droppedCount)) }
        droppedCount = 0
        if batch.loss.lostCount > lostCount {
            notes.append(.lost(batch.loss.lostCount - lostCount))
            lostCount = batch.loss.lostCount
        }
        if !batch.nodes.isEmpty { notes.append(.snapshot(batch.nodes.count)) }
        let noteTime = latestTime ?? batch.events.first?.time ?? batch.time
        latestTime = max(latestTime ?? 0, batch.time)
        guard !notes.isEmpty || !batch.events.isEmpty, !join(notes, isAlone: batch.events.isEmpty) else { return }
        var kept = Batch(
            first: end, notes: notes, noteTime: noteTime, events: batch.events, texts: batch.texts, textByteCount: 0)
        if kept.events.count > Self.limit {
            kept.first += UInt64(kept.events.count - Self.limit)
            kept.events = Array(kept.events.suffix(Self.limit))
        }
        if !notes.isEmpty { hasNotes = true }
        for text in kept.texts { kept.textByteCount += text.utf8.count }
        textByteCount += kept.textByteCount
        end = kept.end
        batches.append(kept)
        drop()
        rowHighWater = max(rowHighWater, Int(end - batches[head].first))
    }

    /// Adds to the count of events that were dropped while the picture was frozen; the next batch gets a note with the
    /// count.
    mutating func noteDropped(_ count: Int) { droppedCount += UInt64(count) }

    /// Adds a part of a snapshot to the row of the part before, so that a snapshot has one row. Returns whether the
    /// part was added.
    private mutating func join(_ notes: [Note], isAlone: Bool) -> Bool {
        guard isAlone, notes.count == 1, case .snapshot(let more) = notes[0], let last = batches.last,
            last.events.isEmpty, case .snapshot(let count)? = last.notes.last
        else { return false }
        batches[batches.count - 1].notes[last.notes.count - 1] = .snapshot(count + more)
        return true
    }

    /// Drops the oldest batches and texts beyond the limits.
    private mutating func drop() {
        while end - batches[head].end >= UInt64(Self.limit) {
            dropTexts(of: head)
            batches[head].events = []
            head += 1
        }
        while textByteCount > Self.textByteLimit, textHead < batches.count - 1 { dropTexts(of: textHead) }
        if head > 64, head * 2 > batches.count {
            // The kept batches get a new array, because removing elements would keep the capacity.
            batches = Array(batches[head...])
            (head, textHead) = (0, max(0, textHead - head))
        }
    }

    private mutating func dropTexts(of index: Int) {
        guard textHead <= index else { return }
        textByteCount -= batches[index].textByteCount
        batches[index].texts = []
        textHead = index + 1
    }

    // MARK: Reading

    /// Returns a row by its number; nil if it was dropped. O(log batches).
    func row(_ number: UInt64) -> Row? {
        guard let index = batchIndex(of: number) else { return nil }
        let batch = batches[index]
        let offset = Int(number - batch.first)
        guard offset >= batch.notes.count else { return .note(batch.notes[offset]) }
        let event = batch.events[offset - batch.notes.count]
        return .event(event, text: event.text == 0 ? nil : batch.text(of: event))
    }

    /// Calls `body` with each row's number, time (nanoseconds of the program's clock) and event (nil for notes).
    func forEach(
        in rows: Range<UInt64>, _ body: (_ number: UInt64, _ time: UInt64, _ event: ChainEvent?) -> Void
    ) {
        guard !rows.isEmpty, var index = batchIndex(of: rows.lowerBound) else { return }
        while index < batches.count, batches[index].first < rows.upperBound {
            let batch = batches[index]
            let start = Int(max(rows.lowerBound, batch.first) - batch.first)
            let stop = Int(min(rows.upperBound, batch.end) - batch.first)
            for offset in start..<stop {
                let event = offset < batch.notes.count ? nil : batch.events[offset - batch.notes.count]
                body(batch.first + UInt64(offset), event?.time ?? batch.noteTime, event)
            }
            index += 1
        }
    }

    private func batchIndex(of number: UInt64) -> Int? {
        guard number < end, head < batches.count, number >= batches[head].first else { return nil }
        var (low, high) = (head, batches.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if batches[middle].first <= number { low = middle } else { high = middle - 1 }
        }
        return number < batches[low].end ? low : nil
    }

    /// The number of kept rows: up to ``limit``, and the rest of the oldest batch, which is kept whole.
    var queueStatistics: QueueStatistics {
        let count = head < batches.count ? Int(end - batches[head].first) : 0
        return QueueStatistics(
            name: "rows of events", count: count, highWaterMark: rowHighWater, limit: 2 * Self.limit)
    }
}
