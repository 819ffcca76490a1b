import ChainEvents

/// The events in the rings of a program that has died. A ring is a buffer that a thread writes its events into; for the
/// file of rings, see ``RingFileFormat``.
///
/// The file is untrusted, as any other: every offset and count is checked.
package struct RingEvents {
    /// The reason why a file of rings cannot be used.
    package enum Problem: Error, Hashable {
        case notRings, otherVersion, otherProgram
    }

    /// An event of a ring, with its text.
    struct Event {
        var event: ChainEvent
        var text: String?
        /// Whether the collector had not read the event.
        var isUnread: Bool
    }

    /// The events of one ring after another; the events of each ring are in the order of the ring.
    private(set) var events: [Event] = []
    /// The names of threads.
    private(set) var threads: [ThreadID: String] = [:]
    /// By thread number, the time of the last event in the ring that decided the thread's name.
    private var lastNamed: [ThreadID: UInt64] = [:]
    private let bytes: UnsafeRawBufferPointer
    /// The anchors: ticks and the time of the same moment, in the order of ticks.
    private var anchors: [(ticks: UInt64, time: UInt64)] = []
    private var sites: [SiteAddress: SiteID] = [:]

    private struct SiteAddress: Hashable { var address: UInt64, line: UInt32 }
    private typealias Format = RingFileFormat

    /// Reads the rings of a run of a program.
    package init(_ bytes: UnsafeRawBufferPointer, of process: ProcessKey) throws(Problem) {
        self.bytes = bytes
        guard bytes.count >= Format.headerSize, bytes.prefix(Format.magic.count).elementsEqual(Format.magic) else {
            throw .notRings
        }
        guard number(at: Format.versionOffset, as: UInt32.self) == Format.version else { throw .otherVersion }
        guard wide(Format.processOffset) == process.rawValue else { throw .otherProgram }
        readTables()
        for index in 0..<count(Format.ringCountOffset, Format.ringLimit) {
            readRing(at: Format.ringsOffset + index * Format.ringSize)
        }
    }

    private func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
        Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }

    private func wide(_ offset: Int) -> UInt64 { number(at: offset, as: UInt64.self) }

    private func count(_ offset: Int, _ limit: Int) -> Int { Int(min(wide(offset), UInt64(limit))) }

    private mutating func readTables() {
        for index in 0..<count(Format.anchorCountOffset, Format.anchorLimit) {
            let offset = Format.anchorsOffset + index * Format.anchorSize
            anchors.append((wide(offset), wide(offset + 8)))
        }
        anchors.sort { $0.ticks < $1.ticks }
        for index in 0..<count(Format.siteCountOffset, Format.siteLimit) {
            let offset = Format.sitesOffset + index * Format.siteSize
            let address = SiteAddress(address: wide(offset), line: number(at: offset + 8, as: UInt32.self))
            sites[address] = number(at: offset + 12, as: UInt32.self)
        }
    }

    // MARK: Rings

    /// The facts of a ring.
    private struct Ring {
        /// The offset of its slots in the file.
        var slots: Int
        var capacity: UInt64
        /// How many slots were written, and how many the collector has read.
        var head: UInt64, tail: UInt64
        var thread: ThreadID
    }

    private func ring(at entry: Int) -> Ring? {
        let (slots, capacity) = (wide(entry), wide(entry + 8))
        let (headOffset, tailOffset) = (wide(entry + 16), wide(entry + 24))
        let limit = UInt64(bytes.count)
        guard capacity > 0, capacity <= limit, capacity & (capacity - 1) == 0, slots <= limit,
            capacity * UInt64(Format.slotSize) <= limit - slots, headOffset <= limit - 8, tailOffset <= limit - 8
        else { return nil }
        let (head, tail) = (wide(Int(headOffset)), wide(Int(tailOffset)))
        guard tail <= head, head - tail <= capacity else { return nil }
        return Ring(
            slots: Int(slots), capacity: capacity, head: head, tail: tail,
            thread: number(at: entry + Format.threadOffset, as: UInt32.self))
    }

    private mutating func readRing(at entry: Int) {
        guard let ring = ring(at: entry) else { return }
        let start = start(of: ring, at: entry)
        var found: [Event] = []
        if start < ring.tail, !read(ring, from: start, to: ring.tail, &found) { found = [] }
        _ = read(ring, from: ring.tail, to: ring.head, &found)
        guard !found.isEmpty else { return }
        events += found
        let name = bytes[(entry + Format.nameOffset)..<(entry + Format.nameOffset + Format.nameSize)].prefix { $0 != 0 }
        // If several threads had the same number, the thread that ran last decides the name, even if it has none.
        let last = found.map(\.event.time).max() ?? 0
        guard last >= lastNamed[ring.thread, default: 0] else { return }
        lastNamed[ring.thread] = last
        threads[ring.thread] = name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
    }

    /// Returns the first known slot that begins an event and was not overwritten; the tail if there is none. An event
    /// that was being written may have overwritten as many of the oldest slots as the longest event takes.
    private func start(of ring: Ring, at entry: Int) -> UInt64 {
        let reserved = min(wide(Format.eventSlotsOffset), ring.capacity)
        let oldest = ring.head - min(ring.head, ring.capacity - reserved)
        return (0..<Format.boundaryCount).map { wide(entry + Format.boundariesOffset + $0 * 8) }
            .filter { $0 >= oldest && $0 <= ring.tail }.min() ?? ring.tail
    }

    /// Reads the events of a range of slots; returns false if the last event does not end with the range.
    private func read(_ ring: Ring, from start: UInt64, to end: UInt64, _ found: inout [Event]) -> Bool {
        var next = start
        func slot(_ index: UInt64) -> Int { ring.slots + Int(index & (ring.capacity - 1)) * Format.slotSize }
        while next < end {
            let offset = slot(next)
            let length = Int(number(at: offset + 36, as: UInt16.self) & ~Format.cutBit)
            let textSlots = UInt64((length + Format.slotSize - 1) / Format.slotSize)
            guard textSlots < end - next else { return false }
            var event = Event(event: event(at: offset, ring.thread), isUnread: next >= ring.tail)
            if length > 0 {
                var text: [UInt8] = []
                for part in 1...textSlots {
                    let start = slot(next + part)
                    text += bytes[start..<start + min(Format.slotSize, length - text.count)]
                }
                event.text = String(decoding: text, as: UTF8.self)
                if number(at: offset + 36, as: UInt16.self) & Format.cutBit != 0 { event.text? += "…" }
            }
            // An event of an unknown kind is of a later version, or no event.
            if EventKind(rawValue: bytes[offset + 40]) != nil, event.event.node != .none { found.append(event) }
            next += 1 + textSlots
        }
        return true
    }

    private func event(at offset: Int, _ thread: ThreadID) -> ChainEvent {
        let site = SiteAddress(address: wide(offset + 24), line: number(at: offset + 32, as: UInt32.self))
        var event = ChainEvent(
            time: time(of: wide(offset)), EventKind(rawValue: bytes[offset + 40]) ?? .created,
            node: NodeID(wide(offset + 8)), other: NodeID(wide(offset + 16)), thread: thread,
            detail: number(at: offset + 38, as: UInt16.self), flags: EventFlags(rawValue: bytes[offset + 41]))
        event.site = sites[site] ?? 0
        return event
    }

    /// Returns the time of ticks: interpolated between two anchors or, outside of all anchors, at the rate from the
    /// first anchor to the last.
    private func time(of ticks: UInt64) -> UInt64 {
        guard number(at: Format.flagsOffset, as: UInt32.self) & Format.cycleCounterFlag != 0 else { return ticks }
        guard let first = anchors.first, let last = anchors.last else { return 0 }
        var (from, to) = (first, last)
        if let next = anchors.firstIndex(where: { $0.ticks > ticks }), next > 0 {
            (from, to) = (anchors[next - 1], anchors[next])
        }
        guard to.ticks > from.ticks else { return to.time }
        let rate = (Double(to.time) - Double(from.time)) / Double(to.ticks - from.ticks)
        // Times after the last anchor are counted from that anchor. A double has 53 bits, so a product with a shorter
        // difference is more exact.
        let base = ticks >= last.ticks ? last : from
        let time = Double(base.time) + (Double(ticks) - Double(base.ticks)) * rate
        return UInt64(min(max(time, 0), 0x1p62))
    }
}
