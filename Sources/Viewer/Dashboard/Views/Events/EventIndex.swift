// SPDX-License-Identifier: MIT

/// The rows of all programs that the view of events shows, in order of time. The index is made from the newest row
/// backwards, a slice of the rows in each tick. New rows are added while the view is open.
struct EventIndex {
    /// One row: 16 bytes.
    struct Entry: Hashable, Comparable {
        /// Nanoseconds since 1970, by the program's clock.
        var time: UInt64
        private var packed: UInt64

        init(time: UInt64, programIndex: Int, number: UInt64) {
            self.time = time
            packed = UInt64(programIndex) << 48 | number
        }

        /// The index of the program that the row is from.
        var programIndex: Int { Int(packed >> 48) }
        /// The row's number in its program.
        var number: UInt64 { packed & 0xffff_ffff_ffff }

        /// Events of one program at one time stay in order of arrival.
        static func < (left: Entry, right: Entry) -> Bool {
            left.time != right.time ? left.time < right.time : left.packed < right.packed
        }
    }

    /// The shown rows.
    private(set) var entries: [Entry] = []
    /// By program, the numbers of the rows that were tested.
    private(set) var covered: [Range<UInt64>]

    /// Makes an empty index; by program, the rows before the number in `ends` are yet to be tested.
    init(ends: [UInt64]) { covered = ends.map { $0..<$0 } }

    /// Returns the index of an entry, or of the first entry after it.
    func index(of entry: Entry) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle] < entry { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Drops the rows that are no longer kept. O(entries) if there are such rows.
    mutating func prune(_ kept: [Range<UInt64>]) {
        var isStale = false
        for programIndex in covered.indices where covered[programIndex].lowerBound < kept[programIndex].lowerBound {
            isStale = isStale || !covered[programIndex].isEmpty
            let start = kept[programIndex].lowerBound
            covered[programIndex] = start..<max(start, covered[programIndex].upperBound)
        }
        guard isStale else { return }
        let starts = kept.map(\.lowerBound)
        entries.removeAll { $0.number < starts[$0.programIndex] }
    }

    /// Drops all rows of a program, and marks the rows before `end` as not tested.
    mutating func restart(_ programIndex: Int, at end: UInt64) {
        if !covered[programIndex].isEmpty { entries.removeAll { $0.programIndex == programIndex } }
        covered[programIndex] = end..<end
    }

    /// Adds rows that were tested: `found` are the entries of `rows` that are to be shown, in any order.
    mutating func add(_ found: [Entry], _ rows: Range<UInt64>, of programIndex: Int) {
        covered[programIndex] =
            min(
                covered[programIndex].lowerBound, rows.lowerBound)..<max(
                covered[programIndex].upperBound, rows.upperBound)
        guard !found.isEmpty else { return }
        let new = found.sorted()
        guard let last = entries.last, new[0] < last else { return entries.append(contentsOf: new) }
        let start = index(of: new[0])
        let end = index(of: new[new.count - 1])
        var merged: [Entry] = []
        merged.reserveCapacity(new.count + end - start)
        var (old, next) = (start, 0)
        while old < end, next < new.count {
            if entries[old] < new[next] {
                merged.append(entries[old])
                old += 1
            } else {
                merged.append(new[next])
                next += 1
            }
        }
        merged.append(contentsOf: entries[old..<end])
        merged.append(contentsOf: new[next...])
        entries.replaceSubrange(start..<end, with: merged)
    }

    /// Returns whether all kept rows were tested.
    func isComplete(_ kept: [Range<UInt64>]) -> Bool {
        covered.count == kept.count
            && covered.indices.allSatisfy {
                covered[$0].lowerBound <= kept[$0].lowerBound && covered[$0].upperBound >= kept[$0].upperBound
            }
    }
}
