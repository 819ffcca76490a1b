/// The number of a source, which its owner chooses and which stays over reconnects and restarts of the program. Programs
/// are shown in the order of these numbers.
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
