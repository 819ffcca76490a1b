// SPDX-License-Identifier: MIT

import ChainModel

/// One row of a chain's tree: its node, its depth, and the lines before it.
///
/// Public, because other modules do not specialise generic code for the conformances of package types: `contains(_:)`
/// of a package type ``Flags`` would look up witnesses, which takes 8 % of `screen.picture`.
public struct TreeRow: Equatable, Sendable {
    /// Marks on a row.
    public struct Flags: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// Wraps raw bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Folding or unfolding the row would hide or show other rows.
        public static let foldable = Flags(rawValue: 1)
        /// The nodes inside it are hidden; if it is a root, all nodes under it are hidden.
        public static let folded = Flags(rawValue: 2)
        /// Nothing follows at its level under the same parent.
        public static let last = Flags(rawValue: 4)
        /// It continues the last row above it at its level: it is the only `then` of that row's node.
        public static let continuation = Flags(rawValue: 8)
        /// It is a chain's root.
        public static let root = Flags(rawValue: 16)
        /// More nodes follow under the same parent, after it and its continuations: the line beside it continues.
        public static let passing = Flags(rawValue: 32)
        /// Nodes inside it are drawn below it.
        public static let openInside = Flags(rawValue: 64)
    }

    package var node: NodeIndex
    /// Its level; 0 for a root and its continuations.
    package var depth: UInt16
    /// The levels further out at which a node follows below, so that a line is drawn beside the row; bit 0 is level 1.
    package var guides: UInt32
    package var flags: Flags

    /// The greatest depth that is drawn as indentation; deeper rows show their depth as a number.
    package static let depthLimit = 20
    /// The greatest level that ``guides`` has a bit for.
    static let guideLimit: UInt32 = 32
}
