// SPDX-License-Identifier: MIT

import Calibration

/// A figure of ours alone: beside a kernel if it is a time, else with a limit in its own unit.
struct Figure: Sendable {
    let name: String
    /// The kernel that a time is compared with.
    var peer: Peer?
    /// The greatest value that is allowed: of the ratio to the kernel, or without a kernel in `unit`.
    let limit: Double
    var unit = "ns"
    /// The number of measurements, of which the median is taken.
    var runs = 9
    /// Measures once and returns the value.
    let measure: @Sendable () -> Double

    /// Measures and prints the figure.
    func report() {
        if runs > 1 { _ = measure() }  // warms up
        if let peer {
            Pace(runs, to: peer) { _ in measure() }.say(name, unit, limit: limit) { $0 }
        } else {
            say(name, median((0..<runs).map { _ in measure() }), unit, limit: limit)
        }
    }
}
