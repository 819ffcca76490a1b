import Foundation

/// The time of day.
enum WallClock {
    /// Nanoseconds since 1970.
    static var now: UInt64 { UInt64(Date().timeIntervalSince1970 * 1e9) }
}
