// SPDX-License-Identifier: MIT

// How often the screen is drawn while something moves.
extension State {
    /// The rates that can be set, in frames a second.
    package static let refreshRange = 1...60
    /// The rates that are offered, in frames a second.
    static let refreshRates = [1, 2, 5, 10, 15, 20, 30, 60]

    /// Returns a rate, clamped to ``refreshRange``.
    static func refreshRate(near rate: Int) -> Int {
        min(max(refreshRange.lowerBound, rate), refreshRange.upperBound)
    }

    /// ``refreshRange`` in words.
    static let refreshWords = "\(refreshRange.lowerBound) to \(refreshRange.upperBound)"

    /// The rate in words.
    var framesASecond: String { "\(options.refreshRate) \(options.refreshRate == 1 ? "frame" : "frames") a second" }
}
