/// Where a chain stands among the chains: by section, then by rank, then by its root's id.
struct RootKey: Comparable, Hashable {
    /// Live chains first, then those that have come to rest.
    enum Section: UInt8 { case live, settled }

    var section: Section
    var rank: Int64
    var id: UInt64

    static func < (left: RootKey, right: RootKey) -> Bool {
        if left.section != right.section { return left.section.rawValue < right.section.rawValue }
        if left.rank != right.rank { return left.rank < right.rank }
        return left.id < right.id
    }
}

/// A sorted list of chains, each with a weight (the rows that it takes), that finds a chain by row and a row by chain.
///
/// Chunks of at most 256 chains, each with the sum of its weights beside it in one array: a look-up is a binary search
/// and one pass over the sums (some microseconds at a million chains), a change is a move within one chunk.
struct RootList {
    private struct Chunk {
        var keys: [RootKey]
        var weights: [Int]
    }

    private static let chunkLimit = 256

    private var chunks: [Chunk] = []
    /// The weights of each chunk, summed; beside the chunks so that adding them up is one pass over plain numbers.
    private var sums: [Int] = []
    /// The number of chains.
    private(set) var count = 0
    /// The number of rows: the sum of all weights.
    private(set) var rowCount = 0

    /// Adds a chain; the key must not be in the list.
    mutating func insert(_ key: RootKey, weight: Int) {
        count += 1
        rowCount += weight
        guard !chunks.isEmpty else {
            chunks.append(Chunk(keys: [key], weights: [weight]))
            sums.append(weight)
            return
        }
        let chunk = chunkIndex(of: key)
        let place = lowerBound(of: key, in: chunk)
        chunks[chunk].keys.insert(key, at: place)
        chunks[chunk].weights.insert(weight, at: place)
        sums[chunk] += weight
        if chunks[chunk].keys.count > Self.chunkLimit { split(chunk) }
    }

    /// Takes a chain out; false if it is not in the list.
    @discardableResult
    mutating func remove(_ key: RootKey) -> Bool {
        guard let (chunk, place) = find(key) else { return false }
        let weight = chunks[chunk].weights.remove(at: place)
        chunks[chunk].keys.remove(at: place)
        sums[chunk] -= weight
        count -= 1
        rowCount -= weight
        if chunks[chunk].keys.isEmpty {
            chunks.remove(at: chunk)
            sums.remove(at: chunk)
        }
        return true
    }

    /// Gives a chain another number of rows; false if it is not in the list.
    @discardableResult
    mutating func setWeight(_ weight: Int, of key: RootKey) -> Bool {
        guard let (chunk, place) = find(key) else { return false }
        let change = weight - chunks[chunk].weights[place]
        guard change != 0 else { return true }
        chunks[chunk].weights[place] = weight
        sums[chunk] += change
        rowCount += change
        return true
    }

    /// The chain that holds a row, and the row within it; nil outside `0 ..< rowCount`.
    func select(row: Int) -> (key: RootKey, offset: Int)? {
        guard row >= 0, row < rowCount else { return nil }
        var rest = row
        for chunk in sums.indices {
            if rest >= sums[chunk] {
                rest -= sums[chunk]
                continue
            }
            for place in chunks[chunk].weights.indices {
                let weight = chunks[chunk].weights[place]
                if rest < weight { return (chunks[chunk].keys[place], rest) }
                rest -= weight
            }
        }
        return nil
    }

    /// The first row of a chain, or nil if it is not in the list.
    func row(of key: RootKey) -> Int? {
        guard let (chunk, place) = find(key) else { return nil }
        var row = 0
        for index in 0..<chunk { row += sums[index] }
        for index in 0..<place { row += chunks[chunk].weights[index] }
        return row
    }

    /// The rows of a chain, or nil if it is not in the list.
    func weight(of key: RootKey) -> Int? {
        find(key).map { chunks[$0.chunk].weights[$0.place] }
    }

    func contains(_ key: RootKey) -> Bool { find(key) != nil }

    var first: RootKey? { chunks.first?.keys.first }
    var last: RootKey? { chunks.last?.keys.last }

    /// The nearest chain that stands after a key, which need not be in the list.
    func key(after key: RootKey) -> RootKey? {
        guard !chunks.isEmpty else { return nil }
        let chunk = chunkIndex(of: key)
        var place = lowerBound(of: key, in: chunk)
        if place < chunks[chunk].keys.count, chunks[chunk].keys[place] == key { place += 1 }
        if place < chunks[chunk].keys.count { return chunks[chunk].keys[place] }
        return chunk + 1 < chunks.count ? chunks[chunk + 1].keys.first : nil
    }

    /// The nearest chain that stands before a key, which need not be in the list.
    func key(before key: RootKey) -> RootKey? {
        guard !chunks.isEmpty else { return nil }
        let chunk = chunkIndex(of: key)
        let place = lowerBound(of: key, in: chunk)
        if place > 0 { return chunks[chunk].keys[place - 1] }
        return chunk > 0 ? chunks[chunk - 1].keys.last : nil
    }

    /// The last chunk that begins at or before the key, else the first.
    private func chunkIndex(of key: RootKey) -> Int {
        var low = 0
        var high = chunks.count
        while low < high {
            let middle = (low + high) / 2
            if key < chunks[middle].keys[0] { high = middle } else { low = middle + 1 }
        }
        return max(0, low - 1)
    }

    private func lowerBound(of key: RootKey, in chunk: Int) -> Int {
        var low = 0
        var high = chunks[chunk].keys.count
        while low < high {
            let middle = (low + high) / 2
            if chunks[chunk].keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func find(_ key: RootKey) -> (chunk: Int, place: Int)? {
        guard !chunks.isEmpty else { return nil }
        let chunk = chunkIndex(of: key)
        let place = lowerBound(of: key, in: chunk)
        return place < chunks[chunk].keys.count && chunks[chunk].keys[place] == key ? (chunk, place) : nil
    }

    private mutating func split(_ chunk: Int) {
        let half = chunks[chunk].keys.count / 2
        let tail = Chunk(keys: Array(chunks[chunk].keys[half...]), weights: Array(chunks[chunk].weights[half...]))
        chunks[chunk].keys.removeSubrange(half...)
        chunks[chunk].weights.removeSubrange(half...)
        let moved = tail.weights.reduce(0, +)
        chunks.insert(tail, at: chunk + 1)
        sums.insert(moved, at: chunk + 1)
        sums[chunk] -= moved
    }
}
