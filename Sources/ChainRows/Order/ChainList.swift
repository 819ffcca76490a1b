// SPDX-License-Identifier: MIT

import ChainModel

/// Chains in the order of their keys, with the numbers of their rows. A chain is found by its key or by a row.
///
/// The lines are in chunks of at most 256, each with the sum of its rows. Adding, removing or changing a line takes
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
        var key: Key
        var slot: UInt32
        var rows: UInt32
    }

    private struct Chunk {
        var lines: [Line]
        var rows: Int
        /// The key of the first line.
        var first: Key
    }

    /// The place of a line.
    struct Place {
        fileprivate var chunk: Int
        fileprivate var offset: Int
    }

    private var chunks: [Chunk] = []
    /// How many chains there are.
    private(set) var count = 0
    /// The rows of all chains.
    private(set) var rowCount = 0

    private static let chunkLimit = 256

    // MARK: Changes

    /// Adds a line, which must not be in the list.
    mutating func insert(_ line: Line) {
        count += 1
        rowCount += Int(line.rows)
        var index = chunkIndex(of: line.key)
        guard index >= 0 else { return insertBefore(line) }
        var offset = offset(of: line.key, in: index)
        if chunks[index].lines.count == Self.chunkLimit {
            // A full chunk is left full if the line comes after its last one, because new chains come at one end.
            guard offset < Self.chunkLimit else {
                chunks.insert(Chunk(lines: [line], rows: Int(line.rows), first: line.key), at: index + 1)
                return
            }
            split(index)
            if offset > Self.chunkLimit / 2 { (index, offset) = (index + 1, offset - Self.chunkLimit / 2) }
        }
        chunks[index].lines.insert(line, at: offset)
        chunks[index].rows += Int(line.rows)
        if offset == 0 { chunks[index].first = line.key }
    }

    /// Adds a line before all others.
    private mutating func insertBefore(_ line: Line) {
        guard let first = chunks.first, first.lines.count < Self.chunkLimit else {
            return chunks.insert(Chunk(lines: [line], rows: Int(line.rows), first: line.key), at: 0)
        }
        chunks[0].lines.insert(line, at: 0)
        chunks[0].rows += Int(line.rows)
        chunks[0].first = line.key
    }

    private mutating func split(_ index: Int) {
        let tail = Array(chunks[index].lines[(Self.chunkLimit / 2)...])
        let rows = tail.reduce(0) { $0 + Int($1.rows) }
        chunks[index].lines.removeLast(tail.count)
        chunks[index].rows -= rows
        chunks.insert(Chunk(lines: tail, rows: rows, first: tail[0].key), at: index + 1)
    }

    /// Removes the line with a key; returns false if there is none.
    @discardableResult
    mutating func remove(_ key: Key) -> Bool {
        guard let place = find(key) else { return false }
        let index = place.chunk
        let line = chunks[index].lines.remove(at: place.offset)
        count -= 1
        rowCount -= Int(line.rows)
        chunks[index].rows -= Int(line.rows)
        guard let first = chunks[index].lines.first else {
            chunks.remove(at: index)
            return true
        }
        chunks[index].first = first.key
        if chunks[index].lines.count < Self.chunkLimit / 4 { join(index) }
        return true
    }

    /// Joins a chunk with the next one if both have few lines.
    private mutating func join(_ index: Int) {
        guard index + 1 < chunks.count,
            chunks[index].lines.count + chunks[index + 1].lines.count <= Self.chunkLimit / 2
        else { return }
        let next = chunks.remove(at: index + 1)
        chunks[index].lines += next.lines
        chunks[index].rows += next.rows
    }

    /// Sets the number of rows of the line with a key; returns false if there is none.
    @discardableResult
    mutating func setRows(_ rows: Int, of key: Key) -> Bool {
        guard let place = find(key) else { return false }
        let change = rows - Int(chunks[place.chunk].lines[place.offset].rows)
        chunks[place.chunk].lines[place.offset].rows = UInt32(clamping: rows)
        chunks[place.chunk].rows += change
        rowCount += change
        return true
    }

    // MARK: Look-up

    subscript(place: Place) -> Line { chunks[place.chunk].lines[place.offset] }

    /// Returns the place of the line with a key; nil if there is none.
    func find(_ key: Key) -> Place? {
        let index = chunkIndex(of: key)
        guard index >= 0 else { return nil }
        let offset = offset(of: key, in: index)
        guard offset < chunks[index].lines.count, chunks[index].lines[offset].key == key else { return nil }
        return Place(chunk: index, offset: offset)
    }

    /// Returns the number of rows of the line with a key; nil if there is none.
    func rows(of key: Key) -> Int? { find(key).map { Int(self[$0].rows) } }

    /// Returns how many rows are before the line with a key; nil if there is none.
    func row(of key: Key) -> Int? {
        guard let place = find(key) else { return nil }
        var row = 0
        for index in 0..<place.chunk { row += chunks[index].rows }
        for line in chunks[place.chunk].lines[..<place.offset] { row += Int(line.rows) }
        return row
    }

    /// Returns the place of the line with a row, and the row's number in it; nil past the last row.
    func select(row: Int) -> (place: Place, offset: Int)? {
        guard row >= 0, row < rowCount else { return nil }
        var (rest, index) = (row, 0)
        while rest >= chunks[index].rows {
            rest -= chunks[index].rows
            index += 1
        }
        var offset = 0
        while rest >= Int(chunks[index].lines[offset].rows) {
            rest -= Int(chunks[index].lines[offset].rows)
            offset += 1
        }
        return (Place(chunk: index, offset: offset), rest)
    }

    var first: Place? { chunks.isEmpty ? nil : Place(chunk: 0, offset: 0) }
    var last: Place? { chunks.last.map { Place(chunk: chunks.count - 1, offset: $0.lines.count - 1) } }

    /// Returns the place after another one; nil at the end. Chunks without rows are passed over.
    func next(after place: Place) -> Place? {
        if place.offset + 1 < chunks[place.chunk].lines.count {
            return Place(chunk: place.chunk, offset: place.offset + 1)
        }
        var index = place.chunk + 1
        while index < chunks.count, chunks[index].rows == 0 { index += 1 }
        return index < chunks.count ? Place(chunk: index, offset: 0) : nil
    }

    /// Returns the first place with a key that is not before a key; nil if all keys are before it.
    func lowerBound(_ key: Key) -> Place? {
        guard !chunks.isEmpty else { return nil }
        let index = max(0, chunkIndex(of: key))
        let offset = offset(of: key, in: index)
        if offset < chunks[index].lines.count { return Place(chunk: index, offset: offset) }
        return index + 1 < chunks.count ? Place(chunk: index + 1, offset: 0) : nil
    }

    /// Returns the last place with a key before a key; nil if there is none.
    func last(before key: Key) -> Place? {
        guard let bound = lowerBound(key) else { return last }
        if bound.offset > 0 { return Place(chunk: bound.chunk, offset: bound.offset - 1) }
        guard bound.chunk > 0 else { return nil }
        return Place(chunk: bound.chunk - 1, offset: chunks[bound.chunk - 1].lines.count - 1)
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
