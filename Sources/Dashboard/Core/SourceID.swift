/// The number of a source, chosen by the dashboard's owner. It stays the same when the program reconnects or restarts.
/// Programs are shown in the order of these numbers.
public struct SourceID: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number; `chainview` uses the source's index on its command line.
    public var rawValue: Int

    /// Wraps a number; any value is allowed.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Wraps a number; any value is allowed.
    public init(_ rawValue: Int) { self.rawValue = rawValue }

    /// Compares the numbers.
    public static func < (left: SourceID, right: SourceID) -> Bool { left.rawValue < right.rawValue }
}
