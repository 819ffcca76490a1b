// SPDX-License-Identifier: MIT

import ChainModel

/// A number of rows while no filter hides nodes, and one while a filter does; at index 0 and 1.
typealias RowCounts = SIMD2<Int>

extension SIMD2<Int> {
    subscript(isFiltered: Bool) -> Int {
        get { self[isFiltered ? 1 : 0] }
        set { self[isFiltered ? 1 : 0] = newValue }
    }
}

/// Chains in the order of their keys, with the numbers of their rows. A chain is found by its key or by a row.
///
/// The lines are in chunks of at most 256, each with the sums of its rows. Adding, removing or changing a line takes
/// O(log chunks) and moves lines within a chunk; finding a row adds up the sums of the chunks before it.
struct ChainList {
    /// What lines are sorted by.
    struct Key: Comparable, BitwiseCopyable {
        var rank: UInt64
        var id: UInt64

        static func < (left: Key, right: Key) -> Bool {
            left.rank != right.rank ? left.rank < right.rank : left.id < right.id
        }
    }

    struct Line: BitwiseCopyable {
        let key: Key
        let slot: UInt32
        private var all: UInt32
        private var matches: UInt32

        init(key: Key, slot: UInt32, rows: RowCounts) {
            (self.key, self.slot) = (key, slot)
            (all, matches) = (UInt32(clamping: rows[0]), UInt32(clamping: rows[1]))
        }

        var rows: RowCounts {
            get { RowCounts(Int(all), Int(matches)) }
            set { (all, matches) = (UInt32(clamping: newValue[0]), UInt32(clamping: newValue[1])) }
        }
    }

    private struct Chunk {
        var lines: [Line]
        var rows: RowCounts
        /// The key of the first line.
        var first: Key
        /// Whether the lines still have the numbers of rows of an earlier filter, which are 0 by now.
        var hasOldMatches = false

        init(_ lines: some Sequence<Line>) {
            self.lines = Array(lines)
            rows = self.lines.reduce(into: RowCounts()) { $0 &+= $1.rows }
            first = self.lines[0].key
        }

        mutating func dropOldMatches() {
            guard hasOldMatches else { return }
            hasOldMatches = false
            for offset in lines.indices { lines[offset].rows[true] = 0 }
        }
    }

    private var chunks: [Chunk] = []
    /// The rows of all chains.
    private(set) var rows = RowCounts()

    private static let chunkLimit = 256

    // MARK: Changes

    /// Adds a line, which must not be in the list.
    mutating func insert(_ line: Line) {
        rows &+= line.rows
        let before = chunkIndex(of: line.key)
        var index = max(0, before)
        var offset = before < 0 ? 0 : offset(of: line.key, in: before)
        if chunks.isEmpty || chunks[index].lines.count == Self.chunkLimit {
            // A full chunk is left full if the line comes before or after all its lines, because new chains come at one
            // end.
            guard before >= 0, offset < Self.chunkLimit else { return chunks.insert(Chunk([line]), at: before + 1) }
            let half = Self.chunkLimit / 2
            chunks[index].dropOldMatches()
            chunks.insert(Chunk(chunks[index].lines[half...]), at: index + 1)
            chunks[index].lines.removeLast(half)
            chunks[index].rows &-= chunks[index + 1].rows
            if offset > half { (index, offset) = (index + 1, offset - half) }
        }
        chunks[index].dropOldMatches()
        chunks[index].lines.insert(line, at: offset)
        chunks[index].rows &+= line.rows
        if offset == 0 { chunks[index].first = line.key }
    }

    /// Removes and returns the line with a key; returns nil if there is none.
    @discardableResult
    mutating func remove(_ key: Key) -> Line? {
        guard let (index, offset) = find(key) else { return nil }
        chunks[index].dropOldMatches()
        let line = chunks[index].lines.remove(at: offset)
        rows &-= line.rows
        chunks[index].rows &-= line.rows
        guard let first = chunks[index].lines.first else {
            chunks.remove(at: index)
            return line
        }
        chunks[index].first = first.key
        // Joined with the next chunk if both have few lines.
        let count = chunks[index].lines.count
        if count < Self.chunkLimit / 4, index + 1 < chunks.count,
            count + chunks[index + 1].lines.count <= Self.chunkLimit / 2
        {
            var next = chunks.remove(at: index + 1)
            next.dropOldMatches()
            chunks[index].lines += next.lines
            chunks[index].rows &+= next.rows
        }
        return line
    }

    /// Sets a number of rows of the line with a key, if there is one.
    mutating func setRows(_ count: Int, isFiltered: Bool, of key: Key) {
        guard let (index, offset) = find(key) else { return }
        chunks[index].dropOldMatches()
        let change = count - chunks[index].lines[offset].rows[isFiltered]
        guard change != 0 else { return }
        chunks[index].lines[offset].rows[isFiltered] += change
        chunks[index].rows[isFiltered] += change
        rows[isFiltered] += change
    }

    /// Sets the numbers of rows while a filter hides nodes to 0. O(chunks): the lines of a chunk are updated with its
    /// next change.
    mutating func forgetMatches() {
        for index in chunks.indices where chunks[index].rows[true] > 0 {
            chunks[index].hasOldMatches = true
            chunks[index].rows[true] = 0
        }
        rows[true] = 0
    }

    // MARK: Look-up

    /// Returns the numbers of rows of the line with a key; nil if there is none.
    func rows(of key: Key) -> RowCounts? { find(key).map { line($0.index, $0.offset).rows } }

    /// Returns how many rows are before the line with a key; nil if there is none.
    func row(of key: Key, isFiltered: Bool) -> Int? {
        guard let (index, offset) = find(key) else { return nil }
        // By index, because iteration would retain the chunks.
        let row = (0..<index).reduce(0) { $0 + chunks[$1].rows[isFiltered] }
        return (0..<offset).reduce(row) { $0 + line(index, $1).rows[isFiltered] }
    }

    /// Returns the line with a row, and the row's number in it; nil past the last row.
    func select(row: Int, isFiltered: Bool) -> (line: Line, offset: Int)? {
        guard row >= 0, row < rows[isFiltered] else { return nil }
        var (rest, index, offset) = (row, 0, 0)
        while rest >= chunks[index].rows[isFiltered] {
            rest -= chunks[index].rows[isFiltered]
            index += 1
        }
        while rest >= line(index, offset).rows[isFiltered] {
            rest -= line(index, offset).rows[isFiltered]
            offset += 1
        }
        return (line(index, offset), rest)
    }

    /// Returns the nearest line after a key (`forward`), or before it; without a key, the first or the last line. Passes
    /// over lines that have no rows while a filter hides nodes, if `isFiltered`.
    func nearest(to key: Key?, forward: Bool, isFiltered: Bool) -> Line? {
        let start = key.map { max(0, chunkIndex(of: $0)) } ?? (forward ? 0 : chunks.count - 1)
        for index in stride(from: start, to: forward ? chunks.count : -1, by: forward ? 1 : -1)
        where index < chunks.count && (!isFiltered || chunks[index].rows[true] > 0) {
            func isWanted(_ line: Line) -> Bool {
                (!isFiltered || line.rows[true] > 0)
                    && key.map { forward ? $0 < line.key : line.key < $0 } ?? true
            }
            let lines = chunks[index].lines
            if let line = forward ? lines.first(where: isWanted) : lines.last(where: isWanted) { return line }
        }
        return nil
    }

    private func line(_ index: Int, _ offset: Int) -> Line {
        var line = chunks[index].lines[offset]
        if chunks[index].hasOldMatches { line.rows[true] = 0 }
        return line
    }

    private func find(_ key: Key) -> (index: Int, offset: Int)? {
        let index = chunkIndex(of: key)
        guard index >= 0 else { return nil }
        let offset = offset(of: key, in: index)
        guard offset < chunks[index].lines.count, chunks[index].lines[offset].key == key else { return nil }
        return (index, offset)
    }

    /// Returns the chunk that a key belongs to; -1 if it is before all keys.
    private func chunkIndex(of key: Key) -> Int {
        var (low, high) = (0, chunks.count)
        while low < high {
            let middle = (low + high) / 2
            if key < chunks[middle].first { high = middle } else { low = middle + 1 }
        }
        return low - 1
    }

    /// Returns the offset of the first line of a chunk that is not before a key.
    private func offset(of key: Key, in index: Int) -> Int {
        chunks[index].lines.withUnsafeBufferPointer { lines in
            var (low, high) = (0, lines.count)
            while low < high {
                let middle = (low + high) / 2
                if lines[middle].key < key { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }
}
