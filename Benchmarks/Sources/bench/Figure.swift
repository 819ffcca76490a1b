/// A figure of ours alone, with a limit.
struct Figure: Sendable {
    let name: String
    /// The greatest value that is allowed, in `unit`.
    let limit: Double
    var unit = "ns"
    /// The number of measurements, of which the median is taken.
    var runs = 9
    /// Measures once and returns the value.
    let measure: @Sendable () -> Double

    /// Returns the line of the figure: the median of the measurements, and the limit.
    func line() -> String {
        if runs > 1 { _ = measure() }  // warms up
        let shown = rounded(median((0..<runs).map { _ in measure() }))
        return "\(name) \(shown) \(unit)\(verdict(shown, limit))"
    }
}
