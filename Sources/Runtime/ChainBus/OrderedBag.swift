// SPDX-License-Identifier: MIT

/// A collection in the order of insertion. Members are removed by key.
///
/// Copying a bag costs one retain, and the copy does not change with the bag. A subject takes a copy for each event, so
/// the event reaches the observers that were subscribed when it was emitted. Insertion costs amortised O(1), or O(n)
/// after a copy was made. Removal costs a binary search and O(n) moves of members, so the bag is for some thousands of
/// members.
public struct OrderedBag<Element> {
    /// The identity of one member; unique within one bag. A copy of the bag has the bag's members under the same keys.
    /// Members that are inserted into the bag and into its copy afterwards may have equal keys.
    public struct Key: Hashable, Sendable {
        @usableFromInline let number: UInt64

        @inlinable
        init(number: UInt64) { self.number = number }
    }

    @usableFromInline var members: [(key: Key, element: Element)] = []
    @usableFromInline var nextKey = Key(number: 0)

    /// Makes an empty bag.
    @inlinable
    public init() {}

    /// Appends a member and returns its key.
    @inlinable
    @discardableResult
    public mutating func insert(_ element: Element) -> Key {
        let key = nextKey
        members.append((key, element))
        nextKey = Key(number: key.number + 1)
        return key
    }

    /// Removes and returns a member; nil if it was removed before. O(n).
    @inlinable
    @discardableResult
    public mutating func remove(_ key: Key) -> Element? {
        var (low, high) = (0, members.count)
        while low < high {
            let middle = (low + high) / 2
            if members[middle].key.number < key.number { low = middle + 1 } else { high = middle }
        }
        guard low < members.count, members[low].key == key else { return nil }
        return members.remove(at: low).element
    }

    /// Removes and returns all members; their keys are not used again.
    @inlinable
    public mutating func removeAll() -> OrderedBag {
        let taken = self
        members = []
        return taken
    }
}

extension OrderedBag {
    /// Removes all members for which `isGone` is true. O(n).
    @inlinable
    public mutating func removeAll(where isGone: (Element) throws -> Bool) rethrows {
        try members.removeAll { try isGone($0.element) }
    }
}

extension OrderedBag: Sendable where Element: Sendable {}

extension OrderedBag: RandomAccessCollection {
    /// The index of the first member: 0.
    @inlinable public var startIndex: Int { 0 }
    /// The number of members.
    @inlinable public var endIndex: Int { members.count }
    /// The member at a position in the order of insertion.
    @inlinable public subscript(position: Int) -> Element { members[position].element }
}
