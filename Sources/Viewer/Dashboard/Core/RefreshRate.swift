// SPDX-License-Identifier: MIT

/// How often the screen is drawn while something moves, in frames a second.
package enum RefreshRate {
    /// The rates that can be set.
    package static let range = 1...60
    /// The rates that are offered.
    static let offered = [1, 2, 5, 10, 15, 20, 30, 60]

    /// Returns a rate, clamped to ``range``.
    static func nearest(to rate: Int) -> Int { min(max(range.lowerBound, rate), range.upperBound) }

    /// ``range`` in words.
    static let words = "\(range.lowerBound) to \(range.upperBound)"

    /// Returns a rate in words.
    static func words(for rate: Int) -> String { "\(rate) \(rate == 1 ? "frame" : "frames") a second" }
}
