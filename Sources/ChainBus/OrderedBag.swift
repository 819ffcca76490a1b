/// A collection that keeps the order of insertion and can lose any member by its key.
///
/// A value: a copy is one retain and does not see later changes, which is what lets a subject deliver to those who
/// were subscribed when an event was emitted. Insertion costs O(1), or O(n) after a copy was made; removal O(n).
public struct OrderedBag<Element> {
    /// Names one member; never given out twice by one bag or its copies.
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

    /// Puts one at the end.
    @inlinable
    @discardableResult
    public mutating func insert(_ element: Element) -> Key {
        let key = nextKey
        members.append((key, element))
        nextKey = Key(number: key.number + 1)
        return key
    }

    /// Takes a member out, or gives nil if it is not there (any more).
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

    /// Takes all out; keys that were given out are not given out again.
    @inlinable
    public mutating func removeAll() -> OrderedBag {
        let taken = self
        members = []
        return taken
    }
}

extension OrderedBag {
    /// Takes out all that `isGone` says so of.
    @inlinable
    public mutating func removeAll(where isGone: (Element) throws -> Bool) rethrows {
        try members.removeAll { try isGone($0.element) }
    }
}

extension OrderedBag: Sendable where Element: Sendable {}

extension OrderedBag: RandomAccessCollection {
    /// 0.
    @inlinable public var startIndex: Int { 0 }
    /// The number of members.
    @inlinable public var endIndex: Int { members.count }
    /// The member that was put in as the `position`th of those that are left.
    @inlinable public subscript(position: Int) -> Element { members[position].element }
}
