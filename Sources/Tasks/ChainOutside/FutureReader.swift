// SPDX-License-Identifier: MIT

import ChainEvents

/// A future of SwiftNIO that has no value yet, as read at one time.
struct FutureReading: Hashable, Sendable {
    let address: UInt64
    /// Which type of value it is of.
    let metadata: UInt64
    let loop: UInt64
    /// The function and the context of the closure that runs first once there is a value; 0 without one.
    let callback: UInt64
    let context: UInt64
    /// How many closures run then.
    let callbackCount: Int
}

/// An event loop of SwiftNIO.
struct EventLoopReading: Hashable, Sendable {
    /// The name of its type, such as `NIOPosix.SelectableEventLoop`.
    let type: String
    /// The thread that runs it, and its name; 0 if that is not known.
    var thread: ThreadID = 0
    var threadName = ""
}

/// The pending futures of a program, at one look.
struct PendingFutures: Hashable, Sendable {
    /// Those of which rows are made, in the order of addresses.
    var futures: [FutureReading] = []
    /// Their event loops, by address.
    var loops: [UInt64: EventLoopReading] = [:]
    /// How many there are.
    var count = 0
}

/// Reads the pending futures of SwiftNIO: objects of the class `NIOCore.EventLoopFuture`.
///
/// The class is found by its symbol, which stripped programs export as well, unless they were linked to export nothing.
/// Where its properties are stored is read from its metadata, by their names.
struct FutureReader {
    /// Where a future keeps its parts.
    private struct Layout {
        /// The tag of the optional result, and the parts of the rest.
        let tag: UInt64
        let loop: UInt64
        let callbacks: UInt64
        /// The words to read of an object.
        var wordCount: Int { Int(callbacks) / 8 + 3 }
    }

    private let descriptors: [UInt64]
    /// By metadata; nil for what is not understood.
    private var layouts: [UInt64: Layout?] = [:]
    /// The objects that the last complete pass found, whatever they are.
    private var candidates: [UInt64] = []
    private var pending: Set<FutureReading> = []
    private var loops: [UInt64: EventLoopReading] = [:]
    private var executors = ExecutorReader()

    /// The mangled name of the descriptor of the class.
    private static let symbol = "$s7NIOCore15EventLoopFutureCMn"
    // From `swift/ABI/Metadata.h`: in the metadata of a class the sizes and the descriptor; in a table of functions for
    // values the size of the type.
    static let descriptor: UInt64 = 40
    private static let valueSize: UInt64 = 64
    private static let largestValue: UInt64 = 4_096
    private static let fieldLimit = 256, layoutLimit = 10_000
    /// Futures that are read at a time.
    private static let partSize = 512
    /// The most futures of which rows are made.
    static let limit = 1_000

    /// Nil for a program without SwiftNIO.
    init?(_ images: ProcessImages) {
        var found: Set<UInt64> = []
        for image in images.images {
            // The program's own symbols have been read already, for those of the runtime.
            for isDynamic in image.path == images.program ? [true, false] : [true] {
                if let address = image.addresses(withPrefix: Self.symbol, isDynamic: isDynamic)[""] {
                    found.insert(address)
                }
            }
        }
        guard !found.isEmpty else { return nil }
        descriptors = found.sorted()
    }

    /// What the next pass is to look for.
    var search: FutureSearch {
        FutureSearch(descriptors: descriptors, metadata: Set(layouts.compactMap { $0.value == nil ? nil : $0.key }))
    }

    /// Takes what a complete pass has found. Returns whether there is metadata that it did not look for, so that the next
    /// pass will find more.
    mutating func take(_ search: FutureSearch, _ memory: ProcessMemory, _ map: MemoryMap) -> Bool {
        candidates = search.objects
        if layouts.count >= Self.layoutLimit { layouts = [:] }
        let new = search.foundMetadata.filter { layouts[$0] == nil }
        for address in new { layouts[address] = .some(layout(of: address, memory, map)) }
        return new.contains { layouts[$0] ?? nil != nil }
    }

    // MARK: Futures

    /// Returns the futures that are pending now and were at the last call, and how many there are; the rows are of the
    /// first ``limit`` of them.
    mutating func read(_ memory: ProcessMemory, _ map: MemoryMap) -> PendingFutures {
        let heads = memory.pieces(at: candidates, words: 1)
        var present: [FutureReading] = []
        for (metadata, indices) in Dictionary(grouping: candidates.indices, by: { heads[$0] }) {
            guard let layout = layouts[metadata] ?? nil else { continue }
            for start in stride(from: 0, to: indices.count, by: Self.partSize) {
                let addresses = indices[start..<min(indices.count, start + Self.partSize)].map { candidates[$0] }
                let words = memory.pieces(at: addresses, words: layout.wordCount)
                for (index, address) in addresses.enumerated() {
                    let first = index * layout.wordCount
                    let part = Array(words[first..<first + layout.wordCount])
                    guard let future = Self.pending(part, address, layout, metadata, memory, map) else { continue }
                    present.append(future)
                }
            }
        }
        let kept = present.filter { pending.contains($0) }.sorted { $0.address < $1.address }
        pending = Set(present)
        let shown = Array(kept.prefix(Self.limit))
        let used = Set(shown.map(\.loop))
        loops = loops.filter { used.contains($0.key) }
        for address in used where loops[address] == nil { loops[address] = loop(at: address, memory, map) }
        return PendingFutures(futures: shown.filter { loops[$0.loop] != nil }, loops: loops, count: kept.count)
    }

    /// Returns the future of these words; nil if it has a value, or if its memory was freed.
    private static func pending(
        _ words: [UInt64], _ address: UInt64, _ layout: Layout, _ metadata: UInt64, _ memory: ProcessMemory,
        _ map: MemoryMap
    ) -> FutureReading? {
        // The count of references has a bit for an object that is released, and one for a count that is elsewhere.
        guard words[0] == metadata, words[1] >> 32 & 1 == 0, words[1] >> 63 == 0,
            UInt8(truncatingIfNeeded: words[Int(layout.tag / 8)] >> (layout.tag % 8 * 8)) == 0xFF
        else { return nil }
        let callbacks = Int(layout.callbacks / 8)
        let (loop, callback, rest) = (words[Int(layout.loop / 8)], words[callbacks], words[callbacks + 2])
        guard loop & 7 == 0, map.isWritable(loop), callback == 0 || map.isExecutable(callback) else { return nil }
        var count = callback == 0 ? 0 : 1
        // The array of further closures has its count after the two words of an object.
        if rest != 0, rest & 7 == 0, map.isWritable(rest), let further = memory.word(rest &+ 16), further < 1 << 32 {
            count += Int(further)
        }
        return FutureReading(
            address: address, metadata: metadata, loop: loop, callback: callback, context: words[callbacks + 1],
            callbackCount: count)
    }

    /// Reads where the futures of a type keep their parts. The value is an `Optional<Result<Value, Error>>`: after the
    /// larger of a value and an error comes the tag, which is 0 or 1 for a result, and 255 if there is none.
    private func layout(of metadata: UInt64, _ memory: ProcessMemory, _ map: MemoryMap) -> Layout? {
        guard let fields = ClassFields(metadata, memory, map), descriptors.contains(fields.descriptor),
            let value = fields["_value"], let loop = fields["eventLoop"], let callbacks = fields["_callbacks"],
            let argument = fields.firstArgument, let functions = memory.word(argument &- 8), map.isReadable(functions),
            let size = memory.word(functions &+ Self.valueSize), size <= Self.largestValue
        else { return nil }
        let tag = value &+ max(size, 8)
        guard value >= 16, (tag &+ 8) & ~7 == loop, loop &+ 16 == callbacks, callbacks <= 2 * Self.largestValue else {
            return nil
        }
        return Layout(tag: tag, loop: loop, callbacks: callbacks)
    }

    // MARK: Event loops

    /// Reads an event loop; nil if there is no object of a class with a name.
    private mutating func loop(at address: UInt64, _ memory: ProcessMemory, _ map: MemoryMap) -> EventLoopReading? {
        guard let type = executors.read(address, memory, map)?.name else { return nil }
        guard let thread = Self.thread(of: address, memory, map) else { return EventLoopReading(type: type) }
        return EventLoopReading(type: type, thread: thread, threadName: ThreadFiles.name(memory.pid, thread))
    }

    /// Returns the thread of a `SelectableEventLoop`: its `NIOThread` has the `pthread_t` behind a lock. Nil for a loop of
    /// another class, and where a thread's id is not found in its control block.
    private static func thread(of loop: UInt64, _ memory: ProcessMemory, _ map: MemoryMap) -> ThreadID? {
        #if arch(x86_64)
            guard let thread = property("thread", of: loop, memory, map),
                let box = property("handle", of: thread, memory, map), map.isWritable(box),
                let block = memory.word(box &+ 16), block & 63 == 0, map.isWritable(block),
                let head = memory.words(block, 3), head[0] == block, head[2] == block,
                let id = memory.word(block &+ ThreadBlock.thread).map({ ThreadID(truncatingIfNeeded: $0) }),
                ThreadFiles.ids(of: memory.pid).contains(id)
            else { return nil }
            return id
        #else
            return nil
        #endif
    }

    /// Returns the first word of a stored property of an object.
    private static func property(
        _ name: String, of object: UInt64, _ memory: ProcessMemory, _ map: MemoryMap
    ) -> UInt64? {
        guard object & 7 == 0, map.isWritable(object), let metadata = memory.word(object),
            let offset = ClassFields(metadata, memory, map)?[name]
        else { return nil }
        return memory.word(object &+ offset)
    }

    /// The names and offsets of the stored properties of a class without a superclass, from its metadata and its
    /// descriptor (`swift/ABI/Metadata.h`, `swift/RemoteInspection/Records.h`).
    private struct ClassFields {
        let descriptor: UInt64
        /// The metadata of the first type that a generic class is made for; nil if the class is not generic.
        let firstArgument: UInt64?
        private var offsets: [String: UInt64] = [:]

        subscript(name: String) -> UInt64? { offsets[name] }

        init?(_ metadata: UInt64, _ memory: ProcessMemory, _ map: MemoryMap) {
            guard metadata & 7 == 0, map.isReadable(metadata), let head = memory.words(metadata, 6),
                case let descriptor = head[5], descriptor & 3 == 0, map.isReadable(descriptor),
                let words = memory.words(descriptor, 6)
            else { return nil }
            func half(_ index: Int) -> UInt32 { UInt32(truncatingIfNeeded: words[index / 2] >> (index % 2 * 32)) }
            // A class; the distance of the superclass's name; the words of the metadata, and of its own part; the
            // properties, and where their offsets are.
            let (flags, positive, own) = (half(0), UInt64(half(7)), UInt64(half(8)))
            let (count, vector) = (Int(half(9)), UInt64(half(10)))
            guard flags & 31 == 16, half(5) == 0, own <= positive, positive <= 4_096, count <= FutureReader.fieldLimit,
                vector > 0, vector <= 4_096, let places = memory.words(metadata &+ vector &* 8, count)
            else { return nil }
            self.descriptor = descriptor
            let isGeneric = flags & 1 << 7 != 0
            firstArgument = isGeneric ? memory.word(metadata &+ (positive &- own) &* 8) : nil
            if let firstArgument { guard firstArgument & 7 == 0, map.isReadable(firstArgument) else { return nil } }
            // The records of the properties: three numbers each, of which the last is the distance of the name.
            let records = Self.target(of: descriptor &+ 16, half(4))
            guard map.isReadable(records), let sizes = memory.words(records &+ 8, 1), sizes[0] >> 16 & 0xFFFF == 12,
                sizes[0] >> 32 == UInt64(count)
            else { return nil }
            for index in 0..<count {
                let place = records &+ 16 &+ UInt64(index) &* 12 &+ 8
                guard let distance = memory.word(place), places[index] <= 1 << 20,
                    let name = memory.text(Self.target(of: place, UInt32(truncatingIfNeeded: distance)))
                else { return nil }
                offsets[name] = places[index]
            }
        }

        private static func target(of place: UInt64, _ distance: UInt32) -> UInt64 {
            place &+ UInt64(bitPattern: Int64(Int32(bitPattern: distance)))
        }
    }
}
