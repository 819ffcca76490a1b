/// A sparse array beside the forest's node indices, in pages of 256: growing never moves what is there.
struct Paged<Element> {
    private var pages: [[Element]] = []
    private let filler: Element

    init(filler: Element) { self.filler = filler }

    subscript(index: UInt32) -> Element {
        @inline(__always) get {
            let page = Int(index >> 8)
            guard page < pages.count, !pages[page].isEmpty else { return filler }
            return pages[page][Int(index & 255)]
        }
        set {
            let page = Int(index >> 8)
            while pages.count <= page { pages.append([]) }
            if pages[page].isEmpty { pages[page] = Array(repeating: filler, count: 256) }
            pages[page][Int(index & 255)] = newValue
        }
    }

    /// Forgets everything.
    mutating func removeAll() { pages.removeAll(keepingCapacity: true) }

    /// Forgets the last pages, at most so many; false if there are none left.
    mutating func removeLast(_ count: Int) -> Bool {
        pages.removeLast(min(count, pages.count))
        return !pages.isEmpty
    }
}
