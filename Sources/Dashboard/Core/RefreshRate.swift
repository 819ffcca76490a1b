// How often the screen is drawn while something moves.
extension State {
    /// The rates that can be set, in frames a second.
    public static let refreshRange = 1...60
    /// The rates that `+` and `-` step through, in frames a second.
    static let refreshRates = [1, 2, 5, 10, 15, 20, 30, 60]

    /// Sets the next higher rate of ``refreshRates``, or the next lower one if `step` is negative.
    mutating func changeRate(by step: Int) {
        let (rates, rate) = (Self.refreshRates, options.refreshRate)
        guard let next = step > 0 ? rates.first(where: { $0 > rate }) : rates.last(where: { $0 < rate }) else {
            return notify("\(framesASecond) is the \(step > 0 ? "most" : "least")")
        }
        options.refreshRate = next
        notify("at most \(framesASecond)")
    }

    /// Returns a rate, clamped to ``refreshRange``.
    static func refreshRate(near rate: Int) -> Int {
        min(max(refreshRange.lowerBound, rate), refreshRange.upperBound)
    }

    /// ``refreshRange`` in words.
    static let refreshWords = "\(refreshRange.lowerBound) to \(refreshRange.upperBound)"

    /// The rate in words.
    var framesASecond: String { "\(options.refreshRate) \(options.refreshRate == 1 ? "frame" : "frames") a second" }
}
