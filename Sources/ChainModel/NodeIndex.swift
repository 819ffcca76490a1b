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

/// "No slot" in every 32-bit link of the forest.
let noSlot = UInt32.max

extension UInt32 {
    /// The node at this slot, or nil for "no slot".
    @inline(__always) var asNode: NodeIndex? { self == noSlot ? nil : NodeIndex(rawValue: self) }
}
