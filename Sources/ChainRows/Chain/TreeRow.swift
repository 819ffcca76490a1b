import ChainModel

/// One row of a chain's tree: its node, its depth, and the lines before it.
package struct TreeRow: Equatable {
    /// Marks on a row.
    package struct Flags: OptionSet {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Folding it would hide or show something.
        package static let foldable = Flags(rawValue: 1)
        /// What is under it is hidden.
        package static let folded = Flags(rawValue: 2)
        /// Nothing follows at its level under the same node.
        package static let last = Flags(rawValue: 4)
        /// It is the continuation of the row above it at its level: the only `then` of that node.
        package static let continuation = Flags(rawValue: 8)
        /// It is a chain's root.
        package static let root = Flags(rawValue: 16)
        /// More nodes follow under the same parent, after it and its continuations: the line beside it continues.
        package static let passing = Flags(rawValue: 32)
    }

    package var node: NodeIndex
    /// Its level; 0 for a root and its continuations.
    package var depth: UInt16
    /// The levels at which something follows below, so that a line is drawn; bit 0 is level 1.
    package var guides: UInt32
    package var flags: Flags

    /// Levels that are drawn; deeper rows show their depth as a number.
    package static let depthLimit = 20
}
