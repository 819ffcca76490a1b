// SPDX-License-Identifier: MIT

/// The position of a node in one ``ChainForest``: 32 bits, valid until the node is evicted, after which another node
/// may get the same index.
///
/// An index is meant for the duration of a frame, and for structures that follow ``ChainForest/consumeChanges(into:)``.
/// Whatever must outlive an eviction (a selection, a tag, a command) is held as a `NodeID`.
public struct NodeIndex: RawRepresentable, Hashable, Comparable, Sendable {
    /// A number less than ``ChainForest/indexBound``, which is also an index into arrays that are parallel to the
    /// forest's nodes.
    public let rawValue: UInt32

    /// Wraps a raw index. Only an index that a forest returned has a meaning.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Orders by raw value. The order has no meaning outside the forest.
    @inlinable
    public static func < (left: NodeIndex, right: NodeIndex) -> Bool { left.rawValue < right.rawValue }
}

/// The position of a pass over slots or node indices that is done in slices.
package struct Cursor: Sendable {
    /// The next index, and the first index after the pass.
    package private(set) var next: UInt32
    package private(set) var end: UInt32

    /// Begins a pass over the indices below `end`.
    package init(end: Int) { (next, self.end) = (0, UInt32(end)) }

    /// Moves to the next index and returns the one before it; nil at the end.
    package mutating func step() -> UInt32? {
        guard next < end else { return nil }
        defer { next += 1 }
        return next
    }

    /// Whether the pass has reached all indices.
    package var isDone: Bool { next >= end }

    /// Returns whether the pass has still to reach an index.
    package func isAhead(_ index: UInt32) -> Bool { index >= next && index < end }
}

/// "No slot" in every 32-bit link of the forest.
let noSlot = UInt32.max

extension UInt32 {
    /// The node at this slot, or nil for "no slot".
    @inline(__always) var asNode: NodeIndex? { self == noSlot ? nil : NodeIndex(rawValue: self) }
}
