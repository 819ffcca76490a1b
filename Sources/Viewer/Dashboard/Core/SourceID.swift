// SPDX-License-Identifier: MIT

/// The number of a source, chosen by the dashboard's owner. It stays the same when the program reconnects or restarts.
/// Programs are shown in the order of these numbers.
package struct SourceID: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number; `chainview` uses the source's index on its command line.
    package var rawValue: Int

    /// Wraps a number; any value is allowed.
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Wraps a number; any value is allowed.
    package init(_ rawValue: Int) { self.rawValue = rawValue }

    /// Compares the numbers.
    package static func < (left: SourceID, right: SourceID) -> Bool { left.rawValue < right.rawValue }
}
