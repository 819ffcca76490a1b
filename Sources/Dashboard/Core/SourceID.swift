/// Which of the sources that a dashboard looks at: a number that its owner gives, and which it keeps over reconnects and
/// restarts of the program. The programs stand in the order of these numbers.
public struct SourceID: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number; by habit the place on the command line, from 0.
    public var rawValue: Int

    /// Wraps a number; any value is allowed.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Wraps a number; any value is allowed.
    public init(_ rawValue: Int) { self.rawValue = rawValue }

    /// By number.
    public static func < (left: SourceID, right: SourceID) -> Bool { left.rawValue < right.rawValue }
}
