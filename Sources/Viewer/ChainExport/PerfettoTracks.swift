// SPDX-License-Identifier: MIT

/// Tracks for chains. A track belongs to one chain until the chain has settled; after that, another chain can take it.
struct PerfettoTracks {
    /// One track.
    struct Track {
        /// The label that the chains on it have in common.
        var group: String
        /// Whether an open chain has it.
        var isTaken: Bool
        /// The end of the last slice on it, in nanoseconds.
        var end: UInt64
    }

    /// The maximum number of tracks; limited because an interface draws each of them.
    static let limit = 200
    private(set) var tracks: [Track] = []

    /// Takes a track that is free from `begin` on, and returns its index. Prefers a track of the group, then a new
    /// track, then any free track. Nil if there is no free track.
    mutating func take(for group: String, from begin: UInt64) -> Int? {
        var other: Int?
        for (index, track) in tracks.enumerated() where !track.isTaken && track.end <= begin {
            if track.group == group {
                tracks[index].isTaken = true
                return index
            }
            other = other ?? index
        }
        if tracks.count < Self.limit {
            tracks.append(Track(group: group, isTaken: true, end: begin))
            return tracks.count - 1
        }
        guard let other else { return nil }
        tracks[other].isTaken = true
        tracks[other].group = group
        return other
    }

    /// Returns whether all slices on a track end by `begin`.
    func isFree(_ track: Int, from begin: UInt64) -> Bool { tracks[track].end <= begin }

    /// Records that a track has a slice up to `end`.
    mutating func extend(_ track: Int, to end: UInt64) { tracks[track].end = max(tracks[track].end, end) }

    /// Makes a track free from `end` on.
    mutating func release(_ track: Int, at end: UInt64) {
        extend(track, to: end)
        tracks[track].isTaken = false
    }

    /// Returns the part that a label has in common with similar labels: `order` for `order 17`.
    static func group(of label: String) -> String {
        let words = label.unicodeScalars.prefix { !("0"..."9").contains($0) }
        var text = String(String.UnicodeScalarView(words.prefix(64)))
        while let last = text.last, !last.isLetter { text.removeLast() }
        return text.isEmpty ? String(label.prefix(64)) : text
    }
}
