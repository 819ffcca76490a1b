import ChainModel

/// One row of a chain's tree: who it is, how far in it stands, and what is drawn before it.
package struct TreeRow: Equatable {
    /// Marks on a row.
    package struct Flags: OptionSet {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Something would be hidden or shown by folding it.
        package static let foldable = Flags(rawValue: 1)
        /// What is under it is hidden.
        package static let folded = Flags(rawValue: 2)
        /// Nothing follows at its level under the same node.
        package static let last = Flags(rawValue: 4)
        /// It goes on with what the row above it at its level began: the only `then` of that one.
        package static let continuation = Flags(rawValue: 8)
        /// It is a chain's root.
        package static let root = Flags(rawValue: 16)
        /// After it and all that goes on from it, more stand under the same node: the line beside it goes on.
        package static let passing = Flags(rawValue: 32)
    }

    package var node: NodeIndex
    /// Levels that it is drawn in; 0 for a root and what goes on from it.
    package var depth: UInt16
    /// Levels, from bit 0, at which something still follows below: a line is drawn there.
    package var guides: UInt32
    package var flags: Flags

    /// Levels that are drawn; deeper rows show their depth as a number.
    package static let depthLimit = 20
}
