/// Tracks for chains. A track belongs to one chain until the chain has settled; after that, another chain can take it.
struct PerfettoLanes {
    /// One track.
    struct Lane {
        /// The label that the chains on it have in common.
        var group: String
        /// Whether an open chain has it.
        var isTaken: Bool
        /// The end of the last slice on it, in nanoseconds.
        var end: UInt64
    }

    /// The maximum number of lanes; limited because an interface draws a track for each lane.
    static let limit = 200
    private(set) var lanes: [Lane] = []

    /// Takes a lane that is free from `begin` on, and returns its index. Prefers a lane of the group, then a new lane,
    /// then any free lane. Nil if there is no free lane.
    mutating func take(for group: String, from begin: UInt64) -> Int? {
        var other: Int?
        for (index, lane) in lanes.enumerated() where !lane.isTaken && lane.end <= begin {
            if lane.group == group {
                lanes[index].isTaken = true
                return index
            }
            other = other ?? index
        }
        if lanes.count < Self.limit {
            lanes.append(Lane(group: group, isTaken: true, end: begin))
            return lanes.count - 1
        }
        guard let other else { return nil }
        lanes[other].isTaken = true
        lanes[other].group = group
        return other
    }

    /// Returns whether all slices on a lane end by `begin`.
    func isFree(_ lane: Int, from begin: UInt64) -> Bool { lanes[lane].end <= begin }

    /// Records that a lane has a slice up to `end`.
    mutating func extend(_ lane: Int, to end: UInt64) { lanes[lane].end = max(lanes[lane].end, end) }

    /// Makes a lane free from `end` on.
    mutating func release(_ lane: Int, at end: UInt64) {
        extend(lane, to: end)
        lanes[lane].isTaken = false
    }

    /// Returns the part that a label has in common with similar labels: `order` for `order 17`.
    static func group(of label: String) -> String {
        let words = label.unicodeScalars.prefix { !("0"..."9").contains($0) }
        var text = String(String.UnicodeScalarView(words.prefix(64)))
        while let last = text.last, !last.isLetter { text.removeLast() }
        return text.isEmpty ? String(label.prefix(64)) : text
    }
}
