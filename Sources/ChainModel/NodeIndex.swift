/// Where a node stands in one ``ChainForest``: 32 bits, valid until that node is evicted, then used again for another.
///
/// An index is meant for the length of a frame and for structures that follow ``ChainForest/consumeChanges(into:)``;
/// what must outlive an eviction (a selection, a tag, a command) is held as a `NodeID`.
public struct NodeIndex: RawRepresentable, Hashable, Comparable, Sendable {
    /// Below ``ChainForest/indexBound``; fit for indexing arrays that run beside the forest.
    public let rawValue: UInt32

    /// Wraps a raw index; only one that a forest gave out means anything.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// By slot, which is by nothing that a user would know.
    @inlinable
    public static func < (left: NodeIndex, right: NodeIndex) -> Bool { left.rawValue < right.rawValue }
}

/// "No slot" in every 32-bit link of the forest.
let noSlot = UInt32.max

extension UInt32 {
    /// The node at this slot, or nil for "no slot".
    @inline(__always) var asNode: NodeIndex? { self == noSlot ? nil : NodeIndex(rawValue: self) }
}
