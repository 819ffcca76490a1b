/// Nodes that can be evicted, first settled first. Entries are hints, looked at again when their turn comes.
struct EvictionQueue: Sendable {
    struct Entry: Sendable {
        var slot: UInt32
        var id: UInt32
        /// The forest's time when the node, or the last of its chain, settled.
        var time: UInt64
    }

    private var entries: [Entry] = []
    private var head = 0
    private(set) var highWaterMark = 0

    var count: Int { entries.count - head }
    var first: Entry? { head < entries.count ? entries[head] : nil }

    /// The first few.
    func next(_ limit: Int) -> ArraySlice<Entry> { entries[head...].prefix(limit) }

    mutating func append(_ entry: Entry) {
        entries.append(entry)
        highWaterMark = max(highWaterMark, count)
    }

    /// Keeps the entries that are still valid.
    mutating func removeAll(where isStale: (Entry) -> Bool) {
        entries = entries[head...].filter { !isStale($0) }
        head = 0
    }

    mutating func removeFirst() {
        head += 1
        guard head >= 1024, head * 2 >= entries.count else { return }
        // A new array: removing from this one would keep its memory.
        entries = Array(entries[head...])
        head = 0
    }
}
