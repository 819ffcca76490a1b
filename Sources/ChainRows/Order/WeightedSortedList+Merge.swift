// The order of the rows. In an order by duration, growing durations (which have not ended) are ranked by their start,
// and known durations by their length. Time does not change either of these two orders. The order of the rows is a
// merge of both as of a moment, so that nothing moves in memory as time passes.
extension WeightedSortedList {
    /// The way in which growing durations are merged with known durations.
    struct Merge: Hashable {
        /// The moment at which growing durations are compared, in nanoseconds of the program's clock.
        let moment: UInt64
        /// Whether the longest duration comes first.
        let isDescending: Bool

        init(moment: UInt64, isDescending: Bool) {
            // Clamped as ranks are, because a clock before its zero reads as a moment after all others.
            self.moment = min(moment, Rank.payloadMask)
            self.isDescending = isDescending
        }

        /// Returns where an entry of one of the first two sections of ``Rank`` belongs in the other section. There, the
        /// entries from the result on come after `entry`.
        func counterpart(of entry: Entry) -> Entry {
            let payload = Rank.payload(entry.rank)
            let mask = Rank.payloadMask
            if Rank.section(entry.rank) == 0 {
                let start = isDescending ? payload : ~payload & mask
                let age = moment > start ? moment - start : 0
                return Entry(rank: Rank.made(section: 1, age, flips: isDescending), id: 0)
            }
            // A growing duration comes before a known duration of the same length.
            let length = isDescending ? ~payload & mask : payload
            let end = Entry(rank: 1 << Rank.payloadBits, id: 0)
            if isDescending {
                if length == 0 { return end }
                return Entry(rank: length > moment ? 0 : moment - length + 1, id: 0)
            }
            if length >= moment { return end }
            return Entry(rank: (~(moment - length) & mask) + 1, id: 0)
        }
    }

    private static let secondSection = Entry(rank: 1 << Rank.payloadBits, id: 0)
    private static let lastSection = Entry(rank: 2 << Rank.payloadBits, id: 0)

    /// The first chain in the order of rows.
    var first: RootKey? {
        guard merge != nil else { return lowest.map(key) }
        return earlier(in: (lowest, 0), (entry(at: lowerBound(Self.secondSection)), 1))
            ?? entry(at: lowerBound(Self.lastSection)).map(key)
    }

    /// The last chain in the order of rows.
    var last: RootKey? {
        guard merge != nil, let highest, highest < Self.lastSection else { return highest.map(key) }
        return lastMerged(before: (Self.secondSection, Self.lastSection))
    }

    /// Returns the chain that holds a row, and the row within the chain; nil outside `0 ..< rowCount`.
    func select(row: Int) -> (key: RootKey, offset: Int)? {
        guard let merge, row >= 0, row < rows(before: lowerBound(Self.lastSection)) else {
            return cursor(ofRow: row).map { (key(entry(at: $0.cursor)!), $0.offset) }
        }
        let border = lowerBound(Self.secondSection)
        let growingRows = rows(before: border)
        /// Returns the number of rows before an entry of the first section, in the merged order.
        func start(_ entry: Entry) -> Int {
            rows(before: lowerBound(entry)) + rows(before: lowerBound(merge.counterpart(of: entry))) - growingRows
        }
        // Find the last entry of the first section that starts at or before the row: first its chunk, then the entry.
        var low = 0
        var high = heads(before: Self.secondSection)
        while low < high {
            let middle = (low + high) / 2
            if start(head(middle)) <= row { low = middle + 1 } else { high = middle }
        }
        var rowsBefore = 0
        if low > 0 {
            let entries = entries(low - 1)
            var (from, to) = (0, entries.count)
            while from < to {
                let middle = (from + to) / 2
                if entries[middle] < Self.secondSection, start(entries[middle]) <= row {
                    from = middle + 1
                } else {
                    to = middle
                }
            }
            let found = Cursor(chunk: low - 1, offset: from - 1)
            let begin = start(entries[from - 1])
            let weight = weight(at: found)
            if row < begin + weight { return (key(entries[from - 1]), row - begin) }
            rowsBefore = rows(before: found) + weight
        }
        return cursor(ofRow: growingRows + row - rowsBefore).map { (key(entry(at: $0.cursor)!), $0.offset) }
    }

    /// Returns the first row of a chain; nil if it is not in the list.
    func row(of key: RootKey) -> Int? {
        let entry = Entry(rank: key.rank, id: key.id)
        let cursor = lowerBound(entry)
        guard self.entry(at: cursor) == entry else { return nil }
        let rows = rows(before: cursor)
        guard let merge, entry < Self.lastSection else { return rows }
        let other = self.rows(before: lowerBound(merge.counterpart(of: entry)))
        return rows + other - self.rows(before: lowerBound(Self.secondSection))
    }

    /// Returns the nearest chain after a key, which need not be in the list.
    func key(after key: RootKey) -> RootKey? {
        let entry = Entry(rank: key.rank, id: key.id)
        let next = self.entry(at: lowerBound(Entry(rank: entry.rank, id: entry.id &+ 1)))
        guard let merge, entry < Self.lastSection else { return next.map(self.key) }
        let section = Int(Rank.section(entry.rank))
        let other = self.entry(at: lowerBound(merge.counterpart(of: entry)))
        let pair = section == 0 ? (next, other) : (other, next)
        return earlier(in: (pair.0, 0), (pair.1, 1)) ?? self.entry(at: lowerBound(Self.lastSection)).map(self.key)
    }

    /// Returns the nearest chain before a key, which need not be in the list.
    func key(before key: RootKey) -> RootKey? {
        let entry = Entry(rank: key.rank, id: key.id)
        guard let merge else { return self.entry(before: lowerBound(entry)).map(self.key) }
        if entry >= Self.lastSection {
            if let previous = self.entry(before: lowerBound(entry)), previous >= Self.lastSection {
                return self.key(previous)
            }
            return lastMerged(before: (Self.secondSection, Self.lastSection))
        }
        let other = merge.counterpart(of: entry)
        return lastMerged(before: Rank.section(entry.rank) == 0 ? (entry, other) : (other, entry))
    }

    /// Returns how many chunks begin before an entry.
    private func heads(before entry: Entry) -> Int {
        var (low, high) = (0, chunkCount)
        while low < high {
            let middle = (low + high) / 2
            if head(middle) < entry { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the key of the entry with the earlier row. An entry outside the section given with it is ignored.
    private func earlier(in first: (Entry?, UInt64), _ second: (Entry?, UInt64)) -> RootKey? {
        let left = first.0.flatMap { Rank.section($0.rank) == first.1 ? $0 : nil }
        let right = second.0.flatMap { Rank.section($0.rank) == second.1 ? $0 : nil }
        guard let left, let right, let merge else { return (left ?? right).map(key) }
        return key(right < merge.counterpart(of: left) ? right : left)
    }

    /// Returns the chain with the last row, of the chains before a limit in each of the first two sections.
    private func lastMerged(before limits: (Entry, Entry)) -> RootKey? {
        let left = entry(before: lowerBound(limits.0)).flatMap { Rank.section($0.rank) == 0 ? $0 : nil }
        let right = entry(before: lowerBound(limits.1)).flatMap { Rank.section($0.rank) == 1 ? $0 : nil }
        guard let left, let right, let merge else { return (left ?? right).map(key) }
        return key(right < merge.counterpart(of: left) ? left : right)
    }
}
