/// One figure of ours alone: what is measured, and the most that it may be.
struct Figure: Sendable {
    let name: String
    /// In the unit of `unit`; more is worse.
    let limit: Double
    var unit = "ns"
    /// How many measurements the median is taken of.
    var runs = 9
    /// Measures once and gives the value.
    let measure: @Sendable () -> Double

    /// The median of several measurements, on a line of its own.
    func line() -> String {
        if runs > 1 { _ = measure() }  // warms up
        let shown = rounded(median((0..<runs).map { _ in measure() }))
        return "\(name) \(shown) \(unit)\(verdict(shown, limit))"
    }
}
