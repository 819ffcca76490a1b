// SPDX-License-Identifier: MIT

/// The newest elements of a stream, up to a limit.
@usableFromInline
struct ReplayBuffer<Element> {
    @usableFromInline let limit: Int
    // A ring buffer once it is full; `oldest` is then the index of its first element.
    @usableFromInline var slots: [Element] = []
    @usableFromInline var oldest = 0

    @inlinable
    init(limit: Int) {
        precondition(limit >= 0, "A replay limit cannot be negative; it is \(limit)")
        self.limit = limit
    }

    @inlinable
    var last: Element? {
        oldest == 0 ? slots.last : slots[oldest - 1]
    }

    /// The elements, oldest first.
    @inlinable
    var elements: [Element] {
        oldest == 0 ? slots : Array(slots[oldest...] + slots[..<oldest])
    }

    /// Appends an element. Returns the element that it evicts, if any, to be released outside of locks.
    @inlinable
    mutating func append(_ element: Element) -> Element? {
        guard limit > 0 else { return nil }
        guard slots.count == limit else {
            slots.append(element)
            return nil
        }
        let evicted = slots[oldest]
        slots[oldest] = element
        oldest = (oldest + 1) % limit
        return evicted
    }
}

extension ReplayBuffer: Sendable where Element: Sendable {}
