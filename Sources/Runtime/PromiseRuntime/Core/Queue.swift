// SPDX-License-Identifier: MIT

/// A first-in, first-out queue in a growing ring. The caller releases the elements that it removes: no element is
/// released while the queue changes.
struct Queue<Element> {
    private var slots: [Element?] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        slots[(head + count) & (slots.count - 1)] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head].take()
        head = (head + 1) & (slots.count - 1)
        count -= 1
        return element
    }

    /// Frees the storage of an empty queue if a burst has grown it above `limit` slots.
    mutating func shrink(above limit: Int) { if isEmpty, slots.count > limit { slots = [] } }

    private mutating func grow() {
        var larger = [Element?](repeating: nil, count: max(16, slots.count * 2))
        for index in 0..<count { larger[index] = slots[(head + index) & (slots.count - 1)].take() }
        slots = larger
        head = 0
    }
}
