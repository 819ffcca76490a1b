/// A least-significant-digit radix sort of chains by group, rank and id, in slices; only over digits that differ.
///
/// Two tables of 24 bytes a chain; each pass reads one and writes the other: 10 ns a chain and pass.
struct RadixSorter {
    struct Item: BitwiseCopyable {
        var rank: UInt64
        var id: UInt64
        var group: UInt32 = 0
        var weight: UInt16
        /// 0 for a chain without a match.
        var matchWeight: UInt16 = 0

        var key: RootKey { RootKey(group: group, rank: rank, id: id) }
    }

    private enum Field { case id, rank, group }

    private struct Pass {
        var field: Field
        var shift: UInt64

        @inline(__always) func digit(of item: Item) -> Int {
            let number: UInt64 =
                switch field {
                case .rank: item.rank
                case .id: item.id
                case .group: UInt64(item.group)
                }
            return Int(number >> shift & UInt64(RadixSorter.digitCount - 1))
        }
    }

    /// The table that a pass reads, and the one that it writes.
    private var items: RadixSorterTable, sorted: RadixSorterTable
    /// The number of chains, and the most there may be.
    private(set) var count = 0
    let capacity: Int
    private var isInOrderOfID = true
    private var lastID: UInt64 = 0
    private var rankBits: (any: UInt64, all: UInt64) = (0, .max)
    private var idBits: UInt64 = 0
    /// The passes that are left, the next one last.
    private var passes: [Pass] = []
    private var isCounted = false
    private var position = 0
    /// By digit, the count of its items, and then the index of its next item.
    private var starts: [Int] = []

    private static let digitBits = 8
    private static let digitCount = 1 << 8
    // The cost of a chain, in nanoseconds, on a busy machine.
    private static let countCost = 5, scatterCost = 20

    /// Makes a sorter for at most `capacity` chains. Memory is committed as it is used.
    init(capacity: Int) {
        self.capacity = capacity
        (items, sorted) = (RadixSorterTable(capacity: capacity), RadixSorterTable(capacity: capacity))
    }

    /// The memory, to be freed in parts.
    var memory: [Any] { [items, sorted] }

    var isFull: Bool { count == capacity }

    /// Adds a chain; the sorter must not be full.
    @inline(__always)
    mutating func append(_ item: Item) {
        precondition(count < capacity, "a sorter that is full takes no more chains")
        makeUnique()
        items.start[count] = item
        count += 1
        if item.id < lastID { isInOrderOfID = false }
        lastID = item.id
        rankBits = (rankBits.any | item.rank, rankBits.all & item.rank)
        idBits |= item.id
    }

    private mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&items) { items = RadixSorterTable(copying: items, count: count) }
        if !isKnownUniquelyReferenced(&sorted) { sorted = RadixSorterTable(copying: sorted, count: count) }
    }

    /// Begins to sort; group numbers go up to `lastGroup`.
    mutating func begin(lastGroup: Int) {
        func add(_ field: Field, differing: UInt64) {
            for shift in stride(from: 0, to: 64, by: Self.digitBits)
            where differing >> UInt64(shift) & UInt64(Self.digitCount - 1) != 0 {
                passes.append(Pass(field: field, shift: UInt64(shift)))
            }
        }
        if !isInOrderOfID { add(.id, differing: idBits) }
        add(.rank, differing: rankBits.any & ~rankBits.all)
        if lastGroup > 0 { add(.group, differing: UInt64(lastGroup)) }
        passes.reverse()
        beginPass()
    }

    private mutating func beginPass() {
        (position, isCounted) = (0, false)
        starts = passes.isEmpty ? [] : Array(repeating: 0, count: Self.digitCount)
    }

    /// Sorts for `budget` nanoseconds; returns whether all chains are in order.
    mutating func step(_ budget: inout Int) -> Bool {
        makeUnique()
        while budget > 0, let pass = passes.last {
            let cost = isCounted ? Self.scatterCost : Self.countCost
            let end = min(count, position + budget / cost + 1)
            budget -= (end - position) * cost
            if isCounted { scatter(pass, upTo: end) } else { count(pass, upTo: end) }
            position = end
            if end == count { endRound() }
        }
        return passes.isEmpty
    }

    private mutating func count(_ pass: Pass, upTo end: Int) {
        let items = items.start
        starts.withUnsafeMutableBufferPointer { starts in
            for index in position..<end { starts[pass.digit(of: items[index])] += 1 }
        }
    }

    private mutating func scatter(_ pass: Pass, upTo end: Int) {
        let (items, sorted) = (items.start, sorted.start)
        starts.withUnsafeMutableBufferPointer { starts in
            for index in position..<end {
                let item = items[index]
                let digit = pass.digit(of: item)
                sorted[starts[digit]] = item
                starts[digit] += 1
            }
        }
    }

    private mutating func endRound() {
        position = 0
        guard !isCounted else {
            swap(&items, &sorted)
            passes.removeLast()
            return beginPass()
        }
        isCounted = true
        var sum = 0
        for digit in starts.indices {
            let number = starts[digit]
            starts[digit] = sum
            sum += number
        }
    }

    /// Passes items to `body`; they are in order once ``step(_:)`` returned true.
    func withItems(_ range: Range<Int>, _ body: (UnsafeBufferPointer<Item>) -> Void) {
        precondition(range.upperBound <= count, "a sorter has no more chains than were put in")
        withExtendedLifetime(items) {
            body(UnsafeBufferPointer(start: items.start + range.lowerBound, count: range.count))
        }
    }
}

/// One table of a ``RadixSorter``.
private final class RadixSorterTable {
    // What is at the pointer is changed only by the RadixSorter that holds this, after isKnownUniquelyReferenced() saw
    // that nothing else does.
    private let capacity: Int
    let start: UnsafeMutablePointer<RadixSorter.Item>

    init(capacity: Int) {
        self.capacity = capacity
        start = .allocate(capacity: capacity)
    }

    /// Items that a pass has not written yet are undefined, and are written before they are read.
    convenience init(copying other: RadixSorterTable, count: Int) {
        self.init(capacity: other.capacity)
        start.update(from: other.start, count: count)
    }

    deinit { start.deallocate() }
}
