// SPDX-License-Identifier: MIT

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
        for block in blocks() { read(block) }
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

    // MARK: Blocks

    /// The facts of a block of a ring.
    private struct Block {
        /// The offset of its header in the file.
        var offset: Int
        var ring: UInt64
        /// The numbers of its first slot, of the first slot that the collector had not read, and of the slot after its
        /// last.
        var start: UInt64, tail: UInt64, end: UInt64

        /// The offset of a slot.
        func slot(_ number: UInt64) -> Int {
            offset + Format.blockHeaderSize + Int(number - start) * Format.slotSize
        }
    }

    /// Returns the blocks of one ring after another, those of each ring in the order in which they were written.
    private func blocks() -> [Block] {
        let size = wide(Format.blockSizeOffset)
        guard size >= UInt64(Format.blockHeaderSize + Format.slotSize), size <= UInt64(bytes.count) else { return [] }
        let room = (bytes.count - Format.headerSize) / Int(size)
        return (0..<count(Format.blockCountOffset, room))
            .compactMap { block(at: Format.headerSize + $0 * Int(size), size: Int(size)) }
            .sorted { ($0.ring, $0.start) < ($1.ring, $1.start) }
    }

    private func block(at offset: Int, size: Int) -> Block? {
        let (start, ring) = (wide(offset + Format.blockStartOffset), wide(offset + Format.blockRingOffset))
        guard ring > 0, ring <= UInt64(Format.ringLimit) else { return nil }
        let header = Format.ringsOffset + Int(ring - 1) * Format.ringSize
        let (headPlace, tailPlace) = (
            number(at: Format.headPlaceOffset, as: UInt32.self), number(at: Format.tailPlaceOffset, as: UInt32.self)
        )
        guard max(headPlace, tailPlace) <= UInt32(Format.ringSize - 8) else { return nil }
        let (head, tail) = (wide(header + Int(headPlace)), wide(header + Int(tailPlace)))
        let end = min(head, wide(offset + Format.blockEndOffset))
        let capacity = (size - Format.blockHeaderSize) / Format.slotSize
        guard start < end, end - start <= UInt64(capacity) else { return nil }
        return Block(offset: offset, ring: ring, start: start, tail: tail, end: end)
    }

    private mutating func read(_ block: Block) {
        let found = foundEvents(in: block)
        guard !found.isEmpty else { return }
        events += found
        let name = bytes[(block.offset + Format.blockNameOffset)...].prefix(Format.nameSize).prefix { $0 != 0 }
        // If several threads had the same number, the thread that ran last decides the name, even if it has none.
        let last = found.map(\.event.time).max() ?? 0
        let thread = number(at: block.offset + Format.blockThreadOffset, as: ThreadID.self)
        guard last >= lastNamed[thread, default: 0] else { return }
        lastNamed[thread] = last
        threads[thread] = name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
    }

    private func foundEvents(in block: Block) -> [Event] {
        let thread = number(at: block.offset + Format.blockThreadOffset, as: ThreadID.self)
        var (next, found) = (block.start, [Event]())
        while next < block.end {
            let offset = block.slot(next)
            let length = Int(number(at: offset + 36, as: UInt16.self) & ~Format.cutBit)
            let textSlots = UInt64((length + Format.slotSize - 1) / Format.slotSize)
            guard textSlots < block.end - next else { break }
            var event = Event(event: event(at: offset, thread), isUnread: next >= block.tail)
            if length > 0 {
                event.text = String(decoding: bytes[block.slot(next + 1)...].prefix(length), as: UTF8.self)
                if number(at: offset + 36, as: UInt16.self) & Format.cutBit != 0 { event.text? += "…" }
            }
            // An event of an unknown kind is of a later version, or no event.
            if EventKind(rawValue: bytes[offset + 40]) != nil, event.event.node != .none { found.append(event) }
            next += 1 + textSlots
        }
        return found
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
