/// The newest elements of a stream, up to a limit.
struct ReplayBuffer<Element> {
    let limit: Int
    // A ring once full; `oldest` is its first.
    private var slots: [Element] = []
    private var oldest = 0

    init(limit: Int) {
        precondition(limit >= 0, "A replay limit cannot be negative; it is \(limit)")
        self.limit = limit
    }

    var last: Element? {
        oldest == 0 ? slots.last : slots[oldest - 1]
    }

    /// Oldest first.
    var elements: [Element] {
        oldest == 0 ? slots : Array(slots[oldest...] + slots[..<oldest])
    }

    /// Keeps an element and gives back the one that had to go for it, to be released outside of locks.
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
