/// How often the screen is drawn while something moves.
extension State {
    /// Frames a second that can be asked for.
    public static let refreshRange = 1...60
    /// Those that `+` and `-` go through.
    static let refreshRates = [1, 2, 5, 10, 15, 20, 30, 60]

    mutating func changeRate(by step: Int) {
        let (rates, rate) = (Self.refreshRates, options.refreshRate)
        guard let next = step > 0 ? rates.first(where: { $0 > rate }) : rates.last(where: { $0 < rate }) else {
            return notify("\(framesASecond) is the \(step > 0 ? "most" : "least")")
        }
        options.refreshRate = next
        notify("at most \(framesASecond)")
    }

    /// That of those that can be asked for which is the nearest.
    static func refreshRate(near rate: Int) -> Int {
        min(max(refreshRange.lowerBound, rate), refreshRange.upperBound)
    }

    /// What can be asked for, in words.
    static let refreshWords = "\(refreshRange.lowerBound) to \(refreshRange.upperBound)"

    /// The rate in words.
    var framesASecond: String { "\(options.refreshRate) \(options.refreshRate == 1 ? "frame" : "frames") a second" }
}
