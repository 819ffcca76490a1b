/// The words of events, read from their columns in blocks. A plane of zeroes costs nothing, and most planes are: numbers are
/// small. Reading number by number, every plane of each, takes three times as many instructions.
struct EventBlocks {
    /// Events of a block at most.
    private static let size = 64
    /// The words of 64 bits of an event.
    private static let wordCount = PayloadColumns.eventSize / 8
    static let capacity = size * wordCount

    private struct Planes {
        /// Of words of 8 bytes.
        let column: Column
        /// A bit for each plane that is not all zeroes.
        var filled: UInt8 = 0
    }

    private let columns: [Planes]
    private let words: UnsafeMutablePointer<UInt64>

    /// - Parameter words: room for ``capacity`` words, which this fills.
    init(_ set: ColumnSet, in words: UnsafeMutablePointer<UInt64>) {
        self.words = words
        words.initialize(repeating: 0, count: Self.capacity)
        // The columns of a word's parts stand behind each other, so they are the planes of the word.
        columns = [set.time, set.node, set.other, set.site, set.thread].map { column in
            var planes = Planes(column: column)
            for plane in 0..<8 where !Self.isZero(column.plane(plane)) { planes.filled |= 1 << UInt8(plane) }
            return planes
        }
    }

    /// Calls `body` with each block of these events: with the number of its events, and their words.
    @inline(__always)
    func forEach(_ events: Range<Int>, _ body: (Int, Words) -> Void) {
        for first in stride(from: events.lowerBound, to: events.upperBound, by: Self.size) {
            let count = min(Self.size, events.upperBound - first)
            for index in 0..<columns.count {
                Self.load(columns[index], first, count, into: words + index * Self.size)
            }
            body(count, Words(words: words))
        }
    }

    /// The words of a block's events.
    struct Words {
        fileprivate let words: UnsafeMutablePointer<UInt64>

        @inline(__always)
        private func word(_ number: Int, _ index: Int) -> UInt64 { words[number * size + index] }

        @inline(__always) func time(_ index: Int) -> UInt64 { word(0, index) }
        @inline(__always) func node(_ index: Int) -> UInt64 { word(1, index) }
        @inline(__always) func other(_ index: Int) -> UInt64 { word(2, index) }
        @inline(__always) func siteAndText(_ index: Int) -> UInt64 { word(3, index) }
        /// The thread, and what is behind it.
        @inline(__always) func rest(_ index: Int) -> UInt64 { word(4, index) }
    }

    /// Without branches, for the vectorizer.
    private static func isZero(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var all: UInt8 = 0
        for byte in bytes { all |= byte }
        return all == 0
    }

    private static func load(_ planes: Planes, _ first: Int, _ count: Int, into words: UnsafeMutablePointer<UInt64>) {
        var rest = planes.filled
        var isFirst = true
        while rest != 0 {
            let plane = rest.trailingZeroBitCount
            rest &= rest &- 1
            let bytes = planes.column.plane(plane).baseAddress! + first
            let shift = UInt64(8 * plane)
            if isFirst {
                for index in 0..<count { words[index] = UInt64(bytes[index]) &<< shift }
            } else {
                for index in 0..<count { words[index] |= UInt64(bytes[index]) &<< shift }
            }
            isFirst = false
        }
    }
}
