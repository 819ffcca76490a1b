import ChainEvents
import ChainInsight
import ChainModel

/// The last events of one program, in order of arrival.
///
/// Batches are kept whole and by reference: hearing one costs an append, however many events are in it, and nothing else
/// is done for a view that is closed. The oldest batches go when the rest still has ``limit`` rows.
struct EventsInsight {
    /// Rows that are shown at most: events, and notes in between.
    static let limit = 50_000
    /// Bytes of texts that are kept at most, but for those of the last batch.
    static let textByteLimit = 8 << 20

    /// What is no event and has a row of its own.
    enum Note: Hashable {
        /// Events that were lost, in the program or on the way.
        case lost(UInt64)
        /// Events that came while the picture was frozen, and were more than wait then.
        case dropped(UInt64)
        /// Nodes of a snapshot, without their past.
        case snapshot(Int)
    }

    enum Row: Hashable {
        case event(ChainEvent, text: String?)
        case note(Note)
    }

    struct Batch {
        /// The number of its first row.
        var first: UInt64
        /// Rows before the events, at the time of the previous batch.
        var notes: [Note]
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
    /// The first of `batches` that is kept, and the first that still has its texts.
    private(set) var head = 0
    private var textHead = 0
    private(set) var textByteCount = 0
    private var lostCount: UInt64 = 0
    private var latestTime: UInt64?
    private var droppedCount: UInt64 = 0
    private var rowHighWater = 0
    /// The number of the row that comes next: how many there ever were.
    private(set) var end: UInt64 = 0

    /// Rows by number that are there to be shown, at most `limit`.
    func rows(limit: Int) -> Range<UInt64> {
        guard head < batches.count else { return end..<end }
        return max(batches[head].first, end - min(end, UInt64(limit)))..<end
    }

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
        for text in kept.texts { kept.textByteCount += text.utf8.count }
        textByteCount += kept.textByteCount
        end = kept.end
        batches.append(kept)
        drop()
        rowHighWater = max(rowHighWater, Int(end - batches[head].first))
    }

    /// More events came while the picture was frozen than wait then.
    mutating func noteDropped(_ count: Int) { droppedCount += UInt64(count) }

    /// A snapshot in several parts has one row.
    private mutating func join(_ notes: [Note], isAlone: Bool) -> Bool {
        guard isAlone, notes.count == 1, case .snapshot(let more) = notes[0], let last = batches.last,
            last.events.isEmpty, case .snapshot(let count)? = last.notes.last
        else { return false }
        batches[batches.count - 1].notes[last.notes.count - 1] = .snapshot(count + more)
        return true
    }

    private mutating func drop() {
        while end - batches[head].end >= UInt64(Self.limit) {
            dropTexts(of: head)
            batches[head].events = []
            head += 1
        }
        while textByteCount > Self.textByteLimit, textHead < batches.count - 1 { dropTexts(of: textHead) }
        if head > 64, head * 2 > batches.count {
            // A new array: removing from this one would keep its memory.
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

    // MARK: Asking

    /// A row by its number; nil where it is gone. O(log batches).
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

    /// Rows that are kept: up to ``limit``, and the rest of the batch that the oldest of them came with.
    var queueStatistics: QueueStatistics {
        let count = head < batches.count ? Int(end - batches[head].first) : 0
        return QueueStatistics(
            name: "rows of events", count: count, highWaterMark: rowHighWater, limit: 2 * Self.limit)
    }
}
