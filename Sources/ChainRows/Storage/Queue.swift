/// A first-in, first-out queue: an array with a head index, so that removing is O(1) amortized.
struct Queue<Element> {
    private var elements: [Element] = []
    private var head = 0

    init(_ elements: [Element] = []) { self.elements = elements }

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }
    var first: Element? { head < elements.count ? elements[head] : nil }

    /// Returns an element by its distance from the first one.
    subscript(index: Int) -> Element { elements[head + index] }

    /// Returns the elements from an index on, at most `count`.
    func elements(from index: Int = 0, count: Int = .max) -> ArraySlice<Element> {
        elements[(head + index)...].prefix(count)
    }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func insert(_ element: Element, at index: Int) { elements.insert(element, at: head + index) }

    mutating func removeFirst(_ count: Int = 1) {
        head += count
        guard head == elements.count || head >= 1_024 && head * 2 >= elements.count else { return }
        // A new array, because removing from this one would keep its memory.
        elements = Array(elements[head...])
        head = 0
    }
}
