/// Fixed-size elements in segments, named by 32-bit slots: growing never moves one, the lowest free slot is taken
/// first, and a segment without elements is given back.
///
/// A value with copy-on-write, but by hand: ``makeUnique()`` must come before the first change through a pointer.
struct Slab<Element: BitwiseCopyable>: @unchecked Sendable {
    // Sendable: a value; the storage is changed only after makeUnique() saw that nobody else holds it.
    private var storage: SlabStorage<Element>
    private var table: UnsafeMutablePointer<UnsafeMutablePointer<Element>?>
    private let shift: UInt32
    /// Beside that of the storage, which is three steps away.
    private var segmentCount: UInt32 = 0

    /// Segments hold `1 << shift` elements.
    init(shift: UInt32) {
        self.shift = shift
        storage = SlabStorage(capacity: 1 << Int(shift))
        table = storage.table
    }

    /// The element at a slot that was allocated and not freed.
    @inline(__always) subscript(slot: UInt32) -> UnsafeMutablePointer<Element> {
        table[Int(slot >> shift)].unsafelyUnwrapped + Int(slot & (1 << shift &- 1))
    }

    /// How many elements there are.
    var count: Int { storage.count }

    /// One more than the greatest slot there may be.
    var bound: Int { Int(segmentCount) << Int(shift) }

    /// Whether a slot's segment exists; whether the slot itself is taken, its element knows.
    @inline(__always)
    func hasSegment(of slot: UInt32) -> Bool {
        let segment = slot >> shift
        return segment < segmentCount && table[Int(segment)] != nil
    }

    /// The elements from a slot on to the end of its segment, or to `end`; nil where there is no such segment.
    func segment(of slot: UInt32, upTo end: UInt32) -> UnsafeBufferPointer<Element>? {
        guard hasSegment(of: slot) else { return nil }
        return UnsafeBufferPointer(start: self[slot], count: Int(min(end, nextSegment(after: slot)) - slot))
    }

    /// The first slot of the segment after that of a slot.
    func nextSegment(after slot: UInt32) -> UInt32 { (slot >> shift + 1) << shift }

    /// Copies the storage if somebody else holds it too.
    mutating func makeUnique() {
        guard !isKnownUniquelyReferenced(&storage) else { return }
        storage = SlabStorage(copying: storage)
        table = storage.table
    }

    /// Takes a slot for `element`.
    mutating func allocate(_ element: Element) -> UInt32 {
        let slot = storage.allocate()
        table = storage.table
        segmentCount = UInt32(storage.segments.count)
        self[slot].initialize(to: element)
        return slot
    }

    /// Gives a slot back. Bytes 8 to 11 of the element are used by the free list, the others keep their last value.
    mutating func free(_ slot: UInt32) { storage.free(slot) }
}

/// The memory of a ``Slab``.
private final class SlabStorage<Element: BitwiseCopyable> {
    struct Segment {
        var used = 0
        /// Slots from here on were never taken.
        var fresh = 0
        var firstFree = noSlot
    }

    // @exclusivity(unchecked): only the Slab that holds this reaches in, from methods of a value that is checked itself,
    // none of which calls out.
    let capacity: Int
    @exclusivity(unchecked) var segments: [Segment] = []
    @exclusivity(unchecked) var table: UnsafeMutablePointer<UnsafeMutablePointer<Element>?>
    @exclusivity(unchecked) var count = 0
    private var tableCapacity = 16
    /// No segment before this one has a free slot.
    @exclusivity(unchecked) private var firstOpen = 0

    init(capacity: Int) {
        self.capacity = capacity
        table = .allocate(capacity: tableCapacity)
        table.initialize(repeating: nil, count: tableCapacity)
    }

    init(copying other: SlabStorage) {
        capacity = other.capacity
        segments = other.segments
        count = other.count
        tableCapacity = other.tableCapacity
        firstOpen = other.firstOpen
        table = .allocate(capacity: tableCapacity)
        table.initialize(repeating: nil, count: tableCapacity)
        for index in segments.indices {
            guard let old = other.table[index] else { continue }
            let new = Self.zeroed(capacity)
            new.update(from: old, count: segments[index].fresh)
            table[index] = new
        }
    }

    deinit {
        for index in segments.indices { table[index]?.deallocate() }
        table.deallocate()
    }

    private static func zeroed(_ capacity: Int) -> UnsafeMutablePointer<Element> {
        let size = capacity * MemoryLayout<Element>.stride
        // At the beginning of a cache line, so that as few elements as possible lie in one more than they have to.
        let segment = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
        segment.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        return segment.bindMemory(to: Element.self, capacity: capacity)
    }

    private func link(_ segment: Int, _ position: Int) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(table[segment].unsafelyUnwrapped + position) + 8
    }

    func allocate() -> UInt32 {
        while firstOpen < segments.count, segments[firstOpen].used == capacity { firstOpen += 1 }
        let index = firstOpen
        if index == segments.count { addSegment() }
        if table[index] == nil { table[index] = Self.zeroed(capacity) }
        count += 1
        segments[index].used += 1
        var position = segments[index].fresh
        if segments[index].firstFree != noSlot {
            position = Int(segments[index].firstFree)
            segments[index].firstFree = link(index, position).load(as: UInt32.self)
        } else {
            segments[index].fresh += 1
        }
        return UInt32(index * capacity + position)
    }

    func free(_ slot: UInt32) {
        let (index, position) = Int(slot).quotientAndRemainder(dividingBy: capacity)
        count -= 1
        segments[index].used -= 1
        firstOpen = min(firstOpen, index)
        if segments[index].used == 0, index > 0 {
            table[index]?.deallocate()
            table[index] = nil
            segments[index] = Segment()
        } else {
            link(index, position).storeBytes(of: segments[index].firstFree, as: UInt32.self)
            segments[index].firstFree = UInt32(position)
        }
    }

    private func addSegment() {
        if segments.count == tableCapacity {
            let wider = UnsafeMutablePointer<UnsafeMutablePointer<Element>?>.allocate(capacity: tableCapacity * 2)
            wider.initialize(repeating: nil, count: tableCapacity * 2)
            wider.update(from: table, count: tableCapacity)
            table.deallocate()
            table = wider
            tableCapacity *= 2
        }
        segments.append(Segment())
    }
}
