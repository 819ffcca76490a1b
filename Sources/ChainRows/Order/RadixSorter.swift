/// Sorts chains by group, rank and id, in slices: by radix, least digits first, over those digits in which they differ.
///
/// Two tables of 24 bytes a chain, of which each pass reads one and writes the other: some 10 ns a chain and pass.
struct RadixSorter {
    struct Item: BitwiseCopyable {
        var rank: UInt64
        var id: UInt64
        var group: UInt32 = 0
        var weight: UInt16
        /// 0 for who does not match.
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

    /// What is read, and what the pass writes.
    private var items: RadixSorterTable, sorted: RadixSorterTable
    /// How many there are, and may be.
    private(set) var count = 0
    let capacity: Int
    private var isInOrderOfID = true
    private var lastID: UInt64 = 0
    private var rankBits: (any: UInt64, all: UInt64) = (0, .max)
    private var idBits: UInt64 = 0
    /// What is left of them, the next one last.
    private var passes: [Pass] = []
    private var isCounted = false
    private var position = 0
    /// By digit, how many there are, and then where the next one goes.
    private var starts: [Int] = []

    private static let digitBits = 8
    private static let digitCount = 1 << 8
    // What one chain takes, in nanoseconds, about, where others use the processor, too.
    private static let countCost = 5, scatterCost = 20

    /// A sorter of so many chains at most. The memory comes as it is used.
    init(capacity: Int) {
        self.capacity = capacity
        (items, sorted) = (RadixSorterTable(capacity: capacity), RadixSorterTable(capacity: capacity))
    }

    /// The memory, to be given back part by part.
    var memory: [Any] { [items, sorted] }

    var isFull: Bool { count == capacity }

    /// Adds a chain; there must be room for it.
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

    /// All are there, in groups of numbers up to `lastGroup`.
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

    /// Goes on for so many nanoseconds, about; true once all are in order.
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
            for place in position..<end { starts[pass.digit(of: items[place])] += 1 }
        }
    }

    private mutating func scatter(_ pass: Pass, upTo end: Int) {
        let (items, sorted) = (items.start, sorted.start)
        starts.withUnsafeMutableBufferPointer { starts in
            for place in position..<end {
                let item = items[place]
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

    /// What it holds, in order once ``step(_:)`` said so.
    func withItems(_ range: Range<Int>, _ body: (UnsafeBufferPointer<Item>) -> Void) {
        precondition(range.upperBound <= count, "a sorter has no more chains than were put in")
        withExtendedLifetime(items) {
            body(UnsafeBufferPointer(start: items.start + range.lowerBound, count: range.count))
        }
    }
}

/// Half of the memory of a ``RadixSorter``.
private final class RadixSorterTable {
    // What is at the pointer is changed only by the RadixSorter that holds this, after isKnownUniquelyReferenced() saw
    // that nobody else does.
    private let capacity: Int
    let start: UnsafeMutablePointer<RadixSorter.Item>

    init(capacity: Int) {
        self.capacity = capacity
        start = .allocate(capacity: capacity)
    }

    /// Of what a pass has not written yet that is nothing in particular, which is written before it is read.
    convenience init(copying other: RadixSorterTable, count: Int) {
        self.init(capacity: other.capacity)
        start.update(from: other.start, count: count)
    }

    deinit { start.deallocate() }
}
