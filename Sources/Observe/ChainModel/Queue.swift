// SPDX-License-Identifier: MIT

/// A first-in, first-out queue in an array. Operations are O(1) amortised unless stated otherwise.
///
/// Removed elements are released later, when the array is compacted.
// @usableFromInline, because otherwise its methods are not specialised in other modules, although they are inlinable.
// The attribute is worth 3 % of screen.fold-with-view.10k.
@usableFromInline package struct Queue<Element> {
    @usableFromInline var elements: [Element]
    /// The index of the first element that was not removed.
    @usableFromInline var head = 0

    /// Makes a queue of elements; the first one is removed first.
    @inlinable package init(_ elements: [Element] = []) { self.elements = elements }

    /// How many elements there are.
    @inlinable package var count: Int { elements.count - head }
    /// Whether there are no elements.
    @inlinable package var isEmpty: Bool { head == elements.count }
    /// The element that is removed next.
    @inlinable package var first: Element? { head < elements.count ? elements[head] : nil }
    /// The elements in order, from the first on.
    @inlinable package var contents: ArraySlice<Element> { elements[head...] }

    /// The element at an offset from the first.
    @inlinable package subscript(offset: Int) -> Element {
        get { elements[head + offset] }
        set { elements[head + offset] = newValue }
    }

    /// Appends an element.
    @inlinable package mutating func append(_ element: Element) { elements.append(element) }

    /// Removes and returns the first element; nil where there is none.
    @inlinable package mutating func popFirst() -> Element? {
        guard let first else { return nil }
        removeFirst()
        return first
    }

    /// Inserts an element before the element at an offset from the first. O(elements after it).
    @inlinable package mutating func insert(_ element: Element, at offset: Int) {
        elements.insert(element, at: head + offset)
    }

    /// Removes the first `count` elements. The queue must hold at least as many elements.
    @inlinable package mutating func removeFirst(_ count: Int = 1) {
        head += count
        if head == elements.count, head < 1_024 {
            elements.removeAll(keepingCapacity: true)
            return head = 0
        }
        guard head >= 1_024, head * 2 >= elements.count else { return }
        // A new array, because removing from this one would keep its memory.
        elements = Array(elements[head...])
        head = 0
    }

    /// Removes the elements that satisfy a condition. O(count).
    @inlinable package mutating func removeAll(where isRemoved: (Element) -> Bool) {
        elements = elements[head...].filter { !isRemoved($0) }
        head = 0
    }
}

extension Queue: Sendable where Element: Sendable {}
